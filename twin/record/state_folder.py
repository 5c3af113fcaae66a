"""The state folder: unsaved run files."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

SUFFIX = ".twinrun"
STUDY_SUFFIX = ".sweep"
"""Of the results of a study."""
LESSON_SUFFIX, NEED_SUFFIX = ".twin-lesson.yaml", ".twin-need.yaml"
KEPT_RUNS = 10


def state_folder() -> Path:
    """Return the folder, made when missing.

    ``TWIN_STATE_DIR`` when set; else ``%LOCALAPPDATA%/gpu-twin`` on Windows, ``~/Library/Application
    Support/gpu-twin`` on macOS, ``$XDG_STATE_HOME/gpu-twin`` or ``~/.local/state/gpu-twin`` elsewhere.
    """
    chosen = os.environ.get("TWIN_STATE_DIR")
    if chosen:
        place = Path(chosen).expanduser()
    elif sys.platform == "win32":
        place = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "gpu-twin"
    elif sys.platform == "darwin":
        place = Path.home() / "Library" / "Application Support" / "gpu-twin"
    else:
        place = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "gpu-twin"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def new_run_path(title: str) -> Path:
    """Return a free path for the unsaved run of a scene called `title`; old files that hold nothing go."""
    runs = state_folder() / "runs"
    runs.mkdir(mode=0o700, exist_ok=True)
    _remove([path for path in _newest_first() if _holds_nothing(path)], KEPT_RUNS - 1)
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "run"
    return runs / f"{datetime.now():%Y%m%d-%H%M%S}-{words}-{uuid4().hex[:4]}{SUFFIX}"


def prune_runs(keep: int = KEPT_RUNS) -> list[Path]:
    """Delete all but the `keep` newest unsaved recordings that nobody has open; return the deleted ones.

    Scenes that were opened and never played do not count.
    """
    return _remove([path for path in _newest_first() if not _holds_nothing(path)], keep)


def pruned_words(gone: Sequence[Path]) -> str:
    """Return a message about deleted recordings.

    >>> pruned_words([Path("20260105-lab-16-3cb8.twinrun")])
    'only the 10 newest unsaved recordings are kept; deleted: 20260105-lab-16-3cb8'
    """
    names = ", ".join(path.name.removesuffix(SUFFIX) for path in gone)
    return f"only the {KEPT_RUNS} newest unsaved recordings are kept; deleted: {names}"


def _newest_first() -> list[Path]:
    """Return the unsaved run files; another program may delete some meanwhile."""
    dated = []
    for path in (state_folder() / "runs").glob(f"*{SUFFIX}"):
        with suppress(OSError):
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                dated.append((status.st_mtime, path))
    return [path for _, path in sorted(dated, reverse=True)]


def _remove(newest_first: Sequence[Path], keep: int) -> list[Path]:
    """Delete all but the first `keep` of files that nobody has open; return the deleted ones."""
    gone = []
    for path in newest_first[keep:]:
        if _in_use(path):
            continue
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm"), Path(f"{path}-journal")):
            name.unlink(missing_ok=True)
        gone.append(path)
    return gone


def _holds_nothing(path: Path) -> bool:
    """Return whether a run was opened and never played."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.0)) as file:
            row = file.execute("SELECT t FROM progress").fetchone()
    except sqlite3.DatabaseError:  # somebody writes it, or it is broken: there may be something in it
        return False
    return row is None or not isinstance(row[0], float | int) or row[0] <= 0


def _in_use(path: Path) -> bool:
    """Return whether another process has the file open for recording: it then cannot leave WAL mode."""
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as file:
            file.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:  # not a run file, or a broken one: of no use to anybody
        return False
    return False
