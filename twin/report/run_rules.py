"""Arithmetic of a run that can be done again by hand: step, pipeline bubble, MFU, restart, PUE, WUE, cost."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.incident import PHASES
from twin.language import counted
from twin.record.accounts import KEPT_STEP
from twin.report.markup import Child
from twin.report.run_data import RunFacts
from twin.report.run_money import RunMoney
from twin.report.words import amount, length, parts_in, percent, rounded
from twin.units import spoken

Row = tuple[Child, ...]


def rules_of_run(facts: RunFacts) -> list[Row]:
    """Return the rows of the rules that every run follows, those that are known."""
    return [*_step(facts), *_bubble(facts), *_mfu(facts), *_restart(facts), *_site(facts), *_cost(facts)]


def _step(facts: RunFacts) -> list[Row]:
    step_s = kept_step_s(facts)
    if step_s is None:
        return []
    whole = sum(step_s.values())
    titles: dict[str, float] = {}
    for account, seconds in step_s.items():
        name = "computation" if account == "productive" else account_title(account)
        name = "exposed communication" if account.startswith("exposed_") else name
        titles[name] = titles.get(name, 0.0) + seconds
    told = parts_in(round(whole, 2), list(titles.values()), 2)
    parts = " + ".join(f"{text} {name}" for name, text in zip(titles, told, strict=True) if float(text))
    return [("Mean kept step, s", "sum of what a step computes and waits for", f"{whole:.2f} = {parts}")]


def kept_step_s(facts: RunFacts) -> dict[str, float] | None:
    """Return the mean kept step of the only job by account [s]; None: there is not one job with steps."""
    jobs: Sequence[dict[str, float]] = facts.summary.get("jobs", ())
    if len(jobs) != 1 or not jobs[0].get("steps") or not jobs[0].get("gpus"):
        return None
    of = float(jobs[0]["steps"]) * float(jobs[0]["gpus"])
    return {account: facts.ledger_gpu_s.get(account, 0.0) / of for account in KEPT_STEP}


def _bubble(facts: RunFacts) -> list[Row]:
    step, seconds = facts.step, kept_step_s(facts)
    if step is None or seconds is None or step.stages < 2 or not seconds["pipeline_bubble"]:
        return []
    share = (step.stages - 1) / (step.interleave * step.microbatches)
    seen = seconds["pipeline_bubble"] / seconds["productive"]
    return [
        (
            "Pipeline bubble",
            "bubble / computation = (p \N{MINUS SIGN} 1) / (v m)",
            f"p = {step.stages} stages, v = {step.interleave} interleaved, m = {step.microbatches} microbatches: "
            f"{percent(share)}; in the ledger {percent(seen)}",
        )
    ]


def _mfu(facts: RunFacts) -> list[Row]:
    step, mfu, ettr = facts.step, facts.figure("mfu"), facts.figure("ettr")
    jobs = facts.summary.get("jobs", ())
    if step is None or not mfu or not ettr or len(jobs) != 1 or not jobs[0].get("steps"):
        return []
    tokens = float(jobs[0]["steps"]) * step.tokens
    weights, layers, hidden, sequence = step.sizes
    formula = "tokens x FLOP per token / (GPUs x peak x time)"
    flop = f"{rounded(step.flop_token / 1e12)} TFLOP per token"
    if step.plain:
        of = f"{rounded(weights / 1e9, 6)} billion"
        flop = f"6 x {of} + 12 x {layers} layers x {hidden:,} x {sequence:,} = {flop}"
    begin_s, end_s = jobs[0].get("start_s"), jobs[0].get("end_s")
    held_s = None if begin_s is None else (facts.end_s if end_s is None else end_s) - begin_s
    lasted = f" in {length(held_s)}" if held_s else ""
    return [
        (
            "MFU",
            f"{formula}; FLOP per token 6 N + 12 L h s, N the weights without input embedding and norms"
            if step.plain
            else formula,
            f"{flop}; {amount(tokens, 'tokens')}, {step.gpus:,} GPUs of {step.peak_flop_s / 1e12:.0f} TFLOP/s{lasted}: "
            f"{percent(mfu)} with stops; / {percent(ettr)} ETTR = {percent(mfu / ettr)} while steps run",
        )
    ]


def _restart(facts: RunFacts) -> list[Row]:
    lasted_s, away_s = facts.restarts_s, _away_s(facts)
    if not len(lasted_s) or not away_s:
        return []
    whole_s, count = float(lasted_s.mean()), len(lasted_s)
    told = parts_in(round(whole_s), [seconds / count for seconds in away_s.values()], 0)
    parts = " + ".join(f"{text} {PHASES[phase]}" for phase, text in zip(away_s, told, strict=True))
    return [
        (
            "From a stop to the next step, s",
            f"mean of {counted(count, 'restart')}, by phase",
            f"{parts} = {length(round(whole_s))}",
        )
    ]


def _away_s(facts: RunFacts) -> dict[str, float]:
    """Return how long jobs were in each phase between stops and next steps [s], the longest first.

    What no phase of a restart tells they were queued: their queueing before the first start is no part of it.
    """
    away_s: dict[str, float] = {}
    for job in facts.summary.get("jobs", ()):
        for phase, seconds in (job.get("away_s") or {}).items():
            if phase != "queue" and seconds:
                away_s[phase] = away_s.get(phase, 0.0) + float(seconds)
    queued_s = float(facts.restarts_s.sum()) - math.fsum(away_s.values())
    if away_s and queued_s >= len(facts.restarts_s):
        away_s["queue"] = queued_s
    return dict(sorted(away_s.items(), key=lambda phase: -phase[1]))


def _site(facts: RunFacts) -> list[Row]:
    energy, water = facts.summary.get("energy", {}), facts.figure("water_l")
    all_j, it_j, pue = energy.get("facility_j"), energy.get("it_j"), facts.figure("pue")
    if not all_j or not it_j or not pue:
        return []
    wue = facts.summary.get("wue_l_kwh")
    of_water = (
        f"; WUE {amount(water, 'water')} / {amount(it_j, 'energy')} = {rounded(wue, 3)} L/kWh"
        if water and wue
        else ""
    )
    return [
        (
            "PUE, WUE",
            "facility energy / IT energy; water / IT energy",
            f"{amount(all_j, 'energy')} / {amount(it_j, 'energy')} = {rounded(pue)}{of_water}",
        )
    ]


def _cost(facts: RunFacts) -> list[Row]:
    productive_h = facts.ledger_gpu_s.get("productive", 0.0) / 3600.0
    if not isinstance(facts.money, RunMoney) or facts.money.ledger is None or not productive_h:
        return []
    usd = float(np.median(facts.money.ledger.total_usd))
    return [
        (
            "Productive GPU-hour",
            "cost of the run / productive GPU-hours",
            f"{amount(usd, 'usd')} / {amount(productive_h, 'gpu_hours')} = {usd / productive_h:.2f} USD",
        )
    ]


def sizes_words(node_between_s: float, nodes: int, node_gpus: int) -> str:
    """Return how often a job is stopped at a sixteenth of its size, at its own and at eight times it."""
    return "; ".join(
        f"{count * node_gpus:,} GPUs {spoken(round(node_between_s / count))}"
        for count in dict.fromkeys((max(1, nodes // 16), nodes, 8 * nodes))
    )
