"""What one more nine of power and cooling costs, and whether it pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from twin.arrays import Floats
from twin.designs.front import non_dominated
from twin.economics.books import market_usd_h
from twin.economics.finance import HOURS_PER_YEAR
from twin.language import tr
from twin.physics.availability import COMMON_CAUSE
from twin.questions.answer import (
    QUANTILES,
    AnswerChart,
    AnswerCurve,
    AnswerFigure,
    AnswerMark,
    TradeAnswer,
    floats,
    ranged,
)
from twin.questions.hall_estimate import (
    LEVELS,
    HallEstimates,
    hall_gpus,
    hall_words,
    known_parts,
    level_of_scene,
    nodes_for,
    part_choices,
    part_of_scene,
)
from twin.questions.question import Asked, QuestionInput, TradeQuestion
from twin.scenario.schema.site import RedundancyLevel


def nines(available: float) -> float:
    """Return how many nines an availability has.

    Examples
    --------
    >>> round(nines(0.999), 6), round(nines(0.9995), 2)
    (3.0, 3.3)
    """
    return -math.log10(1.0 - available) if available < 1.0 else math.inf


@dataclass(frozen=True)
class RedundancyStep:
    """One choice of redundancy: its availability, interruptions a year, and its cost, shape (samples,)."""

    power: RedundancyLevel
    cooling: RedundancyLevel
    available: float
    interruptions: float
    capital_usd: Floats
    yearly_usd: Floats

    @property
    def words(self) -> str:
        """Return "power N+1, cooling 2N"."""
        return tr("power {power}, cooling {cooling}", power=self.power, cooling=self.cooling)

    @property
    def nines(self) -> float:
        """Return its nines."""
        return nines(self.available)

    @property
    def usd(self) -> float:
        """Return the middle of what a year costs [USD]."""
        return float(np.median(self.yearly_usd))


def next_step(steps: Sequence[RedundancyStep], now: RedundancyStep) -> RedundancyStep | None:
    """Return the cheapest step with one more nine, or the one with most where none has it; None: none has more."""
    better = [step for step in steps if step.nines > now.nines + 1e-9]
    whole = [step for step in better if step.nines >= now.nines + 1.0]
    if whole:
        return min(whole, key=lambda step: step.usd)
    return max(better, key=lambda step: (step.nines, -step.usd), default=None)


def _steps(asked: Asked, halls: HallEstimates) -> list[RedundancyStep]:
    part = known_parts(asked.catalog)[asked.word("part")]
    found = []
    for power, cooling in product(LEVELS, LEVELS):
        hall = halls.hall(part, nodes_for(part, asked.count("gpus")), power, cooling)
        money, outages = halls.statement(hall), halls.outages(hall, power, cooling)
        found.append(
            RedundancyStep(
                power,
                cooling,
                outages.available,
                outages.per_year,
                money.capital.total_usd,
                money.yearly_usd,
            )
        )
    return found


def _answer(asked: Asked) -> TradeAnswer:
    halls = HallEstimates(asked.setting)
    part, gpus = known_parts(asked.catalog)[asked.word("part")], asked.count("gpus")
    steps = _steps(asked, halls)
    now = next(s for s in steps if (s.power, s.cooling) == (asked.word("power"), asked.word("cooling")))
    then = next_step(steps, now)
    chart = _chart(steps, now, then)
    hours = (1.0 - now.available) * HOURS_PER_YEAR
    before = (
        AnswerFigure("available", tr("Share of the time now"), now.available, "fraction"),
        AnswerFigure("hours", tr("Hours down a year now"), hours, tr("h/year")),
    )
    method = (
        tr("Availability: utility with diesels, transformers, UPS, chillers, CDUs or air handlers, k of n."),
        tr("Costs: the bill of the hall at each of nine choices of redundancy, at the same draws of prices."),
        tr("The cheapest choice with ten times fewer hours down is the next nine."),
    )
    rests = (
        tr(
            "Failure rates and repair times of the catalogue; {beta:.0f} % of the failures of alike machines "
            "come together [estimated], which bounds what more of them gain.",
            beta=100.0 * COMMON_CAUSE,
        ),
        tr("Worth of a GPU-hour: what it is rented for. Restarts of jobs after an outage are not counted."),
        *hall_words(asked.setting),
    )
    if then is None:
        return TradeAnswer(
            tr("No choice of redundancy has more nines than {words}.", words=now.words),
            before,
            chart,
            method,
            rests,
        )
    extra, more = then.yearly_usd - now.yearly_usd, then.nines - now.nines
    saved_h = (then.available - now.available) * HOURS_PER_YEAR
    rent = market_usd_h(
        {part.gpu: 1}, halls.statement(halls.hall(part, 1, "N", "N")).capital.prices, asked.catalog
    )
    worth = saved_h * gpus * rent
    figures = (
        ranged("nine_usd", tr("Cost of one more nine, a year"), extra / more, "USD/year"),
        ranged("extra_usd", tr("More cost a year"), extra, "USD/year"),
        ranged("extra_capital_usd", tr("More capital"), then.capital_usd - now.capital_usd, "USD"),
        *before,
        AnswerFigure("then_available", tr("Share of the time then"), then.available, "fraction"),
        AnswerFigure(
            "then_hours", tr("Hours down a year then"), (1.0 - then.available) * HOURS_PER_YEAR, tr("h/year")
        ),
        AnswerFigure("nines", tr("Nines gained"), more, ""),
        AnswerFigure("interruptions", tr("Interruptions a year now"), now.interruptions, tr("a year")),
        AnswerFigure("then_interruptions", tr("Interruptions a year then"), then.interruptions, tr("a year")),
        ranged("hour_usd", tr("Cost of an hour less down"), extra / saved_h, "USD/h"),
        AnswerFigure("saved_gpu_h", tr("GPU-hours saved a year"), saved_h * gpus, tr("GPU-hours")),
        ranged("worth_usd", tr("Worth of these a year"), worth, "USD/year"),
    )
    pays = float(np.mean(worth > extra)) > 0.5
    told = [] if more >= 1.0 else [tr("No choice gains a whole nine.")]
    told.append(
        tr("At the rent of a GPU-hour it pays.") if pays else tr("At the rent of a GPU-hour it does not pay.")
    )
    return TradeAnswer(
        tr(
            "From {now} to {then}: {nines:#.2g} more nines for {usd} ({range}). {verdict}",
            now=now.words,
            then=then.words,
            nines=more,
            usd=figures[1].words,
            range=figures[1].range_words,
            verdict=" ".join(told),
        ),
        figures,
        chart,
        method,
        rests,
    )


def _chart(steps: Sequence[RedundancyStep], now: RedundancyStep, then: RedundancyStep | None) -> AnswerChart:
    """Return the yearly cost over nines of the choices that none other beats, and all as marks."""
    values = np.array([(-step.nines, step.usd) for step in steps], np.float64)
    best = sorted(
        (steps[place] for place in np.flatnonzero(non_dominated(values)).tolist()),
        key=lambda step: step.nines,
    )
    usd = np.array([np.quantile(step.yearly_usd, QUANTILES) for step in best]).T
    curve = AnswerCurve(
        tr("Cheapest choices"),
        tuple(step.nines for step in best),
        floats(usd[1]),
        floats(usd[0]),
        floats(usd[2]),
    )
    marks = [AnswerMark(tr("now: {words}", words=now.words), now.nines, now.usd)]
    if then is not None:
        marks.append(AnswerMark(tr("next: {words}", words=then.words), then.nines, then.usd))
    return AnswerChart(
        tr("Cost of a year over nines of power and cooling"),
        tr("Capital and operation of a year"),
        "USD/year",
        tr("Nines"),
        "",
        (curve,),
        tuple(marks),
    )


QUESTION = TradeQuestion(
    "one-more-nine",
    tr("What does one more nine cost?"),
    tr("availability nines cost redundancy N+1 2N uptime tier downtime pays"),
    (
        QuestionInput(
            "part",
            tr("Node or rack"),
            tr("That the hall is filled with"),
            part_of_scene,
            "choice",
            choices=part_choices,
        ),
        QuestionInput(
            "gpus",
            "GPUs",
            tr("GPUs of the hall"),
            lambda setting: hall_gpus(setting, 4096),
            "count",
            low=1,
            high=131_072,
        ),
        QuestionInput(
            "power",
            tr("Power now"),
            tr("Redundancy of power as it is"),
            level_of_scene("power"),
            "choice",
            choices=LEVELS,
        ),
        QuestionInput(
            "cooling",
            tr("Cooling now"),
            tr("Redundancy of cooling as it is"),
            level_of_scene("cooling"),
            "choice",
            choices=LEVELS,
        ),
    ),
    _answer,
)
