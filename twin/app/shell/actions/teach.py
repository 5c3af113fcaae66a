"""Actions on lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def teach_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Teach menu."""
    lessons = window.lessons
    return [
        entry(
            "teach.lessons",
            tr("Lessons\N{HORIZONTAL ELLIPSIS}"),
            lessons.choose,
            menu="teach",
            key="Ctrl+L",
            icon="book",
            tip=tr("Lessons by course: the hall itself checks what is done in it"),
            words=tr("lesson course learn exercise teach tutorial class student"),
        ),
        entry(
            "teach.open",
            tr("Open a lesson\N{HORIZONTAL ELLIPSIS}"),
            lessons.ask_file,
            menu="teach",
            icon="open",
            tip=tr("A lesson of your own: a file *.twin-lesson.yaml"),
            words=tr("lesson file own"),
        ),
        entry(
            "teach.person",
            tr("Pseudonym for lessons\N{HORIZONTAL ELLIPSIS}"),
            lessons.ask_person,
            menu="teach",
            tip=tr("Under which name lessons are done, and what is kept under it"),
            words=tr("name person student who am I privacy"),
        ),
        entry(
            "teach.check",
            tr("Check the step"),
            window.docks.lesson.check,
            menu="teach",
            key="Ctrl+K",
            icon="check",
            group="2",
            tip=tr("Holds the step of the lesson against the run as it stands"),
        ),
        entry(
            "teach.hand_in",
            tr("Hand in\N{HORIZONTAL ELLIPSIS}"),
            lessons.hand_in,
            menu="teach",
            icon="save",
            group="3",
            tip=tr("Saves what you did and answered in the open lesson as a file for your teacher"),
            words=tr("submit result homework"),
        ),
        entry(
            "teach.leave",
            tr("Leave the lesson"),
            lessons.leave,
            menu="teach",
            group="3",
            tip=tr("Back to the scenes; the lesson can be gone on with at any time"),
            words=tr("end stop lesson"),
        ),
    ]
