"""All that edits the scene, put together for the main window: the editor, the scene's file, what a crash left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMainWindow

from twin.app.files.files import Files
from twin.app.files.recovery import RecoveredWork, discard, left_behind
from twin.app.files.scene_file import SceneFile
from twin.app.session.acts_by_hand import ActByHand
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.notifications import Notifications
from twin.app.toolkit.problem_notice import CANNOT_START, Trouble
from twin.app.toolkit.settings import UserSettings
from twin.commands.edit.command import EditedScene
from twin.commands.edit.draft import lowered
from twin.commands.edit.draft_steps import Proposal
from twin.commands.wiring.auto_wire import AutoWire, wired
from twin.language import tr
from twin.units import spoken

BEFORE_S = 1.0
"""So long before something happened one looks at what was then [s]."""
SLOW_MS = 300
"""An edit that waits longer for its answer is said to wait."""
_NOT_SAVED = tr("Not saved")
_OVER, _REFUSED = tr("The run has finished"), tr("Change refused")
_FROM_START = tr("Back to the start and edit")
MOST_OFFERED = 3
"""So much left work is offered at once, the newest; what is older waits for the next start."""


class Editing:
    """The editor of a window and what goes with it.

    Attributes
    ----------
    editor
        Does and undoes commands.
    file
        Saves them.
    """

    titled = Signal(str, str, bool)  # what undo and redo would do; whether something is not saved

    def __init__(
        self,
        session: Session,
        files: Files,
        settings: UserSettings,
        window: QMainWindow,
        notifications: Notifications,
        show: Callable[[str], None],
    ) -> None:
        self._session, self._notifications, self._show = session, notifications, show
        self.editor = Editor(session)
        self.file = SceneFile(session, self.editor, files, settings, window, notifications.tell)
        self.file.saved.connect(self._on_saved)
        self.file.not_saved.connect(self._on_not_saved)
        self.editor.refused.connect(self._on_refused)
        self.editor.done.connect(show)
        self.editor.changed.connect(self.tell)
        self.editor.foreseen.connect(self._on_foreseen)
        self.editor.acts.lasting.connect(self._on_lasting)
        self.editor.over.connect(self._on_over)
        session.run_started.connect(lambda: notifications.withdraw(_OVER, _REFUSED))
        session.cannot_begin.connect(lambda why: None if why else notifications.withdraw(CANNOT_START))
        session.opened.connect(lambda _: notifications.withdraw(_OVER, _REFUSED, CANNOT_START))
        self._asked = ""  # title of what is shown and was asked for last
        self._offered: set[Path] = set()  # journals that nobody has decided about
        self._otherwise: Callable[[], object] | None = None
        self._slow = QTimer(window)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(self._tell_waiting)

    def toggle_lock(self) -> None:
        """Lock the scene against edits by accident, or unlock it."""
        self.editor.locked = not self.editor.locked
        self._show(tr("The scene is locked") if self.editor.locked else tr("The scene is unlocked"))

    def offer_recovery(self, otherwise: Callable[[], object] | None = None) -> None:
        """Offer to recover unsaved work of earlier sessions.

        What is to be done `otherwise` is done when there is nothing to recover: at once where nothing was left, else
        when all of it was discarded.
        """
        found = left_behind()[:MOST_OFFERED]
        self._offered, self._otherwise = {left.journal for left in found}, otherwise
        for left in reversed(found):
            self.offer(left)
        if not found:
            self._go_on()

    def offer(self, left: RecoveredWork) -> None:
        """Ask whether work that was never saved is to be recovered."""
        title, words = _offered(left)
        words += tr(" The run is paused until you choose.") if self._otherwise is not None else ""
        self._notifications.ask(
            Trouble(title, words),
            {tr("Recover"): partial(self._recover, left), tr("Discard"): partial(self._discard, left)},
        )

    def _recover(self, left: RecoveredWork) -> None:
        if self.file.recover(left):
            self._otherwise = None
        else:
            self.offer(left)  # it is still there

    def _discard(self, left: RecoveredWork) -> None:
        discard(left.journal)
        self._offered.discard(left.journal)
        if not self._offered:
            self._go_on()

    def _go_on(self) -> None:
        otherwise, self._otherwise = self._otherwise, None
        if otherwise is not None:
            otherwise()

    def connect(self) -> None:
        """Connect what can be connected with the equipment there is, and offer to add what is missing."""
        wish, draft = AutoWire(), self.editor.draft
        if draft is None or self.editor.why_not():
            self.editor.do(wish)
            return
        scene = EditedScene.of(draft.shown)
        missing = wish.missing(scene)
        if not missing or len(missing) < len({loose.connection for loose in wired(scene)}):
            self.editor.do(wish)
        if missing:
            add = partial(self.editor.do, AutoWire(add=True))
            words = "\n".join(missing)
            self._notifications.ask(
                Trouble(tr("Equipment is missing"), words),
                {tr("Add what is missing"): add, tr("Not now"): lambda: None},
            )

    def _on_refused(self, title: str, reason: str, from_start: Callable[[], object] | None) -> None:
        """Say why, and offer to do from the start of a new run what the one that runs cannot do."""
        words = f"{title}: {reason}" if title else reason
        self._show(words)
        if from_start is None:
            self._notifications.tell(_REFUSED, words)
        else:
            self._notifications.withdraw(_REFUSED)
            self._notifications.ask(Trouble(_REFUSED, words), {_FROM_START: from_start})

    def _on_lasting(self, act: ActByHand) -> None:
        """Say that what has happened stays, with the way round it."""
        words = tr(
            "It has happened in the run. Look at the moment before it and branch, to go on without it."
        )
        if self.editor.undo_title:
            words += tr(" Undo again: {lowered}.", lowered=lowered(self.editor.undo_title))
        before_s = max(act.done.at_s - BEFORE_S, 0.0)
        look = partial(self._session.replay.look, before_s)
        self._notifications.ask(
            Trouble(tr("Cannot be undone: {lowered}", lowered=lowered(act.title)), words),
            {tr("Look at the moment before"): look},
        )

    def _on_over(self, title: str, from_start: Callable[[], None]) -> None:
        """Offer an edit after the end of a run from its start."""
        self._notifications.withdraw(_OVER)
        words = tr(
            "{title}: done at the start of a new run; the finished one stays recorded. Undo takes it back.",
            title=title,
        )
        self._show(tr("{over}: go back to the start to edit", over=_OVER))
        self._notifications.ask(Trouble(_OVER, words), {_FROM_START: from_start})

    def _on_not_saved(self, reason: str) -> None:
        """Say that the work is not on the disk until somebody has seen it, with the way out."""
        self._on_saved()
        self._notifications.ask(
            Trouble(_NOT_SAVED, reason),
            {tr("Save as\N{HORIZONTAL ELLIPSIS}"): self.file.ask_save_as},
            alarm=True,
        )

    def _on_saved(self, *_path: object) -> None:
        self._notifications.withdraw(_NOT_SAVED)

    def _on_foreseen(self, proposal: Proposal) -> None:
        self._asked = proposal.title
        self._slow.start()

    def _tell_waiting(self) -> None:
        """Say that what is shown is not certain yet; the next words in the status bar are its answer."""
        if self.editor.busy:
            self._show(tr("{asked}: waiting for the simulation", asked=self._asked))

    def tell(self) -> None:
        """Signal which steps undo and redo name, and whether changes are unsaved."""
        draft = self.editor.draft
        if draft is not None:
            self.titled.emit(self.editor.undo_title, self.editor.redo_title, draft.dirty)


def _offered(left: RecoveredWork) -> tuple[str, str]:
    """Return title and sentence of an offer."""
    at = f"{left.at:%H:%M on} {left.at.day} {left.at:%B}"
    if left.run_s:
        so_far = tr(
            "The run of {name} was last written at {at}, when it had reached {run_time}. The program ended some time "
            "after that, without closing it.",
            name=left.name,
            run_time=spoken(left.run_s),
            at=at,
        )
        return tr("Unfinished run found"), so_far
    words = tr("One change of {name}, made at {at}, was never saved.", name=left.name, at=at)
    if left.steps > 1:
        words = tr(
            "{steps:,} changes of {name}, the last at {at}, were never saved.",
            steps=left.steps,
            name=left.name,
            at=at,
        )
    words += tr(" Recover puts them back into the scene; Undo removes them one by one.")
    return tr("Unsaved changes found"), words
