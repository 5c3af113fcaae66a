"""Actions on what is selected in the hall: moving, turning, copying, deleting, and selecting more of its kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_SELECT = (
    ("similar", tr("Select similar"), tr("Selects everything of the same kind and part")),
    ("row", tr("Select the same row"), tr("Selects all racks in the same rows")),
    ("job", tr("Select the same job"), tr("Selects all nodes of the jobs on the selection")),
    (
        "feed",
        tr("Select the same feeds"),
        tr("Selects the racks on the same power feeds: they lose power together"),
    ),
    ("all", tr("Select all racks"), tr("Selects every rack of the scene")),
)


def place_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Edit menu on the selection."""
    tools = window.tools
    acts = (
        (
            "move",
            tr("Move"),
            tools.carry_selection,
            "M",
            tr("Moves the selection with pointer or arrow keys; Enter places it"),
        ),
        (
            "rotate",
            tr("Rotate 180°"),
            tools.rotate,
            "R",
            tr("Turns racks and rows to face the other way"),
        ),
        ("cut", tr("Cut"), tools.cut, "Ctrl+X", tr("Copies the selection and deletes it from the scene")),
        (
            "copy",
            tr("Copy"),
            tools.copy,
            "Ctrl+C",
            tr("Copies the selection to the clipboard as scene text"),
        ),
        ("paste", tr("Paste"), tools.paste, "Ctrl+V", tr("Places the clipboard's contents in the hall")),
        ("duplicate", tr("Duplicate"), tools.duplicate, "Ctrl+D", tr("Copies the selection to a free place")),
        ("delete", tr("Delete"), tools.delete, tr("Delete"), tr("Deletes the selection from the scene")),
    )
    made = [
        entry(f"edit.{name}", title, act, menu="edit", group="4", key=key, needs_scene=True, tip=tip)
        for name, title, act, key, tip in acts
    ]
    made.append(
        entry(
            "edit.select_everything",
            tr("Select all"),
            tools.select_all,
            menu="edit",
            group="5",
            key="Ctrl+A",
            needs_scene=True,
            tip=tr("Selects everything in the hall; again: all of the kind selected before"),
            words=tr("select everything, mark all"),
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
