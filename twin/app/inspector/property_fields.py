"""What can be set of a thing of the scene, as the schema has it: name, kind of value, unit, choices. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.app.inspector import property_choices
from twin.commands.edit.addressables import ItemKind, SceneItem, item_of, titled
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr
from twin.lists.address_plan import NETWORKS
from twin.scenario.checks.facility import ONLY_FOR
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.schema.fields import fields_of
from twin.scenario.schema.site import Addresses, AddressNetwork, Climate, Hall
from twin.scenario.schema.titles import title_of_key
from twin.scenario.text.path import split

X, Y, RACK, U, HALL = "@x", "@y", "@rack", "@u", "@hall"
"""Keys of the exact place of a thing, which commands of moving set."""

_SKIPPED = frozenset(
    {"id", "format", "version", "catalog", "extends", "branch", "hours", "notes"}
    | {"edits", "places", "absent", "start", "digest"}
)
_DEEPEST, _DEEPEST_OF_HALL = 2, 3
MOST_KINDS = 60
"""Generators of a selection that are asked what can be set of them."""
_OF_GENERATOR = {
    "count": "count",
    "racks.count": "racks",
    "pitch": "pitch_m",
    "racks.pitch": "rack_pitch_m",
    "racks.part": "rack_part",
    "facing": "facing",
    "containment": "containment",
    "units": "units",
}
"""Keys of generators that `ChangeGenerator` changes with all that hangs on them, and what it calls them."""

_PARTS_OF_BUILDING = {
    "columns": tr("Columns: {id}"),
    "doors": tr("Door: {id}"),
    "inner_walls": tr("Wall: {id}"),
}
_HEADINGS = {"at": tr("Corner of the first row")}
_ADDRESSES = (
    ("site.addresses", tr("IP and VLAN plan")),
    *(
        (f"site.addresses.{key}", tr("Addresses: {network}", network=words))
        for key, words in NETWORKS.items()
    ),
)
_UNSAID: dict[str, BaseModel] = {key: AddressNetwork() for key, _ in _ADDRESSES} | {
    "site.addresses": Addresses()
}
"""Groups of keys that can be set where the scene has none of them."""
_COUNTS: dict[ItemKind, str] = {
    "rows": tr("Rows"),
    "loops": tr("Loops"),
    "stage": tr("Items"),
    "store": tr("Boxes"),
}


@dataclass(frozen=True)
class Property(Field):
    """One thing that can be set of a thing of the scene.

    Attributes
    ----------
    key
        Below the thing, as in a file: "racks.pitch"; or one of the keys of a place.
    change
        What `ChangeGenerator` calls it; "": it is set by its path.
    of_generator
        Shown of a generated item, but said of all that its generator makes.
    """

    change: str = ""
    of_generator: bool = False


def properties(scene: EditedScene, id: str) -> tuple[Property, ...]:
    """Return what can be set of a thing, "" for the scene itself; nothing of what has no properties."""
    if not id:
        return tuple(_of_scene(scene))
    try:
        item = item_of(scene.scenario, id)
    except CommandError:
        return ()
    if item.kind == "switch":
        return ()
    return (*_own(scene, item), *_of_path(scene, item))


def common(scene: EditedScene, ids: tuple[str, ...]) -> tuple[Property, ...]:
    """Return what can be set of all of some things at once, with the choices that all of them have.

    Things of several kinds cannot be made one kind at once: what else they have may not fit it.
    """
    if not ids:
        return ()
    kept = list(properties(scene, ids[0]))
    made_alike = {(id.partition("/")[0], id.count("/")): id for id in reversed(ids)}
    kinds = set()
    for id in list(made_alike.values())[:MOST_KINDS]:
        known = {replace(field, choices=()): field.choices for field in properties(scene, id)}
        kinds.add(standing_kind(scene, id))
        shared = [(field, known.get(replace(field, choices=()))) for field in kept]
        kept = [
            replace(field, choices=tuple(choice for choice in field.choices if choice in theirs))
            for field, theirs in shared
            if theirs is not None and (not field.choices or set(field.choices) & set(theirs))
        ]
    return tuple(field for field in kept if field.key != "kind" or len(kinds) == 1)


def standing_kind(scene: EditedScene, id: str) -> str:
    """Return the kind that a thing of the scene says of itself: "chiller"; "" where it says none."""
    try:
        model = model_at(scene, item_of(scene.scenario, id).path) if id else None
    except CommandError:
        return ""
    return str(getattr(model, "kind", ""))


def stands_for(id: str, scene: EditedScene) -> str:
    """Return the thing of the scene that is meant when something in the hall is chosen: of a GPU its node."""
    kind, slot = scene.plant.slots.get(id, ("", -1))
    if kind == "switch":
        return scene.plant.fabrics[int(scene.plant.switches.fabric[slot])]
    node = id.rpartition("/")[0]
    return node if not kind and id.count("/") == 4 and node in scene.plant.slots else id


def model_at(scene: EditedScene, path: str) -> BaseModel | None:
    """Return the group of keys at a path of the scenario; None where there is none."""
    at: Any = scene.scenario
    for step in split(path):
        if isinstance(at, BaseModel):
            known = fields_of(type(at)).get(step)
            at = getattr(at, known[0]) if known is not None else None
        elif isinstance(at, dict):
            at = at.get(step)
        elif isinstance(at, tuple):
            at = next((item for item in at if getattr(item, "id", None) == step), None)
        else:
            return None
    return at if isinstance(at, BaseModel) else None


def _own(scene: EditedScene, item: SceneItem) -> Iterator[Property]:
    """Yield what a generated item has of its own, and the exact place of what stands on the floor."""
    standing = scene.plant.slots.get(item.id, ("", -1))[0]
    if standing in ("row", "rack", "loop", "power"):
        for key, title, way in ((X, "x", tr("along the rows")), (Y, "y", tr("across the rows"))):
            tip = tr("Centre of its footprint, {way}, from the site's corner", way=way)
            yield Property(key, title, tip, tr("Place"), "quantity", "length")
    halls = tuple(scene.plant.halls.ids)
    if item.kind in ("rows", "row", "rack") and len(halls) > 1:
        tip = tr("Hall for all racks of its generator; they keep their ids")
        yield Property(HALL, tr("Hall"), tip, tr("Place"), "choice", choices=halls)
    if item.kind in ("row", "rack"):
        sides = ("north", "south")
        yield Property(
            "facing",
            tr("Front"),
            tr("Direction its front faces"),
            tr("Place"),
            "choice",
            choices=sides,
            optional=True,
        )
    if item.kind == "rack":
        racks = property_choices.parts(scene, "rack")
        tip = tr("Catalogue rack, in place of the one its generator sets")
        yield Property("part", tr("Rack"), tip, tr("This rack"), "part", choices=racks, optional=True)
    if item.kind == "node":
        nodes = property_choices.parts(scene, "node")
        yield Property(RACK, tr("Rack"), tr("Rack that holds it; the node keeps its id"), tr("Place"), "text")
        yield Property(U, tr("Lowest unit"), tr("Rack unit, counted from the bottom"), tr("Place"), "count")
        tip = tr("Catalogue node, in place of the one its generator sets")
        yield Property("part", tr("Node"), tip, tr("This node"), "part", choices=nodes, optional=True)
        yield Property(
            "drained", tr("Drained"), tr("Present, but takes no work at the start"), tr("This node"), "switch"
        )


def _of_path(scene: EditedScene, entry: SceneItem) -> Iterator[Property]:
    """Yield what can be set of what the file holds: of an item its generator."""
    model = model_at(scene, entry.path)
    if model is None:
        return
    item = entry.kind in ("row", "rack", "node", "loop", "power")
    kind: ItemKind = {"loop": "loops", "power": "stage"}.get(entry.kind, "rows" if item else entry.kind)  # type: ignore[assignment]
    name = titled(kind)
    heading = f"{name[:1].upper()}{name[1:]}" if item else tr("Properties")
    own = {"facing"} if entry.kind in ("row", "rack") else set()
    for found in _fields(scene, model, "", heading, kind, 0):
        if found.key not in own:
            yield _for_item(found) if item else found
    if isinstance(model, Hall) and model.building is not None:
        for listed, said in _PARTS_OF_BUILDING.items():
            for part in getattr(model.building, listed):
                title = said.format(id=part.id)
                yield from _fields(scene, part, f"building.{listed}[{part.id}].", title, None, 0)
    if kind == "rows":
        nodes = property_choices.parts(scene, "node")
        tip = tr("Nodes of the last group in each rack; 0: none")
        yield Property(
            "racks.nodes.count",
            tr("Nodes per rack"),
            tip,
            heading,
            "count",
            change="nodes",
            of_generator=item,
        )
        yield Property(
            "racks.nodes.part",
            tr("Node"),
            tr("Catalogue node in each rack"),
            heading,
            "part",
            choices=nodes,
            change="node_part",
            of_generator=item,
        )


def _for_item(found: Property) -> Property:
    return replace(found, of_generator=True)


def _of_scene(scene: EditedScene) -> Iterator[Property]:
    scenario = scene.scenario
    yield from _fields(scene, scenario, "", tr("Scene"), None, _DEEPEST)
    for key, heading in (
        ("site", tr("Site")),
        ("site.climate", tr("Climate")),
        ("site.grid", tr("Utility")),
        ("site.redundancy", tr("Redundancy")),
        *_ADDRESSES,
        ("cooling", tr("Cooling")),
        ("scheduler", tr("Scheduler")),
    ):
        model = model_at(scene, key) or _UNSAID.get(key)
        if model is not None:
            yield from _fields(scene, model, f"{key}.", heading, None, _DEEPEST)
    for key, title, entries in (
        ("rentals", tr("Rented nodes"), scenario.rentals),
        ("site.power_purchases", tr("Power purchase"), scenario.site.power_purchases),
        ("site.heat_sales", tr("Heat sold"), scenario.site.heat_sales),
    ):
        for entry in entries:
            path = f"{key}[{entry.id}]"
            yield from _fields(scene, entry, f"{path}.", f"{title}: {entry.id}", None, _DEEPEST)


def _fields(
    scene: EditedScene, model: BaseModel, prefix: str, heading: str, kind: ItemKind | None, depth: int
) -> Iterator[Property]:
    for key, (attribute, _) in fields_of(type(model)).items():
        if key in _SKIPPED:
            continue
        if isinstance(model, PowerStage) and model.kind not in ONLY_FOR.get(attribute, (model.kind,)):
            continue
        inside = getattr(model, attribute)
        if isinstance(inside, BaseModel):
            if depth < (_DEEPEST_OF_HALL if kind == "hall" else _DEEPEST):
                title = _heading(heading, prefix + key, kind)
                yield from _fields(scene, inside, f"{prefix}{key}.", title, kind, depth + 1)
            continue
        made = _field(scene, model, prefix + key, heading, kind)
        if made is not None:
            yield made


def _heading(above: str, key: str, kind: ItemKind | None) -> str:
    """Return the heading over a group of keys within another one."""
    if key == "racks":
        return above
    if key.rpartition(".")[2] != "at":
        return title_of_key(key)
    if kind in ("columns", "door"):
        return tr("Place")
    return tr("Corner of the first row") if kind == "rows" else tr("{thing}, place", thing=above)


def _field(
    scene: EditedScene, model: BaseModel, key: str, heading: str, kind: ItemKind | None
) -> Property | None:
    """Return the property of one field; None for tables, lists of other than names, and what cannot be chosen."""
    name = key.rpartition(".")[2]
    own: dict[str, Any] = {"key": key, "heading": heading}
    if key == "count" and kind in _COUNTS:
        own["title"] = _COUNTS[kind]
    else:
        own["title"] = title_of_key(key)
    if kind in ("rows", "loops", "stage"):
        own["change"] = _OF_GENERATOR.get(key, "")
    made = field_of(type(model), name, Property, **own)
    if made is None or made.kind in ("quantity", "choice"):
        return made
    if made.kind == "names":
        listed = property_choices.listed(model, name)
        return replace(made, choices=property_choices.members(scene, model, name)) if listed else None
    if isinstance(model, Climate) and name == "place":
        return replace(made, kind="place")
    parts = property_choices.fitting(scene, model, name)
    if parts:
        return replace(made, kind="part", choices=parts)
    if property_choices.refers(model, name):
        return replace(made, kind="reference", choices=property_choices.targets(scene, model, name))
    return made
