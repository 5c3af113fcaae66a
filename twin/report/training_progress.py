"""How far the work of a job has come: steps, and tokens beside those of the training; when it ends, at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from twin.catalog import Catalog
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.models import load_model
from twin.report.run_money import RunMoney
from twin.report.words import amount, percent, rounded, usd_amount
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


def progress_words(
    spec: Job,
    job: Mapping[str, Any],
    scenario: Scenario,
    money: RunMoney | str,
    whole_tokens: float | None,
    end_s: float,
) -> str:
    """Return how much of the work of a job that still ran is done, when it ends at this rate, and what that costs.

    Parameters
    ----------
    spec, job
        In the scene, and in the summary of the run.
    money
        Of the run: it knows the tokens of kept steps.
    whole_tokens
        Of the published training of its model; None: unknown.
    end_s
        Of the run [s].
    """
    tokens = _tokens(money, str(job["id"]))
    read = f" It read {amount(tokens, 'tokens')}" if tokens else ""
    if spec.steps is not None:
        done = (job.get("steps") or 0) / spec.steps
        of_all = f" of {amount(tokens / done, 'tokens')}" if tokens and done else ""
        said = (
            f"{f'{read}{of_all}.' if read else ''} That is {percent(done)} of its {spec.steps:,} steps"
            if done
            else ""
        )
    elif tokens and whole_tokens and tokens >= _LEAST_DONE * whole_tokens:
        done = tokens / whole_tokens
        said = f"{read}, {percent(done)} of the {amount(whole_tokens, 'tokens')} of the published training"
    else:
        return f"{f'{read}.' if read else ''} The scene sets no end of it."
    if not 0.0 < done < 1.0:
        return f"{said}." if said else ""
    left_s = (end_s - float(job["start_s"])) * (1.0 / done - 1.0)
    ends = scenario.start + timedelta(seconds=end_s + left_s)
    said = f"{said}; at this rate it ends on {ends.day} {ends:%B %Y}"
    if isinstance(money, str) or money.ledger is None:
        return f"{said}."
    so_far_usd = float(np.median(money.ledger.total_usd))
    more_usd = so_far_usd * left_s / end_s
    whole_days = (end_s - float(job["start_s"]) + left_s) / 86400.0
    return (
        f"{said}, after {rounded(whole_days, 3)} days, and costs {usd_amount(more_usd)} more: "
        f"{usd_amount(so_far_usd + more_usd)} in all."
    )


def _tokens(money: RunMoney | str, job: str) -> float | None:
    """Return the tokens of the kept steps of a job; None: it reads none, or they are unknown."""
    work = None if isinstance(money, str) else money.books.work
    return next((each.tokens for each in work.jobs if each.id == job), None) if work is not None else None
