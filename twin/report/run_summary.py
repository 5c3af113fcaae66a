"""The first part of a report, for who decides: what came of the run, what it costs, what the risk is, on one page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.planning.profile.standing import least_sure, standing_of_job
from twin.planning.risk.failure_table import NO_FAILURES, fails
from twin.record.accounts import RESTING
from twin.report.loss_groups import PRODUCTIVE, WITHIN_STEPS, hundredths
from twin.report.markup import Child, Markup, joined, number, tag
from twin.report.money_worth import worth_lead
from twin.report.next_steps import next_words
from twin.report.pages import ReportPart
from twin.report.published import (
    A_DAY,
    DAY_S,
    PLANNED_A_DAY,
    STEP_MFU,
    published_table,
    works_words,
)
from twin.report.run_data import RunFacts
from twin.report.run_money import RunMoney, money_chart, money_words
from twin.report.run_wins import first_win_words, poisson_tail, wins_of, wins_words
from twin.report.training_progress import progress_words, under_way
from twin.report.words import (
    amount,
    length,
    percent,
    rounded,
    usd_middle_and_range,
)
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.workload import LlmTraining
from twin.shown_text import capitalised, inner

_CALIBRATED = 0.02
"""Rates that give a published count within this share of it are calibrated on it."""
_FEW = 5.0
"""Events below which their number in one run is no draw worth a judgement."""
_UNUSUAL = 0.1
"""A count is told as a bad or good draw where fewer runs than this share have one so far off."""
_STATES = {
    "done": "was completed",
    "killed": "ended before its work was done",
    "queued": "was still queued at the end",
    "not_submitted": "was not submitted yet",
}
"""What became of a job; any other one still ran."""


def place_words(scenario: Scenario) -> str:
    """Return where a site is: its place of the climate, or the name that the scene gives it."""
    site = scenario.site
    if site.climate.place:
        return site.climate.place.replace("-", " ").title()
    return site.name if site.name != "unnamed site" else "not named"


def summary_part(facts: RunFacts, picture: Markup | None) -> ReportPart:
    """Return the part for who decides."""
    body: list[Child] = [_cards(facts), money_chart(facts.money)]
    if facts.published:
        body += [
            tag("h3", f"Beside what was published: {works_words(facts.published)}"),
            published_table(facts.published, _fitted_or_test(facts)),
        ]
    wins = wins_of(facts)
    shown = () if picture is None else (("work", "The hall at work", picture),)
    return ReportPart(
        "summary",
        "Summary",
        "for who decides",
        (
            ("What came of it?", _led(came_lead(facts), verdict(facts))),
            ("What did it cost, and is it worth that?", _led(cost_lead(facts), cost(facts))),
            ("What is the risk?", _led(risk_lead(facts), risk(facts))),
            (
                "What next?",
                _led(
                    first_win_words(facts, wins),
                    next_words(
                        facts.ledger_gpu_s, facts.ledger_usd, facts.slow_nodes, wins_words(facts, wins)
                    ),
                ),
            ),
        ),
        (("figures", "At a glance", joined(body)), *shown),
    )


def _led(lead: str, rest: str) -> Child:
    """Return an answer that begins with its sentence for who reads no more."""
    return joined([tag("b", lead), " ", rest]) if lead else rest


def came_lead(facts: RunFacts) -> str:
    """Return how much of its work the only job has done and what is left, in a sentence; "": nothing is left."""
    going = under_way(facts)
    if going is None:
        return ""
    progress = going[1]
    left = rounded(progress.left_s / DAY_S, 3)
    return f"{percent(progress.done, 0)} of the work is done; the rest takes about {left} days."


def cost_lead(facts: RunFacts) -> str:
    """Return whether the site is worth its cost, with the odds, in a sentence; "": unknown."""
    return worth_lead(facts.money.books, facts.money.ledger) if isinstance(facts.money, RunMoney) else ""


def risk_lead(facts: RunFacts) -> str:
    """Return what may go otherwise most, in a sentence; "": nothing is known to."""
    said = []
    if (later := _later(facts)) is not None:
        days, usd = later
        said.append(f"step times ({days} days{f' or {usd}' if usd else ''} either way)")
    if facts.year is not None and facts.year.mean_day:
        said.append("heat (no hot day was tested)")
    return f"The largest unknowns: {' and '.join(said)}." if said else ""


def verdict(facts: RunFacts) -> str:
    """Return what came of a run in two sentences."""
    goodput = facts.figure("goodput")
    return " ".join((_work(facts), *([bridge_words(facts, goodput)] if goodput is not None else [])))


def bridge_words(facts: RunFacts, goodput: float) -> str:
    """Return how goodput and the productive share of all GPU time hang together: parts that add up to the whole.

    The parts are sums of what the ledger prints, so that no other page has them in another rounding.
    """
    told = hundredths(facts.ledger_gpu_s)
    idle = sum(told.get(account, 0) for account in RESTING)
    whole, productive = sum(told.values()), told.get(PRODUCTIVE, 0)
    if idle == whole:
        return f"Goodput is {percent(goodput)} of an ideal run of the same GPUs."
    waits = sum(told.get(account, 0) for account in WITHIN_STEPS)
    parts = (idle, whole - idle - waits - productive, waits, productive)
    idled, stops, waited, worked = (f"{part / 100.0:.2f}" for part in parts)
    return (
        f"Goodput is {percent(goodput)} of an ideal run of the same GPUs. Of 100 GPU-hours "
        f"{worked} were productive, {waited} waits within steps, {stops} stops and checkpoints, {idled} idle."
    )


def _work(facts: RunFacts) -> str:
    jobs: Sequence[Mapping[str, Any]] = facts.summary.get("jobs", ())
    lasted = length(facts.end_s)
    if len(jobs) == 1:
        job = jobs[0]
        steps = job.get("steps")
        state = _STATES.get(str(job.get("state")), "still ran at the end")
        made = f" made {steps:,} steps and" if steps and job.get("state") in _STATES else ""
        return f"In {lasted} the job {job['id']} on {job['gpus']:,} GPUs{made} {state}.{_left(facts, job)}"
    if not facts.over:
        return f"So far {lasted} have been simulated."
    if not jobs:
        return f"In {lasted} the site had no jobs."
    states = Counter(str(job.get("state")) for job in jobs)
    done = states.pop("done", 0)
    rest = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in states.most_common())
    return f"In {lasted} {done:,} of {len(jobs):,} jobs completed{f'; the others: {rest}' if rest else ''}."


def _left(facts: RunFacts, job: Mapping[str, Any]) -> str:
    """Return how much of the work of a job that still ran is done, when it ends at this rate, and what that costs."""
    return progress_words(facts, job) if job.get("state") not in _STATES else ""


def cost(facts: RunFacts) -> str:
    """Return what site and run cost, and what clouds took beside the books of the site."""
    clouds = facts.summary.get("cloud", {}).values()
    gpu_h = sum(float(cloud["gpu_h"]) for cloud in clouds)
    if not gpu_h:
        return money_words(facts.money)
    usd = sum(float(cloud["cost_usd"] + cloud["egress_usd"]) for cloud in clouds)
    beside = f"{amount(gpu_h, 'gpu_hours')} in the cloud took {amount(usd, 'usd')} more."
    return f"{money_words(facts.money)} {beside}"


def risk(facts: RunFacts) -> str:
    """Return what may go otherwise: failures and their cost, the spread over seeds, and how sure step times are."""
    said = []
    found = facts.incidents
    unexpected = facts.figure("interruptions") or 0.0
    if not fails(facts.scenario) and not found.all:
        said.append(f"{capitalised(NO_FAILURES)}, so its risk is not told.")
    elif not found.all:
        said.append("Nothing failed in this run; with another seed something may.")
    else:
        often = f", one every {length(facts.end_s / unexpected)}" if unexpected > 1 else ""
        said.append(f"{unexpected:,.0f} unexpected interruption{'s' * (unexpected != 1)}{often}.")
        said.append(expected_words(facts))
    said.append(_spread(facts))
    said.append(_basis(facts))
    return " ".join(part for part in said if part)


def expected_words(facts: RunFacts) -> str:
    """Return what the rates give in the mean, and whether a published count is what they rest on."""
    if not facts.expected:
        return ""
    over, bands = "", facts.bands
    if bands is not None and (band := bands.bands.get("interruptions")) is not None:
        over = f"; {len(bands.seeds)} seeds gave {band.p5:,.0f} to {band.p95:,.0f} (P5 to P95)"
    a_day = facts.expected / (facts.end_s / DAY_S)
    counted_a_day = next((figure.low for figure in facts.published if figure.title == A_DAY), None)
    fitted = counted_a_day and abs(a_day / counted_a_day - 1.0) < _CALIBRATED
    return (
        f"The rates{', fitted to the published count,' if fitted else ''} give {_count(facts.expected)} in the mean, "
        f"plus or minus {_count(math.sqrt(facts.expected))}"
        f"{draw_words(facts.figure('interruptions'), facts.expected)}{over}."
    )


def _count(events: float) -> str:
    return f"{events:,.0f}" if events >= _FEW else f"{events:.2g}"


def draw_words(count: float | None, mean: float) -> str:
    """Return how seldom a count so far from its mean is, after a colon; "": it is nothing unusual.

    >>> draw_words(465, 419.0), draw_words(420, 419.0)
    (': a bad draw, one in 71 such runs has as many', '')
    """
    if count is None or mean < _FEW:
        return ""
    more = count > mean
    chance = poisson_tail(int(count), mean) if more else 1.0 - poisson_tail(int(count) + 1, mean)
    if not 0.0 < chance < _UNUSUAL:
        return ""
    draw, as_many = ("bad", "many") if more else ("good", "few")
    return f": a {draw} draw, one in {1.0 / chance:,.0f} such runs has as {as_many}"


def _fitted_or_test(facts: RunFacts) -> dict[str, str]:
    """Return for each published figure whether it tests the model, or was put into it."""
    found = {figure.title: "follows: a test" for figure in facts.published}
    model = facts.exposure.model if facts.exposure is not None else None
    rates = () if model is None else ((A_DAY, model.unexpected_rate_s), (PLANNED_A_DAY, model.planned_rate_s))
    for title, rate_s in rates:
        counted = next((figure.low for figure in facts.published if figure.title == title), None)
        if model is not None and counted and abs(DAY_S * model.nodes * rate_s / counted - 1.0) < _CALIBRATED:
            found[title] = "rates fitted to it: chance"
    if STEP_MFU in found:
        beyond = facts.step is not None and facts.step.beyond
        found[STEP_MFU] = "own layout, not in the fit" if beyond else "may be in the fit"
    return found


def published_words(facts: RunFacts) -> str:
    """Return which published figures are put into the model and which test it, each with its source; "": none are.

    Author and year stand once before the figures of a work, its table or section behind each; whose layout is which
    where a figure hangs on it.
    """
    tests = _fitted_or_test(facts)
    said = []
    for work, figures in groupby(facts.published, key=lambda figure: figure.work):
        told = [
            f"{inner(figure.title)} {figure.words(figure.value)} beside {figure.published} "
            f"({f'{figure.place}: ' if figure.place else ''}{tests[figure.title]})"
            for figure in figures
        ]
        said.append(f"Beside {work or 'what was published'}: {'; '.join(told)}.")
    said += [
        f"{inner(figure.title)[:1].upper()}{inner(figure.title)[1:]}: {figure.work or 'what was published'} had "
        f"{figure.layout} ({figure.place}); this run has {layout_words(facts)}, chosen by the scene: all other tables "
        "show this one."
        for figure in facts.published
        if figure.layout and layout_words(facts)
    ]
    return " ".join(said)


def layout_words(facts: RunFacts) -> str:
    """Return the parallelism layout of the only training; "": there is none."""
    jobs = facts.scenario.jobs
    if len(jobs) != 1 or not isinstance(work := jobs[0].workload, LlmTraining):
        return ""
    layout = work.parallelism
    deeper = f", interleave {layout.interleave}" if layout.interleave > 1 else ""
    return f"tensor {layout.tensor}, context {layout.context}, pipeline {layout.pipeline}{deeper}"


def _spread(facts: RunFacts) -> str:
    bands = facts.bands
    band = None if bands is None else bands.bands.get("goodput")
    if bands is None or band is None:
        return "This run is one seed, one draw of the failures."
    return f"Over {len(bands.seeds)} seeds goodput is {percent(band.p5)} to {percent(band.p95)} (P5 to P95)."


def _basis(facts: RunFacts) -> str:
    """Return on what step times rest, and with them all figures of work, energy and money."""
    jobs = facts.summary.get("jobs", ())
    least = least_sure(standing_of_job(job) for job in jobs)
    if least is None:
        return ""
    unsure = [job for job in jobs if standing_of_job(job) == least]
    rests = next((str(job["step_rests_on"]) for job in unsure if job.get("step_rests_on")), "")
    of = "" if len(unsure) == len(jobs) else f" of {len(unsure):,} of {len(jobs):,} jobs"
    doubts = any(job.get("low_confidence") for job in unsure)
    but = ", but not the slowdown by this fabric" if doubts and not least.doubt else ""
    return f"Step times{of} are {least.word}{but}{f': {rests}' if rests else ''}."


def _later(facts: RunFacts) -> tuple[str, str] | None:
    """Return by how many days, and at what cost, the end moves if step times are off as far as told; None: unknown."""
    going = under_way(facts)
    if going is None or not going[0].get("step_s") or not going[0].get("step_high_s"):
        return None
    job, progress = going
    later_s = progress.whole_s * (job["step_high_s"] / job["step_s"] - 1.0)
    days = rounded(later_s / DAY_S, 2)
    if facts.ledger_usd is None:
        return days, ""
    return days, amount(float(np.median(facts.ledger_usd.total_usd)) * later_s / facts.end_s, "usd", 2)


def _cards(facts: RunFacts) -> Markup:
    summary = facts.summary
    cards: list[tuple[str, Child]] = [] if facts.over else [("Duration so far", length(facts.end_s))]
    if "gpus" in summary and "nodes" in summary:
        spares = facts.exposure.model.spares if facts.exposure is not None else 0
        of_them = f", {spares:,} spare" if spares else ""
        nodes = tag("span", f"{summary['nodes']:,} nodes{of_them}", class_="reader")
        cards.append(("GPUs", joined([number(summary["gpus"], f"{summary['gpus']:,}"), tag("br"), nodes])))
    cards += [(facts.title(key), facts.cell(key)) for key in ("goodput", "interruptions")]
    if isinstance(facts.money, RunMoney):
        books, ledger = facts.money.books, facts.money.ledger
        cards.append(("Capital (P5 to P95)", range_card(books.drawn.capital.total_usd)))
        if ledger is not None:
            cards.append(("Cost of this run (P5 to P95)", range_card(ledger.total_usd)))
            cards.append(("Of it unproductive (P5 to P95)", range_card(ledger.unproductive_usd)))
    cards += [(facts.title(key), facts.cell(key)) for key in ("energy_j", "carbon_kg")]
    return tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in cards], class_="cards")


def range_card(usd: Floats) -> Markup:
    """Return an amount of money and, smaller, its range."""
    middle, spread = usd_middle_and_range(usd)
    return joined([middle, [tag("br"), tag("span", spread, class_="reader")] if spread else None])


def interval(facts: RunFacts) -> float | None:
    """Return the mean time between unexpected interruptions [s]; None: there was none."""
    unexpected = facts.figure("interruptions")
    return facts.end_s / unexpected if unexpected else None
