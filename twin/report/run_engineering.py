"""Sections of a report for who builds and runs the site: power, cooling, water and carbon; reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from twin.language import counted
from twin.report.markup import Child, Markup, joined, number, table
from twin.report.run_summary import RunFacts, inner, interval
from twin.report.words import amount, length, percent, rounded

_STAGES = {"ups": "UPS", "pdu": "PDUs", "transformer": "transformers"}


def facility(facts: RunFacts, curves: Mapping[str, Markup]) -> Markup:
    """Return power, cooling, water and carbon of a run, with the curves of power and temperature."""
    return joined(
        [
            table(("figure", "value", "meaning"), _power(facts), caption="Power"),
            curves.get("power"),
            table(("figure", "value", "meaning"), _cooling(facts), caption="Cooling and water"),
            curves.get("temperature"),
            table(("figure", "value", "meaning"), _carbon(facts), caption="Carbon and energy cost"),
        ]
    )


def _power(facts: RunFacts) -> list[tuple[Child, ...]]:
    summary = facts.summary
    energy: Mapping[str, Any] = summary.get("energy", {})
    all_j = energy.get("facility_j") or 0.0
    rows: list[tuple[Child, ...]] = [
        _row(facts, "energy_j", "drawn by the whole facility"),
        _row(facts, "it_j", "drawn by racks, fabric and storage systems"),
    ]
    rows += [
        (title, number(energy[key], amount(energy[key], "energy")), f"{percent(energy[key] / all_j)} of it")
        for key, title in (
            ("gpu_j", "GPUs"),
            ("cooling_j", "Cooling"),
            ("loss_j", "Distribution losses"),
        )
        if all_j and energy.get(key) is not None
    ]
    stages = summary.get("facility", {}).get("loss_by_stage_j", {})
    lost = ", ".join(
        f"{_STAGES.get(stage, stage)} {percent(lost_j / all_j)}"
        for stage, lost_j in sorted(stages.items(), key=lambda item: -item[1])
        if all_j and lost_j / all_j >= 5e-4
    )
    if lost:
        rows.append(("Losses by stage", lost, "of the facility energy"))
    rows += [
        _row(facts, "power_max_w", "highest facility power of any sample"),
        _row(facts, "power_mean_w", "facility energy / duration of the run"),
    ]
    swing_w = summary.get("facility", {}).get("swing", {}).get("site_w")
    if swing_w:
        metered_w = summary["facility"]["swing"].get("metered_w")
        by = f"; {amount(metered_w, 'power')} by a meter of 2 s" if metered_w else ""
        words = amount(swing_w, "power")
        rows.append(("Load swing of each step", number(swing_w, words), f"peak to trough{by}"))
    return rows


def _cooling(facts: RunFacts) -> list[tuple[Child, ...]]:
    summary = facts.summary
    rows = [
        _row(
            facts,
            "pue",
            f"facility energy / IT energy, at a mean of {facts.words('power_mean_w')} of the facility",
        ),
        _row(facts, "gpu_max_c", "highest temperature of any GPU"),
        _row(facts, "throttle_gpu_s", "clocks lowered by temperature"),
        _row(facts, "water_l", "evaporated and blown down"),
    ]
    wue = summary.get("wue_l_kwh")
    if wue is not None:
        rows.append(("WUE", number(wue, f"{rounded(wue, 3)} L/kWh"), "water / IT energy"))
    total = summary.get("facility", {}).get("hours", {}).get("total", {})
    if total.get("hours"):
        free = total["free_hours"] / total["hours"]
        rows.append(("Free cooling", number(free, percent(free)), "share of the time without compressors"))
    return rows


def _carbon(facts: RunFacts) -> list[tuple[Child, ...]]:
    return [
        _row(facts, "carbon_kg", "of electricity and fuel, by the carbon intensity of the scene"),
        _row(facts, "carbon_per_gpu_h", "over the GPU-hours of kept steps"),
        _row(facts, "cost_usd", "of electricity and fuel, at the price of the scene"),
        _row(facts, "cost_per_gpu_h", "over the GPU-hours of kept steps"),
    ]


def _row(facts: RunFacts, key: str, meaning: str) -> tuple[Child, ...]:
    return (facts.title(key), facts.cell(key), meaning)


def reliability(facts: RunFacts) -> Markup:
    """Return interruptions, repairs and what they took."""
    summary = facts.summary
    between_s, repairs = interval(facts), summary.get("repairs", {})
    down = summary.get("failures", {}).get("down", {})
    rows: list[tuple[Child, ...]] = [
        _row(facts, "interruptions", "of running jobs, by failures"),
        _row(facts, "planned", "of running jobs, by maintenance"),
    ]
    if between_s is not None:
        rows.append(
            ("Mean time between interruptions", number(between_s, length(between_s)), "unexpected ones")
        )
        nodes = summary.get("nodes")
        if nodes:
            each_s = between_s * nodes
            rows.append(("The same for one node", number(each_s, length(each_s)), f"times {nodes:,} nodes"))
    away = _away_s(summary)
    stops = sum(int(job.get("interruptions") or 0) for job in summary.get("jobs", ()))
    if stops and away:
        rows.append(
            ("Mean time to the next step", number(away / stops, length(away / stops)), "of a stopped job")
        )
    for title, key, meaning in (
        ("Mean repair time (MTTR)", "mean_down_s", f"from failure to return, {repairs_words(repairs)}"),
        ("Repair time, P90", "p90_down_s", "nine of ten repairs took less"),
    ):
        if repairs.get(key):
            rows.append((title, number(repairs[key], length(repairs[key])), meaning))
    if down.get("most"):
        rows.append(
            (
                "Nodes in repair at a time",
                number(down["mean"], rounded(down["mean"], 3)),
                f"mean; P99 {down['p99']:g}, max. {down['most']:g}",
            )
        )
    if repairs.get("open"):
        rows.append(("Still in repair at the end", number(repairs["open"], f"{repairs['open']:,}"), "nodes"))
    rows.append(_row(facts, "lost_gpu_h", "since the last checkpoint, done again"))
    return table(("figure", "value", "meaning"), rows)


def _away_s(summary: Mapping[str, Any]) -> float:
    """Return how long jobs were stopped and restarting, without queueing before their start [s]."""
    return math.fsum(
        float(seconds)
        for job in summary.get("jobs", ())
        for phase, seconds in (job.get("away_s") or {}).items()
        if phase != "queue"
    )


def repairs_words(repairs: Mapping[str, Any]) -> str:
    """Return which repairs a mean is of: the longest are those that have not ended."""
    done = counted(int(repairs.get("done") or 0), "repair")
    still = int(repairs.get("open") or 0)
    return f"over {done} that ended; {still:,} still open" if still else f"over {done}"


def reliability_words(facts: RunFacts) -> str:
    """Return how reliable the run was in two sentences."""
    between_s = interval(facts)
    if between_s is None:
        return "No job was interrupted unexpectedly."
    count = facts.words("interruptions")
    often = f"One unexpected interruption every {length(between_s)}, {count} in all."
    said = ["One unexpected interruption." if count == "1" else often]
    repairs, down = facts.summary.get("repairs", {}), facts.summary.get("failures", {}).get("down", {})
    if repairs.get("mean_down_s"):
        said.append(
            f"A repair took {length(repairs['mean_down_s'])} in the mean {repairs_words(repairs)}. Up to "
            f"{counted(int(down.get('most', 0)), 'node')} were out at a time."
        )
    dearest = facts.incidents.by_cause[:2]
    installed = facts.incidents.installed_gpu_s
    if dearest and facts.incidents.priced and installed:
        named = " and ".join(
            f"{inner(total.title)} ({counted(total.count, 'time')}, {percent(total.gpu_s / installed, 2)} of GPU time)"
            for total in dearest
        )
        said.append(f"Dearest: {named}.")
    return " ".join(said)
