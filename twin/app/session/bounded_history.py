"""What the plots show: the site's figures over simulated time, in bounded memory, with every extreme kept."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats


class BoundedHistory:
    """Samples of some series over simulated time.

    The run's record is what counts (`merge`); what it has not reached yet is filled with frames (`append`). When
    full, the past is cut into even spans of time, and each keeps the least and the greatest value of every series in
    the order they came: a short dip shows in a run of any length, in constant memory. So that a dip does not count for
    more than it lasted, each sample also carries the mean since the one before.

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
        self._data = np.empty((2 * len(names) + 1, capacity))  # times, series, means
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0
        self._settled_s = -np.inf
        self._latest: tuple[float, ...] = (np.nan,) * len(self.names)  # what holds, whatever is kept of it

    def __len__(self) -> int:
        return self._count

    def append(self, t_s: float, values: tuple[float, ...]) -> bool:
        """Add a sample at `t_s` [s]; return False when it is not after the last one."""
        if self._count and t_s <= self._data[0, self._count - 1]:
            return False
        if self._count == self.capacity:
            self._keep(_thinned(self._data, self.capacity // 4))
        self._data[0, self._count] = t_s
        series, means = self._data[1 : len(self.names) + 1], self._data[len(self.names) + 1 :]
        means[:, self._count] = self._latest
        series[:, self._count] = self._latest = values
        self._count += 1
        return True

    def cut(self, t_s: float) -> None:
        """Forget the samples after a time [s]."""
        self._count = int(np.searchsorted(self.times_s(), t_s, "right"))
        self._settled_s = min(self._settled_s, t_s)
        last = self._data[1 : len(self.names) + 1, self._count - 1] if self._count else None
        self._latest = (np.nan,) * len(self.names) if last is None else tuple(last.tolist())

    def merge(self, samples: Floats) -> None:
        """Take samples of the record: times [s] in the first row, series in the others, later than those before.

        Frames up to the last of them are replaced, unless they are more: a slow run shows more than is recorded.
        """
        samples = samples[:, samples[0] > self._settled_s]
        if not samples.shape[1]:
            return
        held = self._data[:, : self._count]
        begin = int(np.searchsorted(held[0], self._settled_s, "right"))
        end = int(np.searchsorted(held[0], samples[0, -1], "right"))
        frames = held[:, begin:end]
        before = held[1 : len(self.names) + 1, max(begin - 1, 0) : begin]
        samples = np.concatenate((samples, _held(samples[1:], before)))
        if frames.shape[1] > samples.shape[1]:
            samples = self._with_frames(samples, frames.copy())
        self._settled_s = float(samples[0, -1])
        whole = np.concatenate((held[:, :begin], samples, held[:, end:]), axis=1)
        self._latest = tuple(whole[1 : len(self.names) + 1, -1].tolist())
        self._keep(whole if whole.shape[1] <= self.capacity else _thinned(whole, self.capacity // 4))

    def times_s(self) -> Floats:
        """Return the times of the samples [s]; a view, valid until the next change."""
        return self._data[0, : self._count]

    def series(self, name: str) -> Floats:
        """Return one series; a view, valid until the next change."""
        return self._data[self._columns[name], : self._count]

    def means(self, name: str) -> Floats:
        """Return the mean of one series from the sample before up to each sample, nan where it is not known; a view."""
        return self._data[self._columns[name] + len(self.names), : self._count]

    def at(self, name: str, t_s: float) -> float:
        """Return the last value of a series up to a time [s]; nan before the first.

        Of sums the last that is known: a frame of a run that goes on comes before its record is read.
        """
        values = self.series(name)[: int(np.searchsorted(self.times_s(), t_s, "right"))]
        if self._columns[name] in self._sums:
            values = values[~np.isnan(values)]
        return float(values[-1]) if len(values) else float(np.nan)

    def _with_frames(self, samples: Floats, frames: Floats) -> Floats:
        """Return samples of the record and frames between them, in order of time."""
        for row in self._sums:
            frames[row] = np.interp(frames[0], samples[0], samples[row])
            frames[row + len(self.names)] = frames[row]  # it hardly moves between two frames
        after = np.searchsorted(frames[0], samples[0])
        within = after < frames.shape[1]  # of what lies between two frames, the later one knows the mean
        means = slice(len(self.names) + 1, None)
        samples[means, within] = frames[means, after[within]]
        both = np.concatenate((samples, frames), axis=1)
        _, first = np.unique(both[0], return_index=True)
        return both[:, first]

    def _keep(self, data: Floats) -> None:
        self._count = data.shape[1]
        self._data[:, : self._count] = data


def _held(series: Floats, before: Floats) -> Floats:
    """Return the mean up to each sample where each value holds until the next; `before`: one sample or none."""
    first = before if before.shape[1] else np.full((len(series), 1), np.nan)
    return np.concatenate((first, series[:, :-1]), axis=1)


def _thinned(data: Floats, spans: int) -> Floats:
    """Return at most two samples of each of `spans` even spans of time, with the extremes and means of every series."""
    t_s, count = data[0], len(data) // 2
    width_s = (t_s[-1] - t_s[0]) / spans
    _, first = np.unique(np.minimum((t_s - t_s[0]) // width_s, spans - 1), return_index=True)
    last = np.append(first[1:], len(t_s)) - 1
    out = np.empty((len(data), 2 * len(first)))
    out[0, ::2], out[0, 1::2] = t_s[first], t_s[last]
    within_s = np.diff(t_s, prepend=t_s[0])
    within_s[first] = 0.0  # that is between two spans
    for row in range(1, count + 1):
        low, high = np.fmin.reduceat(data[row], first), np.fmax.reduceat(data[row], first)
        rises = data[row][first] <= data[row][last]
        out[row, ::2], out[row, 1::2] = np.where(rises, low, high), np.where(rises, high, low)
        means = data[row + count]
        known_s = np.where(np.isfinite(means), within_s, 0.0)
        area, time_s = np.add.reduceat(np.nan_to_num(means) * known_s, first), np.add.reduceat(known_s, first)
        out[row + count, ::2] = means[first]
        out[row + count, 1::2] = np.divide(area, time_s, out=np.full_like(area, np.nan), where=time_s > 0)
    return out[:, np.concatenate(([True], np.diff(out[0]) > 0))]
