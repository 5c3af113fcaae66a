"""Memory, collectives and matrix products beside published figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from twin.physics.collectives import Kind, collective_time_s
from twin.physics.gemm import product, product_rate
from twin.physics.memory import layer_activation_bytes, layers_in_flight, mean_state_bytes
from twin.physics.sweeps import MACHINES, Algorithm, bus_bandwidth_bytes_s
from twin.physics.training_inputs import Recompute
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.table.case_cells import CellError
from twin.planning.table.case_columns import read_row, understood
from twin.planning.table.case_file import CaseFile, CaseFileError, read_case_file
from twin.planning.table.case_model import profile_of_gpu
from twin.planning.table.estimate_cases import TrainingCase, case_of
from twin.planning.table.reference import Cell, reference_table
from twin.planning.table.validation import TableComparison, ValidationRow
from twin.resources import folder

GIB = 2.0**30
LARGE_BYTES = 64 * 2**20
SMALL_BYTES = 2**20
"""Buffers from which the goal for large, and below which the goal for small collectives holds [B]."""

CSV_FILES: Mapping[str, str] = {
    "dgxc": "dgxc_benchmarking_dense.csv",
    "megatron_core": "megatron_core_h100_weak.csv",
    "sc21": "megatron_sc21_table1.csv",
    "korthikanti": "korthikanti_table5.csv",
    "vtrain": "vtrain_ground_truth_multi.csv",
    "nccl_busbw": "nccl_busbw.csv",
    "azure_nccl_allreduce": "azure_nccl_allreduce.csv",
    "mamf_gemm": "mamf_gemm.csv",
}
"""What a folder of data files calls the tables."""


def rows_in(table: str, data: Path | None) -> tuple[tuple[Mapping[str, Cell], ...], str]:
    """Return the rows of a table and their file; the shipped rows and no file where there is none.

    Parameters
    ----------
    table
        As `reference_table` knows it, or one of `CSV_FILES` that does not ship; that one is empty without its file.
    data
        Folder of data files; none: there is none.

    Raises
    ------
    CaseFileError
        When the file is no table.
    """
    path = None if data is None or table not in CSV_FILES else data / CSV_FILES[table]
    if path is not None and path.is_file():
        rows = read_case_file(path).rows
        return tuple({head: cell or None for head, cell in row.items()} for row in rows), str(path)
    shipped = (folder("reference") / f"{table}.yaml").is_file()
    return (reference_table(table).rows if shipped else ()), ""


def values_of(cells: Mapping[str, Cell], profile: CalibratedProfile | None) -> dict[str, Any]:
    """Return the values of a row of a reference table, read as the same cells of a CSV file would be.

    An MFU counts against the peak of the profile.
    """
    texts = {column: str(cell) for column, cell in cells.items() if cell is not None}
    heads = CaseFile("reference", tuple(texts), (), (), {})
    values = read_row(texts, understood(heads))
    if profile is not None and "mfu_pct" in cells and not {"step_time_s", "tflops_per_gpu"} & set(values):
        values["tflops_per_gpu"] = float(cells["mfu_pct"] or 0.0) / 100 * profile.profile.peak_flops_s
    return values


_KEPT: tuple[tuple[str, Recompute, bool], ...] = (
    ("activations_none_gib", "none", False),
    ("activations_selective_gib", "selective", True),
)
"""Columns of the memory table, with the recomputation and sequence parallelism they were published for."""


def compare_activations(data: Path | None) -> TableComparison:
    """Return our activations per GPU beside published ones."""
    reference = reference_table("korthikanti_memory")
    rows = []
    for cells in reference.rows:
        case = _memory_case(cells)
        for column, recompute, split in _KEPT:
            stack = replace(case.stack, recompute=recompute, seq_parallel=split)
            layer_bytes = layer_activation_bytes(case.model, case.parallel, stack)
            ours = layer_bytes * layers_in_flight(case.model, case.parallel) / GIB
            label = f"{cells['model']}, recompute {recompute}{', sequence parallel' if split else ''}"
            rows.append(ValidationRow(label, _figure(cells, column), ours))
    return TableComparison(
        "memory-activations", reference.title, reference.source, "GiB", "", tuple(rows), {"worst_pct": 1.0}
    )


def compare_state(data: Path | None) -> TableComparison:
    """Return our weights, gradients and optimizer per GPU beside published ones."""
    reference = reference_table("korthikanti_memory")
    rows = []
    for cells in reference.rows:
        case = _memory_case(cells)
        ours = mean_state_bytes(case.model, case.parallel, case.stack) / GIB
        rows.append(ValidationRow(str(cells["model"]), _figure(cells, "state_gib"), ours))
    return TableComparison(
        "memory-state", reference.title, reference.source, "GiB", "", tuple(rows), {"worst_pct": 2.0}
    )


def _memory_case(cells: Mapping[str, Cell]) -> TrainingCase:
    profile = load_calibrated("a100")
    return case_of(values_of(cells, profile), profile)


def _figure(cells: Mapping[str, Cell], column: str) -> float:
    try:
        return float(cells[column] or 0.0)
    except (KeyError, ValueError):
        cell = cells.get(column)
        raise CaseFileError(
            "published table", 0, column, "" if cell is None else str(cell), "is no number"
        ) from None


def compare_gemm(data: Path | None) -> TableComparison:
    """Return the rate of a large product inside our training steps beside the best rate that was measured."""
    reference = reference_table("mamf_gemm")
    published, where = rows_in("mamf_gemm", data)
    rows, left_out = [], Counter[str]()
    side = 16384
    for cells in published:
        try:
            profile = profile_of_gpu(str(cells["gpu"])).profile
        except CellError:
            left_out[f"no profile serves {cells['gpu']}"] += 1
            continue
        fp8 = cells["dtype"] == "FP8"
        work = product(side, side, side, product_rate(profile, "fp8" if fp8 else "bf16"), profile)
        rows.append(
            ValidationRow(
                f"{cells['gpu']}, {cells['dtype']}",
                _figure(cells, "mamf_tflops"),
                2e-12 * side**3 / work.total_s,
            )
        )
    return TableComparison(
        "gemm",
        reference.title,
        reference.source,
        "TFLOP/s",
        "by GPU",
        tuple(rows),
        left_out=left_out,
        file=where,
        note="for information: ours is the rate inside a whole training step, an effective number that lies below the "
        "best product alone",
    )


_ALGORITHMS: Mapping[str, Algorithm] = {
    "ring": "ring",
    "no sharp": "ring",
    "nvlstree": "nvls-tree",
    "nvls": "nvls",
}


@dataclass(frozen=True, slots=True)
class SweepTable:
    """Published sweeps of stand-alone collectives, or the buffers of some sizes among them.

    Attributes
    ----------
    name, file
        On the command line, and of tests/reference.
    goals
        As of `TableComparison`.
    least_bytes, below_bytes
        Buffers that are compared [B].
    why_not
        Why the others are not.
    note
        As of `TableComparison`.
    """

    name: str
    file: str
    goals: Mapping[str, float]
    least_bytes: float = 0.0
    below_bytes: float = math.inf
    why_not: str = ""
    note: str = ""


SWEEP_TABLES: tuple[SweepTable, ...] = (
    SweepTable(
        "collectives",
        "nccl_busbw",
        {"mape_pct": 5.0},
        LARGE_BYTES,
        why_not="buffers below 64 MiB, where latency and noise decide",
    ),
    SweepTable(
        "allreduce-large",
        "azure_nccl_allreduce",
        {"mape_pct": 2.0, "bias_pct": 1.0},
        LARGE_BYTES,
        why_not="buffers below 64 MiB, see allreduce-small",
    ),
    SweepTable(
        "allreduce-small",
        "azure_nccl_allreduce",
        {"mape_pct": 12.0, "bias_pct": 6.0},
        below_bytes=SMALL_BYTES,
        why_not="buffers from 1 MiB on, see allreduce-large",
        note="the start of an all-reduce (29 us) is fitted to these rows; other machines take 17 to 40 us",
    ),
)


def compare_sweeps(table: SweepTable, data: Path | None) -> TableComparison:
    """Return our bus bandwidths of stand-alone collectives beside published sweeps."""
    reference = reference_table(table.file)
    published, where = rows_in(table.file, data)
    rows, left_out = [], Counter[str]()
    for cells in published:
        size_bytes = _figure(cells, "bytes")
        if not table.least_bytes <= size_bytes < table.below_bytes:
            left_out[table.why_not] += 1
            continue
        algorithm_name = str(cells.get("algo") or "").lower()
        algorithm = next(
            (
                known_algorithm
                for word, known_algorithm in _ALGORITHMS.items()
                if algorithm_name.startswith(word)
            ),
            None,
        )
        gpu, ranks = str(cells["gpu"]), int(_figure(cells, "ranks"))
        # a rack of GB200 is one scale-up domain, inside which nodes do not matter
        nodes = 1 if gpu.startswith("GB200") or not cells.get("nodes") else int(_figure(cells, "nodes"))
        op = _OPERATIONS.get(str(cells["op"]))
        try:
            ours = bus_bandwidth_bytes_s(gpu, op, size_bytes, ranks, nodes, algorithm) if op else math.nan
        except ValueError as unknown:
            left_out[str(unknown)] += 1
            continue
        if op is None:
            left_out[f"no sweep of {cells['op']} is known"] += 1
            continue
        label = f"{gpu}, {ranks} GPUs, {op}, {cells.get('algo') or 'default'}, {_size_words(size_bytes)}"
        rows.append(ValidationRow(label, _figure(cells, "busbw_GBps"), float(ours) / 1e9))
    return TableComparison(
        table.name,
        reference.title,
        reference.source,
        "GB/s",
        rows=tuple(rows),
        goals=table.goals,
        left_out=left_out,
        note=table.note,
        file=where,
    )


def _size_words(size_bytes: float) -> str:
    return f"{size_bytes / 2**20:g} MiB" if size_bytes >= 2**20 else f"{size_bytes / 2**10:g} KiB"


def compare_mesh(data: Path | None) -> TableComparison:
    """Return the all-reduce of our training step beside published ones where no switch joins the GPUs of a node."""
    reference = reference_table("nccl_busbw")
    published, where = rows_in("nccl_busbw", data)
    rows = []
    for cells in published:
        gpu = str(cells["gpu"])
        if "mesh" not in MACHINES[gpu].series:
            continue
        size_bytes, ranks = _figure(cells, "bytes"), int(_figure(cells, "ranks"))
        links = profile_of_gpu(gpu).profile.links
        step_s = collective_time_s("all_reduce", size_bytes, ranks, ranks, links)
        ours = 2 * (ranks - 1) / ranks * size_bytes / step_s
        label = f"{gpu}, {ranks} GPUs, all_reduce, {_size_words(size_bytes)}"
        rows.append(ValidationRow(label, _figure(cells, "busbw_GBps"), ours / 1e9))
    return TableComparison(
        "mesh-in-step",
        f"{reference.title}, of GPUs that no switch joins",
        reference.source,
        "GB/s",
        "by GPU",
        rows=tuple(rows),
        goals={"mape_pct": 5.0},
        note="the all-reduce as the training step computes it; its share of the links is fitted to these rows",
        file=where,
    )


_OPERATIONS: Mapping[str, Kind] = {
    "all_reduce": "all_reduce",
    "all_gather": "all_gather",
    "reduce_scatter": "reduce_scatter",
}
