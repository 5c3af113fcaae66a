"""Rows of entries that are worked out when they are asked for and kept, and the numbers of their keys."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints64


class KeyNumbers:
    """Numbers of keys, from 0 in the order in which they came."""

    def __init__(self) -> None:
        self._keys = np.zeros(0, np.int64)  # sorted
        self._number = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, keys: Ints64) -> Ints64:
        """Return the number of each key, -1 where it is not known."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._number[place], -1)

    def of(self, keys: Ints64) -> tuple[Ints64, Ints64]:
        """Return the number of each key, and the keys that had none until now, in the order of their numbers."""
        found = self.find(keys)
        new = np.unique(keys[found < 0])
        if len(new):
            place = np.searchsorted(self._keys, new)
            self._number = np.insert(self._number, place, len(self._keys) + np.arange(len(new)))
            self._keys = np.insert(self._keys, place, new)
            found = self.find(keys)
        return found, new


class EntryRows:
    """Rows of entries (number, share), of any length each; more are added behind."""

    def __init__(self) -> None:
        self._first = np.zeros(1, np.int64)
        self._number = np.zeros(0, np.int64)
        self._share = np.zeros(0)

    def __len__(self) -> int:
        return len(self._first) - 1

    def add(self, count: Ints64, number: Ints64, share: Floats) -> None:
        """Add rows of `count` entries each."""
        used = int(self._first[-1])
        if used + len(number) > len(self._number):
            room = 2 * (used + len(number))
            self._number, self._share = np.resize(self._number, room), np.resize(self._share, room)
        self._number[used : used + len(number)] = number
        self._share[used : used + len(share)] = share
        self._first = np.concatenate([self._first, used + np.cumsum(count)])

    def entries(self, rows: Ints64) -> tuple[Ints64, Ints64, Floats]:
        """Return the entries of some rows: place in `rows`, number and share."""
        first = self._first[rows]
        place, at = ranges(first, self._first[rows + 1] - first)
        return place, self._number[at], self._share[at]

    def shared_out(self, rows: Ints64, amount: Floats) -> tuple[Ints64, Floats]:
        """Return the numbers of the entries of some rows, and what each has of the amount on its row."""
        first = self._first[rows]
        count = self._first[rows + 1] - first
        width = int(count[0]) if len(count) else 0
        if width and (count == width).all() and not (first % width).any():  # whole blocks are copied faster
            block, end = first // width, len(self._number) // width * width
            number: Ints64 = self._number[:end].reshape(-1, width).take(block, axis=0)
            share: Floats = self._share[:end].reshape(-1, width).take(block, axis=0)
            share *= amount[:, None]
            return number.reshape(-1), share.reshape(-1)
        at = ranges(first, count)[1]
        return self._number[at], self._share[at] * np.repeat(amount, count)


def ranges(first: Ints64, count: Ints64) -> tuple[Ints64, Ints64]:
    """Return count[k] numbers from first[k] on for each k, one behind the other: k, and the number.

    >>> [column.tolist() for column in ranges(np.array([5, 9]), np.array([2, 3]))]
    [[0, 0, 1, 1, 1], [5, 6, 9, 10, 11]]
    """
    if len(count) and (count == count[0]).all():  # leaves mostly have as many ways out each
        width = int(count[0])
        return np.repeat(np.arange(len(first)), width), (first[:, None] + np.arange(width)).reshape(-1)
    which = np.repeat(np.arange(len(first)), count)
    return which, np.arange(len(which)) + (first - (np.cumsum(count) - count))[which]
