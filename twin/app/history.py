"""What the plots show: the site's figures over simulated time, in bounded memory, with every extreme kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]


class History:
    """Samples of some series over simulated time.

    The run's record is what counts (`merge`); what it has not reached yet is filled with frames (`append`). When
    full, the past is cut into even spans of time, and each keeps the least and the greatest value of every series in
    the order they came: a short dip shows in a run of any length, in constant memory.

    Parameters
    ----------
    names
        Of the series.
    capacity
        Samples kept at most.
    sums
        Of these, those that grow out of all samples before: the record alone knows them well.
    """

    def __init__(self, names: tuple[str, ...], capacity: int = 8192, sums: tuple[str, ...] = ()) -> None:
        self.names = names
        self.capacity = capacity
        self._columns = {name: i + 1 for i, name in enumerate(names)}
        self._sums = [self._columns[name] for name in sums]
        self._data = np.empty((len(names) + 1, capacity))
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0
        self._settled_s = -np.inf

    def __len__(self) -> int:
        return self._count

    def append(self, t_s: float, values: tuple[float, ...]) -> bool:
        """Add a sample at `t_s` [s]; return False when it is not after the last one."""
        if self._count and t_s <= self._data[0, self._count - 1]:
            return False
        if self._count == self.capacity:
            self._keep(_thinned(self._data, self.capacity // 4))
        self._data[0, self._count] = t_s
        self._data[1:, self._count] = values
        self._count += 1
        return True

    def merge(self, samples: Samples) -> None:
        """Take samples of the record: times [s] in the first row, series in the others, later than those before.

        Frames up to the last of them are replaced, unless they are more: a slow run shows more than is recorded.
        """
        samples = samples[:, samples[0] > self._settled_s]
        if not samples.shape[1]:
            return
        held = self._data[:, : self._count]
        begin = int(np.searchsorted(held[0], self._settled_s, "right"))
        end = int(np.searchsorted(held[0], samples[0, -1], "right"))
        if end - begin > samples.shape[1]:
            frames = held[:, begin:end].copy()
            for row in self._sums:
                frames[row] = np.interp(frames[0], samples[0], samples[row])
            both = np.concatenate((samples, frames), axis=1)
            _, first = np.unique(both[0], return_index=True)
            samples = both[:, first]
        self._settled_s = float(samples[0, -1])
        whole = np.concatenate((held[:, :begin], samples, held[:, end:]), axis=1)
        self._keep(whole if whole.shape[1] <= self.capacity else _thinned(whole, self.capacity // 4))

    def times_s(self) -> Samples:
        """Return the times of the samples [s]; a view, valid until the next change."""
        return self._data[0, : self._count]

    def series(self, name: str) -> Samples:
        """Return one series; a view, valid until the next change."""
        return self._data[self._columns[name], : self._count]

    def at(self, name: str, t_s: float) -> float:
        """Return the last value of a series up to a time [s]; nan before the first."""
        place = int(np.searchsorted(self.times_s(), t_s, "right")) - 1
        return float(self.series(name)[place]) if place >= 0 else float(np.nan)

    def _keep(self, data: Samples) -> None:
        self._count = data.shape[1]
        self._data[:, : self._count] = data


def _thinned(data: Samples, spans: int) -> Samples:
    """Return at most two samples of each of `spans` even spans of time, with the extremes of every series."""
    t_s = data[0]
    width_s = (t_s[-1] - t_s[0]) / spans
    _, first = np.unique(np.minimum((t_s - t_s[0]) // width_s, spans - 1), return_index=True)
    last = np.append(first[1:], len(t_s)) - 1
    out = np.empty((len(data), 2 * len(first)))
    out[0, ::2], out[0, 1::2] = t_s[first], t_s[last]
    for row in range(1, len(data)):
        low, high = np.fmin.reduceat(data[row], first), np.fmax.reduceat(data[row], first)
        rises = data[row][first] <= data[row][last]
        out[row, ::2], out[row, 1::2] = np.where(rises, low, high), np.where(rises, high, low)
    return out[:, np.concatenate(([True], np.diff(out[0]) > 0))]
