"""What leads to the editor of lessons and out of it: files, halls, checks, trying, pages for the class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.app.files.scene_list import SUFFIX as SCENE_SUFFIX
from twin.app.session.save_folder import is_shipped
from twin.app.session.scene_errors import SCENE_ERRORS, problems_of
from twin.app.teach.courses import own_lessons, remember_lesson
from twin.app.teach.person_dialog import person_of
from twin.app.teach.questions import path_to_save
from twin.app.toolkit.plain_text import make_plain
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.lessons.attempt import Attempt
from twin.lessons.draft import LessonDraft
from twin.lessons.lesson_file import SUFFIX, lesson_from, shipped_lessons
from twin.lessons.lesson_files import copy_beside
from twin.lessons.teacher_work import class_aside, page_aside, problems_aside
from twin.plant.find import find
from twin.whole_file import write_whole

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi

POLL_MS = 150
_FILTER = tr("Lessons (*{suffix})", suffix=SUFFIX)
_PAGES = tr("Pages (*.html)")
_TRIAL = "a trial"
"""Under this name a teacher tries a lesson who has no pseudonym."""


class LessonWriting:
    """Serves the dock *Lesson editor*: what it asks of files, of the session and of other processes.

    Parameters
    ----------
    window
        Of which docks, hall, session and files are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window, self._dock = window, window.docks.lesson_editor
        self.writing, self.recorder = self._dock.writing, self._dock.recorder
        self._aside: Aside[Any] | None = None
        self._take: Callable[[object], None] = lambda made: None
        self._failed = ""
        self._timer = QTimer(self._dock, interval=POLL_MS)
        self._timer.timeout.connect(self._listen)
        self._proposing = QTimer(self._dock, interval=POLL_MS)
        self._proposing.setSingleShot(True)
        self._proposing.timeout.connect(self.propose)
        self.recorder.editor = window.editing.editor
        self.recorder.may_leave = window.editing.file.may_leave
        dock = self._dock
        dock.new_wanted.connect(self.begin)
        dock.open_wanted.connect(self.ask_open)
        dock.hall_wanted.connect(self.open_hall)
        dock.record_wanted.connect(self._record)
        dock.check_wanted.connect(self.check)
        dock.try_wanted.connect(self.try_it)
        dock.save_wanted.connect(self.save)
        dock.propose_wanted.connect(self.propose)
        dock.failed.connect(window.notifications.warn)
        self.recorder.failed.connect(window.notifications.warn)
        window.hall.state.events.selection.connect(self._on_selection)

    def connect(self) -> None:
        """Let nobody else save a hall that was opened for writing, once all parts of the window are there."""
        file = self._window.editing.file
        others = file.kept_elsewhere
        recorder = self.recorder
        file.kept_elsewhere = lambda: others() or recorder.is_open

    # -- a lesson ----

    def show(self) -> None:
        """Show the editor."""
        docks = self._window.docks
        docks.enter("teach")
        docks.show("lesson_editor")

    def begin(self) -> bool:
        """Begin a lesson in the hall that is open; return whether that was done."""
        window, session = self._window, self._window.session
        path = session.path
        if not self.may_leave():
            return False
        if session.document is None or path is None or not path.name.endswith(SCENE_SUFFIX):
            words = tr(
                "Open a scene first, a shipped one or a file of yours: the lesson is done in its hall."
            )
            window.notifications.warn(Trouble(tr("No lesson begun"), words))
            return False
        if window.editing.file.is_new or (session.draft is not None and session.draft.dirty):
            words = tr("Save the scene first: the lesson names its file, and learners get the two together.")
            window.notifications.warn(Trouble(tr("No lesson begun"), words))
            return False
        stem = path.name.removesuffix(SCENE_SUFFIX)
        shipped = is_shipped(path)
        scene = f"builtin:{stem}" if shipped else path.name
        title = tr("A lesson in {scene}", scene=session.document.scenario.title or stem)[:200]
        self.writing.begin(LessonDraft.new("lesson", title, scene), None, None if shipped else path.parent)
        self.show()
        return True

    def ask_open(self) -> None:
        """Let the teacher choose a lesson of their own to go on with."""
        own = own_lessons(self._window.settings)
        folder = own[0].parent if own else Path.home()
        chosen, _ = QFileDialog.getOpenFileName(self._window, tr("Write on a lesson"), str(folder), _FILTER)
        if chosen:
            self.open(Path(chosen))

    def open(self, path: Path) -> bool:
        """Go on with the lesson of a file; return whether that was done."""
        if not self.may_leave():
            return False
        try:
            self.writing.open(path)
        except SCENE_ERRORS as error:
            self._window.files.show_problems(path, problems_of(error, path.name))
            return False
        self.show()
        return True

    def save(self) -> bool:
        """Save the lesson where it lies, or where the teacher says; return whether that was done."""
        if self.writing.draft is None or not self._ready():
            return False
        path = self.writing.path
        return self.save_as() if path is None else self._write(path)

    def save_as(self) -> bool:
        """Save the lesson under a name that the teacher chooses; return whether that was done."""
        writing, window = self.writing, self._window
        if writing.draft is None or not self._ready():
            return False
        folder = writing.folder if writing.names_files or writing.path is not None else None
        if folder is None or folder.resolve() in {each.parent.resolve() for each in shipped_lessons()}:
            folder = Path.home()  # nobody looks for files of theirs in the folder of the program
        path = path_to_save(
            window, tr("Save the lesson"), folder / writing.name, _FILTER, SUFFIX, own=writing.path
        )
        return path is not None and self._write(path)

    def may_leave(self) -> bool:
        """Return whether the lesson may be closed: ask what shall become of what is not saved."""
        writing = self.writing
        if writing.draft is None:
            return True
        self._dock.commit()
        if not writing.dirty or not self._window.editing.file.asks:
            return True
        box = QMessageBox(self._window)
        box.setObjectName("unsaved_lesson")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Not saved"))
        box.setText(tr("Save the changes of the lesson {title}?", title=writing.lesson.title))
        make_plain(box)
        button = QMessageBox.StandardButton
        box.setStandardButtons(button.Save | button.Discard | button.Cancel)
        box.setDefaultButton(button.Save)
        answer = box.exec()
        return bool(answer == button.Discard or (answer == button.Save and self.save()))

    def leave(self) -> None:
        """Close the lesson."""
        if self.may_leave():
            self.recorder.cancel()
            self.writing.close()

    def close(self) -> None:
        """End what works in the background, with the window."""
        self.recorder.cancel()
        self._put_aside()

    # -- its hall ----

    def open_hall(self, *, after: bool = True) -> bool:
        """Open the hall as the step in hand leaves it, or finds it; return whether that was done."""
        if self.writing.draft is None or not self._ready():
            return False
        window = self._window
        window.files.keep_picture()
        try:
            opened = self.recorder.open_hall(self._dock.hall_place, after=after)
        except SCENE_ERRORS as error:
            self._warn(tr("The hall of the lesson cannot be opened"), error)
            return False
        if opened:
            assert window.session.path is not None
            window.files.opened.emit(window.session.path)
            self.show()
        return opened

    def _record(self, _goal: str) -> None:
        """Begin to record, if the hall stands as the step finds it; else offer to open it."""
        dock, window = self._dock, self._window
        after = dock.recorded_after
        try:
            reason = self.recorder.why_not(dock.hall_place, after=after)
        except (*SCENE_ERRORS, ValueError) as error:
            self._warn(tr("Not recorded"), error)
            return
        if not reason:
            self.recorder.start()
            window.show_hall()
            return
        window.notifications.ask(
            Trouble(tr("Open the hall of the step first"), reason),
            {tr("Open it"): lambda: self.open_hall(after=after), tr("Not now"): lambda: None},
        )

    def _warn(self, title: str, error: ValueError | LookupError) -> None:
        problem = problems_of(error, self.writing.name)[0]
        words = ": ".join(each for each in (problem.key, problem.reason) if each)
        self._window.notifications.warn(Trouble(title, words))

    def _on_selection(self, _selection: object) -> None:
        form = self._dock.form
        if form is not None and form.conditions is not None and form.conditions.proposals:
            self._proposing.start()

    def propose(self) -> None:
        """Offer conditions of the run for the step in hand: of the site, and of what is selected."""
        form, step = self._dock.form, self.writing.step
        if form is None or form.conditions is None or step is None:
            return
        try:
            fits = self.recorder.fits(self.writing.place)
        except SCENE_ERRORS as error:
            self._warn(tr("No conditions"), error)
            return
        since_s = step.begins_s or 0.0
        found = self.recorder.proposed(since_s, step.ends_s, self._things()) if fits else []
        form.conditions.offer(found)
        if not found:
            self._window.tell(tr("The hall of the step is not open, or has not run: nothing to propose"))

    def _things(self) -> list[tuple[str, str]]:
        """Return kind and id of what is selected, or in the inspector."""
        window, plant = self._window, self._window.session.plant
        if plant is None:
            return []
        names = list(dict.fromkeys((*window.hall.state.selection, window.going.thing or "")))
        things: list[tuple[str, str]] = []
        for name in filter(None, names):
            known = find(plant, name)
            things.append((known[0] if known is not None else "job", name))
        return things[:4]

    # -- trying and checking ----

    def try_it(self) -> None:
        """Let the teacher do the lesson as it stands; nothing of that is kept."""
        window = self._window
        if self.writing.draft is None or not self._ready() or not window.editing.file.may_leave():
            return
        self.recorder.cancel()
        try:
            attempt = Attempt(self.writing.file(), person_of(window.settings) or _TRIAL)
            if self.writing.place > 0:
                attempt.go(self.writing.place)
            window.docks.lesson.runner.take(attempt)
        except SCENE_ERRORS as error:
            self._warn(tr("The lesson cannot be tried"), error)

    def check(self) -> None:
        """Try each step in the background, and show what is wrong."""
        writing = self.writing
        if writing.draft is None or not self._ready() or not self._free():
            return
        self._dock.say_check(tr("The lesson is checked\N{HORIZONTAL ELLIPSIS}"))
        self._begin(
            Aside(
                problems_aside,
                writing.draft.text,
                writing.name,
                writing.folder,
                name="twin-lesson",
                alone=True,
            ),
            partial(self._dock.show_problems, writing.draft),
            tr("The lesson cannot be checked"),
        )

    # -- pages ----

    def save_page(self, *, key: bool) -> None:
        """Save the handout of the lesson that is written or open, or its answer key, as a page to print."""
        window, attempt = self._window, self._window.docks.lesson.runner.attempt
        if self.writing.draft is not None:
            if not self._ready():
                return
            text, name, folder = self.writing.draft.text, self.writing.name, self.writing.folder
        elif attempt is not None:
            file = attempt.file
            text, name, folder = file.text, f"{file.id}{SUFFIX}", file.folder
        else:
            window.tell(tr("Open or write a lesson first"))
            return
        kind = "answer-key" if key else "handout"
        title = tr("Save the answer key") if key else tr("Save the handout")
        path = self._page_path(title, f"{name.removesuffix(SUFFIX)}-{kind}.html", folder)
        if path is not None and self._free():
            window.tell(tr("The page is made: the lesson is run\N{HORIZONTAL ELLIPSIS}"))
            aside: Aside[str] = Aside(page_aside, text, name, folder, key, name="twin-page", alone=True)
            self._begin(aside, partial(self._save_page, path), tr("The page cannot be made"))

    def class_report(self) -> None:
        """Run the results of a class again, and save the report on it as a page."""
        window = self._window
        chosen = QFileDialog.getExistingDirectory(
            window, tr("Folder with the results of a class"), str(Path.home())
        )
        if not chosen:
            return
        path = self._page_path(tr("Save the class report"), "class.html", Path(chosen))
        if path is not None and self._free():
            window.tell(tr("The results of the class are run again\N{HORIZONTAL ELLIPSIS}"))
            aside: Aside[str] = Aside(class_aside, Path(chosen), name="twin-class", alone=True)
            self._begin(aside, partial(self._save_page, path), tr("No class report"))

    def _page_path(self, title: str, name: str, folder: Path | None) -> Path | None:
        return path_to_save(self._window, title, (folder or Path.home()) / name, _PAGES, ".html")

    def _save_page(self, path: Path, page: object) -> None:
        notifications = self._window.notifications
        try:
            write_whole(path, str(page).encode())
        except OSError as error:
            notifications.warn(Trouble(tr("Page not saved"), f"{path}: {error.strerror or error}"))
            return
        show = partial(QDesktopServices.openUrl, QUrl.fromLocalFile(str(path)))
        notifications.ask(Trouble(tr("Saved"), str(path)), {tr("Open"): show, tr("Good"): lambda: None})

    # -- within ----

    def _ready(self) -> bool:
        """Return whether nothing stands refused in the form, and enter what was typed."""
        if self._dock.commit():
            return True
        self._window.tell(tr("Put right first what is marked in the form"))
        return False

    def _write(self, path: Path) -> bool:
        window = self._window
        try:
            assert self.writing.draft is not None
            lesson_from(self.writing.draft.text, path.name, path.parent)
            copied = copy_beside(self.writing.file(), path.parent)
            self.writing.save(path)
        except FileExistsError as error:
            words = tr(
                "Another file {path} is there, and the lesson needs one of that name beside it.",
                path=error.filename,
            )
            window.notifications.warn(Trouble(tr("Lesson not saved"), words))
            return False
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            window.notifications.warn(Trouble(tr("Lesson not saved"), f"{path}: {reason}"))
            return False
        remember_lesson(window.settings, path)
        if copied:
            window.tell(tr("Saved: {path}, and beside it {files}", path=path, files=", ".join(copied)))
        else:
            window.tell(tr("Saved: {path}", path=path))
        return True

    def _free(self) -> bool:
        """Return whether no other work goes on in the background."""
        if self._aside is not None:
            self._window.tell(tr("Another check or page is being made: wait for it"))
        return self._aside is None

    def _begin(self, aside: Aside[Any], take: Callable[[object], None], failed: str) -> None:
        self._aside, self._take, self._failed = aside, take, failed
        self._timer.start()

    def _listen(self) -> None:
        aside = self._aside
        if aside is None:
            self._timer.stop()
            return
        for word in aside.words():
            if isinstance(word, RunProgress):
                words = tr(
                    "In work: {done:.0f} of {of:.0f} done\N{HORIZONTAL ELLIPSIS}", done=word.done, of=word.of
                )
                if self._dock.problems.isVisible():
                    self._dock.problems.say(words)
                self._window.tell(words)
            elif isinstance(word, ProcessFailed):
                self._put_aside()
                self._dock.problems.say("")
                self._window.notifications.warn(
                    Trouble(self._failed, word.why.partition(": ")[2] or word.why)
                )
            else:
                take = self._take
                self._put_aside()
                take(word)

    def _put_aside(self) -> None:
        self._timer.stop()
        aside, self._aside = self._aside, None
        if aside is not None:
            aside.close()
