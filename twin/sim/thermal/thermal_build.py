"""The hall as heat sees it: thermal parts, network, spread of the dies, and heat besides the GPUs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, IntP
from twin.catalog import Catalog
from twin.physics import reliability
from twin.physics.flow_laws import EASY_C, NodePower
from twin.physics.gpu_power import GpuPowerModel, die_spread
from twin.physics.thermal_network import ThermalNetwork, design_network
from twin.planning.job.job_power import besides_gpus, power_of
from twin.plant.tables import LoopKind, Plant
from twin.sim.thermal.part_models import UncooledNode, fit_network, in_air, in_tank, on_cold_plate

DOWNSTREAM_K_W = 3.5 / 990
"""Odd slots of an air-cooled DGX B200 run 3.5 K hotter at 990 W (PHYSICS 3, third-party measurement) [K/W]."""


@dataclass(frozen=True)
class Body:
    """Arrays of the thermal side of a plant.

    Parameters
    ----------
    parts
        GPU part name of each thermal part.
    models
        Power model of each thermal part.
    junction_k_w
        Die to coolant or inlet of each thermal part [K/W].
    downstream_k_w
        Excess of a GPU in another's exhaust over its own power, by thermal part; 0 with cold plates [K/W].
    node_part
        Thermal part of each node.
    spread
        Power spread factor of each GPU slot.
    by_air
        Whether each thermal part is cooled by air.
    node_power
        Power of each node besides its GPUs; of those in a tank without fans.
    inlet_c
        Air that each node breathes, as its loop or room is set [C].
    overhead_to_air
        Share of that which goes into the room of a liquid-cooled hall.
    rack_static_w
        Switches, NVLink trays and storage in each rack [W].
    keys
        Of each thermal part: node part, whether it is cooled by air, tank it hangs in.
    """

    network: ThermalNetwork
    parts: list[str]
    models: list[GpuPowerModel]
    junction_k_w: Floats
    downstream_k_w: Floats
    node_part: IntP
    spread: Floats
    by_air: list[bool]
    node_power: NodePower
    inlet_c: Floats
    overhead_to_air: Floats
    rack_static_w: Floats
    keys: list[tuple[str, bool, str]]


def build_body(plant: Plant, catalog: Catalog, seed: int) -> Body:
    """Return the thermal side of `plant`; the spread of its dies is hashed from `seed` and the GPUs' ids.

    Raises
    ------
    UncooledNode
        When a node has no loop, or its GPU no cooler for it.
    """
    nodes, loops = plant.nodes, plant.loops
    uncooled = np.flatnonzero(nodes.present & (nodes.loop < 0))
    if len(uncooled):
        raise UncooledNode(
            f"node {nodes.ids[uncooled[0]]} has no coolant or air loop; add its row to what a loop cools"
        )
    is_air = np.array([LoopKind(kind).by_air for kind in loops.kind.tolist()], bool)
    tank = [
        part if kind == LoopKind.IMMERSION else "" for part, kind in zip(loops.part, loops.kind, strict=True)
    ]
    keys: dict[tuple[str, bool, str], int] = {}
    node_part = np.zeros(len(nodes.ids), np.intp)
    for n in np.flatnonzero(nodes.present).tolist():
        loop = int(nodes.loop[n])
        key = (plant.node_parts[nodes.part[n]], bool(is_air[loop]), tank[loop])
        node_part[n] = keys.setdefault(key, len(keys))
    thermal, gpus = [], []
    for name, by_air, tank_part in keys:
        node = catalog.node(name)
        gpus.append(catalog.gpu(node.gpu))
        if tank_part:
            thermal.append(in_tank(gpus[-1], catalog.tank(tank_part)))
        else:
            thermal.append(in_air(gpus[-1], node) if by_air else on_cold_plate(gpus[-1]))
    installed = np.zeros((len(loops.ids), len(thermal)))
    np.add.at(
        installed, (nodes.loop[nodes.present], node_part[nodes.present]), nodes.gpu_count[nodes.present]
    )
    hall_plant = np.zeros(len(plant.halls.ids), np.intp)
    for loop, hall in enumerate(loops.hall.tolist()):
        hall_plant[hall] = max(0, int(loops.plant[loop]))
    network = design_network(np.asarray(loops.hall, np.intp), hall_plant, thermal, installed, is_air)
    static_w = _rack_static_w(plant, catalog)
    network = fit_network(network, plant, catalog, static_w)
    spread = _spread(plant, seed)
    specs = [catalog.node(name) for name in plant.node_parts]
    full = np.array([s.overhead_full_w for s in specs], float)
    tdp = np.array([catalog.gpu(s.gpu).tdp_w * s.n_gpu for s in specs])
    residual = np.array([1.0 - s.liquid_fraction for s in specs])
    to_air = np.clip(residual * (tdp + full) / np.maximum(full, 1.0), 0.0, 1.0)
    by_node = np.asarray(nodes.part, np.intp)
    on_plates = (loops.kind == LoopKind.LIQUID)[np.maximum(nodes.loop, 0)]
    return Body(
        network=network,
        parts=[gpu.id for gpu in gpus],
        models=[power_of(gpu) for gpu in gpus],
        junction_k_w=np.array([part.junction_to_supply_k_w for part in thermal]),
        downstream_k_w=np.array([DOWNSTREAM_K_W if by_air else 0.0 for _, by_air, _ in keys]),
        node_part=node_part,
        spread=spread,
        by_air=[by_air for _, by_air, _ in keys],
        node_power=_node_power(plant, catalog),
        inlet_c=_inlet_c(plant),
        overhead_to_air=np.where(on_plates, to_air[by_node], 0.0),
        rack_static_w=static_w,
        keys=list(keys),
    )


def _node_power(plant: Plant, catalog: Catalog) -> NodePower:
    nodes, loops = plant.nodes, plant.loops
    specs = [catalog.node(name) for name in plant.node_parts]
    powers = [besides_gpus(spec, catalog.gpu(spec.gpu)) for spec in specs]
    in_tank = (loops.kind == LoopKind.IMMERSION)[np.maximum(nodes.loop, 0)] & (nodes.loop >= 0)
    columns = np.array(powers + [power.without_fans() for power in powers], float).reshape(-1, 5)
    idle_w, full_w, peak_w, fans_w, share = columns[np.where(in_tank, len(specs), 0) + nodes.part].T
    there = nodes.present
    return NodePower(idle_w * there, full_w * there, peak_w * there, fans_w * there, share)


def _inlet_c(plant: Plant) -> Floats:
    nodes, loops = plant.nodes, plant.loops
    by_air = np.array([LoopKind(kind).by_air for kind in loops.kind.tolist()], bool)
    loop = np.asarray(nodes.loop)
    loop = np.where((loop >= 0) & np.append(by_air, False)[loop], loop, plant.racks.air_loop[nodes.rack])
    return np.append(np.asarray(loops.supply_c, float), EASY_C)[loop]


def _spread(plant: Plant, seed: int) -> Floats:
    gpus = plant.gpus
    ids = plant.nodes.ids
    keys = reliability.component_keys(ids)[gpus.node]
    uniforms = reliability.hash_uniform(seed, keys, "die", gpus.index)
    return np.asarray(die_spread(uniforms), float)


def _rack_static_w(plant: Plant, catalog: Catalog) -> Floats:
    static = plant.racks.gear_w.astype(float)
    switches = plant.switches
    typical = {name: catalog.switch(name).typical_w for name in set(switches.part)}
    np.add.at(static, switches.rack, np.array([typical[p] for p in switches.part]) * switches.present)
    for store, rack in enumerate(plant.storage.rack.tolist()):
        name = plant.storage.part[store]
        if rack >= 0 and name:
            static[rack] += (catalog.storage(name).power_w or 0.0) * int(plant.storage.count[store])
    return static * plant.racks.present
