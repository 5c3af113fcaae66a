"""Columns of a block: the values of many entities at some hundred times, in few bytes.

A *dense* column holds every entity at every sample, those of one entity side by side. A *sparse* one holds all
entities at the first sample, and every sample of those only that move within the block: of thousands of jobs or GPUs
few do. Both are compressed; values are float32, or bytes where they are bytes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import AnyArray
from twin.record.runfile import MAX_BLOB_BYTES, RunFileError

_LEVEL = 1
_LENGTH = 4
_MARK = b"\x00"  # no compressed bytes begin so


class SparseColumnBuilder:
    """A sparse column while it is filled.

    Parameters
    ----------
    dtype
        Of the values: ``u1`` or ``f4`` in the file.
    quantum
        They are rounded to it; 0: kept as they are.
    """

    def __init__(self, dtype: str = "f4", quantum: float = 0.0) -> None:
        self._kind = np.dtype(np.uint8 if dtype == "u1" else np.float32)
        self._quantum = quantum
        self.clear()

    def clear(self) -> None:
        """Begin the next block."""
        self._first: AnyArray | None = None
        self._last: AnyArray | None = None
        self._begin: bytes | None = None  # `first`, compressed
        self._given: object = None
        self._samples: list[tuple[NDArray[np.intp], AnyArray]] = []
        self.nbytes = 0

    def add(self, values: AnyArray) -> None:
        """Take the values of all entities at the next sample; as many as before."""
        if self._first is None or self._last is None:
            self._first, self._last = self._rounded(values), values.copy()
        elif values is not self._given:
            (moved,) = (values != self._last).nonzero()
            if moved.size:
                new = values[moved]
                self._last[moved] = new
                self.nbytes += moved.nbytes + new.nbytes
                self._samples.append((moved, new))
            else:
                self._samples.append(_NONE)
        else:
            self._samples.append(_NONE)
        self._given = values

    def _rounded(self, values: AnyArray) -> AnyArray:
        if self._kind == np.uint8:
            return values.astype(np.uint8)
        if self._quantum:
            return _round(values, self._quantum)
        return values.astype(np.float32)

    def encode(self) -> bytes:
        """Return the column of all samples so far."""
        assert self._first is not None
        first, entities, samples = self._first, len(self._first), len(self._samples) + 1
        moving, kept = np.zeros(entities, bool), b""
        since = [(k, place, new) for k, (place, new) in enumerate(self._samples, 1) if place.size]
        for _, place, _ in since:
            moving[place] = True
        if since:
            rows = np.cumsum(moving) - 1
            column = np.repeat(first[moving][None, :], samples, axis=0)  # samples x entities that move
            for n, (k, place, new) in enumerate(since):
                until = since[n + 1][0] if n + 1 < len(since) else samples
                if k > 1:
                    column[k:until] = column[k - 1]
                column[k:until, rows[place]] = self._rounded(new)
            if self._quantum:
                moves = (column != column[0]).any(axis=0)  # still when rounded
                moving[moving] = moves
                column = column[:, moves]
            kept = np.ascontiguousarray(column.T).tobytes()
        if self._begin is None:
            self._begin = zlib.compress(first.tobytes(), _LEVEL)
        rest = zlib.compress(np.packbits(moving).tobytes() + kept, _LEVEL)
        return _MARK + len(self._begin).to_bytes(_LENGTH, "little") + self._begin + rest


_NONE = (np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True)
class Sparse:
    """A sparse column as it is read.

    Parameters
    ----------
    first
        All entities at the first sample.
    moving
        Entities that move.
    rows
        Their values, moving entities x samples.
    """

    first: AnyArray
    moving: NDArray[np.intp]
    rows: AnyArray

    def at(self, sample: int) -> AnyArray:
        """Return all entities at a sample."""
        values = self.first.copy()
        if self.moving.size:
            values[self.moving] = self.rows[:, sample]
        return values

    def head(self, samples: int) -> bytes:
        """Return the column of the first `samples` samples, as it is written."""
        moving = np.zeros(len(self.first), bool)
        moving[self.moving] = True
        begin = zlib.compress(self.first.tobytes(), _LEVEL)
        kept = np.ascontiguousarray(self.rows[:, :samples])
        rest = zlib.compress(np.packbits(moving).tobytes() + kept.tobytes(), _LEVEL)
        return _MARK + len(begin).to_bytes(_LENGTH, "little") + begin + rest

    def whole(self) -> NDArray[np.float32]:
        """Return entities x samples."""
        column = np.repeat(self.first.astype(np.float32)[:, None], self.rows.shape[1], axis=1)
        column[self.moving] = self.rows
        return column


@dataclass(frozen=True)
class Dense:
    """A dense column as it is read: entities x samples."""

    rows: AnyArray

    def at(self, sample: int) -> AnyArray:
        """Return all entities at a sample."""
        values: AnyArray = self.rows[:, sample]
        return values

    def head(self, samples: int) -> bytes:
        """Return the column of the first `samples` samples, as it is written."""
        return zlib.compress(np.ascontiguousarray(self.rows[:, :samples]).tobytes(), _LEVEL)

    def whole(self) -> NDArray[np.float32]:
        """Return entities x samples."""
        return self.rows.astype(np.float32, copy=False)


def encode_dense(values: AnyArray, quantum: float) -> bytes:
    """Return samples x entities as one compressed dense column, rounded to `quantum` (0: as they are)."""
    if values.dtype == np.uint8:
        return zlib.compress(np.ascontiguousarray(values.T).tobytes(), _LEVEL)
    column = np.ascontiguousarray(values.T)
    return zlib.compress(
        (_round(column, quantum) if quantum else column.astype(np.float32)).tobytes(), _LEVEL
    )


def _round(values: AnyArray, quantum: float) -> NDArray[np.float32]:
    rounded = values.astype(np.float32)
    np.rint(rounded * np.float32(1.0 / quantum), out=rounded)
    rounded *= np.float32(quantum)
    return rounded


def decode_dense(blob: bytes, samples: int, entities: int, dtype: str) -> Dense:
    """Return a dense column of a channel of type `dtype`.

    Raises
    ------
    RunFileError
        When the bytes are no column of this size.
    """
    kind = _kind(dtype)
    size = _size(samples, entities, kind)
    raw = unpack(blob, size)
    if len(raw) != size:
        raise RunFileError(f"a column holds {len(raw)} bytes where {size} belong")
    return Dense(np.frombuffer(raw, kind).reshape(entities, samples))


def decode_sparse(blob: bytes, samples: int, entities: int, dtype: str) -> Sparse:
    """Return a sparse column of a channel of type `dtype`.

    Raises
    ------
    RunFileError
        When the bytes are no column of this size.
    """
    kind = _kind(dtype)
    size, bits = _size(samples, entities, kind), -(-entities // 8)
    if blob[:1] == _MARK:
        begin = 1 + _LENGTH
        end = begin + int.from_bytes(blob[1:begin], "little")
        first, rest = unpack(blob[begin:end], entities * kind.itemsize), unpack(blob[end:], size + bits)
    else:  # a file of version 1: all in one piece
        whole = unpack(blob, entities * kind.itemsize + bits + size)
        first, rest = whole[: entities * kind.itemsize], whole[entities * kind.itemsize :]
    if len(first) != entities * kind.itemsize or len(rest) < bits:
        raise RunFileError(f"a column holds too few bytes for {entities} entities")
    moving = np.flatnonzero(np.unpackbits(np.frombuffer(rest, np.uint8, bits), count=entities))
    count = len(moving)
    if len(rest) != bits + count * samples * kind.itemsize:
        raise RunFileError(f"a column holds {len(rest)} bytes, not those of {count} moving entities")
    rows = np.frombuffer(rest, kind, count * samples, bits).reshape(count, samples)
    return Sparse(np.frombuffer(first, kind), moving, rows)


def _kind(dtype: str) -> np.dtype[Any]:
    return np.dtype(np.uint8 if dtype == "u1" else np.float32)


def _size(samples: int, entities: int, kind: np.dtype[Any]) -> int:
    """Return the size of a whole column [B]; `RunFileError` where it is none."""
    size = samples * entities * kind.itemsize
    if not 0 < size <= MAX_BLOB_BYTES:
        raise RunFileError(f"a column claims {samples} samples of {entities} entities")
    return size


def unpack(blob: bytes, limit: int) -> bytes:
    """Return the decompressed data, at most `limit` bytes of it.

    Raises
    ------
    RunFileError
        When it is damaged, cut off or larger.
    """
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(blob, max(limit, 1))
    except (zlib.error, TypeError, ValueError) as error:
        raise RunFileError("a block is damaged") from error
    if not unpacker.eof:
        raise RunFileError("a block is truncated or too large")
    return raw
