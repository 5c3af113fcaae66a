"""`twin validate`: our model beside published figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

if TYPE_CHECKING:
    from twin.planning.table.residuals import Residual, UnseenErrors
    from twin.planning.table.validation import Generation, TableComparison

EXAMPLE = """Example: twin validate dgxc-h100-bf16 facility-frontier --json

Errors are of predicted against published figures; the facility and reliability tables run whole scenes for theirs.
Baseline (1 MFU): one best MFU for each precision, fitted on the same rows. Rows: whether the model was fitted to them.
Unseen: mean error of each run as a fit without its model predicts it; in 90 %: how many of these lie in the interval
that twin estimate prints.
The figures of vTrain are not ours to ship; they are read from --data DIR where it holds them."""
FORMAT = JsonFormat("validation")


def validate_tables(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE...", help="Tables to compare (default: all).", show_default=False),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of data files that do not ship (default: ../shared/reference of a checkout).",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare the model with published figures, table by table.

    Exit code 1 when a goal is missed, or a table that was named cannot be read.
    """
    from twin.api.validate import validate
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.planning.table.residuals import unseen_by_table

    with reporting_errors():
        found = validate(tables or (), data)
        comparisons, generations, passed = found.tables, found.generations, found.passed
        unseen = unseen_by_table(found.residuals)
        if json:
            print_json(
                FORMAT,
                {
                    "passed": passed,
                    "tables": [_table(comparison, unseen.get(comparison.name)) for comparison in comparisons],
                    "generations": [_generation(generation) for generation in generations],
                    "intervals": _intervals(found.residuals),
                },
            )
        else:
            _print(comparisons, generations, unseen)
            _print_intervals(found.residuals)
            print(_verdict(found.reached, found.unread))
        raise typer.Exit(ExitCode.DONE if passed else ExitCode.FINDINGS)


def _verdict(reached: bool, unread: Sequence[str]) -> str:
    if unread:
        return f"not validated: {', '.join(unread)}, asked for and skipped"
    return "all goals reached" if reached else "goals missed"


def _table(comparison: TableComparison, unseen: UnseenErrors | None) -> dict[str, Any]:
    from dataclasses import asdict

    from twin.planning.table.validation import baseline_mape_pct

    errors = comparison.errors
    statistics = {} if errors is None else asdict(errors)
    worst = comparison.worst
    statistics["worst"] = None if worst is None else _row(worst)
    return {
        "table": comparison.name,
        "title": comparison.title,
        "source": comparison.source,
        "file": comparison.file or None,
        "unit": comparison.unit,
        "profile": comparison.profile or None,
        "goals": dict(comparison.goals),
        "passed": comparison.passed,
        "missed": list(comparison.missed),
        "skipped": comparison.skipped or None,
        "left_out": dict(comparison.left_out),
        "note": comparison.note or None,
        **statistics,
        "baseline_mape_pct": baseline_mape_pct(comparison),
        "fitted": comparison.fitted,
        "unseen_mape_pct": None if unseen is None else unseen.mape_pct,
        "unseen_bias_pct": None if unseen is None else unseen.bias_pct,
        "in_interval_pct": None if unseen is None else unseen.inside_pct,
        "cases": [_row(row) for row in comparison.rows],
    }


def _row(row: Any) -> dict[str, Any]:
    return {
        "label": row.label,
        "measured": row.measured,
        "predicted": row.predicted,
        "error_pct": 100 * (row.ratio - 1),
        "within": row.within,
        "basis": row.basis or None,
        "gpus": None if row.case is None else row.case.parallel.gpus,
        "interval_pct": None if row.case is None else row.case.interval.pct,
        "peak_share": row.peak_share or None,
    }


def _intervals(residuals: Sequence[Residual]) -> dict[str, Any]:
    """Return how many runs lie in the interval that the runs of other models give."""
    from twin.planning.table.residuals import coverage_pct, errors_by_group

    inside_pct, groups = coverage_pct(residuals)
    errors = errors_by_group(residuals)
    return {
        "rows": len(residuals),
        "inside_pct": inside_pct if residuals else None,
        "groups": [
            {
                "profile": profile,
                "kind": kind,
                "rows": rows,
                "inside_pct": inside,
                "p90_pct": 100 * math.expm1(errors[profile, kind].p90),
            }
            for (profile, kind), (rows, inside) in groups.items()
        ],
    }


def _print_intervals(residuals: Sequence[Residual]) -> None:
    from twin.cli.tables import print_table

    told = _intervals(residuals)
    if not told["rows"]:
        return
    print()
    print_table(
        ("intervals of 90 %", "kind", "n", "inside %", "width %"),
        [
            (
                group["profile"],
                group["kind"],
                str(group["rows"]),
                f"{group['inside_pct']:.0f}",
                f"{group['p90_pct']:.1f}",
            )
            for group in told["groups"]
        ],
        right=3,
    )
    print(
        f"{told['inside_pct']:.1f} % of {told['rows']} runs lie in the interval that runs of other models give"
    )


def _generation(generation: Generation) -> dict[str, Any]:
    return {
        "generation": generation.name,
        "rows": generation.rows,
        "mape_pct": generation.mape_pct,
        "baseline_mape_pct": generation.baseline_mape_pct,
        "baseline_mfu": dict(generation.mfu),
        "passed": generation.passed,
    }


def _print(
    comparisons: Sequence[TableComparison],
    generations: Sequence[Generation],
    unseen: Mapping[str, UnseenErrors],
) -> None:
    from twin.cli.tables import print_table
    from twin.planning.table.validation import baseline_mape_pct

    rows = []
    for comparison in comparisons:
        errors = comparison.errors
        if errors is None:
            rows.append((comparison.name, comparison.profile, "skip", *[""] * 10))
            continue
        baseline, out = baseline_mape_pct(comparison), unseen.get(comparison.name)
        figures = (errors.mape_pct, errors.median_pct, errors.p90_pct, errors.worst_pct)
        rows.append(
            (
                comparison.name,
                comparison.profile,
                {True: "pass", False: "FAIL", None: "-"}[comparison.passed],
                str(errors.rows),
                *(f"{figure:.2f}" for figure in figures),
                f"{errors.bias_pct:+.2f}",
                "" if baseline is None else f"{baseline:.1f}",
                "" if baseline is None else "fitted" if comparison.fitted else "unseen",
                "" if out is None else f"{out.mape_pct:.2f}",
                "" if out is None else f"{out.inside_pct:.0f}",
            )
        )
    heads = (
        "error in %",
        "profile",
        "goal",
        "n",
        "mean",
        "med.",
        "p90",
        "worst",
        "bias",
        "1 MFU",
        "rows",
        "unseen",
        "in 90 %",
    )
    print_table(heads, rows, right=len(heads) - 1)
    print()
    judged = [(comparison, row) for comparison in comparisons for row in comparison.rows if row.basis]
    if judged:
        print_table(
            ("figure", "ours is", "published", "ours", "off by", "allowed"),
            [
                (
                    f"{comparison.name}: {row.label}",
                    row.basis,
                    f"{row.measured:.4g}",
                    f"{row.predicted:.4g}",
                    f"{row.predicted - row.measured:+.2g}",
                    "" if row.within is None else f"{row.within:.2g}",
                )
                for comparison, row in judged
            ],
            right=4,
        )
        print()
    for comparison in comparisons:
        for line in _remarks(comparison):
            print(f"{comparison.name}: {line}")
    if generations:
        print()
        print_table(
            ("error in %", "goal", "n", "mean", "1 MFU"),
            [
                (
                    generation.name,
                    "pass" if generation.passed else "FAIL",
                    str(generation.rows),
                    f"{generation.mape_pct:.2f}",
                    f"{generation.baseline_mape_pct:.2f}",
                )
                for generation in generations
            ],
            right=3,
        )


def _remarks(comparison: TableComparison) -> list[str]:
    from twin.planning.table.calibrate import ABOVE_PEAK

    if comparison.skipped:
        return [f"skipped: {comparison.skipped}"]
    remarks = []
    worst = comparison.worst
    goals = ", ".join(
        f"{name.removesuffix('_pct')} <= {bound:g} %" for name, bound in comparison.goals.items()
    )
    if worst is not None:
        error = 100 * (worst.ratio - 1)
        remarks.append(
            f"{f'goal {goals}; ' if goals else ''}worst row {worst.label}: "
            f"{worst.predicted:.4g} {comparison.unit} against {worst.measured:.4g} ({error:+.1f} %)"
        )
    remarks += [f"MISSED: {sentence}" for sentence in comparison.missed]
    remarks += [
        f"row {row.label} is at {row.peak_share:.2f} of its peak: check what was published"
        for row in comparison.rows
        if row.peak_share > ABOVE_PEAK
    ]
    remarks += [f"{count} rows left out: {why}" for why, count in comparison.left_out.items()]
    return [*remarks, comparison.note] if comparison.note else remarks
