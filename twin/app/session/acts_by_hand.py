"""What people did to the run by hand, in one order with the edits, so that undo means the last act of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from psygnal import Signal

from twin.app.session.session import Session
from twin.app.toolkit.problem_notice import Trouble
from twin.app.world.nodes_of_thing import nodes_of, places_of
from twin.commands.edit.draft_steps import DraftStep
from twin.language import tr
from twin.record.channels import NodeCondition
from twin.scenario.schema.edit import AT_ONCE_S
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import BREAK
from twin.scenario.schema.faults import Intervention

MOST_ACTS = 500
"""Acts kept to go back."""
_OPPOSITE = {"drain": ("undrain", None), "undrain": ("drain", "end")}
"""Kinds that another takes back, and its value: work that came in between runs to its end."""


@dataclass(frozen=True)
class ActByHand:
    """An intervention that the run has taken.

    Attributes
    ----------
    done
        What was asked for.
    back
        What takes it back once it has happened; (): nothing does.
    after
        The last step of the draft when it was done, or undone; None: there was none.
    """

    done: Intervention
    back: tuple[Intervention, ...]
    after: DraftStep | None = None

    @property
    def title(self) -> str:
        """Return it in words: "Drain rack/3", "Pumps stop: cdu/0"."""
        kind = KINDS[self.done.kind]
        colon = ":" if kind.verb == BREAK else ""
        return f"{kind.title if colon else kind.verb}{colon} {self.done.target}"


class ActsByHand:
    """The acts of one run, to be taken back and done again between the steps of its draft."""

    changed = Signal()
    told = Signal(str)  # what was taken back or done again
    lasting = Signal(object)  # ActByHand that has happened and that nothing takes back

    def __init__(self, session: Session) -> None:
        self._session = session
        self._done: list[ActByHand] = []
        self._undone: list[ActByHand] = []
        self._asked: list[ActByHand] = []  # not answered yet
        self._leaving: list[Intervention] = []  # that are to go out of the run, not answered yet
        self._own = False  # what is asked for now takes back, and is no act of its own
        session.asked.connect(self._on_asked)
        session.broken.connect(self._on_taken)
        session.mended.connect(self._on_withdrawn)
        session.not_withdrawn.connect(self._on_not_withdrawn)
        session.refused.connect(self._on_refused)

    @property
    def busy(self) -> bool:
        """Return whether an act is on its way out of the run."""
        return bool(self._leaving)

    def last(self) -> ActByHand | None:
        """Return the act that undo takes back; None where the last step of the draft came later."""
        return self._done[-1] if self._done and self._done[-1].after is self._top("done") else None

    def next(self) -> ActByHand | None:
        """Return the act that redo does again; None where the step of the draft undone last came later."""
        return self._undone[-1] if self._undone and self._undone[-1].after is self._top("undone") else None

    def forget(self) -> None:
        """Another run, or the same from its start."""
        self._done, self._undone, self._asked, self._leaving = [], [], [], []

    def forget_undone(self) -> None:
        """Something else was done: nothing is done again."""
        self._undone = []

    def undo(self) -> bool:
        """Take the last act back; return whether.

        It goes out of the run while it is ahead, or the run stands where it left it; else the opposite is done.
        """
        act, session = self.last(), self._session
        if act is None:
            return False
        self._done.pop()
        if act.done.at_s < session.t_s - AT_ONCE_S:
            return self._reverse(act)
        if session.looking_s is None:  # else it is offered as a branch, and nobody answers
            self._leaving.append(act.done)
        self._note_undone(act)
        session.intervene(act.done, out=True)
        return True

    def _reverse(self, act: ActByHand) -> bool:
        """Do the opposite of an act that stays in the run; return whether there is one."""
        if not act.back:
            self.lasting.emit(act)
            self.changed.emit()
            return False
        with self._quietly():
            for opposite in act.back:
                self._session.intervene(opposite.model_copy(update={"at_s": self._session.t_s}))
        self._note_undone(act)
        self.told.emit(
            tr("Undo: {title}; the run keeps what it has done, so the opposite acts now", title=act.title)
        )
        return True

    def _note_undone(self, act: ActByHand) -> None:
        self._undone.append(replace(act, after=self._top("undone")))
        self.changed.emit()

    def redo(self) -> bool:
        """Do again what was taken back last; return whether there was anything."""
        act, session = self.next(), self._session
        if act is None:
            return False
        self._undone.pop()
        done = act.done.model_copy(update={"at_s": max(act.done.at_s, session.t_s)})
        with self._quietly():
            session.intervene(done)
        self._done.append(ActByHand(done, act.back, self._top("done")))
        self._tell(tr("Redo: {title}", title=act.title))
        return True

    def _tell(self, words: str) -> None:
        self.changed.emit()
        self.told.emit(words)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        self._own = True
        try:
            yield
        finally:
            self._own = False

    def _top(self, steps: str) -> DraftStep | None:
        draft = self._session.draft
        found: list[DraftStep] = getattr(draft, steps) if draft is not None else []
        return found[-1] if found else None

    def _on_asked(self, intervention: Intervention) -> None:
        if not self._own:
            self._asked.append(ActByHand(intervention, self._opposite(intervention)))

    def _on_taken(self, intervention: Intervention) -> None:
        for act in self._take(intervention):
            self._done.append(replace(act, after=self._top("done")))
            del self._done[:-MOST_ACTS]
            self.forget_undone()
            if self._session.draft is not None:
                self._session.draft.undone.clear()
            self.changed.emit()

    def _on_refused(self, intervention: Intervention, _reason: str) -> None:
        self._take(intervention)
        self._leave(intervention)
        for acts in (self._done, self._undone):  # one that was to be done again
            acts[:] = [act for act in acts if act.done is not intervention]
        self.changed.emit()

    def _on_withdrawn(self, intervention: Intervention) -> None:
        """Forget what somebody took out from the timeline, and tell what undo took out."""
        undone = [act for act in self._undone if act.done is intervention]
        left = any(leaving is intervention for leaving in self._leaving)
        self._done = [act for act in self._done if act.done is not intervention]
        self._leave(intervention)
        self.changed.emit()
        if left and undone:
            self.told.emit(tr("Undo: {title}", title=undone[-1].title))

    def _on_not_withdrawn(self, intervention: Intervention, reason: str) -> None:
        """Reverse an act that the run has left behind by now; another that it keeps was not undone."""
        self._leave(intervention)
        acts = [act for act in self._undone if act.done is intervention]
        self._undone = [act for act in self._undone if act.done is not intervention]
        if acts and intervention.at_s <= self._session.t_s:
            self._reverse(acts[0])
            return
        self._done += [replace(act, after=self._top("done")) for act in acts]
        self._session.trouble.emit(Trouble(tr("Change refused"), reason))
        self.changed.emit()

    def _leave(self, intervention: Intervention) -> None:
        self._leaving = [leaving for leaving in self._leaving if leaving is not intervention]

    def _take(self, intervention: Intervention) -> list[ActByHand]:
        found = [act for act in self._asked if act.done is intervention]
        self._asked = [act for act in self._asked if act.done is not intervention]
        return found

    def _opposite(self, done: Intervention) -> tuple[Intervention, ...]:
        """Return what takes an intervention back: of nodes drained before only what it changes."""
        plant, frame = self._session.plant, self._session.frame
        if done.kind not in _OPPOSITE or plant is None:
            return ()
        kind, value = _OPPOSITE[done.kind]
        nodes, targets = nodes_of(plant, done.target), [done.target]
        if frame is not None and frame.layout.epoch == plant.epoch:
            drained = frame.values["node.condition"][nodes] == NodeCondition.DRAINED
            changed = drained if done.kind == "undrain" else ~drained
            if not changed.all():
                targets = places_of(plant, nodes[changed])
        return tuple(Intervention(at=done.at_s, kind=kind, target=target, value=value) for target in targets)
