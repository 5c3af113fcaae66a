"""Lost GPU time in a few groups, as people tell it who decide: in steps, by stops, by checkpoints, idle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import ACCOUNTS, KEPT_STEP, NODE_WAITS, RESTING, STOP_COSTS
from twin.report.words import parts_in

PRODUCTIVE = "productive"
WITHIN_STEPS = tuple(account for account in KEPT_STEP if account != PRODUCTIVE)
"""Accounts of what a kept step waits for."""


@dataclass(frozen=True)
class LossGroup:
    """Accounts of lost GPU time that are told as one: its title and theirs."""

    title: str
    accounts: tuple[str, ...]


LOSS_GROUPS: tuple[LossGroup, ...] = (
    LossGroup("waits within steps", WITHIN_STEPS),
    LossGroup("stops and restarts", STOP_COSTS),
    LossGroup("waits for nodes", NODE_WAITS),
    LossGroup("checkpoint writes", ("checkpoint_stall",)),
    LossGroup("idle GPUs", RESTING),
)
"""Every account but that of productive time is in one of them."""


def losses_usd(ledger: LedgerUsd) -> list[tuple[LossGroup, Floats]]:
    """Return what each group of lost GPU time cost, shape (samples,) each [USD], the dearest first, none of nothing."""
    full = ledger.account_usd()
    found = [
        (group, np.asarray(full[[ACCOUNTS.index(name) for name in group.accounts]].sum(axis=0), np.float64))
        for group in LOSS_GROUPS
    ]
    return sorted(
        ((group, usd) for group, usd in found if usd.any()), key=lambda pair: -float(np.median(pair[1]))
    )


def account_usd(ledger: LedgerUsd, account: str) -> float:
    """Return what the GPU time of an account cost, the median of the prices [USD]."""
    return float(np.median(ledger.account_usd()[ACCOUNTS.index(account)]))


@dataclass(frozen=True)
class TimeShares:
    """Parts of the installed GPU time [-]: held by jobs, in kept steps, productive; each within the one before."""

    held: float
    kept: float
    productive: float


def hundredths(ledger_gpu_s: Mapping[str, float]) -> dict[str, int]:
    """Return the share of each account in hundredths of a percent, the one rounding of a report: they add up to 10,000.

    >>> hundredths({"productive": 2.0, "straggler": 1.0})
    {'productive': 6667, 'straggler': 3333}
    """
    whole = sum(ledger_gpu_s.values())
    booked = [account for account in ACCOUNTS if ledger_gpu_s.get(account, 0.0)]
    if not whole:
        return {}
    told = parts_in(100.0, [100.0 * ledger_gpu_s[account] / whole for account in booked], 2)
    return {account: round(100.0 * float(text)) for account, text in zip(booked, told, strict=True)}


def in_percent(share: int) -> str:
    """Return hundredths of a percent as a share.

    >>> in_percent(1442)
    '14.42 %'
    """
    return f"{share / 100.0:.2f} %"


def time_shares(ledger_gpu_s: Mapping[str, float]) -> TimeShares | None:
    """Return what became of the installed GPU time; None: nothing is booked, or no job held GPUs."""
    whole = sum(ledger_gpu_s.values())
    held = whole - sum(ledger_gpu_s.get(account, 0.0) for account in RESTING)
    if whole <= 0.0 or held <= 0.0:
        return None
    kept = sum(ledger_gpu_s.get(account, 0.0) for account in KEPT_STEP)
    return TimeShares(held / whole, kept / whole, ledger_gpu_s.get(PRODUCTIVE, 0.0) / whole)
