"""What a program that ended in the middle of its work left behind: found, read, put together, thrown away."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from twin.analysis.rerun import acts_of, settled, undone_edits
from twin.app.files.journal import SUFFIX, journal_folder, lock_of
from twin.app.files.journal_steps import JournalHistory
from twin.commands.edit.command import CommandError, Given
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import edit_text
from twin.language import tr
from twin.record.contents import BY_HAND, Snapshot
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario import Change, Document, Patch, ScenarioError
from twin.scenario.file.patch_text import apply
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.patch import digest

MOST_BYTES = 200_000_000
"""A longer journal is not read back."""
MISSED = 1 / 16
"""A run that had come so far is missed, as a share of its length."""
KEPT_DAYS = 30
KEPT = 20
"""Older journals, and more of them, are thrown away."""
ASIDE = ".damaged"
"""Put behind the name of a journal that nothing can be made of."""


class Unreadable(ValueError):
    """A journal is damaged from its beginning."""


@dataclass(frozen=True)
class RecoveredWork:
    """Work that a crash left behind.

    Attributes
    ----------
    journal
        The file it was read from.
    path
        Of the scene; None when it was never saved.
    name
        As people know it.
    text
        Of the scene with all changes that are whole.
    steps
        How many those are.
    run_file
        Where its run was recorded last; None when it had none.
    run_s
        How far that had come [s], where it alone is left: the scene is as it was saved.
    at
        When the last change was made, or the run was recorded last.
    begun
        The text of its file that they were made in; "": that lay nowhere.
    length
        How many bytes of the journal are whole.
    history
        What can be taken back of them, and done again.
    """

    journal: Path
    path: Path | None
    name: str
    text: str
    steps: int
    run_file: Path | None
    run_s: float
    at: datetime
    begun: str
    length: int
    history: JournalHistory


@dataclass(frozen=True)
class RecoverableRun:
    """Where the run of a scene stood.

    Attributes
    ----------
    document
        The scene with every edit that the run has taken.
    withdrawn, missed
        Edits that the program had not heard of before it ended: what went of its own, and what came.
    seed
        Of its random draws; None: the scene's own.
    snapshot
        Its last state that was kept; None: it begins anew.
    t_s, over
        How far it had come [s], and whether that was its end.
    by_hand
        What people had done to it, in order.
    lost
        Why it begins anew though it had begun, as a clause; "": it does not, or there was none.
    """

    document: Document
    withdrawn: tuple[str, ...] = ()
    missed: tuple[Edit, ...] = ()
    seed: int | None = None
    snapshot: Snapshot | None = None
    t_s: float = 0.0
    over: bool = False
    by_hand: tuple[Intervention, ...] = ()
    lost: str = ""


def left_behind() -> list[RecoveredWork]:
    """Return the work of programs that ended without saving it, the newest first; what is old is thrown away."""
    prune()
    found = []
    for path in sorted(journal_folder().glob(f"*{SUFFIX}"), reverse=True):
        try:
            recovered = read(path)
        except Unreadable:
            put_aside(path)
            continue
        if recovered is not None:
            found.append(recovered)
    return found


def put_aside(journal: Path) -> None:
    """Keep a journal that nothing can be made of, out of the way of the others; harmless when that cannot be done."""
    with suppress(OSError):
        journal.replace(Path(f"{journal}{ASIDE}"))
    with suppress(OSError):
        Path(f"{journal}.lock").unlink(missing_ok=True)


def discard(journal: Path) -> None:
    """Throw a journal away; harmless when it is gone."""
    for path in (journal, Path(f"{journal}.lock")):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def prune(keep: int = KEPT, days: float = KEPT_DAYS) -> None:
    """Throw away journals that are old or beyond the newest, except those of programs that run."""
    oldest_s = time.time() - days * 86_400
    with suppress(OSError):
        kept = (path for end in ("", ASIDE) for path in journal_folder().glob(f"*{SUFFIX}{end}"))
        dated = sorted((path.stat().st_mtime, path) for path in kept)
        dated.reverse()
        for place, (changed_s, path) in enumerate(dated):
            if (place >= keep or changed_s < oldest_s) and not _in_use(path):
                discard(path)


def read(path: Path) -> RecoveredWork | None:
    """Return what a journal holds; None when its program still runs, or all is as it was.

    Raises
    ------
    Unreadable
        When nothing can be made of it.
    """
    if _in_use(path):
        return None
    lines = _lines(path)
    head, length = next(lines, ({}, 0))
    begun = head.get("text")
    if head.get("journal") != 1 or not (isinstance(begun, str) and _is_text(begun)):
        raise Unreadable(tr("{path}: this journal is damaged", path=path))
    text, steps, run_file, at = begun, 0, None, _written(path)
    history = JournalHistory()
    for line, end in lines:
        if "run" in line:
            run_file, length = _path(line["run"]), end
            continue
        try:
            after = text[: line["start"]] + line["text"] + text[line["end"] :]
            whole = digest(after) == line["digest"]
        except (KeyError, TypeError, ValueError):
            break
        if not whole:
            break
        try:
            history.take(line, text, after)
        except (LookupError, TypeError, ValueError, AttributeError):
            history = JournalHistory()  # of what follows there is one
        if not text:
            history = JournalHistory()  # nothing was there to go back to
        text, steps, length = after, steps + 1, end
    run_s = 0.0
    if text == begun:
        broken_off = _broken_off(run_file)
        if broken_off is None:
            return None
        run_s, at = broken_off
    title = head.get("name")
    name = title if isinstance(title, str) and title and _is_text(title) else "scene"
    return RecoveredWork(
        path, _path(head.get("path")), name, text, steps, run_file, run_s, at, begun, length, history
    )


def run_of(document: Document, run_file: Path | None) -> RecoverableRun:
    """Return where the run recorded in a file can go on, as a run of this document.

    An edit that the run had taken, and of which the program did not hear before it ended, becomes part of the scene;
    one that had been taken out again goes.
    A run of another scene, as it was before its last change at t = 0, does not count: there is none then.
    """
    if run_file is None:
        return RecoverableRun(document)
    try:
        with Reader(run_file) as reader:
            header, t_s, over = reader.header, reader.t_end_s, reader.summary is not None
            snapshot, continues = reader.nearest_snapshot(math.inf), reader.continues
            found = settled(reader)
            scene = found.scene(header.scenario)
            asked = [entry.done for entry in found.asked]
            gone = {entry.done.id for entry in acts_of(reader) if entry.out and isinstance(entry.done, Edit)}
            gone |= undone_edits(reader)
    except (RunFileError, ScenarioError, ValueError, KeyError, TypeError):
        there = tr("its recording is damaged") if run_file.exists() else tr("its recording is missing")
        return RecoverableRun(document, lost=there)
    taken = {
        edit.id: edit for edit in (*scene.edits, *(request for request in asked if isinstance(request, Edit)))
    }
    own = {edit.id for edit in document.scenario.edits}
    restarted = RecoverableRun(
        document, lost=tr("its recording belongs to an earlier state of the scene") if t_s > 0.0 else ""
    )
    alone = {"edits": (), "seed": header.seed}
    if header.scenario.model_copy(update=alone) != document.scenario.model_copy(update=alone):
        return restarted
    out = sorted(own - taken.keys())
    if not gone.issuperset(out):
        return restarted
    missed = [edit for id, edit in taken.items() if id not in own]
    changes = [Change(f"edits[{id}]", None) for id in out]
    changes += [Change(f"edits[{edit.id}]", edit_text(edit)) for edit in missed]
    try:
        if changes:
            document = apply(document, Patch(tuple(changes), missed[-1].title if missed else tr("Undo")))
    except ScenarioError:
        return restarted
    by_hand = tuple(request for request in asked if isinstance(request, Intervention))
    lost = ""
    if snapshot is None and t_s > 0.0:
        older = tr("another version of this program recorded it, and this version gives other figures")
        lost = tr("it had no snapshot yet") if continues else older
    return RecoverableRun(
        document, tuple(out), tuple(missed), header.seed, snapshot, t_s, over, by_hand, lost
    )


def draft_of(document: Document, left: RecoveredWork, run: RecoverableRun) -> Draft:
    """Return the draft of a scene that was left, from which its steps can be taken back one by one.

    Parameters
    ----------
    document
        As it was left.
    run
        Where its run can go on, perhaps with more edits.
    """
    draft, history = Draft(document), left.history
    draft.take_up(history.done, history.undone, history.written)
    try:
        for id in run.withdrawn:
            draft.land_later(draft.propose_out(id))
        for edit in run.missed:
            draft.at(max(edit.at_s, draft.t_s))
            changes = tuple(Change(change.path, change.value) for change in edit.changes)
            draft.land_edit(draft.propose(Given(Patch(changes, edit.title))), edit)
    except CommandError:
        return Draft(run.document)
    draft.at(0.0)
    return draft if draft.file.text == run.document.text else Draft(run.document)


def _broken_off(run_file: Path | None) -> tuple[float, datetime] | None:
    """Return how far a run had come [s], and when it was recorded last; None where nobody would miss it.

    One is missed of which a state was kept, and which went for a good part or to which people did something.
    """
    if run_file is None:
        return None
    try:
        written = datetime.fromtimestamp(run_file.stat().st_mtime)
        with Reader(run_file) as reader:
            kept = any(t_s > 0.0 for t_s, _, _ in reader.snapshot_hashes())
            by_hand = any(reader.markers(kind) for kind in BY_HAND)
            t_s, end_s = reader.t_end_s, reader.header.end_s
    except (RunFileError, OSError):
        return None
    return (t_s, written) if kept and (by_hand or t_s >= MISSED * end_s) else None


def _path(path: object) -> Path | None:
    """Return the path that a journal says; None where it says none that there can be."""
    return Path(path) if isinstance(path, str) and path and "\0" not in path and _is_text(path) else None


def _is_text(text: str) -> bool:
    """Return whether a text can be written: a damaged one may hold halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _written(path: Path) -> datetime:
    """Return when a file was written last; the beginning of time where the system does not tell."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return datetime.fromtimestamp(0)


def _in_use(path: Path) -> bool:
    lock = lock_of(path)
    if not lock.tryLock(0):
        return True
    lock.unlock()
    return False


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each line that is whole, and how many bytes there are up to its end."""
    with suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            return
        end = 0
        with path.open("rb") as file:
            for raw in file:
                if not raw.endswith(b"\n"):
                    return  # cut short by the crash
                try:
                    line = json.loads(raw)
                except (ValueError, RecursionError):
                    return
                if not isinstance(line, dict):
                    return
                end += len(raw)
                yield line, end
