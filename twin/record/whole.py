"""Integrity check: a run file read from end to end for damage."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from twin.record.blocks import DecodedBlock, decode_events, decode_ledger, decode_named, decode_series
from twin.record.bookings import decode_bookings
from twin.record.columns import unpack
from twin.record.detail import dies_from_bytes
from twin.record.frame import FrameLayout
from twin.record.runfile import MAX_BLOB_BYTES, ORIGINS, RunFileError, of_part
from twin.record.series import BOOKINGS, DETAIL, DIES, EVENTS, FIGURES, LEDGER
from twin.record.source import RunSource, layout_at, state_at, stretch

_HOLDS = {
    "header": "the header",
    "events": "the events",
    "blocks": "the times of samples",
    "series": "the curves and pictures",
    "snapshots": "the snapshots to resume from",
    "ledger": "the ledger",
    "markers": "the marks",
    "progress": "the summary",
}
"""What people know of each table."""


def damaged(source: RunSource, layout: FrameLayout) -> Iterator[str]:
    """Yield a sentence on each part that is damaged or inconsistent.

    Whatever is compressed carries a sum of its bytes, which is looked at; of names and numbers SQLite keeps a second
    copy in its indexes, which is held against the first.

    Parameters
    ----------
    layout
        Of the hall as it was last.
    """
    for (text,) in source.rows("PRAGMA integrity_check(1)"):
        if text != "ok":
            yield f"{source.path}: the run file is damaged: {_where(source, str(text))}"
    try:
        epochs = source.layouts() or [(0, layout)]
        if epochs[-1][1] != layout:
            yield f"{source.path}: the header of this run file is damaged: it describes two halls"
    except RunFileError as error:
        yield str(error)
        return
    blocks = _Blocks(source, epochs)
    for row in source.rows("SELECT id, times, samples, t0, t1 FROM blocks ORDER BY id"):
        try:
            blocks.read(*row)
        except RunFileError as error:
            yield str(error)
    yield from _snapshots(source)


def _where(source: RunSource, message: str) -> str:
    """Return a message of SQLite about damaged pages as a sentence for people."""
    index = re.search(r"index sqlite_autoindex_(\w+)_", message)
    if index is not None and index[1] in _HOLDS:
        return f"the index of {_HOLDS[index[1]]} does not match its data; parts may be missing"
    tree = re.search(
        r"tree (?:page )?(\d+)", message, re.IGNORECASE
    )  # the page at which the table or index begins
    if tree is not None:
        for (table,) in source.rows("SELECT tbl_name FROM sqlite_master WHERE rootpage = ?", int(tree[1])):
            return f"a page of {_HOLDS.get(table, 'its data')} was altered"
    return "a page was altered; parts may be missing"


class _Blocks:
    """Decodes block after block."""

    def __init__(self, source: RunSource, epochs: list[tuple[int, FrameLayout]]) -> None:
        self._source, self._epochs = source, epochs
        self._events = source.progress()[1]
        self._dies: bytes | None = None  # of the last block that says what sets GPUs apart

    def read(self, number: int, stamps: bytes, samples: int, t0_s: float, t1_s: float) -> None:
        """Read all columns of a block; raises `RunFileError`."""
        times_s = self._source.times_s(stamps, samples, t0_s, t1_s)
        rows = self._source.rows("SELECT channel, data, origin FROM series WHERE block = ?", number)
        columns = {str(name): data for name, data, _ in rows}
        layout = layout_at(self._epochs, number)
        with self._source.named(stretch(t0_s, t1_s)):
            for name, _, origin in rows:
                if origin not in ORIGINS:
                    raise RunFileError(f"{name} is neither {' nor '.join(ORIGINS)}: {origin!r}")
            if LEDGER in columns:
                with of_part("the ledger"):
                    decode_ledger(columns[LEDGER], samples)
            if FIGURES in columns:
                with of_part("the figures so far"):
                    decode_named(columns[FIGURES], samples)
            if BOOKINGS in columns:
                with of_part("the bookings"):
                    decode_bookings(columns[BOOKINGS])
            self._dies = columns.get(DIES, self._dies)
            if DETAIL not in columns or self._dies is None:  # an older program made it
                decode_series(layout, samples, columns)
                return
            with of_part("the rows of events"):
                events = decode_events(columns.get(EVENTS, b""), samples)
                if np.any(np.diff(events, prepend=0) < 0) or events[-1] > self._events:
                    raise RunFileError("they are out of order")
            with of_part("the differences between GPUs"):
                dies = dies_from_bytes(unpack(self._dies, MAX_BLOB_BYTES))
            DecodedBlock.of(layout, times_s, events, columns, dies)


def _snapshots(source: RunSource) -> Iterator[str]:
    end_s, events = source.progress()[:2]
    for number, t_s, before in source.rows("SELECT id, t, events FROM snapshots ORDER BY id"):
        try:
            with source.named(), of_part(state_at(t_s)):
                if not (isinstance(before, int) and 0.0 <= float(t_s) <= end_s and before <= events):
                    raise RunFileError("the run does not reach this time")
                ((data,),) = source.rows("SELECT data FROM snapshots WHERE id = ?", number)
                unpack(data, MAX_BLOB_BYTES)
        except (RunFileError, ValueError, TypeError) as error:
            yield str(error) if isinstance(error, RunFileError) else f"{source.path}: a snapshot is damaged"
