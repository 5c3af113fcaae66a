"""What the plots show: the site's figures over simulated time, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class History:
    """Samples of some series over simulated time; when full, they are thinned to an even spacing.

    So a run of any length keeps its whole past at the resolution a plot can show, in constant memory.

    Parameters
    ----------
    names
        Of the series.
    capacity
        Samples kept at most.
    """

    def __init__(self, names: tuple[str, ...], capacity: int = 8192) -> None:
        self.names = names
        self.capacity = capacity
        self._columns = {name: i + 1 for i, name in enumerate(names)}
        self._data = np.empty((len(names) + 1, capacity))
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0
        self._spacing_s = 0.0

    def __len__(self) -> int:
        return self._count

    def append(self, t_s: float, values: tuple[float, ...]) -> bool:
        """Add a sample at `t_s` [s]; return False when it is too close to the last one, or not after it."""
        if self._count and t_s <= self._data[0, self._count - 1] + self._spacing_s:
            return False
        if self._count == self.capacity:
            self._thin()
        self._data[0, self._count] = t_s
        self._data[1:, self._count] = values
        self._count += 1
        return True

    def times_s(self) -> NDArray[np.float64]:
        """Return the times of the samples [s]; a view, valid until the next `append`."""
        return self._data[0, : self._count]

    def series(self, name: str) -> NDArray[np.float64]:
        """Return one series; a view, valid until the next `append`."""
        return self._data[self._columns[name], : self._count]

    def _thin(self) -> None:
        since_s = self._data[0] - self._data[0, 0]
        self._spacing_s = 2.0 * since_s[-1] / self.capacity
        _, first = np.unique(np.floor(since_s / self._spacing_s), return_index=True)
        self._count = len(first)
        self._data[:, : self._count] = self._data[:, first]
