"""How a property stands, where its value comes from, and the command that sets it. No widgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from twin.app.inspector.property_choices import BETWEEN, names_in
from twin.app.inspector.property_fields import HALL, RACK, Property, U, X, Y, model_at
from twin.app.placing.payload import Together
from twin.commands.edit.addressables import generator, in_file, item_of, overrides
from twin.commands.edit.changes import value_at
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.move import MoveNodes, MoveTo, place_of
from twin.commands.place.move_hall import MoveToHall
from twin.commands.place.properties import SetProperty, path_of
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.fields import fields_of
from twin.scenario.schema.quantity import Quantity, rendered
from twin.scenario.schema.site import RackGenerator
from twin.scenario.text.emit import flow
from twin.scenario.text.parse import locate
from twin.scenario.text.path import resolve, split
from twin.units import UnitError, parse, render

MOST_LOOKED_AT = 60
"""Things of a selection whose values are compared."""

_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class PropertyState:
    """How a property stands now.

    Attributes
    ----------
    text
        The value as people write it; "" for nothing, and for mixed values.
    mixed
        Whether things differ in it.
    ghost
        What holds where nothing is said: the figure of the part, say.
    source, hint
        Badge, and where the value comes from in full.
    resettable
        Whether it can be put back to what it is by default.
    """

    text: str
    mixed: bool = False
    ghost: str = ""
    source: str = ""
    hint: str = ""
    resettable: bool = False


def standing(scene: EditedScene, ids: Sequence[str], one: Property) -> PropertyState:
    """Return how a property of some things stands."""
    all_of = [_standing(scene, id, one) for id in owners(ids, one)[:MOST_LOOKED_AT]]
    first = all_of[0]
    if all(value.text == first.text for value in all_of):
        badges = {value.source for value in all_of}
        resettable = any(value.resettable for value in all_of)
        if len(badges) == 1:
            return PropertyState(first.text, False, first.ghost, first.source, first.hint, resettable)
        hint = "\n".join(dict.fromkeys(value.hint for value in all_of))
        return PropertyState(first.text, False, first.ghost, "several", hint, resettable)
    values = ", ".join(dict.fromkeys(value.text or "none" for value in all_of))
    resettable = any(value.resettable for value in all_of)
    return PropertyState("", True, "mixed", "mixed", f"Values differ: {values[:200]}", resettable)


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
        return _placed(scene, whose, one.key, words)
    if one.key == U:
        return _together([MoveNodes((id,), _rack_of(scene, id), _whole(words)) for id in whose])
    if one.key == RACK:
        return MoveNodes(whose, words)
    if one.key == HALL:
        _must_be_there(one, words)
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
    if one.kind == "quantity":
        return _quantity(scene, ids, one, words)
    if one.kind == "count":
        return _whole(words)
    if one.kind == "number":
        if not _NUMBER.fullmatch(words):
            raise CommandError(f"{words!r} is not a number", "write it like 1.5")
        return float(words)
    if one.kind == "switch":
        return words == "true"
    if one.kind == "names":
        return _names(one, words)
    if one.kind in ("choice", "part", "reference"):
        _must_be_there(one, words)
    if one.kind == "text" and not words:
        return ""
    return words


def _names(one: Property, words: str) -> list[str]:
    names = names_in(words)
    for place, name in enumerate(names):
        _must_be_there(one, name)
        if name in names[:place]:
            raise CommandError(f"{name!r} is given twice", "once is enough")
    return names


def _must_be_there(one: Property, words: str) -> None:
    if words in one.choices:
        return
    near = nearest(words, list(one.choices))
    what = {"part": "part that fits here", "choice": "choice"}.get(one.kind, "such item")
    raise CommandError(
        f"{words!r} is no {what}",
        f"did you mean {near!r}?" if near else f"there are {', '.join(one.choices[:8]) or 'none'}",
    )


def _quantity(scene: EditedScene, ids: Sequence[str], one: Property, words: str) -> str:
    quantity = Quantity(one.dimension)
    if _NUMBER.fullmatch(words):
        now = _standing(scene, ids[0], one)
        shown = (now.text or now.ghost).partition(" ")[2]
        if shown:
            words = f"{words} {shown}"
    try:
        quantity.parse(words)
    except UnitError as error:
        raise CommandError(str(error)) from error
    return words


def _whole(words: str) -> int:
    plain = words.replace(",", "").replace(" ", "")
    if not re.fullmatch(r"[0-9]{1,9}", plain):
        raise CommandError(f"{words!r} is not a whole number", "write it like 8")
    return int(plain)


def _argument(one: Property, value: Any) -> Any:
    """Return a value as `ChangeGenerator` takes it: lengths in metres."""
    return parse(value, "length") if one.kind == "quantity" else value


def _placed(scene: EditedScene, ids: Sequence[str], key: str, words: str) -> Command:
    if _NUMBER.fullmatch(words):
        words = f"{words} m"
    try:
        at_m = parse(words, "length")
    except UnitError as error:
        raise CommandError(str(error)) from error
    places = [(id, *place_of(scene, id)) for id in ids]
    return MoveTo(tuple((id, at_m, y) if key == X else (id, x, at_m) for id, x, y in places))


def _together(commands: Sequence[Command]) -> Command:
    if len(commands) == 1:
        return commands[0]
    return Together(tuple(commands), commands[0].title.rpartition(" ")[0] + f" {len(commands):,} items")


def owners(ids: Sequence[str], one: Property) -> tuple[str, ...]:
    """Return whose property it is: of items what makes them, where it is said there."""
    return tuple(dict.fromkeys(id.partition("/")[0] if one.of_generator else id for id in ids))


# -- how it stands ----


def _standing(scene: EditedScene, id: str, one: Property) -> PropertyState:
    if one.key in (X, Y):
        at_m = place_of(scene, id)[one.key == Y]
        return PropertyState(
            render(round(at_m, 4), "length", unit="m"), source="", hint="As placed in the hall"
        )
    if one.key == U:
        return PropertyState(f"{int(scene.plant.nodes.u[scene.plant.slots[id][1]])}")
    if one.key == RACK:
        return PropertyState(_rack_of(scene, id))
    if one.key == HALL:
        return PropertyState(generator(scene.scenario, id.partition("/")[0])[0].id)
    if one.change in ("nodes", "node_part"):
        return _of_nodes(scene, id, one)
    path = path_of(scene, id, one.key)
    base, _, _ = path.rpartition(".")
    model = model_at(scene, base) if base else scene.scenario
    name = one.key.rpartition(".")[2]
    value = _value(model, name)
    text = _text(value, one)
    if value_at(scene, path) is not None:
        return PropertyState(text, **_source(scene, path))
    if ".overrides[" in path:
        return PropertyState(
            "",
            ghost=_made(scene, id, one),
            source="made",
            hint="As its generator makes it; a value set here overrides it",
        )
    if value is None:
        return _of_part(scene, model, name, one)
    tip = "assumption" if "[est]" in one.tip else "default"
    if one.kind == "names":  # what an empty list means
        return PropertyState(text, ghost=one.tip.partition("none: ")[2] or "none", source=tip, hint=one.tip)
    return PropertyState(text, source=tip, hint=f"Default. {one.tip}")


def _source(scene: EditedScene, path: str) -> dict[str, Any]:
    """Return badge, hint and whether a reset is possible, of a value that is said."""
    extends, base = scene.scenario.extends or "the base scene", overrides(scene, path)
    if not (base or in_file(scene, path)):
        return {"source": "inherited", "hint": f"From {extends}", "resettable": False}
    file = scene.document.files[0]
    place, _ = resolve(split(path), file.tree)
    mark = locate(file.tree, place)
    source = "override" if ".overrides[" in path or scene.scenario.extends else "set"
    hint = f"{mark.file}, line {mark.line}" + (f"; {extends} has another value" if base else "")
    return {"source": source, "hint": hint, "resettable": not base and _may_go(scene, path)}


def _may_go(scene: EditedScene, path: str) -> bool:
    """Return whether a scene can do without a value: it has a default."""
    base, _, name = path.rpartition(".")
    model = model_at(scene, base) if base else scene.scenario
    known = fields_of(type(model)).get(name) if model is not None else None
    return known is not None and not known[1].is_required()


def _of_part(scene: EditedScene, model: BaseModel | None, name: str, one: Property) -> PropertyState:
    """Return what the part's figure says where the scene says nothing."""
    known = fields_of(type(model)).get(name) if model is not None else None
    part = getattr(model, "part", None)
    if known is not None and part in scene.catalog:
        figure = next((f for f in scene.catalog.figures(str(part)) if f.key == known[0]), None)
        if figure is not None:
            badge = "assumption" if figure.status in ("estimated", "recalled") else "spec"
            hint = "\n".join(words for words in (figure.citation, figure.note) if words)
            return PropertyState("", ghost=figure.text, source=badge, hint=f"{part}: {figure.text}\n{hint}")
    return PropertyState("", ghost="none", source="default", hint=one.tip)


def _of_nodes(scene: EditedScene, id: str, one: Property) -> PropertyState:
    racks: RackGenerator = generator(scene.scenario, id.partition("/")[0])[1].racks
    if not racks.nodes:
        hint = f"{racks.part} includes its own nodes" if racks.part else "The racks hold no nodes"
        return PropertyState(
            "", ghost="the rack's" if racks.part else "none", source="spec" if racks.part else "", hint=hint
        )
    last, number = racks.nodes[-1], len(racks.nodes)
    hint = (
        f"{number} groups of nodes in each rack; this is the last" if number > 1 else "Set in the generator"
    )
    return PropertyState(str(last.count) if one.change == "nodes" else last.part, source="set", hint=hint)


def _made(scene: EditedScene, id: str, one: Property) -> str:
    """Return what a generator has made of an item where nothing is said of it."""
    plant = scene.plant
    kind, slot = plant.slots.get(id, ("", -1))
    if one.key == "facing":
        side = (plant.rows if kind == "row" else plant.racks).facing[slot] if kind in ("row", "rack") else 0
        return "north" if side > 0 else "south"
    if one.key == "part" and kind == "rack":
        return plant.racks.part[slot] or "plain cabinet"
    if one.key == "part" and kind == "node":
        return plant.node_parts[int(plant.nodes.part[slot])]
    return "off" if one.kind == "switch" else ""


def _rack_of(scene: EditedScene, id: str) -> str:
    kind, slot = scene.plant.slots.get(id, ("", -1))
    if kind != "node":
        raise CommandError(f"{item_of(scene.scenario, id).id} is in no rack")
    return scene.plant.racks.ids[int(scene.plant.nodes.rack[slot])]


def _value(model: BaseModel | None, key: str) -> Any:
    known = fields_of(type(model)).get(key) if model is not None else None
    return getattr(model, known[0]) if known is not None else None


def _text(value: Any, one: Property) -> str:
    if value is None:
        return ""
    if one.kind == "quantity" and isinstance(value, int | float):
        return rendered(float(value), one.dimension)
    if isinstance(value, tuple):
        return BETWEEN.join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
