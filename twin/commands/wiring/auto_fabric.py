"""Connecting rows to a network by rule: switch part and number, racks, and cable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from twin.arrays import Ints32
from twin.commands.edit import names
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.wiring.cable_reach import between_m, cable_for
from twin.commands.wiring.unconnected import wired
from twin.language import counted, tr
from twin.plant.tables import RackKind
from twin.scenario.checks.fabric_size import Misfit, Size, down_ports, ports_of, size_of
from twin.scenario.schema.site import CABINET_UNITS, RedundancyLevel
from twin.scenario.schema.systems import Fabric, SwitchTier


@dataclass(frozen=True)
class _Wanted:
    """Nodes to be connected: their rows, cards of one, speed of a card [B/s], racks."""

    rows: list[str]
    nodes: int
    cards: int
    card_bytes_s: float
    racks: Ints32


def wire_fabric(
    changes: Changes, kind: str, oversubscription: float, add: bool, level: RedundancyLevel = "N"
) -> int:
    """Connect the rows that are in no fabric; return the number of their nodes.

    A fabric whose cables a rule lays takes them where it has the ports. Else switches that stand there without a
    cable become a fabric of the kind asked for; with `add` as many as it takes. Cables laid by hand stay.

    Raises
    ------
    CommandError
        When switches, ports, room in racks or reach are missing.
    """
    scene = changes.scene
    wanted = _wanted(changes)
    if wanted is None:
        return 0
    for fabric in scene.scenario.fabrics:
        if fabric.kind != "explicit" and fabric.rows and _joins(changes, fabric, wanted, add):
            return wanted.nodes
    bare = [fabric for fabric in scene.scenario.fabrics if fabric.kind == "explicit" and not fabric.links]
    if not bare and not add:
        hint = tr("put switches into a network rack, or allow missing equipment to be added")
        raise CommandError(
            tr(
                "there is no switch for {nodes} of {rows}",
                nodes=counted(wanted.nodes, "node"),
                rows=", ".join(wanted.rows),
            ),
            hint,
        )
    homes = 1 if level == "N" else 2
    _lay(changes, bare[0] if bare else None, wanted, kind, oversubscription, add, homes)
    return wanted.nodes


def _wanted(changes: Changes) -> _Wanted | None:
    """Return the unconnected nodes of one card speed: that of the first unconnected row."""
    scene = changes.scene
    loose = [
        unconnected.id
        for unconnected in wired(scene)
        if unconnected.connection == "fabric" and changes.concerns(unconnected.id)
    ]
    by_hand = {fabric.id for fabric in scene.scenario.fabrics if fabric.kind == "explicit" and fabric.links}
    if by_hand:
        linked = {
            scene.plant.nodes.ids[node].partition("/")[0] for node in scene.plant.node_links.node.tolist()
        }
        loose = [name for name in loose if name not in linked]
    if not loose:
        return None
    plant = scene.plant
    nodes = plant.nodes
    rows = np.array([plant.racks.ids[rack].partition("/")[0] for rack in nodes.rack.tolist()])
    speed: dict[str, float] = {
        name: float(nodes.nic_bytes_s[(rows == name) & (nodes.nics > 0)].max()) for name in loose
    }
    alike = [name for name in loose if speed[name] == speed[loose[0]]]
    to_wire = np.isin(rows, alike) & (nodes.nics > 0)
    return _Wanted(
        alike,
        int(to_wire.sum()),
        int(nodes.nics[to_wire].max()),
        speed[loose[0]],
        np.unique(nodes.rack[to_wire & nodes.present]).astype(np.int32),
    )


def _joins(changes: Changes, fabric: Fabric, wanted: _Wanted, add: bool) -> bool:
    """Add rows to a fabric if it has the ports, or with `add` can have more switches."""
    scene, plant = changes.scene, changes.scene.plant
    slot = plant.fabrics.index(fabric.id)
    connected = np.unique(plant.node_links.node[plant.node_links.fabric == slot])
    if not len(connected) or abs(float(plant.nodes.nic_bytes_s[connected].max()) - wanted.card_bytes_s) > 1.0:
        return False
    nodes = len(connected) + wanted.nodes
    cards = max(int(plant.nodes.nics[connected].max()), wanted.cards)
    counts: dict[str, int] = {}
    try:
        size_of(fabric, scene.catalog, nodes, cards, wanted.card_bytes_s)
    except Misfit:
        if not add:
            return False
        larger = fabric.model_copy(
            update={name: _uncounted(getattr(fabric, name)) for name in ("leaf", "spine", "core")}
        )
        try:
            size = size_of(larger, scene.catalog, nodes, cards, wanted.card_bytes_s)
        except Misfit:
            return False
        each_unit = max(1, size.units) if fabric.kind in ("fat-tree", "dragonfly-plus") else 1
        counts = {
            "leaf": size.leaves * max(1, size.units),
            "spine": size.spines * each_unit,
            "core": size.cores,
        }
    for name, count in counts.items():
        if count and value_at(scene, f"fabrics[{fabric.id}].{name}.count") is not None:
            changes.set(f"fabrics[{fabric.id}].{name}.count", count)
    changes.set(f"fabrics[{fabric.id}].rows", [*fabric.rows, *wanted.rows])
    return True


def _uncounted(tier: SwitchTier | None) -> SwitchTier | None:
    return tier.model_copy(update={"count": None}) if tier is not None else None


def _lay(
    changes: Changes,
    bare: Fabric | None,
    wanted: _Wanted,
    kind: str,
    oversubscription: float,
    add: bool,
    homes: int,
) -> None:
    scene = changes.scene
    part = bare.leaf.part if bare is not None and bare.leaf is not None else _switch_for(scene, wanted)
    above = bare.spine.part if bare is not None and bare.spine is not None else part
    racks = bare.leaf.racks if bare is not None and bare.leaf is not None else None
    racks = racks or _home(scene, wanted)
    cable_bytes_s = wanted.card_bytes_s / homes
    ports = ports_of(scene.catalog, part, cable_bytes_s)
    if ports.bytes_s < cable_bytes_s * 0.999:
        reason = tr("a port of {part} has {bytes_s:.0f} Gb/s", part=part, bytes_s=ports.bytes_s * 8e-09)
        raise CommandError(
            tr(
                "{reason}, below the NIC line rate of {cable_bytes_s:.0f}",
                reason=reason,
                cable_bytes_s=cable_bytes_s * 8e-09,
            ),
            tr("other switches"),
        )
    unit_nodes = (
        min(down_ports(ports.count, oversubscription), wanted.nodes) if kind == "rail-optimised" else None
    )
    alone = homes == 1 and wanted.nodes * wanted.cards <= ports.count
    tier: dict[str, Any] = {"part": part} | ({"racks": racks} if racks else {})
    entry: dict[str, Any] = {
        "id": bare.id if bare is not None else names.fresh(names.hardware(scene.scenario), "fabric")
    }
    entry |= {"kind": "single-switch" if alone else kind, "rows": wanted.rows}
    entry |= {"homes": homes} if homes > 1 else {}
    entry |= {"unit_nodes": unit_nodes} if unit_nodes and not alone else {}
    entry["leaf"] = dict(tier)
    if not alone:
        entry["spine"] = {**tier, "part": above}
    entry |= {"oversubscription": oversubscription} if oversubscription != 1.0 and not alone else {}
    fabric = Fabric.model_validate(entry)
    try:
        size = size_of(fabric, scene.catalog, wanted.nodes, wanted.cards, wanted.card_bytes_s)
    except Misfit as wrong:
        raise CommandError(
            tr(
                "{kind} of {part} is not possible: {key} {reason}",
                kind=kind,
                part=part,
                key=wrong.key,
                reason=wrong.reason,
            ),
            wrong.hint,
        ) from None
    leaves, spines = size.leaves * max(1, size.units), size.spines
    if bare is not None and not add:
        for tier_name, tier_before, needed in (("leaf", bare.leaf, leaves), ("spine", bare.spine, spines)):
            stands = (tier_before.count or 0) if tier_before is not None else 0
            if stands < needed:
                reason = tr(
                    "it takes {needed} {tier_name} switches of {part}, but {stands} are there",
                    needed=needed,
                    tier_name=tier_name,
                    part=part,
                    stands=stands,
                )
                raise CommandError(
                    reason, tr("put more into the network racks, or allow missing equipment to be added")
                )
            if needed:
                entry[tier_name]["count"] = max(needed, 1)
    _must_have_room(scene, racks, size, leaves, spines, part, above)
    entry["cable"] = cable_for(scene.catalog, _longest_m(scene, racks, wanted), cable_bytes_s)
    if bare is None:
        changes.set(f"fabrics[{entry['id']}]", entry)
        return
    for key in ("core", "links"):
        if value_at(scene, f"fabrics[{bare.id}].{key}") is not None:
            changes.take(f"fabrics[{bare.id}].{key}")
    for key, value in entry.items():
        if key != "id" and value_at(scene, f"fabrics[{bare.id}].{key}") != value:
            changes.set(f"fabrics[{bare.id}].{key}", value)
    if alone and bare.spine is not None:
        changes.take(f"fabrics[{bare.id}].spine")


def _switch_for(scene: EditedScene, wanted: _Wanted) -> str:
    """Return the switch part whose ports are just fast enough, the one with most of them."""
    parts = [scene.catalog.switch(name) for name in scene.catalog.ids("switch")]
    fast = [
        part
        for part in parts
        if part.fabric == "scale-out" and part.port_bandwidth_bytes_s >= wanted.card_bytes_s * 0.999
    ]
    if not fast:
        raise CommandError(
            tr(
                "no switch of the catalogue has ports of {card_bytes_s:.0f} Gb/s",
                card_bytes_s=wanted.card_bytes_s * 8e-09,
            )
        )
    best = min(fast, key=lambda part: (part.port_bandwidth_bytes_s, -part.ports))
    return best.id


def _home(scene: EditedScene, wanted: _Wanted) -> str | None:
    """Return the nearest row generator of network racks; None: there is none, switches stand with nodes."""
    racks = scene.plant.racks
    network = np.flatnonzero(racks.present & (racks.kind == RackKind.NETWORK))
    if not len(network) or not len(wanted.racks):
        return None
    middle = wanted.racks[len(wanted.racks) // 2]
    away_m = between_m(scene, np.full(len(network), middle, np.int32), network.astype(np.int32))
    return racks.ids[int(network[np.argmin(away_m)])].partition("/")[0]


def _must_have_room(
    scene: EditedScene, racks: str | None, size: Size, leaves: int, spines: int, leaf: str, spine: str
) -> None:
    """Raise CommandError when the network racks are too low for the switches."""
    if racks is None or size.leaf is None:
        return
    table = scene.plant.racks
    rack_slots = [
        slot for slot in np.flatnonzero(table.present).tolist() if table.ids[slot].startswith(f"{racks}/")
    ]
    has = int(table.units_u[rack_slots].sum()) if rack_slots else CABINET_UNITS
    each = [math.ceil(leaves / max(1, len(rack_slots))) * max(1, round(scene.catalog.switch(leaf).height_u))]
    each.append(
        math.ceil(spines / max(1, len(rack_slots))) * max(1, round(scene.catalog.switch(spine).height_u))
    )
    needed = sum(each) * max(1, len(rack_slots))
    if needed > has:
        reason = tr(
            "{leaves} leaves and {spines} spines take {needed} U, and the racks of {racks} have {has}",
            leaves=leaves,
            spines=spines,
            needed=needed,
            racks=racks,
            has=has,
        )
        raise CommandError(reason, tr("more network racks"))


def _longest_m(scene: EditedScene, racks: str | None, wanted: _Wanted) -> float:
    """Return the longest cable from a node to a switch [m]."""
    table = scene.plant.racks
    if racks is None or not len(wanted.racks):
        ends = wanted.racks
    else:
        ends = np.array(
            [
                slot
                for slot in np.flatnonzero(table.present).tolist()
                if table.ids[slot].startswith(f"{racks}/")
            ],
            np.int32,
        )
    if not len(ends) or not len(wanted.racks):
        return 0.0
    a, b = np.repeat(wanted.racks, len(ends)), np.tile(ends, len(wanted.racks))
    return float(between_m(scene, a.astype(np.int32), b.astype(np.int32)).max())
