"""How a property stands, where its value comes from, and the command that sets it. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from twin.app.form.field import FieldState
from twin.app.form.typed import file_value, must_be_there, text_of, whole
from twin.app.inspector.property_fields import HALL, RACK, Property, U, X, Y, model_at
from twin.app.placing.payload import Together
from twin.commands.edit.addressables import generator, in_file, item_of, overrides
from twin.commands.edit.changes import value_at
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.move import MoveNodes, MoveTo, place_of
from twin.commands.place.move_hall import MoveToHall
from twin.commands.place.properties import SetProperty, path_of
from twin.language import tr
from twin.scenario.schema.fields import fields_of
from twin.scenario.schema.site import RackGenerator
from twin.scenario.text.emit import flow
from twin.scenario.text.parse import locate
from twin.scenario.text.path import resolve, split
from twin.units import parse, render

MOST_VARIED = 8
"""Parts that are proposed for a study."""
MOST_LOOKED_AT = 60
"""Things of a selection whose values are compared."""


def standing(scene: EditedScene, ids: Sequence[str], one: Property) -> FieldState:
    """Return how a property of some things stands."""
    all_of = [_standing(scene, id, one) for id in owners(ids, one)[:MOST_LOOKED_AT]]
    first = all_of[0]
    if all(value.text == first.text for value in all_of):
        badges = {value.source for value in all_of}
        resettable = any(value.resettable for value in all_of)
        if len(badges) == 1:
            return FieldState(first.text, False, first.ghost, first.source, first.hint, resettable)
        hint = "\n".join(dict.fromkeys(value.hint for value in all_of))
        return FieldState(first.text, False, first.ghost, "several", hint, resettable)
    values = ", ".join(dict.fromkeys(value.text or "none" for value in all_of))
    resettable = any(value.resettable for value in all_of)
    return FieldState(
        "", True, "mixed", "mixed", tr("Values differ: {values}", values=values[:200]), resettable
    )


def command(scene: EditedScene, ids: Sequence[str], one: Property, text: str | None) -> Command:
    """Return the command that sets a property of some things.

    Parameters
    ----------
    text
        As a person has typed it; None: back to the default.

    Raises
    ------
    CommandError
        When the text is no such value: what would be right.
    """
    whose = owners(ids, one)
    if text is None:
        return SetProperty(whose, one.key, None)
    words = text.strip()
    if one.key in (X, Y):
        return _placed(scene, whose, one, words)
    if one.key == U:
        return _together([MoveNodes((id,), _rack_of(scene, id), whole(words)) for id in whose])
    if one.key == RACK:
        return MoveNodes(whose, words)
    if one.key == HALL:
        must_be_there(one, words)
        return MoveToHall(whose, words)
    inherits = (
        one.kind == "names" and scene.scenario.extends is not None
    )  # none then is another thing than nothing
    if not words and one.optional and not inherits:
        return SetProperty(whose, one.key, None)
    value = value_of(scene, whose, one, words)
    if one.change:
        return _together([ChangeGenerator(id, **{one.change: _argument(one, value)}) for id in whose])
    return SetProperty(whose, one.key, flow(value))


def value_of(scene: EditedScene, ids: Sequence[str], one: Property, words: str) -> Any:
    """Return what was typed as the file holds it; a bare number takes the unit of what stands there.

    Raises
    ------
    CommandError
        When it is no such value.
    """
    if one.kind != "quantity":
        return file_value(one, words)
    now = _standing(scene, ids[0], one)
    return file_value(one, words, unit=(now.text or now.ghost).partition(" ")[2])


def varied(scene: EditedScene, ids: Sequence[str], one: Property) -> tuple[str, str] | None:
    """Return the path by which a property can vary in a study, and values to choose from, "": the study proposes some.

    None: it is said of several things, or has no key of its own.
    """
    whose = owners(ids, one)
    if len(whose) != 1 or one.key in (X, Y, U, RACK, HALL) or one.kind in ("names", "place"):
        return None
    listed = one.kind in ("part", "reference")
    now = _standing(scene, whose[0], one)
    choices = (
        dict.fromkeys((*((now.text,) if now.text else ()), *one.choices[:MOST_VARIED])) if listed else ()
    )
    if one.change in ("nodes", "node_part"):
        hall, rows = generator(scene.scenario, whose[0].partition("/")[0])
        if not rows.racks.nodes:
            return None
        key = "count" if one.change == "nodes" else "part"
        path = f"halls[{hall.id}].rows[{rows.id}].racks.nodes[{len(rows.racks.nodes) - 1}].{key}"
    else:
        path = path_of(scene, whose[0], one.key)
    return path, ", ".join(choices)


def _argument(property: Property, value: Any) -> Any:
    """Return a value as `ChangeGenerator` takes it: lengths in metres."""
    return parse(value, "length") if property.kind == "quantity" else value


def _placed(scene: EditedScene, ids: Sequence[str], property: Property, words: str) -> Command:
    at_m = parse(file_value(property, words, "m"), "length")
    places = [(id, *place_of(scene, id)) for id in ids]
    return MoveTo(tuple((id, at_m, y) if property.key == X else (id, x, at_m) for id, x, y in places))


def _together(commands: Sequence[Command]) -> Command:
    if len(commands) == 1:
        return commands[0]
    return Together(
        tuple(commands),
        commands[0].title.rpartition(" ")[0] + tr(" {commands:,} items", commands=len(commands)),
    )


def owners(ids: Sequence[str], one: Property) -> tuple[str, ...]:
    """Return whose property it is: of items what makes them, where it is said there."""
    return tuple(dict.fromkeys(id.partition("/")[0] if one.of_generator else id for id in ids))


# -- how it stands ----


def _standing(scene: EditedScene, id: str, property: Property) -> FieldState:
    if property.key in (X, Y):
        at_m = place_of(scene, id)[property.key == Y]
        return FieldState(
            render(round(at_m, 4), "length", unit="m"), source="", hint=tr("As placed in the hall")
        )
    if property.key == U:
        return FieldState(f"{int(scene.plant.nodes.u[scene.plant.slots[id][1]])}")
    if property.key == RACK:
        return FieldState(_rack_of(scene, id))
    if property.key == HALL:
        return FieldState(generator(scene.scenario, id.partition("/")[0])[0].id)
    if property.change in ("nodes", "node_part"):
        return _of_nodes(scene, id, property)
    path = path_of(scene, id, property.key)
    base, _, _ = path.rpartition(".")
    model = model_at(scene, base) if base else scene.scenario
    name = property.key.rpartition(".")[2]
    value = _value(model, name)
    text = text_of(property, value)
    if value_at(scene, path) is not None:
        return FieldState(text, **_source(scene, path))
    if ".overrides[" in path:
        return FieldState(
            "",
            ghost=_made(scene, id, property),
            source="made",
            hint=tr("As its generator makes it; a value set here overrides it"),
        )
    if value is None:
        return _of_part(scene, model, name, property)
    tip = "assumption" if "[est]" in property.tip else "default"
    if property.kind == "names":  # what an empty list means
        return FieldState(
            text, ghost=property.tip.partition("none: ")[2] or "none", source=tip, hint=property.tip
        )
    return FieldState(text, source=tip, hint=tr("Default. {tip}", tip=property.tip))


def _source(scene: EditedScene, path: str) -> dict[str, Any]:
    """Return badge, hint and whether a reset is possible, of a value that is said."""
    extends, base = scene.scenario.extends or tr("the base scene"), overrides(scene, path)
    if not (base or in_file(scene, path)):
        return {"source": "inherited", "hint": tr("From {extends}", extends=extends), "resettable": False}
    file = scene.document.files[0]
    place, _ = resolve(split(path), file.tree)
    mark = locate(file.tree, place)
    source = "override" if ".overrides[" in path or scene.scenario.extends else "set"
    hint = tr("{file}, line {line}", file=mark.file, line=mark.line) + (
        tr("; {extends} has another value", extends=extends) if base else ""
    )
    return {"source": source, "hint": hint, "resettable": not base and _may_go(scene, path)}


def _may_go(scene: EditedScene, path: str) -> bool:
    """Return whether a scene can do without a value: it has a default."""
    base, _, name = path.rpartition(".")
    model = model_at(scene, base) if base else scene.scenario
    known = fields_of(type(model)).get(name) if model is not None else None
    return known is not None and not known[1].is_required()


def _of_part(scene: EditedScene, model: BaseModel | None, name: str, property: Property) -> FieldState:
    """Return what the part's figure says where the scene says nothing."""
    known = fields_of(type(model)).get(name) if model is not None else None
    part = getattr(model, "part", None)
    if known is not None and part in scene.catalog:
        figure = next((f for f in scene.catalog.figures(str(part)) if f.key == known[0]), None)
        if figure is not None:
            badge = "assumption" if figure.status not in ("published", "derived") else "spec"
            hint = "\n".join(words for words in (figure.citation, figure.note) if words)
            return FieldState("", ghost=figure.text, source=badge, hint=f"{part}: {figure.text}\n{hint}")
    return FieldState("", ghost="none", source="default", hint=property.tip)


def _of_nodes(scene: EditedScene, id: str, property: Property) -> FieldState:
    racks: RackGenerator = generator(scene.scenario, id.partition("/")[0])[1].racks
    if not racks.nodes:
        hint = (
            tr("{part} includes its own nodes", part=racks.part)
            if racks.part
            else tr("The racks hold no nodes")
        )
        return FieldState(
            "",
            ghost=tr("the rack's") if racks.part else "none",
            source="spec" if racks.part else "",
            hint=hint,
        )
    last, number = racks.nodes[-1], len(racks.nodes)
    hint = (
        tr("{number} groups of nodes in each rack; this is the last", number=number)
        if number > 1
        else tr("Set in the generator")
    )
    return FieldState(str(last.count) if property.change == "nodes" else last.part, source="set", hint=hint)


def _made(scene: EditedScene, id: str, property: Property) -> str:
    """Return what a generator has made of an item where nothing is said of it."""
    plant = scene.plant
    kind, slot = plant.slots.get(id, ("", -1))
    if property.key == "facing":
        side = (plant.rows if kind == "row" else plant.racks).facing[slot] if kind in ("row", "rack") else 0
        return "north" if side > 0 else "south"
    if property.key == "part" and kind == "rack":
        return plant.racks.part[slot] or tr("plain cabinet")
    if property.key == "part" and kind == "node":
        return plant.node_parts[int(plant.nodes.part[slot])]
    return "off" if property.kind == "switch" else ""


def _rack_of(scene: EditedScene, id: str) -> str:
    kind, slot = scene.plant.slots.get(id, ("", -1))
    if kind != "node":
        raise CommandError(tr("{id} is in no rack", id=item_of(scene.scenario, id).id))
    return scene.plant.racks.ids[int(scene.plant.nodes.rack[slot])]


def _value(model: BaseModel | None, key: str) -> Any:
    known = fields_of(type(model)).get(key) if model is not None else None
    return getattr(model, known[0]) if known is not None else None
