"""A drill in the session: its hall with what is hidden, what is done, and its score afterwards. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.rerun import asked_of
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.session.veil import Veil
from twin.app.toolkit.problem_notice import Trouble
from twin.commands.edit.draft import Draft
from twin.language import tr
from twin.lessons.drill import OperatorDrill
from twin.lessons.drill_acts import may_edit, no_edit, why_not, without_refused
from twin.lessons.drill_comment import DrillMoment, told
from twin.lessons.drill_run import Ranking, ranked_aside
from twin.lessons.drill_sight import seen_of
from twin.lessons.step_hall import Act
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario import Change

TICK_MS = 100
_STILL_WALL_S = 0.4
"""A run that stands at the same time for so long has stopped."""
_PATIENCE_WALL_S = 20.0
_CLOSE_S = 1.0
"""The record reaches as far as the run when it ends no more than so long before it [s]."""


@dataclass(frozen=True)
class DrillEnd:
    """What is known of a drill that is over.

    Parameters
    ----------
    drill
        The drill.
    acts, until_s
        What was done, and how far it went [s].
    moments
        What happened, now told.
    run_file
        Its record.
    """

    drill: OperatorDrill
    acts: tuple[Act, ...]
    until_s: float
    moments: tuple[DrillMoment, ...]
    run_file: Path


class DrillHall:
    """Lets one drill after another happen in a session.

    Attributes
    ----------
    drill
        That goes on; None: none does.
    end
        Of the last one that is over; None: there was none, or another scene was opened.
    ranking
        Its score; None: it is being worked out.
    """

    began = Signal()
    ended = Signal()  # `end` is known
    progressed = Signal(float, float)  # runs done, of how many, for the score
    ranked = Signal()  # `ranking` is known
    left = Signal()  # another scene was opened
    failed = Signal(object)  # Trouble

    def __init__(self, session: Session, parent: QObject) -> None:
        self._session = session
        self._editor: Editor | None = None
        self.drill: OperatorDrill | None = None
        self.end: DrillEnd | None = None
        self.ranking: Ranking | None = None
        self._opening = False
        self._aside: Aside[Ranking] | None = None
        self._still = (-1.0, 0.0, 0.0)  # time of the run, since when it stands, when the end was asked for
        self._timer = QTimer(parent, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        session.opened.connect(lambda _: self._on_opened())
        session.ended.connect(lambda _: self.finish())

    @property
    def is_on(self) -> bool:
        """Return whether a drill goes on."""
        return self.drill is not None

    @property
    def ending(self) -> bool:
        """Return whether it is being ended: the record is not whole yet."""
        return self.drill is not None and self._timer.isActive()

    def attach(self, editor: Editor) -> None:
        """Take who does edits: of these a drill refuses most."""
        self._editor = editor

    def begin(self, drill: OperatorDrill, path: Path) -> None:
        """Open the hall of a drill at its beginning; what is hidden happens in its run alone.

        Raises
        ------
        PlantError, CatalogError, UnknownPart
            When no hall can be made of it; what is open stays.
        """
        session, before = self._session, self._session.veil
        draft = Draft(drill.document)
        session.veil = Veil(draft, drill.hiding, seen_of)
        self._opening = True
        try:
            session.work_on(draft, path)
        except ValueError:
            session.veil = before
            raise
        finally:
            self._opening = False
        self._forget()
        self.drill = drill
        self._permit(only_operators=True)
        self.began.emit()

    def finish(self) -> None:
        """End the drill where its run stands: what was hidden is shown, and the score worked out."""
        if self.drill is not None and not self._timer.isActive():
            self._session.halt()
            self._still = (-1.0, 0.0, monotonic())
            self._timer.start()

    def stop(self) -> None:
        """Have nothing to do with the session any more."""
        self._forget()
        self._session.veil = Veil()
        self._permit(only_operators=False)

    def _forget(self) -> None:
        """End what works for the score of the last drill, and know of none."""
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
        self._aside = self.drill = self.end = self.ranking = None

    def _permit(self, *, only_operators: bool) -> None:
        nothing_against: str = ""
        self._session.permit = why_not if only_operators else lambda act: nothing_against
        if self._editor is not None:
            self._editor.permit = _no_change if only_operators else lambda changes: nothing_against

    def _on_opened(self) -> None:
        if self._opening:
            return
        known = self.drill is not None or self.end is not None
        if known and not (self.end is not None and self._session.recording == self.end.run_file):
            self.stop()
            self.left.emit()

    def _tick(self) -> None:
        if self.drill is not None:
            self._look_whether_it_stands(self.drill)
        elif self._aside is not None:
            self._listen(self._aside)
        else:
            self._timer.stop()

    def _look_whether_it_stands(self, drill: OperatorDrill) -> None:
        session, wall_s = self._session, monotonic()
        t_s, since_s, asked_s = self._still
        if session.t_s != t_s:
            self._still = (session.t_s, wall_s, asked_s)
            return
        path, late = session.client.run_file, wall_s - asked_s > _PATIENCE_WALL_S
        if path is None and late:
            self._give_up(tr("its run was not recorded"))
        if wall_s - since_s < _STILL_WALL_S or path is None:
            return
        try:
            with Reader(path) as reader:
                if reader.t_end_s < session.t_s - _CLOSE_S and not late:
                    return
                until_s = min(session.t_s, reader.t_end_s, drill.length_s)
                events = reader.all_events()
                acts = without_refused((asked.done for asked in asked_of(reader)), events)
                moments = told(drill, events, acts, until_s, session.plant)
        except RunFileError as error:
            self._give_up(str(error))
            return
        self._reveal(DrillEnd(drill, acts, until_s, moments, path))

    def _reveal(self, end: DrillEnd) -> None:
        """Show the record with what was hidden, and let another process work out the score."""
        session = self._session
        self.drill, self.end = None, end
        session.veil = Veil()
        self._permit(only_operators=False)
        self._opening = True
        try:
            session.open_recording(end.run_file)
        except ValueError as error:
            self.failed.emit(Trouble(tr("The record of the drill cannot be shown"), str(error)))
        finally:
            self._opening = False
        self.ended.emit()
        self._aside = Aside(ranked_aside, end.drill, end.acts, end.until_s, name="twin-drill", alone=True)

    def _listen(self, aside: Aside[Ranking]) -> None:
        for word in aside.words():
            if isinstance(word, RunProgress):
                self.progressed.emit(word.done, word.of)
            elif isinstance(word, ProcessFailed):
                self._put_aside(aside)
                self.failed.emit(Trouble(tr("The drill cannot be scored"), word.why))
            else:
                self._put_aside(aside)
                self.ranking = word
                self.ranked.emit()

    def _put_aside(self, aside: Aside[Ranking]) -> None:
        self._timer.stop()
        aside.close()
        self._aside = None

    def _give_up(self, why: str) -> None:
        veil = self._session.veil
        self.stop()
        self._session.veil = veil  # the hall stays that of the drill, which is never saved as the scene
        self.failed.emit(Trouble(tr("The drill cannot be scored"), why))
        self.left.emit()


def _no_change(changes: Sequence[Change]) -> str:
    refused = next((change.path for change in changes if not may_edit(change.path)), None)
    return "" if refused is None else no_edit(refused)
