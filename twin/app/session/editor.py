"""The one door for edits: every dock, tool and menu does its commands here, before a run begins and while it lasts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from psygnal import Signal

from twin.app.session.acts_by_hand import ActsByHand
from twin.app.session.session import Session
from twin.commands.edit.command import Command, CommandError
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import Later, Proposal
from twin.language import tr
from twin.scenario import Change, Scenario
from twin.scenario.schema.edit import Edit

NOT_LIVE = tr("the past is on screen: go back to live first")


@dataclass(frozen=True)
class _Wish:
    """An edit of the run on its way; it waits for the answer to the one before."""

    title: str
    propose: Callable[[], Proposal | Later | None]
    undoes: bool = False
    command: Command | None = None


@dataclass(frozen=True)
class _Asked:
    """An edit that the worker was asked for."""

    number: int
    wish: _Wish
    proposal: Proposal | Later
    edit: Edit


class Editor:
    """Does and undoes commands on the open scene.

    Before the run has left t = 0 a command changes the scene at once. Afterwards it is an edit of the run: the hall it
    makes is shown, and the worker answers from when it acts, or why not: then it is taken back. Until then the scene
    and its file are as before, and the next edit waits.

    Parameters
    ----------
    session
        The open scene.
    """

    changed = Signal()  # the scene, its file, or what can be undone
    done = Signal(str)  # title of what was just done or undone
    refused = Signal(str, str, object)  # title, reason, what does it in a new run; None: nothing does
    foreseen = Signal(object)  # Proposal or Later that is shown while it waits for the worker
    dirty_changed = Signal(bool)
    landed = Signal(object)  # Proposal, as it landed: for the journal
    over = Signal(
        str, object
    )  # title, and what does it once the run stands at its start: it has come to its end

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wishes: deque[_Wish] = deque()
        self._asked: _Asked | None = None
        self._was_dirty = False
        self.acts = ActsByHand(session)
        self.acts.changed.connect(self._on_acts)
        self.acts.told.connect(self.done.emit)
        self.locked = False
        # Why an edit may not be done, by the scenes before and after it, and by its changes; "": it may.
        self.guard: Callable[[Scenario, Scenario], str] = lambda before, after: ""
        self.permit: Callable[[Sequence[Change]], str] = lambda changes: ""
        session.edit_applied.connect(self._on_applied)
        session.edit_refused.connect(self._on_refused)
        session.run_started.connect(self._forget)

    @property
    def draft(self) -> Draft | None:
        """Return the scene being worked on; None when none is open."""
        return self._session.draft

    @property
    def shown_draft(self) -> Draft | None:
        """Return the scene to try things on: as it is on screen."""
        session, document = self._session, self._session.document
        later = session.looking_s is not None or session.halls.foreseen is not None
        return Draft(document) if later and document is not None else self.draft

    @property
    def live(self) -> bool:
        """Return whether edits act in the run, instead of changing the scene itself."""
        return self._session.begun

    @property
    def busy(self) -> bool:
        """Return whether an edit waits for the worker."""
        return self._asked is not None or self.acts.busy

    @property
    def undo_title(self) -> str:
        """Return the title of the last act, of the scene or by hand; "" when there is nothing to take back."""
        act, draft = self.acts.last(), self.draft
        return act.title if act is not None else draft.undo_title if draft is not None else ""

    @property
    def redo_title(self) -> str:
        """Return the title of what redo would do again; "" without anything."""
        act, draft = self.acts.next(), self.draft
        return act.title if act is not None else draft.redo_title if draft is not None else ""

    def why_not(self) -> str:
        """Return why nothing can be edited now; "" when it can, after the end of a run from its start."""
        session = self._session
        if reason := self._closed():
            return reason
        if session.looking_s is not None:
            return ""  # it becomes a branch
        if self.live and session.lost:
            return tr("the simulation stopped: resume it first")
        return ""

    def _closed(self) -> str:
        """Return why the scene itself cannot be edited."""
        if self.draft is None:
            return tr("open a scene first")
        return tr("the scene is locked: unlock it in the Edit menu") if self.locked else ""

    def do(self, command: Command, gesture: str = "") -> bool:
        """Do a command; return whether it was done or is on its way. `refused` tells why not.

        Parameters
        ----------
        command
            What to do.
        gesture
            Steps of one gesture, such as a drag, are undone together; each is meant from where the first began.
        """
        draft = self.draft
        reason = self.why_not()
        if draft is None or reason:
            return self._refuse(command.title, reason)
        if self._session.looking_s is not None:
            return self._branch(command, self._session.looking_s)
        if self._is_over(command.title, partial(self.do, command)):
            return False
        if self.live:
            wish = _Wish(
                command.title,
                lambda: draft.propose(command, plant=self._session.halls.of_scene()),
                command=command,
            )
            return self._wish(wish)
        try:
            proposal = draft.propose(command, gesture, self._session.plant)
            self._must_be_free(proposal)
            draft.land(proposal, gesture)
        except CommandError as error:
            return self._refuse(command.title, str(error))
        self._tell(proposal)
        return True

    def do_from_start(self, command: Command) -> bool:
        """Restart the run and do a command there; where it cannot be done `refused` tells why, and the run stays."""
        draft = self.draft
        reason = self._closed()
        if draft is None or reason:
            return self._refuse(command.title, reason)
        try:
            trial = Draft(draft.file)
            proposal = trial.propose(command)
            self._must_be_free(proposal)
            trial.land(proposal)
        except CommandError as error:
            return self._refuse(command.title, str(error))
        self._session.restart()
        return self.do(command)

    def undo(self) -> bool:
        """Take the last act back, of the scene or by hand.

        While the run stands where that act left it, or has not come to it, the act goes out of run and file, as if it
        had never been asked for. What the run has done since stays: then an edit does the opposite.
        """
        return self._go(back=True)

    def redo(self) -> bool:
        """Do again the step taken back last."""
        return self._go(back=False)

    def take_out(self, id: str) -> bool:
        """Take an edit out of the scene, and of its run, whose time is still ahead there."""
        draft = self.draft
        title = tr("Remove an edit")
        reason = NOT_LIVE if self._session.looking_s is not None else self.why_not()
        if draft is None or reason:
            return self._refuse(title, reason)
        if self.live:
            return self._wish(_Wish(title, lambda: draft.propose_out(id)))
        draft.settle()
        try:
            later = draft.propose_out(id)
        except CommandError as error:
            return self._refuse(title, str(error))
        draft.land_later(later)
        self._tell(None)
        self.done.emit(later.title)
        return True

    def fold(self) -> bool:
        """Make the edits of the run part of the design, and stand at t = 0 of it."""
        draft = self.draft
        if draft is None:
            return False
        if self._session.looking_s is not None:
            return self._refuse(tr("Fold edits into the design"), NOT_LIVE)
        if self.busy:
            return self._refuse(
                tr("Fold edits into the design"), tr("an edit is still waiting for the simulation")
            )
        try:
            draft.fold()
        except CommandError as error:
            return self._refuse(tr("Fold edits into the design"), str(error))
        self._session.restart()
        self._session.rewritten()
        self._tell(None)
        return True

    def mark_saved(self) -> None:
        """Tell all who show it that the file is saved; call after `Draft.mark_saved`."""
        self._look()

    def _go(self, back: bool) -> bool:
        draft = self.draft
        title = tr("Undo") if back else tr("Redo")
        reason = NOT_LIVE if self._session.looking_s is not None else self.why_not()
        if draft is None or reason:
            return self._refuse(title, reason)
        if self._is_over(self.undo_title if back else self.redo_title, self.undo if back else self.redo):
            return False
        if not self.busy and (self.acts.last() if back else self.acts.next()) is not None:
            return self.acts.undo() if back else self.acts.redo()
        if self.live:
            return self._wish(_Wish(title, self._propose_back if back else self._propose_again, undoes=back))
        if not (draft.undo() if back else draft.redo()):
            return False
        self._tell(None)
        step = draft.undone[-1] if back else draft.done[-1]
        self.done.emit(f"{title}: {step.title}")
        return True

    def _is_over(self, title: str, act: Callable[[], object]) -> bool:
        """Offer to go back to the start of a run that has come to its end; return whether it has."""
        session = self._session
        if not (self.live and session.finished):
            return False

        def from_start() -> None:
            session.restart()
            act()

        self.over.emit(title, from_start)
        return True

    def _propose_back(self, opposite: bool = False) -> Proposal | Later | None:
        """Return what takes the last step back; None without one, or where an act by hand came later: it goes back."""
        draft = self.draft
        return None if draft is None or self.acts.undo() else draft.propose_undo(opposite)

    def _propose_again(self, anew: bool = False) -> Proposal | Later | None:
        draft = self.draft
        return None if draft is None or self.acts.redo() else draft.propose_redo(anew)

    def _branch(self, command: Command, at_s: float) -> bool:
        """Offer what is asked of a time that is over as the first thing that is different in a branch."""
        draft = self.shown_draft
        assert draft is not None
        try:
            proposal = draft.propose(command, plant=self._session.plant)
            self._must_be_free(proposal)
            edit = proposal.edit(self._session.draft.fresh_id() if self._session.draft else "edit-1", at_s)
        except CommandError as error:
            return self._refuse(command.title, str(error))
        self._session.branch_wanted.emit(edit)
        return True

    def _wish(self, wish: _Wish) -> bool:
        self._wishes.append(wish)
        self._next()
        return wish in self._wishes or (self._asked is not None and self._asked.wish is wish)

    def _next(self) -> None:
        """Ask the worker for the edit that waits longest, and show the hall it makes."""
        draft = self.draft
        while not self.busy and self._wishes and draft is not None:
            wish = self._wishes.popleft()
            try:
                proposal = wish.propose()
                if proposal is None:
                    continue
                if isinstance(proposal, Later):
                    number = self._session.ask_edit(proposal.edit, out=proposal.out)
                    self._asked = _Asked(number, wish, proposal, proposal.edit)
                    if proposal.after is not None:
                        self._session.halls.foresee_back(proposal.after)
                        self.foreseen.emit(proposal)
                    return
                self._must_be_free(proposal)
                edit = draft.edit(proposal, max(self._session.t_s, draft.t_s))
            except CommandError as error:
                self._refuse_wish(wish, str(error))
                continue
            self._asked = _Asked(self._session.ask_edit(edit), wish, proposal, edit)
            self._session.halls.foresee(proposal.after)
            self.foreseen.emit(proposal)

    def _refuse_wish(
        self, wish: _Wish, reason: str, title: str = "", from_start: Callable[[], object] | None = None
    ) -> None:
        """Tell why; an undo that waits and was meant for it must not take back the step before."""
        self._refuse(title or wish.title, reason, from_start)
        steps = 0  # that wait as well, and are not taken back by one that waits
        for place, later in enumerate(self._wishes if not wish.undoes else ()):
            if later.undoes and not steps:
                del self._wishes[place]
                return
            steps += -1 if later.undoes else 1

    def _must_be_free(self, proposal: Proposal) -> None:
        """Raise CommandError when a step changes something locked; taking a step back always may."""
        reason = self.guard(proposal.before.scenario, proposal.after.scenario)
        reason = reason or self.permit(proposal.changes)
        if reason and not (proposal.undoes or proposal.redoes):
            raise CommandError(reason)

    def _on_applied(self, number: int, t_s: float) -> None:
        draft = self.draft
        asked = self._asked
        if draft is None or asked is None or asked.number != number:
            return
        proposal, self._asked = asked.proposal, None
        if not (proposal.undoes or proposal.redoes):
            self.acts.forget_undone()
        if isinstance(proposal, Later):
            draft.land_later(proposal, t_s)
            if proposal.after is not None:
                self._session.edited()
        else:
            draft.land_edit(proposal, asked.edit.model_copy(update={"at_s": t_s}))
            self._session.edited()
        self._look()
        self.landed.emit(proposal if isinstance(proposal, Proposal) else None)
        self.done.emit(_told(proposal))
        self._next()

    def _on_refused(self, number: int, reason: str) -> None:
        asked = self._asked
        if asked is None or asked.number != number:
            return
        self._asked = None
        self._session.halls.take_back()
        out = isinstance(asked.proposal, Later) and asked.proposal.out
        if out and self.draft is not None and asked.edit.at_s <= self.draft.t_s:
            wish = asked.wish  # its time came first: now it lies behind
            if wish.undoes:
                wish = replace(wish, propose=partial(self._propose_back, opposite=True))
            elif asked.proposal.redoes:
                wish = replace(wish, propose=partial(self._propose_again, anew=True))
            self._wishes.appendleft(wish)
            self._next()
            return
        command = asked.wish.command  # what cannot change in this run can be so from the start of another
        from_start = None if command is None else partial(self.do_from_start, command)
        self._refuse_wish(asked.wish, reason, asked.proposal.title, from_start)
        self._next()

    def _on_acts(self) -> None:
        self.changed.emit()
        self._next()

    def _forget(self) -> None:
        """Another run, or the same from its start: what was asked of the last one is void."""
        asked, self._asked = self._asked, None
        self._wishes.clear()
        self.acts.forget()
        if asked is not None:
            self._refuse(asked.proposal.title, tr("the run was restarted before the edit was applied"))
        if self.draft is not None and not self.live:
            self.draft.settle()
        self._look()

    def _tell(self, proposal: Proposal | None) -> None:
        self._session.rewritten()
        self._look()
        self.landed.emit(proposal)
        if proposal is not None:
            self.done.emit(proposal.title)

    def _look(self) -> None:
        draft = self.draft
        dirty = draft is not None and draft.dirty
        self.changed.emit()
        if dirty != self._was_dirty:
            self._was_dirty = dirty
            self.dirty_changed.emit(dirty)

    def _refuse(self, title: str, reason: str, from_start: Callable[[], object] | None = None) -> bool:
        self.refused.emit(title, reason, from_start)
        return False


def _told(proposal: Proposal | Later) -> str:
    """Return what was done in words, and why a step was not simply taken out again."""
    if isinstance(proposal, Proposal) and proposal.undoes:
        return tr(
            "{title}: the run keeps what it has done, so the opposite edit acts now", title=proposal.title
        )
    return proposal.title
