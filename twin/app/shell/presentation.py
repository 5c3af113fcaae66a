"""The presentation in the window: what it is made of, and how one comes to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from twin.app.tour.presenting import Presenting
from twin.app.tour.tour import Tour
from twin.app.tour.trials import Trials
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi


def presenting_of(window: WindowApi) -> Presenting:
    """Return what presents the open scene, joined to the story, the timeline and the page with the scenes."""
    session, docks = window.session, window.docks
    tour = Tour(session, window.hall)
    refuse = partial(window.notifications.tell, tr("Change refused"))  # a presentation has no status bar
    trials = Trials(session, window.editing.editor, window.branching, docks, refuse)
    made = Presenting(
        window.look, session, window.hall, window, docks, tour, trials, window.settings, window.tell
    )

    def present(path: Path) -> None:
        if window.files.open(path):
            made.begin()

    docks.story.attach(tour, made.begin)
    window.welcome.present_wanted.connect(present)
    return made
