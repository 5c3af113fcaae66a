"""Expansion of the generators of a scenario: ids and numbers of rows, racks, nodes and GPUs.

Ids follow DESIGN 3: row ``i`` of generator ``gpu`` is ``gpu/i``, its rack ``j`` is ``gpu/i/j``, the nodes of a
rack count on from there (``gpu/i/j/k``), and so do the GPUs of a node.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart, RackPart
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Hall, Override, RackGenerator, RowGenerator


@dataclass(frozen=True, slots=True)
class GeneratedNode:
    """A server or compute tray."""

    id: str
    part: str
    gpus: int
    drained: bool


@dataclass(frozen=True, slots=True)
class Rack:
    """A cabinet with its nodes; `part` is None for a plain one."""

    id: str
    role: str
    part: str | None
    nodes: tuple[GeneratedNode, ...]


@dataclass(frozen=True, slots=True)
class GeneratedRow:
    """A row of racks; `label` is written over it."""

    id: str
    label: str
    racks: tuple[Rack, ...]


_PLAIN = Override()


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of rows, racks, nodes and GPUs, without absent ones."""

    rows: int
    racks: int
    nodes: int
    gpus: int


def rows(scenario: Scenario, catalog: Catalog) -> Iterator[GeneratedRow]:
    """Yield every row with its racks and nodes, overrides applied and absent items left out.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    strays = Strays(scenario, catalog)
    for hall in scenario.halls:
        for generator in hall.rows:
            for index in range(generator.count):
                row = f"{generator.id}/{index}"
                if not hall.overrides.get(row, _PLAIN).absent:
                    racks = tuple(_racks(hall, generator, row, catalog, strays))
                    yield GeneratedRow(row, label(generator, index), racks)


_Counted = Mapping[str, Mapping[str, int]]
_COUNTED: deque[tuple[tuple[Hall, ...], Catalog, _Counted]] = deque(maxlen=4)
"""What was counted last: all who look at a scene ask for the same, and most edits leave the halls as they are."""


def node_counts(scenario: Scenario, catalog: Catalog) -> _Counted:
    """Return row generator -> part -> number of its nodes, without absent ones; raises as `rows`.

    Racks that nothing particular is said of are counted, not made.
    """
    halls = scenario.halls
    for known, parts, counted in tuple(_COUNTED):
        if parts is catalog and len(known) == len(halls) and all(map(operator.is_, known, halls)):
            return counted
    counted = _node_counts(scenario, catalog)
    _COUNTED.append((halls, catalog, counted))
    return counted


def forget() -> None:
    """Forget the halls counted last."""
    _COUNTED.clear()


def _node_counts(scenario: Scenario, catalog: Catalog) -> _Counted:
    strays = Strays(scenario, catalog)
    found: dict[str, dict[str, int]] = {}
    for hall in scenario.halls:
        particular: dict[str, set[int]] = {}  # numbers of racks by their row
        for rack in differing(hall) | {rack for rack in strays.moved if rack.count("/") == 2}:
            row, _, place = rack.rpartition("/")
            particular.setdefault(row, set()).add(int(place))
        for generator in hall.rows:
            usual: dict[str, int] = {}
            particular_counts: dict[str, int] = {}
            for part in node_parts(generator.racks, generator.racks.part, catalog):
                usual[part] = usual.get(part, 0) + 1
            alike = 0
            for index in range(generator.count):
                row = f"{generator.id}/{index}"
                if hall.overrides.get(row, _PLAIN).absent:
                    continue
                places = sorted(particular.get(row, ()))
                alike += generator.racks.count - len(places)
                for made in _racks(hall, generator, row, catalog, strays, places) if places else ():
                    for node in made.nodes:
                        particular_counts[node.part] = particular_counts.get(node.part, 0) + 1
            counts = {part: number * alike for part, number in usual.items()}
            for part, number in particular_counts.items():
                counts[part] = counts.get(part, 0) + number
            found[generator.id] = {part: number for part, number in counts.items() if number}
    return found


def differing(hall: Hall) -> set[str]:
    """Return the racks with an override of their own or of a node."""
    return {"/".join(item.split("/", 3)[:3]) for item in hall.overrides if item.count("/") >= 2}


def rack_at(scenario: Scenario, rack: str, catalog: Catalog) -> Rack | None:
    """Return what stands at a place of a row, by its id; None: nothing does, or none can; raises as `rows`."""
    row, _, place = rack.rpartition("/")
    name, _, index = row.partition("/")
    for hall in scenario.halls:
        for generator in hall.rows:
            made = (
                generator.id == name
                and 0 <= int(index) < generator.count
                and int(place) < generator.racks.count
                and not hall.overrides.get(row, _PLAIN).absent
            )
            if made:
                strays = Strays(scenario, catalog)
                return next(_racks(hall, generator, row, catalog, strays, [int(place)]), None)
    return None


def counts(scenario: Scenario, catalog: Catalog) -> Counts:
    """Return the numbers of items; raises as `rows`."""
    made = list(rows(scenario, catalog))
    racks = [rack for row in made for rack in row.racks]
    nodes = [node for rack in racks for node in rack.nodes]
    return Counts(len(made), len(racks), len(nodes), sum(node.gpus for node in nodes))


def gpus_of(hall: Hall, generator: RowGenerator, node: str, catalog: Catalog) -> int:
    """Return the GPUs of a node by its id, none where it is absent or no generator makes it; raises as `rows`."""
    rack, _, number = node.rpartition("/")
    row = rack.rpartition("/")[0]
    override = hall.overrides.get(node, _PLAIN)
    if any(hall.overrides.get(item, _PLAIN).absent for item in (row, rack, node)):
        return 0
    parts = node_parts(
        generator.racks, hall.overrides.get(rack, _PLAIN).part or generator.racks.part, catalog
    )
    part = override.part or (parts[int(number)] if int(number) < len(parts) else None)
    return catalog.node(part).n_gpu if part is not None else 0


def label(generator: RowGenerator, index: int) -> str:
    """Return the label of a row: "ROW A", "ROW B", ... "ROW AA".

    >>> from twin.scenario.schema.site import Racks
    >>> label(Rows(id="gpu", count=30, racks=Racks(count=1)), 27)
    'ROW AB'
    """
    letters, number = "", index + 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{generator.label} {letters}"


def node_parts(racks: RackGenerator, part: str | None, catalog: Catalog) -> list[str]:
    """Return the node parts of one rack from the floor up: those its part brings, then the generator's."""
    brought: list[str] = []
    if part is not None:
        kind = catalog.part(part)
        if isinstance(kind, RackPart):
            for group in kind.layout:
                if isinstance(catalog.part(group.part), NodePart):
                    brought += [group.part] * group.count
    return brought + [group.part for group in racks.nodes for _ in range(group.count)]


class Strays:
    """Nodes outside their generator: those added to a rack, and those moved to another one.

    Attributes
    ----------
    added
        Rack -> numbers of its nodes beyond those that its generator makes, ascending.
    moved
        Rack -> nodes that came from others.
    """

    def __init__(self, scenario: Scenario, catalog: Catalog) -> None:
        self.added: dict[str, list[int]] = {}
        self.moved: dict[str, list[GeneratedNode]] = {}
        for hall in scenario.halls:
            generators = {rows.id: rows for rows in hall.rows}
            for item, override in hall.overrides.items():
                if item.count("/") != 3 or (
                    override.rack is None and (override.u is None or override.part is None)
                ):
                    continue
                rack, _, number = item.rpartition("/")
                rows = generators.get(item.partition("/")[0])
                if rows is None:
                    continue
                kind = hall.overrides.get(rack, _PLAIN).part or rows.racks.part
                usual = node_parts(rows.racks, kind, catalog) if kind is None or kind in catalog else []
                part = override.part or (usual[int(number)] if int(number) < len(usual) else None)
                if part is None or part not in catalog:
                    continue
                if int(number) >= len(usual) and override.u is not None:
                    self.added.setdefault(rack, []).append(int(number))
                if override.rack is not None and not override.absent:
                    node = GeneratedNode(item, part, catalog.node(part).n_gpu, override.drained)
                    self.moved.setdefault(override.rack, []).append(node)
        for numbers in self.added.values():
            numbers.sort()


def _racks(
    hall: Hall,
    generator: RowGenerator,
    row: str,
    catalog: Catalog,
    strays: Strays,
    places: Iterable[int] | None = None,
) -> Iterator[Rack]:
    racks = generator.racks
    for index in range(racks.count) if places is None else places:
        rack = f"{row}/{index}"
        override = hall.overrides.get(rack, _PLAIN)
        if not override.absent:
            part = override.part or racks.part
            parts = node_parts(racks, part, catalog)
            own = _nodes(hall, rack, parts, strays.added.get(rack, []), catalog)
            yield Rack(rack, racks.role, part, (*own, *strays.moved.get(rack, ())))


def _nodes(
    hall: Hall, rack: str, parts: list[str], added: list[int], catalog: Catalog
) -> Iterator[GeneratedNode]:
    """Yield the nodes named after a rack that stand in it."""
    for index in (*range(len(parts)), *added):
        node = f"{rack}/{index}"
        override = hall.overrides.get(node, _PLAIN)
        if not override.absent and override.rack is None:
            part = override.part or parts[index]
            yield GeneratedNode(node, part, catalog.node(part).n_gpu, override.drained)
