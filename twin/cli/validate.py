"""`twin validate`: our model beside published figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

if TYPE_CHECKING:
    from twin.planning.table.validation import Generation, TableComparison

EXAMPLE = """Example: twin validate dgxc-h100-bf16 facility-frontier --json

Errors are of predicted against published figures; the facility and reliability tables run whole scenes for theirs.
Baseline: one best MFU for each precision, fitted on the same rows.
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

    with reporting_errors():
        found = validate(tables or (), data)
        comparisons, generations, passed = found.tables, found.generations, found.passed
        if json:
            print_json(
                FORMAT,
                {
                    "passed": passed,
                    "tables": [_table(comparison) for comparison in comparisons],
                    "generations": [_generation(generation) for generation in generations],
                },
            )
        else:
            _print(comparisons, generations)
            print(_verdict(found.reached, found.unread))
        raise typer.Exit(ExitCode.DONE if passed else ExitCode.FINDINGS)


def _verdict(reached: bool, unread: Sequence[str]) -> str:
    if unread:
        return f"not validated: {', '.join(unread)}, asked for and skipped"
    return "all goals reached" if reached else "goals missed"


def _table(comparison: TableComparison) -> dict[str, Any]:
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
    }


def _generation(generation: Generation) -> dict[str, Any]:
    return {
        "generation": generation.name,
        "rows": generation.rows,
        "mape_pct": generation.mape_pct,
        "baseline_mape_pct": generation.baseline_mape_pct,
        "baseline_mfu": dict(generation.mfu),
        "passed": generation.passed,
    }


def _print(comparisons: Sequence[TableComparison], generations: Sequence[Generation]) -> None:
    from twin.cli.tables import print_table
    from twin.planning.table.validation import baseline_mape_pct

    rows = []
    for comparison in comparisons:
        errors = comparison.errors
        if errors is None:
            rows.append((comparison.name, comparison.profile, "skip", *[""] * 7))
            continue
        baseline = baseline_mape_pct(comparison)
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
            )
        )
    heads = ("error in %", "profile", "goal", "n", "mean", "med.", "p90", "worst", "bias", "1 MFU")
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
    remarks += [f"{count} rows left out: {why}" for why, count in comparison.left_out.items()]
    return [*remarks, comparison.note] if comparison.note else remarks
