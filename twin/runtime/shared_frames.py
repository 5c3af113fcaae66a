"""Frames through shared memory: a ring of three slots in a file that both processes map.

A mapped file, not `multiprocessing.shared_memory`: its memory can be reserved whole (no bus error when the
device is full), it can be listed and removed on every system after a crash, and no resource tracker guesses
who owns it. The app makes the file and locks it for as long as it lives, the worker writes; a new layout is a
new file.

A slot is a packed frame (see `twin.record.frame`). While the worker is inside, the sequence numbers at its
begin and end differ; the reader copies and looks at them again.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from twin.record.frame import Frame, FrameLayout

SLOTS = 3
_PREFIX = "twin-frames-"
_YOUNG_S = 10.0
_OPEN = os.O_RDWR | getattr(os, "O_BINARY", 0)
_BEGIN, _EPOCH, _HASH, _SEQ, _TIME, _EVENTS, _SPEED, _END = range(8)


class NoMemory(OSError):
    """Nowhere is room for the frames of a run; the message is one sentence for people."""


def memory_folder() -> Path:
    """Return the folder of the mapped files: memory where the system has such a folder."""
    return memory_folders()[0]


def memory_folders() -> list[Path]:
    """Return the folders that mapped files may lie in, memory first: of another kind where that is full."""
    shared, other = Path("/dev/shm"), Path(tempfile.gettempdir())
    return [shared, other] if shared.is_dir() and os.access(shared, os.W_OK) else [other]


def remove_stale(folder: Path | None = None) -> list[Path]:
    """Remove the segments of processes that are dead; return them."""
    gone = []
    for place in (folder,) if folder is not None else memory_folders():
        for path in place.glob(f"{_PREFIX}*"):
            if _abandoned(path):
                with suppress(OSError):
                    path.unlink()
                    gone.append(path)
    return gone


class FrameReader:
    """The app's side: owns a segment for frames of `layout`, and reads the newest.

    Raises
    ------
    NoMemory
        When there is no room for it in any of the folders.
    """

    def __init__(self, layout: FrameLayout, *folders: Path) -> None:
        self.layout = layout
        refused = []
        for folder in folders or memory_folders():
            try:
                self._make(folder)
            except OSError as error:
                refused.append(f"{folder}: {error.strerror or error}")
            else:
                break
        else:
            need = f"{layout.nbytes * SLOTS / 1e6:,.1f} MB"
            raise NoMemory(
                f"There is no room for the {need} that pictures of a run take ({'; '.join(refused)}): free some, or "
                "make /dev/shm larger (docker run --shm-size=1g)"
            )
        self._view = memoryview(self._map)
        self._headers = [layout.views(part)[0] for part in _slots(self._view, layout)]
        self._seen = 0

    def _make(self, folder: Path) -> None:
        """Make the file, its whole memory reserved; raises OSError."""
        layout = self.layout
        self.path = folder / f"{_PREFIX}{os.getpid()}-{uuid4().hex[:8]}"
        self._file = os.open(
            self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        try:
            _lock(self._file)
            size = layout.nbytes * SLOTS
            os.ftruncate(self._file, size)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file, 0, size)
            self._map = mmap.mmap(self._file, size)
        except OSError:
            os.close(self._file)
            self.path.unlink(missing_ok=True)
            raise

    def latest(self) -> Frame | None:
        """Return the newest whole frame as a copy of its own; None when there is none since the last call."""
        for slot in sorted(range(SLOTS), key=lambda k: -self._headers[k][_SEQ]):
            live = self._headers[slot]
            seq = int(live[_SEQ])
            if seq <= self._seen:
                return None
            if live[_BEGIN] != seq or live[_END] != seq:
                continue
            copy = bytes(_slots(self._view, self.layout)[slot])
            header, arrays = self.layout.views(copy)
            if live[_BEGIN] != seq or header[_END] != seq or int(header[_HASH]) != self.layout.hash:
                continue
            self._seen = seq
            epoch = int(header[_EPOCH])  # an edit of the hall may leave as many of everything
            layout = self.layout if epoch == self.layout.epoch else FrameLayout(self.layout.counts, epoch)
            return Frame(
                layout, float(header[_TIME]), int(header[_EVENTS]), arrays, seq, float(header[_SPEED])
            )
        return None

    def close(self) -> None:
        """Let go of the memory and remove the file."""
        self._headers.clear()
        _unmap(self._view, self._map)
        os.close(self._file)
        self.path.unlink(missing_ok=True)


class FrameWriter:
    """The worker's side: writes frames into a segment the app has made.

    Attributes
    ----------
    segment
        Name of the memory.
    layout
        Of the frames; another one with as many of everything fits too.
    """

    def __init__(self, segment: str, layout: FrameLayout) -> None:
        self.segment, self.layout = segment, layout
        file = os.open(segment, _OPEN)
        try:
            self._map = mmap.mmap(file, layout.nbytes * SLOTS)
        finally:
            os.close(file)
        self._view = memoryview(self._map)
        self._slots = [layout.views(part) for part in _slots(self._view, layout)]
        self._seq = 0

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        """Let `fill` write a frame straight into the oldest slot."""
        self._seq += 1
        header, arrays = self._slots[self._seq % SLOTS]
        header[_BEGIN] = self._seq
        frame = Frame(self.layout, 0.0, 0, arrays, self._seq, speed)
        fill(frame)
        header[_EPOCH:_END] = (
            self.layout.epoch,
            self.layout.hash,
            self._seq,
            frame.t_s,
            frame.events,
            speed,
        )
        header[_END] = self._seq

    def close(self) -> None:
        """Let go of the memory; the app removes the file."""
        self._slots.clear()
        _unmap(self._view, self._map)


def _unmap(view: memoryview, memory: mmap.mmap) -> None:
    with suppress(BufferError):  # somebody still holds an array of it: it goes with the last one
        view.release()
        memory.close()


def _slots(view: memoryview, layout: FrameLayout) -> list[memoryview]:
    size = layout.nbytes
    return [view[k * size : (k + 1) * size] for k in range(SLOTS)]


if sys.platform == "win32":

    def _lock(file: int) -> None:
        """Nothing to do: Windows does not remove a file that is open."""

    def _abandoned(path: Path) -> bool:
        """Say yes: removing it fails when somebody has it open."""
        return True

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _abandoned(path: Path) -> bool:
        """Say whether no living process holds the lock; a file just made may not be locked yet."""
        try:
            file = os.open(path, os.O_RDWR)
        except OSError:
            return False
        try:
            if time.time() - os.fstat(file).st_ctime < _YOUNG_S:
                return False
            _lock(file)
        except OSError:
            return False
        finally:
            os.close(file)
        return True
