"""From an id to the item of a scene: a generator, an item it makes, or anything else with an id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.commands.edit.command import CommandError, EditedScene
from twin.language import counted, tr
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.cooling import Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.schema.site import Hall, Override, RowGenerator
from twin.scenario.text.path import resolve, split

ItemKind = Literal[
    "hall",
    "rows",
    "row",
    "rack",
    "node",
    "loops",
    "loop",
    "stage",
    "power",
    "plant",
    "fabric",
    "switch",
    "store",
    "cap",
    "group",
    "rental",
    "job",
    "stream",
    "trace",
    "tenant",
    "partition",
    "reservation",
    "columns",
    "door",
    "wall",
]
"""Kinds of thing; "rows", "loops" and "stage" are generators, "row", "rack", "loop" and "power" items they make."""


@dataclass(frozen=True)
class SceneItem:
    """An item of a scene.

    Attributes
    ----------
    id, kind
        Id and kind of the item.
    path
        Path of the entry in the file; of a generated item that of its generator.
    numbers
        Numbers of a generated item within its generator.
    hall
        Of rows, racks and nodes: the hall whose overrides name it.
    """

    id: str
    kind: ItemKind
    path: str
    numbers: tuple[int, ...] = ()
    hall: Hall | None = None

    @property
    def generator(self) -> str:
        """Return the id of the entry in the file."""
        return self.id.partition("/")[0]


TITLES: dict[ItemKind, str] = {
    "rows": "row generator",
    "loops": "loop generator",
    "power": "power item",
    "stage": "power stage",
    "plant": "facility loop",
    "cap": "power cap",
}
"""What a kind is called where it is not its own name."""

_DEPTHS: tuple[ItemKind, ...] = ("rows", "row", "rack", "node")


def item_of(scenario: Scenario, id: str) -> SceneItem:
    """Return the item with an id.

    Raises
    ------
    CommandError
        When no item has it.
    """
    name, *numbers = id.split("/")
    index = tuple(int(number) for number in numbers if number.isdecimal())
    for hall in scenario.halls:
        if hall.id == id:
            return SceneItem(id, "hall", f"halls[{id}]", hall=hall)
        for rows in hall.rows:
            if rows.id == name and len(index) == len(numbers) < len(_DEPTHS):
                return SceneItem(id, _DEPTHS[len(index)], f"halls[{hall.id}].rows[{name}]", index, hall)
    kinds: tuple[tuple[str, tuple[object, ...], ItemKind, ItemKind | None], ...] = (
        ("power", scenario.power, "stage", "power"),
        ("cooling.loops", scenario.cooling.loops, "loops", "loop"),
        ("cooling.plants", scenario.cooling.plants, "plant", None),
        ("fabrics", scenario.fabrics, "fabric", "switch"),
        ("storage", scenario.storage, "store", None),
        ("power_caps", scenario.power_caps, "cap", None),
        ("groups", scenario.groups, "group", None),
        ("rentals", scenario.rentals, "rental", None),
        ("jobs", scenario.jobs, "job", None),
        ("streams", scenario.streams, "stream", None),
        ("traces", scenario.traces, "trace", None),
        ("tenants", scenario.tenants, "tenant", None),
        ("partitions", scenario.partitions, "partition", None),
        ("reservations", scenario.reservations, "reservation", None),
    )
    buildings = [(hall.id, hall.building) for hall in scenario.halls if hall.building is not None]
    for hall_id, building in buildings:
        kinds += (
            (f"halls[{hall_id}].building.columns", building.columns, "columns", None),
            (f"halls[{hall_id}].building.doors", building.doors, "door", None),
            (f"halls[{hall_id}].building.inner_walls", building.inner_walls, "wall", None),
        )
    for where, items, whole, item in kinds:
        if any(getattr(entry, "id", None) == name for entry in items):
            if not numbers:
                return SceneItem(id, whole, f"{where}[{name}]")
            if item is not None and len(index) == len(numbers):
                return SceneItem(id, item, f"{where}[{name}]", index)
    if len(index) == len(numbers) == len(_DEPTHS) and any(
        rows.id == name for hall in scenario.halls for rows in hall.rows
    ):
        raise CommandError(
            tr("{id} is a GPU of node {first_id}", id=id, first_id=id.rpartition("/")[0]),
            tr("choose the node"),
        )
    near = nearest(id, [*(rows.id for hall in scenario.halls for rows in hall.rows)])
    raise CommandError(
        tr("there is no {id!r}", id=id), tr("did you mean {near!r}?", near=near) if near else ""
    )


def titled(kind: ItemKind) -> str:
    """Return the name of a kind of item for people."""
    return TITLES.get(kind, kind)


def generator(scenario: Scenario, name: str) -> tuple[Hall, RowGenerator]:
    """Return a row generator and its hall; raises CommandError when there is none."""
    for hall in scenario.halls:
        for rows in hall.rows:
            if rows.id == name:
                return hall, rows
    raise CommandError(tr("there is no row generator {name!r}", name=name))


def made_by(scenario: Scenario, name: str) -> Loop | PowerStage:
    """Return a loop generator or power stage; raises CommandError when there is none."""
    stage = next((stage for stage in scenario.power if stage.id == name), None)
    loop = next((loop for loop in scenario.cooling.loops if loop.id == name), None)
    found = stage or loop
    if found is None:
        raise CommandError(tr("there is no power stage or loop {name!r}", name=name))
    return found


def override(hall: Hall, item: str) -> Override:
    """Return the override of an item; an empty one without any."""
    return hall.overrides.get(item, _PLAIN)


def in_file(scene: EditedScene, path: str) -> bool:
    """Return whether the file itself has a value at a path, and none of the files it extends."""
    own, *inherited = _saying(scene, path)
    return own and not any(inherited)


def overrides(scene: EditedScene, path: str) -> bool:
    """Return whether the file itself has a value at a path that overrides one of a file it extends."""
    own, *inherited = _saying(scene, path)
    return own and any(inherited)


def _saying(scene: EditedScene, path: str) -> tuple[bool, ...]:
    """Return for each file whether it has a value at a path, the scene's own first."""
    return tuple(not resolve(split(path), file.tree)[1] for file in scene.document.files)


def people_say(scenario: Scenario, ids: tuple[str, ...]) -> str:
    """Return a selection in words: "rack gpu/0/3", "3 racks", "5 items"."""
    kinds = {item_of(scenario, id).kind for id in ids[:200]} if ids else set()
    if len(ids) == 1:
        return f"{titled(kinds.pop())} {ids[0]}"
    return counted(len(ids), titled(kinds.pop()) if len(kinds) == 1 else "item")


_PLAIN = Override()
