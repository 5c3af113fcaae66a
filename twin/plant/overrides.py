"""Overrides of rows, racks, nodes and GPUs, with their slots."""

from __future__ import annotations

from collections import Counter

from twin.arrays import Ints32
from twin.plant.error import PlantError
from twin.plant.tables import Racks
from twin.scenario.schema import site
from twin.scenario.schema.document import Scenario


class Overrides:
    """Overrides of all halls, by the path of each item."""

    def __init__(
        self,
        scenario: Scenario,
        generators: list[tuple[int, site.RowGenerator]],
        rack_ids: list[str],
        generator_racks: dict[str, Ints32],
    ) -> None:
        self._rows = {rows.id: rows for _, rows in generators}
        self._racks = generator_racks
        first_row, total = {}, 0
        for _, rows in generators:
            first_row[rows.id] = total
            total += rows.count
        self.first_row = first_row
        self.items = [
            (item, self._parse(item), override)
            for hall in scenario.halls
            for item, override in hall.overrides.items()
        ]
        self._added: dict[str, int] = {}
        self.rack_parts = [
            (self.racks(path)[0], self._rows[path[0]].racks, override.part)
            for _, path, override in self.items
            if override.part is not None and len(path[1]) == 2
        ]

    def _parse(self, item: str) -> tuple[str, list[int]]:
        name, *numbers = item.split("/")
        index = [int(n) for n in numbers]
        rows = self._rows.get(name)
        if rows is None:
            raise PlantError(f"override {item!r}: no row generator is called {name!r}")
        limits = (rows.count, rows.racks.count)
        for number, limit, noun in zip(index, limits, ("rows", "racks in a row"), strict=False):
            if number >= limit:
                raise PlantError(f"override {item!r}: {name!r} has {limit} {noun}, counted from 0")
        return name, index

    def generator(self, name: str) -> site.RowGenerator:
        """Return a row generator."""
        return self._rows[name]

    def racks(self, path: tuple[str, list[int]]) -> Ints32:
        """Return the rack slots below a path."""
        name, index = path
        rack_slots, per_row = self._racks[name], self._rows[name].racks.count
        if not index:
            return rack_slots
        row = rack_slots[index[0] * per_row : (index[0] + 1) * per_row]
        return row if len(index) == 1 else row[index[1] : index[1] + 1]

    def node(self, item: str, path: tuple[str, list[int]], racks: Racks) -> int:
        """Return the node slot of a path with at least three numbers; raises PlantError beyond the rack."""
        rack, number = int(self.racks(path)[0]), path[1][2]
        extra = self._added.get(item)
        if extra is not None:
            number = extra
        if number >= racks.node_count[rack]:
            raise PlantError(
                f"override {item!r}: rack {racks.ids[rack]} holds {racks.node_count[rack]} nodes"
            )
        return int(racks.node_first[rack]) + number

    def added(self, racks: Racks) -> list[tuple[int, int, str, int]]:
        """Return (rack, number, part, unit) of nodes beyond those that the generators make, in order.

        From then on `node` knows them: they follow the nodes of their rack, whatever their numbers.
        """
        found = [
            (int(self.racks(path)[0]), path[1][2], override.part, override.u)
            for _, path, override in self.items
            if len(path[1]) == 3 and override.part is not None and override.u is not None
        ]
        found = sorted(entry for entry in found if entry[1] >= racks.node_count[entry[0]])
        behind: Counter[int] = Counter()
        for rack, number, _, _ in found:
            self._added[f"{racks.ids[rack]}/{number}"] = int(racks.node_count[rack]) + behind[rack]
            behind[rack] += 1
        return found

    def node_places(self, racks: Racks) -> list[tuple[int, int, int]]:
        """Return (node slot, rack it has moved to or -1, its unit or 0) of moved nodes."""
        return [
            (
                self.node(item, path, racks),
                -1 if override.rack is None else int(self.racks(self._parse(override.rack))[0]),
                override.u or 0,
            )
            for item, path, override in self.items
            if len(path[1]) == 3 and (override.rack is not None or override.u is not None)
        ]

    def node_parts(self, racks: Racks) -> list[tuple[int, str]]:
        """Return (node slot, node part) of the overrides that exchange a node."""
        return [
            (self.node(item, path, racks), override.part)
            for item, path, override in self.items
            if override.part is not None and len(path[1]) == 3
        ]
