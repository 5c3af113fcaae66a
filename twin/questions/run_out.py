"""When power, cooling, spares, queue and storage of a scene run out, as its use grows and its nodes fail.

Use of a resource over its capacity grows as u (1 + g)^t; where data are written besides, storage also by w t. It runs
out where that reaches 1. Spare nodes run out where the P95 of nodes in repair, m + 1.645 sqrt(5 m), reaches them: m is
nodes x failure rate x time to repair, and its variance five times its mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.commands.budget.budget import loop_capacity_w
from twin.language import tr
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import estimate_of
from twin.planning.risk.availability import SPREAD
from twin.planning.risk.risk import risk_of
from twin.plant.design_load import DesignLoad, item_limit_w, loop_heat_w
from twin.questions.answer import (
    DAY_S,
    YEAR_S,
    AnswerChart,
    AnswerCurve,
    AnswerFigure,
    AnswerMark,
    TradeAnswer,
    floats,
)
from twin.questions.hall_estimate import WIDTH
from twin.questions.question import (
    Asked,
    AskedScene,
    QuestionError,
    QuestionInput,
    Setting,
    TradeQuestion,
    fixed,
)
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.work import Job

HORIZON_YEARS = 30.0
P95_SIGMAS = 1.645
SHOWN_USE, POINTS = 1.5, 61
MOST_ESTIMATED = 200
"""Jobs of which the time is worked out by their steps."""


@dataclass(frozen=True)
class Resource:
    """Something that runs out.

    Parameters
    ----------
    key, title
        In JSON, and for people.
    use
        Over its capacity, by growth of a year and years from now [-].
    of
        What of the scene it is; "": all of it.
    """

    key: str
    title: str
    use: Callable[[float, float], float]
    of: str = ""

    def years(self, growth: float) -> float:
        """Return when it runs out [years]; inf: not within 30 years."""
        if self.use(growth, 0.0) >= 1.0:
            return 0.0
        if self.use(growth, HORIZON_YEARS) < 1.0:
            return math.inf
        low, high = 0.0, HORIZON_YEARS
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.use(growth, middle) >= 1.0 else (middle, high)
        return high


def growing(use: float, added: float = 0.0) -> Callable[[float, float], float]:
    """Return the use of a resource over growth and time, of which so much is added a year."""
    return lambda growth, years: float(use * (1.0 + growth) ** years + added * years)


def spares_in_use(in_repair: float, spares: int) -> Callable[[float, float], float]:
    """Return the P95 of nodes in repair over the spare nodes, as the nodes grow in number."""

    def use(growth: float, years: float) -> float:
        mean: float = in_repair * (1.0 + growth) ** years
        return (mean + P95_SIGMAS * math.sqrt(SPREAD * mean)) / spares

    return use


# --- what the scene says


def asked_share(scene: AskedScene, catalog: Catalog) -> float:
    """Return the GPU time that the jobs of a scene ask for over what its nodes have until its end [-]."""
    plant, end_s = scene.plant, scene.scenario.duration_s
    nodes = int(plant.nodes.present.sum())
    if not nodes or not end_s:
        return 0.0
    estimated: dict[int, float] = {}
    total = 0.0
    for job in jobs_of(scene.scenario):
        total += job.nodes * min(_lasts_s(job, scene, catalog, estimated), max(0.0, end_s - job.submit_s))
    return total / (nodes * end_s)


def _lasts_s(job: Job, scene: AskedScene, catalog: Catalog, estimated: dict[int, float]) -> float:
    """Return how long a job works [s]; inf: it never ends."""
    known = job.run_s or job.estimate_s
    if known is not None:
        return known
    if job.steps is None:
        return job.limit_s or math.inf
    if len(estimated) >= MOST_ESTIMATED:
        return job.limit_s or math.inf
    gpus = job.gpus or job.nodes * int(scene.plant.nodes.gpu_count.max())
    part = scene.plant.gpu_parts[0]
    try:
        step_s = estimate_of(job, gpus, part, catalog.gpu(part).memory_bytes).parts.step_s
    except ValueError:
        return job.limit_s or math.inf
    estimated[len(estimated)] = step_s
    return job.steps * step_s


def _asked(setting: Setting) -> str:
    scene = setting.scene
    share = asked_share(scene, setting.catalog) if scene is not None else 0.0
    return f"{100.0 * share:.3g} %"


def resources(asked: Asked) -> tuple[list[Resource], list[str]]:
    """Return what can run out, and what cannot be told of the others."""
    scene, catalog = asked.scene, asked.catalog
    plant = scene.plant
    found, missing = [], []
    limits_w = item_limit_w(plant)
    known = np.isfinite(limits_w) & plant.power.present & (limits_w > 0.0)
    if known.any():
        load = np.where(known, DesignLoad(plant, catalog).most_w() / np.where(known, limits_w, 1.0), 0.0)
        item = int(load.argmax())
        found.append(Resource("power", tr("Power"), growing(float(load[item])), plant.power.ids[item]))
    else:
        missing.append(tr("The scene has no power tree with limits."))
    takes_w = loop_capacity_w(plant, catalog)
    if (takes_w > 0.0).any():
        heat = np.where(
            takes_w > 0.0, loop_heat_w(plant, catalog) / np.where(takes_w > 0.0, takes_w, 1.0), 0.0
        )
        loop = int(heat.argmax())
        found.append(Resource("cooling", tr("Cooling"), growing(float(heat[loop])), plant.loops.ids[loop]))
    else:
        missing.append(tr("The scene has no cooling with a capacity."))
    spares = _spares(asked)
    if isinstance(spares, Resource):
        found.append(spares)
    else:
        missing.append(spares)
    found.append(Resource("queue", tr("GPU time for the queue"), growing(asked.number("asked"))))
    holds = plant.storage.capacity_bytes[np.isfinite(plant.storage.capacity_bytes)]
    if holds.sum() > 0.0:
        written = (asked.maybe("written") or 0.0) * YEAR_S / DAY_S / float(holds.sum())
        found.append(Resource("storage", tr("Storage"), growing(asked.number("stored"), written)))
    else:
        missing.append(tr("The scene has no storage with a capacity."))
    return found, missing


def _spares(asked: Asked) -> Resource | str:
    scene = asked.scene
    try:
        model = risk_of(scene.scenario, scene.plant, asked.catalog).model
    except PlanError as none:
        return tr("Spare nodes: {why}.", why=none)
    if not model.spares:
        return tr("No nodes stand by as spares for the largest job.")
    rate = model.node_rate_s * asked.number("failures")
    in_repair = (model.nodes + model.spares) * rate * model.mean_repair_s
    return Resource("spares", tr("Spare nodes"), spares_in_use(in_repair, model.spares), f"{model.spares:,}")


# --- the answer


def _answer(asked: Asked) -> TradeAnswer:
    found, missing = resources(asked)
    growth = asked.number("growth")
    if not found:
        raise QuestionError(" ".join(missing))
    fast, slow = growth * (1.0 + WIDTH), growth * (1.0 - WIDTH)
    found.sort(key=lambda resource: (resource.years(growth), -resource.use(growth, 1.0)))
    figures = []
    for resource in found:
        title = tr("{title} ({of})", title=resource.title, of=resource.of) if resource.of else resource.title
        figures.append(
            AnswerFigure(
                resource.key,
                title,
                resource.years(growth) * YEAR_S,
                "duration",
                resource.years(fast) * YEAR_S,
                resource.years(slow) * YEAR_S,
            )
        )
    used = [
        AnswerFigure(
            f"{resource.key}_now",
            tr("{title}, used now", title=resource.title),
            resource.use(growth, 0.0),
            "fraction",
        )
        for resource in found
    ]
    return TradeAnswer(
        _sentence(figures),
        (*figures, *used),
        _chart(found, growth),
        (
            tr(
                "Use over capacity grows by {growth:.0f} % a year from what it is now.", growth=100.0 * growth
            ),
            tr("Power and cooling: the fullest item at design load, with one feed lost where there are two."),
            tr(
                "Gas engines and reactors spare what is above them the share of their capacity that they give beside "
                "the utility; sun and batteries do not."
            ),
            tr(
                "Spare nodes: P95 of the nodes in repair, variance five times the mean, over those that stand by."
            ),
            tr(
                "Queue: GPU time that is asked for over what there is; waits grow without bound as it nears 100 %."
            ),
        ),
        (tr("Range: growth 40 % of itself faster and slower."), *missing),
    )


def _sentence(figures: list[AnswerFigure]) -> str:
    gone = ", ".join(figure.title for figure in figures if figure.value == 0.0)
    following = next((figure for figure in figures if 0.0 < figure.value < math.inf), None)
    told = [tr("Run out already: {gone}.", gone=gone)] if gone else []
    if following is not None:
        words = tr("Then {title}, in {time}.") if gone else tr("First of all {title}, in {time}.")
        told.append(words.format(title=following.title, time=following.words))
    elif not gone:
        told.append(tr("Nothing of it runs out within 30 years."))
    return " ".join(told)


def _chart(found: list[Resource], growth: float) -> AnswerChart:
    times = [resource.years(growth) for resource in found]
    last = min(HORIZON_YEARS, max([1.0, *(1.5 * years for years in times if math.isfinite(years))]))
    years = np.linspace(0.0, last, POINTS)
    curves = tuple(
        AnswerCurve(
            resource.title, floats(years * YEAR_S), tuple(resource.use(growth, float(at)) for at in years)
        )
        for resource in found
    )
    marks = tuple(
        AnswerMark(resource.title, at * YEAR_S, 1.0)
        for resource, at in zip(found, times, strict=True)
        if at <= last
    )
    return AnswerChart(
        tr("Use over capacity"),
        tr("Use over capacity"),
        "fraction",
        tr("From now"),
        "duration",
        curves,
        marks,
        most=SHOWN_USE,
    )


QUESTION = TradeQuestion(
    "run-out",
    tr("When do power, spares, queue and storage run out?"),
    tr("capacity planning run out exhausted growth full when power cooling spares queue storage forecast"),
    (
        QuestionInput(
            "growth",
            tr("Growth"),
            tr("Growth of a year"),
            fixed("40 %"),
            dimension="fraction",
            low=0.0,
            high=20.0,
        ),
        QuestionInput(
            "failures",
            tr("Failures"),
            tr("Failures over those of the scene"),
            fixed("100 %"),
            dimension="fraction",
            low=0.0,
            high=100.0,
        ),
        QuestionInput(
            "asked",
            tr("GPU time asked"),
            tr("By jobs, over what there is; by default that of the jobs of the scene"),
            _asked,
            dimension="fraction",
            low=0.0,
            high=100.0,
        ),
        QuestionInput(
            "stored",
            tr("Storage used"),
            tr("Over what there is, now"),
            fixed("50 %"),
            dimension="fraction",
            low=0.0,
            high=10.0,
        ),
        QuestionInput(
            "written",
            tr("Written a day"),
            tr("Data that come each day and stay, besides growth"),
            fixed(""),
            dimension="data",
            low=0.0,
            high=1e18,
            optional=True,
        ),
    ),
    _answer,
    needs_scene=True,
)
