"""Ledger and figures of the run so far, read from a run file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from twin.arrays import Floats
from twin.record.accounts import ACCOUNTS
from twin.record.blocks import decode_ledger, decode_named
from twin.record.bookings import Booked, decode_bookings, joined
from twin.record.ledger_reading import LedgerRange, read_ledger
from twin.record.runfile import RunFileError, of_part
from twin.record.series import BOOKINGS, FIGURES, LEDGER
from twin.record.source import RunSource, figure, stretch, time_s

Ledger = tuple[Floats, dict[str, Floats]]
Figures = tuple[Floats, Mapping[str, Floats]]
Decode = Callable[[bytes, int], tuple[tuple[str, ...], Floats]]


class LedgerRecord:
    """Reads both from a file that may grow, and caches them until it does."""

    def __init__(self, source: RunSource) -> None:
        self._source = source
        self._so_far: tuple[object, Ledger] | None = None
        self._booked: tuple[object, Booked | None] | None = None
        self._figures: tuple[object, Figures] | None = None

    def so_far(self) -> Ledger:
        """Return (times [s], GPU-seconds of each account up to then), at the samples."""
        progress = self._source.progress()
        if self._so_far is None or self._so_far[0] != progress:
            self._so_far = progress, self._read_so_far()
        return self._so_far[1]

    def _read_so_far(self) -> Ledger:
        seen: dict[float, dict[str, float]] = {}
        try:
            for t, account, gpu_s in self._source.rows("SELECT t, account, gpu_s FROM ledger ORDER BY t"):
                seen.setdefault(time_s(t), {})[str(account)] = figure(gpu_s)
        except (ValueError, TypeError, OverflowError) as error:
            raise RunFileError(f"{self._source.path}: the ledger of this run file is damaged") from error
        return _table(seen | self._named(LEDGER, "the ledger", decode_ledger))

    def between(self, t0_s: float, t1_s: float) -> dict[str, float]:
        """Return the GPU-seconds that were booked to each account from `t0_s` to `t1_s` [s], losses when they struck.

        Between two samples they are taken as booked evenly.
        """
        times, accounts = self.so_far()
        if not len(times):
            return {}
        since_start = times[0] > 0.0  # as in files of version 1; nothing is booked before 0
        if since_start:
            times = np.append(0.0, times)
        found = {}
        for name, gpu_s in accounts.items():
            booked = np.append(0.0, gpu_s) if since_start else gpu_s
            found[name] = float(np.interp(t1_s, times, booked) - np.interp(t0_s, times, booked))
        return found

    def figures(self) -> Figures:
        """Return (times [s], figures of the run so far by the names of the summary), at the samples."""
        progress = self._source.progress()
        if self._figures is None or self._figures[0] != progress:
            self._figures = (
                progress,
                _table(self._named(FIGURES, "the figures so far", decode_named), math.nan),
            )
        return self._figures[1]

    def bookings(self) -> Booked | None:
        """Return the bookings so far; None: an older program made the file, and kept none."""
        progress = self._source.progress()
        if self._booked is None or self._booked[0] != progress:
            self._booked = progress, self._read_bookings()
        return self._booked[1]

    def _read_bookings(self) -> Booked | None:
        rows = self._source.rows(
            "SELECT b.t0, b.t1, s.data FROM blocks b LEFT JOIN series s"
            " ON s.block = b.id AND s.channel = ? ORDER BY b.id",
            BOOKINGS,
        )
        parts = []
        for begin_s, end_s, data in rows:
            if data is None:
                return None
            with self._source.named(stretch(begin_s, end_s)), of_part("the ledger"):
                parts.append(decode_bookings(data))
        return joined(parts) if parts else None

    def range_of(
        self, t0_s: float, t1_s: float, *, hindsight: bool = False, inclusive: bool | None = None
    ) -> LedgerRange:
        """Return the ledger from `t0_s` to `t1_s` [s], as known at `t1_s` or in hindsight of all that is recorded.

        In files of before bookings were kept losses count when they struck, and time between samples as spent evenly.

        Parameters
        ----------
        inclusive
            Whether what happens at `t1_s` counts; None: only at the end of what is recorded.
        """
        booked = self.bookings()
        if booked is None:
            return self._between_samples(t0_s, t1_s)
        ends = t1_s >= self._source.progress()[0] if inclusive is None else inclusive
        return read_ledger(booked, t0_s, min(t1_s, booked.until_s), hindsight=hindsight, inclusive=ends)

    def _between_samples(self, t0_s: float, t1_s: float) -> LedgerRange:
        by_job = np.zeros((1, len(ACCOUNTS)))
        for name, gpu_s in self.between(t0_s, t1_s).items():
            if name in ACCOUNTS:
                by_job[0, ACCOUNTS.index(name)] = gpu_s
        return LedgerRange(t0_s, t1_s, by_job, None, (), False)

    def _named(self, column: str, part: str, decode: Decode) -> dict[float, dict[str, float]]:
        """Return numbers by name at each sample, of a column that holds such."""
        seen: dict[float, dict[str, float]] = {}
        for samples, begin_s, end_s, stamps, data in self._source.rows(
            "SELECT b.samples, b.t0, b.t1, b.times, s.data FROM blocks b"
            " JOIN series s ON s.block = b.id AND s.channel = ?"
            " ORDER BY b.id",
            column,
        ):
            t_s = self._source.times_s(stamps, samples, begin_s, end_s)
            with self._source.named(stretch(begin_s, end_s)), of_part(part):
                names, rows = decode(data, samples)
            for t, row in zip(t_s.tolist(), rows.tolist(), strict=True):
                seen[t] = dict(zip(names, row, strict=True))
        return seen


def _table(seen: Mapping[float, Mapping[str, float]], missing: float = 0.0) -> Ledger:
    """Return (times, values by name) of numbers by name at each time."""
    times = sorted(seen)
    names = dict.fromkeys(name for row in seen.values() for name in row)
    return np.array(times), {name: np.array([seen[t].get(name, missing) for t in times]) for name in names}
