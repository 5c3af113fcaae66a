"""Columns that grow: what the queue's pictures are drawn from, as arrays that are always ready. No widgets."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from twin.arrays import Floats, Ints64


class End(IntEnum):
    """How a job left GPUs."""

    OPEN = 0  # it has not
    DONE = 1
    KILLED = 2  # or cancelled, or given up
    REQUEUED = 3
    PREEMPTED = 4
    CHANGED = 5  # it goes on, elsewhere or on fewer


class GrowingRows:
    """Rows of numbers, appended one by one; columns are views, valid until the next row."""

    def __init__(self, columns: int) -> None:
        self._data = np.zeros((columns, 256))
        self.count = 0

    def add(self, *values: float) -> int:
        """Append a row; return its number."""
        if self.count == self._data.shape[1]:
            self._data = np.concatenate((self._data, np.zeros_like(self._data)), axis=1)
        self._data[:, self.count] = values
        self.count += 1
        return self.count - 1

    def column(self, number: int) -> Floats:
        """Return a column."""
        return self._data[number, : self.count]


class Spans(GrowingRows):
    """Boxes of the chart: a job holds GPUs `low`..`high` (slots of the plant, fractions for parts) for a time."""

    def __init__(self) -> None:
        super().__init__(6)

    def open(self, job: int, low: float, high: float, begin_s: float) -> int:
        """Begin a box; return its number."""
        return self.add(job, low, high, begin_s, np.inf, End.OPEN)

    def close(self, number: int, end_s: float, how: End) -> None:
        """End a box."""
        self._data[4, number], self._data[5, number] = end_s, how

    @property
    def job(self) -> Ints64:
        """Return the job of each box."""
        return self.column(0).astype(np.int64)

    @property
    def low(self) -> Floats:
        """Return the first GPU of each box."""
        return self.column(1)

    @property
    def high(self) -> Floats:
        """Return the GPU behind each box."""
        return self.column(2)

    @property
    def begin_s(self) -> Floats:
        """Return when each box begins [s]."""
        return self.column(3)

    @property
    def end_s(self) -> Floats:
        """Return when each box ends [s]; inf: not yet."""
        return self.column(4)

    @property
    def how(self) -> Ints64:
        """Return how each box ends, see `End`."""
        return self.column(5).astype(np.int64)


class StepCurve:
    """A number that changes at times, such as GPUs held."""

    def __init__(self) -> None:
        self._grid = GrowingRows(2)
        self._grid.add(-np.inf, 0.0)
        self.now = 0.0

    def change(self, t_s: float, by: float) -> None:
        """Let it change by so much at `t_s` [s]."""
        self.now += by
        if abs(self.now) < 1e-9:
            self.now = 0.0
        self._grid.add(t_s, self.now)

    def at(self, t_s: Floats) -> Floats:
        """Return its value at times in order [s]."""
        return self._grid.column(1)[np.searchsorted(self._grid.column(0), t_s, "right") - 1]
