"""Actions on lessons that a teacher writes, and on the results of a class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.shell.lesson_writing import LessonWriting
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def lesson_writing_actions(window: WindowApi) -> list[Command]:
    """Return the actions of teachers in the menu Teach."""
    writing = LessonWriting(window)
    window.lesson_writing = writing
    return [
        entry(
            "teach.write",
            tr("Write a lesson\N{HORIZONTAL ELLIPSIS}"),
            writing.show,
            menu="teach",
            icon="text",
            group="5",
            tip=tr("A lesson of your own: steps recorded by doing them, conditions picked from the run"),
            words=tr("author editor write lesson record teacher course create new exercise"),
        ),
        entry(
            "teach.check_lesson",
            tr("Check the lesson"),
            writing.check,
            menu="teach",
            group="5",
            tip=tr(
                "Tries each step of the lesson that is written: its solution solves it, nothing else does"
            ),
            words=tr("author editor validate test lesson teacher"),
        ),
        entry(
            "teach.try_lesson",
            tr("Try the lesson"),
            writing.try_it,
            menu="teach",
            group="5",
            tip=tr("Does the lesson that is written as a learner would, from the step in hand"),
            words=tr("author editor preview run lesson teacher"),
        ),
        entry(
            "teach.save_lesson",
            tr("Save the lesson"),
            writing.save,
            menu="teach",
            group="5",
            tip=tr("Saves the lesson that is written"),
            words=tr("author editor store lesson teacher file"),
        ),
        entry(
            "teach.save_lesson_as",
            tr("Save the lesson as\N{HORIZONTAL ELLIPSIS}"),
            writing.save_as,
            menu="teach",
            group="5",
            tip=tr("Saves the lesson that is written under another name"),
            words=tr("author editor copy lesson teacher file"),
        ),
        entry(
            "teach.close_lesson",
            tr("Close the lesson that is written"),
            writing.leave,
            menu="teach",
            group="5",
            tip=tr("Ends writing; asks about what is not saved"),
            words=tr("author editor end lesson teacher"),
        ),
        entry(
            "teach.handout",
            tr("Save handout\N{HORIZONTAL ELLIPSIS}"),
            partial(writing.save_page, key=False),
            menu="teach",
            group="6",
            tip=tr("The lesson as a page to print, for learners"),
            words=tr("paper print worksheet html class teacher"),
        ),
        entry(
            "teach.answer_key",
            tr("Save answer key\N{HORIZONTAL ELLIPSIS}"),
            partial(writing.save_page, key=True),
            menu="teach",
            group="6",
            tip=tr("The same with right answers, solutions and mistakes, for the teacher"),
            words=tr("paper print solutions html teacher"),
        ),
        entry(
            "teach.class_report",
            tr("Class report\N{HORIZONTAL ELLIPSIS}"),
            writing.class_report,
            menu="teach",
            group="6",
            tip=tr(
                "Runs the results of a class again, and saves who did what and where they stuck as a page"
            ),
            words=tr("results grades students marks folder html teacher cheating"),
        ),
    ]
