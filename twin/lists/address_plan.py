"""The IP and VLAN plan: an address for each card, BMC and machine; by place, so that it stays as halls grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

import numpy as np

from twin.catalog import Catalog
from twin.language import tr
from twin.lists.cable_schedule import card_name
from twin.lists.table import Cell, SiteColumn, SiteList
from twin.plant.machines import machine_ids
from twin.plant.tables import FixtureKind, Plant
from twin.scenario.checks.addresses import (
    UNITS,
    AddressPlan,
    AddressSpace,
    address_plan,
    is_infiniband,
    misfits,
    storage_adapters,
)
from twin.scenario.schema.document import Scenario

COLUMNS = (
    SiteColumn("name", tr("Name")),
    SiteColumn("network", tr("Network")),
    SiteColumn("vlan", tr("VLAN")),
    SiteColumn("address", tr("Address")),
    SiteColumn("gateway", tr("Gateway")),
    SiteColumn("rack", tr("Rack")),
    SiteColumn("u", tr("U")),
    SiteColumn("device", tr("Device")),
    SiteColumn("part", tr("Part"), detail=True),
    SiteColumn("port", tr("Port")),
)
NETWORKS = {
    "facility": tr("facility"),
    "out_of_band": tr("out of band"),
    "in_band": tr("in band"),
    "storage": tr("storage"),
    "compute": tr("compute"),
}
"""Words for the networks by their keys under `site.addresses`."""
_FIXTURES = {
    FixtureKind.NVLINK_TRAY: ("nvlink", "NVLink tray"),
    FixtureKind.POWER_SHELF: ("shelf", "power shelf"),
    FixtureKind.STORAGE: ("box", "storage box"),
}
_WITHOUT = ("utility", "transformer")
"""Kinds of power equipment without a controller of their own."""


@dataclass(frozen=True)
class _Port:
    """One thing that has an address: what it is called, and where in its network it is."""

    name: str
    rail: int
    row: int
    place: int  # within the row
    rack: str
    u: int | None
    device: str
    part: str
    port: str
    tagged: bool = True


def address_list(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Return a row for each address, network by network. One that is too small for the hall is left out with a note."""
    plan = address_plan(scenario, catalog)
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for space, ports in zip(plan.spaces.values(), _ports(scenario, plant, catalog, plan), strict=True):
        wrong = next(misfits(space), None)
        if wrong is not None:
            told = f"{wrong[0]} {space.network if wrong[0] == 'prefix' else space.vlan} {wrong[1]}"
            notes.append(f"{space.key} is left out: {told}; site.addresses.{space.key} can say another")
        else:
            rows += _rows(space, ports)
    if any(row[1] == NETWORKS["compute"] and row[2] is None for row in rows):
        notes.append(
            "InfiniBand has partitions in place of VLANs; its addresses are those of IP over InfiniBand."
        )
    return SiteList("addresses", tr("IP and VLAN plan"), COLUMNS, tuple(rows), tuple(notes))


def _rows(space: AddressSpace, ports: list[_Port]) -> Iterator[tuple[Cell, ...]]:
    """Yield rows in the order of addresses; the gateway of a subnet is the last address before its broadcast."""
    length = 32 - (space.row_addresses - 1).bit_length()
    base = int(space.network.network_address)
    for port in sorted(ports, key=lambda port: (port.rail, port.row, port.place)):
        first = base + (port.rail * space.rows + port.row) * space.row_addresses
        gateway = IPv4Address(first + space.row_addresses - 2)
        vlan = space.vlan_of(port.rail, port.row) if port.tagged else None
        address = f"{IPv4Address(first + port.place)}/{length}"
        told = (port.rack, port.u, port.device, port.part, port.port)
        yield (port.name, NETWORKS[space.key], vlan, address, str(gateway), *told)


def _ports(
    scenario: Scenario, plant: Plant, catalog: Catalog, plan: AddressPlan
) -> tuple[list[_Port], list[_Port], list[_Port], list[_Port], list[_Port]]:
    """Return what has an address in each network, in the order of `NETWORKS`."""
    racks = _RackPlaces(plant, plan)
    out_of_band, in_band, storage, compute = list[_Port](), list[_Port](), list[_Port](), list[_Port]()
    nodes, fixtures, switches = plant.nodes, plant.fixtures, plant.switches
    adapters = [storage_adapters(catalog.node(part)) for part in plant.node_parts]
    fabrics = _fabrics(scenario, plant, catalog, plan)
    for slot in np.flatnonzero(nodes.present).tolist():
        id, kind, u = nodes.ids[slot], int(nodes.part[slot]), int(nodes.u[slot])
        at = racks.take(int(nodes.rack[slot]), u, int(nodes.column[slot]))
        told = (*at, u, id, plant.node_parts[kind])
        host = _host(id)
        out_of_band.append(_Port(f"{host}-bmc", 0, *told, "BMC"))
        in_band.append(_Port(host, 0, *told, "in-band"))
        for adapter in range(adapters[kind]):
            storage.append(_Port(f"{host}-st{adapter}", adapter, *told, f"storage {adapter}"))
        for fabric in fabrics:
            if not fabric.holds[slot]:
                continue
            for card in range(int(nodes.nics[slot])):
                for plane in range(fabric.homes):
                    rail = fabric.first_rail + card * fabric.homes + plane
                    name = f"{host}-{fabric.suffix}{card}" + (f"-p{plane + 1}" if fabric.homes > 1 else "")
                    words = card_name(card, plane if fabric.homes > 1 else -1, fabric.word)
                    compute.append(_Port(name, rail, *told, words, fabric.tagged))
    for slot in np.flatnonzero(switches.present & (switches.rack >= 0)).tolist():
        id, u = switches.ids[slot], int(switches.u[slot])
        at = racks.take(int(switches.rack[slot]), u, 0)
        out_of_band.append(_Port(_host(id), 0, *at, u, id, switches.part[slot], "management"))
    columns = (fixtures.rack.tolist(), fixtures.u.tolist(), fixtures.kind.tolist())
    for rack, u, kind in sorted(zip(*columns, strict=True)):
        if not plant.racks.present[rack]:
            continue
        short, words = _FIXTURES[FixtureKind(kind)]
        at, id = racks.take(rack, u, 0), plant.racks.ids[rack]
        name = f"{_host(id)}-u{u}-{short}"
        told = (*at, u, id, words)
        out_of_band.append(_Port(name, 0, *told, "management"))
        if kind == FixtureKind.STORAGE:
            storage.append(_Port(f"{name}-st0", 0, *told, "storage 0"))
    return list(_machines(plant, plan)), out_of_band, in_band, storage, compute


def _host(id: str) -> str:
    """Return an id as names of hosts have it."""
    return id.replace("/", "-").replace("#", "-")


class _RackPlaces:
    """Places within the rows: by rack and unit; where two things stand in one unit, the next free one."""

    def __init__(self, plant: Plant, plan: AddressPlan) -> None:
        self._plant, self._plan = plant, plan
        self._each = plan.spaces["out_of_band"].rack_addresses
        self._taken: dict[int, set[int]] = {}

    def take(self, rack: int, u: int, column: int) -> tuple[int, int, str]:
        """Return row, place in it, and id of the rack of something at a unit [U] and a column."""
        id = self._plant.racks.ids[rack]
        generator, row, number = id.split("/")
        taken = self._taken.setdefault(rack, set())
        wanted = column % (self._each // UNITS) * UNITS + u
        units = (unit for unit in range(1, self._each) if unit % UNITS not in (0, UNITS - 2, UNITS - 1))
        place = wanted if wanted not in taken else next(unit for unit in units if unit not in taken)
        taken.add(place)
        return self._plan.first_row[generator] + int(row), int(number) * self._each + place, id


@dataclass(frozen=True)
class _FabricPorts:
    """Which nodes a fabric connects, and how their cards are called."""

    first_rail: int
    homes: int
    holds: list[bool]  # by node
    suffix: str
    word: str
    tagged: bool


def _fabrics(scenario: Scenario, plant: Plant, catalog: Catalog, plan: AddressPlan) -> list[_FabricPorts]:
    several = len(scenario.fabrics) > 1
    found = []
    for place, fabric in enumerate(scenario.fabrics):
        holds = np.zeros(len(plant.nodes.ids), bool)
        down, peers = plant.node_links, plant.peer_links
        holds[down.node[down.fabric == place]] = True
        for ends in (peers.a, peers.b):
            holds[ends[peers.fabric == place]] = True
        found.append(
            _FabricPorts(
                plan.first_rail[fabric.id],
                fabric.homes,
                holds.tolist(),
                f"{fabric.id}-nic" if several else "nic",
                fabric.id if several else "",
                not is_infiniband(plant.fabric_table.technology[place], catalog),
            )
        )
    return found


def _machines(plant: Plant, plan: AddressPlan) -> Iterator[_Port]:
    """Yield the controllers of power and cooling."""
    power, loops, plants = plant.power, plant.loops, plant.plants

    def port(id: str, number: int, part: str) -> _Port:
        place = plan.first_machine[id.partition("/")[0].partition("#")[0]] + number
        return _Port(_host(id), 0, 0, place, "", None, id, part, "controller")

    for slot in np.flatnonzero(power.present).tolist():
        if power.kind[slot] not in _WITHOUT:
            yield port(power.ids[slot], int(power.ids[slot].partition("/")[2]), power.part[slot])
    for id, loop in zip(machine_ids(plant), plant.machines.loop.tolist(), strict=True):
        if loops.present[loop]:
            number = int(loops.ids[loop].partition("/")[2]) * int(loops.units[loop])
            yield port(id, number + int(id.partition("#")[2] or 0), loops.part[loop])
    for slot in np.flatnonzero(plants.present).tolist():
        units = int(plants.units[slot])
        for unit in range(units):
            id = plants.ids[slot] if units == 1 else f"{plants.ids[slot]}#{unit}"
            yield port(id, unit, plants.part[slot])
