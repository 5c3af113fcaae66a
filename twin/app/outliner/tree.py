"""What the outliner lists: the scene as a tree by place, type, network, power or coolant, made as it is opened.

No widgets. A branch knows how to make what is inside it and does so when somebody looks: a scene of 100,000 GPUs is a
handful of lines until a rack of it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twin.app.outliner.labels import Seed, counted_gpus, switch_seed
from twin.app.outliner.paths import coolant, network, power
from twin.language import counted, tr
from twin.plant.find import row_name
from twin.plant.tables import Plant, RackKind
from twin.scenario.schema.document import Scenario

Mode = Literal["place", "type", "network", "power", "coolant"]

MODES: dict[Mode, tuple[str, str]] = {
    "place": (tr("Place"), tr("Halls, rows, racks, nodes and GPUs; machines and the power tree; groups")),
    "type": (tr("Type"), tr("By kind and catalogue part")),
    "network": (tr("Network"), tr("Fabrics, switches and connected nodes")),
    "power": (tr("Power"), tr("From the utility to the racks")),
    "coolant": (tr("Coolant"), tr("From facility water to loops and racks")),
}
"""Title and tip of each way to sort the tree."""

MOST_FOUND = 3000
"""Lines that a search shows."""


@dataclass(eq=False, slots=True)
class OutlinerItem:
    """One line of the tree.

    Attributes
    ----------
    seed
        What it is of.
    parent, row
        Where it hangs; the root hangs nowhere.
    inside
        What hangs in it; None: nobody has looked.
    """

    seed: Seed
    parent: OutlinerItem | None = None
    row: int = 0
    inside: list[OutlinerItem] | None = None

    def children(self) -> list[OutlinerItem]:
        """Return what hangs in it, made at the first look."""
        if self.inside is None:
            make = self.seed.make
            self.inside = [OutlinerItem(seed, self, row) for row, seed in enumerate(make())] if make else []
        return self.inside

    @property
    def key(self) -> str:
        """Return what it goes by among its neighbours, also in the tree of a changed scene."""
        return self.seed.id or self.seed.title

    def way(self) -> tuple[str, ...]:
        """Return the keys from the top down to it."""
        keys: list[str] = []
        at: OutlinerItem | None = self
        while at is not None and at.parent is not None:
            keys.append(at.key)
            at = at.parent
        return tuple(reversed(keys))


def root(mode: Mode, scenario: Scenario, plant: Plant) -> OutlinerItem:
    """Return the top of a tree."""
    makers: dict[Mode, Callable[[Scenario, Plant], list[Seed]]] = {
        "place": lambda scenario, plant: _Place(scenario, plant).top(),
        "type": lambda scenario, plant: _types(scenario, plant),
        "network": network,
        "power": power,
        "coolant": coolant,
    }
    return OutlinerItem(Seed("", "", make=lambda: makers[mode](scenario, plant)))


def found(
    top: OutlinerItem, matches: Callable[[Seed], bool], most: int = MOST_FOUND
) -> tuple[OutlinerItem, int]:
    """Return a tree of what matches and of what holds it, and how many match; GPUs are not looked through.

    What matches keeps all that is inside it.
    """
    number = 0

    def kept(item: OutlinerItem) -> Seed | None:
        nonlocal number
        if matches(item.seed):
            number += 1
            return item.seed if number <= most else None
        if item.seed.deep:
            return None
        inside = [seed for seed in map(kept, item.children()) if seed is not None]
        return item.seed.holding(inside) if inside else None

    seeds = [seed for seed in map(kept, top.children()) if seed is not None]
    return OutlinerItem(Seed("", "", make=lambda: seeds)), number


def ways(top: OutlinerItem) -> dict[str, tuple[int, ...]]:
    """Return where each thing is first met, by rows from the top; of GPUs only that of their node."""
    where: dict[str, tuple[int, ...]] = {}

    def walk(item: OutlinerItem, rows: tuple[int, ...]) -> None:
        if item.seed.id:
            where.setdefault(item.seed.id, rows)
        if not item.seed.deep:
            for row, inside in enumerate(item.children()):
                walk(inside, (*rows, row))

    for row, item in enumerate(top.children()):
        walk(item, (row,))
    return where


def matcher(text: str, also: Iterable[str] = ()) -> Callable[[Seed], bool]:
    """Return what tells whether a line holds all words of a text in id, title or part, or is one of `also`."""
    words, ids = text.lower().split(), frozenset(also)

    def matches(seed: Seed) -> bool:
        if seed.id in ids:
            return True
        line = f"{seed.id} {seed.title} {seed.note}".lower()
        return bool(seed.id) and all(word in line for word in words)

    return matches


@dataclass
class _Place:
    """The tree by place."""

    scenario: Scenario
    plant: Plant
    _racks_of_row: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def top(self) -> list[Seed]:
        plant, scenario = self.plant, self.scenario
        seeds = [self._hall(slot) for slot in range(len(plant.halls.ids))]
        stages = len(scenario.power)
        if stages:
            seeds.append(Seed("", tr("Power"), counted(stages, "stage"), "bolt", self._stages))
        if scenario.cooling.plants or scenario.cooling.loops:
            inside = len(plant.plants.ids) + int(plant.loops.present.sum())
            seeds.append(Seed("", tr("Cooling"), counted(inside, "loop"), "loop", self._cooling))
        if scenario.fabrics:
            fabrics = tuple(Seed(f.id, f.id, f.kind.replace("-", " "), "switch") for f in scenario.fabrics)
            seeds.append(
                Seed("", tr("Fabrics"), counted(len(fabrics), "fabric"), "switch", lambda: list(fabrics))
            )
        if scenario.storage:
            stores = [Seed(s.id, s.id, s.part or s.kind or "", "row") for s in scenario.storage]
            seeds.append(Seed("", tr("Storage"), counted(len(stores), "system"), "row", lambda: stores))
        if scenario.groups:
            seeds.append(
                Seed("", tr("Groups"), counted(len(scenario.groups), "group"), "layers", self._groups)
            )
        return seeds

    def _hall(self, slot: int) -> Seed:
        halls, racks = self.plant.halls, self.plant.racks
        count = int((racks.present & (racks.hall == slot)).sum())
        title = halls.titles[slot] or halls.ids[slot]
        return Seed(halls.ids[slot], title, counted(count, "rack"), "hall", lambda: self._in_hall(slot))

    def _in_hall(self, slot: int) -> list[Seed]:
        building = self.scenario.halls[slot].building
        seeds = self._generators(slot)
        if building is None or not (building.columns or building.doors or building.inner_walls):
            return seeds
        inside = [
            Seed(grid.id, grid.id, counted(grid.along * grid.across, "column"), "hall")
            for grid in building.columns
        ]
        inside += [
            Seed(door.id, door.id, tr("door, {width:g} m", width=door.width_m), "hall")
            for door in building.doors
        ]
        inside += [
            Seed(
                wall.id,
                wall.id,
                tr(
                    "wall, {length:.2f} m",
                    length=hypot(wall.end.x_m - wall.start.x_m, wall.end.y_m - wall.start.y_m),
                ),
                "hall",
            )
            for wall in building.inner_walls
        ]
        parts = counted(len(inside), "part")
        return [*seeds, Seed("", tr("Building"), parts, "hall", lambda: inside)]

    def _generators(self, hall: int) -> list[Seed]:
        seeds = []
        for rows in self.scenario.halls[hall].rows:
            slots = [
                slot for k in range(rows.count) if (slot := self._slot("row", f"{rows.id}/{k}")) is not None
            ]
            racks = sum(len(self._racks(slot)) for slot in slots)
            if len(slots) == 1:  # a generator of one row is that row
                make = self._row_maker(slots[0])
            else:
                make = self._rows_maker(slots)
            label = rows.label.title()
            title = rows.id if label == "Row" else f"{label} ({rows.id})"
            seeds.append(Seed(rows.id, title, counted(racks, "rack"), "row", make))
        return seeds

    def _rows_maker(self, slots: list[int]) -> Callable[[], list[Seed]]:
        rows = self.plant.rows
        return lambda: [
            Seed(
                rows.ids[slot],
                row_name(self.plant, slot),
                counted(len(self._racks(slot)), "rack"),
                "row",
                self._row_maker(slot),
            )
            for slot in slots
        ]

    def _row_maker(self, row: int) -> Callable[[], list[Seed]]:
        return lambda: [rack_seed(self.plant, rack) for rack in self._racks(row).tolist()]

    def _racks(self, row: int) -> NDArray[np.int64]:
        if not self._racks_of_row:
            racks = self.plant.racks
            present = np.flatnonzero(racks.present)
            order = present[np.lexsort((racks.x_m[present], racks.row[present]))]
            ends = np.flatnonzero(np.diff(racks.row[order])) + 1
            self._racks_of_row = {
                int(racks.row[part[0]]): part for part in np.split(order, ends) if len(part)
            }
        return self._racks_of_row.get(row, np.zeros(0, np.int64))

    def _slot(self, kind: str, id: str) -> int | None:
        found_kind, slot = self.plant.slots.get(id, ("", -1))
        return slot if found_kind == kind else None

    def _stages(self) -> list[Seed]:
        items = self.plant.power

        def maker(stage: str) -> Callable[[], list[Seed]]:
            return lambda: [
                Seed(id, id, part, "bolt")
                for id, part, present in zip(items.ids, items.part, items.present.tolist(), strict=True)
                if present and id.partition("/")[0] == stage
            ]

        return [
            Seed(s.id, s.id, f"{s.count:,} x {s.part or s.kind}", "bolt", maker(s.id))
            for s in self.scenario.power
        ]

    def _cooling(self) -> list[Seed]:
        loops = self.plant.loops

        def maker(generator: str) -> Callable[[], list[Seed]]:
            return lambda: [
                Seed(id, label, part, "loop")
                for id, label, part, present in zip(
                    loops.ids, loops.labels, loops.part, loops.present.tolist(), strict=True
                )
                if present and id.partition("/")[0] == generator
            ]

        seeds = [Seed(p.id, p.id, p.part or p.kind, "loop") for p in self.scenario.cooling.plants]
        return seeds + [
            Seed(loop.id, loop.id, f"{loop.count:,} x {loop.part}", "loop", maker(loop.id))
            for loop in self.scenario.cooling.loops
        ]

    def _groups(self) -> list[Seed]:
        def maker(members: tuple[str, ...]) -> Callable[[], list[Seed]]:
            return lambda: [Seed(id, id, "", "rack") for id in members]

        return [
            Seed(g.id, g.title or g.id, counted(len(g.members), "item"), "layers", maker(g.members))
            for g in self.scenario.groups
        ]


def rack_seed(plant: Plant, rack: int) -> Seed:
    """Return the line of a rack, with its nodes and switches inside."""
    racks = plant.racks
    part = racks.part[rack] or RackKind(int(racks.kind[rack])).words
    return Seed(racks.ids[rack], racks.ids[rack], part, "rack", lambda: _in_rack(plant, rack))


def _in_rack(plant: Plant, rack: int) -> list[Seed]:
    nodes, switches = plant.nodes, plant.switches
    held = np.flatnonzero((nodes.rack == rack) & nodes.present)
    held = held[np.lexsort((nodes.column[held], -nodes.u[held]))]
    seeds = [node_seed(plant, node) for node in held.tolist()]
    return seeds + [
        switch_seed(plant, k) for k in np.flatnonzero((switches.rack == rack) & switches.present).tolist()
    ]


def node_seed(plant: Plant, node: int) -> Seed:
    """Return the line of a node, with its GPUs inside."""
    nodes = plant.nodes
    part, count, first = plant.node_parts[int(nodes.part[node])], int(nodes.gpu_count[node]), nodes.gpu_first
    note = f"{part}, U{int(nodes.u[node])}"

    def gpus() -> Iterator[Seed]:
        for gpu in range(int(first[node]), int(first[node]) + count):
            index = int(plant.gpus.index[gpu])
            part = plant.gpu_parts[int(plant.gpus.part[gpu])]
            yield Seed(f"{nodes.ids[node]}/{index}", tr("GPU {index}", index=index), part, "gpu")

    make = (lambda: list(gpus())) if count else None
    return Seed(nodes.ids[node], nodes.ids[node], note, "node", make, deep=True)


def _types(scenario: Scenario, plant: Plant) -> list[Seed]:
    """Return the tree by type."""

    def several(title: str, icon: str, parts: dict[str, list[Seed]]) -> Seed | None:
        """Return a heading over one heading a part."""
        inside = [
            Seed("", part or "plain", f"{len(some):,}", icon, _given(some)) for part, some in parts.items()
        ]
        total = sum(map(len, parts.values()))
        return Seed("", title, f"{total:,}", icon, _given(inside)) if total else None

    def one(title: str, icon: str, seeds: list[Seed]) -> Seed | None:
        return Seed("", title, f"{len(seeds):,}", icon, _given(seeds)) if seeds else None

    racks, nodes, switches, loops = plant.racks, plant.nodes, plant.switches, plant.loops
    rack_parts: dict[str, list[Seed]] = {}
    for rack in np.flatnonzero(racks.present).tolist():
        seed = rack_seed(plant, rack)
        kind = racks.part[rack] or tr("{note} rack", note=seed.note)
        rack_parts.setdefault(kind, []).append(Seed(seed.id, seed.title, "", "rack"))
    node_parts: dict[str, list[Seed]] = {}
    for node in np.flatnonzero(nodes.present).tolist():
        node_parts.setdefault(plant.node_parts[int(nodes.part[node])], []).append(node_seed(plant, node))
    switch_parts: dict[str, list[Seed]] = {}
    for switch in np.flatnonzero(switches.present).tolist():
        switch_parts.setdefault(switches.part[switch], []).append(switch_seed(plant, switch))
    loop_parts: dict[str, list[Seed]] = {}
    for loop in np.flatnonzero(loops.present).tolist():
        loop_parts.setdefault(loops.part[loop], []).append(
            Seed(loops.ids[loop], loops.labels[loop], "", "loop")
        )
    items: dict[str, list[Seed]] = {}
    for k in np.flatnonzero(plant.power.present).tolist():
        items.setdefault(plant.power.kind[k], []).append(
            Seed(plant.power.ids[k], plant.power.ids[k], plant.power.part[k], "bolt")
        )
    headings = [
        one(tr("Halls"), "hall", [Seed(h.id, h.title or h.id, h.id, "hall") for h in scenario.halls]),
        one(
            tr("Row generators"),
            "row",
            [
                Seed(r.id, r.id, counted(r.count * r.racks.count, "rack"), "row")
                for h in scenario.halls
                for r in h.rows
            ],
        ),
        several(tr("Racks"), "rack", rack_parts),
        several(tr("Nodes"), "node", node_parts),
        several(tr("Switches"), "switch", switch_parts),
        several(tr("Coolant and air loops"), "loop", loop_parts),
        one(
            tr("Facility water"),
            "loop",
            [Seed(p.id, p.id, p.part or p.kind, "loop") for p in scenario.cooling.plants],
        ),
        several(tr("Power items"), "bolt", items),
        one(
            tr("Storage systems"),
            "row",
            [Seed(s.id, s.id, s.part or s.kind or "", "row") for s in scenario.storage],
        ),
        one(
            tr("Fabrics"),
            "switch",
            [Seed(f.id, f.id, f.kind.replace("-", " "), "switch") for f in scenario.fabrics],
        ),
        one(tr("Tenants"), "job", [Seed(t.id, t.title or t.id, t.id, "job") for t in scenario.tenants]),
        one(tr("Partitions"), "row", [Seed(p.id, p.title or p.id, p.id, "row") for p in scenario.partitions]),
        one(
            tr("Rented nodes"), "row", [Seed(r.id, r.title or r.id, r.terms, "row") for r in scenario.rentals]
        ),
        one(tr("Jobs"), "job", [Seed(j.id, j.title or j.id, j.id, "job") for j in scenario.jobs]),
        one(tr("Streams of jobs"), "job", [Seed(s.id, s.id, "", "job") for s in scenario.streams]),
    ]
    return [heading for heading in headings if heading is not None]


def _given(seeds: list[Seed]) -> Callable[[], list[Seed]]:
    return lambda: seeds


__all__ = ["MODES", "Mode", "OutlinerItem", "Seed", "counted_gpus", "found", "matcher", "root", "ways"]
