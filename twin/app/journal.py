"""What keeps edits that are not saved: every change of the text of the open scene, on the disk before anything else.

A journal is a text file in the state folder: a head with the text that the edits began from, then one line for each
change. After a crash the next start finds it and offers the work back; a line cut short is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from PySide6.QtCore import QLockFile

from twin.record.state_folder import state_folder
from twin.scenario import Document
from twin.scenario.patch import digest
from twin.scenario.splice import difference

SUFFIX = ".twinjournal"
MOST_BYTES = 200_000_000
"""A longer one is not read back."""


@dataclass(frozen=True)
class Recovered:
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
    at
        When the last change was made.
    """

    journal: Path
    path: Path | None
    name: str
    text: str
    steps: int
    run_file: Path | None
    at: datetime


class Journal:
    """The changes of one open scene that are not saved."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._lock: QLockFile | None = None  # held as long as this program runs
        self._document: Document | None = None
        self._text = ""
        self._run_file: Path | None = None
        self.path: Path | None = None

    def begin(self, document: Document) -> None:
        """Let the document as it lies on the disk be what changes are counted from; nothing is written yet."""
        self.end()
        self._document, self._text = document, document.text

    def note(self, document: Document, title: str = "") -> None:
        """Put down how the text has changed since the last note; it is on the disk when this returns."""
        if document.text == self._text:
            return
        file = self._file or self._open()
        change = difference(self._text, document.text)
        line = {
            "start": change.start,
            "end": change.end,
            "text": change.text,
            "digest": digest(document.text),
        }
        self._write(file, {**line, "title": title, "at": f"{datetime.now():%Y-%m-%dT%H:%M:%S}"})
        self._text = document.text

    def note_run(self, run_file: Path | None) -> None:
        """Put down where the run is recorded, so that it can go on from there."""
        self._run_file = run_file
        if self._file is not None:
            self._write(self._file, {"run": str(run_file) if run_file else None})

    def end(self) -> None:
        """Everything is saved or given up: nothing is left to recover."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _open(self) -> IO[bytes]:
        folder = journal_folder()
        self.path = folder / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}-{uuid4().hex[:4]}{SUFFIX}"
        self._lock = _lock_of(self.path)
        self._lock.tryLock(0)
        self._file = self.path.open("ab")
        assert self._document is not None
        where = str(self._document.path.resolve()) if self._document.path else None
        head = {"journal": 1, "path": where, "name": self._document.name, "text": self._text}
        self._write(self._file, head)
        if self._run_file is not None:
            self.note_run(self._run_file)
        return self._file

    @staticmethod
    def _write(file: IO[bytes], line: dict[str, Any]) -> None:
        file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def journal_folder() -> Path:
    """Return where journals lie."""
    folder = state_folder() / "journals"
    folder.mkdir(exist_ok=True)
    return folder


def left_behind() -> list[Recovered]:
    """Return the work of programs that ended without saving it, the newest first."""
    found = []
    for path in sorted(journal_folder().glob(f"*{SUFFIX}"), reverse=True):
        recovered = read(path)
        if recovered is not None:
            found.append(recovered)
    return found


def read(path: Path) -> Recovered | None:
    """Return what a journal holds; None when its program still runs, nothing was changed, or it is no journal."""
    lines = _lines(path)
    head = next(lines, None)
    if head is None or head.get("journal") != 1 or not isinstance(head.get("text"), str):
        return None
    lock = _lock_of(path)
    if not lock.tryLock(0):
        return None
    lock.unlock()
    text, steps, run_file, at = head["text"], 0, None, datetime.fromtimestamp(path.stat().st_mtime)
    for line in lines:
        if "run" in line:
            run_file = Path(line["run"]) if isinstance(line["run"], str) else None
            continue
        try:
            after = text[: line["start"]] + line["text"] + text[line["end"] :]
            whole = digest(after) == line["digest"]
        except (KeyError, TypeError):
            break
        if not whole:
            break
        text, steps = after, steps + 1
    if not steps:
        return None
    where = head.get("path")
    scene = Path(where) if isinstance(where, str) else None
    return Recovered(path, scene, str(head.get("name") or "scene"), text, steps, run_file, at)


def _lock_of(journal: Path) -> QLockFile:
    """Return the lock of a journal: of a program that is gone it can be taken."""
    lock = QLockFile(f"{journal}.lock")
    lock.setStaleLockTime(0)
    return lock


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            return
        with path.open("rb") as file:
            for raw in file:
                if not raw.endswith(b"\n"):
                    return  # cut short by the crash
                try:
                    line = json.loads(raw)
                except ValueError:
                    return
                if not isinstance(line, dict):
                    return
                yield line
