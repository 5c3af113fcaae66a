"""How large a fabric is: units, switches of each tier, ports taken of each, for a number of nodes.

Whole numbers only; `twin.plant.fabric` lays the cables. An impossible fabric is a `Misfit`, which names the key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from twin.catalog import Catalog, NodePart
from twin.scenario.schema.systems import Fabric, SwitchTier

UNIT_NODES = 32
"""Nodes of a scalable unit where the fabric does not say it: that of a DGX SuperPOD."""


class Misfit(ValueError):
    """A fabric cannot be built as specified.

    Parameters
    ----------
    key
        Below the fabric, such as ``leaf.count``.
    reason
        What is wrong with it.
    hint
        What would be right; "" when the reason says it.
    """

    def __init__(self, key: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{key} {reason}" + (f"; {hint}" if hint else ""))
        self.key, self.reason, self.hint = key, reason, hint


@dataclass(frozen=True)
class Ports:
    """A switch part with its ports split to the speed of the cables: 64 x 800 Gb/s are 128 x 400 Gb/s."""

    part: str
    height_u: int
    count: int
    bytes_s: float


@dataclass(frozen=True)
class Size:
    """Switches and ports of one fabric; zero where it has none of a tier.

    Attributes
    ----------
    unit_nodes, units
        Nodes of one scalable unit, pod or group, and how many of those there are.
    leaves, spines
        Of each unit; `spines` of the whole fabric where they join units directly (see `shared_spines`).
    down, up
        Ports of a leaf to its nodes (at most) and to the spines.
    spine_up
        Ports of a spine to the cores, or to spines of other groups.
    cores
        Of the whole fabric.
    pair_cables
        Cables between each two groups of a dragonfly.
    dims
        Nodes along each axis of a torus or ring.
    """

    unit_nodes: int
    units: int
    leaf: Ports | None = None
    spine: Ports | None = None
    core: Ports | None = None
    leaves: int = 0
    down: int = 0
    up: int = 0
    spines: int = 0
    spine_groups: int = 1
    spine_up: int = 0
    cores: int = 0
    pair_cables: int = 0
    dims: tuple[int, ...] = ()


def cards_of(part: NodePart, catalog: Catalog) -> tuple[int, float]:
    """Return how many scale-out network cards a node has, and the bandwidth of one [B/s]."""
    groups = [group for group in part.nics if group.use != "storage"]
    speeds = [catalog.nic(group.part).bandwidth_bytes_s for group in groups]
    return sum(group.count for group in groups), max(speeds, default=0.0)


def ports_of(catalog: Catalog, part: str, cable_bytes_s: float) -> Ports:
    """Return the ports of a switch part for cables of a speed; raises UnknownPart."""
    switch = catalog.switch(part)
    speed = switch.port_bandwidth_bytes_s
    split = max(1, math.floor(speed / cable_bytes_s + 1e-9)) if cable_bytes_s > 0 else 1
    return Ports(part, max(1, round(switch.height_u)), switch.ports * split, speed / split)


def down_ports(ports: int, oversubscription: float) -> int:
    """Return how many ports of a leaf go down when down over up may not exceed the oversubscription.

    >>> down_ports(64, 1.0), down_ports(64, 3.0), down_ports(64, 1.5)
    (32, 48, 38)
    """
    return max(1, math.floor(ports * oversubscription / (1.0 + oversubscription) + 1e-9))


def even_spines(cables: int, ports: int, uplinks: int) -> int:
    """Return the fewest spines with ports for all cables, or up to a third more for up-links that divide evenly.

    >>> [even_spines(256 * units, 64, 32) for units in (1, 2, 3, 4)]
    [4, 8, 16, 16]
    """
    needed = max(1, math.ceil(cables / ports))
    return next((n for n in range(needed, needed * 4 // 3 + 1) if uplinks % n == 0), needed)


def most_cubic(nodes: int, axes: int) -> tuple[int, ...]:
    """Return the lengths of the axes of a box of `nodes` nodes, as alike as whole numbers allow, longest first.

    >>> most_cubic(64, 3), most_cubic(128, 3), most_cubic(12, 2), most_cubic(7, 2)
    ((4, 4, 4), (8, 4, 4), (4, 3), (7, 1))
    """
    if axes == 1:
        return (nodes,)
    boxes = []
    for first in (n for n in range(1, nodes + 1) if nodes % n == 0):
        rest = most_cubic(nodes // first, axes - 1)
        boxes.append(tuple(sorted((first, *rest), reverse=True)))
    return min(boxes, key=lambda box: (sum(box), box))


def size_of(fabric: Fabric, catalog: Catalog, nodes: int, cards: int, card_bytes_s: float) -> Size:
    """Return the size of a fabric.

    Parameters
    ----------
    fabric
        What is to be built.
    catalog
        Of the switch parts.
    nodes
        How many it connects.
    cards
        Network cards of the node with most.
    card_bytes_s
        Bandwidth of the fastest card [B/s].

    Raises
    ------
    Misfit
        When ports, switches or nodes do not fit.
    UnknownPart
        When the catalogue lacks a part.
    """
    _check_keys(fabric)
    if fabric.kind in ("torus", "ring"):
        return _torus(fabric, nodes, cards)
    cable_bytes_s = card_bytes_s / fabric.homes
    leaf = ports_of(catalog, fabric.leaf.part, cable_bytes_s) if fabric.leaf else None
    above_bytes_s = leaf.bytes_s if leaf else cable_bytes_s
    tiers = Size(
        unit_nodes=max(1, nodes),
        units=1 if nodes else 0,
        leaf=leaf,
        spine=ports_of(catalog, fabric.spine.part, above_bytes_s) if fabric.spine else None,
        core=ports_of(catalog, fabric.core.part, above_bytes_s) if fabric.core else None,
    )
    if fabric.kind == "explicit":
        leaves, spines, cores = _counts(fabric)
        return replace(tiers, leaves=leaves, spines=spines, cores=cores)
    if not nodes:
        return tiers
    if fabric.kind == "single-switch":
        return _single(fabric, tiers, nodes, cards)
    size = _leaves(fabric, tiers, nodes, cards)
    if fabric.kind == "fat-tree":
        return _fat_tree(fabric, size, nodes)
    if fabric.kind == "dragonfly-plus":
        return _dragonfly(fabric, size)
    return _spines(fabric, size, cards)


def _counts(fabric: Fabric) -> tuple[int, int, int]:
    """Return the switches that each tier specifies."""
    leaf, spine, core = (tier.count or 0 if tier else 0 for tier in (fabric.leaf, fabric.spine, fabric.core))
    return leaf, spine, core


_TIERS = {
    "single-switch": ("leaf",),
    "leaf-spine": ("leaf", "spine"),
    "rail-optimised": ("leaf", "spine"),
    "rail-only": ("leaf", "spine"),
    "fat-tree": ("leaf", "spine", "core"),
    "dragonfly-plus": ("leaf", "spine"),
    "torus": (),
    "ring": (),
    "explicit": ("leaf", "spine", "core"),
}
_NEEDED = {"fat-tree": ("leaf", "spine", "core"), "dragonfly-plus": ("leaf", "spine"), "explicit": ()}


def _check_keys(fabric: Fabric) -> None:
    """Raise `Misfit` for keys that this topology needs or has no use for."""
    named = f"a {fabric.kind.replace('-', ' ')}"
    for name in ("leaf", "spine", "core"):
        tier = getattr(fabric, name)
        if tier is not None and name not in _TIERS[fabric.kind]:
            # A spine beside a single switch has always been read over: lower tiers may stay while one tries kinds.
            if (fabric.kind, name) == ("single-switch", "spine"):
                continue
            known = ", ".join(_TIERS[fabric.kind]) or "none: nodes are joined to one another"
            raise Misfit(name, f"is not a tier of {named}", f"its tiers are {known}")
    for name in _NEEDED.get(fabric.kind, _TIERS[fabric.kind][:1]):
        _needed(fabric, name)
    if fabric.dims and fabric.kind != "torus":
        raise Misfit("dims", f"does not apply to {named}", "only a torus has dims")
    if fabric.links and fabric.kind != "explicit":
        raise Misfit("links", f"is not accepted by {named}", "use kind: explicit, or remove the links")
    if fabric.kind == "explicit" and not fabric.links and not any(_counts(fabric)):
        raise Misfit("links", "is empty", "an explicit fabric has only the cables it lists")
    if fabric.homes > 1 and fabric.kind in ("torus", "ring"):
        raise Misfit("homes", f"does not fit {named}: its NICs connect to no leaf", "homes: 1")
    if fabric.technology is None and fabric.leaf is None:
        raise Misfit("technology", "is missing, and no switch gives it", "name one, such as InfiniBand-NDR")


def _needed(fabric: Fabric, name: str) -> SwitchTier:
    tier: SwitchTier | None = getattr(fabric, name)
    if tier is None:
        named = fabric.kind.replace("-", " ")
        raise Misfit(name, f"is missing, and a {named} needs it", f"write {name}: {{part: QM9700}}")
    return tier


def _torus(fabric: Fabric, nodes: int, cards: int) -> Size:
    if fabric.kind == "ring":
        dims: tuple[int, ...] = (nodes,)
    elif fabric.dims:
        dims = fabric.dims
        product = math.prod(dims)
        if product != nodes:
            product_text = " x ".join(map(str, dims))
            right = ", ".join(map(str, most_cubic(nodes, len(dims)))) if nodes else ""
            raise Misfit(
                "dims",
                f"makes {product_text} = {product:,} places for {nodes:,} nodes",
                f"[{right}] would do" if nodes else "",
            )
    else:
        dims = most_cubic(nodes, max(1, min(3, cards // 2))) if nodes else ()
    axes = sum(length > 1 for length in dims)
    if cards < 2 * axes:
        key = "dims" if fabric.dims else "kind"
        most = cards // 2
        hint = f"at most {most} axes longer than 1" if most else "its nodes need two NICs"
        raise Misfit(key, f"needs {2 * axes} NICs a node, two an axis; a node has {cards}", hint)
    return Size(unit_nodes=fabric.unit_nodes or UNIT_NODES, units=1 if nodes else 0, dims=dims)


def _single(fabric: Fabric, size: Size, nodes: int, cards: int) -> Size:
    """Return one switch, or as many as the ports need, each taking whole rails."""
    leaf, tier = _leaf(size), _needed(fabric, "leaf")
    _two_leaves(fabric, 1)
    given = tier.count // fabric.homes if tier.count is not None else None
    if tier.count is not None and tier.count % fabric.homes:
        raise Misfit("leaf.count", "leaves one cable of a dual-homed NIC without a switch", "an even number")
    each = given or next(
        (n for n in range(1, cards + 1) if math.ceil(cards / n) * nodes <= leaf.count), cards
    )
    down = math.ceil(cards / each) * nodes if each <= cards else math.ceil(cards * nodes / each)
    if down > leaf.count:
        key = "leaf.count" if given else "leaf.part"
        raise Misfit(key, _too_few(down, leaf), "more switches, or kind: leaf-spine with a spine")
    return replace(size, leaves=each * fabric.homes, down=down)


def _leaves(fabric: Fabric, size: Size, nodes: int, cards: int) -> Size:
    """Return units, and the leaves of each with their ports down and up."""
    leaf = _leaf(size)
    tier = _needed(fabric, "leaf")
    unit_nodes = _unit_nodes(fabric, size, nodes, cards)
    units = math.ceil(nodes / unit_nodes)
    within = min(unit_nodes, nodes)
    # A fabric of one unit without spines has no port to keep for cables up.
    most = leaf.count if fabric.spine is None else down_ports(leaf.count, fabric.oversubscription)
    by_rail = fabric.kind in ("rail-optimised", "rail-only")
    sets = fabric.homes * (cards if by_rail else 1)  # leaves come in so many equal sets
    ports = within if by_rail else within * cards  # that one set serves
    needed = math.ceil(ports / most)
    _two_leaves(fabric, units)
    if tier.count is not None:
        share = math.ceil(tier.count / units)
        split = max(1, share // sets) if by_rail else max(1, math.ceil(share / sets))
    else:
        split = max(1, needed)
    down = math.ceil(ports / split)
    if down > leaf.count:
        key = "leaf.count" if tier.count is not None else "unit_nodes"
        enough = math.ceil(ports / leaf.count) * sets * units
        raise Misfit(key, _too_few(down, leaf), f"use more leaves or smaller units: {enough} leaves would do")
    up = math.ceil(down / fabric.oversubscription) if fabric.spine else 0
    if down + up > leaf.count:
        reason = f"makes leaves with {down} ports down and {leaf.count - down} left to go up"
        hint = f"at oversubscription {fabric.oversubscription:g}, {needed * sets * units} leaves would do"
        raise Misfit("leaf.count", reason, hint)
    return replace(size, unit_nodes=unit_nodes, units=units, leaves=split * sets, down=down, up=up)


def _unit_nodes(fabric: Fabric, size: Size, nodes: int, cards: int) -> int:
    """Return the nodes of a unit, pod or group."""
    leaf = _leaf(size)
    if fabric.kind == "rail-only" and fabric.spine is None:
        if nodes > leaf.count:
            raise Misfit(
                "leaf.part",
                f"has {leaf.count} ports, and a rail has {nodes:,} cables",
                "add a spine: each rail then has its own",
            )
        if fabric.unit_nodes is not None and fabric.unit_nodes < nodes:
            reason = "creates units that are not connected: there is no spine"
            raise Misfit("unit_nodes", reason, "remove it, or add a spine: each rail then has its own")
        return nodes
    if fabric.unit_nodes is not None:
        return fabric.unit_nodes
    if fabric.kind != "fat-tree" or size.spine is None:
        return UNIT_NODES
    pod_ports = (size.spine.count // 2) * down_ports(leaf.count, fabric.oversubscription)
    each = pod_ports // (cards * fabric.homes)
    if not each:
        reason = f"makes pods of {pod_ports} ports, and one node has {cards * fabric.homes} cables"
        raise Misfit("spine.part", reason, "use switches with more ports")
    return each


def _spines(fabric: Fabric, size: Size, cards: int) -> Size:
    """Return the spines that join all leaves, or those of each rail."""
    if size.spine is None or fabric.spine is None or not size.up:
        return size
    leaves = size.leaves * size.units
    total, ports = leaves * size.up, size.spine.count
    by_rail = fabric.kind in ("rail-optimised", "rail-only")
    count = fabric.spine.count or even_spines(total, ports, size.up)
    own = fabric.kind == "rail-only" or (by_rail and cards > 1 and count > size.up and count >= cards)
    groups = cards if own else 1
    if fabric.spine.count is None:
        count = groups * even_spines(total // groups, ports, size.up)
    elif count < groups:
        raise Misfit("spine.count", f"is less than a spine for each of {groups} rails", f"at least {groups}")
    if math.ceil(total / groups / (count // groups)) > ports:
        enough = groups * math.ceil(total / groups / ports)
        reason = f"gives {count * ports:,} ports to {total:,} cables from the leaves"
        raise Misfit("spine.count", reason, f"at least {enough}, or a higher oversubscription")
    each = count // groups
    if leaves > groups and each >= 2 * size.up and each % size.up == 0:
        reason = f"makes {each} spines to join, and a leaf has {size.up} cables up: leaves form islands"
        hint = "kind: fat-tree has a third tier for so many nodes"
        raise Misfit("spine.count" if fabric.spine.count else "spine", reason, hint)
    return replace(size, spines=count, spine_groups=groups)


def _pod_spines(fabric: Fabric, size: Size) -> tuple[int, int]:
    """Return the spines of each unit, and the ports that each has taken by its leaves."""
    spine, tier = _spine(size), _needed(fabric, "spine")
    total = size.leaves * size.up
    if tier.count is None:
        count = even_spines(total, spine.count // 2, size.up) if total else 0
    elif tier.count % size.units:
        near = max(1, round(tier.count / size.units)) * size.units
        reason = f"does not divide evenly over {size.units} pods or groups"
        raise Misfit("spine.count", reason, f"{near} would do")
    else:
        count = tier.count // size.units
    down = math.ceil(total / count) if count else 0
    if down > spine.count:
        enough = math.ceil(total / spine.count) * size.units
        raise Misfit("spine.count", _too_few(down, spine, "leaves"), f"at least {enough}")
    if count > size.up and tier.count is not None:
        reason = (
            f"makes {count} spines a pod or group, and a leaf has {size.up} cables up: not all leaves connect"
        )
        raise Misfit("spine.count", reason, f"at most {size.up * size.units}")
    if count > size.up:
        most = size.unit_nodes * (spine.count // 2) // size.leaves
        reason = f"makes {size.leaves} leaves a pod or group, and {spine.part} joins {spine.count // 2}"
        raise Misfit("unit_nodes", reason, f"at most {most}")
    return count, down


def _fat_tree(fabric: Fabric, size: Size, nodes: int) -> Size:
    """Return pods of leaves and spines, joined by cores: spine i of every pod meets in group i of the cores.

    Fewer cores than full bisection needs leave each spine fewer cables up.
    """
    spine, core, tier = _spine(size), size.core, _needed(fabric, "core")
    assert core is not None
    spines, down = _pod_spines(fabric, size)
    if size.units == 1 and tier.count is None:
        return replace(size, spines=spines)
    up = min(down, spine.count - down)
    if spines and not up:
        reason = f"leaves the spines no port up: all {spine.count} go to leaves"
        raise Misfit("spine.count" if fabric.spine and fabric.spine.count else "unit_nodes", reason)
    if tier.count is None:
        each = even_spines(size.units * up, core.count, up) if up else 0
    elif not spines or tier.count % spines:
        near = max(1, round(tier.count / max(1, spines))) * spines
        reason = f"does not divide evenly over the {spines} spines of a pod"
        raise Misfit("core.count", reason, f"{near} would do")
    else:
        each = tier.count // spines
        up = min(up, each * core.count // size.units)
    if not up and spines:
        reason = f"has fewer ports than there are pods: {core.count} of each core for {size.units} pods"
        raise Misfit("core.count", reason, f"at least {math.ceil(size.units / core.count) * spines}")
    if each > up and tier.count is not None:
        reason = f"makes {each} cores for each spine of a pod, which has {up} cables up: not all pods connect"
        raise Misfit("core.count", reason, f"at most {spines * up}")
    if each > up:
        reason = f"makes {size.units} pods, and {core.part} joins {core.count}"
        raise Misfit("unit_nodes", reason, f"use larger pods: at least {math.ceil(nodes / core.count)} nodes")
    return replace(size, spines=spines, spine_up=up, cores=each * spines)


def _dragonfly(fabric: Fabric, size: Size) -> Size:
    """Return groups of leaves and spines; every two groups are joined by equally many cables of their spines."""
    spine = _spine(size)
    spines, down = _pod_spines(fabric, size)
    if size.units == 1:
        return replace(size, spines=spines)
    up = min(down, spine.count - down)
    pairs = spines * up // (size.units - 1)
    if not pairs:
        reason = f"has {spines * up} ports a group for cables to {size.units - 1} other groups"
        raise Misfit("spine", reason, "use more spines or larger groups (unit_nodes)")
    return replace(size, spines=spines, spine_up=up, pair_cables=pairs)


def _two_leaves(fabric: Fabric, units: int) -> None:
    tier = _needed(fabric, "leaf")
    if fabric.homes > 1 and tier.count is not None and tier.count < fabric.homes * units:
        many = "a NIC has" if units == 1 else f"in each of {units} units a NIC has"
        reason = f"is too few for homes: {fabric.homes}: {many} {fabric.homes} cables, to different leaves"
        raise Misfit("leaf.count", reason, f"at least {fabric.homes * units}")


def _too_few(ports: int, switch: Ports, ends: str = "nodes") -> str:
    subject = "a leaf" if ends == "nodes" else f"a switch above {ends}"
    return (
        f"is too few: {subject} would need {ports} ports to its {ends} and {switch.part} has {switch.count}"
    )


def _leaf(size: Size) -> Ports:
    assert size.leaf is not None
    return size.leaf


def _spine(size: Size) -> Ports:
    assert size.spine is not None
    return size.spine
