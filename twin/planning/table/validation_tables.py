"""The published tables that the model is held against, and how each is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from twin.planning.job.result import PlanError
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.profile.standing import WORTH_OF_EXPERTS
from twin.planning.table.case_cells import CellError
from twin.planning.table.estimate_cases import TrainingCase, case_of, judge
from twin.planning.table.power_tables import compare_node_power, compare_swing
from twin.planning.table.reference import Cell, reference_table
from twin.planning.table.validation import Generation, TableComparison, ValidationRow, generations
from twin.planning.table.validation_parts import (
    CSV_FILES,
    SWEEP_TABLES,
    compare_activations,
    compare_gemm,
    compare_mesh,
    compare_state,
    compare_sweeps,
    rows_in,
    values_of,
)


@dataclass(frozen=True, slots=True)
class StepTable:
    """A published table of step times.

    Attributes
    ----------
    name
        On the command line.
    file
        Of tests/reference.
    profile
        Calibration profile of its GPU generation and stack; empty: of the GPU and software of each row.
    generation
        GPU generation whose baseline it counts in; empty: in none.
    goals
        As of `TableComparison`.
    only
        Cells by column that select rows of the file; empty: all.
    note, fitted
        As of `TableComparison`.
    """

    name: str
    file: str
    profile: str
    generation: str
    goals: Mapping[str, float]
    only: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    fitted: bool = True


def _within(mape_pct: float) -> Mapping[str, float]:
    """Mean error, and a bias of at most half of it."""
    return {"mape_pct": mape_pct, "bias_pct": mape_pct / 2}


_H100 = {"gpu": "H100-80GB"}
_GB200 = {"gpu": "GB200"}
_UNSEEN = "published rows held out from the fit; same goals as for the fitted rows"
_EXPERTS = f"for information, low confidence. {WORTH_OF_EXPERTS}"
STEP_TABLES: tuple[StepTable, ...] = (
    StepTable("dgxc-h100-bf16", "dgxc", "h100", "H100", {"mape_pct": 3.0}, {**_H100, "precision": "BF16"}),
    StepTable("dgxc-h100-fp8", "dgxc", "h100", "H100", {"mape_pct": 5.0}, {**_H100, "precision": "FP8"}),
    StepTable(
        "dgxc-gb200-bf16", "dgxc", "gb200", "GB200", {"mape_pct": 3.0}, {**_GB200, "precision": "BF16"}
    ),
    StepTable("dgxc-gb200-fp8", "dgxc", "gb200", "GB200", {"mape_pct": 3.0}, {**_GB200, "precision": "FP8"}),
    StepTable(
        "unseen-h100-bf16",
        "dgxc_held_out",
        "h100",
        "",
        {"mape_pct": 3.0},
        {**_H100, "precision": "BF16"},
        note=_UNSEEN,
        fitted=False,
    ),
    StepTable(
        "unseen-h100-fp8",
        "dgxc_held_out",
        "h100",
        "",
        {"mape_pct": 5.0},
        {**_H100, "precision": "FP8"},
        note=_UNSEEN,
        fitted=False,
    ),
    StepTable(
        "unseen-gb200", "dgxc_held_out", "gb200", "", {"mape_pct": 3.0}, _GB200, note=_UNSEEN, fitted=False
    ),
    StepTable("megatron-core", "megatron_core", "h100-megatron", "H100", {"mape_pct": 5.5}),
    StepTable(
        "megatron-core-strong",
        "megatron_core_strong",
        "h100-megatron",
        "H100",
        {},
        note="published as MFU in two digits; the split over GPUs is that of the weak scaling table",
        fitted=False,
    ),
    StepTable("fsdp-h100", "llm_foundry", "h100-fsdp", "H100", _within(8.0)),
    StepTable("nemo-24.12", "nemo_24_12", "h100-nemo-24", "H100", _within(5.0)),
    StepTable("nemo-25", "nemo_25", "", "", _within(7.0)),
    StepTable("bridge-dense", "megatron_bridge", "", "", _within(7.0)),
    StepTable(
        "mi325x",
        "amd_mi325x",
        "mi325x",
        "MI325X",
        _within(10.0),
        note="gradient accumulation is not published; recomputation is that of the recipes of the same project",
    ),
    StepTable("experts-h100", "experts", "h100", "", {}, _H100, note=_EXPERTS),
    StepTable("experts-gb200", "experts", "gb200", "", {}, _GB200, note=_EXPERTS, fitted=False),
    StepTable("experts-bridge", "megatron_bridge_experts", "", "", _within(13.0)),
    StepTable(
        "deepseek-v3",
        "deepseek_v3",
        "",
        "",
        {"mape_pct": 15.0},
        note="one figure, derived from GPU-hours",
        fitted=False,
    ),
    StepTable("sc21", "sc21", "a100", "A100", {"mape_pct": 4.0}),
    StepTable("zero3-a100", "sc21_zero3", "a100-zero3", "", _within(6.0)),
    StepTable("korthikanti", "korthikanti", "a100", "A100", {"mape_pct": 5.5}),
)


@dataclass(frozen=True, slots=True)
class CalibrationRuns:
    """Published runs of one model from one source, which a profile was fitted to or held against.

    Attributes
    ----------
    model, source
        Of the runs.
    gpus
        On how many GPUs each of them ran.
    fitted
        Whether the profile was fitted to them, or has not seen them.
    """

    model: str
    source: str
    gpus: tuple[int, ...]
    fitted: bool


def calibration_runs(profile: str, precision: str) -> list[CalibrationRuns]:
    """Return the published runs of dense models behind a profile, by table, model and source.

    Parameters
    ----------
    profile
        Its name.
    precision
        Of the runs, such as "bf16".
    """
    found: dict[tuple[str, str, bool], list[int]] = {}
    for table in STEP_TABLES:
        if table.profile != profile or table.note == _EXPERTS:
            continue
        for row in reference_table(table.file).rows:
            chosen = all(row.get(key) == cell for key, cell in table.only.items())
            if chosen and row.get("gpus") and str(row.get("precision") or "bf16").lower() == precision:
                source = str(row.get("cite") or reference_table(table.file).source)
                of = str(row.get("model") or ""), source, table.fitted
                found.setdefault(of, []).append(int(str(row["gpus"])))
    return [
        CalibrationRuns(model, source, tuple(sorted(gpus)), fitted)
        for (model, source, fitted), gpus in found.items()
    ]


def compare_steps(table: StepTable, data: Path | None = None) -> TableComparison:
    """Return our step times beside those of a published table.

    Parameters
    ----------
    table
        Which.
    data
        Folder of data files; one that holds the table is read instead of what ships.
    """
    reference = reference_table(table.file)
    published, where = rows_in(table.file, data)
    profile = load_calibrated(table.profile) if table.profile else None
    chosen = [row for row in published if all(row.get(key) == cell for key, cell in table.only.items())]
    rows, left_out = _step_rows(chosen, profile)
    return TableComparison(
        table.name,
        reference.title,
        reference.source,
        "s",
        profile.name if profile else "by row",
        rows,
        table.goals,
        left_out=left_out,
        note=table.note,
        file=where,
        fitted=table.fitted,
    )


def _step_rows(
    published: Iterable[Mapping[str, Cell]], profile: CalibratedProfile | None
) -> tuple[tuple[ValidationRow, ...], Counter[str]]:
    """Return the rows that can be compared, and why the others cannot."""
    rows, left_out = [], Counter[str]()
    for number, cells in enumerate(published, 1):
        try:
            judged = judge(case_of(values_of(cells, profile), profile))
        except (CellError, PlanError) as fault:
            left_out[f"row {number}: {fault}"] += 1
            continue
        if judged.case is None or judged.predicted_s is None or judged.measured_s is None:
            left_out[f"row {number}: no measured step time"] += 1
            continue
        label = label_of(judged.case, str(cells.get("model") or ""))
        rows.append(ValidationRow(label, judged.measured_s, judged.predicted_s, judged.case))
    return tuple(rows), left_out


def label_of(case: TrainingCase, model: str = "") -> str:
    """Return a short label of a run: the values that differ from row to row of published tables."""
    cut = case.parallel
    name = model or f"{case.model.layers:g} x {case.model.hidden}"
    degrees = f"tp {cut.tp} pp {cut.pp} cp {cut.cp} dp {cut.dp} vp {cut.vp} mb {cut.microbatch}"
    return f"{name}, {cut.gpus} GPUs, {case.stack.precision}, {degrees}, recompute {case.stack.recompute}"


def compare_vtrain(data: Path | None) -> TableComparison:
    """Return our step times beside those of vTrain, read where its file is: it is not ours to ship.

    Parameters
    ----------
    data
        Folder that holds the file; none: there is none.
    """
    empty = TableComparison(
        "vtrain",
        "vTrain: measured iteration times on A100 by a third party; held out from the fit of the profile",
        "VIA-Research/vTrain @f8dda84 data/ground_truth_multi.csv",
        "s",
        "a100-deepspeed",
        goals={"mape_pct": 8.0, "median_pct": 6.0},
    )
    published, where = rows_in("vtrain", data)
    if not where:
        folder = "no folder of data files is given" if data is None else f"{data} does not hold it"
        return replace(empty, skipped=f"{folder}; give --data DIR with {CSV_FILES['vtrain']}")
    rows, left_out = _step_rows(published, load_calibrated(empty.profile))
    return replace(empty, rows=rows, left_out=left_out, file=where)


_OTHERS: Mapping[str, Callable[[Path | None], TableComparison]] = {
    "vtrain": compare_vtrain,
    "memory-activations": compare_activations,
    "memory-state": compare_state,
    **{table.name: partial(compare_sweeps, table) for table in SWEEP_TABLES},
    "mesh-in-step": compare_mesh,
    "gemm": compare_gemm,
    "mlperf-node-power": compare_node_power,
    "mlperf-swing": compare_swing,
}
_BY_NAME: Mapping[str, Callable[[Path | None], TableComparison]] = {
    **{table.name: partial(compare_steps, table) for table in STEP_TABLES},
    **_OTHERS,
}
TABLE_NAMES: tuple[str, ...] = tuple(_BY_NAME)
STEP_NAMES: tuple[str, ...] = (*(table.name for table in STEP_TABLES), "vtrain")
"""Tables of step times."""
GENERATION_OF: Mapping[str, str] = {
    **{table.name: table.generation for table in STEP_TABLES if table.generation},
    "vtrain": "A100",
}


def validate(
    names: tuple[str, ...] = (), data: Path | None = None
) -> tuple[tuple[TableComparison, ...], tuple[Generation, ...]]:
    """Return our model beside published tables, and beside a constant MFU for each GPU generation in them.

    Parameters
    ----------
    names
        Of `TABLE_NAMES`; empty: all.
    data
        Folder of data files that are not ours to ship.

    Raises
    ------
    PlanError
        When there is no such table.
    """
    for name in names:
        if name not in _BY_NAME:
            raise PlanError(f"no table {name!r}; known are {', '.join(TABLE_NAMES)}")
    comparisons = tuple(_BY_NAME[name](data) for name in names or TABLE_NAMES)
    return comparisons, generations(comparisons, GENERATION_OF)
