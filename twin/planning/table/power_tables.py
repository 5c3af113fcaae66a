"""Power of nodes that train, and how it swings, beside meters of MLPerf runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from twin.catalog import GpuPart, NodePart, load_catalog
from twin.physics.swings import metered_w, spread_w
from twin.planning.job.job_power import besides_gpus, gpu_wave, node_step_w, power_of
from twin.planning.table.case_model import profile_of_gpu
from twin.planning.table.estimate_cases import CaseEstimate, case_of, judge
from twin.planning.table.reference import Cell, reference_table
from twin.planning.table.validation import TableComparison, ValidationRow
from twin.planning.table.validation_parts import values_of

AT_WORK = 0.8
"""A node is at work whose 5 % quantile of power is above this share of its mean [-]."""
_STEP = (
    "model",
    "layers",
    "hidden",
    "ffn",
    "heads",
    "kv_heads",
    "vocab",
    "gated",
    "gpu",
    "precision",
    "gpus",
    "seq",
)
_CUT = ("tp", "pp", "vp", "microbatch", "global_batch", "recompute")


def _parts(cells: Mapping[str, Cell]) -> tuple[NodePart, GpuPart]:
    catalog = load_catalog()
    node = catalog.node(str(cells["node"]))
    return node, catalog.gpu(node.gpu)


def _estimate(cells: Mapping[str, Cell]) -> CaseEstimate:
    profile = profile_of_gpu(str(cells["gpu"]))
    step = {column: cells.get(column) for column in _STEP + _CUT}
    if "layers" in cells:  # the shape is told, and the name is no preset
        step["model"] = None
    return judge(case_of(values_of(step, profile), profile))


def _node_w(cells: Mapping[str, Cell]) -> float:
    """Return our power of a node at the work of a row [W]."""
    node, gpu = _parts(cells)
    in_tank = bool(cells["in_tank"])
    if cells["work"] == "limit":
        rest = besides_gpus(node, gpu)
        return node.n_gpu * gpu.tdp_w + float((rest.without_fans() if in_tank else rest).power_w(1.0))
    parts = _estimate(cells).parts
    if parts is None:
        raise ValueError("a row of published power has no step")
    gpus = int(cells["gpus"] or 0)
    return node_step_w(node, gpu, parts, gpus, fp8=cells["precision"] == "FP8", in_tank=in_tank)


def compare_node_power(data: Path | None) -> TableComparison:
    """Return our power of nodes at work beside the meters of MLPerf; what ships is all there is."""
    reference, rows, left_out = reference_table("mlperf_node_power"), [], Counter[str]()
    for cells in reference.rows:
        mean_w, low_w = float(cells["node_mean_w"] or 0.0), float(cells["node_p5_w"] or 0.0)
        if low_w <= AT_WORK * mean_w or cells["work"] is None:
            left_out["nodes that stood by for a part of the run"] += 1
            continue
        label = f"{cells['bench']}, {cells['system']}"
        rows.append(ValidationRow(label, mean_w, _node_w(cells), basis=str(cells["basis"])))
    return TableComparison(
        "mlperf-node-power",
        reference.title,
        reference.source,
        "W",
        rows=tuple(rows),
        goals={"mape_pct": 7.0},
        left_out=left_out,
        note="nodes in tanks, without fans; calibrated: the fans of a node in air are what it drew more than this one",
    )


def compare_swing(data: Path | None) -> TableComparison:
    """Return the swing that the grid sees of jobs in step beside a meter; what ships is all there is."""
    reference, rows = reference_table("mlperf_swing"), []
    for cells in reference.rows:
        node, gpu = _parts(cells)
        parts = _estimate(cells).parts
        if parts is None:
            raise ValueError("a row of published power has no step")
        nodes = float(cells["nodes"] or 0.0)
        gpus, fp8 = int(nodes) * node.n_gpu, cells["precision"] == "FP8"
        wave = gpu_wave(power_of(gpu), parts, gpus, fp8=fp8).times(gpus)
        swing_w = spread_w(metered_w([wave], float(cells["sample_s"] or 0.0), meters=int(nodes)))
        label = f"{cells['bench']}, {nodes:g} nodes, from 5 % to 95 % quantile of means over {cells['sample_s']} s"
        measured, ours = float(cells["swing_pct"] or 0.0), 100 * swing_w / (nodes * _node_w(cells))
        rows.append(ValidationRow(label, measured, ours, basis="predicted"))
    return TableComparison(
        "mlperf-swing",
        reference.title,
        reference.source,
        "% of the mean",
        rows=tuple(rows),
        goals={"mape_pct": 20.0},
        note="sum of the meters of all nodes, each of which takes its means from a time of its own on; the activity of "
        "communication (0.19) is set by it",
        fitted=True,
    )
