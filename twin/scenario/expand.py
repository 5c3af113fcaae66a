"""What the generators of a scenario make: ids of rows, racks, nodes and GPUs, and how many there are.

Ids follow DESIGN 3: row ``i`` of generator ``gpu`` is ``gpu/i``, its rack ``j`` is ``gpu/i/j``, the nodes of a
rack count on from there (``gpu/i/j/k``), and so do the GPUs of a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart, RackPart
from twin.scenario.document import Scenario
from twin.scenario.site import Hall, Override, Racks, Rows


@dataclass(frozen=True, slots=True)
class Node:
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
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of racks; `label` is what is written over it."""

    id: str
    label: str
    racks: tuple[Rack, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much stands in the halls, absent items left out."""

    rows: int
    racks: int
    nodes: int
    gpus: int


def rows(scenario: Scenario, catalog: Catalog) -> Iterator[Row]:
    """Yield every row with what stands in it, overrides applied and absent items left out.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    for hall in scenario.halls:
        for generator in hall.rows:
            for index in range(generator.count):
                row = f"{generator.id}/{index}"
                if not hall.overrides.get(row, Override()).absent:
                    yield Row(row, label(generator, index), tuple(_racks(hall, generator, row, catalog)))


def counts(scenario: Scenario, catalog: Catalog) -> Counts:
    """Return how much there is; raises as `rows`."""
    made = list(rows(scenario, catalog))
    racks = [rack for row in made for rack in row.racks]
    nodes = [node for rack in racks for node in rack.nodes]
    return Counts(len(made), len(racks), len(nodes), sum(node.gpus for node in nodes))


def label(generator: Rows, index: int) -> str:
    """Return what is written over a row: "ROW A", "ROW B", ... "ROW AA".

    >>> from twin.scenario.site import Racks
    >>> label(Rows(id="gpu", count=30, racks=Racks(count=1)), 27)
    'ROW AB'
    """
    letters, number = "", index + 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{generator.label} {letters}"


def node_parts(racks: Racks, part: str | None, catalog: Catalog) -> list[str]:
    """Return the node parts of one rack from the floor up: those its part brings, then the generator's."""
    brought: list[str] = []
    if part is not None:
        kind = catalog.part(part)
        if isinstance(kind, RackPart):
            for group in kind.layout:
                if isinstance(catalog.part(group.part), NodePart):
                    brought += [group.part] * group.count
    return brought + [group.part for group in racks.nodes for _ in range(group.count)]


def _racks(hall: Hall, generator: Rows, row: str, catalog: Catalog) -> Iterator[Rack]:
    racks = generator.racks
    for index in range(racks.count):
        rack = f"{row}/{index}"
        said = hall.overrides.get(rack, Override())
        if not said.absent:
            part = said.part or racks.part
            nodes = _nodes(hall, rack, node_parts(racks, part, catalog), catalog)
            yield Rack(rack, racks.role, part, tuple(nodes))


def _nodes(hall: Hall, rack: str, parts: list[str], catalog: Catalog) -> Iterator[Node]:
    for index, usual in enumerate(parts):
        node = f"{rack}/{index}"
        said = hall.overrides.get(node, Override())
        if not said.absent:
            part = said.part or usual
            yield Node(node, part, catalog.node(part).n_gpu, said.drained)
