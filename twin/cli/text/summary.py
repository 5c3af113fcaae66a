"""The summary of a run as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from twin.analysis.account_words import account_title
from twin.analysis.figure_words import value_words
from twin.analysis.figures import FIGURES
from twin.cli.tables import console, table_of
from twin.cli.text.cloud import cloud_lines
from twin.cli.text.facility import facility_lines
from twin.cli.text.queue import MANY, jobs_table, queue_table, state_of, tenants_table
from twin.cli.text.repair import repair_lines
from twin.planning.profile.standing import STANDINGS, standing_of_job
from twin.planning.risk.failure_table import NO_FAILURES, OFFER
from twin.units import render

_BAR = 24


def print_summary(summary: Mapping[str, Any], to: Console | None = None) -> None:
    """Print a summary as ``twin run --json`` has it; unknown values read "unknown"."""
    to = to or console()
    to.print(Text(str(summary["scene"]), style="bold"))
    to.print(Text(_facts(summary), style="dim"))
    to.print(_headline(summary))
    if len(summary["jobs"]) > MANY:
        to.print(jobs_table(summary["jobs"]))
    else:
        for job in summary["jobs"]:
            to.print(_job(job))
    queue = summary.get("queue")
    if queue and len(summary["jobs"]) > 1:  # run files of before lack it
        to.print(_titled("Queue", queue_table(queue)))
        if queue.get("by_tenant"):
            to.print(_titled("Tenants", tenants_table(queue["by_tenant"])))
    if sum(summary["ledger_gpu_s"].values()) > 0:
        to.print(_ledger(summary["ledger_gpu_s"]))
    if any(job.get("nodes", 1) > 1 for job in summary["jobs"]):  # run files of before lack some keys
        for line in _fabrics(summary["fabrics"]):
            to.print(Text(line), soft_wrap=True)
    busy = [store for store in summary.get("stores", ()) if store["load_max"] > 0]
    if busy:
        to.print(_stores(busy))
    if any(summary["interruptions"]["by_cause"].values()):
        to.print(_causes(summary["interruptions"]["by_cause"]))
    for line in repair_lines(summary):
        to.print(Text(line), soft_wrap=True)
    if "facility" in summary:  # run files of before lack it
        to.print(_titled("Electricity and water", facility_lines(summary)))
    clouds = list(cloud_lines(summary))
    if clouds:
        to.print(_titled("Cloud and costs", *(Text(line) for line in clouds)))
    to.print(_heat(summary))
    if "bands" in summary:
        to.print(_bands(summary["bands"]))
    for line in _foot(summary):
        to.print(Text(line, style="dim"), soft_wrap=True)


def _facts(summary: Mapping[str, Any]) -> str:
    facts = [
        _time(summary["simulated_s"]),
        f"{summary['nodes']:,} nodes",
        f"{summary['gpus']:,} GPUs",
        f"seed {summary['seed']}",
        "simulated",
    ]
    if summary.get("wall_s"):
        facts.append(
            f"in {_time(summary['wall_s'])} ({summary['simulated_s'] / summary['wall_s']:,.0f} x real time)"
        )
    return " · ".join(facts)


def _titled(title: str, *below: RenderableType) -> Group:
    return Group(Text(title, style="bold"), *below, Text())


def _interruptions(broken: Mapping[str, Any]) -> tuple[str, str]:
    if broken["unexpected"] is None:
        return "none", f"{NO_FAILURES}; {OFFER}"
    return f"{broken['unexpected']:,}", f"unexpected, and {broken['planned']:,} planned"


def _headline(summary: Mapping[str, Any]) -> Group:
    power, energy, broken = summary["power"], summary["energy"], summary["interruptions"]
    rows = [
        (
            "Goodput",
            _percent(summary["goodput"]),
            "kept / ideal steps (reference clock, no failures, no input wait)",
        ),
        ("ETTR", _percent(summary["ettr"]), "share of job time spent on steps that were kept"),
        ("Interruptions", *_interruptions(broken)),
        (
            "IT power",
            _quantity(power["it_mean_w"], "power"),
            f"mean; peak {_quantity(power['it_max_w'], 'power')}",
        ),
        (
            "Facility power",
            _quantity(power["facility_mean_w"], "power"),
            f"mean; peak {_quantity(power['facility_max_w'], 'power')}; distribution losses "
            f"{_quantity(power['loss_w'], 'power')}",
        ),
        (
            "Energy",
            _quantity(energy["facility_j"], "energy"),
            f"of the facility; PUE {_number(summary['pue'], 3)}",
        ),
        ("Water", _litres(summary["water_l"]), "evaporated and blown down"),
        (
            "Hottest GPU",
            _quantity(summary["thermal"]["gpu_max_c"], "temperature"),
            _throttled(summary["thermal"]),
        ),
    ]
    table = table_of(heads=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(style="dim")
    for row in rows:
        table.add_row(*row)
    return Group(Text(), table, Text())


def _job(job: Mapping[str, Any]) -> Group:
    def item(key: str, show: Any) -> str:
        return "unknown" if job[key] is None else str(show(job[key]))

    figures = table_of()
    for head in ("state", "GPUs", "from", "to", "steps", "step", "MFU", "lost", "interruptions"):
        figures.add_column(head, justify="left" if head == "state" else "right", no_wrap=True)
    figures.add_row(
        state_of(job),
        f"{job['gpus']:,}",
        item("start_s", _time),
        "still running" if job["end_s"] is None and job["start_s"] is not None else item("end_s", _time),
        item("steps", lambda steps: f"{steps:,}"),
        item("step_s", _time),
        _percent(job["mfu"]),
        item("lost_s", _time),
        item("interruptions", lambda number: f"{number:,}"),
    )
    parts = sorted((job["step_parts_s"] or {}).items(), key=lambda part: -part[1])
    line = ", ".join(f"{account_title(name)} {_time(seconds)}" for name, seconds in parts)
    below = [Text(f"one step: {line}", style="dim")] if line else []
    standing = standing_of_job(job)
    if standing is not None:
        below.append(Text(f"how sure: {standing.marked}", style=("green", "cyan", "yellow")[standing.doubt]))
        # Doubts say why nothing is fitted, and how far off such steps were found to be.
        doubts = job.get("low_confidence") or []
        known = [] if doubts and standing is STANDINGS["not calibrated"] else [standing.meaning]
        below.append(Text(f"step time: {' '.join([*known, *doubts]).rstrip('. ')}", style="dim"))
    if job.get("step_rests_on"):
        low, high = _time(job["step_low_s"]), _time(job["step_high_s"])
        below.append(Text(f"step expected from {low} to {high}: {job['step_rests_on']}", style="dim"))
    if job.get("nodes", 1) > 1 and job["network_reason"]:
        below.append(Text(f"network: {job['network_reason']}", style="dim"))
    if job.get("fits") is False:
        below.append(Text(f"does not fit: {job['reason']}", style="red"))
    return _titled(f"Job {job['id']}", figures, *below)


def _ledger(ledger: Mapping[str, float]) -> Group:
    total = sum(ledger.values())
    table = table_of()
    table.add_column("account", no_wrap=True)
    table.add_column("GPU-hours", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for account, gpu_s in sorted(ledger.items(), key=lambda item: -item[1]):
        if gpu_s > 0:
            share = gpu_s / total
            bar = "█" * round(share * _BAR) or "▏"
            table.add_row(
                account_title(account), f"{gpu_s / 3600:,.0f}", _percent(share), Text(bar, style="cyan")
            )
    return _titled("Where the GPU-hours went", table)


def _fabrics(fabrics: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each fabric: its kind, its busiest link, and its failed parts."""
    for fabric in fabrics:
        clauses = [str(fabric["technology"])] if fabric["technology"] else []
        busiest = fabric["busiest"]
        clauses.append(
            f"busiest link {busiest[0]['id']} at {_percent(busiest[0]['load'])}" if busiest else "no load"
        )
        for key, singular, plural in (
            ("links_down", "link down", "links down"),
            ("switches_down", "switch down", "switches down"),
            ("nodes_cut_off", "node cut off", "nodes cut off"),
        ):
            if fabric[key]:
                clauses.append(f"{fabric[key]:,} {singular if fabric[key] == 1 else plural}")
        if not any(fabric[key] for key in ("links_down", "switches_down", "nodes_cut_off")):
            clauses.append("nothing down")
        yield f"Fabric {fabric['id']}, at the end: {', '.join(clauses)}"
    if fabrics:
        yield ""


def _stores(stores: list[Mapping[str, Any]]) -> Group:
    table = table_of()
    table.add_column("storage", no_wrap=True)
    for head in ("reads", "peak", "writes", "peak", "IO/s", "busy", "peak"):
        table.add_column(head, justify="right", no_wrap=True)
    for store in stores:
        table.add_row(
            str(store["id"]),
            *(
                _quantity(store[f"{way}_{figure}_bytes_s"], "bandwidth")
                for way in ("read", "write")
                for figure in ("mean", "max")
            ),
            f"{store['iops_mean']:,.0f}",
            _percent(store["load_mean"]),
            _percent(store["load_max"]),
        )
    return _titled("Storage", table)


def _causes(by_cause: Mapping[str, int]) -> Group:
    table = table_of()
    table.add_column("cause", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    for cause, number in sorted(by_cause.items(), key=lambda item: (-item[1], item[0])):
        if number:
            table.add_row(cause.replace("_", " "), f"{number:,}")
    return _titled("Interruptions by cause", table)


def _heat(summary: Mapping[str, Any]) -> Group:
    loops = [
        loop
        for loop in summary["thermal"]["by_loop"]
        if loop["throttle_gpu_s"] > 0 or loop["shutdown_gpus"] > 0
    ]
    if not loops:
        return Group()
    table = table_of()
    for head in ("loop", "hottest GPU", "throttled GPU-hours", "shutdowns"):
        table.add_column(head, justify="left" if head == "loop" else "right", no_wrap=True)
    for loop in loops:
        table.add_row(
            str(loop["id"]),
            _quantity(loop["gpu_max_c"], "temperature"),
            f"{loop['throttle_gpu_s'] / 3600:,.2f}",
            f"{loop['shutdown_gpus']:,}",
        )
    return _titled("Loops that ran too hot", table)


def _bands(bands: Mapping[str, Any]) -> Group:
    """Return the figures over seeds."""
    table = table_of()
    for head in ("", "P5", "P50", "P95"):
        table.add_column(head, justify="right" if head else "left")
    for key, band in bands["figures"].items():
        figure = next(figure for figure in FIGURES if figure.key == key)
        quantiles = (band["p5"], band["p50"], band["p95"])
        table.add_row(figure.title, *(value_words(figure, value, band["p50"]) for value in quantiles))
    seeds = bands["seeds"]
    return _titled(f"Over {len(seeds)} seeds, {seeds[0]} to {seeds[-1]}", table)


def _foot(summary: Mapping[str, Any]) -> list[str]:
    residual = summary["energy"]["residual"]
    lines = [
        f"{summary['events']:,} events, hash {summary['event_hash']}",
        f"energy balance closes to {residual:.1e}" if residual is not None else "",
        f"recorded in {summary['run_file']}" if summary.get("run_file") else "",
    ]
    return [line for line in lines if line]


def _throttled(thermal: Mapping[str, Any]) -> str:
    hours = thermal["throttle_gpu_s"] / 3600
    return f"thermal throttling: {hours:,.2f} GPU-hours" if hours else "no thermal throttling"


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:.{digits}f}"


def _quantity(value: float | None, dimension: str) -> str:
    return "unknown" if value is None else render(value, dimension, digits=3).replace("degC", "°C")


def _litres(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value / 1000:,.0f} m³" if value >= 1e4 else f"{value:,.0f} L"


def _time(seconds: float) -> str:
    if seconds == 0:
        return "0 s"
    text = render(seconds, "duration", digits=3)
    return text.replace(" d", " day" if text == "1 d" else " days")
