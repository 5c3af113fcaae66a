"""Reads rows and packed parts of a run file; errors are one sentence with the name of the file."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.columns import unpack
from twin.record.frame import FrameLayout
from twin.record.run_summary import strict_json
from twin.record.runfile import NoDetail, RunFileError, explained, of_part, open_foreign
from twin.units import spoken

_MAX_SAMPLES = 10**6
_MAX_ENTITIES = 10**7


class RunSource:
    """A run file, open for reading only.

    Parameters
    ----------
    path
        The file; `RunFileError` when it is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = open_foreign(path)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds."""
        with explained(self.path, "read"):
            try:
                return self.file.execute(statement, values).fetchall()
            except sqlite3.DataError as error:
                raise RunFileError(f"{self.path}: a record in this run file is too large") from error

    @contextmanager
    def named(self, when: str = "") -> Iterator[None]:
        """Name the path in errors about a part of the file, and its time `when`, as `stretch` says."""
        try:
            yield
        except RunFileError as error:
            of = f"of what was recorded {when}, " if when and not isinstance(error, NoDetail) else ""
            raise type(error)(f"{self.path}: {of}{error}") from error

    @contextmanager
    def damaged(self, part: str) -> Iterator[None]:
        """Name the damaged part of the file when one of its values is invalid."""
        try:
            yield
        except (ValueError, TypeError, OverflowError) as error:
            raise RunFileError(f"{self.path}: {part} of this run file is damaged") from error

    def json(self, text: str) -> Any:
        """Return the value of a JSON text."""
        try:
            return strict_json(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise RunFileError(f"{self.path}: a text in this run file is damaged") from error

    def unpack(self, blob: bytes, limit: int) -> bytes:
        """Return the decompressed data, at most `limit` bytes of it."""
        with self.named():
            return unpack(blob, limit)

    def times_s(self, blob: bytes, samples: object, t0_s: object, t1_s: object) -> NDArray[np.float64]:
        """Return the times of the samples of a block, which goes from `t0_s` to `t1_s` [s]."""
        with self.named(stretch(t0_s, t1_s)), of_part("the times of its samples"):
            if type(samples) is not int or not 0 < samples <= _MAX_SAMPLES:
                raise RunFileError(f"the block claims {samples} of them")
            data = unpack(blob, 8 * samples)
            if len(data) != 8 * samples:
                raise RunFileError(f"the block has not {samples} of them")
            times_s = np.frombuffer(data, np.float64)
            if not (np.isfinite(times_s).all() and (np.diff(times_s) >= 0).all()):
                raise RunFileError("they are damaged")
            if (times_s[0], times_s[-1]) != (t0_s, t1_s):
                raise RunFileError("they are not those of the block")
            return times_s

    def layouts(self) -> list[tuple[int, FrameLayout]]:
        """Return (first block, layout) of the hall as built and after each edit that acted; none: of an old file."""
        for (text,) in self.rows("SELECT value FROM header WHERE key = 'epochs'"):
            try:
                return [(int(block), layout_of(layout)) for block, layout in self.json(text)]
            except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
                raise RunFileError(f"{self.path}: the header of this run file is damaged") from error
        return []

    def progress(self) -> tuple[float, int, str, str | None]:
        """Return time [s], events, their hash, and the summary of a run that is over."""
        for t_s, events, text, summary in self.rows("SELECT t, events, hash, summary FROM progress"):
            with self.damaged("the progress"):
                if not isinstance(summary, str | None):
                    raise ValueError("no text")
                return time_s(t_s), count(events), str(text), summary
        raise RunFileError(f"{self.path}: this run file has no run")


def figure(value: object) -> float:
    """Return a finite number; raises `ValueError`, `TypeError` or `OverflowError` where it is none."""
    number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError(f"{value} is no figure")
    return number


def time_s(value: object) -> float:
    """Return a time of a run [s]; raises as `figure`, and for one before the start."""
    number = figure(value)
    if number < 0.0:
        raise ValueError(f"{value} is before the start")
    return number


def count(value: object) -> int:
    """Return a whole number that is not negative; raises as `figure`."""
    number = figure(value)
    if number < 0 or number != int(number):
        raise ValueError(f"{value} is no count")
    return int(number)


def stretch(t0_s: object, t1_s: object) -> str:
    """Return the time range of a block [s], in words."""
    first, last = _time(t0_s), _time(t1_s)
    return f"at {first}" if first == last else f"from {first} to {last}"


def state_at(t_s: object) -> str:
    """Return the name of the snapshot of a time [s]."""
    return f"the snapshot at {_time(t_s)}"


def _time(t_s: object) -> str:
    """Return a time in words; in a damaged file it may be anything."""
    return spoken(t_s) if isinstance(t_s, int | float) and 0 <= t_s < math.inf else repr(t_s)


def layout_of(layout: Any) -> FrameLayout:
    """Return a layout from a header; `KeyError`, `ValueError` or `TypeError`: it is none."""
    counts = {str(k): int(v) for k, v in layout["counts"].items()}
    if not all(0 <= n <= _MAX_ENTITIES for n in counts.values()):
        raise ValueError("counts out of range")
    return FrameLayout(counts, int(layout["epoch"]))  # type: ignore[arg-type]


def layout_at(epochs: list[tuple[int, FrameLayout]], block: int) -> FrameLayout:
    """Return the layout of a block."""
    return next((layout for first, layout in reversed(epochs) if first <= block), epochs[0][1])
