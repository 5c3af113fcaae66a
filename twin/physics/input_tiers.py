"""Input of training: bytes needed by a step, the tiers they come from, and the wait of the step for them.

Tiers from fast to slow: host memory, NVMe of the nodes, parallel file system, object store. A cache keeps what was
read through it; what lies in a faster tier also lies in the slower ones it came through.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.storage import transfer_s


def needed_bytes_s(samples_s: ArrayLike, sample_bytes: ArrayLike) -> Floats:
    """Return the input that training at full speed needs [B/s].

    Parameters
    ----------
    samples_s
        Samples (clips, pictures, sequences) learnt in a second [1/s], of a GPU or of a job.
    sample_bytes
        Read for one [B]. Arguments broadcast together.
    """
    return np.asarray(np.asarray(samples_s, np.float64) * np.asarray(sample_bytes, np.float64))


def cache_hit_ratio(
    dataset_bytes: ArrayLike, cache_bytes: ArrayLike, epoch: ArrayLike, *, shuffled: bool = True
) -> Floats:
    """Return the share of reads that a cache serves.

    Nothing in the first pass over the data (epoch 0). Later, with samples in random order and kept once read, what
    part of the data set fits. Read in the same order every time, a cache that keeps what was used last and is smaller
    than the data set has always just dropped what comes next: it serves nothing at all.

    Parameters
    ----------
    dataset_bytes
        Size of the data set [B], above 0; infinite when it is never read twice.
    cache_bytes
        Cache that the readers can reach [B].
    epoch
        Passes over the data that are complete. Arguments broadcast together.
    shuffled
        Whether each pass has an order of its own.

    Examples
    --------
    >>> float(cache_hit_ratio(100e12, 90e12, 1)), float(cache_hit_ratio(100e12, 90e12, 1, shuffled=False))
    (0.9, 0.0)
    """
    fits = np.minimum(1.0, np.asarray(cache_bytes, np.float64) / np.asarray(dataset_bytes, np.float64))
    return np.where(np.asarray(epoch) >= 1, fits if shuffled else np.floor(fits), 0.0)


def tier_shares(hit_ratio: Sequence[float]) -> Floats:
    """Return the share of the input that each tier delivers; the last one has everything.

    Parameters
    ----------
    hit_ratio
        What share of the data lies in each cache, fast to slow, 0..1.

    Returns
    -------
    ndarray
        One share more than ratios, the last of the tier behind all caches; they sum to one.

    Examples
    --------
    >>> tier_shares([0.25, 0.75]).tolist()
    [0.25, 0.5, 0.25]
    """
    reached = np.maximum.accumulate(np.array([0.0, *hit_ratio, 1.0]))
    return np.diff(reached)


def delivered_bytes_s(share: ArrayLike, tier_bytes_s: ArrayLike) -> Floats:
    """Return the input that a chain of tiers delivers side by side [B/s]: the tier that is first at its limit.

    Parameters
    ----------
    share
        Of the input, from each tier, shape (..., tiers).
    tier_bytes_s
        What each delivers to this reader [B/s], same shape; a tier of no share sets no limit.

    Examples
    --------
    >>> float(delivered_bytes_s([0.4, 0.6], [3e12, 126e9]))
    210000000000.0
    """
    part, rate = np.broadcast_arrays(np.asarray(share, np.float64), np.asarray(tier_bytes_s, np.float64))
    limit: Floats = np.full(part.shape, np.inf)
    np.divide(rate, part, out=limit, where=part > 0)
    return np.asarray(limit.min(axis=-1))


def read_time_s(need_bytes: ArrayLike, share: ArrayLike, tier_bytes_s: ArrayLike) -> Floats:
    """Return the time to read the input of one step from all tiers side by side [s].

    Parameters
    ----------
    need_bytes
        Input of the step [B].
    share, tier_bytes_s
        As for `delivered_bytes_s`; a tier of 0 B/s gives an endless read where something is needed of it.
    """
    return transfer_s(need_bytes, delivered_bytes_s(share, tier_bytes_s))


def input_wait_s(read_s: ArrayLike, step_s: ArrayLike) -> Floats:
    """Return how much longer a step lasts because its input, read ahead, comes too slowly [s].

    Parameters
    ----------
    read_s
        Time to read the input of one step [s].
    step_s
        Time of the step with all input present [s].
    """
    return np.maximum(0.0, np.asarray(read_s, np.float64) - np.asarray(step_s, np.float64))
