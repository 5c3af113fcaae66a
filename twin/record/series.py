"""Blocks of samples: the storage of series and single GPUs in a run file.

A sample is the part of a packed frame behind the channels of GPUs and nodes, the figures these follow from, and the
ledger. A block holds up to some hundred samples, each channel as one column (`columns`), rounded to its quantum: a
curve of one rack decodes one column, a picture of one time the block it lies in, and nothing else.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import FIELDS
from twin.record.bookings import Booked, joined
from twin.record.channels import SERIES_CHANNELS, Channel
from twin.record.columns import SparseColumnBuilder, encode_dense
from twin.record.detail import COLUMNS, Detail, packed_groups, room_for
from twin.record.frame import FrameLayout

MAX_SAMPLES = 256
MAX_BLOCK_BYTES = 4 * 2**20
MAX_CHANGE_BYTES = 16 * 2**20
"""Changes that a block takes, of what has a value for each of thousands."""
MANY = 1000
"""Entities of a channel above which only those that move have a column."""
ENOUGH_SAMPLES = 32
"""A block with so many is not written again when more samples come."""
DETAIL, LEDGER, EVENTS, DIES = "detail", "ledger", "events", "dies"
BOOKINGS, FIGURES = "bookings", "figures"
"""Names, in the place of channels, of what else a block has: how its detail is laid out, accounts, rows of events at
each sample, what sets GPUs apart; bookings of the ledger, figures of the run so far at each sample."""


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


@dataclass(frozen=True)
class _Run:
    """Channels side by side in a packed frame: where they begin there and in a row, and how long they are [B]."""

    source: int
    target: int
    size: int


class Block:
    """The block that is being filled."""

    def __init__(self, layout: FrameLayout) -> None:
        channels = [c for c in SERIES_CHANNELS if layout.counts.get(c.entity, 0)]
        self._counts = layout.counts
        self._offsets = layout.offsets
        many = [c for c in channels if self._count(c) > MANY]
        self._wide = {c.id: SparseColumnBuilder(c.dtype, c.quantum) for c in many}
        self._views = {c.id: self._view(c) for c in many}
        self._narrow = [c for c in channels if c.id not in self._wide]
        self._runs, self._places, width = self._pack(channels)
        self._capacity = int(np.clip(MAX_BLOCK_BYTES // max(width, 1), ENOUGH_SAMPLES, MAX_SAMPLES))
        self._rows = np.zeros((self._capacity, width), np.uint8)
        self._times = np.zeros(self._capacity)
        self._events = np.zeros(self._capacity, np.int64)
        self._detail = {name: SparseColumnBuilder(dtype) for name, dtype in COLUMNS.items()}
        self._room = 0  # for groups
        self._ledger, self._figures = _Named(), _Named()
        self._booked: list[Booked] = []
        self.samples = 0

    def _count(self, channel: Channel) -> int:
        return self._counts.get(channel.entity, 0)

    def _pack(self, all_channels: list[Channel]) -> tuple[list[_Run], dict[str, int], int]:
        """Lay the narrow channels side by side: runs of a packed frame, where each begins in a row, its width [B]."""
        runs: list[_Run] = []
        places: dict[str, int] = {}
        width = 0
        for wide, channels in groupby(all_channels, lambda c: c.id in self._wide):
            if wide:
                continue
            together = list(channels)
            begin, last = self._offsets[together[0].id], together[-1]
            size = self._offsets[last.id] + self._count(last) * np.dtype(last.dtype).itemsize - begin
            places |= {c.id: width + self._offsets[c.id] - begin for c in together}
            runs.append(_Run(begin, width, size))
            width += -(-size // 8) * 8
        return runs, places, width

    @property
    def full(self) -> bool:
        """Return whether the block is full."""
        if self.samples == self._capacity:
            return True
        parts = (*self._wide.values(), *self._detail.values())
        return sum(part.nbytes for part in parts) > MAX_CHANGE_BYTES

    @property
    def enough(self) -> bool:
        """Return whether it has enough samples for a next block."""
        return self.samples >= ENOUGH_SAMPLES

    @property
    def times_s(self) -> NDArray[np.float64]:
        """Return the times of the samples so far [s]."""
        return self._times[: self.samples]

    def fits(
        self,
        detail: Detail | None,
        ledger: Mapping[str, float] | None,
        figures: Mapping[str, float] | None = None,
    ) -> bool:
        """Return whether a sample fits the block: the same detail, and room for its groups."""
        if not self.samples:
            return True
        room = 0 if detail is None else detail.groups.die_c.size
        same = self._ledger.has(ledger) and self._figures.has(figures)
        return (room > 0) == (self._room > 0) and room <= self._room and same

    def add(
        self,
        t_s: float,
        packed: NDArray[np.uint8],
        events: int = 0,
        detail: Detail | None = None,
        ledger: Mapping[str, float] | None = None,
        figures: Mapping[str, float] | None = None,
        booked: Booked | None = None,
    ) -> None:
        """Take one sample: bytes of a packed frame of the layout, rows of events, single GPUs, accounts, figures."""
        row = self._rows[self.samples]
        self._times[self.samples], self._events[self.samples] = t_s, events
        for run in self._runs:
            row[run.target : run.target + run.size] = packed[run.source : run.source + run.size]
        for id, changes in self._wide.items():
            part, kind = self._views[id]
            changes.add(packed[part].view(kind))
        if not self.samples:
            self._room = 0 if detail is None else room_for(detail.groups)
        if detail is not None:
            self._detail["groups"].add(packed_groups(detail.groups, self._room))
            for name in ("group", "job", "state", "condition", "seat"):
                self._detail[name].add(getattr(detail, name))
        self._ledger.add(ledger)
        self._figures.add(figures)
        if booked is not None:
            self._booked.append(booked)
        self.samples += 1

    def add_booked(self, booked: Booked) -> None:
        """Take the bookings since the last sample."""
        self._booked.append(booked)

    @property
    def booked(self) -> Booked | None:
        """Return the bookings of this block up to now; None: none were reported."""
        self._booked = [joined(self._booked)] if self._booked else []
        return self._booked[0] if self._booked else None

    def _view(self, channel: Channel) -> tuple[slice, np.dtype[Any]]:
        """Return the place of a channel in a packed frame, and the type of its values."""
        kind, begin = np.dtype(channel.dtype), self._offsets[channel.id]
        return slice(begin, begin + self._count(channel) * kind.itemsize), kind

    def clear(self) -> None:
        """Begin the next block."""
        self.samples = 0
        self._ledger, self._figures = _Named(), _Named()
        self._booked.clear()
        for part in (*self._wide.values(), *self._detail.values()):
            part.clear()

    def columns(self) -> list[tuple[str, bytes]]:
        """Return (name, bytes) of every column: the channels that have entities, and the other columns."""
        out = [(id, changes.encode()) for id, changes in self._wide.items()]
        for channel in self._narrow:
            begin, kind = self._places[channel.id], np.dtype(channel.dtype)
            cut = self._rows[: self.samples, begin : begin + self._count(channel) * kind.itemsize]
            out.append((channel.id, encode_dense(cut.view(kind), channel.quantum)))
        out.append((EVENTS, _packed(self._events[: self.samples].tobytes())))
        if self._room:
            out += [(f"{DETAIL}.{name}", changes.encode()) for name, changes in self._detail.items()]
            out.append((DETAIL, _packed(json.dumps({"fields": FIELDS, "room": self._room}).encode())))
        out += [
            (id, rows.encode())
            for id, rows in ((LEDGER, self._ledger), (FIGURES, self._figures))
            if rows.names
        ]
        if (booked := self.booked) is not None:
            out.append((BOOKINGS, booked.encode()))
        return out


class _Named:
    """Numbers by name at each sample of a block."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._rows: list[list[float]] = []

    def has(self, numbers: Mapping[str, float] | None) -> bool:
        """Return whether numbers have the names of those before."""
        return tuple(numbers or ()) == self.names

    def add(self, numbers: Mapping[str, float] | None) -> None:
        """Take those of the next sample."""
        if not self._rows:
            self.names = tuple(numbers or ())
        if numbers:
            self._rows.append([*numbers.values()])

    def encode(self) -> bytes:
        """Return them as a column."""
        return encode_named(self.names, np.array(self._rows, np.float64))


def encode_named(names: Sequence[str], rows: NDArray[np.float64]) -> bytes:
    """Return numbers by name as a column, samples x names."""
    text = json.dumps(list(names)).encode()
    return _packed(len(text).to_bytes(4, "little") + text + rows.tobytes())


def _packed(data: bytes) -> bytes:
    return zlib.compress(data, 1)


def condense(t_s: NDArray[np.float64], values: NDArray[np.float32], points: int) -> Series:
    """Return samples as a curve of at most `points` points that keeps every extreme.

    Samples are not evenly apart: one follows each warning. In the mean each counts for the time until the next one.
    """
    if len(t_s) <= points:
        return Series(t_s, values, values, values)
    edges = np.linspace(0, len(t_s), points + 1).astype(np.int64)[:-1]
    lasts_s = np.diff(t_s, append=t_s[-1])
    lasts_s[np.repeat(np.add.reduceat(lasts_s, edges) <= 0.0, np.diff(edges, append=len(t_s)))] = 1.0
    mean = np.add.reduceat(lasts_s * values, edges) / np.add.reduceat(lasts_s, edges)
    return Series(
        t_s[edges],
        np.fmin.reduceat(values, edges),
        mean.astype(np.float32),
        np.fmax.reduceat(values, edges),
    )
