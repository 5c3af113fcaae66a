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
    ("row", "Select the same row", "Selects all racks in the rows of what is selected"),
    ("job", "Select the same job", "Selects the nodes that the jobs on the selection run on"),
    ("feed", "Select the same feeds", "Selects the racks on the same power feeds: they go dark together"),
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
            "Pointer or arrows move the selection, Enter puts it down",
        ),
        (
            "rotate",
            "Turn round",
            tools.rotate,
            "R",
            "Turns racks and rows: their fronts look to the other side",
        ),
        ("cut", "Cut", tools.cut, "Ctrl+X", "Copies what is selected and takes it out of the scene"),
        (
            "copy",
            "Copy",
            tools.copy,
            "Ctrl+C",
            "What is selected goes to the clipboard, as the text of a scene",
        ),
        ("paste", "Paste", tools.paste, "Ctrl+V", "Carries what the clipboard holds to a place in the hall"),
        ("duplicate", "Duplicate", tools.duplicate, "Ctrl+D", "Copies what is selected to a free place"),
        ("delete", "Delete", tools.delete, "Delete", "Takes what is selected out of the scene"),
    )
    made = [
        entry(f"edit.{name}", title, act, menu="edit", group="4", key=key, needs_scene=True, tip=tip)
        for name, title, act, key, tip in acts
    ]
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
