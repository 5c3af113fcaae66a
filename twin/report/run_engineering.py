"""Sections of a report for who builds and runs the site: power, cooling, water and carbon; reliability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from twin.analysis.figures import repair_time
from twin.language import counted
from twin.plant.stage_figures import STAGE_TITLES
from twin.report.engineer_words import (
    checkpoint_drop_w,
    held_nodes,
    momentary_peak_w,
    repairs_words,
    spare_nodes,
)
from twin.report.limits.load_limits import limits_table
from twin.report.limits.switch_limits import network_table
from twin.report.markup import Child, Markup, joined, number, table
from twin.report.run_data import RunFacts
from twin.report.run_facts import MEANINGS
from twin.report.run_summary import interval
from twin.report.words import amount, length, percent, rounded
from twin.shown_text import inner


def facility(facts: RunFacts, curves: Mapping[str, Markup]) -> Markup:
    """Return power, cooling, water and carbon of a run, with the curves of power and temperature."""
    return joined(
        [
            table(("figure", "value", "meaning"), _power(facts), caption="Power"),
            limits_table(facts.limits, facts.year),
            network_table(facts.network, facts.free_spares),
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
        _row(facts, "energy_j"),
        _row(facts, "it_j"),
    ]
    rows += [
        (
            title,
            number(energy[key], amount(energy[key], "energy")),
            f"{percent(energy[key] / all_j, 2)} of it",
        )
        for key, title in (
            ("gpu_j", "GPUs"),
            ("cooling_j", "Cooling"),
            ("loss_j", "Distribution losses"),
        )
        if all_j and energy.get(key) is not None
    ]
    stages = summary.get("facility", {}).get("loss_by_stage_j", {})
    lost = ", ".join(
        f"{inner(STAGE_TITLES.get(stage, stage))} {percent(lost_j / all_j, 2)}"
        for stage, lost_j in sorted(stages.items(), key=lambda item: -item[1])
        if all_j and lost_j / all_j >= 5e-4
    )
    if lost:
        rows.append(("Losses by stage", lost, "of the facility energy"))
    rows += [
        _row(facts, "power_max_w"),
        _row(facts, "power_mean_w"),
    ]
    swing_w = summary.get("facility", {}).get("swing", {}).get("site_w")
    if swing_w:
        metered_w = summary["facility"]["swing"].get("metered_w")
        by = f"; {amount(metered_w, 'power')} by a meter of 2 s" if metered_w else ""
        words = amount(swing_w, "power")
        rows.append(("Load swing of each step", number(swing_w, words), f"peak to trough{by}"))
    if momentary_w := momentary_peak_w(facts):
        top = "hourly peak + the part of the swing above the mean of a step, about"
        rows.append(("Momentary peak", number(momentary_w, amount(momentary_w, "power", 3)), top))
    if drop_w := checkpoint_drop_w(facts):
        waits = "nodes of the job from the mean of a step to idle, about: at each checkpoint write and stop"
        rows.append(("Drop of IT power", number(drop_w, amount(drop_w, "power", 2)), waits))
    return rows


def _cooling(facts: RunFacts) -> list[tuple[Child, ...]]:
    summary = facts.summary
    limit = f"; clocks fall above {facts.clock_limit_c:g} °C" if facts.clock_limit_c else ""
    rows = [
        _row(
            facts,
            "pue",
            f"facility energy / IT energy, at a mean of {facts.words('power_mean_w')} of the facility",
        ),
        _row(facts, "gpu_max_c", f"highest temperature of any GPU{limit}"),
        _row(facts, "throttle_gpu_s"),
        _row(facts, "water_l"),
    ]
    if facts.limits is not None and facts.limits.air_c is not None:
        supplied_c, most_c = facts.limits.air_c
        warmest = f"the warmest of a loop; nodes take {most_c:g} °C"
        rows.append(("Air supplied to nodes", number(supplied_c, f"{supplied_c:g} °C"), warmest))
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


def _row(facts: RunFacts, key: str, meaning: str = "") -> tuple[Child, ...]:
    return (facts.title(key), facts.cell(key), meaning or MEANINGS[key])


def reliability(facts: RunFacts) -> Markup:
    """Return interruptions, repairs and what they took."""
    summary = facts.summary
    between_s, repairs = interval(facts), summary.get("repairs", {})
    down = summary.get("failures", {}).get("down", {})
    rows: list[tuple[Child, ...]] = [
        _row(facts, "interruptions", "of running jobs, by failures"),
        _row(facts, "planned", "by maintenance; nobody saves before it, so it loses work as a failure does"),
    ]
    if between_s is not None:
        rows.append(
            ("Mean time between interruptions", number(between_s, length(between_s)), "unexpected ones")
        )
        if nodes := held_nodes(facts):
            each_s = between_s * nodes
            meaning = f"times {rounded(nodes)} nodes, those that jobs held in the mean"
            rows.append(("The same for one node", number(each_s, length(each_s)), meaning))
    if count := len(facts.restarts_s):
        mean_s, p90_s = float(facts.restarts_s.mean()), float(np.quantile(facts.restarts_s, 0.9))
        beside = (
            f"P90 {length(round(p90_s))}; of {counted(count, 'restart')} to a step, stops on the way in them"
        )
        rows.append(("Mean time to the next step", number(mean_s, length(round(mean_s))), beside))
    if (time := repair_time(summary)) is not None and time.at_least_s:
        still = f"; {time.open:,} still open count up to the end, so it is at least this" if time.open else ""
        days = f"{rounded(time.nodes, 3)} nodes x {length(facts.end_s)} / {time.begun:,} repairs begun{still}"
        rows.append(("Mean repair time (MTTR)", number(time.at_least_s, length(time.at_least_s)), days))
    for title, key, meaning in (
        ("Of repairs that ended, mean", "mean_down_s", f"from failure to return, {repairs_words(repairs)}"),
        ("Of repairs that ended, P90", "p90_down_s", "nine of ten of them took less"),
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
    if spares := spare_nodes(facts):
        rows.append(
            (
                "Spare nodes",
                number(spares, f"{spares:,}"),
                "of the rows of the largest job, asked for by none",
            )
        )
    if repairs.get("open"):
        rows.append(("Still in repair at the end", number(repairs["open"], f"{repairs['open']:,}"), "nodes"))
    rows.append(_row(facts, "lost_gpu_h"))
    return table(("figure", "value", "meaning"), rows)
