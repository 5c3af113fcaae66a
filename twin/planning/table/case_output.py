"""Output of `twin estimate`: the input columns, followed by those of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from twin.physics.memory import MemoryParts
from twin.physics.training import StepParts
from twin.planning.table.case_file import CaseFile
from twin.planning.table.estimate_cases import CaseEstimate, errors_of

GB = 1e9
PART_NAMES: tuple[str, ...] = tuple(field.name for field in fields(StepParts) if field.name.endswith("_s"))
_PART_OF: Mapping[str, str] = {
    # a column launch_s that comes in is the launch bound of a layer, so that the part is called by all it holds
    "launch_and_fixed_s" if name == "launch_s" else name: name
    for name in PART_NAMES
}
PART_COLUMNS: tuple[str, ...] = tuple(_PART_OF)
_MEMORY_PARTS: tuple[str, ...] = tuple(field.name for field in fields(MemoryParts))
MEMORY_COLUMNS: tuple[str, ...] = ("memory_gb", *(name.replace("_bytes", "_gb") for name in _MEMORY_PARTS))
ADDED_COLUMNS: tuple[str, ...] = (
    "predicted_s",
    "predicted_low_s",
    "predicted_high_s",
    *PART_COLUMNS,
    "mfu",
    *MEMORY_COLUMNS,
    "fits",
    "used_dp",
    "used_microbatch",
    "used_vp",
    "profile",
    "confidence",
    "interval",
    "measured_used_s",
    "error_pct",
    "reason",
)
_KNOWN_NONE: Mapping[str, Any] = dict.fromkeys(ADDED_COLUMNS)


def output_columns(table: CaseFile) -> tuple[str, ...]:
    """Return the heads of the output: those that came in, then ours; one of ours that came in stays in its place."""
    return (*table.columns, *(name for name in ADDED_COLUMNS if name not in table.columns))


def added(judged: CaseEstimate) -> dict[str, Any]:
    """Return the added values of one row, by `ADDED_COLUMNS`; None where unknown."""
    case, parts, memory = judged.case, judged.parts, judged.memory
    if case is None or parts is None or memory is None:
        return {**_KNOWN_NONE, "reason": judged.reason}
    ratio, interval = judged.ratio, case.interval
    low_s, high_s = interval.around(parts.step_s)
    return {
        **_KNOWN_NONE,
        "predicted_s": parts.step_s,
        "predicted_low_s": low_s,
        "predicted_high_s": high_s,
        **{column: getattr(parts, name) for column, name in _PART_OF.items()},
        "mfu": parts.mfu,
        "memory_gb": memory.total_bytes / GB,
        **{name.replace("_bytes", "_gb"): getattr(memory, name) / GB for name in _MEMORY_PARTS},
        "fits": not judged.reason,
        "used_dp": case.parallel.dp,
        "used_microbatch": case.parallel.microbatch,
        "used_vp": case.parallel.vp,
        "profile": case.calibrated.name,
        "confidence": case.confidence,
        "interval": interval.words,
        "measured_used_s": case.measured_s,
        "error_pct": None if ratio is None else 100 * (ratio - 1),
        "reason": judged.reason,
    }


def csv_rows(table: CaseFile, judged: Sequence[CaseEstimate]) -> list[dict[str, str]]:
    """Return the rows of the output as texts; unknown values stay blank."""
    return [
        {**cells, **{name: _text(value) for name, value in added(estimate).items()}}
        for cells, estimate in zip(table.rows, judged, strict=True)
    ]


def json_rows(table: CaseFile, judged: Sequence[CaseEstimate]) -> list[dict[str, Any]]:
    """Return the rows of the output as values: input columns as text, unknown values as null."""
    return [
        {"line": line, **{head: cell or None for head, cell in cells.items()}, **_or_null(added(estimate))}
        for line, cells, estimate in zip(table.lines, table.rows, judged, strict=True)
    ]


def _or_null(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if value == "" else value for name, value in values.items()}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def summary(judged: Sequence[CaseEstimate]) -> dict[str, Any]:
    """Return how many rows were estimated, and how far predictions are from measurements."""
    errors = errors_of([estimate.ratio for estimate in judged if estimate.ratio is not None])
    counts = {"rows": len(judged), "judged": sum(estimate.parts is not None for estimate in judged)}
    names = ("mape_pct", "median_pct", "p90_pct", "worst_pct", "bias_pct")
    return {
        **counts,
        "measured": 0 if errors is None else errors.rows,
        **{name: None if errors is None else getattr(errors, name) for name in names},
    }
