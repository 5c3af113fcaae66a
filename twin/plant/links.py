"""Every cable run of the scale-out fabrics under one number: node links, then switch links, then peer links.

A directed link is 2 * link + direction: 0 from node to switch, lower to upper switch, a to b; 1 back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.plant.find import find
from twin.plant.tables import Plant


class LinkKind(IntEnum):
    """Kinds of links by their ends."""

    NODE = 0  # a network card of a node to a switch
    SWITCH = 1
    PEER = 2  # two nodes


@dataclass(frozen=True)
class Links:
    """All links of a plant; ends are node slots or switch slots, by kind.

    Parameters
    ----------
    kind
        LinkKind of each.
    fabric
        Fabric of each.
    bundle
        Bundle it is drawn with.
    a, b
        Ends: node and switch, lower and upper switch, node and node.
    cables
        How many run side by side.
    bytes_s
        All of them, one direction [B/s].
    """

    kind: Ints32
    fabric: Ints32
    bundle: Ints32
    a: Ints32
    b: Ints32
    cables: Ints32
    bytes_s: Floats
    nodes: int
    switches: int

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def node_a(self) -> Ints32:
        """Node slot at the first end, -1 a switch."""
        return np.where(self.kind == LinkKind.SWITCH, -1, self.a).astype(np.int32)

    @cached_property
    def node_b(self) -> Ints32:
        """Node slot at the second end, -1 a switch."""
        return np.where(self.kind == LinkKind.PEER, self.b, -1).astype(np.int32)

    @cached_property
    def vertex(self) -> tuple[Ints32, Ints32]:
        """Both ends as one number: switches first, then nodes behind them."""
        first = np.where(self.node_a >= 0, self.switches + self.a, self.a)
        second = np.where(self.node_b >= 0, self.switches + self.b, self.b)
        return first.astype(np.int32), second.astype(np.int32)

    @cached_property
    def fans_from(self) -> Ints32:
        """Switch, or node, at the end from which a cable that carries several runs fans out: the lower switch."""
        return np.where(self.kind == LinkKind.NODE, self.b, self.a).astype(np.int32)

    def cables_in_bundles(self, runs_per_cable: Ints32) -> Ints32:
        """Return how many cables each bundle has when one carries several runs out of one switch into one rack.

        Parameters
        ----------
        runs_per_cable
            Of each link: 2 where a cable is twice as fast as the ports it joins.
        """
        ends = np.stack([self.bundle, self.fans_from])
        groups, first, group = np.unique(ends, axis=1, return_index=True, return_inverse=True)
        runs = np.bincount(group.ravel(), self.cables, minlength=groups.shape[1])
        whole = np.ceil(runs / runs_per_cable[first] - 1e-9)
        return np.bincount(groups[0], whole).astype(np.int32)

    def of_switches(self, switches: Bools) -> Bools:
        """Return which links have an end at one of the marked switches."""
        marked = np.append(switches, False)  # index -1: no switch
        first = marked[np.where(self.kind == LinkKind.SWITCH, self.a, -1)]
        result: Bools = first | marked[np.where(self.kind == LinkKind.PEER, -1, self.b)]
        return result


def links_of(plant: Plant) -> Links:
    """Return the links of a plant in the order of their numbers."""
    down, up, peer = plant.node_links, plant.switch_links, plant.peer_links
    kinds = [np.full(len(table), kind) for kind, table in enumerate((down.node, up.lower, peer.a))]

    def joined(*columns: Ints32) -> Ints32:
        return np.concatenate(columns).astype(np.int32)

    return Links(
        kind=joined(*kinds),
        fabric=joined(down.fabric, up.fabric, peer.fabric),
        bundle=plant.bundles.of_link.astype(np.int32),
        a=joined(down.node, up.lower, peer.a),
        b=joined(down.leaf, up.upper, peer.b),
        cables=joined(np.ones(len(down.node), np.int32), up.cables, peer.cables),
        bytes_s=np.concatenate([down.bytes_s, up.bytes_s, peer.bytes_s]).astype(np.float64),
        nodes=len(plant.nodes.ids),
        switches=len(plant.switches.ids),
    )


def link_id(plant: Plant, link: int) -> str:
    """Return the id of a link: "gpu/0/1/2~3" for card 3 of a node, "~3.1" for its second cable, else both ends.

    The id of a node link names node and card, that of another one its two ends: "ib/0/2~ib/1/0".
    """
    down, up, peer = plant.node_links, plant.switch_links, plant.peer_links
    if link < len(down.node):
        node = int(down.node[link])
        plane = f".{int(down.plane[link])}" if _dual_homed(plant, link) else ""
        fabric = "" if _first_fabric(plant, link) else f"@{plant.fabrics[int(down.fabric[link])]}"
        return f"{plant.nodes.ids[node]}~{int(down.nic[link])}{plane}{fabric}"
    link -= len(down.node)
    if link < len(up.lower):
        return f"{plant.switches.ids[int(up.lower[link])]}~{plant.switches.ids[int(up.upper[link])]}"
    link -= len(up.lower)
    return f"{plant.nodes.ids[int(peer.a[link])]}~{plant.nodes.ids[int(peer.b[link])]}"


def card_cable_ids(plant: Plant) -> list[str]:
    """Return the ids of the cables of all network cards, as `link_id` gives them one by one."""
    down = plant.node_links
    if not len(down.node):
        return []
    card = down.node.astype(np.int64) * (int(down.nic.max()) + 1) + down.nic
    _, on_card = np.unique(card, return_inverse=True)
    first = np.full(int(on_card.max()) + 1, len(plant.fabrics))
    np.minimum.at(first, on_card, down.fabric)
    on_fabric = on_card * len(plant.fabrics) + down.fabric
    dual = (np.bincount(on_fabric)[on_fabric] > 1).tolist()
    others = (down.fabric != first[on_card]).tolist()
    rows = zip(down.node.tolist(), down.nic.tolist(), down.plane.tolist(), down.fabric.tolist(), strict=True)
    return [
        f"{plant.nodes.ids[node]}~{nic}"
        + (f".{plane}" if has_two else "")
        + (f"@{plant.fabrics[fabric]}" if elsewhere else "")
        for (node, nic, plane, fabric), has_two, elsewhere in zip(rows, dual, others, strict=True)
    ]


def _cables_of_card(plant: Plant, link: int) -> Ints32:
    """Return the node links of the same card and node, of all fabrics."""
    down = plant.node_links
    of_card = (down.node == down.node[link]) & (down.nic == down.nic[link])
    return np.flatnonzero(of_card).astype(np.int32)


def _dual_homed(plant: Plant, link: int) -> bool:
    card = _cables_of_card(plant, link)
    fabric = plant.node_links.fabric
    return int((fabric[card] == fabric[link]).sum()) > 1


def _first_fabric(plant: Plant, link: int) -> bool:
    fabric = plant.node_links.fabric
    return bool(fabric[link] == fabric[_cables_of_card(plant, link)].min())


def find_link(plant: Plant, id: str) -> int | None:
    """Return the number of the link with this id, None when there is none; ends may come in either order.

    Examples
    --------
    ``find_link(plant, "gpu/0/1/2~3")`` is the cable of card 3 of node gpu/0/1/2.
    """
    first, tilde, second = id.partition("~")
    if not tilde:
        return None
    down, up, peer = plant.node_links, plant.switch_links, plant.peer_links
    ends = [plant.slots.get(end) for end in (first, second)]
    if ends[0] is None:
        return None
    kind, slot = ends[0]
    if ends[1] is None:
        if kind != "node":
            return None
        of_node = np.flatnonzero(down.node == slot)
        return next((int(k) for k in of_node if link_id(plant, int(k)) == id), None)
    other_kind, other_slot = ends[1]
    if kind == other_kind == "switch":
        hit = ((up.lower == slot) & (up.upper == other_slot)) | (
            (up.lower == other_slot) & (up.upper == slot)
        )
        first_number = len(down.node)
    elif kind == other_kind == "node":
        hit = ((peer.a == slot) & (peer.b == other_slot)) | ((peer.a == other_slot) & (peer.b == slot))
        first_number = len(down.node) + len(up.lower)
    else:
        return None
    found = np.flatnonzero(hit)
    return first_number + int(found[0]) if len(found) else None


def describe_link(plant: Plant, link: int) -> str:
    """Return one line for people, such as "card 3 of node gpu/0/1/2 to leaf ib/0/3, 400 Gb/s"."""
    links = links_of(plant)
    cables, gbit = int(links.cables[link]), float(links.bytes_s[link]) * 8e-9
    speed = f"{gbit:,.0f} Gb/s" if cables == 1 else f"{cables} cables, {gbit:,.0f} Gb/s"
    a, b = int(links.a[link]), int(links.b[link])
    if links.kind[link] == LinkKind.NODE:
        card = int(plant.node_links.nic[link])
        return f"NIC {card} of node {plant.nodes.ids[a]} to {plant.switches.ids[b]}, {speed}"
    ids = plant.switches.ids if links.kind[link] == LinkKind.SWITCH else plant.nodes.ids
    return f"{ids[a]} to {ids[b]}, {speed}"


def stands(plant: Plant, target: str) -> bool:
    """Return whether the target of a fault or intervention is present: a component, a link, or the site."""
    return (
        target in ("site", "all") or find(plant, target) is not None or find_link(plant, target) is not None
    )
