"""The cable schedule: label, both ends with their ports, type, length along the trays, bundle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import Catalog
from twin.language import tr
from twin.lists.cable_plan import CablePlan, cable_plan, split_of
from twin.lists.table import Cell, SiteColumn, SiteList
from twin.plant.cable_names import bundle_id
from twin.plant.links import LinkKind
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

COLUMNS = (
    SiteColumn("label", tr("Label")),
    SiteColumn("fabric", tr("Fabric")),
    SiteColumn("type", tr("Type")),
    SiteColumn("from_rack", tr("From rack")),
    SiteColumn("from_device", tr("From device")),
    SiteColumn("from_u", tr("From U")),
    SiteColumn("from_port", tr("From port")),
    SiteColumn("to_rack", tr("To rack")),
    SiteColumn("to_device", tr("To device")),
    SiteColumn("to_u", tr("To U")),
    SiteColumn("to_port", tr("To port")),
    SiteColumn("gbit_s", tr("Speed"), "Gb/s", 0),
    SiteColumn("length_m", tr("Length"), "m", 1),
    SiteColumn("bundle", tr("Bundle")),
)


def cable_schedule(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Return a row for each run; runs of one cable share its number and follow one another: ib-0012.1, ib-0012.2.

    Lengths are those of the route: up to the tray, along rows and across them, down to half of the rack, with slack.
    """
    plan = cable_plan(scenario, plant, catalog)
    return SiteList("cables", tr("Cable schedule"), COLUMNS, tuple(_rows(scenario, plant, catalog, plan)))


def cable_labels(plant: Plant, plan: CablePlan) -> list[str]:
    """Return the label of each run."""
    fabric = plan.links.fabric[plan.link]
    most = np.zeros(len(plant.fabrics) + 1, np.int64)
    np.maximum.at(most, fabric, plan.cable + 1)
    wide = [max(3, len(str(int(count)))) for count in most]
    return [
        f"{plant.fabrics[of]}-{number + 1:0{wide[of]}d}" + (f".{leg + 1}" if legs > 1 else "")
        for of, number, leg, legs in zip(
            fabric.tolist(), plan.cable.tolist(), plan.leg.tolist(), plan.legs.tolist(), strict=True
        )
    ]


def port_name(port: int, split: int) -> str:
    """Return the name of a port of a switch: "17", or "17/2" for the second part of one that is split."""
    return f"{port // split + 1}/{port % split + 1}" if split > 1 else str(port + 1)


def card_name(card: int, plane: int, fabric: str) -> str:
    """Return the name of a port of a node: "NIC 3", "NIC 3 port 2"; with its fabric where the node has several."""
    return f"NIC {card}" + (f" port {plane + 1}" if plane >= 0 else "") + (f" {fabric}" if fabric else "")


def end_ports(plant: Plant, catalog: Catalog, plan: CablePlan) -> tuple[list[str], list[str]]:
    """Return the names of the ports at both ends of each run."""
    links, link = plan.links, plan.link
    split = [split_of(plant, catalog, slot) for slot in range(len(plant.switches.ids))]
    named = list(plant.fabrics) if len(plant.fabrics) > 1 else [""] * len(plant.fabrics)
    fabric = links.fabric[link].tolist()

    def names(nodes: list[bool], slots: list[int], ports: list[int], planes: list[int]) -> list[str]:
        return [
            card_name(port, plane, named[of]) if is_node else port_name(port, split[slot])
            for is_node, slot, port, plane, of in zip(nodes, slots, ports, planes, fabric, strict=True)
        ]

    return (
        names(
            (links.kind[link] != LinkKind.SWITCH).tolist(),
            links.a[link].tolist(),
            plan.a_port.tolist(),
            plan.a_plane.tolist(),
        ),
        names(
            (links.kind[link] == LinkKind.PEER).tolist(),
            links.b[link].tolist(),
            plan.b_port.tolist(),
            plan.b_plane.tolist(),
        ),
    )


def _rows(scenario: Scenario, plant: Plant, catalog: Catalog, plan: CablePlan) -> Iterator[tuple[Cell, ...]]:
    types = {fabric.id: fabric.cable for fabric in scenario.fabrics}
    a_ports, b_ports = end_ports(plant, catalog, plan)
    bundles, links = plant.bundles, plan.links
    length_m, gbit_s = bundles.length_m.tolist(), (bundles.cable_bytes_s * 8e-9).tolist()
    columns = (
        plan.link.tolist(),
        cable_labels(plant, plan),
        a_ports,
        b_ports,
        links.kind[plan.link].tolist(),
        links.a[plan.link].tolist(),
        links.b[plan.link].tolist(),
        links.bundle[plan.link].tolist(),
        links.fabric[plan.link].tolist(),
    )
    for _, label, a_port, b_port, kind, a, b, bundle, fabric in zip(*columns, strict=True):
        name = plant.fabrics[fabric]
        yield (
            label,
            name,
            types[name],
            *_place(plant, kind != LinkKind.SWITCH, a),
            a_port,
            *_place(plant, kind == LinkKind.PEER, b),
            b_port,
            gbit_s[bundle],
            length_m[bundle],
            bundle_id(bundle),
        )


def _place(plant: Plant, is_node: bool, slot: int) -> tuple[str, str, int]:
    """Return rack, id and lowest unit of a node or switch."""
    table = plant.nodes if is_node else plant.switches
    return plant.racks.ids[int(table.rack[slot])], table.ids[slot], int(table.u[slot])
