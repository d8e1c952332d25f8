"""The `dynprobe` command: its sub-commands, and what their errors become."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from dynprobe.errors import DynprobeError, ExitCode

from . import problems
from .explain import explain
from .help import Command, Group
from .rule import rule
from .schema import schema
from .show import show

# click's, or that of the click which typer brings with it
UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])

app = typer.Typer(
    name="dynprobe",
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command(cls=Command, no_args_is_help=False)(explain)
app.command(cls=Command)(show)
app.command(cls=Command)(rule)
app.command(cls=Command)(schema)


def _version(wanted: bool) -> None:
    if wanted:
        from .version import versions

        typer.echo(versions())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def dynprobe(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "-V",
            "--version",
            is_eager=True,
            callback=_version,
            help="Print the versions of dynprobe, torch, jax and Python.",
        ),
    ] = False,
) -> None:
    """See, call by call, what torch.compile did with your function."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: list[str]) -> int:
    """The whole command; every failure is told on stderr and becomes an exit code."""
    verbose = problems.wants_traceback(arguments)
    try:
        command = typer.main.get_command(app)
        code = command.main(arguments, prog_name="dynprobe", standalone_mode=False)
    except UsageError as error:
        problems.tell_usage(error)
        return ExitCode.USAGE
    except DynprobeError as error:
        problems.tell(error, verbose=verbose)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except Exception as error:
        problems.tell_fault(error, verbose=verbose)
        return ExitCode.INTERNAL
    if code == ExitCode.INTERRUPTED:
        problems.say("interrupted")
    return code if isinstance(code, int) else ExitCode.OK
