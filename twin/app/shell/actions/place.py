"""Actions on what is selected in the hall: moving, turning, copying, deleting, and selecting more of its kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_SELECT = (
    ("similar", "Select similar", "Selects everything of the same kind and part"),
    ("row", "Select the same row", "Selects all racks in the same rows"),
    ("job", "Select the same job", "Selects all nodes of the jobs on the selection"),
    ("feed", "Select the same feeds", "Selects the racks on the same power feeds: they lose power together"),
    ("all", "Select all racks", "Selects every rack of the scene"),
)


def place_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Edit menu on the selection."""
    tools = window.tools
    acts = (
        (
            "move",
            "Move",
            tools.carry_selection,
            "M",
            "Moves the selection with pointer or arrow keys; Enter places it",
        ),
        (
            "rotate",
            "Rotate 180°",
            tools.rotate,
            "R",
            "Turns racks and rows to face the other way",
        ),
        ("cut", "Cut", tools.cut, "Ctrl+X", "Copies the selection and deletes it from the scene"),
        (
            "copy",
            "Copy",
            tools.copy,
            "Ctrl+C",
            "Copies the selection to the clipboard as scene text",
        ),
        ("paste", "Paste", tools.paste, "Ctrl+V", "Places the clipboard's contents in the hall"),
        ("duplicate", "Duplicate", tools.duplicate, "Ctrl+D", "Copies the selection to a free place"),
        ("delete", "Delete", tools.delete, "Delete", "Deletes the selection from the scene"),
    )
    made = [
        entry(f"edit.{name}", title, act, menu="edit", group="4", key=key, needs_scene=True, tip=tip)
        for name, title, act, key, tip in acts
    ]
    made.append(
        entry(
            "edit.select_everything",
            "Select all",
            tools.select_all,
            menu="edit",
            group="5",
            key="Ctrl+A",
            needs_scene=True,
            tip="Selects everything in the hall; again: all of the kind selected before",
            words="select everything, mark all",
        )
    )
    made += [
        entry(
            f"edit.select_{how}",
            title,
            partial(tools.select, how),
            menu="edit",
            group="5",
            needs_scene=True,
            tip=tip,
        )
        for how, title, tip in _SELECT
    ]
    return made
