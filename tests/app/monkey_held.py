"""What a process holds; a worker tells it when it is asked: the holes that large runs left in it are no leak.

Python gives memory back by the MiB, and only where nothing is left in it; so what the system counts depends on how
large a run ever was, and on chance. What is in use does not.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

FOLDER = "MONKEY_HELD"
"""Variable of the environment: the folder where answers come."""
_PATIENCE_WALL_S = 200.0  # a machine that measures may stop this one
_MIB = 2.0**20


class _Mallinfo(ctypes.Structure):
    """What the GNU library tells of its heap."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
        )
    ] + [("keepcost", ctypes.c_size_t)]


def answer() -> None:
    """Tell from now on, in this process, how much is held, whenever it is asked; nothing without the folder."""
    if FOLDER in os.environ and sys.platform.startswith("linux"):
        signal.signal(signal.SIGUSR1, lambda *_: _write(_place(os.getpid()), f"{held_bytes()}"))
        _write(_place(os.getpid()), "0")


def held_mib(pid: int) -> float:
    """Return how much the worker with this number holds [MiB]; 0.0 when it does not tell."""
    place = _place(pid)
    if not place.exists():
        return 0.0
    place.write_text("")
    os.kill(pid, signal.SIGUSR1)
    end = monotonic() + _PATIENCE_WALL_S
    while not (words := place.read_text()) and monotonic() < end:
        sleep(0.01)
    return int(words or 0) / _MIB


def held_bytes() -> int:
    """Return the bytes in use by Python's objects and by the C library's heap."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            sys._debugmallocstats()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        found = re.search(r"bytes in allocated blocks\s*=\s*([\d,]+)", file.read().decode())
    assert found is not None
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    heap = mallinfo()
    # Arenas of Python are mapped by itself, so nothing is counted twice.
    return int(found.group(1).replace(",", "")) + int(heap.uordblks) + int(heap.hblkhd)


def _place(pid: int) -> Path:
    return Path(os.environ.get(FOLDER, "")) / f"held-{pid}"


def _write(place: Path, words: str) -> None:
    whole = place.with_suffix(".new")
    whole.write_text(words)
    whole.replace(place)
