"""Actions on studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.shell.study_actions import StudyActions
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def study_actions(window: WindowApi) -> list[Command]:
    """Return the actions on studies in the menu Analyse."""
    window.studies = StudyActions(window)
    return [
        entry(
            "analyse.study",
            tr("Study: sweep over keys of the scene\N{HORIZONTAL ELLIPSIS}"),
            window.studies.open,
            menu="analyse",
            key="Shift+V",
            icon="plot",
            tip=tr("Runs the scene with many values of its keys, and shows which matter and which are best"),
            words=tr(
                "sensitivity parameters what if many vary Sobol Latin hypercube grid optimise Pareto front "
                "experiments seeds"
            ),
        )
    ]
