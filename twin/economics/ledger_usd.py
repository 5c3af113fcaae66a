"""The ledger of a run in USD: full cost of each account and job, closing to the books; cash and market beside it.

What is owned costs by the GPU-second whether it works or not; what is used costs by energy. The energy of a job is
measured; within a job it is shared out by GPU-seconds, of which those that wait draw `WAITING_SHARE` of those that work
[est]. GPUs at rest draw the idle power of their nodes. What no GPU draws, stores and switches, is the site's own line.

Amounts are products of what a job took, shape (jobs + 1, accounts), of each kind of GPU, and of prices over samples, so
that every sum closes in every sample. The last row is of GPUs at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.books import SiteBooks, Statement, market_usd_h
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.gpu_classes import owned_by_class
from twin.economics.ownership import IDLE_SHARE
from twin.economics.rented_groups import rent_entry
from twin.plant.tables import Plant
from twin.record.accounts import ACCOUNTS, RESTING
from twin.record.site_year import HOUR_S

WAITING_SHARE = IDLE_SHARE
WAITING = (
    "input_wait",
    "checkpoint_stall",
    "detection",
    "restart_and_load",
    "idle_no_load",
    "idle_reserved",
    "idle_preempted",
)
"""Accounts of GPUs that a job holds and that do not compute."""
IDLING = ("idle_no_job", "idle_fragmented", "idle_spare", "idle_drained")
"""Accounts of GPUs that no job holds, with power."""


@dataclass(frozen=True)
class LedgerUsd:
    """The ledger of a run in USD.

    Parameters
    ----------
    jobs, tenants
        Id and tenant of each job, in the order of the rows.
    gpu_s
        GPU-seconds of each kind of GPU, shape (jobs + 1, accounts, kinds) [GPU s].
    energy_share
        Share of the energy of the racks, shape (jobs + 1, accounts) [-]; what is missing to 1 is the site's own.
    owned_usd_gpu_s
        Capital and fixed operation of one GPU-second, shape (kinds, samples) [USD].
    used_usd, cash_usd
        Of all energy, fuel, water and the demand charge of the run; and of it without the demand charge, shape
        (samples,) [USD].
    rent_usd_gpu_s
        Market price of a GPU-second, shape (kinds, samples) [USD].
    rental_share
        Share of each rental that each job and account took, shape (rentals, jobs + 1, accounts) [-].
    rental_usd
        What each rental cost, shape (rentals, samples) [USD].
    """

    jobs: tuple[str, ...]
    tenants: tuple[str | None, ...]
    gpu_s: Floats
    energy_share: Floats
    owned_usd_gpu_s: Floats
    used_usd: Floats
    cash_usd: Floats
    rent_usd_gpu_s: Floats
    rental_share: Floats | None = None
    rental_usd: Floats | None = None

    @property
    def base_usd(self) -> Floats:
        """Return the cost of what no GPU draws, shape (samples,) [USD]."""
        return np.asarray(self.used_usd * (1.0 - self.energy_share.sum()), np.float64)

    @property
    def total_usd(self) -> Floats:
        """Return the sum of all accounts and of the site's own line, shape (samples,) [USD]."""
        return np.asarray(self.account_usd().sum(axis=0) + self.base_usd, np.float64)

    @property
    def unproductive_usd(self) -> Floats:
        """Return what GPU time that was not productive cost, shape (samples,) [USD]."""
        accounts = self.account_usd()
        return np.asarray(accounts.sum(axis=0) - accounts[ACCOUNTS.index("productive")], np.float64)

    def account_usd(self) -> Floats:
        """Return the full cost of each account, shape (accounts, samples) [USD]."""
        return self._full_usd(0)

    def job_usd(self) -> Floats:
        """Return the full cost of each job, and in the last row of GPUs at rest, shape (jobs + 1, samples) [USD]."""
        return self._full_usd(1)

    def tenant_usd(self) -> dict[str, Floats]:
        """Return the full cost of each tenant by name, "" of jobs without one, shape (samples,) each [USD]."""
        found: dict[str, Floats] = {}
        for tenant, usd in zip(self.tenants, self.job_usd()[:-1], strict=True):
            found[tenant or ""] = found.get(tenant or "", 0.0) + usd
        return found

    def _full_usd(self, over: int) -> Floats:
        """Return what GPU-seconds of each kind, energy and rent cost, summed over jobs (0) or accounts (1) [USD]."""
        share = self.energy_share.sum(axis=over)
        usd = self.gpu_s.sum(axis=over) @ self.owned_usd_gpu_s + share[..., None] * self.used_usd
        if self.rental_share is not None and self.rental_usd is not None:
            usd = usd + self.rental_share.sum(axis=over + 1).T @ self.rental_usd
        return np.asarray(usd, np.float64)

    def cash_marginal_usd(self, energy_share: Floats) -> Floats:
        """Return what a share of the energy costs and nothing else: what is saved by not using it [USD]."""
        return np.asarray(energy_share[..., None] * self.cash_usd, np.float64)

    def market_usd(self, gpu_s: Floats) -> Floats:
        """Return what GPU-seconds would cost to rent [USD]."""
        return np.asarray(gpu_s @ self.rent_usd_gpu_s, np.float64)


def ledger_usd(
    books: SiteBooks,
    statement: Statement,
    booked_gpu_s: Floats,
    summary: Mapping[str, Any],
    plant: Plant,
    held: Floats,
) -> LedgerUsd:
    """Return the ledger of a whole run in USD.

    Parameters
    ----------
    books, statement
        Of the run; which of its two sets of prices.
    booked_gpu_s
        Of the whole run by account: of each job up to the last that spent any, and in the last row of GPUs at rest,
        shape (jobs + 1, accounts).
    summary
        Of the finished run: energy of each job.
    plant
        The hall as it began.
    held
        Share of each job's GPUs that are of each kind, shape (jobs, kinds) [-].
    """
    rows, bill, catalog = summary["jobs"], books.bill, books.catalog
    by_job = np.zeros((len(rows) + 1, len(ACCOUNTS)))
    by_job[: len(booked_gpu_s) - 1] = booked_gpu_s[:-1]
    by_job[-1] = booked_gpu_s[-1]
    installed = np.array([*bill.gpus.values()], np.float64)
    gpu_s = _by_kind(by_job, held, installed)
    period = books.use.period_s / SECONDS_PER_YEAR
    operation = statement.operation
    owned = owned_by_class(statement, bill, plant, catalog) * period
    used = operation.by_use_usd * period
    seconds = gpu_s.sum(axis=(0, 1))
    if not seconds.any():  # no GPU is there to bear it
        used = used + (statement.capital.yearly_usd + operation.fixed_usd) * period
    prices = statement.capital.prices
    rentals = [
        (_rental_share(by_job, group.by_use), prices[rent_entry(id)] * books.use.rent_usd.get(id, 0.0))
        for group in books.rented
        for id in (group.rental.id,)
    ]
    rent = np.array([market_usd_h({part: 1}, prices, catalog) for part in bill.gpus]).reshape(
        -1, prices.samples
    )
    return LedgerUsd(
        tuple(row["id"] for row in rows),
        tuple(row.get("tenant") for row in rows),
        gpu_s,
        _energy_share(by_job, summary, idle_w_gpu(plant, catalog)),
        np.asarray(owned / np.maximum(seconds, 1e-9)[:, None], np.float64),
        used,
        used - operation.by_item["demand"] * period,
        rent / HOUR_S,
        np.array([share for share, _ in rentals]) if rentals else None,
        np.array([np.broadcast_to(usd, prices.shape) for _, usd in rentals]) if rentals else None,
    )


def _rental_share(by_job: Floats, by_use: bool) -> Floats:
    """Return the share of a rental that each job and account bears: by use those that held GPUs, else all [-]."""
    weight = by_job.copy()
    if by_use and by_job[:-1].any():
        weight[-1] = 0.0
    whole = weight.sum()
    if whole <= 0.0:  # no GPU was there
        weight[-1], whole = 1.0, weight[-1].size
    return np.asarray(weight / whole, np.float64)


def _by_kind(by_job: Floats, held: Floats, installed: Floats) -> Floats:
    """Return GPU-seconds by kind of GPU: of jobs as they held them, at rest what is left of each."""
    rest = by_job.sum() * installed / max(1.0, float(installed.sum()))
    of_jobs = by_job[:-1, :, None] * held[: len(by_job) - 1, None, :]
    rest = np.maximum(rest - of_jobs.sum(axis=(0, 1)), 0.0)
    share = rest / rest.sum() if rest.any() else installed / max(1.0, float(installed.sum()))
    return np.concatenate([of_jobs, by_job[-1:, :, None] * share])


def idle_w_gpu(plant: Plant, catalog: Catalog) -> float:
    """Return the power of an idle node for each of its GPUs, the mean of a hall [W]."""
    gpus, power_w = 0, 0.0
    numbers = np.bincount(plant.nodes.part[plant.nodes.present], minlength=len(plant.node_parts))
    for name, count in zip(plant.node_parts, numbers.tolist(), strict=True):
        node = catalog.node(name)
        gpus += count * node.n_gpu
        power_w += count * node.idle_w
    return power_w / gpus if gpus else 0.0


def _energy_share(gpu_s: Floats, summary: Mapping[str, Any], idle_w: float) -> Floats:
    """Return the share of the energy of the racks that each job and account took, the shape of `gpu_s` [-]."""
    all_j = float(summary["energy"]["it_j"])
    share = np.zeros(gpu_s.shape)
    if all_j <= 0.0:
        return share
    weight = np.array(
        [0.0 if name in RESTING else WAITING_SHARE if name in WAITING else 1.0 for name in ACCOUNTS]
    )
    weighted = gpu_s[:-1] * weight
    whole = weighted.sum(axis=1)
    job_j = np.array([row.get("energy_j") or 0.0 for row in summary["jobs"]], np.float64)
    held = whole > 0.0
    share[:-1][held] = weighted[held] * (job_j[held] / whole[held] / all_j)[:, None]
    idling = np.array([name in IDLING for name in ACCOUNTS])
    at_rest_j = gpu_s[-1] * idling * idle_w
    left_j = max(0.0, all_j * (1.0 - float(share.sum())))
    most = float(at_rest_j.sum())
    share[-1] = at_rest_j * (min(1.0, left_j / most) if most > 0.0 else 0.0) / all_j
    return share
