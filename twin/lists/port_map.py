"""The port map: each port of each switch and node, what it leads to, by which cable; free ports too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import Catalog
from twin.language import tr
from twin.lists.cable_plan import cable_plan, split_of
from twin.lists.cable_schedule import cable_labels, end_ports, port_name
from twin.lists.table import Cell, SiteColumn, SiteList
from twin.plant.links import LinkKind
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

COLUMNS = (
    SiteColumn("rack", tr("Rack")),
    SiteColumn("u", tr("U")),
    SiteColumn("device", tr("Device")),
    SiteColumn("part", tr("Part")),
    SiteColumn("port", tr("Port")),
    SiteColumn("gbit_s", tr("Speed"), "Gb/s", 0),
    SiteColumn("fabric", tr("Fabric")),
    SiteColumn("state", tr("State")),
    SiteColumn("cable", tr("Cable")),
    SiteColumn("peer_rack", tr("To rack")),
    SiteColumn("peer", tr("To device")),
    SiteColumn("peer_port", tr("To port")),
)
_End = tuple[str, float, str, str, str, str, str]
"""Port, speed, fabric, cable, and rack, device and port at the other end."""


def port_map(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Return a row for each port of the fabrics, in the order of racks, from the top of each."""
    ends = _ends(scenario, plant, catalog)
    switches, nodes = plant.switches, plant.nodes
    found: list[tuple[int, int, Iterator[tuple[Cell, ...]]]] = []
    for slot in np.flatnonzero(switches.present).tolist():
        split = split_of(plant, catalog, slot)
        ports = [port_name(port, split) for port in range(int(switches.ports[slot]))]
        speed = float(switches.port_bytes_s[slot]) * 8e-9
        fabric = plant.fabrics[int(switches.fabric[slot])]
        told = {end[0]: end for end in ends.get(("switch", slot), [])}
        rows = [told.get(port, (port, speed, fabric, "", "", "", "")) for port in ports]
        device = (switches.ids[slot], switches.part[slot])
        found.append(
            (int(switches.rack[slot]), -int(switches.u[slot]), _rows(plant, slot, False, device, rows))
        )
    for slot in np.flatnonzero(nodes.present).tolist():
        rows = sorted(ends.get(("node", slot), []))
        device = (nodes.ids[slot], plant.node_parts[int(nodes.part[slot])])
        found.append((int(nodes.rack[slot]), -int(nodes.u[slot]), _rows(plant, slot, True, device, rows)))
    found.sort(key=lambda place: place[:2])
    return SiteList("ports", tr("Port map"), COLUMNS, tuple(row for _, _, rows in found for row in rows))


def _rows(
    plant: Plant, slot: int, is_node: bool, device: tuple[str, str], ends: list[_End]
) -> Iterator[tuple[Cell, ...]]:
    table = plant.nodes if is_node else plant.switches
    rack, u = plant.racks.ids[int(table.rack[slot])], int(table.u[slot])
    for port, speed, fabric, cable, peer_rack, peer, peer_port in ends:
        state = "used" if cable else "free"
        yield (rack, u, *device, port, speed, fabric, state, cable, peer_rack, peer, peer_port)


def _ends(scenario: Scenario, plant: Plant, catalog: Catalog) -> dict[tuple[str, int], list[_End]]:
    """Return what is plugged into each switch and node."""
    plan = cable_plan(scenario, plant, catalog)
    links, link = plan.links, plan.link
    labels, (a_ports, b_ports) = cable_labels(plant, plan), end_ports(plant, catalog, plan)
    speeds = plant.bundles.cable_bytes_s[links.bundle[link]] * 8e-9
    found: dict[tuple[str, int], list[_End]] = {}
    columns = (
        labels,
        a_ports,
        b_ports,
        links.kind[link],
        links.a[link],
        links.b[link],
        speeds,
        links.fabric[link],
    )
    for label, a_port, b_port, kind, a, b, speed, fabric in zip(*columns, strict=True):
        first = ("switch" if kind == LinkKind.SWITCH else "node", int(a))
        second = ("node" if kind == LinkKind.PEER else "switch", int(b))
        for (end, port), (far_end, far_port) in (
            ((first, a_port), (second, b_port)),
            ((second, b_port), (first, a_port)),
        ):
            table = plant.nodes if far_end[0] == "node" else plant.switches
            rack = plant.racks.ids[int(table.rack[far_end[1]])]
            peer = table.ids[far_end[1]]
            found.setdefault(end, []).append(
                (port, float(speed), plant.fabrics[int(fabric)], label, rack, peer, far_port)
            )
    return found
