"""Thermal faults of single GPUs, nodes and racks: what they leave of coolant, air and contact.

What is cooled otherwise than its part says is a thermal part of its own in the network. A GPU with a fault of its own
gets a slot of its own in `Traces`, so that it is integrated alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import IntP
from twin.physics.gpu_power import GpuPowerModel
from twin.physics.thermal_constants import PartThermal
from twin.physics.thermal_network import Groups, ThermalNetwork
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Derived, Fields, StateField, Stateful
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.gpu_groups import Traces


@dataclass(frozen=True)
class Oddity:
    """One fault in force.

    Parameters
    ----------
    nodes
        Nodes it concerns; empty for one of a single GPU.
    gpu
        The GPU it concerns alone, as a slot of the plant; -1: none.
    flow
        Coolant or air left, 0..1; 0: valves shut.
    contact
        Factor on the resistance between die and cold plate or heat sink, at least 1.
    fans
        Air left, 0..1: of n fans in parallel, with k dead, (n - k)/n; a cold plate does not mind.
    """

    nodes: tuple[int, ...]
    gpu: int
    flow: float
    contact: float
    fans: float


def fan_share(dead: int, fans: int) -> float:
    """Return the air that is left when some of a node's equal fans are stopped: each moves its share.

    >>> fan_share(2, 8)
    0.75
    """
    return max(0.0, 1.0 - dead / fans)


def altered(part: PartThermal, flow: float, contact: float) -> PartThermal:
    """Return a part with less flow through its plate and a worse contact of its die.

    Convection goes with flow^0.8 as in the chain itself; heat capacities stay, so a GPU changes part without a jump.
    """
    return replace(
        part,
        flow_w_k=part.flow_w_k * flow,
        g_convection_w_k=part.g_convection_w_k * flow**0.8,
        g_die_plate_w_k=part.g_die_plate_w_k / contact,
    )


class Oddities(Stateful):
    """The faults in force, and the thermal part of every slot that follows from them.

    Parameters
    ----------
    network
        With all GPUs as their parts say.
    models, names
        Power model and GPU part name of each thermal part; both grow with the parts.
    by_air
        Whether each thermal part is cooled by air.
    traces, clocks
        Told of new parts and of GPUs alone.
    node_rack, racks
        Rack of each node, and how many racks there are.
    keys
        What sets each thermal part apart as the hall was built: by it they are found again after an edit.

    Attributes
    ----------
    network : Network
        As it is now; replaced, never changed in place.
    rack_flow : ndarray, shape (R,)
        Share of its coolant or air that faults leave each rack, in the mean of its nodes.
    changed : bool
        Faults have come or gone since `settle`.
    """

    def __init__(
        self,
        network: ThermalNetwork,
        models: list[GpuPowerModel],
        names: list[str],
        by_air: Sequence[bool],
        traces: Traces,
        clocks: Clocks,
        node_rack: NDArray[np.integer],
        racks: int,
        keys: Sequence[Hashable],
    ) -> None:
        self.keys = keys
        self.network, self.models, self.names = network, models, names
        self.traces, self.clocks = traces, clocks
        self._by_air = list(by_air)
        self._rack = node_rack
        self._standing = np.bincount(node_rack[: traces.nodes], traces.live, minlength=racks)
        self.rack_flow = np.ones(racks)
        self._base_part = traces.slot_part.copy()  # of each node
        self._acting: dict[str, Oddity] = {}
        self._variants: dict[tuple[int, float, float], int] = {}
        self.changed = False

    def set(
        self,
        key: str,
        nodes: list[int] | None,
        gpu: int | None,
        flow: float = 1.0,
        contact: float = 1.0,
        fans: float = 1.0,
    ) -> None:
        """Let a fault act under a name: on whole nodes, or on one GPU (its slot in the plant). Faults multiply.

        Raises
        ------
        ValueError
            When a share is not within 0..1, or the contact is better than a healthy one.
        """
        if not (0 <= flow <= 1 and 0 <= fans <= 1 and contact >= 1):
            raise ValueError(
                f"a fault leaves 0 to 1 of flow and air and multiplies resistance by 1 or more, not {flow:g}, "
                f"{fans:g} and {contact:g}"
            )
        alone = -1 if gpu is None else gpu
        self._acting[key] = Oddity(tuple(nodes or ()), alone, float(flow), float(contact), float(fans))
        self._change()

    def clear(self, key: str) -> None:
        """End the fault of that name, if it acts."""
        if self._acting.pop(key, None) is not None:
            self._change()

    def _change(self) -> None:
        self.changed = True
        lost = np.zeros(len(self.rack_flow))
        for node, (flow, _) in self._of_node().items():
            if self.traces.nodes > node and self.traces.is_live(node):
                lost[self._rack[node]] += 1.0 - flow
        self.rack_flow = 1.0 - lost / np.maximum(self._standing, 1.0)

    def touches(self, node: int) -> bool:
        """Return whether a fault acts on a node or on one of its GPUs."""
        gpus = self.traces.dies.node
        return any(
            node in fault.nodes or (fault.gpu >= 0 and gpus[fault.gpu] == node)
            for fault in self._acting.values()
        )

    def _of_node(self) -> dict[int, tuple[float, float]]:
        """(flow, contact) of every node that a fault of whole nodes concerns."""
        found: dict[int, tuple[float, float]] = {}
        for fault in self._acting.values():
            for node in fault.nodes:
                flow, contact = found.get(node, (1.0, 1.0))
                air = fault.fans if self._by_air[self._base_part[node]] else 1.0
                found[node] = (flow * fault.flow * air, contact * fault.contact)
        return found

    def part_of(self, base: int, flow: float, contact: float) -> int:
        """Return the thermal part like `base` with so much flow and such a contact; made when it is new."""
        if flow == 1.0 and contact == 1.0:
            return base
        key = (base, flow, contact)
        if key not in self._variants:
            network = self.network
            self._variants[key] = len(network.parts)
            installed = np.concatenate([network.installed, np.zeros((network.shape.n_loops, 1))], axis=1)
            parts = (*network.parts, altered(network.parts[base], flow, contact))
            self.network = replace(network, parts=parts, installed=installed)
            self.models.append(self.models[base])
            self.names.append(self.names[base])
            self._by_air.append(self._by_air[base])
            self.clocks.add_part(base)
        return self._variants[key]

    def slot_part(self) -> IntP:
        """Give GPUs with a fault of their own their slots; return the thermal part every slot should have."""
        traces, of_node = self.traces, self._of_node()
        own: dict[int, tuple[float, float]] = {}
        for oddity in self._acting.values():
            if oddity.gpu < 0 or not traces.is_there(oddity.gpu):
                continue
            node = int(traces.dies.node[oddity.gpu])
            air = oddity.fans if self._by_air[self._base_part[node]] else 1.0
            flow, contact = own.get(oddity.gpu, of_node.get(node, (1.0, 1.0)))
            own[oddity.gpu] = (flow * oddity.flow * air, contact * oddity.contact)
        odd = {
            gpu for gpu, fault in own.items() if fault != of_node.get(int(traces.dies.node[gpu]), (1.0, 1.0))
        }
        traces.set_alone(sorted(odd))
        part = self._base_part[traces.owner]
        for node, (flow, contact) in sorted(of_node.items()):
            part[traces.owner == node] = self.part_of(int(self._base_part[node]), flow, contact)
        for slot, gpu in enumerate(traces.alone, traces.nodes):
            if gpu in odd:
                part[slot] = self.part_of(int(self._base_part[traces.owner[slot]]), *own[gpu])
        return part

    def settle(self, groups: Groups) -> ThermalNetwork:
        """Take note that every slot has its part; return the network as `groups` have it."""
        self.changed = False
        return self.network_of(groups)

    def network_of(self, groups: Groups) -> ThermalNetwork:
        """Return the network with the GPUs of each loop under the parts that `groups` say."""
        shape = (self.network.shape.n_loops, len(self.network.parts))
        counts = np.bincount(groups.loop * shape[1] + groups.part, groups.n, minlength=shape[0] * shape[1])
        installed = counts.reshape(shape).astype(float)
        if not np.array_equal(installed, self.network.installed):
            self.network = replace(self.network, installed=installed)
        return self.network

    def on_restored(self) -> None:
        """Work out what faults leave the racks."""
        self._change()

    def _take_variants(self, saved: list[list[Any]]) -> None:
        for base, flow, contact in saved:
            self.part_of(int(base), flow, contact)

    def _carried_variants(self, old: Oddities, edit: EditedPair) -> list[list[Any]]:
        place = {key: number for number, key in enumerate(self.keys)}
        known = [(place.get(old.keys[base]), flow, contact) for base, flow, contact in old._variants]
        return [[base, flow, contact] for base, flow, contact in known if base is not None]

    def _carried_acting(self, old: Oddities, edit: EditedPair) -> list[list[Any]]:
        """Faults stay with the nodes and GPUs that do."""
        kept, node_of, acting = edit.kept["nodes"].number, old.traces.dies.node, []
        for key, fault in old._acting.items():
            nodes = [kept[node] for node in fault.nodes if node in kept]
            alone = fault.gpu >= 0
            if nodes or (alone and int(node_of[fault.gpu]) in kept):
                gpu = edit.numbers.gpu(fault.gpu) if alone else fault.gpu
                acting.append([key, nodes, gpu, fault.flow, fault.contact, fault.fans])
        return acting

    STATE = Fields(
        Derived(
            "variants",
            lambda part: [list(variant) for variant in part._variants],
            _take_variants,
            carry=_carried_variants,
        ),
        StateField(
            "_acting",
            lambda saved: {key: Oddity(tuple(nodes), *rest) for key, nodes, *rest in saved},
            lambda acting: [[key, *astuple(fault)] for key, fault in acting.items()],
            carry=_carried_acting,
        ),
        last=[StateField("changed", bool, carry=lambda *_: True)],
    )
