"""Runs of which little is known, for figures of reports that are worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from twin.analysis.incident import JobStop
from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import ACCOUNTS
from twin.record.events import Event, Severity
from twin.report.run_data import RunFacts

DAY_S = 86400.0
GPU_S = {
    "productive": 50.0, "pipeline_bubble": 20.0, "straggler": 10.0, "lost_work": 5.0, "checkpoint_stall": 5.0,
    "idle_spare": 10.0,
}  # fmt: skip


def ledger(gpu_s: dict[str, float], usd_gpu_s: float) -> LedgerUsd:
    """Return a ledger of one job and two draws of the prices, the second twice as dear as the first."""
    booked = np.array([gpu_s.get(account, 0.0) for account in ACCOUNTS])
    spent = np.stack([booked, np.zeros_like(booked)])[:, :, None]
    none = np.zeros(2)
    prices = usd_gpu_s * np.array([[1.0, 2.0]])
    return LedgerUsd(("j",), (None,), spent, np.zeros(spent.shape[:2]), prices, none, none, prices)


def incidents(**others: Any) -> Any:
    """Return incidents of a run in which nothing failed, but for what is given."""
    nothing = {"all": (), "by_cause": (), "installed_gpu_s": 0.0, "priced": False, "t_s": 54 * DAY_S}
    return SimpleNamespace(**{**nothing, **others})


def facts(gpu_s: dict[str, float] | None = None, **others: Any) -> RunFacts:
    """Return what is known of a run of 54 days of which little is known."""
    summary = {"simulated_s": 54 * DAY_S, "gpus": 17_152, "nodes": 2_144, "goodput": 0.88888, **others}
    return RunFacts(None, summary, True, 54 * DAY_S, gpu_s or GPU_S, incidents(), "", ())  # type: ignore[arg-type]


def stopped(turns: list[tuple[float, float | None]]) -> Any:
    """Return incidents of a job: when each stopped it, and when it stepped again; None: the next stop came before."""
    stops = [
        JobStop(Event(row, begin_s, "job_interrupted", "j", Severity.WARNING, "", {}), 8.0, {})
        for row, (begin_s, _) in enumerate(turns)
    ]
    again = {row: SimpleNamespace(t_s=end_s) for row, (_, end_s) in enumerate(turns) if end_s is not None}
    one = SimpleNamespace(stops=tuple(stops))
    return incidents(
        all=(one,), running_again=lambda stop: again.get(stop.event.row), ended=lambda stop: None, t_s=1000.0
    )
