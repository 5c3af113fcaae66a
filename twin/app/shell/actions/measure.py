"""Actions on dimensions in the hall, and on the rulers of drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def measure_actions(window: WindowApi) -> list[Command]:
    """Return the actions of View > Dimensions."""
    hall = window.hall
    state, tool = hall.state, hall.measure

    def toggle_rulers() -> None:
        state.rulers = not state.rulers

    return [
        entry(
            "view.measure",
            tr("Measure"),
            tool.toggle,
            menu="view/dimensions",
            key="D",
            icon="ruler",
            needs_scene=True,
            is_on=lambda: tool.active,
            tip=tr("Two clicks on things, corners or places make a dimension that sticks to them"),
            words=tr("dimension ruler distance length gap aisle clearance tape how far between"),
        ),
        entry(
            "view.measure_clear",
            tr("Remove all dimensions"),
            tool.clear,
            menu="view/dimensions",
            icon="ruler",
            needs_scene=True,
            tip=tr("Removes the dimensions of this scene; one of them: Measure, click it, Delete"),
            words=tr("measure delete clear distances"),
        ),
        entry(
            "view.rulers",
            tr("Grid and rulers"),
            toggle_rulers,
            menu="view/dimensions",
            icon="ruler",
            group="2",
            needs_scene=True,
            is_on=lambda: state.rulers,
            tip=tr("Drawings from top, front and side have a grid and rulers in metres"),
            words=tr("metre scale floor tiles orthographic plan coordinates snap"),
        ),
    ]
