"""A hall with two paths of power, generators and the sun, whose values the tests of its diagrams set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.record.channels import PowerState
from twin.record.frame import Frame, FrameLayout
from twin.scenario import load

SCENES = Path(__file__).parents[2] / "scenes"
POWER = """power:
  - {id: grid, kind: utility, capacity: 4 MW}
  - {id: trafo-a, kind: transformer, part: transformer-MV-LV, from: grid}
  - {id: trafo-b, kind: transformer, part: transformer-MV-LV, from: grid}
  - {id: board-a, kind: switchgear, from: trafo-a, or_from: trafo-b, capacity: 2 MW, feeds: [water]}
  - {id: board-b, kind: switchgear, from: trafo-b, capacity: 2 MW}
  - {id: gen, kind: generator, count: 3, at: board-a, capacity: 1 MW, start: 10 s}
  - {id: sun, kind: solar, at: board-b, capacity: 300 kW}
  - {id: ups-a, kind: ups, part: UPS-double-conversion, count: 2, from: board-a, feeds: [cdu]}
  - {id: ups-b, kind: ups, part: UPS-double-conversion, count: 2, from: board-b, feeds: [cdu]}
  - {id: duct-a, kind: busbar, part: busway-415V-400A, count: 8, from: ups-a, feeds: [gpu]}
  - {id: duct-b, kind: busbar, part: busway-415V-400A, count: 8, from: ups-b, feeds: [gpu]}
  - {id: pdu-a, kind: pdu, part: floor-PDU, from: ups-a, feeds: [net, store]}
  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, store]}

"""


def world_of(path: Path) -> World:
    """Return a scene with a frame of zeros, all well and warm."""
    scenario = load(path).scenario
    plant = build(scenario)
    counts = {
        "gpu": len(plant.gpus.node),
        "node": len(plant.nodes.ids),
        "rack": len(plant.racks.ids),
        "switch": len(plant.switches.ids),
        "bundle": len(plant.bundles.rail),
        "store": len(plant.stores),
        "power": len(plant.power.ids),
        "loop": len(plant.loops.ids),
        "hall": len(plant.halls.ids),
        "plant": len(plant.plants.ids),
        "job": len(scenario.jobs),
        "site": 1,
    }
    frame = Frame.empty(FrameLayout(counts, plant.epoch), 60.0)  # type: ignore[arg-type]
    values = frame.values
    values["gpu.temp_c"][:] = 60.0
    values["gpu.power_w"][:] = 1000.0
    values["rack.feeds"][:] = 2
    values["rack.flow"][:] = values["loop.flow"][:] = values["plant.flow"][:] = 100.0
    values["loop.supply_c"][:] = plant.loops.supply_c
    values["loop.return_c"][:] = plant.loops.supply_c + 10.0
    values["loop.pumps"][:] = plant.loops.pumps
    values["plant.supply_c"][:] = plant.plants.supply_c
    values["plant.return_c"][:] = plant.plants.supply_c + 8.0
    values["plant.units"][:] = plant.plants.units
    np.add.at(values["rack.power_w"], plant.gpus.rack, values["gpu.power_w"])
    return World(scenario, plant, load_catalog(), frame)


def two_paths(folder: Path) -> World:
    """Return the row of NVL72 with two paths, generators behind a board, the sun behind the other."""
    words = (SCENES / "nvl72-row.twin.yaml").read_text()
    before, after = words[: words.index("power:")], words[words.index("cooling:") :]
    path = folder / "paths.twin.yaml"
    path.write_text(before + POWER + after)
    return world_of(path)


def set_state(world: World, item: str, state: PowerState, **values: float) -> None:
    """Set what a frame says of an item of the power path."""
    assert world.frame is not None
    slot = world.plant.power.ids.index(item)
    world.frame.values["power.state"][slot] = state
    for name, value in values.items():
        world.frame.values[f"power.{name}"][slot] = value
