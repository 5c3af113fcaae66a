"""Every cable of the scale-out fabrics with the ports of its ends, each port once.

A run joins two ports. A cable of a type that is faster than the ports it joins carries several runs: it fans out from
one port of a switch to several devices in one other rack. As many runs share a cable as fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Ints32, Ints64
from twin.catalog import Catalog
from twin.economics.it_lines import runs_per_cable
from twin.plant.links import LinkKind, Links, links_of
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class CablePlan:
    """All runs, in the order of their cables; arrays of shape (runs,).

    Parameters
    ----------
    links
        Of the plant.
    link
        Link of each run.
    cable
        Number of its cable, from 0, within its fabric.
    leg
        Which run of that cable, from 0.
    legs
        How many runs its cable carries.
    a_port, b_port
        Ports of its ends, from 0: of a switch counted after splitting, of a node its network card.
    a_plane, b_plane
        Which port of the card of a node, -1 where it has one.
    """

    links: Links
    link: Ints64
    cable: Ints64
    leg: Ints64
    legs: Ints64
    a_port: Ints64
    b_port: Ints64
    a_plane: Ints64
    b_plane: Ints64

    def __len__(self) -> int:
        return len(self.link)


def cable_plan(scenario: Scenario, plant: Plant, catalog: Catalog) -> CablePlan:
    """Return the runs of all fabrics, and the ports that they take.

    Ports of a switch are given out from the first: cables that fan out of it whole, then the others, in each case those
    to nodes before those to other switches.
    """
    links = links_of(plant)
    link = np.repeat(np.arange(len(links)), links.cables)
    link = link[_stands(plant, links)[link]]
    link = link[np.lexsort((link, links.fans_from[link], links.bundle[link], links.fabric[link]))]
    of_nodes = links.kind[link] == LinkKind.NODE
    same_ends = _starts(links.bundle[link], links.fans_from[link])
    fabric = links.fabric[link]
    leg = _place_in_group(same_ends) % runs_per_cable(scenario, plant, catalog)[fabric]
    number = np.cumsum(leg == 0) - 1
    legs = np.bincount(number)[number]
    cable = _sums_before((leg == 0).astype(np.int64), _starts(fabric)) - (leg > 0)
    a_port, b_port = _switch_ports(links, link, number, legs)
    a_plane = np.full(len(link), -1)
    b_plane = a_plane.copy()
    a_port[of_nodes] = plant.node_links.nic[link[of_nodes]]
    a_plane[of_nodes] = _planes(plant)[link[of_nodes]]
    _take_cards(links, link, a_port, b_port)
    return CablePlan(links, link, cable, leg, legs, a_port, b_port, a_plane, b_plane)


def split_of(plant: Plant, catalog: Catalog, switch: int) -> int:
    """Return into how many ports each fast port of a switch is split."""
    return max(1, int(plant.switches.ports[switch]) // catalog.switch(plant.switches.part[switch]).ports)


def _stands(plant: Plant, links: Links) -> Bools:
    """Return which links have both ends in the hall."""
    nodes, switches = np.append(plant.nodes.present, True), np.append(plant.switches.present, True)
    first = nodes[links.node_a] & switches[np.where(links.kind == LinkKind.SWITCH, links.a, -1)]
    second = nodes[links.node_b] & switches[np.where(links.kind == LinkKind.PEER, -1, links.b)]
    stands: Bools = first & second
    return stands


def _planes(plant: Plant) -> Ints64:
    """Return the port of the card of each node link, -1 where cards have one."""
    down = plant.node_links
    dual = np.zeros(len(plant.fabrics) + 1, bool)
    dual[down.fabric[down.plane > 0]] = True
    return np.where(dual[down.fabric], down.plane, -1).astype(np.int64)


def _switch_ports(links: Links, link: Ints64, cable: Ints64, legs: Ints64) -> tuple[Ints64, Ints64]:
    """Return the ports at those ends of runs that are switches, 0 elsewhere.

    Whole cables come first, so that the legs of each leave one fast port; what is left of others shares fast ports.
    """
    runs = np.arange(len(link))
    lower, upper = links.kind[link] == LinkKind.SWITCH, links.kind[link] != LinkKind.PEER
    end = np.concatenate([runs[lower], len(link) + runs[upper]])
    switch = np.concatenate([links.a[link[lower]], links.b[link[upper]]]).astype(np.int64)
    run = end % max(1, len(link))
    together = np.where(switch == links.fans_from[link[run]], legs[run], 1)
    together[(links.kind[link[run]] == LinkKind.SWITCH) & (end >= len(link))] = 1
    order = np.lexsort((end, cable[run], links.kind[link[run]], -together, switch))
    found = np.zeros(2 * len(link), np.int64)
    found[end[order]] = _place_in_group(_starts(switch[order]))
    return found[: len(link)], found[len(link) :]


def _take_cards(links: Links, link: Ints64, a_port: Ints64, b_port: Ints64) -> None:
    """Give the ends of cables between two nodes a card of each node, one after the other."""
    peers = np.flatnonzero(links.kind[link] == LinkKind.PEER)
    node = np.concatenate([links.a[link[peers]], links.b[link[peers]]])
    order = np.lexsort((np.arange(len(node)), node))
    card = np.empty(len(node), np.int64)
    card[order] = _place_in_group(_starts(node[order]))
    a_port[peers], b_port[peers] = card[: len(peers)], card[len(peers) :]


def _starts(*columns: Ints32 | Ints64) -> Bools:
    """Return where a row of sorted columns differs from the one before."""
    starts = np.ones(len(columns[0]), bool)
    if len(starts):
        starts[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return starts


def _place_in_group(starts: Bools) -> Ints64:
    """Return the place of each row within its group, from 0."""
    return _sums_before(np.ones(len(starts), np.int64), starts)


def _sums_before(values: Ints64, starts: Bools) -> Ints64:
    """Return the sum of the values before each row within its group."""
    before = np.cumsum(values) - values
    sums: Ints64 = before - before[starts][np.cumsum(starts) - 1]
    return sums
