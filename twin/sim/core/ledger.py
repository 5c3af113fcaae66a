"""The ledger: every GPU-second of the installed GPUs, booked to exactly one account."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats
from twin.record.accounts import ACCOUNTS, KEPT_STEP
from twin.record.bookings import AT_REST, Bookings
from twin.sim.core.state import ArrayField, Fields, Row, StateField, Stateful

INDEX: dict[str, int] = {name: i for i, name in enumerate(ACCOUNTS)}
STEP = np.array([INDEX[name] for name in KEPT_STEP])
"""Accounts of provisional step time."""


class Ledger(Stateful):
    """Totals by account [GPU s], and how many GPUs without a job stand in which account now.

    Attributes
    ----------
    installed
        GPUs that stand in the halls now: those of all accounts together.
    bookings
        Takes every booking for whoever records them; None: nobody does.
    """

    def __init__(self) -> None:
        self.installed = 0.0
        self._installed_gpu_s, self._installed_at_s = 0.0, 0.0  # of those that stood there, up to when
        self.total = np.zeros(len(ACCOUNTS))
        self.resting = np.zeros(len(ACCOUNTS))  # GPUs
        self.since_s = 0.0
        self.bookings: Bookings | None = None

    def advance(self, t_s: float) -> None:
        """Book the time until `t_s` of all GPUs that have no job."""
        if t_s > self.since_s:
            self.total += self.resting * (t_s - self.since_s)
            if self.bookings is not None:
                self.bookings.spent(AT_REST, self.since_s, t_s, self.resting.copy())
            self.since_s = t_s

    def install(self, t_s: float, gpus: float) -> None:
        """Let so many GPUs stand in the halls from `t_s` on."""
        self._installed_gpu_s, self._installed_at_s = self.installed_gpu_s(t_s), t_s
        self.installed = gpus

    def installed_gpu_s(self, t_s: float) -> float:
        """Return what all accounts sum to at `t_s`, which is not before GPUs last came or went [GPU s]."""
        return self._installed_gpu_s + self.installed * (t_s - self._installed_at_s)

    def move(self, t_s: float, gpus: float, source: str | None, target: str | None) -> None:
        """Move `gpus` GPUs between resting accounts at `t_s`; None: into or out of a job's hands."""
        self.advance(t_s)
        if source is not None:
            self.resting[INDEX[source]] -= gpus
        if target is not None:
            self.resting[INDEX[target]] += gpus

    def book(self, account: str, gpu_s: float) -> None:
        """Book GPU-seconds of a job for good."""
        self.total[INDEX[account]] += gpu_s

    def keep(self, work: Floats) -> None:
        """Settle provisional step time: a durable checkpoint holds it."""
        self.total += work

    def lose(self, work: Floats) -> None:
        """Settle provisional step time: a failure took it."""
        self.total[INDEX["lost_work"]] += float(work.sum())

    STATE = Fields(
        *ArrayField.each("total", "resting", dtype=float),
        StateField("since_s", float),
        Row("installed", *StateField.each("installed", "_installed_gpu_s", "_installed_at_s", load=float)),
    )
