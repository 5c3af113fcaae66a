"""The scene being edited: its file, its present state, and the steps of undo and redo.

An edit lands in exactly one place. Before the run has left t = 0 it changes the text of the scene itself. Afterwards
that text is frozen: the edit is appended under `edits` with the time at which it acts, and so is its undoing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.edit.draft_steps import DraftStep, Later, Proposal, edit_patch, edit_text
from twin.commands.edit.rebase_edits import followed, in_the_way
from twin.commands.edit.split_tables import apart
from twin.language import tr
from twin.plant.tables import Plant
from twin.scenario import Change, Document, Patch, ScenarioError
from twin.scenario.file.apply_edits import in_order
from twin.scenario.file.load import document_from
from twin.scenario.file.patch_text import edit as spliced
from twin.scenario.file.scene_at import effective
from twin.scenario.schema.edit import AT_ONCE_S, Edit
from twin.scenario.text.patch import digest

MOST_STEPS = 500
"""Steps kept to go back; a step holds two texts of the scene at most."""


class Draft:
    """A scene being edited.

    Parameters
    ----------
    file
        As it was loaded.

    Attributes
    ----------
    file
        What saving writes.
    shown
        The scene as it stands at `t_s`: the file with the edits up to then.
    t_s
        Time of the run up to which edits have acted; 0 before it has begun.
    """

    def __init__(self, file: Document) -> None:
        self.file = file
        self.t_s = 0.0
        self.shown = effective(file, self.t_s)
        self.done: list[DraftStep] = []
        self.undone: list[DraftStep] = []
        self._written: list[DraftStep] = []  # see `written`
        self._saved_text = file.text
        self._begun: Proposal | None = None

    # -- what is there ----

    @property
    def dirty(self) -> bool:
        """Return whether the file has unsaved changes."""
        return self.file.text != self._saved_text

    @property
    def saved_text(self) -> str:
        """Return the text of the file on disk; "" when the file on disk differs."""
        return self._saved_text

    @property
    def undo_title(self) -> str:
        """Return the title of the step that undo would take back; "" without one."""
        return self.done[-1].title if self.done else ""

    @property
    def redo_title(self) -> str:
        """Return the title of the step that redo would make; "" without one."""
        return self.undone[-1].title if self.undone else ""

    @property
    def written(self) -> Sequence[DraftStep]:
        """Return all steps that made the file; one that was undone while the run went on is two steps here."""
        return self._written

    def mark_saved(self, file: Document | None = None) -> None:
        """Mark the file as saved, perhaps under another name (`file`)."""
        if file is not None:
            own = self.file is self.shown
            self.file = file
            self.shown = file if own else self.shown
            self._begun = None
        self._saved_text = self.file.text

    def reread(self) -> Document:
        """Return the file with the own parts and models that lie beside it now; raises `ScenarioError`."""
        return document_from(self.file.files)

    def take_parts_of(self, file: Document) -> None:
        """Go on with the same text and other own parts, at the beginning of a run."""
        self.file, self.t_s, self._begun = file, 0.0, None
        self.shown = effective(file, 0.0)

    def mark_lost(self, on_disk: str = "") -> None:
        """Mark the file on disk as different; `on_disk`: the text that the draft began with."""
        self._saved_text = on_disk

    def take_up(self, done: list[DraftStep], undone: list[DraftStep], written: list[DraftStep]) -> None:
        """Adopt the steps by which another draft has made the same file."""
        self.done, self.undone, self._written = done[-MOST_STEPS:], undone[:], written[-MOST_STEPS:]

    # -- proposing ----

    def propose(self, command: Command, gesture: str = "", plant: Plant | None = None) -> Proposal:
        """Return the proposal that a command makes for the present scene.

        Parameters
        ----------
        command
            What to do.
        gesture
            Name of a step in several parts, such as a drag: the command applies to the scene before its first part.
        plant
            Of the scene as it stands, when it is known.

        Raises
        ------
        CommandError
            When it cannot be done.
        """
        document = self.shown
        if self._continues(gesture):
            begun = self._begun
            document, plant = (
                (begun.before, begun.plant) if begun is not None else (self._without_last(), None)
            )
        scene = EditedScene.of(document, plant)
        patch = command.patch(scene)
        return replace(self._fitting(document, patch, patch.title or command.title), plant=scene.plant)

    def propose_undo(self, opposite: bool = False) -> Proposal | Later | None:
        """Return the proposal that undoes the last step; None without one.

        An edit at whose time the run stands goes out of the run, unless an `opposite` edit is wanted.
        """
        if not self.done:
            return None
        step, title = self.done[-1], tr("Undo {lowered}", lowered=lowered(self.done[-1].title))
        here = step.edit is not None and step.edit.at_s == self.t_s and not (step.out or opposite)
        if step.edit is not None and (here or step.edit.at_s > self.t_s):
            later = self._later(step.edit, not step.out, step.out_of_file, title)
            return replace(later, undoes=True)
        changes = step.inverse
        if step.edit is not None and step.out:  # its time is over: what it would have done is done now
            changes = tuple(Change(change.path, change.value) for change in step.edit.changes)
        return replace(self._fitting(self.shown, Patch(changes), title), undoes=True)

    def propose_redo(self, anew: bool = False) -> Proposal | Later | None:
        """Return the proposal that redoes the step undone last; None without one.

        An opposite edit that undid it goes out of the run while that stands there, unless it is wanted `anew`.
        """
        if not self.undone:
            return None
        step, opposite = self.undone[-1], self._opposite()
        if opposite is not None and opposite.edit is not None and not anew:
            return replace(self._later(opposite.edit, True, opposite.out_of_file, step.title), redoes=True)
        ahead_s = 0.0 if step.edit is None else step.edit.at_s - self.t_s
        if step.edit is not None and ahead_s > (0.0 if step.out else AT_ONCE_S):
            return replace(self._later(step.edit, step.out, step.in_file, step.title), redoes=True)
        if step.out:
            raise CommandError(tr("“{title}” is in the past", title=step.title), tr("edit the present scene"))
        return replace(self._fitting(self.shown, Patch(step.changes), step.title), redoes=True)

    def _opposite(self) -> DraftStep | None:
        """Return the step that undid the last one by an edit of its own, at which the run stands still."""
        last = self._written[-1] if self._written else None
        if last is None or last.edit is None or last.out or any(step is last for step in self.done):
            return None
        return last if last.edit.at_s == self.t_s else None

    def propose_out(self, id: str) -> Later:
        """Return the removal of an edit whose time is still ahead.

        Raises
        ------
        CommandError
            When there is no such edit, or others need it.
        """
        edit = next((edit for edit in self.file.scenario.edits if edit.id == id), None)
        if edit is None or (edit.at_s <= self.t_s and self.t_s > 0.0):
            raise CommandError(tr("no edit {id!r} of the scene is in the future", id=id))
        return self._later(
            edit, True, Patch(()), tr("Remove edit: {lowered}", lowered=lowered(edit.title or id))
        )

    def _later(self, edit: Edit, out: bool, patch: Patch, title: str) -> Later:
        """Return the change of a later edit, by this patch to the byte, if the scene is valid with it."""
        if patch.exact is None or patch.exact.digest != digest(self.file.text):
            patch = Patch((Change(f"edits[{edit.id}]", None if out else edit_text(edit)),), title)
        try:
            file, _ = spliced(self.file, patch)
            acted = out and 0.0 < edit.at_s <= self.t_s
            after = effective(file, self.t_s) if acted else None
        except ScenarioError as error:
            need = tr("later edits need it: ") if out else ""
            raise CommandError(need + _sentence(error)) from error
        return Later(title, edit, out, patch, after)

    def _fitting(self, scene: Document, patch: Patch, title: str) -> Proposal:
        if not patch.changes:
            raise CommandError(tr("there is nothing to change"))
        if self.t_s > 0.0:  # it becomes an edit
            patch = Patch(apart(scene, patch.changes), patch.title)
        try:
            after, inverse = spliced(scene, patch)
        except ScenarioError as error:
            raise CommandError(_sentence(error)) from error
        return Proposal(title, patch.changes, inverse.changes, after, scene, inverse)

    def _continues(self, gesture: str) -> bool:
        return bool(gesture and self.done and not self.undone and self.done[-1].gesture == gesture)

    def _without_last(self) -> Document:
        file = spliced(self.file, self.done[-1].out_of_file)[0]
        return effective(file, self.t_s)

    # -- landing in the scene itself ----

    def settle(self) -> None:
        """Return to the start of the run: undo there takes back what was written, last first.

        While a run goes on, taking a step back writes another edit. At its start both are taken out of the file, one
        after the other: neither fits without the other.
        """
        if [id(step) for step in self.done] != [id(step) for step in self._written]:
            self.done, self.undone = list(self._written), []

    def land(self, proposal: Proposal, gesture: str = "") -> None:
        """Apply a proposal to the scene itself, before the run has begun."""
        self.settle()
        if self._continues(gesture):
            step, begun = self._written.pop(), self._begun
            self.done.pop()
            self.file = begun.before if begun is not None else spliced(self.file, step.out_of_file)[0]
        own = not self.file.scenario.edits
        follow = () if own else followed(self.file, proposal.changes)
        in_file = Patch((*proposal.changes, *follow), proposal.title)
        if own and proposal.before is self.file:
            after, out_of_file = proposal.after, proposal.back
        else:
            try:
                after, out_of_file = spliced(self.file, in_file)
            except ScenarioError as error:  # edits that act later no longer fit
                raise CommandError(_sentence(error)) from error
        # What a gesture began with, so that its next part need not find it again.
        self._begun = proposal if own and gesture and proposal.before is self.file else None
        self.file = after
        self.shown = after if own else effective(after, self.t_s)
        self._push(
            DraftStep(proposal.title, gesture, proposal.changes, proposal.inverse, in_file, out_of_file)
        )

    def undo(self) -> bool:
        """Undo the last step in the file, to the byte; return whether there was one."""
        self.settle()
        if not self.done:
            return False
        self._begun = None
        step = self.done.pop()
        self._written.pop()
        self.file, in_file = spliced(self.file, step.out_of_file)
        self.shown = effective(self.file, self.t_s)
        self.undone.append(replace(step, in_file=in_file))
        return True

    def redo(self) -> bool:
        """Redo the step undone last in the file; return whether there was one."""
        self.settle()
        if not self.undone:
            return False
        self._begun = None
        step = self.undone.pop()
        self.file, out_of_file = spliced(self.file, step.in_file)
        self.shown = effective(self.file, self.t_s)
        self._note(replace(step, out_of_file=out_of_file))
        return True

    # -- landing in a run ----

    def fresh_id(self, keeps_undone: bool = True) -> str:
        """Return an id for the next edit; one that is no undo or redo ends what could be redone: their ids are free."""
        steps = (*self.done, *self.undone) if keeps_undone else self.done
        used = {edit.id for edit in self.file.scenario.edits}
        used |= {step.edit.id for step in steps if step.edit is not None}
        return next(id for id in (f"edit-{number}" for number in count(len(used) + 1)) if id not in used)

    def _id_for(self, proposal: Proposal) -> str:
        """Return the id of a proposal as an edit: one that is done again has the id it had, if that is free."""
        again = self.undone[-1].edit if proposal.redoes and self.undone else None
        if again is not None and all(edit.id != again.id for edit in self.file.scenario.edits):
            return again.id
        return self.fresh_id(keeps_undone=proposal.undoes or proposal.redoes)

    def edit(self, proposal: Proposal, at_s: float) -> Edit:
        """Return a proposal as an edit of the run at a time.

        Raises
        ------
        CommandError
            When it is too large, edits that act later would not fit any more, or it is about edits itself.
        """
        edit = proposal.edit(self._id_for(proposal), at_s)
        if any(
            change.path.startswith(("edits", "interventions")) for change in edit.changes
        ):  # undone: they were folded
            raise CommandError(
                tr("an edit cannot change the edits of the run"), tr("go back to its start first")
            )
        later = [later_edit for later_edit in self.file.scenario.edits if later_edit.at_s > at_s]
        if (blocking := in_the_way(later, edit)) is not None:
            sets = blocking.title or blocking.id
            reason = tr("“{title}”, in the future, sets a whole list that this edit changes", title=sets)
            raise CommandError(reason, tr("remove it from the timeline first, or edit after it"))
        if later:
            try:
                spliced(self.file, edit_patch(edit))
            except ScenarioError as error:
                raise CommandError(_sentence(error)) from error
        return edit

    def land_edit(self, proposal: Proposal, edit: Edit) -> None:
        """Apply a proposal in the run from `edit.at_s` on, as the worker has answered."""
        in_file = edit_patch(edit)
        t_s = max(self.t_s, edit.at_s)
        acting = any(self.t_s < edit.at_s <= t_s for edit in self.file.scenario.edits)
        alone = not acting and proposal.before is self.shown  # no other edit acts, or has acted, in between
        self.file, out_of_file = spliced(self.file, in_file)
        self.shown, self.t_s = proposal.after if alone else effective(self.file, t_s), t_s
        step = DraftStep(proposal.title, "", proposal.changes, proposal.inverse, in_file, out_of_file, edit)
        if proposal.undoes and self.done:
            self.undone.append(self.done.pop())
            self._written.append(step)
        elif proposal.redoes and self.undone:
            self.undone.pop()
            self._note(step)
        else:
            self._push(step)

    def land_later(self, later: Later, t_s: float = 0.0) -> None:
        """Put an edit back or remove it, as the worker has answered at `t_s` [s]; it is not put back before then."""
        if not later.out and later.edit.at_s < t_s:
            edit = later.edit.model_copy(update={"at_s": t_s})
            later = replace(later, edit=edit, patch=edit_patch(edit))
        self.file, back = spliced(self.file, later.patch)
        if later.after is not None:
            alone = t_s <= later.edit.at_s  # no other edit acts in between
            self.shown, self.t_s = later.after if alone else effective(self.file, t_s), t_s
        elif self.t_s <= 0.0:
            self.shown = effective(self.file, self.t_s)
        step = DraftStep(later.title, "", (), (), later.patch, back, later.edit, later.out)
        if later.undoes and self.done:
            undone = self.done.pop()
            if self._written and self._written[-1] is undone:  # as if it had never been written
                self._written.pop()
                undone = replace(undone, in_file=back)
            else:
                self._written.append(step)
            self.undone.append(undone)
        elif later.redoes and self.undone and (opposite := self._opposite()) and opposite.edit == later.edit:
            self._written.pop()  # what it undid was never gone from the file
            self.done.append(self.undone.pop())
        elif later.redoes and self.undone:
            self._note(replace(self.undone.pop(), in_file=later.patch, out_of_file=back))
        else:
            self._push(step)

    def go_back(self, t_s: float) -> None:
        """Note that the run stands at an earlier time [s] again; an edit that acted since is taken out by itself."""
        if not any(t_s < edit.at_s <= self.t_s for edit in self.file.scenario.edits):
            self.t_s = min(self.t_s, t_s)

    def at(self, t_s: float) -> bool:
        """Show the scene at a time of its run; return whether that changes it."""
        before, self.t_s = self.t_s, t_s
        acting = [edit.at_s for edit in self.file.scenario.edits]
        low, high = sorted((before, t_s))
        if not any(low < at_s <= high for at_s in acting):
            return False
        self.shown = effective(self.file, t_s)
        return True

    def fold(self) -> None:
        """Make the edits of the run part of the scene itself, so that it begins as they leave it.

        Raises
        ------
        CommandError
            When there is none, or the scene would not begin so.
        """
        self.settle()
        acting = in_order(self.file.scenario)
        if not acting:
            raise CommandError(tr("the run has no edits"))
        changes = [Change("edits", None)]
        changes += [Change(change.path, change.value) for edit in acting for change in edit.changes]
        in_file = Patch(tuple(changes), tr("Fold edits into the design"))
        try:
            self.file, out_of_file = spliced(self.file, in_file)
        except ScenarioError as error:
            raise CommandError(_sentence(error)) from error
        self.shown, self.t_s = effective(self.file, 0.0), 0.0
        self._push(DraftStep(in_file.title, "", in_file.changes, out_of_file.changes, in_file, out_of_file))

    def _push(self, step: DraftStep) -> None:
        self._note(step)
        self.undone.clear()
        del self.done[:-MOST_STEPS]
        del self._written[:-MOST_STEPS]

    def _note(self, step: DraftStep) -> None:
        self.done.append(step)
        self._written.append(step)


def lowered(title: str) -> str:
    """Return a title as it follows another word: "Move rack" becomes "move rack", "CDU gone" stays."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _sentence(error: ScenarioError) -> str:
    """Return the first problem as one sentence, without the line: nobody has seen this text yet."""
    problem = error.problems[0]
    key = f"{problem.key}: " if problem.key else ""
    more = tr(" (and {problems} more)", problems=len(error.problems) - 1) if len(error.problems) > 1 else ""
    return f"{key}{problem.reason}" + (f"; {problem.hint}" if problem.hint else "") + more
