"""The queue of a run, and many jobs at once, as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from twin.cli.tables import table_of
from twin.units import render

MANY = 6
"""More jobs than this are told in one table."""
_SHOWN = 5


def queue_table(queue: Mapping[str, Any]) -> Table:
    """Return the scheduler's results over all jobs."""
    table = table_of(heads=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(style="dim")
    waits = f"mean; {_time(queue.get('wait_median_s'))} median, 95 % within {_time(queue.get('wait_p95_s'))}"
    table.add_row("Policy", str(queue["policy"]), f"{queue.get('waiting', 0):,} jobs wait at the end")
    table.add_row("Wait", _time(queue.get("wait_mean_s")), waits)
    slow = queue.get("slowdown_mean")
    if slow is not None:
        table.add_row("Slow-down", f"{slow:.2f}", "wait and run over run, bounded at 10 s, mean")
    table.add_row("Allocation", _percent(queue.get("allocation")), "of installed GPU time held by jobs")
    if queue.get("utilisation") is not None:
        table.add_row(
            "Utilisation", _percent(queue["utilisation"]), "of held GPU time spent on steps that count"
        )
    table.add_row(
        "Fragmentation", _percent(queue.get("fragmentation")), "free GPUs on shared nodes, too few for a job"
    )
    counts = {key: queue.get(key, 0) for key in ("killed", "cancelled", "preemptions", "requeues")}
    if any(counts.values()):
        counts_words = ", ".join(f"{number:,} {key}" for key, number in counts.items() if number)
        table.add_row("Not at once", "", counts_words)
    return table


def tenants_table(tenants: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the figures of each tenant."""
    table = table_of()
    table.add_column("tenant", no_wrap=True)
    for head in ("jobs", "GPU-hours", "of installed", "utilisation", "mean wait", "energy"):
        table.add_column(head, justify="right", no_wrap=True)
    for id, figures in tenants.items():
        table.add_row(
            id or "nobody's",
            f"{figures.get('jobs', 0):,}",
            f"{figures.get('gpu_s', 0.0) / 3600.0:,.0f}",
            _percent(figures.get("allocation")),
            _percent(figures.get("utilisation")) if figures.get("gpu_s") else "-",
            _time(figures.get("wait_mean_s")),
            _energy(figures.get("energy_j")),
        )
    return table


def jobs_table(jobs: Sequence[Mapping[str, Any]]) -> Group:
    """Return the first of many jobs, and the number in each state."""
    table = table_of()
    for head in ("job", "state", "GPUs", "wait", "from", "to", "energy"):
        table.add_column(head, justify="left" if head in ("job", "state") else "right", no_wrap=True)
    for job in jobs[:_SHOWN]:
        table.add_row(
            str(job["id"]),
            state_of(job),
            f"{job['gpus']:,g}",
            _time(job.get("wait_s")),
            _time(job["start_s"]),
            _time(job["end_s"]),
            _energy(job.get("energy_j")),
        )
    states: dict[str, int] = {}
    for job in jobs:
        state = state_of(job)
        states[state] = states.get(state, 0) + 1
    states_words = ", ".join(f"{number:,} {state}" for state, number in sorted(states.items()))
    rest = f"and {len(jobs) - _SHOWN:,} more jobs (--json tells all); in all {states_words}"
    return Group(Text("Jobs", style="bold"), table, Text(rest, style="dim"), Text())


def state_of(job: Mapping[str, Any]) -> str:
    """Return the state of a job, in words."""
    return str(job.get("outcome") or job["state"]).replace("_", " ")


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return "0 s" if seconds == 0 else render(seconds, "duration", digits=3)


def _energy(joules: float | None) -> str:
    return "-" if joules is None else render(joules, "energy", digits=3)


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"
