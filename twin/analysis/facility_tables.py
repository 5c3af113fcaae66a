"""Electricity and heat of small scenes in a published state, beside what was published, for ``twin validate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from twin.planning.table.reference import reference_table
from twin.planning.table.validation import TableComparison, ValidationRow
from twin.record.frame import Frame
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario import load, loads

HOUR_S = 3600.0
Figures = Mapping[str, float]
"""Figures by the key of tests/reference/facility.yaml, in the unit given there."""


def frontier() -> Figures:
    """Return power and conversion losses of Frontier in the three states of its scene [kW]."""
    engine = engine_type(ENGINE)(load("builtin:frontier").scenario)
    board = engine.plant.power.ids.index("board/0")
    figures = {}
    for state, hour in (("idle", 0.9), ("hpl", 1.9), ("peak", 3.9)):
        values = _at(engine, hour * HOUR_S)
        figures[f"frontier_{state}"] = float(values["power.out_w"][board]) / 1e3
        figures[f"frontier_{state}_loss"] = float(values["rack.loss_w"].sum()) / 1e3
    return figures


def rated_h100() -> Figures:
    """Return the power of DGX H100 at its limit: node and rack [kW], SU [kW], and of 10,000 GPUs [MW]."""
    su = _at(
        engine_type(ENGINE)(loads(_scene("DGX-H100", racks=8, nodes=4, load=(100, 100))).scenario), HOUR_S
    )
    racks_w = su["rack.power_w"]
    many = _scene("DGX-H100", racks=313, nodes=4, load=(100, None), asked=1250)
    gpus_w = _at(engine_type(ENGINE)(loads(many).scenario), HOUR_S)["gpu.power_w"]
    return {
        "dgx_h100_max": float(racks_w[0]) / 4 / 1e3,
        "su_h100_rack": float(racks_w[0]) / 1e3,
        "su_h100": float(racks_w.sum()) / 1e3,
        "h100_10k": float(np.sort(gpus_w)[-10_000:].sum()) / 1e6,
    }


def training_h100() -> Figures:
    """Return the power of a DGX H100 that trains [kW]."""
    training = _scene("DGX-H100", racks=8, nodes=4, load=None)
    values = _at(engine_type(ENGINE)(loads(training).scenario), HOUR_S)
    return {"dgx_h100_training": float(values["rack.power_w"].max()) / 4 / 1e3}


def nvl72() -> Figures:
    """Return power [kW] and coolant rise [K] of a GB200 NVL72 at full load and 150 lpm."""
    text = _scene("GB200-NVL72", racks=1, nodes=18, load=(100, 100), flow="150 lpm", supply="30 degC")
    values = _at(engine_type(ENGINE)(loads(text).scenario), 4 * HOUR_S)
    return {
        "nvl72": float(values["rack.power_w"][0]) / 1e3,
        "nvl72_rise": float(values["loop.return_c"][0] - values["loop.supply_c"][0]),
    }


def air_b200() -> Figures:
    """Return die temperatures of a DGX B200 at 990 W and 20 C inlet [C], and its air rise at 14.3 kW [K]."""
    warm = _at(
        engine_type(ENGINE)(loads(_scene("DGX-B200", racks=1, nodes=1, load=(98.77, None))).scenario), HOUR_S
    )
    full = _at(
        engine_type(ENGINE)(loads(_scene("DGX-B200", racks=1, nodes=1, load=(100, 100))).scenario), HOUR_S
    )
    die_c = warm["gpu.temp_c"]
    return {
        "b200_even": float(die_c[0::2].mean()),
        "b200_odd": float(die_c[1::2].mean()),
        "b200_rise": _node_rise_k(full),
    }


def _node_rise_k(values: dict[str, Any]) -> float:
    """Return the rise of the air through the nodes of the first loop, that by the hall's own fans left out [K]."""
    rise_k = float(values["loop.return_c"][0] - values["loop.supply_c"][0])
    carried_w = float(values["loop.heat_w"][0])
    return rise_k * (carried_w - float(values["loop.power_w"][0])) / carried_w


def llama_energy() -> Figures:
    """Return the energy of the GPUs of a job of 30.84 million GPU-hours at rated power [GWh]."""
    hours = 30.84e6 / 16384
    text = _scene("DGX-H100", racks=512, nodes=4, load=(100, None), duration_h=hours)
    engine = engine_type(ENGINE)(loads(text).scenario)
    engine.advance(engine.end_s)
    return {"llama_energy": float(engine.summary()["energy"]["gpu_j"]) / 3.6e12}


RUNS: tuple[tuple[tuple[str, ...], Callable[[], Figures]], ...] = (
    (("facility-frontier",), frontier),
    (("facility-power",), rated_h100),
    (("facility-power",), training_h100),
    (("facility-power", "facility-heat"), nvl72),
    (("facility-heat",), air_b200),
    (("facility-power",), llama_energy),
)
"""Every run with the tables it has figures for."""


def _at(engine: RunEngine, t_s: float) -> dict[str, Any]:
    """Return all channels at a time."""
    engine.advance(t_s)
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return frame.values


def _scene(
    node: str,
    *,
    racks: int,
    nodes: int,
    load: tuple[float, float | None] | None,
    asked: int | None = None,
    flow: str | None = None,
    supply: str = "20 degC",
    duration_h: float = 24.0,
) -> str:
    """Return the text of a hall with one kind of node, all at the same load.

    Parameters
    ----------
    node
        Node part, or a rack part that brings its own.
    load
        Utilisation of GPUs and of the rest [%]; none: they train Llama 3 8B.
    asked
        Nodes of the job; none: all.
    flow
        Coolant of the loop; none: as designed.
    """
    liquid = node.endswith("NVL72")
    content = f"part: {node}" if liquid else f"nodes: [{{part: {node}, count: {nodes}}}]"
    flowing = f", flow: {flow}" if flow else ""
    air = "20 degC" if not liquid else "30 degC"
    loops = [
        f"{{id: crah, kind: air, part: FanWall-500, units: 2, plant: water, serves: [gpu], supply: {air}}}"
    ]
    if liquid:
        loops.insert(
            0,
            "{id: cdu, kind: liquid, part: CDU-inrow-1350, plant: water, serves: [gpu], "
            f"supply: {supply}{flowing}}}",
        )
    if load is None:
        work = (
            "workload: {kind: llm, model: llama3-8b, global_batch: 256, sequence: 8192, "
            "parallelism: {tensor: 1, pipeline: 1, context: 2}, recompute: full}, checkpoint: {interval: none}"
        )
    else:
        gpu, cpu = load
        rest = "" if cpu is None else f", cpu: {cpu} %"
        work = f"workload: {{kind: load, gpu: {gpu} %{rest}}}, checkpoint: {{interval: none}}"
    return f"""
format: twin/scenario
version: 3
catalog: "2026.11"
title: {node} under a known load
duration: {duration_h:.6f} h
site: {{climate: {{dry_bulb: 10 degC, wet_bulb: 7 degC, swing: 0 K}}}}
halls: [{{id: hall, rows: [{{id: gpu, racks: {{count: {racks}, {content}}}}}]}}]
cooling:
  plants: [{{id: water, kind: chiller, supply: 14 degC}}]
  loops: [{", ".join(loops)}]
jobs: [{{id: run, nodes: {asked or racks * nodes}, {work}, recovery: {{constant: 0 s}}}}]
failures: {{enabled: false}}
"""


TABLES: tuple[TableComparison, ...] = (
    TableComparison(
        "facility-frontier",
        "Frontier from its scene file: switchgear power and conversion losses",
        "ExaDigiT RAPS config/frontier.yaml @6c142bfd; Brewer et al., SC 2024",
        "kW",
        goals={"worst_pct": 0.1},
    ),
    TableComparison(
        "facility-power",
        "Power of nodes, racks and scalable units, energy of a job",
        "tests/reference/facility.yaml, row by row",
        "as stated",
        goals={"worst_pct": 0.5},
        note="where a range was published, a figure inside it has no error",
    ),
    TableComparison(
        "facility-heat",
        "Temperatures and temperature rises",
        "tests/reference/facility.yaml, row by row",
        "as stated",
        goals={"worst_pct": 0.5},
        note="where a range was published, a figure inside it has no error",
    ),
)
TABLE_NAMES: tuple[str, ...] = tuple(table.name for table in TABLES)


def compare(names: Sequence[str] = ()) -> tuple[TableComparison, ...]:
    """Return the facility tables filled from runs of scenes, those of `names` or all: takes some seconds."""
    wanted = [table for table in TABLES if not names or table.name in names]
    figures: dict[str, float] = {}
    for tables, run in RUNS:
        if any(table.name in tables for table in wanted):
            figures.update(run())
    published = reference_table("facility").rows
    return tuple(
        replace(
            table,
            rows=tuple(
                _row(row, figures[str(row["key"])]) for row in published if row["table"] == table.name
            ),
        )
        for table in wanted
    )


def _row(published: object, ours: float) -> ValidationRow:
    row = dict(published)  # type: ignore[call-overload]
    low, high = float(row["low"]), float(row["high"])
    between = f"{low:g}" if low == high else f"{low:g}-{high:g}"
    return ValidationRow(f"{row['label']} ({between} {row['unit']})", min(max(ours, low), high), ours)
