"""Size of a scene from its generators, before it is expanded, and the limits of it.

Each count alone has a limit in the schema; here is the limit of their products and sums. Items that an override takes
away are counted: they keep their place in the tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart, RackPart
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import Misfit, Size, size_of
from twin.scenario.generators.job_streams import MAX_JOBS, expected_jobs
from twin.scenario.generators.job_traces import table_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Hall, RackGenerator, RowGenerator
from twin.scenario.schema.systems import Fabric
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

MOST_ROWS = 100_000
MOST_RACKS = 400_000
MOST_NODES = 1_200_000
MOST_GPUS = 1_200_000
MOST_SWITCHES = 400_000
MOST_LINKS = 6_000_000
MOST_MACHINES = 50_000
"""Of power stages, and of cooling loops with their units."""
MOST_EDITED_GPUS = 200_000_000
"""Edits times GPUs, or times racks: the hall is made and checked after each edit."""
MOST_CHOSEN_NODES = 100_000_000
"""Nodes times tenants, partitions and reservations, each of which has a choice of them."""
_MOST_LISTED: dict[Path, int] = {
    ("halls",): 1000,
    ("fabrics",): 500,
    ("power",): 2000,
    ("power_caps",): 2000,
    ("cooling", "plants"): 1000,
    ("cooling", "loops"): 2000,
    ("storage",): 1000,
    ("tenants",): 1000,
    ("streams",): 1000,
    ("traces",): 100,
    ("partitions",): 1000,
    ("clouds",): 200,
    ("rentals",): 200,
    ("failures", "causes"): 1000,
}
"""Entries of lists whose entries are checked against one another."""


@dataclass(frozen=True)
class _Count:
    """The number of items that one key of the scene makes."""

    at: Path
    number: int
    cause: str


def lists(scenario: Scenario) -> Iterator[Wrong]:
    """Yield lists of more entries than a scene may have."""
    for at, limit in _MOST_LISTED.items():
        node: object = scenario
        for key in at:
            node = getattr(node, str(key))
        assert isinstance(node, Sized)
        if len(node) > limit:
            reason = f"has {len(node):,} entries; a scene has at most {limit:,}"
            yield at, reason, "fewer of them"


def halls(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what makes more rows, racks, nodes, GPUs or edited GPUs than a scene may have.

    Parts that the catalogue lacks count for nothing; `check` says so later.
    """
    rows, racks, nodes, gpus = [], [], [], []
    for h, hall in enumerate(scenario.halls):
        for r, generator in enumerate(hall.rows):
            at: Path = ("halls", h, "rows", r)
            each = _within(generator.racks, catalog)
            many = generator.count * generator.racks.count
            floor = f"{generator.count:,} rows of {generator.racks.count:,} racks"
            rows.append(_Count((*at, "count"), generator.count, ""))
            racks.append(_Count((*at, "racks", "count"), many, floor))
            nodes.append(_Count((*at, "racks"), many * each[0], f"{floor} of {each[0]:,} nodes"))
            gpus.append(_Count((*at, "racks"), many * each[1], f"{floor} of {each[1]:,} GPUs"))
        more = _differing(hall, catalog)
        nodes.append(_Count(("halls", h, "overrides"), more[0], ""))
        gpus.append(_Count(("halls", h, "overrides"), more[1], ""))
    yield from _over(rows, MOST_ROWS, "rows", "use fewer rows")
    yield from _over(racks, MOST_RACKS, "racks", "use fewer rows, or fewer racks in each")
    yield from _over(nodes, MOST_NODES, "nodes", "use fewer racks, or fewer nodes in each")
    yield from _over(gpus, MOST_GPUS, "GPUs", "use fewer racks, or fewer nodes in each")
    every = gpus_of(scenario, catalog)
    edits, made = len(scenario.edits), sum(count.number for count in racks)
    if every <= MOST_GPUS and made <= MOST_RACKS:
        fold = "merge edits into the design"
        edited = [_Count(("edits",), edits * every, f"{edits:,} edits of {every:,} GPUs")]
        yield from _over(edited, MOST_EDITED_GPUS, "edited GPUs", fold)
        edited = [_Count(("edits",), edits * made, f"{edits:,} edits of {made:,} racks")]
        yield from _over(edited, MOST_EDITED_GPUS, "edited racks", fold)
    yield from _chosen(scenario, sum(count.number for count in nodes))


def _chosen(scenario: Scenario, nodes: int) -> Iterator[Wrong]:
    """Yield tenants, partitions and reservations of more nodes in all than a scene may have."""
    chosen = [
        _Count((key,), len(entries) * nodes, f"{len(entries):,} {key} of {nodes:,} nodes")
        for key, entries in (
            ("tenants", scenario.tenants),
            ("partitions", scenario.partitions),
            ("reservations", scenario.reservations),
        )
    ]
    yield from _over(chosen, MOST_CHOSEN_NODES, "choices of nodes", "use fewer of them, or fewer nodes")


def gpus_of(scenario: Scenario, catalog: Catalog) -> int:
    """Return how many GPUs the generators and overrides of a scene make at most, without making them."""
    made = sum(
        generator.count * generator.racks.count * _within(generator.racks, catalog)[1]
        for hall in scenario.halls
        for generator in hall.rows
    )
    return made + sum(_differing(hall, catalog)[1] for hall in scenario.halls)


def machines(scenario: Scenario) -> Iterator[Wrong]:
    """Yield what makes more power equipment, or more cooling units, than a scene may have."""
    stages = [_Count(("power", i, "count"), stage.count, "") for i, stage in enumerate(scenario.power)]
    yield from _over(stages, MOST_MACHINES, "items of power equipment", "fewer of them")
    units = [
        _Count(
            ("cooling", "loops", i, "count"),
            loop.count * loop.units,
            f"{loop.count:,} loops of {loop.units:,}",
        )
        for i, loop in enumerate(scenario.cooling.loops)
    ]
    yield from _over(units, MOST_MACHINES, "cooling units", "use fewer loops, or fewer units in each")


def jobs(scenario: Scenario) -> Iterator[Wrong]:
    """Yield what makes more jobs than a scene can show: those written, those of streams on average, those of traces.

    Wants traces that can be read.
    """
    made = [_Count(("jobs",), len(scenario.jobs), "")]
    for i, stream in enumerate(scenario.streams):
        expected = min(expected_jobs(stream, scenario.duration_s), 1e15)
        made.append(_Count(("streams", i, "arrivals", "gap"), math.floor(expected), ""))
    for i, trace in enumerate(scenario.traces):
        made.append(_Count(("traces", i), len(table_of(trace).rows), ""))
    yield from _over(made, MAX_JOBS, "jobs", "use longer gaps, counts, or map.first")


def fabrics(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what makes more switches or links than a scene may have; wants references and parts that hold.

    A fabric that cannot be built as it says counts for nothing; `check` says so later.
    """
    switches, links = [], []
    for i, fabric in enumerate(scenario.fabrics):
        nodes = connected(scenario, fabric, catalog)
        try:
            size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        except Misfit:
            continue
        at: Path = ("fabrics", i)
        switches.append(_Count(at, switches_of(fabric, size), ""))
        many = links_of(fabric, size, nodes.count, nodes.most_cards)
        cause = f"{nodes.count:,} nodes of {nodes.most_cards} NICs"
        links.append(_Count(at, many, cause))
    yield from _over(switches, MOST_SWITCHES, "switches", "use fewer nodes, or larger switches")
    yield from _over(links, MOST_LINKS, "links", "use fewer nodes, or fewer NICs in each")


def switches_of(fabric: Fabric, size: Size) -> int:
    """Return how many switches a fabric has."""
    pods = size.units if fabric.kind in ("fat-tree", "dragonfly-plus") else 1
    return size.leaves * max(1, size.units) + size.spines * pods + size.cores


def links_of(fabric: Fabric, size: Size, nodes: int, cards: int) -> int:
    """Return how many links a fabric has at most: cables of cards, and pairs of switches or nodes that are joined.

    Exact where every node has the same network cards.

    Parameters
    ----------
    fabric, size
        What is to be built, and how large it is.
    nodes
        How many it connects.
    cards
        Network cards of the node with most.
    """
    if fabric.kind == "explicit":
        return sum(link.cables for link in fabric.links)
    if fabric.kind in ("torus", "ring"):
        return nodes * sum(length > 1 for length in size.dims)
    plugs, leaves = nodes * cards * fabric.homes, size.leaves * size.units
    if fabric.kind in ("fat-tree", "dragonfly-plus"):
        up = leaves * min(size.up, size.spines)
        if fabric.kind == "dragonfly-plus":
            return plugs + up + size.units * (size.units - 1) // 2 * size.pair_cables
        each = size.cores // max(1, size.spines)
        return plugs + up + size.units * size.spines * min(size.spine_up, each)
    return plugs + leaves * min(size.up, math.ceil(size.spines / max(1, size.spine_groups)))


def _within(racks: RackGenerator, catalog: Catalog, part: str | None = None) -> tuple[int, int]:
    """Return nodes and GPUs of one rack of a generator, or of one that has another part."""
    nodes, gpus = _of_part(part or racks.part, catalog)
    for group in racks.nodes:
        nodes += group.count
        gpus += group.count * _of_node(group.part, catalog)
    return nodes, gpus


def _of_part(part: str | None, catalog: Catalog) -> tuple[int, int]:
    """Return nodes and GPUs that a rack part brings."""
    kind = catalog.part(part) if part is not None and part in catalog else None
    if not isinstance(kind, RackPart):
        return 0, 0
    groups = [group for group in kind.layout if isinstance(catalog.part(group.part), NodePart)]
    return sum(group.count for group in groups), sum(g.count * _of_node(g.part, catalog) for g in groups)


def _of_node(part: str | None, catalog: Catalog) -> int:
    """Return the GPUs of a node part."""
    kind = catalog.part(part) if part is not None and part in catalog else None
    return kind.n_gpu if isinstance(kind, NodePart) else 0


def _differing(hall: Hall, catalog: Catalog) -> tuple[int, int]:
    """Return the nodes and GPUs that the overrides of a hall bring: racks and nodes of another part."""
    nodes = gpus = 0
    generators: dict[str, RowGenerator] = {rows.id: rows for rows in hall.rows}
    known: dict[tuple[str, str], tuple[int, int]] = {}
    for item, override in hall.overrides.items():
        rows = generators.get(item.partition("/")[0])
        if override.part is None or rows is None:
            continue
        if item.count("/") == 2:
            key = (rows.id, override.part)
            if key not in known:
                usual, overridden = _within(rows.racks, catalog), _within(rows.racks, catalog, override.part)
                known[key] = max(0, overridden[0] - usual[0]), max(0, overridden[1] - usual[1])
            nodes, gpus = nodes + known[key][0], gpus + known[key][1]
        elif item.count("/") == 3:
            nodes, gpus = nodes + 1, gpus + _of_node(override.part, catalog)
    return nodes, gpus


def _over(counts: Iterable[_Count], limit: int, noun: str, hint: str) -> Iterator[Wrong]:
    """Yield that the counts are more than the limit in all, at the key that makes most of them."""
    counts = list(counts)
    total = sum(count.number for count in counts)
    if total <= limit:
        return
    largest = max(counts, key=lambda count: count.number)
    cause = f" ({largest.cause})" if largest.cause else ""
    if largest.number == total:
        reason = f"creates {total:,} {noun}{cause}"
    else:
        reason = f"creates {largest.number:,} of {total:,} {noun}{cause}"
    yield largest.at, f"{reason}; a scene has at most {limit:,}", hint
