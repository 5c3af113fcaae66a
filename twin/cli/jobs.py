"""`twin jobs`: what a trace of jobs holds, before it is run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Format, Json, Maps

if TYPE_CHECKING:
    from twin.scenario.formats.trace_rows import TraceTable
    from twin.scenario.schema.streams import TraceMap

EXAMPLE = "Example: twin jobs sacct.txt --map size=0.5"
FORMAT = JsonFormat("job-trace")
_MOST = 8


def show_jobs(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="TRACE",
            help="Job trace: SWF, Slurm sacct -P, Philly JSON, Helios or Acme CSV, Gavel.",
            show_default=False,
        ),
    ],
    format: Format = None,
    maps: Maps = None,
    json: Json = False,
) -> None:
    """Summarise a job trace: jobs, GPUs, running times, users."""
    from twin.api.job_trace import read_table, rules_of
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors(str(trace)):
        rules = rules_of(maps or [])
        held = contents(read_table(trace, format, rules), rules, trace.name)
        if json:
            print_json(FORMAT, held)
        else:
            _print(held)


def contents(table: TraceTable, rules: TraceMap, name: str) -> dict[str, Any]:
    """Return the contents as ``--json`` prints them: counts, times [s] and GPUs after the mapping."""
    import numpy as np

    from twin.scenario.generators.job_traces import gpus_of

    rows = table.rows
    gpus = np.array([gpus_of(row, rules) for row in rows])
    run_s = np.array([row.run_s for row in rows]) * rules.time
    limits_s = np.array([row.limit_s for row in rows if row.limit_s is not None]) * rules.time
    sizes = Counter(gpus.tolist())
    return {
        "file": name,
        "trace_format": table.format,
        "jobs": len(rows),
        "jobs_in_file": table.jobs,
        "left_out": dict(table.left_out),
        "span_s": (rows[-1].submit_s - rows[0].submit_s) * rules.gaps,
        "gpus": {str(size): sizes[size] for size in sorted(sizes)},
        "gpus_max": int(gpus.max()),
        "run_s": {
            "mean": float(run_s.mean()),
            **{f"p{q}": float(np.percentile(run_s, q)) for q in (10, 50, 90)},
            "max": float(run_s.max()),
        },
        "gpu_s": float(gpus @ run_s),
        "with_limit": int(limits_s.size),
        "limit_mean_s": float(limits_s.mean()) if limits_s.size else None,
        "users": dict(Counter(row.user for row in rows if row.user).most_common()),
        "groups": dict(Counter(row.group for row in rows if row.group).most_common()),
        "partitions": dict(Counter(row.partition for row in rows if row.partition).most_common()),
    }


def _print(held: dict[str, Any]) -> None:
    from twin.cli.tables import print_table
    from twin.units import render

    def time(seconds: float) -> str:
        return render(seconds, "duration", 3)

    run_s = held["run_s"]
    some = f" of {held['jobs_in_file']:,}" if held["jobs"] != held["jobs_in_file"] else ""
    rows = [
        ("Format", held["trace_format"]),
        ("Jobs", f"{held['jobs']:,}{some}"),
        ("Submitted within", time(held["span_s"])),
        ("GPUs", _counts(held["gpus"], by_count=False)),
        (
            "Running time",
            f"{time(run_s['p50'])} median, {time(run_s['mean'])} mean, {time(run_s['max'])} longest",
        ),
        ("Work", f"{held['gpu_s'] / 3600.0:,.0f} GPU-hours"),
        ("With a limit", f"{held['with_limit']:,}"),
    ]
    named = [key for key in ("users", "groups", "partitions") if held[key]]
    rows += [(key.capitalize(), f"{len(held[key])}: {_counts(held[key])}") for key in named]
    rows += [("Left out", f"{count:,} {why}") for why, count in held["left_out"].items()]
    print_table(("", held["file"]), rows)


def _counts(counts: dict[str, int], *, by_count: bool = True) -> str:
    """Return the largest of some counts, as text; sizes stay in their order."""
    most = sorted(counts, key=lambda key: -counts[key])[:_MOST]
    shown = most if by_count else [key for key in counts if key in most]
    rest = f", {len(counts) - _MOST} more" if len(counts) > _MOST else ""
    return ", ".join(f"{key} ({counts[key]:,})" for key in shown) + rest
