"""Memory, collectives and matrix products beside published figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from twin.physics.collectives import Kind
from twin.physics.gemm import product, product_rate
from twin.physics.memory import layer_activation_bytes, layers_in_flight, mean_state_bytes
from twin.physics.sweeps import Algorithm, bus_bandwidth_bytes_s
from twin.physics.training_inputs import Recompute
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.table.case_columns import CellError, read_row, understood
from twin.planning.table.case_file import CaseFile, CaseFileError, read_case_file
from twin.planning.table.case_model import profile_of_gpu
from twin.planning.table.estimate_cases import TrainingCase, case_of
from twin.planning.table.reference import Cell, reference_table
from twin.planning.table.validation import TableComparison, ValidationRow
from twin.resources import folder

GIB = 2.0**30
LARGE_BYTES = 64 * 2**20
"""Buffers from which the goal for collectives holds [B]."""


CSV_FILES: Mapping[str, str] = {
    "dgxc": "dgxc_benchmarking_dense.csv",
    "megatron_core": "megatron_core_h100_weak.csv",
    "sc21": "megatron_sc21_table1.csv",
    "korthikanti": "korthikanti_table5.csv",
    "vtrain": "vtrain_ground_truth_multi.csv",
    "nccl_busbw": "nccl_busbw.csv",
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


def compare_collectives(data: Path | None) -> TableComparison:
    """Return our bus bandwidths of stand-alone collectives beside published sweeps, from 64 MiB on."""
    reference = reference_table("nccl_busbw")
    published, where = rows_in("nccl_busbw", data)
    rows, left_out = [], Counter[str]()
    for cells in published:
        size_bytes = _figure(cells, "bytes")
        if size_bytes < LARGE_BYTES:
            left_out["buffers below 64 MiB, where latency and noise decide"] += 1
            continue
        algorithm_name = str(cells["algo"]).lower()
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
        nodes = 1 if gpu.startswith("GB200") else int(_figure(cells, "nodes"))
        op = _OPERATIONS.get(str(cells["op"]))
        try:
            ours = bus_bandwidth_bytes_s(gpu, op, size_bytes, ranks, nodes, algorithm) if op else math.nan
        except ValueError as unknown:
            left_out[str(unknown)] += 1
            continue
        if op is None:
            left_out[f"no sweep of {cells['op']} is known"] += 1
            continue
        label = f"{gpu}, {ranks} GPUs, {op}, {cells['algo']}, {size_bytes / 2**20:g} MiB"
        rows.append(ValidationRow(label, _figure(cells, "busbw_GBps"), float(ours) / 1e9))
    return TableComparison(
        "collectives",
        reference.title,
        reference.source,
        "GB/s",
        rows=tuple(rows),
        goals={"mape_pct": 5.0},
        left_out=left_out,
        file=where,
    )


_OPERATIONS: Mapping[str, Kind] = {
    "all_reduce": "all_reduce",
    "all_gather": "all_gather",
    "reduce_scatter": "reduce_scatter",
}
