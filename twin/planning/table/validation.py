"""Our model beside published figures: results of a comparison, and its goals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from twin.planning.table.estimate_cases import Errors, TrainingCase, errors_of


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """One published figure and ours.

    Attributes
    ----------
    label
        Which row, for people.
    measured, predicted
        In the unit of the table.
    case
        The training run; none where it is no step time.
    within
        How far ours may be off, in the unit of the table; none: only the goals of the table hold.
    basis
        How ours is made: predicted; calibrated on what it stands beside; arithmetic: on a published input;
        exact: of the same data. Empty: see the table.
    """

    label: str
    measured: float
    predicted: float
    case: TrainingCase | None = None
    within: float | None = None
    basis: str = ""

    @property
    def missed(self) -> bool:
        """Whether ours is further off than allowed."""
        return self.within is not None and not abs(self.predicted - self.measured) <= self.within

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / self.measured

    @property
    def peak_share(self) -> float:
        """Model FLOP of a measured step time over the peak of its GPUs; 0 where it is no step time."""
        return 0.0 if self.case is None else _at_full_rate_s(self) / self.measured


@dataclass(frozen=True, slots=True)
class TableComparison:
    """One table.

    Attributes
    ----------
    name, title, source
        What is compared, and who published it.
    unit
        Of the figures.
    profile
        Calibration profile used, empty where none is.
    rows
        All rows that could be compared.
    goals
        What must be reached: statistic of `Errors` -> bound of its size [%]; empty: for information.
    skipped
        Why the table was not compared; empty when it was.
    left_out
        Why single rows were not compared -> how many.
    note
        What a reader should know.
    file
        Data file the rows were read from; empty: what ships.
    fitted
        Whether numbers of the model were fitted to these rows.
    """

    name: str
    title: str
    source: str
    unit: str
    profile: str = ""
    rows: tuple[ValidationRow, ...] = ()
    goals: Mapping[str, float] = field(default_factory=dict)
    skipped: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    file: str = ""
    fitted: bool = False

    @property
    def errors(self) -> Errors | None:
        """Errors over all rows."""
        return errors_of([row.ratio for row in self.rows])

    @property
    def missed(self) -> tuple[str, ...]:
        """Goals that are missed, as sentences."""
        errors = self.errors
        if self.skipped or errors is None:
            return ()
        of_all = [
            f"{name.removesuffix('_pct')} {getattr(errors, name):.2f} % above {bound:g} %"
            for name, bound in self.goals.items()
            if abs(getattr(errors, name)) > bound
        ]
        of_rows = [
            f"{row.label}: {row.predicted:.6g} is not within {row.within:.3g} of {row.measured:g}"
            for row in self.rows
            if row.missed
        ]
        return (*of_all, *of_rows)

    @property
    def passed(self) -> bool | None:
        """Whether all goals are reached; none where there are none or the table was skipped."""
        aims = bool(self.goals) or any(row.within is not None for row in self.rows)
        if not aims or self.errors is None:
            return None
        return not self.missed

    @property
    def worst(self) -> ValidationRow | None:
        """The row furthest off."""
        errors = self.errors
        return None if errors is None else self.rows[errors.worst]


@dataclass(frozen=True, slots=True)
class Generation:
    """All step times of a GPU generation: our model beside one MFU for all of them.

    Attributes
    ----------
    name
        Of the generation, such as "H100".
    rows
        Published step times.
    mape_pct, baseline_mape_pct
        Mean absolute error of our model, and of the best constant MFU of each precision, fitted on the same rows.
    mfu
        These MFU, by precision.
    """

    name: str
    rows: int
    mape_pct: float
    baseline_mape_pct: float
    mfu: Mapping[str, float]

    @property
    def passed(self) -> bool:
        """Whether the model beats the baseline."""
        return self.mape_pct < self.baseline_mape_pct


def best_constant(ratios: Sequence[float]) -> float:
    """Return the k that makes the mean of ``|k r - 1|`` smallest: the median of 1 / r weighted by r.

    Examples
    --------
    >>> best_constant([2.0, 2.0, 4.0])
    0.5
    """
    values = np.sort(np.asarray(ratios, dtype=float))[::-1]
    half = np.searchsorted(np.cumsum(values), values.sum() / 2)
    return float(1.0 / values[min(int(half), len(values) - 1)])


def baseline_ratios(rows: Sequence[ValidationRow]) -> tuple[list[float], dict[str, float]]:
    """Return predicted over measured by one MFU for each precision, fitted on these rows, and the MFU.

    Parameters
    ----------
    rows
        Step times with their cases.
    """
    ideal: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        ideal[_precision(row)].append(_at_full_rate_s(row) / row.measured)
    factor = {precision: best_constant(ratios) for precision, ratios in ideal.items()}
    predicted = [factor[_precision(row)] * _at_full_rate_s(row) / row.measured for row in rows]
    return predicted, {precision: 1.0 / k for precision, k in factor.items()}


def _precision(row: ValidationRow) -> str:
    assert row.case is not None
    return row.case.stack.precision


def _at_full_rate_s(row: ValidationRow) -> float:
    """Step time at an MFU of 1 [s]."""
    assert row.case is not None
    case = row.case
    peak_flops_s = case.calibrated.profile.peak(case.stack.precision)
    return case.model.step_flop(case.parallel.global_batch) / (peak_flops_s * case.parallel.gpus)


def baseline_mape_pct(comparison: TableComparison) -> float | None:
    """Return the mean error of one MFU for each precision of a table; none where it holds no step times."""
    rows = [row for row in comparison.rows if row.case is not None]
    if not rows:
        return None
    errors = errors_of(baseline_ratios(rows)[0])
    return None if errors is None else errors.mape_pct


def generations(
    comparisons: Iterable[TableComparison], generation_of: Mapping[str, str]
) -> tuple[Generation, ...]:
    """Return our model beside a constant MFU, for each GPU generation over all its tables.

    Parameters
    ----------
    comparisons
        Tables; those without step times do not count.
    generation_of
        Generation by name of the table.
    """
    rows: dict[str, list[ValidationRow]] = defaultdict(list)
    for comparison in comparisons:
        if comparison.name in generation_of:
            rows[generation_of[comparison.name]] += [row for row in comparison.rows if row.case is not None]
    found = []
    for name, members in rows.items():
        ratios, mfu = baseline_ratios(members)
        model, baseline = errors_of([row.ratio for row in members]), errors_of(ratios)
        if model is not None and baseline is not None:
            found.append(Generation(name, len(members), model.mape_pct, baseline.mape_pct, mfu))
    return tuple(found)
