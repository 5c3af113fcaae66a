"""What leads to lessons and out of them: list, file, welcome page, palette, a crash; and where a step points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog

from twin.app.inspector.facts import state_of
from twin.app.session.scene_errors import SCENE_ERRORS, problems_of
from twin.app.teach.courses import (
    LessonEntry,
    lesson_entries,
    lesson_file,
    next_entry,
    own_lessons,
    place_of,
    remember_lesson,
    unfinished,
)
from twin.app.teach.lesson_cards import LessonCards
from twin.app.teach.lessons_dialog import LessonsDialog
from twin.app.teach.markdown_view import shown_address
from twin.app.teach.person_dialog import PersonDialog, person_of
from twin.app.teach.pointer import DockOutline, ThingRing
from twin.app.teach.questions import path_to_save, sure
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.problem_notice import Trouble
from twin.language import counted, tr
from twin.lessons.attempt import Attempt, begun_attempt, progress_path
from twin.lessons.lesson_file import SUFFIX
from twin.lessons.result import SUFFIX as RESULT_SUFFIX
from twin.lessons.result import LessonResult
from twin.plant.find import find
from twin.record.channels import colours_named
from twin.record.state_folder import state_folder
from twin.scenario import NewerVersion

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi

_FILTER = tr("Lessons (*{suffix});;All files (*)", suffix=SUFFIX)
_LATER = "lessons_later"
_MOST_LATER = 20
_KEPT_FROM = ("run.next_seed",)
"""Actions that would give another run than that which the report on a class runs again."""


class LessonActions:
    """Opens lessons in the dock *Lesson*, and leads through the window what its steps ask for.

    Parameters
    ----------
    window
        Of which docks, hall, session and files are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window, self._dock = window, window.docks.lesson
        self.runner = self._dock.runner
        self.ring = ThingRing(window.look, window.hall, self._state_text)
        self.cards = LessonCards(window.look)
        self._pointed: tuple[object, ...] = ()
        self._offered = ""  # title of the note that offers to go on with a lesson
        self.dialog: LessonsDialog | None = None
        window.files.openers[SUFFIX] = self.open_file

    def connect(self) -> None:
        """Follow the parts of the window, once all are there."""
        window, dock, runner = self._window, self._dock, self.runner
        runner.attach(window.editing.editor)
        window.editing.file.kept_elsewhere = lambda: runner.hall.is_open
        runner.opened.connect(self._on_hall)
        runner.turned.connect(self._point)
        runner.closed.connect(self._on_closed)
        runner.failed.connect(window.notifications.warn)
        window.session.plant_changed.connect(lambda _: self._point())
        dock.lessons_wanted.connect(self.choose)
        dock.hand_in_wanted.connect(self.hand_in)
        dock.link_wanted.connect(self._follow_link)
        dock.next_wanted.connect(self.go_on_to_next)
        dock.anew_wanted.connect(self.begin_anew)
        window.welcome.refreshed.connect(lambda: self.cards.refresh(self.own, person_of(window.settings)))
        window.welcome.add_section(tr("LESSONS"), self.cards)
        self.cards.chosen.connect(self.open_file)
        self.cards.all_wanted.connect(self.choose)

    @property
    def title(self) -> str:
        """Return the title of the lesson that is open, "" while none is."""
        attempt = self.runner.attempt
        return attempt.lesson.title if attempt is not None else ""

    @property
    def own(self) -> list[Path]:
        """Return the lessons of the person's own that were opened, the newest first."""
        return own_lessons(self._window.settings)

    # -- which lesson ----

    def choose(self) -> None:
        """Show the list of lessons."""
        if self.dialog is not None:  # it is open
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        settings = self._window.settings
        dialog = LessonsDialog(self._window.look, self.own, person_of(settings), self._window)
        self.dialog = dialog
        dialog.chosen.connect(self._on_chosen)
        dialog.file_wanted.connect(self.ask_file)
        dialog.person_wanted.connect(self.ask_person)
        dialog.finished.connect(self._forget_dialog)
        dialog.show()

    def ask_file(self) -> None:
        """Let the person choose a lesson of their own."""
        own = self.own
        folder = own[0].parent if own else Path.home()
        chosen, _ = QFileDialog.getOpenFileName(self._window, tr("Open a lesson"), str(folder), _FILTER)
        if chosen and self.open_file(Path(chosen)):
            self._close_dialog()

    def ask_person(self) -> str:
        """Ask under which name lessons are done; return it, "" where nobody answered."""
        settings = self._window.settings
        dialog = PersonDialog(settings, state_folder() / "lessons", self._window)
        answer = dialog.exec()
        dialog.deleteLater()
        person = person_of(settings)
        if self.dialog is not None:
            self.dialog.show_person(person)
        return person if answer == QDialog.DialogCode.Accepted else ""

    def open_file(self, path: Path, *, anew: bool = False) -> bool:
        """Begin the lesson of a file, or go on in it; return whether that was done."""
        window = self._window
        person = person_of(window.settings) or self.ask_person()
        if not person or not window.editing.file.may_leave():
            return False
        window.files.keep_picture()
        try:
            file = lesson_file(path)
            place = progress_path(file, person)
            if anew:  # what was kept is written over once the hall is open
                attempt = Attempt(file, person)
                self.runner.take(attempt, place)
            else:
                attempt = begun_attempt(file, person, place)
                self.runner.take(attempt)
        except NewerVersion as error:
            window.files.tell_newer(path, error)
        except SCENE_ERRORS as error:
            window.files.show_problems(path, problems_of(error, path.name))
        except OSError as error:
            reason = error.strerror or str(error)
            window.notifications.warn(
                Trouble(tr("Lesson not opened"), tr("Progress cannot be kept: {reason}", reason=reason))
            )
        else:
            window.notifications.withdraw(self._offered)
            remember_lesson(window.settings, path)
            if attempt.result.finished:
                self._dock.show_end()
            return True
        return False

    def _begin(self, path: Path) -> None:
        self.open_file(path)

    def begin_anew(self) -> None:
        """Begin the open lesson from its first step; of a trial nothing is kept, as before."""
        attempt = self.runner.attempt
        if attempt is None or not self._sure():
            return
        if attempt.path is not None and attempt.file.path is not None:
            self.open_file(attempt.file.path, anew=True)
        elif self._window.editing.file.may_leave():
            try:
                self.runner.take(Attempt(attempt.file, attempt.result.person))
            except SCENE_ERRORS as error:
                path = self.runner.path(attempt)
                self._window.files.show_problems(path, problems_of(error, path.name))

    def go_on_to_next(self) -> None:
        """Begin the next lesson of the course; after the last show the list."""
        attempt = self.runner.attempt
        path = attempt.file.path if attempt is not None else None
        entry = next_entry(path, self.own) if path is not None else None
        if entry is not None:
            self.open_file(entry.path)
        else:
            self.choose()

    def leave(self) -> None:
        """Leave the lesson; it can be gone on with at any time."""
        if self.runner.attempt is not None:
            self.runner.close()
            self._window.show_welcome()

    def entries(self) -> Iterator[PaletteEntry]:
        """Yield the lessons, for the command palette."""
        for entry in lesson_entries(self.own):
            words = tr("lesson course learn exercise teach tutorial {course}", course=entry.lesson.course)
            yield PaletteEntry(
                entry.lesson.title, partial(self._begin, entry.path), tr("Lesson"), words=words
            )

    # -- after a crash ----

    def offer(self) -> None:
        """Offer to go on with the lesson that was left last, unless that was put off."""
        later = self._window.settings.kept(_LATER)
        left = unfinished(self.own, later)
        if left is None:
            return
        entry, result = left
        lesson = entry.lesson
        number = place_of(result, lesson) + 1
        words = tr(
            "{title}, as {person}: step {number} of {steps}. The hall stands as it was left.",
            title=lesson.title,
            person=result.person,
            number=number,
            steps=len(lesson.steps),
        )
        self._offered = tr("Go on with the lesson at step {number}?", number=number)
        self._window.notifications.ask(
            Trouble(self._offered, words),
            {
                tr("Go on"): partial(self._go_on, entry, result),
                tr("Not now"): partial(self._put_off, result),
            },
        )

    def _go_on(self, entry: LessonEntry, result: LessonResult) -> None:
        self._window.settings.keep("lesson_person", [result.person])
        self.open_file(entry.path)

    def _put_off(self, result: LessonResult) -> None:
        settings = self._window.settings
        settings.keep(_LATER, [result.id, *settings.kept(_LATER)][:_MOST_LATER])

    # -- handing in ----

    def hand_in(self) -> None:
        """Save what was done as a file for the teacher, and say what it holds and where it went."""
        attempt, window = self.runner.attempt, self._window
        if attempt is None:
            return
        name = f"{attempt.file.id}--{attempt.result.person}{RESULT_SUFFIX}".replace("/", "-")
        kinds = tr("Results (*{suffix})", suffix=RESULT_SUFFIX)
        path = path_to_save(window, tr("Hand in"), Path.home() / name, kinds, RESULT_SUFFIX)
        if path is None:
            return
        try:
            attempt.hand_in(path)
        except OSError as error:
            reason = error.strerror or str(error)
            window.notifications.warn(Trouble(tr("Not handed in"), f"{path}: {reason}"))
            return
        window.notifications.ask(
            Trouble(tr("Saved for your teacher"), handed_in_words(attempt, path)),
            {tr("OK"): lambda: None},
        )

    # -- within the window ----

    def _on_chosen(self, path: Path, anew: bool) -> None:
        if anew and not self._sure():
            return
        if self.open_file(path, anew=anew):
            self._close_dialog()

    def _sure(self) -> bool:
        question = tr("Begin the lesson anew? What you did and answered is forgotten.")
        return sure(self._window, "anew", question, tr("Begin anew"), title=tr("Begin anew"))

    @staticmethod
    def why_not(action_id: str) -> str:
        """Return why an action is not to be had in a lesson, "" when it is."""
        if action_id not in _KEPT_FROM:
            return ""
        return tr("In a lesson the draws of the hall stay: others would be another run than your teacher's")

    def _on_closed(self) -> None:
        self.ring.mark("")
        self._window.menus.forbid(None)

    def _on_hall(self, path: Path) -> None:
        """Show the hall of a lesson, laid out for teaching."""
        docks = self._window.docks
        self._pointed = ()
        self._window.files.opened.emit(path)
        self._window.menus.forbid(self.why_not)
        docks.enter("teach")
        docks.show("lesson")

    def _point(self) -> None:
        """Show what the step points to, once for each step."""
        attempt, window = self.runner.attempt, self._window
        plant = window.session.plant
        if attempt is None or plant is None or not self.runner.hall.is_open:
            self.ring.mark("")
            return
        key = (attempt.file.id, attempt.place, attempt.record.tries)
        if key == self._pointed:
            return
        self._pointed, look = key, attempt.step.look
        colours = colours_named(look.colour_by) if look.colour_by else []
        if len(colours) == 1:
            window.hall.state.colour_by = colours[0]
        found = find(plant, look.thing) if look.thing else None
        if look.thing and found is not None:
            window.going.to(look.thing)
            self.ring.mark(look.thing)
        else:
            self.ring.mark("")
        if look.dock and look.dock != "lesson" and look.dock in window.docks.names:
            window.docks.show(look.dock)
            if not window.hall.state.still:
                DockOutline(window.look, window.docks.dock(look.dock))

    def _state_text(self, thing: str) -> str:
        world = self._window.world()
        return state_of(world, thing) if world is not None else ""

    def _follow_link(self, address: str) -> None:
        """Ask before an address of a lesson is opened."""
        if sure(self._window, "link", shown_address(address), tr("Open")):
            QDesktopServices.openUrl(QUrl(address))

    def _close_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.close()

    def _forget_dialog(self, _answer: int) -> None:
        self.dialog = None


def handed_in_words(attempt: Attempt, path: Path) -> str:
    """Return what a result holds and where it went."""
    acts = sum(len(hall.acts) for hall in attempt.result.halls)
    answers = sum(len(step.answers) for step in attempt.result.steps)
    return tr(
        "{path}\nIt holds your pseudonym {person}, what you did in the hall ({acts}), {answers}, the hints "
        "you took, and the times of this computer. It holds no points: your teacher's report runs the lesson again. "
        "Give the file to your teacher; nothing was sent.",
        path=str(path),
        person=attempt.result.person,
        acts=counted(acts, "act"),
        answers=counted(answers, "answer"),
    )
