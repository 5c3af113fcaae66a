"""Gates before a start: quotas of tenants, power limit, and clean or cheap energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.scenario.schema.scheduling import Green
from twin.schedule.queue import Requests, SiteView

SLACK = 1e-9
"""Rounding of fractions of GPUs and of watts [-]."""


@dataclass(frozen=True)
class Quotas:
    """GPUs that each tenant may hold at a time (inf: any), and whether it may borrow more; shape (tenants,)."""

    gpus: Floats
    borrow: Bools

    @cached_property
    def any(self) -> bool:
        """Whether any tenant has a quota."""
        return bool(np.isfinite(self.gpus).any())

    def within(self, jobs: Ints64, requests: Requests, used: Floats) -> Bools:
        """Return the jobs that fit the quotas of their tenants, which hold `used` GPUs now."""
        tenant = requests.tenant[jobs]
        result: Bools = used[tenant] + requests.gpus[jobs] <= self.gpus[tenant] * (1 + SLACK)
        return result

    def sorted_out(self, jobs: Ints64, requests: Requests, used: Floats) -> tuple[Ints64, Ints64]:
        """Return the jobs within quotas and those that would have to borrow and may, each in the given order.

        Those of a tenant above its quota that may not borrow are in neither: they wait and hinder nobody.
        """
        within = self.within(jobs, requests, used)
        borrows = ~within & self.borrow[requests.tenant[jobs]]
        return jobs[within], jobs[borrows]

    def borrowed(self, used: Floats) -> Floats:
        """Return the GPUs that each tenant holds above its quota."""
        result: Floats = np.maximum(0.0, used - self.gpus)
        return result


def waits_for_clean(jobs: Ints64, requests: Requests, green: Green, site: SiteView) -> tuple[Bools, float]:
    """Return which jobs wait for cleaner or cheaper energy, and when to look again at the latest [s].

    Only flexible jobs wait, no longer than `Green.longest_wait_s` in the queue, and not beyond the latest start that
    keeps their deadline.
    """
    dirty = green.carbon_limit_kg_j is not None and site.carbon_kg_j > green.carbon_limit_kg_j
    dear = green.price_limit_usd_j is not None and site.price_usd_j > green.price_limit_usd_j
    if not (dirty or dear):
        return np.zeros(len(jobs), bool), math.inf
    estimate_s = requests.estimate_s[jobs]
    latest_s = requests.deadline_s[jobs] - np.where(np.isfinite(estimate_s), estimate_s, 0.0)
    until_s = np.minimum(requests.queued_s[jobs] + green.longest_wait_s, latest_s)
    waits: Bools = requests.flexible[jobs] & (site.now_s < until_s)
    if not waits.any():
        return waits, math.inf
    return waits, min(site.turn_s, float(until_s[waits].min()))


def enough_power(job: int, requests: Requests, green: Green, power_w: float) -> bool:
    """Return whether IT power stays within its limit when a job starts beside a load of `power_w` [W]."""
    if green.power_limit_w is None:
        return True
    return power_w + float(requests.power_w[job]) <= green.power_limit_w * (1 + SLACK)
