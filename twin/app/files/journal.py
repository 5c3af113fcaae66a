"""What keeps edits that are not saved: every change of the text of the open scene, on the disk before anything else.

A journal is a text file in the state folder: a head with the text that the edits began from, then one line for each
change. After a crash the next start finds it (`twin.app.files.recovery`) and offers the work back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from psygnal import Signal
from PySide6.QtCore import QLockFile

from twin.record.state_folder import state_folder
from twin.scenario import Document
from twin.scenario.file.patch_text import difference
from twin.scenario.text.patch import digest

SUFFIX = ".twinjournal"
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """The changes of one open scene that are not saved.

    A disk that refuses hinders nobody: that is told once, and each further change tries anew.
    """

    failed = Signal(str)  # why nothing can be kept now

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._lock: QLockFile | None = None  # held as long as this program runs
        self._document: Document | None = None
        self._text = ""
        self._run_file: Path | None = None
        self._told = False
        self._whole = True  # every change has a line of its own so far
        self.path: Path | None = None

    def begin(self, document: Document, saved_text: str | None = None) -> None:
        """Let a document be what changes are counted from, or the text of it that is saved; nothing is written yet."""
        self.end()
        self._document, self._text = document, document.text if saved_text is None else saved_text
        self._whole = True

    def take_over(self, path: Path, length: int, text: str, document: Document) -> bool:
        """Go on in what a crash left at `path`, in its first `length` bytes; return whether that can be done.

        These came to `text`, and the next change is counted from there. It gets the name of a journal begun now.
        """
        left, new = lock_of(path), _free_path()
        own = lock_of(new)
        if not left.tryLock(0):
            return False
        own.tryLock(0)  # first: a program that starts now would find what nobody holds
        try:
            path.rename(new)
            file = new.open("r+b")
            file.truncate(length)
            file.seek(length)
        except OSError:
            own.unlock()
            return False
        finally:
            left.unlock()
        self.end()
        self.path, self._file, self._lock = new, file, own
        self._document, self._text, self._whole = document, text, True
        return True

    def note(self, document: Document, title: str = "", step: Mapping[str, Any] | None = None) -> None:
        """Put down how the text has changed since the last note; it is on the disk when this returns.

        Parameters
        ----------
        step
            What `twin.app.files.journal_steps` tells of it; left out where one before could not be put down.
        """
        if document.text == self._text and (step is None or self._file is None):
            return
        change = difference(self._text, document.text)
        line = {
            "start": change.start,
            "end": change.end,
            "text": change.text,
            "digest": digest(document.text),
            "title": title,
            "at": f"{datetime.now():%Y-%m-%dT%H:%M:%S}",
        }
        if step is not None and self._whole:
            line["step"] = step
        self._whole = self._put(line)
        if self._whole:
            self._text = document.text

    def note_run(self, run_file: Path | None, *, keep: bool = False) -> None:
        """Put down where the run is recorded, so that it can go on from there; `keep`: though nothing was changed."""
        known, self._run_file = self._run_file, run_file
        if self._file is not None and run_file != known:
            self._put({"run": str(run_file) if run_file else None})
        elif self._file is None and keep:
            self._put(None)

    def end(self) -> None:
        """Everything is saved or given up: nothing is left to recover."""
        self._close()
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self.path = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _put(self, line: dict[str, Any] | None) -> bool:
        """Write a line to the end, in a new journal where there is none; return whether the disk took it.

        None: the new journal is all.
        """
        try:
            if self._file is None:
                self._open()
            assert self._file is not None
            if line is not None:
                _write(self._file, line)
        except OSError as error:
            # What lies there ends in half a line: it still gives back what is before, until another is begun.
            self._close()
            if not self._told:
                self.failed.emit(error.strerror or str(error))
            self._told = True
            return False
        self._told = False
        return True

    def _open(self) -> None:
        """Begin a file with the text that the next change is to; one that was left unfinished goes then."""
        path = _free_path()
        lock = lock_of(path)
        lock.tryLock(0)
        assert self._document is not None
        where = str(self._document.path.resolve()) if self._document.path else None
        head = {"journal": 1, "path": where, "name": self._document.name, "text": self._text}
        try:
            file = os.fdopen(os.open(path, _NEW, 0o600), "ab")
            try:
                _write(file, head)
                if self._run_file is not None:
                    _write(file, {"run": str(self._run_file)})
            except OSError:
                _close(file)
                path.unlink(missing_ok=True)
                raise
        except OSError:
            lock.unlock()
            raise
        self.end()
        self.path, self._file, self._lock = path, file, lock

    def _close(self) -> None:
        if self._file is not None:
            _close(self._file)
            self._file = None


def journal_folder() -> Path:
    """Return where journals lie."""
    folder = state_folder() / "journals"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _free_path() -> Path:
    return journal_folder() / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}-{uuid4().hex[:4]}{SUFFIX}"


def lock_of(journal: Path) -> QLockFile:
    """Return the lock of a journal: of a program that is gone it can be taken."""
    lock = QLockFile(f"{journal}.lock")
    lock.setStaleLockTime(0)
    return lock


def _write(file: IO[bytes], line: dict[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what it could not write, it tries again here
        file.close()
