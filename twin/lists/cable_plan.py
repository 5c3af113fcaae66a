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

    Ports of a switch are given out from the first: cables to nodes, then those to other switches, each cable at a port
    of its own where there are enough.
    """
    links = links_of(plant)
    link = np.repeat(np.arange(len(links)), links.cables)
    link = link[_stands(plant, links)[link]]
    link = link[np.lexsort((link, links.fans_from[link], links.bundle[link], links.fabric[link]))]
    of_nodes = links.kind[link] == LinkKind.NODE
    same_ends = _starts(links.bundle[link], links.fans_from[link])
    cable_runs = runs_per_cable(scenario, plant, catalog)[links.fabric[link]]
    within = _place_in_group(same_ends)
    leg = within % cable_runs
    first_leg = leg == 0
    number = np.cumsum(first_leg) - 1
    legs = np.bincount(number, minlength=1)[number] if len(link) else number
    fabric = links.fabric[link]
    before = np.searchsorted(fabric, np.arange(len(plant.fabrics)))
    cable = number - number[np.minimum(before, max(0, len(number) - 1))][fabric] if len(link) else number
    a_port, b_port = _switch_ports(plant, catalog, links, link, number)
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


def _switch_ports(
    plant: Plant, catalog: Catalog, links: Links, link: Ints64, cable: Ints64
) -> tuple[Ints64, Ints64]:
    """Return the ports at those ends of runs that are switches, 0 elsewhere."""
    runs = np.arange(len(link))
    lower, upper = links.kind[link] == LinkKind.SWITCH, links.kind[link] != LinkKind.PEER
    end = np.concatenate([runs[lower], len(link) + runs[upper]])
    switch = np.concatenate([links.a[link[lower]], links.b[link[upper]]]).astype(np.int64)
    run = end % max(1, len(link))
    order = np.lexsort((end, cable[run], links.kind[link[run]], switch))
    switch, end, run = switch[order], end[order], run[order]
    split = np.array([split_of(plant, catalog, slot) for slot in range(len(plant.switches.ids))] or [1])
    port = _place_in_group(_starts(switch))
    of_cable = _starts(switch, cable[run])
    count = np.bincount(np.cumsum(of_cable) - 1, minlength=1)
    taken = -(-count // split[switch[of_cable]]) * split[switch[of_cable]] if len(switch) else count
    at_switch = switch[of_cable]
    ends = np.cumsum(taken)
    begins = ends - taken
    first_of_switch = begins[_starts(at_switch)] if len(switch) else begins
    begins = begins - first_of_switch[np.cumsum(_starts(at_switch)) - 1] if len(switch) else begins
    whole = (
        np.bincount(at_switch, taken, minlength=len(split))
        <= np.append(plant.switches.ports, 0)[: len(split)]
    )
    if len(switch):
        aligned = begins[np.cumsum(of_cable) - 1] + _place_in_group(of_cable)
        port = np.where(whole[switch], aligned, port)
    found = np.zeros(2 * len(link), np.int64)
    found[end] = port
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
    place = np.arange(len(starts))
    result: Ints64 = place - np.maximum.accumulate(np.where(starts, place, 0)) if len(starts) else place
    return result
