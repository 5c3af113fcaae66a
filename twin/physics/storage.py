"""Bandwidth and operations of stores, and how readers and writers share them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats


def max_min_share(capacity: float, demand: ArrayLike) -> Floats:
    """Return the max-min fair split of one capacity, in the order of the demands.

    Nobody gets more than it asks; whoever gets less than it asks gets as much as anybody. Readers and writers of
    several stores share by `twin.physics.max_min`, of which this is the case of one link.

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
    share: Floats = np.minimum(asked, level[int(np.argmax(ordered > level))])
    return share


def store_load(
    read_bytes_s: ArrayLike, write_bytes_s: ArrayLike, read_capacity: ArrayLike, write_capacity: ArrayLike
) -> Floats:
    """Return the share of its time that a store is busy, r/R + w/W: the same drives and links do both.

    Parameters
    ----------
    read_bytes_s, write_bytes_s
        What is read and written [B/s].
    read_capacity, write_capacity
        What it reads or writes when it does nothing else [B/s], above 0. Arguments broadcast together.

    Examples
    --------
    >>> float(store_load(62.5e9, 31e9, 125e9, 62e9))
    1.0
    """
    reading = np.asarray(read_bytes_s, np.float64) / np.asarray(read_capacity, np.float64)
    return np.asarray(reading + np.asarray(write_bytes_s, np.float64) / np.asarray(write_capacity))


def limited_bytes_s(
    bandwidth_bytes_s: ArrayLike, operations_s: ArrayLike, operation_bytes: ArrayLike
) -> Floats:
    """Return the throughput of a store at an operation size: min(bandwidth, IOPS x size) [B/s].

    Parameters
    ----------
    bandwidth_bytes_s
        Of large operations [B/s].
    operations_s
        Operations it does at most [1/s]; infinite when only bytes count.
    operation_bytes
        Moved by one [B]. Arguments broadcast together.

    Examples
    --------
    >>> float(limited_bytes_s(90e9, 1e6, 4096)), float(limited_bytes_s(90e9, 1e6, 1e6))
    (4096000000.0, 90000000000.0)
    """
    by_number = np.asarray(operations_s, np.float64) * np.asarray(operation_bytes, np.float64)
    return np.asarray(np.minimum(np.asarray(bandwidth_bytes_s, np.float64), by_number))


def outstanding_bytes_s(requests: ArrayLike, operation_bytes: ArrayLike, first_byte_s: ArrayLike) -> Floats:
    """Return the throughput of a reader limited by the latency of the store [B/s] (Little's law).

    Parameters
    ----------
    requests
        Kept under way at a time.
    operation_bytes
        Fetched by one [B].
    first_byte_s
        From asking to the first byte [s]; 0 sets no limit. Arguments broadcast together.

    Examples
    --------
    >>> float(outstanding_bytes_s(64, 8e6, 0.02))
    25600000000.0
    """
    moved, wait = np.broadcast_arrays(
        np.asarray(requests, np.float64) * np.asarray(operation_bytes), np.asarray(first_byte_s, np.float64)
    )
    rate: Floats = np.full(moved.shape, np.inf)
    np.divide(moved, wait, out=rate, where=wait > 0)
    return rate


def transfer_s(size_bytes: ArrayLike, bandwidth_bytes_s: ArrayLike, at_least_s: ArrayLike = 0.0) -> Floats:
    """Return the time to move a checkpoint to or from a store [s].

    Parameters
    ----------
    size_bytes
        Size [B].
    bandwidth_bytes_s
        What the job gets of the store [B/s]; 0 gives an endless transfer unless there is nothing to move.
    at_least_s
        What other things than the store take anyway [s]. Arguments broadcast together.
    """
    size, bandwidth = np.broadcast_arrays(
        np.asarray(size_bytes, np.float64), np.asarray(bandwidth_bytes_s, np.float64)
    )
    time: Floats = np.where(size > 0, np.inf, 0.0)
    np.divide(size, bandwidth, out=time, where=bandwidth > 0)
    return np.maximum(time, at_least_s)
