"""Bookings of the ledger: time spent by each job and by idle GPUs, and whether the work is kept or lost.

A *span* is a stretch of time in which a job, or the GPUs without one, spends the same each second. Work is settled when
a checkpoint holds it (kept) or a failure takes it (lost). From both the ledger is read as known at any time, and in
hindsight (`twin.record.ledger_reading`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints32
from twin.record.accounts import ACCOUNTS
from twin.record.columns import unpack
from twin.record.runfile import MAX_BLOB_BYTES, RunFileError

AT_REST = -1
"""In the place of a job: GPUs that have none."""
LOST, KEPT = 0, 1
"""What becomes of work: a failure takes so many GPU-seconds; a checkpoint holds all done up to a time [s]."""
_MOST, _MOST_JOBS = 10**7, 10**6
_LARGEST = 1e15
"""Larger than any time [s], rate [GPU s / s] or work [GPU s] of a run."""
_PARTS = (
    ("job", np.int32),
    ("begin_s", np.float64),
    ("end_s", np.float64),
    ("rate", np.int32),
    ("settled_job", np.int32),
    ("settled_s", np.float64),
    ("kind", np.int32),
    ("value", np.float64),
)
_SPAN = ("job", "begin_s", "end_s", "rate")


@dataclass(frozen=True)
class Booked:
    """Bookings in arrays.

    Parameters
    ----------
    job, begin_s, end_s, rate
        Spans: number of the job or `AT_REST`, from when to when [s] (infinity: it lasts still), row of `rates`.
    settled_job, settled_s, kind, value
        What became of work: of which job, when [s], `LOST` or `KEPT`, GPU-seconds lost or up to when it is kept [s].
    rates
        What is spent each second by account, rates x accounts [GPU s / s].
    until_s
        All bookings up to this time are here [s].
    """

    job: Ints32
    begin_s: Floats
    end_s: Floats
    rate: Ints32
    settled_job: Ints32
    settled_s: Floats
    kind: Ints32
    value: Floats
    rates: Floats
    until_s: float

    @cached_property
    def jobs(self) -> int:
        """Return one more than the highest number of a job."""
        return int(max(self.job.max(initial=AT_REST), self.settled_job.max(initial=AT_REST))) + 1

    def before(self, t_s: float) -> Booked:
        """Return the bookings before `t_s` [s]; spans that continue then stay open."""
        known, settled = self.begin_s < t_s, self.settled_s < t_s
        return Booked(
            self.job[known],
            self.begin_s[known],
            np.where(self.end_s[known] < t_s, self.end_s[known], np.inf),
            self.rate[known],
            self.settled_job[settled],
            self.settled_s[settled],
            self.kind[settled],
            self.value[settled],
            self.rates,
            min(self.until_s, t_s),
        )

    def encode(self) -> bytes:
        """Return it as a column of a block."""
        head = {
            "spans": len(self.job),
            "settled": len(self.settled_job),
            "rates": len(self.rates),
            "accounts": list(ACCOUNTS),
            "until_s": self.until_s,
        }
        text = json.dumps(head).encode()
        arrays = [getattr(self, name).astype(kind) for name, kind in _PARTS]
        data = b"".join(array.tobytes() for array in (*arrays, self.rates))
        return zlib.compress(len(text).to_bytes(4, "little") + text + data, 1)


class Bookings:
    """Takes bookings while a run continues; whoever records them takes them out.

    Attributes
    ----------
    since_s
        What was over before this time is left out [s].
    """

    def __init__(self, since_s: float = -np.inf) -> None:
        self.since_s = since_s
        self._spans: list[tuple[int, float, float, Floats]] = []
        self._settled: list[tuple[int, float, int, float]] = []

    def spent(self, job: int, begin_s: float, end_s: float, rate: Floats) -> None:
        """Book a finished span; `rate` [GPU s / s by account] is never changed afterwards."""
        if end_s >= self.since_s:
            self._spans.append((job, begin_s, end_s, rate))

    def lost(self, job: int, t_s: float, gpu_s: float) -> None:
        """Book the last `gpu_s` GPU-seconds of a job's work that are not lost yet as lost."""
        if t_s >= self.since_s and gpu_s > 0.0:
            self._settled.append((job, t_s, LOST, gpu_s))

    def kept(self, job: int, t_s: float, until_s: float) -> None:
        """Book all work of a job up to `until_s` as kept."""
        if t_s >= self.since_s:
            self._settled.append((job, t_s, KEPT, until_s))

    def take(self, now_s: float, lasting: Sequence[tuple[int, float, Floats]]) -> Booked:
        """Return all bookings so far with the open spans (job, since when [s], rate), and forget finished ones."""
        spans = [*self._spans, *((job, begin_s, np.inf, rate) for job, begin_s, rate in lasting)]
        places: dict[bytes, int] = {}
        rows = [places.setdefault(rate.tobytes(), len(places)) for _, _, _, rate in spans]
        settled = self._settled
        self._spans, self._settled = [], []
        return Booked(
            np.array([span[0] for span in spans], np.int32),
            np.array([span[1] for span in spans], np.float64),
            np.array([span[2] for span in spans], np.float64),
            np.array(rows, np.int32),
            np.array([entry[0] for entry in settled], np.int32),
            np.array([entry[1] for entry in settled], np.float64),
            np.array([entry[2] for entry in settled], np.int32),
            np.array([entry[3] for entry in settled], np.float64),
            np.frombuffer(b"".join(places), np.float64).reshape(-1, len(ACCOUNTS)),
            now_s,
        )


NOTHING = Bookings().take(0.0, ())
"""Of a stretch of time of which nothing is booked, or which stands elsewhere."""


def joined(parts: Sequence[Booked]) -> Booked:
    """Return bookings of several stretches of one run as one, by time; spans that continue are those of the last."""
    ended = [part.end_s < np.inf for part in parts]
    ended[-1:] = [np.ones(len(parts[-1].job), bool)] if parts else []
    offsets = np.cumsum([0, *(len(part.rates) for part in parts)])
    columns = {
        name: np.concatenate([getattr(part, name)[rows] for part, rows in zip(parts, ended, strict=True)])
        for name in _SPAN
    }
    columns["rate"] = np.concatenate(
        [
            part.rate[rows] + np.int32(offset)
            for part, rows, offset in zip(parts, ended, offsets, strict=False)
        ]
    )
    order = np.lexsort((columns["job"], columns["begin_s"]))
    settled = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name, _ in _PARTS
        if name not in _SPAN
    }
    return Booked(
        **{name: column[order] for name, column in columns.items()},
        **settled,
        rates=np.concatenate([part.rates for part in parts]),
        until_s=parts[-1].until_s,
    )


def decode_bookings(blob: bytes) -> Booked:
    """Decode the output of `Booked.encode`.

    Raises
    ------
    RunFileError
        When it is something else.
    """
    data = unpack(blob, MAX_BLOB_BYTES)
    try:
        begin = 4 + int.from_bytes(data[:4], "little")
        head = json.loads(data[4:begin])
        counts = {name: int(head[name]) for name in ("spans", "settled", "rates")}
        if not all(0 <= count <= _MOST for count in counts.values()):
            raise ValueError("count out of range")
        found: dict[str, NDArray[Any]] = {}
        for name, kind in _PARTS:
            found[name] = np.frombuffer(data, kind, counts["spans" if name in _SPAN else "settled"], begin)
            begin += found[name].nbytes
        accounts = tuple(map(str, head["accounts"]))
        rates = np.frombuffer(data, np.float64, counts["rates"] * len(accounts), begin)
        if begin + rates.nbytes != len(data):
            raise ValueError("size")
        booked = Booked(**found, rates=_by_account(accounts, rates), until_s=float(head["until_s"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RunFileError("the bookings of a block are damaged") from error
    if not _sound(booked):
        raise RunFileError("the bookings of a block are damaged")
    return booked


def _by_account(accounts: Sequence[str], rates: Floats) -> Floats:
    """Return rates in the order of the accounts of this program."""
    rows = rates.reshape(-1, len(accounts))
    if tuple(accounts) == ACCOUNTS:
        return rows
    made = np.zeros((len(rows), len(ACCOUNTS)))
    for column, name in enumerate(accounts):
        made[:, ACCOUNTS.index(name)] = rows[:, column]
    return made


def _sound(booked: Booked) -> bool:
    """Return whether all numbers are in range."""
    sizes = (booked.begin_s, booked.settled_s, booked.value, booked.rates, np.array([booked.until_s]))
    return (
        all(bool((np.abs(size) <= _LARGEST).all()) for size in sizes)
        and bool(((booked.end_s <= _LARGEST) | (booked.end_s == np.inf)).all())
        and bool((booked.end_s >= booked.begin_s).all())
        and bool((booked.rates >= -1e-3).all())
        and bool((booked.job >= AT_REST).all() and (booked.settled_job >= 0).all())
        and booked.jobs <= _MOST_JOBS
        and bool((booked.rate >= 0).all() and (booked.rate < max(len(booked.rates), 1)).all())
    )
