"""What published runs show of each profile: errors of runs that its fit has not seen, by precision."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from twin.planning.profile.uncertainty import StepErrors, kind_of, shrunk_p90
from twin.planning.table.calibrate import RunFit
from twin.planning.table.estimate_cases import TrainingCase
from twin.planning.table.validation import TableComparison, ValidationRow

SHARE = 0.9
"""Of runs that an interval is to cover."""

LEAST_P90 = 0.005
"""Smallest width that a few runs may show: measurements repeat no better."""


@dataclass(frozen=True, slots=True)
class Residual:
    """Error of a published run that the fit of its profile has not seen.

    Attributes
    ----------
    table, model
        Where it was published, and of which model.
    case
        The run.
    log
        log(predicted / measured), predicted by a fit without the runs of this model where they were fitted to.
    seen
        Whether the fit has seen the run all the same: numbers of experts belong to no profile and are not fitted again.
    """

    table: str
    model: str
    case: TrainingCase
    log: float
    seen: bool = False

    @property
    def group(self) -> tuple[str, str]:
        """Profile and kind of run."""
        return self.case.calibrated.name, kind_of(
            self.case.stack.precision, self.case.model.experts is not None
        )


def residuals_of(comparisons: Iterable[TableComparison]) -> tuple[Residual, ...]:
    """Return the error of each published step time as a fit without its model predicts it.

    A table that nothing was fitted to is taken as it is. For one that a profile was fitted to, the numbers that are
    fitted are fitted again, each towards its shipped value, and one Gauss-Newton step leaves the runs of a model out.
    """
    found = []
    fitted: dict[str, list[tuple[str, ValidationRow]]] = defaultdict(list)
    for comparison in comparisons:
        for row in comparison.rows:
            if row.case is None:
                continue
            if comparison.fitted and row.case.model.experts is None:
                fitted[row.case.calibrated.name].append((comparison.name, row))
            else:
                model, log = model_of_label(row.label), math.log(row.ratio)
                found.append(Residual(comparison.name, model, row.case, log, comparison.fitted))
    for rows in fitted.values():
        found += _left_out(rows)
    return tuple(found)


def model_of_label(label: str) -> str:
    """Return the model that the label of a row begins with."""
    return label.split(",", 1)[0]


def _left_out(rows: Sequence[tuple[str, ValidationRow]]) -> Iterable[Residual]:
    cases = [row.case for _, row in rows if row.case is not None]
    models = np.array([model_of_label(row.label) for _, row in rows])
    fit = RunFit(cases, cases[0].calibrated.profile)
    logs = fit.unseen(fit.solve(), models)
    for (table, _), model, case, log in zip(rows, models, cases, logs, strict=True):
        yield Residual(table, str(model), case, float(log))


def errors_by_group(residuals: Iterable[Residual]) -> dict[tuple[str, str], StepErrors]:
    """Return what the residuals show, by profile and kind of run."""
    groups: dict[tuple[str, str], list[Residual]] = defaultdict(list)
    for residual in residuals:
        groups[residual.group].append(residual)
    return {key: _errors(members) for key, members in sorted(groups.items())}


def _errors(members: Sequence[Residual]) -> StepErrors:
    logs = np.array([member.log for member in members])
    return StepErrors(
        rows=len(members),
        models=len({member.model for member in members}),
        most_gpus=max((member.case.parallel.gpus for member in members), default=1),
        mean_pct=float(100 * np.abs(np.expm1(logs)).mean()) if len(logs) else 0.0,
        bias_pct=float(100 * np.expm1(logs).mean()) if len(logs) else 0.0,
        p90=quantile(np.abs(logs)),
        largest=float(np.abs(logs).max(initial=0.0)),
    )


def quantile(sizes: np.ndarray) -> float:
    """Return the size that nine in ten of further ones stay below: the place (n + 1) 0.9 of n, or the largest."""
    if not len(sizes):
        return LEAST_P90
    place = min(len(sizes), math.ceil((len(sizes) + 1) * SHARE))
    return max(LEAST_P90, float(np.sort(sizes)[place - 1]))


@dataclass(frozen=True, slots=True)
class UnseenErrors:
    """Errors of the runs of a table that the fit of their profile has not seen.

    Attributes
    ----------
    mape_pct, bias_pct
        Mean absolute and mean error [%].
    inside_pct
        Share of the runs in their 90 % interval [%].
    """

    mape_pct: float
    bias_pct: float
    inside_pct: float


def unseen_by_table(residuals: Iterable[Residual]) -> dict[str, UnseenErrors]:
    """Return the errors of runs that no fit has seen, by table."""
    tables: dict[str, list[Residual]] = defaultdict(list)
    for residual in residuals:
        if not residual.seen:
            tables[residual.table].append(residual)
    found = {}
    for table, members in tables.items():
        errors = np.expm1([member.log for member in members])
        inside = [abs(member.log) <= member.case.interval.width for member in members]
        found[table] = UnseenErrors(
            float(100 * np.abs(errors).mean()), float(100 * errors.mean()), float(100 * np.mean(inside))
        )
    return found


def covered(residuals: Sequence[Residual]) -> tuple[bool, ...]:
    """Return whether each run lies in the interval that all runs but those of its model give."""
    widths: dict[tuple[str, str, str], float] = {}
    all_groups = errors_by_group(residuals)
    for residual in residuals:
        key = (*residual.group, residual.model)
        if key not in widths:
            group = [other for other in residuals if other.group == residual.group]
            rest = _errors([other for other in group if other.model != residual.model])
            widths[key] = shrunk_p90({**all_groups, residual.group: rest}, residual.group)
    return tuple(abs(residual.log) <= widths[*residual.group, residual.model] for residual in residuals)


def coverage_pct(
    residuals: Sequence[Residual],
) -> tuple[float, Mapping[tuple[str, str], tuple[int, float]]]:
    """Return the share of runs in their intervals [%], of all and of each group with its number of runs."""
    inside = covered(residuals)
    groups: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for residual, is_inside in zip(residuals, inside, strict=True):
        groups[residual.group].append(is_inside)
    by_group = {key: (len(found), 100 * sum(found) / len(found)) for key, found in sorted(groups.items())}
    return 100 * sum(inside) / max(1, len(inside)), by_group
