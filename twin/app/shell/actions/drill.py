"""Actions on operator drills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.shell.drill_actions import DrillActions
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def drill_actions(window: WindowApi) -> list[Command]:
    """Return the actions on drills in the menu Teach."""
    window.drills = DrillActions(window)
    return [
        entry(
            "teach.drill",
            tr("Start a drill\N{HORIZONTAL ELLIPSIS}"),
            window.drills.choose,
            menu="teach",
            icon="alarm",
            group="4",
            tip=tr("Run a hall as its operator: faults come hidden, and your response is scored"),
            words=tr(
                "another drill exercise operator emergency training runbook incident trainee score again"
            ),
        ),
        entry(
            "teach.end_drill",
            tr("End the drill"),
            window.drills.finish,
            menu="teach",
            group="4",
            tip=tr("Shows what happened, and scores what you did"),
            words=tr("drill stop score result operator exercise finish"),
        ),
        entry(
            "teach.save_drill",
            tr("Save the result of the drill\N{HORIZONTAL ELLIPSIS}"),
            window.drills.save,
            menu="teach",
            group="4",
            tip=tr("A file with the drill and what you did; a trainer's program runs it again for the score"),
            words=tr("drill result hand in file keep operator exercise"),
        ),
    ]
