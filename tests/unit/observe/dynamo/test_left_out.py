"""What the texts of an older torch's guards leave out is told all the same."""

from __future__ import annotations

from types import SimpleNamespace

from dynprobe.observe.dynamo.conditions import guarded_type
from dynprobe.observe.dynamo.process_state import state_differences
from dynprobe.observe.dynamo.records import LeafGuard
from dynprobe.observe.dynamo.taps import global_state, leaf_guards, note_left_out


def leaf(kind: str, *parts: str) -> object:
    """A leaf of torch's: it is known by its class and its text."""
    return type(kind, (), {"verbose_code_parts": lambda _: list(parts)})()


class Manager:
    """The part of a guard manager that is read, as of torch 2.9."""

    def __init__(self, **leaves: list[object]) -> None:
        children = [
            SimpleNamespace(
                get_source=lambda name=name: name,
                get_leaf_guards=lambda own=own: own,
                get_child_managers=list,
            )
            for name, own in leaves.items()
        ]
        self.root = SimpleNamespace(
            get_leaf_guards=lambda: [leaf("GLOBAL_STATE", "___check_global_state()")],
            get_child_managers=lambda: children,
            get_epilogue_lambda_guards=list,
        )


def told(manager: Manager) -> dict[tuple[str, str], LeafGuard]:
    return {(found.source, found.kind): found for found in leaf_guards(manager)}


def test_the_class_and_the_state_are_noted_with_the_entry():
    manager = Manager(
        x=[leaf("TYPE_MATCH", "___check_type_id(L['x'], 94)"), leaf("LENGTH_CHECK", "len(x) == 2")],
        gone=[leaf("ID_MATCH", "___check_obj_id(L['gone'], 95)")],
    )
    note_left_out(manager, "{}", {"x": "Config"}.__getitem__)
    rows = told(manager)
    assert guarded_type(rows["x", "TYPE_MATCH"]) == "Config"
    assert rows["x", "LENGTH_CHECK"].left_out == ""
    assert rows["L", "GLOBAL_STATE"].left_out == "{}"
    assert guarded_type(rows["gone", "ID_MATCH"]) is None  # its value was not there
    assert told(Manager())["L", "GLOBAL_STATE"].left_out == ""  # another entry


def test_what_the_text_says_is_not_noted():
    text = "___check_type_id(L['x'], 94), type=<class 'a.Mine'>"
    manager = Manager(x=[leaf("TYPE_MATCH", text)])
    note_left_out(manager, "{}", lambda _: "Other")
    row = told(manager)["x", "TYPE_MATCH"]
    assert (guarded_type(row), row.left_out) == ("Mine", "")


def test_a_state_that_was_noted_is_compared():
    captured = global_state().replace('"grad_mode":true', '"grad_mode":false')
    row = LeafGuard("L", "GLOBAL_STATE", ("___check_global_state()",), None, captured)
    assert state_differences(row, None) == [("grad mode", "grad_mode", "off", "on")]


def test_marked_dimensions_are_one_kind_of_guard():
    text = "hasattr(L['x'], '_dynamo_dynamic_indices') == False"
    manager = Manager(x=[leaf("NO_HASATTR", text)], y=[leaf("NO_HASATTR", "not hasattr(y, 'a')")])
    kinds = {source: kind for source, kind in told(manager) if source != "L"}
    assert kinds == {"x": "DIMENSION_DYNAMIC_MARKING_GUARD", "y": "NO_HASATTR"}
