"""Design rules of the fabrics: unreachable nodes, wrong or slow ports, cables too long, rails and uplinks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools
from twin.language import tr
from twin.plant.islands import ALONE, islands_of
from twin.rules.finding import Found, line_rate, number, quantity
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.checks.fabric import TIER_NAMES, at_odds, unmet
from twin.scenario.schema.systems import Fabric, SwitchTier
from twin.scenario.text.parse import Path

RAIL_SHARE = 0.6
"""Share of the cables of a leaf from NICs of one number, above which an explicit fabric counts as rail-optimised."""

_SLOW = 0.999


def _members(case: RuleContext, fabric: Fabric) -> Bools:
    """Return the nodes that a fabric is to join: those with NICs in its rows, else in compute racks."""
    plant = case.plant
    names = fabric.rows or tuple(
        rows.id for hall in case.scenario.halls for rows in hall.rows if rows.racks.role == "compute"
    )
    nodes = plant.nodes
    return np.asarray(case.racks_of(names)[nodes.rack] & nodes.present & (nodes.nics > 0), np.bool_)


def _unreachable(case: RuleContext) -> Iterator[Found]:
    """Yield fabrics that leave nodes without a path to the others."""
    unmet_rows = {at[1]: (at, reason, hint) for at, reason, hint in unmet(case.scenario, case.catalog)}
    for i, fabric in enumerate(case.scenario.fabrics):
        members = np.flatnonzero(_members(case, fabric))
        if not len(members) or (fabric.kind == "explicit" and not fabric.links and not fabric.rows):
            continue  # switches without cables yet are to join no nodes
        island = islands_of(case.plant, case.links, i)[members]
        joined = island[island != ALONE]
        largest = int(np.bincount(joined).argmax()) if len(joined) else 0
        apart = members[island != largest] if len(joined) else members
        if not len(apart) and i not in unmet_rows:
            continue
        at: Path = ("fabrics", i)
        reason = tr(
            "leaves {apart_count:,} of {members:,} nodes without a path to the others on at least one NIC",
            apart_count=len(apart),
            members=len(members),
        )
        fix = tr("cable them to leaves that meet in a spine, or remove their rows from the fabric")
        at, reason, fix = unmet_rows.get(i, (at, reason, fix))
        ids = tuple(case.plant.nodes.ids[node] for node in apart.tolist())
        counted, none = number(len(apart), "nodes"), number(0, "nodes")
        yield Found(at=at, reason=reason, fix=fix, ids=ids, value=counted, limit=none)


def _unlinked(case: RuleContext) -> Iterator[Found]:
    """Yield rows whose nodes are in no fabric and on no cable, where other nodes have a network."""
    nodes, links = case.plant.nodes, case.links
    linked = np.zeros(len(nodes.ids), np.bool_)
    for end in (links.node_a, links.node_b):
        linked[end[end >= 0]] = True
    if not linked.any():
        return  # other rules report jobs that need a network then
    meant = np.any([_members(case, fabric) for fabric in case.scenario.fabrics], axis=0)
    loose = nodes.present & ~linked & ~meant
    for at, racks in case.by_generator(np.unique(nodes.rack[loose])):
        unlinked = loose & np.isin(nodes.rack, [case.plant.slots[rack][1] for rack in racks])
        ids = tuple(nodes.ids[node] for node in np.flatnonzero(unlinked).tolist())
        counted, none = number(len(ids), "nodes" if len(ids) > 1 else "node"), number(0, "nodes")
        reason = tr("has {text} without a network link: multi-node jobs cannot use them", text=counted.text)
        fix = tr("add its row to a fabric, or cable its nodes to leaves")
        if not nodes.nics[unlinked].any():
            fix = tr("a node part with NICs")
        yield Found(at=(*at, "id"), reason=reason, fix=fix, ids=ids, value=counted, limit=none)


def _port_types(case: RuleContext) -> Iterator[Found]:
    """Yield switches that are not for a scale-out network, and technologies that they do not support."""
    for i, fabric in enumerate(case.scenario.fabrics):
        for name in TIER_NAMES:
            tier: SwitchTier | None = getattr(fabric, name)
            kind = case.catalog.switch(tier.part).fabric if tier is not None else "scale-out"
            if tier is not None and kind != "scale-out":
                reason = tr(
                    "is a {part}, a switch for {kind} networks: NICs do not connect to it",
                    part=tier.part,
                    kind=kind,
                )
                at: Path = ("fabrics", i, name, "part")
                yield Found(at=at, reason=reason, fix=tr("a scale-out switch, such as QM9700"))
    for at, reason, hint in at_odds(case.scenario, case.catalog):
        if at[-1] == "technology":
            yield Found(at=at, reason=reason, fix=hint)


def _routing(case: RuleContext) -> Iterator[Found]:
    for at, reason, hint in at_odds(case.scenario, case.catalog):
        if at[-1] == "routing":
            yield Found(at=at, reason=reason, fix=hint)


def _speeds(case: RuleContext) -> Iterator[Found]:
    """Yield ports slower than their NICs, and cables slower than their ports."""
    plant, down, bundles = case.plant, case.plant.node_links, case.plant.bundles
    for i, fabric in enumerate(case.scenario.fabrics):
        links = np.flatnonzero((down.fabric == i) & plant.nodes.present[down.node])
        wanted = plant.nodes.nic_bytes_s[down.node[links]] / fabric.homes
        slow = links[down.bytes_s[links] < _SLOW * wanted]
        if len(slow):
            port = line_rate(float(down.bytes_s[slow].min()))
            nic = line_rate(float(plant.nodes.nic_bytes_s[down.node[slow]].max()) / fabric.homes)
            ids = tuple(plant.switches.ids[leaf] for leaf in np.unique(down.leaf[slow]).tolist())
            reason = tr(
                "has ports of {port} for NICs of {nic}: {slow_count:,} NICs run below line rate",
                port=port.text,
                nic=nic.text,
                slow_count=len(slow),
            )
            at: Path = ("fabrics", i, "leaf", "part")
            yield Found(
                at=at, reason=reason, fix=tr("switches with faster ports"), ids=ids, value=port, limit=nic
            )
        cable = case.catalog.cable(fabric.cable)
        fast = np.flatnonzero(
            (bundles.fabric == i) & (bundles.cable_bytes_s * _SLOW > cable.bandwidth_bytes_s)
        )
        if len(fast):
            asked = line_rate(float(bundles.cable_bytes_s[fast].max()))
            has = line_rate(cable.bandwidth_bytes_s)
            reason = tr("carries {has}, below the {asked} of its ports", has=has.text, asked=asked.text)
            ids = _racks(case, fast)
            fix = tr("a faster cable part")
            yield Found(at=("fabrics", i, "cable"), reason=reason, fix=fix, ids=ids, value=has, limit=asked)


def _racks(case: RuleContext, bundles: NDArray[np.integer]) -> tuple[str, ...]:
    """Return the racks at the ends of bundles, those of the first bundle first."""
    ends = np.stack([case.plant.bundles.rack_a[bundles], case.plant.bundles.rack_b[bundles]], axis=1)
    return tuple(case.plant.racks.ids[rack] for rack in dict.fromkeys(ends.ravel().tolist()))


def _reach(case: RuleContext) -> Iterator[Found]:
    """Yield fabrics with cables longer than their part reaches."""
    bundles = case.plant.bundles
    for i, fabric in enumerate(case.scenario.fabrics):
        cable = case.catalog.cable(fabric.cable)
        long = np.flatnonzero((bundles.fabric == i) & (bundles.length_m > cable.max_reach_m))
        if not len(long):
            continue
        long = long[np.argsort(-bundles.length_m[long], kind="stable")]
        longest, reach = (
            quantity(float(bundles.length_m[long[0]]), "length"),
            quantity(cable.max_reach_m, "length"),
        )
        first = _racks(case, long[:1])
        count = int(bundles.cables[long].sum())
        reason = tr(
            "reaches {reach}, but {count:,} cables are longer: the longest, {first} to {last_first}, is {longest}",
            reach=reach.text,
            count=count,
            first=first[0],
            last_first=first[-1],
            longest=longest.text,
        )
        fix = tr("a cable part with a longer reach, or switches nearer to the nodes")
        yield Found(
            at=("fabrics", i, "cable"),
            reason=reason,
            fix=fix,
            ids=_racks(case, long),
            value=longest,
            limit=reach,
        )


def _rails(case: RuleContext) -> Iterator[Found]:
    """Yield cables from a NIC to a leaf of another rail."""
    plant, down = case.plant, case.plant.node_links
    for i, fabric in enumerate(case.scenario.fabrics):
        links = np.flatnonzero((down.fabric == i) & plant.nodes.present[down.node])
        if fabric.kind not in ("rail-optimised", "rail-only", "explicit") or not len(links):
            continue
        nic, leaf = down.nic[links], down.leaf[links]
        nics = int(nic.max()) + 1
        if nics < 2:
            continue
        count = np.zeros((len(plant.switches.ids), nics), np.int64)
        np.add.at(count, (leaf, nic), 1)
        used = np.unique(leaf)
        share = count.max(axis=1)[used] / count.sum(axis=1)[used]
        if fabric.kind == "explicit" and float(np.median(share)) < RAIL_SHARE:
            continue  # not rail-optimised
        own = np.where(plant.switches.rail >= 0, plant.switches.rail, count.argmax(axis=1))
        crossed = links[nic != own[leaf]]
        if len(crossed):
            first = int(crossed[0])
            reason = tr(
                "crosses rails: NIC {nic} of {node} connects to {switch} of rail {own}",
                nic=int(down.nic[first]),
                node=plant.nodes.ids[int(down.node[first])],
                switch=plant.switches.ids[int(down.leaf[first])],
                own=int(own[down.leaf[first]]),
            ) + (
                tr(", and {crossed_count:,} more cables cross", crossed_count=len(crossed) - 1)
                if len(crossed) > 1
                else ""
            )
            ids = tuple(plant.nodes.ids[node] for node in dict.fromkeys(down.node[crossed].tolist()))
            fix = tr("connect NIC n of every node to a leaf of rail n, or collectives cross the spine")
            at: Path = ("fabrics", i, "links") if fabric.kind == "explicit" else ("fabrics", i)
            counted, none = number(len(crossed), "cables"), number(0, "cables")
            yield Found(at=at, reason=reason, fix=fix, ids=ids, value=counted, limit=none)


def _oversubscribed(case: RuleContext) -> Iterator[Found]:
    """Yield switches whose oversubscription exceeds the target of their fabric."""
    plant, up = case.plant, case.plant.switch_links
    role = plant.switches.role
    count = len(plant.switches.ids)
    between = role[up.lower] != role[up.upper]
    down_bytes_s = np.bincount(plant.node_links.leaf, plant.node_links.bytes_s, count)
    down_bytes_s += np.bincount(up.upper[between], up.bytes_s[between], count)
    up_bytes_s = np.bincount(up.lower[between], up.bytes_s[between], count)
    ratio = np.divide(down_bytes_s, up_bytes_s, out=np.zeros(count), where=up_bytes_s > 0)
    for i, fabric in enumerate(case.scenario.fabrics):
        switches = (plant.switches.fabric == i) & plant.switches.present
        over = np.flatnonzero(switches & (ratio > fabric.oversubscription * 1.001))
        if not len(over):
            continue
        over = over[np.argsort(-ratio[over], kind="stable")]
        worst = int(over[0])
        tier = TIER_NAMES[int(role[worst])]
        has, aim = number(float(ratio[worst]), tr("to 1")), number(fabric.oversubscription, tr("to 1"))
        reason = tr(
            "is exceeded at {tier} {switch}: {has}, target {aim}",
            tier=tier,
            switch=plant.switches.ids[worst],
            has=has.text,
            aim=aim.text,
        )
        fix = tr("more uplinks or more switches in the tier above, or {has:.4g} as the target", has=has.value)
        ids = tuple(plant.switches.ids[switch] for switch in over.tolist())
        at: Path = ("fabrics", i, "oversubscription")
        yield Found(at=at, reason=reason, fix=fix, ids=ids, value=has, limit=aim)


RULES = (
    Rule(
        "node-unreachable",
        tr("Unreachable node"),
        "fabric",
        "error",
        tr("Nodes of a fabric without a path to the others on every NIC, and leaves that meet in no spine."),
        tr("collectives need a path between all nodes"),
        _unreachable,
    ),
    Rule(
        "node-unlinked",
        tr("Node without a network"),
        "fabric",
        "warning",
        tr("Nodes on no cable and in no row of any fabric, where other nodes have a network."),
        tr("multi-node jobs need a network"),
        _unlinked,
    ),
    Rule(
        "port-type",
        tr("Wrong port type"),
        "fabric",
        "error",
        tr(
            "Switches for scale-up or management networks in a fabric, and technologies "
            "that its switches do not support."
        ),
        tr("technology of the parts"),
        _port_types,
    ),
    Rule(
        "port-speed",
        tr("Port or cable too slow"),
        "fabric",
        "warning",
        tr("Speed of ports against their NICs, and of cables against their ports."),
        tr("bandwidth of the parts"),
        _speeds,
    ),
    Rule(
        "cable-reach",
        tr("Cable too long"),
        "fabric",
        "error",
        tr("Length of each cable along the trays, against the reach of its part."),
        tr("reach of the part"),
        _reach,
    ),
    Rule(
        "rail-match",
        tr("Cable to the wrong rail"),
        "fabric",
        "warning",
        tr("Number of each NIC, against the rail of its leaf."),
        tr("NVIDIA DGX SuperPOD reference architecture: rail-optimised, NIC n on leaf n"),
        _rails,
    ),
    Rule(
        "oversubscription",
        tr("Oversubscribed uplinks"),
        "fabric",
        "warning",
        tr("Downlink over uplink bandwidth of every leaf and spine, against oversubscription of the fabric."),
        tr("the scene itself"),
        _oversubscribed,
    ),
    Rule(
        "routing-idle",
        tr("Routing without effect"),
        "fabric",
        "notice",
        tr("Routing set for a ring or torus, where it changes nothing."),
        tr("the scene itself"),
        _routing,
    ),
)
