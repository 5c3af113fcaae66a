"""What leads to a drill and out of it; what may be done in the window meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from twin.app.files.scene_list import own_scenes, own_title, shipped_scenes, title_of
from twin.app.session.scene_errors import SCENE_ERRORS, problems_of
from twin.app.teach.drill_dialog import DrillDialog, DrillWish
from twin.app.teach.drill_hall import DrillEnd
from twin.app.teach.person_dialog import person_of
from twin.app.toolkit.plain_text import make_plain
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.lessons.drill import DrillError, drill_of
from twin.lessons.drill_comment import DrillMoment
from twin.lessons.drill_result import SUFFIX, DrillResult, write_drill
from twin.scenario import load

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi

_FILTER = tr("Results of drills (*{suffix})", suffix=SUFFIX)
_MOST_OWN = 8
CLOSED = ("why", "branches")
"""Docks that tell causes from the record: closed in a drill."""
_KEPT_FROM = {
    "run.step": tr("it would stop at what is hidden"),
    "run.restart": tr("a drill is not begun again: end it first"),
    "run.next_seed": tr("a drill is not begun again: end it first"),
    "run.branch": tr("nobody knows in a drill what would have been"),
    "run.compare": tr("the record of a drill is closed until it ends"),
    "run.compare_designs": tr("it would show the hall without its faults"),
    "run.incident": tr("causes are told when the drill is over"),
    "run.incidents": tr("causes are told when the drill is over"),
    "file.report": tr("the record of a drill is closed until it ends"),
    "file.video": tr("the record of a drill is closed until it ends"),
    "file.save": tr("the hall of a drill is not saved; its result is, at the end"),
    "file.save_as": tr("the hall of a drill is not saved; its result is, at the end"),
    "file.reload": tr("a drill is not begun again: end it first"),
    "edit.fold": tr("an operator does not redesign the hall in a drill"),
    "edit.wire": tr("an operator does not redesign the hall in a drill"),
    "edit.wire_new": tr("an operator does not redesign the hall in a drill"),
    "edit.wire_adding": tr("an operator does not redesign the hall in a drill"),
    "edit.room": tr("an operator does not redesign the hall in a drill"),
    "edit.parts": tr("an operator does not redesign the hall in a drill"),
}
"""Actions that are not to be had in a drill, and why."""
_RANDOM = "faults."


class DrillActions:
    """Starts drills, follows them in the window, and keeps their results.

    Parameters
    ----------
    window
        Of which docks, hall, session and files are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window, self._dock = window, window.docks.drill
        self.hall = self._dock.hall
        self.dialog: DrillDialog | None = None
        self._saved: DrillEnd | None = None
        window.editing.file.gives_up = self.may_leave
        self.hall.attach(window.editing.editor)
        self.hall.began.connect(self._on_began)
        self.hall.ended.connect(self._on_over)
        self.hall.left.connect(self._on_over)
        self.hall.failed.connect(window.notifications.warn)
        self._dock.start_wanted.connect(self.choose)
        self._dock.save_wanted.connect(self.save)
        self._dock.moment_chosen.connect(self._on_moment)
        window.docks.alarms.pointed.connect(self._dock.show_alarm)

    def choose(self) -> None:
        """Ask which drill; of one that goes on, nothing is asked."""
        window = self._window
        if self._goes_on():
            return
        if self.dialog is not None:
            if self.dialog.isVisible():
                self.dialog.raise_()
                self.dialog.activateWindow()
                return
            self.dialog.deleteLater()
        own = [path for path in own_scenes(window.settings.recent) if path.is_file()][:_MOST_OWN]
        scenes = [(path, own_title(path)) for path in own] + [
            (path, title_of(path)) for path in shipped_scenes()
        ]
        self.dialog = DrillDialog(window.look, scenes, window.session.path, window)
        self.dialog.wanted.connect(self.begin)
        self.dialog.show()

    def begin(self, wish: DrillWish) -> bool:
        """Start a drill; return whether it has begun."""
        window = self._window
        if self._goes_on() or not window.editing.file.may_leave():
            return False
        window.files.keep_picture()
        try:
            drill = drill_of(load(wish.path), wish.level, wish.seed, wish.length_s)
            self.hall.begin(drill, wish.path)
        except DrillError as error:
            window.notifications.warn(Trouble(tr("No drill"), str(error)))
        except SCENE_ERRORS as error:
            problem = problems_of(error, wish.path.name)[0]
            window.notifications.warn(Trouble(tr("No drill"), f"{wish.path.name}: {problem.reason}"))
        else:
            return True
        return False

    def finish(self) -> None:
        """End the drill that goes on."""
        if self.hall.is_on:
            self.hall.finish()
        else:
            self._window.tell(tr("No drill goes on"))

    def save(self) -> bool:
        """Keep the result of the last drill as a file; return whether it is kept."""
        end, window = self.hall.end, self._window
        if end is None:
            window.tell(tr("No drill is over: there is no result to save"))
            return False
        person = person_of(window.settings) or window.lessons.ask_person()
        if not person:
            return False
        name = Path(end.drill.scene.removeprefix("builtin:")).name.removesuffix(".twin.yaml")
        file = f"{name}-{end.drill.level}-{end.drill.seed}--{person}{SUFFIX}".replace("/", "-")
        chosen, _ = QFileDialog.getSaveFileName(
            window, tr("Save the result"), str(Path.home() / file), _FILTER
        )
        return bool(chosen) and self.save_to(Path(chosen if chosen.endswith(SUFFIX) else f"{chosen}{SUFFIX}"))

    def save_to(self, path: Path) -> bool:
        """Write the result of the last drill; return whether it is written."""
        end, window = self.hall.end, self._window
        assert end is not None
        person = person_of(window.settings) or "anonymous"
        try:
            write_drill(DrillResult.of(end.drill, end.acts, end.until_s, person), path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            window.notifications.warn(Trouble(tr("Result not saved"), f"{path}: {reason}"))
            return False
        self._saved = end
        window.tell(tr("Saved: {path}", path=path))
        return True

    def may_leave(self) -> bool:
        """Return whether the hall may be left: ask about a drill that goes on, or a result that is not saved."""
        if self.hall.is_on:
            text = tr("A drill goes on. Leave it? What you did in it is lost.")
            return self._asked(text, QMessageBox.StandardButton.Discard) is not None
        if self.hall.end is None or self.hall.end is self._saved:
            return True
        button = QMessageBox.StandardButton
        answer = self._asked(tr("Save the result of the drill?"), button.Save | button.Discard)
        return answer == button.Discard or (answer == button.Save and self.save())

    def _asked(self, text: str, buttons: QMessageBox.StandardButton) -> QMessageBox.StandardButton | None:
        """Return what a person answers; None: they stay."""
        box, button = QMessageBox(self._window), QMessageBox.StandardButton
        box.setObjectName("leaves_drill")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Drill"))
        box.setText(text)
        make_plain(box)
        box.setStandardButtons(buttons | button.Cancel)
        box.setDefaultButton(button.Save if button.Save in buttons else button.Cancel)
        answer = button(box.exec())
        return None if answer == button.Cancel else answer

    def _goes_on(self) -> bool:
        """Return whether a drill goes on, and say so."""
        if self.hall.is_on:
            self._window.tell(tr("A drill goes on: end it first"))
        return self.hall.is_on

    def close(self) -> None:
        """End what works for the score, with the window."""
        self.hall.stop()

    def why_not(self, action_id: str) -> str:
        """Return why an action is not to be had in a drill, "" when it is."""
        reason = _KEPT_FROM.get(action_id, "")
        if action_id.startswith(_RANDOM):
            reason = tr("faults come by themselves in a drill")
        return tr("In a drill: {reason}", reason=reason) if reason else ""

    def _on_began(self) -> None:
        window = self._window
        assert window.session.path is not None
        window.files.opened.emit(window.session.path)
        window.menus.forbid(self.why_not)
        docks = window.docks
        docks.enter("run")
        for name in CLOSED:
            docks.dock(name).close()
        docks.show("alarms")
        docks.show("drill")
        window.session.play()

    def _on_over(self) -> None:
        self._window.menus.forbid(None)
        if self.hall.end is not None:
            self._window.docks.show("drill")

    def _on_moment(self, moment: DrillMoment) -> None:
        """Show the hall as it stood at a moment of the record."""
        window = self._window
        if self.hall.end is None or window.session.recording is None:
            return
        window.session.replay.look(moment.t_s)
        if moment.thing and window.session.plant is not None:
            window.going.to(moment.thing)
