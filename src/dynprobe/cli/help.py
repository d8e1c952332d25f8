"""Help pages: options under headings, as plain text that pipes well."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command whose options stand under the heading that their `rich_help_panel` names."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        headings: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if param.param_type_name == "argument":
                headings["Arguments"] = [(param.metavar or param.name, getattr(param, "help", ""))]
            elif record:
                heading = getattr(param, "rich_help_panel", None) or "Options"
                headings.setdefault(heading, []).append(record)
        for heading, records in headings.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=28)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        params = self.get_params(ctx)
        arguments = [p.metavar or p.name for p in params if p.param_type_name == "argument"]
        return [*arguments, "[OPTIONS]"]


class Group(TyperGroup):
    """Lists its commands in the order they were added; a target without a command is told which
    one it wants."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        first = args[0] if args else ""
        if ":" in first and self.get_command(ctx, first) is None:
            ctx.fail(f"{first} is a target, not a command: dynprobe explain {' '.join(args)}")
        return super().resolve_command(ctx, args)
