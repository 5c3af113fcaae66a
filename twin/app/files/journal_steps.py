"""Steps in a journal: what a line says beside its text, so that what is recovered can be undone as it could before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import DraftStep, edit_text
from twin.language import tr
from twin.record.scenario_json import part_from_json, part_to_json
from twin.scenario import Change, Patch
from twin.scenario.file.patch_text import difference
from twin.scenario.schema.edit import Edit

DO, UNDO, REDO = "do", "undo", "redo"
MOST_CHARACTERS = 1_000_000
"""A step that changes more goes back in the text alone, not by an edit of a run: a journal too long is not read."""


class StepNotes:
    """Tells, after each change of a draft, by which step it came about.

    Parameters
    ----------
    draft
        As it stands before the first of them.
    """

    def __init__(self, draft: Draft) -> None:
        self._look(draft)

    def next(self, draft: Draft, *, live: bool) -> dict[str, Any] | None:
        """Return what has become of a draft since the last call, for its line; None: nothing.

        Parameters
        ----------
        live
            Whether that was done while the run went on.
        """
        known, undone = {id(step) for step in self._written}, {id(step) for step in self._undone}
        back = bool(draft.undone) and id(draft.undone[-1]) not in undone
        fresh = bool(draft.written) and id(draft.written[-1]) not in known
        taken = len(draft.undone) < len(self._undone) and len(draft.written) < len(self._written)
        if taken and not fresh:  # the opposite edit that undid a step went out again
            self._look(draft)
            return {"how": REDO, "live": live, "opposite": True}
        note: dict[str, Any] = {"how": UNDO if back else REDO if draft.undone else DO, "live": live}
        if fresh:
            note |= _plain(draft.written[-1])
        self._look(draft)
        return note if fresh or back else None

    def _look(self, draft: Draft) -> None:
        self._written, self._undone = list(draft.written), list(draft.undone)


@dataclass
class JournalHistory:
    """The steps of a journal, as they stood in the draft that it was kept of; see `Draft`."""

    done: list[DraftStep] = field(default_factory=list)
    undone: list[DraftStep] = field(default_factory=list)
    written: list[DraftStep] = field(default_factory=list)

    def take(self, line: Mapping[str, Any], before: str, after: str) -> None:
        """Take the next line, by which the text `before` became the one `after`.

        Raises
        ------
        KeyError, TypeError, ValueError
            When it tells of no step.
        """
        note = line.get("step") or {"how": DO, "live": False, "title": line["title"]}
        unsettled = [id(step) for step in self.done] != [id(step) for step in self.written]
        if unsettled and not note["live"]:  # at the start of a run goes back what was written: `Draft.settle`
            self.done, self.undone = list(self.written), []
        if note["how"] == UNDO and self.done:
            self.undone.append(self.done.pop())
            if self.written and _begun(self.written[-1]) == line["digest"]:
                self.written.pop()  # to the byte, as if it had never been written
            else:
                self.written.append(_step(note, before, after))
            return
        if note.get("opposite") and self.undone and self.written:
            self.written.pop()
            self.done.append(self.undone.pop())
            return
        if note["how"] == REDO and self.undone:
            self.undone.pop()
        else:
            gesture = note.get("gesture", "")
            if gesture and self.done and not self.undone and self.done[-1].gesture == gesture:
                self.done.pop()
                back = self.written.pop().out_of_file.exact
                before = before if back is None else before[: back.start] + back.text + before[back.end :]
            self.undone.clear()
        self.done.append(_step(note, before, after))
        self.written.append(self.done[-1])


def _begun(step: DraftStep) -> str:
    """Return what identifies the text that a step was made in."""
    return step.in_file.exact.digest if step.in_file.exact is not None else ""


def _plain(step: DraftStep) -> dict[str, Any]:
    plain: dict[str, Any] = {"title": step.title, "gesture": step.gesture}
    if (
        sum(len(change.path) + len(change.value or "") for change in (*step.changes, *step.inverse))
        <= MOST_CHARACTERS
    ):
        plain["changes"] = [[change.path, change.value] for change in step.changes]
        plain["inverse"] = [[change.path, change.value] for change in step.inverse]
    if step.edit is not None:
        plain |= {"edit": part_to_json(step.edit), "out": step.out}
    return plain


def _step(note: Mapping[str, Any], before: str, after: str) -> DraftStep:
    title = str(note.get("title") or tr("Undo"))
    changes, inverse = _changes(note.get("changes", ())), _changes(note.get("inverse", ()))
    edit, out = None, bool(note.get("out"))
    into, out_of = changes, inverse
    if "edit" in note:
        edit = part_from_json(Edit, note["edit"])
        there, gone = Change(f"edits[{edit.id}]", edit_text(edit)), Change(f"edits[{edit.id}]", None)
        into, out_of = ((gone,), (there,)) if out else ((there,), (gone,))
    in_file = Patch(into, title, difference(before, after))
    out_of_file = Patch(out_of, title, difference(after, before))
    return DraftStep(title, str(note.get("gesture", "")), changes, inverse, in_file, out_of_file, edit, out)


def _changes(plain: Sequence[Sequence[str | None]]) -> tuple[Change, ...]:
    return tuple(Change(str(path), None if value is None else str(value)) for path, value in plain)
