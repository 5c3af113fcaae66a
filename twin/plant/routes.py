"""Which directed links the traffic between nodes takes through one fabric.

Minimal paths, split evenly over equal ones by their bandwidth. Switched fabrics are routed from leaf to leaf and
remember each pair of leaves; rings and tori go dimension by dimension, and round a fault by the shortest detour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.links import LinkKind, Links
from twin.plant.paths import Graph, graph_of, shortest_paths
from twin.plant.tables import Plant
from twin.plant.torus_paths import axes_of, dimension_order

EVERY_CARD = -1
"""Network card of a flow that stands for one on each card of its node, to the like card of the other node."""


FEW_PAIRS = 65536
"""Pairs of ways nodes are cabled up to which flows are counted in a table of all pairs, else sorted."""

MOST_WIDTHS = 20_000_000
"""Comparisons of leaf with leaf that are worth knowing whether a fabric is roomy."""


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


@dataclass(frozen=True)
class _Route:
    """Links between two attachments: entries summed over the cards, and hops of a flow; no hops: no way."""

    dlink: Ints64
    share: Floats
    hops: float


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
        self.graph = self._graph(of_fabric)
        self.start = np.stack(links.vertex, axis=1).reshape(-1).astype(np.int64)  # of each directed link
        self.is_leaf = np.zeros(links.switches + links.nodes, np.bool_)
        self.is_leaf[down.leaf[cables]] = True
        self.axes = axes_of(links, fabric, plant.peer_links.axis.astype(np.int64), links.bytes_s)
        self._routes: dict[int, _Route] = {}
        self._list: tuple[Ints64, Ints64, Floats, Ints64] | None = None
        self._slow: Floats | None = None
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

    def adopt(self, sound: Router) -> None:
        """Take over the routes of a router of the same fabric that lead over no link with less left now.

        A link that no way of a pair leads over can be lost without any change to that pair. `sound` has at least as
        much on every link and cable as this one.
        """
        if self.has_peers or not sound._routes:
            return
        number = {ways.tobytes(): k for k, ways in enumerate(self.leaves)}
        now = np.array([number.get(ways.tobytes(), -1) for ways in sound.leaves], np.int64)
        keys, dlink, _, of = sound._listed()
        less = (self.bytes_s < sound.bytes_s)[dlink // 2]
        per_pair, before, kinds = sound._keys_per_pair, len(sound.leaves), len(self.leaves)
        pair, rest = np.divmod(keys, per_pair)
        a, b = now[pair // before], now[pair % before]
        kept = np.flatnonzero((np.bincount(of[less], minlength=len(keys)) == 0) & (a >= 0) & (b >= 0))
        adopted = ((a * kinds + b) * per_pair + rest)[kept].tolist()
        routes = list(sound._routes.values())
        self._routes.update((key, routes[k]) for key, k in zip(adopted, kept.tolist(), strict=True))

    @property
    def _keys_per_pair(self) -> int:
        return (self.cards + 1) ** 2

    def _listed(self) -> tuple[Ints64, Ints64, Floats, Ints64]:
        """Return the keys of all routes found so far, the links and shares of all, and the places of their keys."""
        if self._list is None or len(self._list[0]) != len(self._routes):
            routes = self._routes.values()
            dlink = np.concatenate([route.dlink for route in routes])
            share = np.concatenate([route.share for route in routes])
            of = np.repeat(np.arange(len(routes)), [len(route.dlink) for route in routes])
            self._list = np.array(list(self._routes), np.int64), dlink, share, of
        return self._list

    # --- loads

    def load(self, flows: Flows, groups: int) -> LinkLoads:
        """Return the load of `flows` on the links of the fabric behind the cards."""
        none = (np.zeros(0, np.int64), np.zeros(0))
        if not len(flows.group):
            return LinkLoads((none,) * groups, np.zeros(groups), np.zeros(groups))
        keys, weight = self._by_route(flows, groups)
        routes = [self._routes[k] for k in keys]
        first, size = 2 * self.cables, 2 * (len(self.links) - self.cables)  # links of cards come first
        found = []
        for group in range(groups):
            used_routes = [(routes[k], weight[group, k]) for k in np.flatnonzero(weight[group]).tolist()]
            crossing = [(route, on) for route, on in used_routes if len(route.dlink)]
            if not crossing:
                found.append(none)
                continue
            dlink = np.concatenate([route.dlink for route, _ in crossing])
            share = np.concatenate([route.share * on for route, on in crossing])
            total = np.bincount(dlink - first, share, minlength=size).astype(np.float64, copy=False)
            used = np.flatnonzero(total).astype(np.int64, copy=False)
            found.append((used + first, total[used]))
        hops = np.array([route.hops for route in routes])
        known = hops > 0
        counted = np.maximum((weight * known).sum(axis=1), 1e-300)
        return LinkLoads(tuple(found), (weight * hops).sum(axis=1) / counted, (weight * ~known).sum(axis=1))

    def carried(self, flows: Flows, amount: Floats) -> Floats:
        """Return the load on the links behind the cards when a flow of weight 1 carries an amount, by group.

        Shape (2 * links,), in the unit of `amount`, shape (groups,).
        """
        links = 2 * len(self.links)
        if not len(flows.group):
            return np.zeros(links)
        keys, weight = self._by_route(flows, len(amount))
        if not keys:  # what is put on is taken off again
            return np.zeros(links)
        on = amount @ weight
        if 2 * len(keys) > len(self._routes):
            known, dlink, share, of = self._listed()
            found, order = np.zeros(len(known)), np.argsort(known)
            found[order[np.searchsorted(known[order], keys)]] = on
            on = found[of]
        else:  # a few of many: some that moved
            routes = [self._routes[k] for k in keys]
            on = np.repeat(on, [len(route.dlink) for route in routes])
            dlink = np.concatenate([route.dlink for route in routes])
            share = np.concatenate([route.share for route in routes])
        return np.bincount(dlink, share * on, links).astype(np.float64, copy=False)

    def _by_route(self, flows: Flows, groups: int) -> tuple[list[int], Floats]:
        """Return the routes flows take, each found once and kept, and the weight on each, shape (groups, routes)."""
        place = np.arange(self.links.nodes, dtype=np.int64) if self.has_peers else self.attachment
        kinds, cards = int(place.max(initial=0)) + 1, self.cards + 1
        pair = place[flows.source] * kinds + place[flows.target]
        if kinds * kinds <= FEW_PAIRS and (flows.source_card == EVERY_CARD).all():
            weight = np.bincount(
                flows.group * (kinds * kinds) + pair, flows.weight, minlength=groups * kinds * kinds
            ).reshape(groups, -1)
            pairs = np.flatnonzero(weight.any(axis=0))
            keys, weight = pairs * cards * cards, weight[:, pairs]
            self._meet(pairs, kinds)
        else:
            key = (pair * cards + flows.source_card + 1) * cards + flows.target_card + 1
            keys, which = np.unique(key, return_inverse=True)
            weight = np.bincount(
                flows.group * len(keys) + which, flows.weight, minlength=groups * len(keys)
            ).reshape(groups, len(keys))
        listed = keys.tolist()
        missing = np.array([k for k in listed if k not in self._routes], np.int64)
        if len(missing):
            ends, cards_of_pair = np.divmod(missing, cards * cards)
            self._find(
                missing, ends // kinds, ends % kinds, cards_of_pair // cards - 1, cards_of_pair % cards - 1
            )
        return listed, weight.astype(np.float64, copy=False)

    def _meet(self, pairs: Ints64, kinds: int) -> None:
        """Find the routes from the sources of new pairs at once: moving nodes would need them one by one."""
        whole = (self.cards + 1) ** 2  # keys between cards of one pair; the first is of all cards
        new = [pair for pair in pairs.tolist() if pair * whole not in self._routes]
        if 0 < len(new) < kinds:
            ends = {pair // kinds for pair in new}
            row = [a * kinds + b for a in sorted(ends) for b in range(kinds)]
            keys = np.array([pair * whole for pair in row if pair * whole not in self._routes], np.int64)
            every = np.full(len(keys), EVERY_CARD)
            self._find(keys, keys // whole // kinds, keys // whole % kinds, every, every)

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
        island = self.graph.island[leaves]
        return bool((island == island[:1, :, :1]).all())

    def _wide(self, efficiency: float) -> bool:
        if efficiency not in self._wides:
            self._wides[efficiency] = bool((self._offered() * efficiency <= self._narrowest()).all())
        return self._wides[efficiency]

    def _offered(self) -> Floats:
        """Return the bandwidth of all cables of cards at each leaf, shape (leaves,) [B/s]."""
        cable = self.cable[self.cable >= 0]
        brought = np.bincount(self.links.b[cable], self.bytes_s[cable], minlength=self.links.switches)
        return brought[self.is_leaf[: self.links.switches]].astype(np.float64)

    def _narrowest(self) -> Floats:
        """Return the least bandwidth of each leaf over one switch to another leaf of its island, (leaves,) [B/s]."""
        leaves = np.flatnonzero(self.is_leaf[: self.links.switches])
        above = np.flatnonzero(np.diff(self.graph.first)[: self.links.switches] > 0)
        above = above[~self.is_leaf[above]]
        to = np.zeros((len(leaves), len(above) + 1))
        row, column = (np.full(self.links.switches, -1, np.int64) for _ in range(2))
        row[leaves], column[above] = np.arange(len(leaves)), np.arange(len(above))
        start = np.repeat(np.arange(len(self.graph.first) - 1), np.diff(self.graph.first))
        up = (row[start] >= 0) & (column[self.graph.to] >= 0)
        at = row[start[up]] * to.shape[1] + column[self.graph.to[up]]
        to += np.bincount(at, self.graph.bytes_s[up], to.size).reshape(to.shape)
        to[:, -1] = self.graph.island[leaves]  # leaves alike must share their island too
        alike: dict[bytes, int] = {}
        which = np.array([alike.setdefault(widths.tobytes(), len(alike)) for widths in to], np.intp)
        count = np.bincount(which, minlength=len(alike))
        kinds = to[np.unique(which, return_index=True)[1]]
        if len(kinds) ** 2 * len(above) > MOST_WIDTHS:
            return np.zeros(len(leaves))
        least = np.full(len(kinds), np.inf)
        for k, kind in enumerate(kinds):
            width = np.minimum(kinds[:, :-1], kind[:-1]).sum(axis=1)
            near = kinds[:, -1] == kind[-1]
            near[k] = count[k] > 1
            least[k] = width[near].min(initial=np.inf)
        return least[which]

    def card_bytes_s(self, flows: Flows, groups: int) -> Floats:
        """Return the rate of a flow of weight one at the most loaded card, by group [B/s]; infinite without cards."""
        least = np.full(groups, np.inf)
        if self.has_peers:
            return least
        slow, every = self._card_slowness(), flows.source_card == EVERY_CARD
        nodes = self.links.nodes
        slowest, busiest = slow.max(axis=1), np.zeros(groups)
        for end, card in ((flows.source, flows.source_card), (flows.target, flows.target_card)):
            at, weight = flows.group * nodes + end, flows.weight
            if not every.all():
                key = (at * self.cards + card)[~every]
                keys, which = np.unique(key, return_inverse=True)
                taken_s = slow.reshape(-1)[keys % (nodes * self.cards)] * np.bincount(which, weight[~every])
                np.maximum.at(busiest, keys // (nodes * self.cards), taken_s)
                at, weight = at[every], weight[every]
            on = np.bincount(at, weight, minlength=groups * nodes).reshape(groups, nodes)
            with np.errstate(invalid="ignore"):  # no traffic over no cable
                np.fmax(busiest, np.fmax.reduce(on * slowest, axis=1), out=busiest)
        with np.errstate(divide="ignore"):
            least = np.where(busiest > 0, 1.0 / busiest, np.inf)
        return least

    def _card_slowness(self) -> Floats:
        """Return the time of a byte over each card with traffic even over its cables, shape (N, cards) [s/B]."""
        if self._slow is None:
            bandwidth = np.where(self.cable >= 0, np.append(self.bytes_s, 0.0)[self.cable], np.inf)
            slow = (self.on_plane / bandwidth).max(axis=2)
            self._slow = np.where((self.cable >= 0).any(axis=2), slow, np.inf)
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

    def _find(self, keys: Ints64, a: Ints64, b: Ints64, card_a: Ints64, card_b: Ints64) -> None:
        """Find the routes of new keys: between attachments, or nodes of a ring or torus."""
        if self.has_peers:
            pair, dlink, share, hops = self._between_nodes(a, b)
            # Every card of the node sends the same way.
            share = share * np.where(card_a == EVERY_CARD, self.cards, 1)[pair]
        else:
            pair, dlink, share, hops = self._between_leaves(a, b, card_a, card_b)
        span = 2 * len(self.links)
        entries, where = np.unique(pair * span + dlink, return_inverse=True)
        shares = np.bincount(where, share, minlength=len(entries)).astype(np.float64)
        bounds = np.searchsorted(entries, span * np.arange(len(keys) + 1)).tolist()
        links = (entries % span).astype(np.int64)
        for k, (key, hop) in enumerate(zip(keys.tolist(), hops.tolist(), strict=True)):
            entries_of_key = slice(bounds[k], bounds[k + 1])
            self._routes[key] = _Route(links[entries_of_key], shares[entries_of_key], float(hop))

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

    def _between_leaves(
        self, a: Ints64, b: Ints64, card_a: Ints64, card_b: Ints64
    ) -> tuple[Ints64, Ints64, Floats, Floats]:
        """Return entries (key, directed link, share) and mean hops between attachments, over all their cards."""
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
        reach = self.graph.island[leaf_a] == self.graph.island[leaf_b]
        flow, leaf_a, leaf_b, part = flow[reach], leaf_a[reach], leaf_b[reach], part[reach]
        reached = np.bincount(flow, part, minlength=len(key))
        part = part / reached[flow]
        apart = np.flatnonzero(leaf_a != leaf_b)
        switches = self.links.switches
        both, which = np.unique(leaf_a[apart] * switches + leaf_b[apart], return_inverse=True)
        paths = shortest_paths(self.graph, both // switches, both % switches)
        hops = np.ones(len(flow))
        hops[apart] += paths.hops[which]
        count = np.bincount(paths.pair, minlength=len(both))
        first = np.cumsum(count) - count
        times = count[which]
        entry = np.arange(times.sum()) + np.repeat(first[which] - (np.cumsum(times) - times), times)
        out_flow = np.repeat(flow[apart], times)
        share = np.repeat(part[apart], times) * paths.share[entry]
        mean = np.bincount(key[flow], hops * part, minlength=len(a)) / cards
        lost = np.zeros(len(a), np.bool_)
        lost[key[reached <= 0]] = True
        return key[out_flow], paths.dlink[entry], share, np.where(lost, 0.0, mean)

    def _own_rail(self, a: Ints64, b: Ints64, from_card: Ints64, to_card: Ints64) -> Ints64:
        """Return the cards to leave by: where rails are apart, data goes to the other card inside the node first."""
        crossing = from_card != to_card
        if not crossing.any():
            return from_card
        island = np.append(self.graph.island, -1)
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
