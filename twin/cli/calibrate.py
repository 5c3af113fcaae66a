"""`twin calibrate`: a profile fitted to measured runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, a_file

if TYPE_CHECKING:
    from twin.planning.profile.profiles import CalibratedProfile
    from twin.planning.table.calibrate import FittedProfile
    from twin.planning.table.estimate_cases import Errors, TrainingCase

EXAMPLE = """Example: twin calibrate my-runs.csv -o my-cluster.yaml --base h100

RUNS.csv has the columns of `twin estimate`, with step_time_s measured. Then: twin estimate cases.csv --profile
my-cluster.yaml, or in a scene: paste its lines under `calibration:` of the
job's `workload`."""
FORMAT = JsonFormat("calibration")


_SUSPICIOUS_PCT = 30.0


def calibrate_profile(
    runs: Annotated[
        Path,
        typer.Argument(
            metavar="RUNS.csv", help="Table of measured training runs, one a line.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="PROFILE.yaml",
            parser=a_file,
            help="Profile to write.",
            show_default=False,
        ),
    ],
    base: Annotated[
        str | None, typer.Option(metavar="NAME", help="Profile to start from (default: by the column gpu).")
    ] = None,
    json: Json = False,
) -> None:
    """Fit a calibration profile to your own measured step times.

    One run moves one number, and only where it is far off; from three on the runs decide which of eight move, and how
    far from the base. Where no fit predicts runs left out of it clearly better, the base is kept, and it is said.
    """
    from datetime import UTC, datetime

    from twin.cli.errors import BadInput, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.target import must_be_free
    from twin.planning.profile.profiles import load_calibrated
    from twin.planning.table.calibrate import (
        ABOVE_PEAK,
        CalibrationError,
        calibrate,
        save_calibration,
        worth_words,
    )
    from twin.planning.table.case_file import CaseFileError

    with reporting_errors():
        must_be_free(out, "-o", runs, *([base] if base else []))
        try:
            cases, profile, reasons = _runs(runs, None if base is None else load_calibrated(base))
            fitted = calibrate(cases, profile)
        except (CaseFileError, CalibrationError) as error:
            raise BadInput(str(error) if isinstance(error, CaseFileError) else f"{runs}: {error}") from None
        off_pct = abs(fitted.before.bias_pct)
        if off_pct > _SUSPICIOUS_PCT:
            warn(
                f"profile {profile.name} predicts these runs {off_pct:.0f} % off; "
                "is it the right GPU, and is step_time_s in seconds?"
            )
        for reason in reasons:
            warn(f"{runs}:{reason}")
        for place, share in fitted.marked.items():
            used = "used, but" if share <= ABOVE_PEAK else "not used:"
            warn(
                f"{runs}: run {place + 1} is at {share:.2f} of its peak; {used} check step_time_s and precision"
            )
        save_calibration(fitted, out, runs.name, datetime.now(UTC).date().isoformat())
        worth = worth_words(fitted)
        if json:
            print_json(FORMAT, {"file": str(out), **_as_json(fitted), "worth": worth, "not_used": reasons})
        else:
            _print(fitted)
            print(f"{out}: {worth}")


def _runs(
    path: Path, base: CalibratedProfile | None
) -> tuple[list[TrainingCase], CalibratedProfile, list[str]]:
    """Return the runs of a file, the profile they start from, and why lines are not used ("line: reason")."""
    from twin.planning.table.calibrate import CalibrationError
    from twin.planning.table.case_file import read_case_file
    from twin.planning.table.estimate_cases import judge_table

    table = read_case_file(path)
    cases: list[TrainingCase] = []
    reasons = []
    for line, estimate in zip(table.lines, judge_table(table, base), strict=True):
        if estimate.case is None:
            reasons.append(f"{line}: {estimate.reason}")
        elif estimate.measured_s is None:
            reasons.append(f"{line}: no measured step time; fill column step_time_s")
        else:
            cases.append(estimate.case)
    if not cases:
        first = f" ({reasons[0]})" if reasons else ""
        raise CalibrationError(f"no line has a run with a measured step time{first}")
    names = sorted({case.calibrated.name for case in cases})
    if len(names) > 1:
        raise CalibrationError(
            f"runs of several profiles ({', '.join(names)}); give one file for each, or --base"
        )
    return cases, base or cases[0].calibrated, reasons


def _as_json(fitted: FittedProfile) -> dict[str, Any]:
    def errors(of: Errors | None) -> dict[str, float] | None:
        names = ("mape_pct", "median_pct", "p90_pct", "worst_pct", "bias_pct")
        return None if of is None else {name: getattr(of, name) for name in names}

    return {
        "base": fitted.base.name,
        "runs": fitted.runs,
        "moved": {name: {"base": old, "fitted": new} for name, (old, new) in fitted.moved.items()},
        "base_errors": errors(fitted.before),
        "fitted_errors": errors(fitted.after),
        "left_out_errors": errors(fitted.left_out),
        "kept": fitted.kept,
        "expected_pct": fitted.own_error.mean_pct,
        "expected_p90_pct": 100 * math.expm1(fitted.own_error.p90),
        "above_peak": {str(place + 1): share for place, share in fitted.marked.items()},
    }


def _print(fitted: FittedProfile) -> None:
    from twin.cli.tables import print_table

    if fitted.kept:
        print(
            f"no fit is clearly better than profile {fitted.base.name} on runs left out: the base is kept\n"
        )
    rows = [(name, f"{old:.4g}", f"{new:.4g}") for name, (old, new) in fitted.moved.items()]
    if rows:
        print_table(("effective number", f"profile {fitted.base.name}", "fitted"), rows, right=2)
        print()
    lines = [
        ("with the base", fitted.before),
        ("fitted", fitted.after),
        ("each run left out", fitted.left_out),
    ]
    print_table(
        ("errors", "mean %", "median %", "worst %"),
        [(words, *(f"{x:.2f}" for x in (e.mape_pct, e.median_pct, e.worst_pct))) for words, e in lines if e],
        right=3,
    )
