"""The only job of two runs: its failures and step by the planner, and what it takes in A and B until it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.analysis.compare import Comparison
from twin.analysis.whole_job import DAY_S, OneJob, StopsSeen, WholeJob, one_job, stops_seen, whole_job
from twin.planning.job.result import PlanError
from twin.planning.profile.figures import ProfileError
from twin.planning.risk.risk import JobRisk, risk_of
from twin.plant.build import build
from twin.report.comparison.checkpoints import is_interval
from twin.report.end_range import luck_by_draws
from twin.report.job_step import JobStep, job_step
from twin.report.training_progress import published_tokens
from twin.scenario.file.diff import Difference
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.path import split

_LEAST_DONE = 0.01
"""Share of a published training below which a run is no part of it that is worth telling."""


@dataclass(frozen=True)
class ComparedJob:
    """The only job of A and B, as far as it is known.

    Attributes
    ----------
    risks
        What it is exposed to, in A and in B; None: it cannot be planned.
    by_interval
        Whether its checkpoint interval differs.
    by_rates
        Whether all stops are drawn by rates, so that the rule of intervals knows them.
    step
        Its step in A, where it is a training; None: unknown.
    tokens
        Of its whole work; None: the scene counts steps, or nothing tells its end.
    whole
        What it takes until it is done; None: nothing tells its end.
    one
        Between what one such job lies by luck with failures and prices; None: unknown.
    stops
        Its stops in the runs of A and of B, beside those that the rates give; None: not all stops are by rates.
    """

    risks: tuple[JobRisk, JobRisk] | None = None
    by_interval: bool = False
    by_rates: bool = True
    step: JobStep | None = None
    tokens: float | None = None
    whole: WholeJob | None = None
    one: OneJob | None = None
    stops: tuple[StopsSeen, StopsSeen] | None = None

    @property
    def intervals(self) -> tuple[JobRisk, JobRisk] | None:
        """Return what it is exposed to where its checkpoint interval differs."""
        return self.risks if self.by_interval else None


def compared_job(
    found: Comparison, differences: Sequence[Difference], scenes: tuple[Scenario, Scenario] | None
) -> ComparedJob:
    """Return what is known of the only job of two scenes, or of that whose checkpoint interval differs."""
    if scenes is None:
        return ComparedJob()
    changed = next((split(difference.path)[1] for difference in differences if is_interval(difference)), None)
    only = all(len(scene.jobs) == 1 == len(jobs_of(scene)) for scene in scenes)
    if changed is None and not only:
        return ComparedJob()
    risks, planned, tokens = _planned(scenes, changed)
    by_rates = all(map(_by_rates, scenes))
    if not only:
        return ComparedJob(risks, changed is not None, by_rates, planned[0])
    rates_s = None
    if risks is not None and by_rates:
        rates_s = (_stop_rate_s(risks[0]), _stop_rate_s(risks[1]))
    seen = None if rates_s is None else _seen(found, rates_s)
    rates_s = None if seen is None else rates_s
    steps, by_tokens = _whole_steps(scenes, planned, tokens)
    if steps is not None and by_tokens and _least_done(found, steps) < _LEAST_DONE:
        steps = None
    whole = None if steps is None else whole_job(*found.samples, steps, rates_s)
    one = None
    if steps is not None and whole is not None and risks is not None and rates_s is not None:
        one = _one(found, steps, rates_s, whole, risks)
    tokens = tokens if by_tokens else None
    return ComparedJob(risks, changed is not None, by_rates, planned[0], tokens, whole, one, seen)


def _one(
    found: Comparison,
    steps: tuple[float, float],
    rates_s: tuple[float, float],
    whole: WholeJob,
    risks: tuple[JobRisk, JobRisk],
) -> OneJob | None:
    """Return between what one such job lies by luck with failures; None: the quick model is none of a run."""
    ettr = found.differences.get("ettr")
    if ettr is None or not (ettr.a and ettr.b):
        return None
    days = whole.seen.days
    of_a, of_b = (
        luck_by_draws(middle * DAY_S, kept, risk)
        for middle, kept, risk in zip((days.a[1], days.b[1]), (ettr.a, ettr.b), risks, strict=True)
    )
    if of_a is None or of_b is None:
        return None
    return one_job(*found.samples, steps, rates_s, (of_a / of_a.mean(), of_b / of_b.mean()))


def _planned(
    scenes: tuple[Scenario, Scenario], job: str | None
) -> tuple[tuple[JobRisk, JobRisk] | None, Sequence[JobStep | None], float | None]:
    """Return the exposure of a job in both scenes, its step in each, and the tokens of its published training."""
    catalogs = [catalog_of(scene) for scene in scenes]
    plants = [build(scene, catalog) for scene, catalog in zip(scenes, catalogs, strict=True)]
    built = list(zip(scenes, plants, catalogs, strict=True))
    steps = [job_step(*hall) for hall in built]
    tokens = published_tokens(scenes[0], catalogs[0])
    try:
        of_a, of_b = (risk_of(*hall, job) for hall in built)
    except (PlanError, ProfileError, ValueError):
        return None, steps, tokens
    return (of_a, of_b), steps, tokens


def _least_done(found: Comparison, steps: tuple[float, float]) -> float:
    """Return the share of the whole job that the run with the least of it has done [-]."""
    done = [
        sample.job.steps / whole if sample.job is not None else 0.0
        for side, whole in zip(found.samples, steps, strict=True)
        for sample in side
    ]
    return min(done, default=0.0)


def _stop_rate_s(risk: JobRisk) -> float:
    """Return how often a job that is whole is stopped, planned stops too [1/s]."""
    return risk.model.nodes * risk.model.node_rate_s


def _by_rates(scene: Scenario) -> bool:
    """Return whether all stops of a scene are drawn by its rates."""
    return scene.failures.enabled and scene.failures.trace is None and not scene.interventions


def _seen(found: Comparison, rates_s: tuple[float, float]) -> tuple[StopsSeen, StopsSeen] | None:
    of_a, of_b = (stops_seen(side, rate_s) for side, rate_s in zip(found.samples, rates_s, strict=True))
    return None if of_a is None or of_b is None else (of_a, of_b)


def _whole_steps(
    scenes: tuple[Scenario, Scenario], planned: Sequence[JobStep | None], tokens: float | None
) -> tuple[tuple[float, float] | None, bool]:
    """Return the steps of the whole job in A and B, None: nothing tells; and whether they follow from its tokens."""
    of_a, of_b = (scene.jobs[0].steps for scene in scenes)
    if of_a and of_b:
        return (float(of_a), float(of_b)), False
    step_a, step_b = planned
    if of_a or of_b or not tokens or step_a is None or step_b is None:
        return None, False
    return (tokens / step_a.tokens, tokens / step_b.tokens), True
