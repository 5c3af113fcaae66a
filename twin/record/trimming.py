"""A block of a run file cut at a time: the part of the parent's block that a branch keeps."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.record.blocks import decode_named
from twin.record.frame import FrameLayout
from twin.record.pictures import Pictures
from twin.record.series import BOOKINGS, DETAIL, DIES, EVENTS, FIGURES, LEDGER, encode_named
from twin.record.source import RunSource, stretch


@dataclass(frozen=True)
class BlockHead:
    """The first samples of a block.

    Parameters
    ----------
    number
        Of the block.
    times_s
        Of the samples [s].
    columns
        As they are written, without bookings.
    """

    number: int
    times_s: NDArray[np.float64]
    columns: Mapping[str, bytes]


def block_head(source: RunSource, pictures: Pictures, layout: FrameLayout, at_s: float) -> BlockHead | None:
    """Return the samples before `at_s` [s] of the block that contains it; None: none.

    Values are those that are read of the whole block, bit by bit. `layout` is that of files that do not say when it
    changed.

    Raises
    ------
    RunFileError
        When the block is damaged.
    """
    rows = source.rows(
        "SELECT id, times, samples, t0, t1 FROM blocks WHERE t0 < ? AND t1 >= ? ORDER BY id LIMIT 1",
        at_s,
        at_s,
    )
    if not rows:
        return None
    number, stamps, samples, begin_s, end_s = (int(rows[0][0]), *rows[0][1:])
    times_s = source.times_s(stamps, samples, begin_s, end_s)
    kept = int(np.searchsorted(times_s, at_s, "left"))
    with source.named(stretch(begin_s, end_s)):
        block = pictures.block(number, times_s, layout)
        columns = {id: column.head(kept) for id, column in block.series.items()}
        for name, column in block.detail.items():
            columns[f"{DETAIL}.{name}"] = column.head(kept)
        columns[EVENTS] = zlib.compress(block.events[:kept].tobytes(), 1)
        for name, data in source.rows("SELECT channel, data FROM series WHERE block = ?", number):
            if name in (LEDGER, FIGURES):
                names, values = decode_named(data, len(times_s))
                columns[name] = encode_named(names, values[:kept])
            elif name in (DETAIL, DIES):
                columns[name] = data
            elif name != BOOKINGS and name not in columns:
                columns[name] = data  # of no entities: it holds nothing
    return BlockHead(number, times_s[:kept], columns)
