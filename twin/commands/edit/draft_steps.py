"""Steps of a draft: proposed, on their way into the file, and done; and an edit as text of the file."""

from __future__ import annotations

from dataclasses import dataclass

from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.plant.tables import Plant
from twin.scenario import Change, Document, Patch
from twin.scenario.schema.edit import MOST_CHANGES, Edit, EditChange
from twin.scenario.text.emit import block


@dataclass(frozen=True)
class Proposal:
    """An edit that fits the present scene and has not been applied yet.

    Attributes
    ----------
    title
        What is done.
    changes, inverse
        On the scene as it stands, and what takes them back.
    after
        The scene after the edit.
    before, back
        The scene before the edit, and the patch that restores its text to the byte.
    plant
        Of the scene as it stands, where it was built.
    undoes, redoes
        Whether it undoes the last step, or redoes the last step undone.
    """

    title: str
    changes: tuple[Change, ...]
    inverse: tuple[Change, ...]
    after: Document
    before: Document
    back: Patch
    plant: Plant | None = None
    undoes: bool = False
    redoes: bool = False

    def edit(self, id: str, at_s: float) -> Edit:
        """Return the proposal as an edit of a run."""
        if len(self.changes) > MOST_CHANGES:
            n, most = len(self.changes), MOST_CHANGES
            reason = tr("it changes {n:,} keys, but a run accepts {most:,} at once", n=n, most=most)
            raise CommandError(reason, tr("do it in parts, or before the run begins"))
        changes = tuple(EditChange(path=change.path, value=change.value) for change in self.changes)
        return Edit(id=id, at=at_s, title=self.title[:200], changes=changes)


@dataclass(frozen=True)
class DraftStep:
    """An edit that has been applied.

    Attributes
    ----------
    title, gesture
        What was done; steps of one gesture are one.
    changes, inverse
        On the scene as it stood.
    in_file, out_of_file
        The same in the text of the file.
    edit
        What acts in the run; None: it is part of the scene itself.
    out
        Whether the step removed that edit before its time.
    """

    title: str
    gesture: str
    changes: tuple[Change, ...]
    inverse: tuple[Change, ...]
    in_file: Patch
    out_of_file: Patch
    edit: Edit | None = None
    out: bool = False


@dataclass(frozen=True)
class Later:
    """An edit put back into the scene and its run, or taken `out` of them as if it had never been asked for.

    Its time in the run is still ahead, or it is that at which the run stands.

    Attributes
    ----------
    title
        What is done.
    edit
        Which.
    patch
        What it does to the file.
    after
        The scene as it stands without the edit, which has acted; None: how the scene stands does not change.
    undoes, redoes
        Whether it undoes the last step, or redoes the last step undone.
    """

    title: str
    edit: Edit
    out: bool
    patch: Patch
    after: Document | None = None
    undoes: bool = False
    redoes: bool = False


def edit_patch(edit: Edit) -> Patch:
    """Return what puts an edit into a file."""
    return Patch((Change(f"edits[{edit.id}]", edit_text(edit)),), edit.title)


def edit_text(edit: Edit) -> str:
    """Return an edit as an entry of `edits` in a file, a line for each change; its time keeps all its bits."""
    entry: dict[str, object] = {"id": edit.id, "at": f"{edit.at_s!r} s"}
    if edit.title:
        entry["title"] = edit.title
    entry["changes"] = [
        {"path": change.path} if change.value is None else {"path": change.path, "value": change.value}
        for change in edit.changes
    ]
    return block(entry).rstrip("\n")
