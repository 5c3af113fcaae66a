"""Blocks of samples: what series are made of in a run file.

A sample is the part of a packed frame behind the channels of GPUs and nodes. A block holds up to some
hundred samples; each channel is one column of it, rounded to the channel's quantum, as float32 (bytes stay bytes)
with the samples of one entity side by side, compressed. So a curve of one rack decodes one column, and
values that stand still cost little. Of a channel with thousands of entities, such as jobs, a block holds the first
sample of all of them and the whole column of those only whose value moves within the block.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.channels import CHANNELS, Channel
from twin.record.frame import Layout
from twin.record.runfile import MAX_BLOB_BYTES, RunFileError

SERIES_CHANNELS: tuple[Channel, ...] = tuple(c for c in CHANNELS if c.entity not in ("gpu", "node"))
"""Channels that are recorded as series; those of single GPUs and nodes are not."""

MAX_SAMPLES = 256
MAX_BLOCK_BYTES = 4 * 2**20
MANY = 1000
"""Entities of a channel above which only those that move have a column."""
LARGE_SAMPLES = 64
"""Samples of a block that would hold fewer by its size."""
_LEVEL = 1


@dataclass(frozen=True)
class Series:
    """A curve; where samples are many, each point stands for several of them.

    Parameters
    ----------
    t_s
        Time of each point [s].
    low, mean, high
        Least, mean and largest value of the samples behind each point, in the channel's unit.
    """

    t_s: NDArray[np.float64]
    low: NDArray[np.float32]
    mean: NDArray[np.float32]
    high: NDArray[np.float32]


class Block:
    """The block that is being filled."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._begin = layout.offsets[SERIES_CHANNELS[0].id]
        width = layout.nbytes - self._begin
        self._capacity = int(np.clip(MAX_BLOCK_BYTES // max(width, 1), LARGE_SAMPLES, MAX_SAMPLES))
        self._rows = np.zeros((self._capacity, width), np.uint8)
        self._times = np.zeros(self._capacity)
        self.samples = 0

    @property
    def full(self) -> bool:
        """Say whether nothing more fits."""
        return self.samples == self._capacity

    @property
    def times_s(self) -> NDArray[np.float64]:
        """Return the times of the samples so far [s]."""
        return self._times[: self.samples]

    def add(self, t_s: float, packed: NDArray[np.uint8]) -> None:
        """Take one sample: the bytes of a packed frame of the layout."""
        self._times[self.samples] = t_s
        self._rows[self.samples] = packed[self._begin :]
        self.samples += 1

    def clear(self) -> None:
        """Begin the next block."""
        self.samples = 0

    def columns(self) -> list[tuple[str, bytes]]:
        """Return (channel id, compressed column) of every channel that has entities."""
        out = []
        for channel in SERIES_CHANNELS:
            count = self._layout.counts.get(channel.entity, 0)
            if count:
                begin = self._layout.offsets[channel.id] - self._begin
                kind = np.dtype(channel.dtype)
                cut = self._rows[: self.samples, begin : begin + count * kind.itemsize]
                out.append((channel.id, encode(cut.view(kind), channel.quantum)))
        return out


def encode(values: NDArray[np.generic], quantum: float) -> bytes:
    """Return samples x entities as one compressed column, rounded to `quantum` (0: as they are)."""
    if values.shape[1] <= MANY:
        return zlib.compress(_column(values, quantum).tobytes(), _LEVEL)
    moving = (values != values[0]).any(axis=0)
    column = _column(values[:, moving], quantum)
    moves = (column != column[:, :1]).any(axis=1)  # still when rounded
    moving[moving] = moves
    parts = (
        _column(values[:1], quantum).tobytes(),
        np.packbits(moving).tobytes(),
        column[moves].tobytes(),
    )
    return zlib.compress(b"".join(parts), _LEVEL)


def _column(values: NDArray[np.generic], quantum: float) -> NDArray[np.generic]:
    """Return samples x entities as rounded entities x samples."""
    if values.dtype == np.uint8:
        return np.ascontiguousarray(values.T)
    column = values.T.astype(np.float32, order="C")
    if quantum:
        np.rint(column * np.float32(1.0 / quantum), out=column)
        column *= np.float32(quantum)
    return column


def decode(blob: bytes, samples: int, entities: int, dtype: str) -> NDArray[np.float32]:
    """Return a column of a channel of type `dtype` as entities x samples.

    Raises
    ------
    RunFileError
        When the bytes are no column of this size.
    """
    kind = np.dtype(np.uint8 if dtype == "u1" else np.float32)
    size = samples * entities * kind.itemsize
    if not 0 < size <= MAX_BLOB_BYTES:
        raise RunFileError(f"a series block claims {samples} samples of {entities} entities")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(blob, size + entities * kind.itemsize + entities)
    except zlib.error as error:
        raise RunFileError("a series block is damaged") from error
    if entities > MANY:
        return _filled(raw, samples, entities, kind)
    if len(raw) != size or not unpacker.eof:
        raise RunFileError(f"a series block holds {len(raw)} bytes where {size} belong")
    return np.frombuffer(raw, kind).reshape(entities, samples).astype(np.float32, copy=False)


def _filled(raw: bytes, samples: int, entities: int, kind: np.dtype[Any]) -> NDArray[np.float32]:
    """Return the whole column of which `raw` holds the first sample and the rows that move."""
    first, bits = entities * kind.itemsize, -(-entities // 8)
    if len(raw) < first + bits:
        raise RunFileError(f"a series block holds {len(raw)} bytes, too few for {entities} entities")
    marks = np.frombuffer(raw, np.uint8, bits, first)
    moving = np.unpackbits(marks, count=entities).astype(bool)
    count = int(moving.sum())
    if len(raw) != first + bits + count * samples * kind.itemsize:
        raise RunFileError(f"a series block holds {len(raw)} bytes, not those of {count} moving entities")
    column = np.repeat(np.frombuffer(raw, kind, entities).astype(np.float32)[:, None], samples, axis=1)
    column[moving] = np.frombuffer(raw, kind, count * samples, first + bits).reshape(count, samples)
    return column


def condense(t_s: NDArray[np.float64], values: NDArray[np.float32], points: int) -> Series:
    """Return samples as a curve of at most `points` points that keeps every extreme."""
    if len(t_s) <= points:
        return Series(t_s, values, values, values)
    edges = np.linspace(0, len(t_s), points + 1).astype(np.int64)[:-1]
    counts = np.diff(np.append(edges, len(t_s)))
    mean = np.add.reduceat(values.astype(np.float64), edges) / counts
    return Series(
        t_s[edges],
        np.fmin.reduceat(values, edges),
        mean.astype(np.float32),
        np.fmax.reduceat(values, edges),
    )
