"""How far the work of a job has come: steps, and tokens beside those of the training; when it ends, at what cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from twin.analysis.whole_job import kept_factor
from twin.catalog import Catalog
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.models import load_model
from twin.record.accounts import NODE_WAITS, RESTING, STOP_COSTS
from twin.report.end_range import EndRange, range_by_draws, range_by_seeds
from twin.report.published import DAY_S
from twin.report.run_data import RunFacts
from twin.report.run_money import RunMoney
from twin.report.words import amount, percent, rounded, usd_amount, usd_middle_and_range
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job
from twin.scenario.schema.workload import LlmTraining

_LEAST_DONE = 0.01
"""Share of a published training below which a run is no part of it that is worth telling."""


def published_tokens(scenario: Scenario, catalog: Catalog) -> float | None:
    """Return the tokens of the published training of the model that the only job trains; None: none are known."""
    if len(scenario.jobs) != 1 or not isinstance(workload := scenario.jobs[0].workload, LlmTraining):
        return None
    try:
        return load_model(workload.model, catalog).trained_tokens
    except ProfileError:
        return None


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How much of the work of a job is done.

    Attributes
    ----------
    done
        Share of it [-].
    begin_s, end_s
        When the job began, and until when that was done [s].
    pace
        Steps kept with as many stops as the failure rates give in the mean, over those kept [-].
    """

    done: float
    begin_s: float
    end_s: float
    pace: float = 1.0

    @property
    def seen_s(self) -> float:
        """Return how long the job takes in all at the rate of the run, its luck with failures in it [s]."""
        return (self.end_s - self.begin_s) / self.done

    @property
    def whole_s(self) -> float:
        """Return how long it takes in all with as many stops as the rates give [s]."""
        return self.seen_s / self.pace

    @property
    def left_s(self) -> float:
        """Return for how long it still runs then [s]."""
        return self.whole_s - (self.end_s - self.begin_s)


def progress_of(facts: RunFacts, job: Mapping[str, Any]) -> TrainingProgress | None:
    """Return how much of its work a job has done; None: it has no known end, has done nothing, or all.

    Parameters
    ----------
    job
        In the summary of the run.
    """
    spec, tokens = _spec(facts, job), _tokens(facts.money, str(job["id"]))
    if spec is None or job.get("start_s") is None:
        return None
    done = 0.0
    if spec.steps is not None:
        done = (job.get("steps") or 0) / spec.steps
    elif tokens and facts.whole_tokens and tokens >= _LEAST_DONE * facts.whole_tokens:
        done = tokens / facts.whole_tokens
    if not 0.0 < done < 1.0:
        return None
    found = TrainingProgress(done, float(job["start_s"]), facts.end_s, mean_pace(facts, job))
    return found if found.left_s > 0.0 else None


def mean_pace(facts: RunFacts, job: Mapping[str, Any]) -> float:
    """Return the kept steps of the only job with as many stops as the rates give, over those kept [-]; 1: unknown.

    As a comparison does: each stop more or fewer takes what a stop of the run took.
    """
    stops = sum(facts.figure(key) or 0.0 for key in ("interruptions", "planned"))
    exposure, gpus = facts.exposure, job.get("gpus")
    if not stops or not gpus or exposure is None or exposure.job != job["id"]:
        return 1.0
    failures, alone = facts.scenario.failures, len(facts.summary.get("jobs", ())) == 1
    if not alone or not failures.enabled or failures.trace is not None or facts.scenario.interventions:
        return 1.0
    held_s, waits_s, took_s = (
        math.fsum(gpu_s for account, gpu_s in facts.ledger_gpu_s.items() if account in accounts) / gpus
        for accounts in (set(facts.ledger_gpu_s) - set(RESTING), NODE_WAITS, STOP_COSTS)
    )
    whole_s = held_s - waits_s
    more = exposure.model.nodes * exposure.model.node_rate_s * whole_s - stops
    return kept_factor(whole_s, took_s, more * took_s / stops) or 1.0


def under_way(facts: RunFacts) -> tuple[Mapping[str, Any], TrainingProgress] | None:
    """Return the only job and how far it is where it still runs towards a known end; None: it does not."""
    jobs = facts.summary.get("jobs", ())
    if len(jobs) != 1 or jobs[0].get("end_s") is not None:
        return None
    progress = progress_of(facts, jobs[0])
    return (jobs[0], progress) if progress is not None else None


def end_range(facts: RunFacts, job: Mapping[str, Any], progress: TrainingProgress) -> EndRange | None:
    """Return the range of the end of a job by luck with failures, over the seeds that were run, else over draws."""
    ettr = job.get("ettr")
    if not ettr or len(facts.summary.get("jobs", ())) != 1:
        return None
    band = facts.bands.bands.get("ettr") if facts.bands is not None else None
    if band is not None:
        return range_by_seeds(progress.seen_s, ettr, band, progress.end_s - progress.begin_s)
    exposure = facts.exposure
    if exposure is None or exposure.job != job["id"] or facts.scenario.failures.trace is not None:
        return None
    return range_by_draws(progress.seen_s, ettr, exposure)


def progress_words(facts: RunFacts, job: Mapping[str, Any]) -> str:
    """Return how much of the work of a job that still ran is done, when it ends at this rate, and what that costs."""
    spec, tokens = _spec(facts, job), _tokens(facts.money, str(job["id"]))
    if spec is None or job.get("start_s") is None:
        return ""
    read = f" It read {amount(tokens, 'tokens')}" if tokens else ""
    if spec.steps is not None:
        done = (job.get("steps") or 0) / spec.steps
        of_all = f" of {amount(tokens / done, 'tokens')}" if tokens and done else ""
        said = (
            f"{f'{read}{of_all}.' if read else ''} That is {percent(done)} of its {spec.steps:,} steps"
            if done
            else ""
        )
    elif tokens and facts.whole_tokens and tokens >= _LEAST_DONE * facts.whole_tokens:
        done = tokens / facts.whole_tokens
        said = (
            f"{read}, {percent(done)} of the {amount(facts.whole_tokens, 'tokens')} of the published training"
        )
    else:
        return f"{f'{read}.' if read else ''} The scene sets no end of it."
    progress = progress_of(facts, job)
    if progress is None:
        return f"{said}." if said else ""
    ends = _date(facts, progress.end_s + progress.left_s)
    luck = _luck_words(facts, progress, end_range(facts, job, progress))
    days = progress.whole_s / DAY_S
    rate = "at this rate" if progress.pace == 1.0 else "with the mean number of failures"
    said = f"{said}; {rate} it ends on {_day(ends)}, after {rounded(days, 3)} days{luck}"
    if facts.ledger_usd is None:
        return f"{said}."
    so_far_usd = facts.ledger_usd.total_usd
    more = progress.left_s / progress.end_s
    more_usd = float(np.median(so_far_usd)) * more
    middle, spread = usd_middle_and_range(so_far_usd * (1.0 + more))
    between = f" ({'' if luck else 'P5 to P95: '}{spread})" if spread else ""
    return f"{said}, and costs {usd_amount(more_usd)} more: {middle}{between} in all."


def _luck_words(facts: RunFacts, progress: TrainingProgress, found: EndRange | None) -> str:
    """Return the range of the end, in days and, where it spans some, by date; "": unknown."""
    if found is None:
        return ""
    low, high = (_date(facts, progress.begin_s + seconds) for seconds in (found.low_s, found.high_s))
    days = f"{found.low_s / DAY_S:.1f} to {found.high_s / DAY_S:.1f}"
    dates = f", {low.day} {low:%B} to {high.day} {high:%B}" if low.date() != high.date() else ""
    out = not found.low_s <= progress.whole_s <= found.high_s
    pace = " at the pace of the quick model, which is another one" if out and progress.pace != 1.0 else ""
    of = f"{found.count:,} seeds" if found.seeds else f"{found.count:,} draws"
    return f" ({days} by luck{pace}{dates}, P5 to P95 of {of})"


def _date(facts: RunFacts, t_s: float) -> datetime:
    return facts.scenario.start + timedelta(seconds=t_s)


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def _spec(facts: RunFacts, job: Mapping[str, Any]) -> Job | None:
    return next((spec for spec in facts.scenario.jobs if spec.id == job["id"]), None)


def _tokens(money: RunMoney | str, job: str) -> float | None:
    """Return the tokens of the kept steps of a job; None: it reads none, or they are unknown."""
    work = None if isinstance(money, str) else money.books.work
    return next((each.tokens for each in work.jobs if each.id == job), None) if work is not None else None
