"""Checks of fabrics: ports, switches, nodes, and the ends of explicit cables."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from twin.catalog import Catalog
from twin.scenario.checks.fabric_size import Misfit, Size, cards_of, size_of
from twin.scenario.generators import expand
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import CABINET_UNITS, Hall, RowGenerator
from twin.scenario.schema.systems import Fabric, SwitchTier
from twin.scenario.text.parse import Path

TIER_NAMES = ("leaf", "spine", "core")
"""Names of the tiers by their number in a switch id."""

MEANT_WITHIN = 20000
"""So many ids are compared with a misspelt one, no more: it takes 0.1 s."""


@dataclass(frozen=True)
class Connected:
    """Nodes that a fabric connects, absent ones too: they keep their ports.

    Attributes
    ----------
    count
        How many have network cards.
    most_cards
        Of the node with most.
    card_bytes_s
        Of the fastest card [B/s].
    """

    count: int
    most_cards: int
    card_bytes_s: float
    _all: Callable[[], dict[str, int]]

    @cached_property
    def cards(self) -> dict[str, int]:
        """Node id -> its network cards, in order."""
        return self._all()


_CONNECTED: deque[tuple[Scenario, Fabric, Catalog, Connected]] = deque(maxlen=8)
"""What was counted last: several checks ask, and many an edit changes neither rows nor racks."""


def connected(scenario: Scenario, fabric: Fabric, catalog: Catalog) -> Connected:
    """Return the nodes with network cards in the rows of a fabric; raises UnknownPart."""
    for known, known_fabric, parts, found in tuple(_CONNECTED):
        if parts is catalog and known_fabric.rows == fabric.rows and known.halls == scenario.halls:
            return found
    made = _connected(scenario, fabric, catalog)
    _CONNECTED.append((scenario, fabric, catalog, made))
    return made


def _connected(scenario: Scenario, fabric: Fabric, catalog: Catalog) -> Connected:
    every = [rows for hall in scenario.halls for rows in hall.rows]
    wanted = set(fabric.rows) or {rows.id for rows in every if rows.racks.role == "compute"}
    strays = expand.Strays(scenario, catalog)
    moved = {node.id: rack.partition("/")[0] for rack, nodes in strays.moved.items() for node in nodes}
    count, most, speed = 0, 0, 0.0
    known: dict[str, tuple[int, float]] = {}
    for hall in scenario.halls:
        particular: dict[str, list[str]] = {}
        for rack in sorted(expand.differing(hall)):
            particular.setdefault(rack.partition("/")[0], []).append(rack)
        changed = _changed(hall)
        for rows in hall.rows:
            if rows.id not in wanted and not moved:
                continue
            particular_racks = particular.get(rows.id, [])
            particular_nodes = (
                _of_racks(hall, rows, particular_racks, changed, strays, catalog) if particular_racks else ()
            )
            some = [part for node, part in particular_nodes if moved.get(node, rows.id) in wanted]
            alike = rows.count * rows.racks.count - len(particular_racks)
            usual = expand.node_parts(rows.racks, rows.racks.part, catalog) if rows.id in wanted else []
            numbers: dict[str, int] = {}
            for part, more in (*((part_id, 1) for part_id in some), *((part_id, alike) for part_id in usual)):
                numbers[part] = numbers.get(part, 0) + more
            for part, number in numbers.items():
                if not number:
                    continue
                if part not in known:
                    known[part] = cards_of(catalog.node(part), catalog)
                cards, bytes_s = known[part]
                if cards:
                    count, most, speed = count + number, max(most, cards), max(speed, bytes_s)
    return Connected(count, most, speed, lambda: _cards(scenario, wanted, strays, moved, catalog))


def _cards(
    scenario: Scenario, wanted: set[str], strays: expand.Strays, moved: dict[str, str], catalog: Catalog
) -> dict[str, int]:
    """Return node id -> network cards of all nodes that have some."""
    found: dict[str, int] = {}
    known: dict[str, int] = {}
    for hall in scenario.halls:
        changed = _changed(hall)
        for rows in hall.rows:
            if rows.id not in wanted and not moved:
                continue
            racks = [f"{rows.id}/{i}/{j}" for i in range(rows.count) for j in range(rows.racks.count)]
            for node, part in _of_racks(hall, rows, racks, changed, strays, catalog):
                if (moved.get(node, rows.id) if moved else rows.id) not in wanted:
                    continue
                if part not in known:
                    known[part] = cards_of(catalog.node(part), catalog)[0]
                if known[part]:
                    found[node] = known[part]
    return found


def _changed(hall: Hall) -> set[str]:
    """Return the racks and nodes of another part than their generator makes."""
    return {item for item, override in hall.overrides.items() if override.part is not None}


def _of_racks(
    hall: Hall,
    rows: RowGenerator,
    racks: list[str],
    changed: set[str],
    strays: expand.Strays,
    catalog: Catalog,
) -> Iterator[tuple[str, str]]:
    """Yield id and part of every node named after some racks of a generator, absent ones too."""
    usual = expand.node_parts(rows.racks, rows.racks.part, catalog)
    for rack in racks:
        parts = usual
        if rack in changed:
            parts = expand.node_parts(rows.racks, hall.overrides[rack].part, catalog)
        for index, part in enumerate(parts):
            node = f"{rack}/{index}"
            yield node, (hall.overrides[node].part or part) if node in changed else part
        for index in strays.added.get(rack, ()):
            node = f"{rack}/{index}"
            yield node, hall.overrides[node].part or ""


def fabrics(scenario: Scenario, catalog: Catalog) -> Iterator[tuple[Path, str, str]]:
    """Yield (path of the key to blame, reason, hint) of every fabric that cannot be built as specified.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    for i, fabric in enumerate(scenario.fabrics):
        at: Path = ("fabrics", i)
        nodes = connected(scenario, fabric, catalog)
        try:
            size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        except Misfit as wrong:
            yield (*at, *wrong.key.split(".")), wrong.reason, wrong.hint
            continue
        if fabric.kind == "explicit":
            for path, reason, hint in _explicit(fabric, size, nodes.cards):
                yield (*at, *path), reason, hint


def unmet(scenario: Scenario, catalog: Catalog) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, reason, hint) of fabrics whose leaves do not all meet in a spine."""
    for i, fabric in enumerate(scenario.fabrics):
        nodes = connected(scenario, fabric, catalog)
        if (
            fabric.kind not in ("single-switch", "leaf-spine", "rail-optimised", "rail-only")
            or not nodes.count
        ):
            continue
        size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        if fabric.kind == "single-switch":
            if size.leaves > fabric.homes and fabric.leaf is not None and fabric.leaf.count is None:
                each = size.leaves // fabric.homes
                reason = (
                    f"takes {each} switches that are not connected: {len(nodes.cards) * nodes.most_cards:,} cables, "
                    f"and a {fabric.leaf.part} has {size.leaf.count if size.leaf else 0:,} ports; each takes some rails"
                )
                hint = "kind: rail-optimised with a spine connects the rails; a count leaves them separate"
                yield ("fabrics", i, "kind"), reason, hint
            continue
        alone = size.leaves > fabric.homes if fabric.kind == "leaf-spine" else size.units > 1
        if size.spine is None and (alone or size.units > 1):
            reason = "is missing: nodes of different leaves cannot reach each other"
            yield (
                ("fabrics", i, "spine"),
                reason,
                f"write spine: {{part: {size.leaf.part if size.leaf else ''}}}",
            )
        elif size.up and size.spines // size.spine_groups >= 2 * size.up:
            each = size.spines // size.spine_groups
            reason = (
                f"has {each} spines to join, and a leaf {size.up} cables up: not all leaves meet in a spine"
            )
            yield ("fabrics", i, "spine"), reason, "kind: fat-tree has a third tier for so many nodes"


def at_odds(scenario: Scenario, catalog: Catalog) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, reason, hint) of technologies that switches do not speak, and of routing where nothing is chosen."""
    for i, fabric in enumerate(scenario.fabrics):
        if fabric.routing is not None and fabric.kind in ("torus", "ring"):
            reason = f"has no effect: in a {fabric.kind} data goes dimension by dimension"
            yield ("fabrics", i, "routing"), reason, "remove it"
        if fabric.technology is None:
            continue
        asked = catalog.technology(fabric.technology)
        for name in TIER_NAMES:
            tier: SwitchTier | None = getattr(fabric, name)
            own_name = catalog.switch(tier.part).technology if tier is not None else ""
            if tier is None or not own_name or own_name == fabric.technology:
                continue
            own = catalog.technology(own_name)
            faster = (asked.line_rate_bytes_s or 0.0) > (own.line_rate_bytes_s or math.inf)
            if (asked.family == "infiniband") != (own.family == "infiniband"):
                reason = f"does not match the {name} switches: a {tier.part} is {own.title}"
            elif faster:
                reason = f"is faster than the {name} switches: a {tier.part} is {own.title}"
            else:
                continue
            yield ("fabrics", i, "technology"), reason, f"{own_name}, or other switches"
            break


def crowded(scenario: Scenario, catalog: Catalog) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, reason, hint) of row generators whose racks are too few for the switches that fabrics put there."""
    taken_u: Counter[str] = Counter()
    last: dict[str, Path] = {}
    racks = {rows.id: rows for hall in scenario.halls for rows in hall.rows if not rows.racks.nodes}
    for i, fabric in enumerate(scenario.fabrics):
        nodes = connected(scenario, fabric, catalog)
        size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        each_unit = size.units if fabric.kind in ("fat-tree", "dragonfly-plus") else 1
        counts = (size.leaves * max(1, size.units), size.spines * each_unit, size.cores)
        for name, ports, count in zip(TIER_NAMES, (size.leaf, size.spine, size.core), counts, strict=True):
            tier: SwitchTier | None = getattr(fabric, name)
            if tier is not None and tier.racks in racks and ports is not None:
                rows = racks[tier.racks]
                taken_u[tier.racks] += math.ceil(count / (rows.count * rows.racks.count)) * ports.height_u
                last[tier.racks] = ("fabrics", i, name, "racks")
    for name, units in taken_u.items():
        part = racks[name].racks.part
        has = int(catalog.rack(part).height_u) if part is not None else CABINET_UNITS
        if units > has:
            number = racks[name].count * racks[name].racks.count
            reason = f"are too few racks: fabric switches take {units} U in each, and a rack has {has} U"
            yield last[name], reason, f"{math.ceil(number * units / has)} racks would do"


def _explicit(fabric: Fabric, size: Size, cards: dict[str, int]) -> Iterator[tuple[Path, str, str]]:
    """Yield links of an explicit fabric with an unknown end, duplicates, and links without a free port."""
    counts = (size.leaves, size.spines, size.cores)
    ports = [part.count if part else 0 for part in (size.leaf, size.spine, size.core)]
    free = {node: number * fabric.homes for node, number in cards.items()}
    for level, number in enumerate(counts):
        free.update((f"{fabric.id}/{level}/{n}", ports[level]) for n in range(number))
    taken: Counter[str] = Counter()
    seen: dict[tuple[str, str], int] = {}
    plugs: dict[str, list[str]] = {}
    for n, link in enumerate(fabric.links):
        at: Path = ("links", n)
        unknown = [key for key, end in (("from", link.source), ("to", link.target)) if end not in free]
        for key in unknown:
            end = link.source if key == "from" else link.target
            yield (*at, key), *_no_end(fabric, end, counts, free)
        if unknown:
            continue
        if link.source == link.target:
            yield (*at, "to"), "is the same end as from", "a cable needs two different ends"
            continue
        if fabric.homes > 1 and link.source in cards and link.target in cards:
            yield (*at, "to"), "is a node, and dual-homed NICs plug into leaves", "homes: 1"
            continue
        low, high = sorted((link.source, link.target))
        if (low, high) in seen:
            reason = f"connects the same two ends as links[{seen[low, high]}]"
            yield (*at, "to"), reason, "use one link with more cables"
            continue
        seen[low, high] = n
        for key, end in (("from", link.source), ("to", link.target)):
            before = taken[end]
            taken[end] += link.cables
            if before <= free[end] < taken[end]:
                noun = "NICs" if end in cards and fabric.homes == 1 else "ports"
                reason = f"has {free[end]} {noun}, and its links so far take {taken[end]}"
                yield (*at, key), reason, "fewer cables, or other ends"
        for node, far_end in ((link.source, link.target), (link.target, link.source)):
            if node in cards and fabric.homes > 1:
                plugs_of_node = plugs.setdefault(node, [])
                plugs_of_node += [far_end] * link.cables
                if any(a == b for a, b in zip(plugs_of_node, plugs_of_node[cards[node] :], strict=False)):
                    reason = f"takes both cables of a NIC of {node}, which has {cards[node]}"
                    yield (*at, "cables"), reason, "list one cable of each NIC first, then the others"


def _no_end(fabric: Fabric, end: str, counts: tuple[int, ...], free: dict[str, int]) -> tuple[str, str]:
    """Return (reason, hint) for an end that is no node of the fabric and no switch."""
    name, _, rest = end.partition("/")
    level, _, number = rest.partition("/")
    if name == fabric.id and "/" not in number:
        if int(level) >= len(TIER_NAMES):
            return "is not a switch", f"tiers are 0 (leaf), 1 (spine) and 2 (core), such as {fabric.id}/0/0"
        tier = TIER_NAMES[int(level)]
        has = counts[int(level)]
        if not has:
            return (
                f"is not a switch: the fabric has no {tier}",
                f"write {tier}: {{part: QM9700, count: {int(number) + 1}}}",
            )
        return (
            f"is not a switch: {tier} has {has}, counted from 0",
            f"{tier}.count: {int(number) + 1} would do",
        )
    near = nearest(end, list(free)) if len(free) <= MEANT_WITHIN else ""
    hint = f"did you mean {near!r}?" if near else "nodes are generator/row/rack/node, such as gpu/0/3/1"
    return "is neither a node of this fabric nor a switch", hint
