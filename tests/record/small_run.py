"""A small run file, written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from twin.catalog import load_catalog
from twin.physics.gpu_picture import FIELDS, RESTING, WORKING, GpuTraits, GroupFigures
from twin.planning.job.job_power import power_of
from twin.record.channels import NodeCondition, State
from twin.record.detail import Detail
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.writer import Writer
from twin.scenario.schema.document import Scenario

LAYOUT = FrameLayout(
    {
        "gpu": 64,
        "node": 8,
        "rack": 3,
        "switch": 2,
        "bundle": 3,
        "store": 1,
        "loop": 2,
        "hall": 1,
        "plant": 1,
        "job": 1,
        "site": 1,
    },
    4,
)
IDS = {"rack": ["gpu/0/0", "gpu/0/1", "gpu/0/2"], "loop": ["cdu/0", "cdu/1"], "site": ["here"]}


SUMMARY = {
    "scene": "Small",
    "simulated_s": 1000.0,
    "gpus": 64,
    "nodes": 8,
    "seed": 1,
    "events": 50,
    "event_hash": "last",
    "goodput": 0.8,
    "ettr": 0.9,
    "pue": None,
    "water_l": 0.0,
    "wue_l_kwh": None,
    "ledger_gpu_s": {"productive": 64000.0},
    "interruptions": {"unexpected": 0, "planned": 0, "by_cause": {}},
    "power": dict.fromkeys(("it_mean_w", "it_max_w", "facility_mean_w", "facility_max_w", "loss_w"), 1e4),
    "energy": dict.fromkeys(("facility_j", "it_j", "gpu_j", "cooling_j", "loss_j", "residual"), 1e7),
    "thermal": {"gpu_max_c": 61.5, "throttle_gpu_s": 0.0, "by_loop": []},
    "jobs": [],
}


def small_scenario() -> Scenario:
    nodes = [{"part": "DGX-H100", "count": 2}]
    return Scenario.model_validate(
        {
            "format": "twin/scenario",
            "version": 3,
            "catalog": "2026.11",
            "title": "Small",
            "duration": "1000 s",
            "halls": [{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": 3, "nodes": nodes}}]}],
        }
    )


def event(row: int) -> Event:
    return Event(
        row, row * 2.0, "failure", f"gpu/0/{row % 3}", Severity(row % 4), f"Nr {row}.", {"node": row}
    )


def rack_power_w(t_s: float) -> np.ndarray:
    return np.array([1e4 + t_s, 2e4 - 10 * t_s, 5e3 if t_s != 333 else 9e3])


def sample(t_s: float) -> np.ndarray:
    buffer = bytearray(LAYOUT.nbytes)
    frame = Frame(LAYOUT, t_s, 0, LAYOUT.views(buffer)[1])
    frame.values["rack.power_w"][:] = rack_power_w(t_s)
    frame.values["job.step"][:] = 3 * t_s
    frame.values["site.pue"][:] = 1.23456
    frame.values["gpu.temp_c"][:] = 77.0
    return np.frombuffer(buffer, np.uint8)


DIES = GpuTraits(
    np.repeat(np.arange(8), 8),
    np.tile(np.arange(8), 8),
    np.linspace(0.9, 1.1, 64),
    np.arange(64) != 63,
    (power_of(load_catalog().gpu("H100-SXM")),),
    (0.345,),
)


def detail(t_s: float) -> Detail:
    """Three groups, one of them too warm for its clocks; a GPU moves from the first to the second at 300 s."""
    figures = {name: np.zeros(3) for name in FIELDS}
    figures["die_c"][:] = 40.0 + t_s / 20.0, 25.0, 85.0
    figures["die_slope_k"][:] = 10.0, 1.0, 10.0
    figures["power_w"][:] = 90.0, 80.0, 300.0
    figures["power_slope_w"][:] = 500.0 + t_s / 10.0, 0.0, 100.0
    figures["doing"][:] = WORKING, RESTING, WORKING
    figures["cap_w"][:] = 700.0, 700.0, 500.0
    figures["activity"][:] = DIES.models[0].a_gemm
    figures["leaks"][:] = figures["clock_share"][:] = 1.0
    figures["walk"][:] = 1.0, 1.0, 0.8
    figures["slow_hbm_c"][:] = np.inf
    group = np.repeat([0, 0, 0, 1, 1, 2, 2, 0], 8)
    group[63], group[5] = -1, 1 if t_s >= 300 else 0
    node = np.arange(8)
    return Detail(
        GroupFigures(**figures),
        group,
        np.where(group == 1, -1, 0),
        np.where((node == 4) & (t_s > 100), State.FAILED, State.RUNNING),
        np.full(8, NodeCondition.IN_USE),
        node if t_s < 400 else node[::-1].copy(),
    )


def shown(t_s: float) -> Frame:
    """Return what a live picture shows."""
    frame = Frame.empty(LAYOUT, t_s)
    detail(t_s).show(frame.values, DIES)
    return frame


def ledger(t_s: float) -> dict[str, float]:
    return {"productive": 8.0 * t_s, "idle_spare": 1.0 * t_s}


def write(path: Path, seconds: int = 600, close: bool = True) -> Writer:
    writer = Writer(path, small_scenario(), 7, LAYOUT, 1000.0, IDS)
    for t in range(seconds):
        writer.add_sample(float(t), sample(t), t // 2 + 1, detail(t), DIES, ledger(t))
        if t % 2 == 0:
            writer.add_events([event(t // 2)])
        if t % 100 == 0:
            writer.add_snapshot(float(t), t // 2 + 1, f"hash {t}", b"state %d" % t)
        if t % 37 == 0:
            writer.commit(float(t), t // 2 + 1, f"hash {t}")
    writer.add_marker(50.0, "bookmark", "look here")
    writer.add_marker(60.0, "intervention", "fail gpu/0/1", '{"rev": 1}')
    writer.commit(float(seconds - 1), seconds // 2, "last", SUMMARY)
    if close:
        writer.close()
    return writer
