"""Which directed links the traffic between nodes takes through one fabric.

Minimal paths, split evenly over equal ones by their bandwidth. Switched fabrics are routed from leaf to leaf, by
classes of leaves that are alike; rings and tori go dimension by dimension, and round a fault by the shortest detour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.fabric.entry_rows import EntryRows, KeyNumbers
from twin.plant.fabric.leaf_routes import LeafRoutes
from twin.plant.links import LinkKind, Links
from twin.plant.paths import Graph, graph_of, shortest_paths
from twin.plant.tables import Plant
from twin.plant.torus_paths import axes_of, dimension_order

EVERY_CARD = -1
"""Network card of a flow that stands for one on each card of its node, to the like card of the other node."""


FEW_PAIRS = 65536
"""Pairs of ways nodes are cabled up to which flows are counted in a table of all pairs, else sorted."""

FEW_NODES = 4
"""A job with fewer flows than one in so many nodes of the hall is looked at by the nodes that it holds."""

FEW_LINKS = 8
"""A job of fewer entries than this part of all directed links costs its own links, not those of the fabric."""

MOST_WIDTHS = 20_000_000
"""Comparisons of classes of leaves that are worth knowing whether a fabric is roomy."""


@dataclass(frozen=True)
class Flows:
    """Traffic between nodes, by group of flows that move together; all arrays of one length.

    Parameters
    ----------
    group
        From 0; loads are kept apart by group.
    source, target
        Node slots, never the same.
    source_card, target_card
        Network cards, or EVERY_CARD for both.
    weight
        Flows on the card, or on each card.
    """

    group: Ints64
    source: Ints64
    target: Ints64
    source_card: Ints64
    target_card: Ints64
    weight: Floats

    def some(self, which: Ints64) -> Flows:
        """Return the flows at some places."""
        return Flows(*(getattr(self, field.name)[which] for field in fields(self)))


@dataclass(frozen=True)
class LinkLoads:
    """Load of flows on the links.

    Parameters
    ----------
    by_group
        Directed links between switches or between nodes that carry anything, and the flows on each, by group; the
        cables of cards are for `Router.card_load`.
    hops
        Mean switches (ring, torus: cables) on the way, shape (groups,).
    unreachable
        Flows that find no way, shape (groups,).
    """

    by_group: tuple[tuple[Ints64, Floats], ...]
    hops: Floats
    unreachable: Floats


class Router:
    """Routes of one fabric in one state of its links.

    Parameters
    ----------
    plant
        What stands in the halls.
    links
        Its links, from `links_of`.
    fabric
        Number of the fabric.
    bytes_s
        Bandwidth of each link now, 0 when it or a switch at its end is down [B/s].
    """

    def __init__(self, plant: Plant, links: Links, fabric: int, bytes_s: Floats) -> None:
        self.links, self.fabric, self.bytes_s = links, fabric, bytes_s
        of_fabric = links.fabric == fabric
        self.has_peers = bool((of_fabric & (links.kind == LinkKind.PEER)).any())
        down = plant.node_links
        self.cables = len(down.node)  # of all cards, of all fabrics
        if self.has_peers:
            self.cables = 0  # a mixed fabric may lead through them
        cables = np.flatnonzero(down.fabric == fabric)
        self.cards = int(down.nic[cables].max(initial=0)) + 1
        self.planes = int(down.plane[cables].max(initial=0)) + 1
        shape = (links.nodes, self.cards, self.planes)
        self.cable = np.full(shape, -1, np.int64)
        at = (down.node[cables], down.nic[cables], down.plane[cables])
        self.cable[at] = np.where(bytes_s[cables] > 0, cables, -1)
        if self.has_peers:
            self.cards = int(plant.nodes.nics[self._members(of_fabric)].max(initial=1))
        self.on_plane = self._plane_shares()
        leaf = np.where(self.cable >= 0, np.append(down.leaf, 0)[self.cable], -1).reshape(links.nodes, -1)
        self.leaves, self.attachment = self._attachments(leaf)
        self.place = np.arange(links.nodes, dtype=np.int64) if self.has_peers else self.attachment
        self._kinds = int(self.place.max(initial=0)) + 1
        self.graph = self._graph(of_fabric)
        self.start = np.stack(links.vertex, axis=1).reshape(-1).astype(np.int64)  # of each directed link
        self.is_leaf = np.zeros(len(self.graph.size), np.bool_)
        self.is_leaf[down.leaf[cables]] = True
        self.axes = axes_of(links, fabric, plant.peer_links.axis.astype(np.int64), links.bytes_s)
        self.between_leaves = None if self.has_peers else LeafRoutes(self.graph, self.is_leaf)
        self.island = (self.graph if self.between_leaves is None else self.between_leaves).island
        self._keys = KeyNumbers()  # of two attachments, or nodes of a ring or torus, and two cards
        self._routes = EntryRows()  # of each key: legs between leaves, or directed links
        self._hops = np.zeros(0)  # of each key, 0: no way
        self._slow: tuple[Floats, Floats] | None = None
        self._wides: dict[float, bool] = {}

    def _members(self, of_fabric: Bools) -> Ints64:
        ends = np.concatenate([self.links.node_a[of_fabric], self.links.node_b[of_fabric]])
        return np.unique(ends[ends >= 0]).astype(np.int64)

    def _plane_shares(self) -> Floats:
        """Return the share of each card's traffic on each of its cables: even over those that live."""
        alive = (self.cable >= 0).astype(np.float64)
        result: Floats = alive / np.maximum(alive.sum(axis=2, keepdims=True), 1.0)
        return result

    def _attachments(self, leaf: Ints64) -> tuple[Ints64, Ints64]:
        """Return the different ways nodes are cabled, shape (A, cards, planes), and the way of each node."""
        mixed = (leaf + 2) @ np.random.default_rng(1).integers(1, 2**40, leaf.shape[1])
        _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
        return leaf[first].reshape(len(first), -1, self.planes), which.astype(np.int64)

    def _graph(self, of_fabric: Bools) -> Graph:
        links = self.links
        inner = np.flatnonzero(of_fabric & ((links.kind != LinkKind.NODE) | self.has_peers))
        a, b = links.vertex
        vertices = links.switches + (links.nodes if self.has_peers else 0)
        return graph_of(
            vertices,
            a[inner].astype(np.int64),
            b[inner].astype(np.int64),
            inner.astype(np.int64),
            self.bytes_s[inner],
        )

    # --- loads

    def load(self, flows: Flows, groups: int) -> LinkLoads:
        """Return the load of `flows` on the links of the fabric behind the cards."""
        none = (np.zeros(0, np.int64), np.zeros(0))
        if not len(flows.group):
            return LinkLoads((none,) * groups, np.zeros(groups), np.zeros(groups))
        routes, weight = self._by_route(flows, groups)
        found = []
        for on in weight:
            used = np.flatnonzero(on)
            which, number, share = self._routes.entries(routes[used])
            if not len(number):
                found.append(none)
                continue
            found.append(self._loaded(number, share * on[used][which]))
        hops = self._hops[routes]
        known = hops > 0
        counted = np.maximum((weight * known).sum(axis=1), 1e-300)
        return LinkLoads(tuple(found), (weight * hops).sum(axis=1) / counted, (weight * ~known).sum(axis=1))

    def carried(self, flows: Flows, amount: Floats) -> Floats:
        """Return the load on the links behind the cards when a flow of weight 1 carries an amount, by group.

        Shape (2 * links,), in the unit of `amount`, shape (groups,).
        """
        if not len(flows.group):
            return np.zeros(2 * len(self.links))
        routes, weight = self._by_route(flows, len(amount))
        which, number, share = self._routes.entries(routes)
        behind = self._spread(number, share * (amount @ weight)[which])
        return np.concatenate([np.zeros(2 * self.cables), behind])

    def _spread(self, number: Ints64, amount: Floats) -> Floats:
        """Return the load of the directed links behind the cards from amounts on entries of routes."""
        dlink, on = self._on_links(number, amount)
        first = 2 * self.cables
        return np.bincount(dlink - first, on, 2 * len(self.links) - first).astype(np.float64, copy=False)

    def _loaded(self, number: Ints64, amount: Floats) -> tuple[Ints64, Floats]:
        """Return the directed links that carry anything of amounts on entries of routes, and how much."""
        dlink, on = self._on_links(number, amount)
        if len(dlink) * FEW_LINKS < 2 * len(self.links):
            dlink, where = np.unique(dlink, return_inverse=True)
            total = np.bincount(where, on, len(dlink))
        else:
            first, total = 2 * self.cables, np.bincount(dlink, on)
            carrying = np.flatnonzero(total[first:])
            carrying += first
            return carrying.astype(np.int64, copy=False), total[carrying].astype(np.float64, copy=False)
        carrying = np.flatnonzero(total)
        return dlink[carrying].astype(np.int64, copy=False), total[carrying].astype(np.float64, copy=False)

    def _on_links(self, number: Ints64, amount: Floats) -> tuple[Ints64, Floats]:
        """Return directed links and what they carry, entries to be summed, of amounts on entries of routes."""
        if self.between_leaves is None:
            return number, amount
        return self.between_leaves.load(np.bincount(number, amount).astype(np.float64, copy=False))

    def over(self, flows: Flows, marked: Bools) -> Floats:
        """Return the share of each flow that goes over marked links behind the cards, there and back, (flows, 2).

        Of a flow on each card it is the sum over the cards. `marked`: of each link.
        """
        keys, of_flow = np.unique(self._key(flows), return_inverse=True)
        which, number, share = self._routes.entries(self._routes_of(keys))
        numbers, place = np.unique(number, return_inverse=True)
        if self.between_leaves is not None:
            part = self.between_leaves.over(numbers, marked)
        else:
            part = marked[numbers // 2, None] * (numbers[:, None] % 2 == np.arange(2))
        columns = [np.bincount(which, share * part[place, way], len(keys)) for way in (0, 1)]
        return np.stack(columns, axis=1).astype(np.float64)[of_flow]

    def _by_route(self, flows: Flows, groups: int) -> tuple[Ints64, Floats]:
        """Return the routes flows take, each found once and kept, and the weight on each, shape (groups, routes)."""
        kinds, cards = self._kinds, self.cards + 1
        if kinds * kinds <= FEW_PAIRS and (flows.source_card == EVERY_CARD).all():
            pair = self.place[flows.source] * kinds + self.place[flows.target]
            weight = np.bincount(
                flows.group * (kinds * kinds) + pair, flows.weight, minlength=groups * kinds * kinds
            ).reshape(groups, -1)
            pairs = np.flatnonzero(weight.any(axis=0))
            keys, weight = pairs * cards * cards, weight[:, pairs]
        else:
            keys, which = np.unique(self._key(flows), return_inverse=True)
            weight = np.bincount(
                flows.group * len(keys) + which, flows.weight, minlength=groups * len(keys)
            ).reshape(groups, len(keys))
        return self._routes_of(keys), weight.astype(np.float64, copy=False)

    def _key(self, flows: Flows) -> Ints64:
        """Return the key of the route of each flow."""
        pair, cards = self.place[flows.source] * self._kinds + self.place[flows.target], self.cards + 1
        key: Ints64 = (pair * cards + flows.source_card + 1) * cards + flows.target_card + 1
        return key

    def _routes_of(self, keys: Ints64) -> Ints64:
        """Return the routes of keys; what is not known yet is found."""
        routes, new = self._keys.of(keys)
        if len(new):
            ends, cards = np.divmod(new, (self.cards + 1) ** 2)
            card_a, card_b = np.divmod(cards, self.cards + 1)
            self._find(ends // self._kinds, ends % self._kinds, card_a - 1, card_b - 1)
        return routes

    def roomy(self, nodes: Ints64, efficiency: float) -> bool:
        """Return whether no traffic of whole cards between `nodes` can meet a bottleneck or a missing path.

        So it is in two tiers when the cards of every leaf, at an efficiency, fit through the narrowest way to another
        leaf, and the like cards of all nodes reach one another. True is certain; False says to look closely.
        """
        if self.has_peers or not self._wide(efficiency):
            return False
        leaves = self.leaves[np.unique(self.attachment[nodes])]
        if (leaves < 0).any():
            return False
        island = self.island[leaves]
        return bool((island == island[:1, :, :1]).all())

    def _wide(self, efficiency: float) -> bool:
        if efficiency not in self._wides:
            self._wides[efficiency] = bool((self._offered() * efficiency <= self._narrowest()).all())
        return self._wides[efficiency]

    def _offered(self) -> Floats:
        """Return the bandwidth of all cables of cards at each leaf, shape (leaves,) [B/s]."""
        cable = self.cable[self.cable >= 0]
        brought = np.bincount(self.links.b[cable], self.bytes_s[cable], minlength=len(self.is_leaf))
        return brought[self.is_leaf].astype(np.float64)

    def _narrowest(self) -> Floats:
        """Return the least bandwidth of each leaf over one switch to another leaf of its island, (leaves,) [B/s]."""
        assert self.between_leaves is not None
        classes, leaves = self.between_leaves.classes, np.flatnonzero(self.is_leaf)
        graph, of = classes.graph, classes.of
        kinds, which, count = np.unique(of[leaves], return_inverse=True, return_counts=True)
        above = np.setdiff1d(of[~self.is_leaf], kinds)
        row, column = (np.full(len(graph.size), -1, np.int64) for _ in range(2))
        row[kinds], column[above] = np.arange(len(kinds)), np.arange(len(above))
        if len(kinds) ** 2 * len(above) > MOST_WIDTHS:
            return np.zeros(len(leaves))
        up = (row[graph.start] >= 0) & (column[graph.to] >= 0)
        at = row[graph.start[up]] * len(above) + column[graph.to[up]]
        bytes_s = (graph.bytes_s * graph.lines)[up]
        to = np.bincount(at, bytes_s, len(kinds) * len(above)).reshape(len(kinds), len(above))
        island, least = graph.island[kinds], np.full(len(kinds), np.inf)
        for k in range(len(kinds)):
            width = np.minimum(to, to[k]) @ graph.size[above].astype(np.float64)
            near = island == island[k]
            near[k] = count[k] > 1
            least[k] = width[near].min(initial=np.inf)
        narrowest: Floats = least[which]
        return narrowest

    def card_bytes_s(self, flows: Flows, groups: int) -> Floats:
        """Return the rate of a flow of weight one at the most loaded card, by group [B/s]; infinite without cards."""
        least = np.full(groups, np.inf)
        if self.has_peers:
            return least
        (slow, slowest), every = self._card_slowness(), flows.source_card == EVERY_CARD
        nodes, busiest = self.links.nodes, np.zeros(groups)
        for end, card in ((flows.source, flows.source_card), (flows.target, flows.target_card)):
            at, weight = flows.group * nodes + end, flows.weight
            if not every.all():
                key = (at * self.cards + card)[~every]
                keys, which = np.unique(key, return_inverse=True)
                taken_s = slow.reshape(-1)[keys % (nodes * self.cards)] * np.bincount(which, weight[~every])
                np.maximum.at(busiest, keys // (nodes * self.cards), taken_s)
                at, weight = at[every], weight[every]
            count, byte_s = nodes, slowest
            if len(at) * FEW_NODES < nodes:  # a small job in a large hall
                group, end = np.divmod(at, nodes)
                met, place = np.unique(end, return_inverse=True)
                count, byte_s, at = len(met), slowest[met], group * len(met) + place
            on = np.bincount(at, weight, minlength=groups * count).reshape(groups, count)
            with np.errstate(invalid="ignore"):  # no traffic over no cable
                np.fmax(busiest, np.fmax.reduce(on * byte_s, axis=1, initial=0.0), out=busiest)
        with np.errstate(divide="ignore"):
            least = np.where(busiest > 0, 1.0 / busiest, np.inf)
        return least

    def _card_slowness(self) -> tuple[Floats, Floats]:
        """Return the time of a byte over each card with traffic even over its cables, and of each node's slowest [s/B].

        Shapes (N, cards) and (N,).
        """
        if self._slow is None:
            bandwidth = np.where(self.cable >= 0, np.append(self.bytes_s, 0.0)[self.cable], np.inf)
            slow = (self.on_plane / bandwidth).max(axis=2)
            slow = np.where((self.cable >= 0).any(axis=2), slow, np.inf)
            self._slow = slow, slow.max(axis=1)
        return self._slow

    def card_load(self, flows: Flows, amount: Floats) -> Floats:
        """Return the load of flows of some `amount` each on the cables of cards, out of sources and into targets.

        Shape (2 * links,), in the unit of `amount`, shape (flows,).
        """
        nodes, every = self.links.nodes, flows.source_card == EVERY_CARD
        total = np.zeros(2 * len(self.links))
        if self.has_peers:
            return total
        for end, card, direction in (
            (flows.source, flows.source_card, 0),
            (flows.target, flows.target_card, 1),
        ):
            on_node = np.bincount(end[every], amount[every], minlength=nodes)
            at = end[~every] * self.cards + card[~every]
            on_card = np.bincount(at, amount[~every], minlength=nodes * self.cards)
            on = on_card.reshape(nodes, self.cards) + on_node[:, None]
            used = np.flatnonzero(on.any(axis=1))  # of flows that moved few nodes
            live = self.cable[used] >= 0
            total[2 * self.cable[used][live] + direction] = (on[used, :, None] * self.on_plane[used])[live]
        return total

    # --- routes

    def _find(self, a: Ints64, b: Ints64, card_a: Ints64, card_b: Ints64) -> None:
        """Find routes between attachments, or nodes of a ring or torus, and add them."""
        if self.between_leaves is None:
            pair, number, share, hops = self._between_nodes(a, b)
            # Every card of the node sends the same way.
            share = share * np.where(card_a == EVERY_CARD, self.cards, 1)[pair]
        else:
            pair, number, share, hops = self._between_attachments(self.between_leaves, a, b, card_a, card_b)
        span = int(number.max(initial=0)) + 1
        entries, where = np.unique(pair * span + number, return_inverse=True)
        shares = np.bincount(where, share, minlength=len(entries)).astype(np.float64)
        pair, number = np.divmod(entries, span)
        self._routes.add(np.bincount(pair, minlength=len(a)), number, shares)
        self._hops = np.concatenate([self._hops, hops])

    def _between_nodes(self, a: Ints64, b: Ints64) -> tuple[Ints64, Ints64, Floats, Floats]:
        count = len(a)
        pair, dlink = np.zeros(0, np.int64), np.zeros(0, np.int64)
        hops, broken = np.zeros(count), np.ones(count, np.bool_)
        if self.axes is not None:
            pair, dlink, steps, broken = dimension_order(self.axes, a, b, self.bytes_s)
            kept = ~broken[pair]
            pair, dlink, hops = pair[kept], dlink[kept], np.where(broken, 0.0, steps)
        share = np.ones(len(pair))
        again = np.flatnonzero(broken)
        if len(again):
            first = self.links.switches
            paths = shortest_paths(self.graph, first + a[again], first + b[again])
            pair = np.concatenate([pair, again[paths.pair]])
            dlink, share = np.concatenate([dlink, paths.dlink]), np.concatenate([share, paths.share])
            hops[again] = paths.hops
        return pair, dlink, share, hops

    def _between_attachments(
        self, leaves: LeafRoutes, a: Ints64, b: Ints64, card_a: Ints64, card_b: Ints64
    ) -> tuple[Ints64, Ints64, Floats, Floats]:
        """Return entries (key, leg, share) and mean hops between attachments, over all their cards."""
        every = card_a == EVERY_CARD
        cards = np.where(every, self.cards, 1)
        key = np.repeat(np.arange(len(a)), cards)
        within = np.arange(len(key)) - np.repeat(np.cumsum(cards) - cards, cards)
        from_card = np.where(every[key], within, card_a[key])
        to_card = np.where(every[key], within, card_b[key])
        from_card = self._own_rail(a[key], b[key], from_card, to_card)
        start, end = self.leaves[a[key], from_card], self.leaves[b[key], to_card]  # (cards, planes)
        plan = _plane_plan(start >= 0, end >= 0)
        flow, p, q = np.nonzero(plan > 0)
        leaf_a, leaf_b, part = start[flow, p], end[flow, q], plan[flow, p, q]
        reach = leaves.island[leaf_a] == leaves.island[leaf_b]
        flow, leaf_a, leaf_b, part = flow[reach], leaf_a[reach], leaf_b[reach], part[reach]
        reached = np.bincount(flow, part, minlength=len(key))
        part = part / reached[flow]
        apart = np.flatnonzero(leaf_a != leaf_b)
        legs, far = leaves.between(leaf_a[apart], leaf_b[apart])
        hops = np.ones(len(flow))
        hops[apart] += far
        entry, leg = np.nonzero(legs >= 0)
        mean = np.bincount(key[flow], hops * part, minlength=len(a)) / cards
        lost = np.zeros(len(a), np.bool_)
        lost[key[reached <= 0]] = True
        crossing = apart[entry]
        return key[flow[crossing]], legs[entry, leg], part[crossing], np.where(lost, 0.0, mean)

    def _own_rail(self, a: Ints64, b: Ints64, from_card: Ints64, to_card: Ints64) -> Ints64:
        """Return the cards to leave by: where rails are apart, data goes to the other card inside the node first."""
        crossing = from_card != to_card
        if not crossing.any():
            return from_card
        island = np.append(self.island, -1)
        start, end = island[self.leaves[a, from_card]], island[self.leaves[b, to_card]]
        met = (start[:, :, None] == end[:, None, :]) & (start >= 0)[:, :, None]
        return np.where(crossing & ~met.any(axis=(1, 2)), to_card, from_card)


def _plane_plan(start: Bools, end: Bools) -> Floats:
    """Return the share of a card's traffic from each of its cables to each of the other card's, shape (F, P, P).

    Both ends share evenly over their live cables; what can stay on its plane does.
    """
    out = start / np.maximum(start.sum(axis=1, keepdims=True), 1)
    into = end / np.maximum(end.sum(axis=1, keepdims=True), 1)
    same = np.minimum(out, into)
    out, into = out - same, into - same
    left = np.maximum(into.sum(axis=1), 1e-300)
    plan: Floats = out[:, :, None] * into[:, None, :] / left[:, None, None]
    plane = np.arange(start.shape[1])
    plan[:, plane, plane] += same
    return plan
