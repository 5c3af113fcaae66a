"""A hall of any size for speed figures and tests: rows of racks with four 8-GPU nodes, and one frame of it."""

from __future__ import annotations

import numpy as np

from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame, FrameLayout
from twin.scenario.schema.document import Scenario

GPUS_PER_RACK = 32


def hall_of(gpus: int, racks_per_row: int | None = None, halls: int = 1) -> Plant:
    """Return a plant of at least `gpus` GPUs in each of some halls: full rows, air loops, one fabric for all."""
    names = ["gpu", *(f"gpu-{number}" for number in range(1, halls))]
    racks = max(1, -(-gpus // GPUS_PER_RACK))
    racks_per_row = min(racks, racks_per_row or (32 if racks <= 1024 else 64))
    rows = -(-gpus // (GPUS_PER_RACK * racks_per_row))
    return build(
        Scenario.model_validate(
            {
                "format": "twin/scenario",
                "version": 3,
                "catalog": "2026.11",
                "title": f"{gpus} GPUs",
                "halls": [
                    {
                        "id": name.replace("gpu", "hall"),
                        "rows": [
                            {
                                "id": name,
                                "count": rows,
                                "racks": {
                                    "count": racks_per_row,
                                    "nodes": [{"part": "DGX-H100", "count": 4}],
                                },
                            }
                        ],
                    }
                    for name in names
                ],
                "fabrics": [
                    {
                        "id": "fabric",
                        "kind": "rail-optimised",
                        "leaf": {"part": "QM9700"},
                        "spine": {"part": "QM9700"},
                    }
                ],
                "cooling": {
                    "plants": [{"id": "water"}],
                    "loops": [
                        {
                            "id": name.replace("gpu", "crah"),
                            "kind": "air",
                            "part": "CRAH-chilled",
                            "count": max(1, rows // 4),
                            "units": 4,
                            "plant": "water",
                            "serves": [name],
                            "supply": "24 degC",
                        }
                        for name in names
                    ],
                },
            }
        )
    )


def frame_of(plant: Plant, seed: int = 1, t_s: float = 0.0) -> Frame:
    """Return a lively frame: jobs over blocks of racks, warm and cool rows, a few dead, spare and idle nodes."""
    rng = np.random.default_rng(seed)
    gpus, nodes = len(plant.gpus.present), len(plant.nodes.present)
    layout = FrameLayout(
        {
            "gpu": gpus,
            "node": nodes,
            "rack": len(plant.racks.present),
            "switch": len(plant.switches.present),
            "bundle": len(plant.bundles.rail),
            "loop": len(plant.loops.ids),
            "hall": len(plant.halls.ids),
            "plant": len(plant.plants.ids),
            "power": len(plant.power.ids),
            "job": 5,
            "site": 1,
        },
        plant.epoch,
    )
    frame = Frame.empty(layout, t_s)
    values = frame.values
    rack = plant.gpus.rack
    job = np.minimum(rack * 5 // max(1, len(plant.racks.present)), 4).astype(np.int16)
    warmth = np.array([58.0, 66.0, 47.0, 61.0, 75.0])[job]
    rack_warmth = rng.normal(0.0, 2.5, len(plant.racks.present))[rack]
    values["gpu.temp_c"][:] = warmth + rack_warmth + rng.normal(0.0, 2.2, gpus)
    values["gpu.power_w"][:] = 420 + 6 * (values["gpu.temp_c"].astype(float) - 40)
    values["gpu.clock_mhz"][:] = 1755 + rng.normal(0.0, 40.0, gpus)
    values["gpu.util"][:] = np.clip(92 + rng.normal(0.0, 4.0, gpus), 0, 100)
    values["gpu.state"][:] = State.RUNNING
    values["gpu.job"][:] = job
    node = plant.gpus.node
    dice = rng.random(nodes)[node]
    spare = dice > 0.97
    values["gpu.state"][spare] = State.SPARE
    values["gpu.job"][spare] = -1
    values["gpu.temp_c"][spare] = 33.0
    values["gpu.state"][rng.random(gpus) < 0.0012] = State.FAILED
    values["gpu.state"][dice < 0.002] = State.OFF
    values["bundle.load"][:] = rng.integers(0, 101, len(plant.bundles.rail))
    values["switch.load"][:] = rng.integers(0, 101, len(plant.switches.present))
    values["switch.state"][:] = State.RUNNING
    values["loop.supply_c"][:] = 24.0
    values["loop.return_c"][:] = 38.0
    values["loop.flow"][:] = 100.0
    values["loop.pumps"][:] = plant.loops.pumps
    values["plant.flow"][:] = 100.0
    values["plant.units"][:] = plant.plants.units
    values["power.load"][:] = rng.uniform(30.0, 70.0, len(plant.power.ids))
    values["plant.supply_c"][:] = 20.0
    values["plant.return_c"][:] = 29.0
    return frame
