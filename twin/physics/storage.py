"""Shared bandwidth of storage, and how long a training step waits for its input."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def max_min_share(capacity: float, demand: ArrayLike) -> NDArray[np.float64]:
    """Return the max-min fair split of one capacity, in the order of the demands.

    Nobody gets more than it asks; whoever gets less than it asks gets as much as anybody.

    Parameters
    ----------
    capacity
        What can be given, not negative, for example [B/s].
    demand
        What each asks, shape (n,), not negative, same unit; may be infinite.

    Returns
    -------
    ndarray
        Shares, shape (n,); they sum to min(capacity, sum of demands).

    Examples
    --------
    >>> max_min_share(10.0, [2.0, 2.6, 4.0, 5.0]).tolist()
    [2.0, 2.6, 2.7, 2.7]
    """
    asked = np.asarray(demand, dtype=np.float64)
    n = asked.size
    if n == 0:
        return np.zeros(0)
    if asked.sum() <= capacity:
        return asked.copy()
    ordered = np.sort(asked)
    granted_before = np.concatenate(([0.0], np.cumsum(ordered[:-1])))
    level = (capacity - granted_before) / np.arange(n, 0, -1)
    # The first demand that exceeds the equal split of what is left fixes the level for all later ones.
    share: NDArray[np.float64] = np.minimum(asked, level[int(np.argmax(ordered > level))])
    return share


def cache_hit_ratio(
    dataset_bytes: ArrayLike, cache_bytes: ArrayLike, epoch: ArrayLike
) -> NDArray[np.float64]:
    """Return the share of reads that the cache serves.

    Nothing in the first pass over the data (epoch 0); later, with samples drawn in random order and kept
    once read, what part of the data set fits.

    Parameters
    ----------
    dataset_bytes
        Size of the data set [B], above 0.
    cache_bytes
        Cache that a reader can reach [B].
    epoch
        Passes over the data that are complete. Arguments broadcast together.
    """
    fits = np.minimum(1.0, np.asarray(cache_bytes, np.float64) / np.asarray(dataset_bytes, np.float64))
    return np.where(np.asarray(epoch) >= 1, fits, 0.0)


def read_time_s(
    need_bytes: ArrayLike, hit_ratio: ArrayLike, store_bytes_s: ArrayLike, cache_bytes_s: ArrayLike
) -> NDArray[np.float64]:
    """Return the time to read the input of one step from store and cache side by side [s].

    Parameters
    ----------
    need_bytes
        Input of the step [B].
    hit_ratio
        Share of it in the cache, 0..1.
    store_bytes_s, cache_bytes_s
        What each tier delivers to this reader [B/s]; 0 gives an endless read where something is needed of it.
        Arguments broadcast together.
    """
    need, hit = np.asarray(need_bytes, np.float64), np.asarray(hit_ratio, np.float64)
    return np.maximum(_transfer_s(need * (1 - hit), store_bytes_s), _transfer_s(need * hit, cache_bytes_s))


def _transfer_s(size_bytes: NDArray[np.float64], bandwidth_bytes_s: ArrayLike) -> NDArray[np.float64]:
    size, bandwidth = np.broadcast_arrays(size_bytes, np.asarray(bandwidth_bytes_s, np.float64))
    time: NDArray[np.float64] = np.where(size > 0, np.inf, 0.0)
    np.divide(size, bandwidth, out=time, where=bandwidth > 0)
    return time


def input_wait_s(read_s: ArrayLike, step_s: ArrayLike) -> NDArray[np.float64]:
    """Return how much longer than its compute a step lasts because input is read ahead too slowly [s].

    Parameters
    ----------
    read_s
        Time to read the input of one step [s].
    step_s
        Time of the step with all input present [s].
    """
    return np.maximum(0.0, np.asarray(read_s, np.float64) - np.asarray(step_s, np.float64))
