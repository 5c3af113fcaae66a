"""Actions on the chapters of a scene: presenting them, films and handouts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def tour_actions(window: WindowApi) -> list[Command]:
    """Return the actions on chapters."""
    return [
        entry(
            "tour.present",
            tr("Present the chapters"),
            lambda: window.presenting.toggle(),
            menu="view",
            key="F5",
            icon="play",
            group="5",
            needs_scene=True,
            tip=tr("The hall fills the screen, and the chapters of the scene play one after the other"),
            words=tr("presentation, tour, slides, chapters, story, slideshow, beamer, projector, talk"),
        ),
        entry(
            "tour.notes",
            tr("Presenter's notes"),
            lambda: window.presenting.toggle_notes(),
            menu="view",
            group="5",
            needs_scene=True,
            is_on=lambda: window.presenting.notes.isVisible(),
            tip=tr("A second window with notes, the time and the next chapter"),
            words=tr("speaker notes, presenter view, second screen"),
        ),
    ]
