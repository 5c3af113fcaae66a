"""A text that was copied, on its way into the hall: racks over the floor, nodes into the units of a rack."""

from __future__ import annotations

import numpy as np

from twin.app.placing.payload import CABINET_M, Carried, RackPlace
from twin.catalog import Catalog, UnknownPart
from twin.commands.budget.part_load import PartLoad
from twin.commands.edit.command import Command, EditedScene
from twin.commands.place.floor_plan import MovedShape
from twin.commands.place.rack_nodes import heights_u
from twin.commands.place.snap import LandingPlace
from twin.commands.room.clipboard import Paste, pasted
from twin.commands.room.pasted_text import left_out, must_know_parts
from twin.commands.room.snippet import Fragment
from twin.commands.room.snippet_load import fragment_load
from twin.language import tr
from twin.scenario import ScenarioError


def carried_text(scene: EditedScene, text: str) -> Carried | None:
    """Return what a text holds, as `clipboard.copied` gives it, on its way into the hall.

    None: nothing of it stands on the floor. Raises CommandError when it holds nothing, or something wrong.
    """
    fragment = pasted(text)
    must_know_parts(text, scene.catalog)
    if fragment.nodes:
        return _carried_nodes(scene, fragment, text)
    boxes = fragment.boxes(scene, 0)
    if not boxes.ids:
        return None
    low = np.stack([boxes.x_m - boxes.width_m / 2, boxes.y_m - boxes.depth_m / 2], axis=1).min(axis=0)
    high = np.stack([boxes.x_m + boxes.width_m / 2, boxes.y_m + boxes.depth_m / 2], axis=1).max(axis=0)
    middle = (low + high) / 2
    first = boxes.x_m[0] - middle[0], boxes.y_m[0] - middle[1]
    facing = np.full(len(boxes.ids), _facing_of(fragment), np.int32)
    shape = MovedShape(
        boxes.x_m - boxes.x_m[0], boxes.y_m - boxes.y_m[0], boxes.width_m, boxes.depth_m, facing
    )

    def on_floor(place: LandingPlace, facing: int, hall: str) -> Command:
        return Paste(text, (place.x_m - float(first[0]), place.y_m - float(first[1])), hall)

    count = len(boxes.ids)
    title = "1 rack pasted" if count == 1 else tr("{count:,} items pasted", count=count)
    stays = left_out(text)
    title += tr(", without {stays}", stays=", ".join(stays)) if stays else ""
    load, joins = _load(fragment, scene.catalog), tuple(fragment.joins.get("fabrics", ()))
    return Carried(
        title, shape, (CABINET_M[2],) * count, load=load, joins=joins, on_floor=on_floor, fixed=True
    )


def _carried_nodes(scene: EditedScene, fragment: Fragment, text: str) -> Carried:
    nodes = fragment.nodes
    height_u = sum(heights_u(scene, nodes))

    def in_rack(place: RackPlace) -> Command:
        return Paste(text, rack=place.rack, u=place.u)

    title = (
        tr("{part} pasted", part=nodes[0].part)
        if len(nodes) == 1
        else tr("{nodes:,} nodes pasted", nodes=len(nodes))
    )
    load = _load(fragment, scene.catalog)
    return Carried(title, None, height_u=height_u, load=load, in_rack=in_rack)


def _load(fragment: Fragment, catalog: Catalog) -> PartLoad | None:
    """Return what it asks of the site; None where that cannot be told before it is put down."""
    try:
        return fragment_load(fragment, catalog)
    except (ScenarioError, UnknownPart):
        return None


def _facing_of(fragment: Fragment) -> int:
    """Return the side all fronts look to; 0 when they differ."""
    facings = {str(row.get("facing", "alternate")) for row in fragment.rows}
    many = any(int(row.get("count", 1)) > 1 for row in fragment.rows)
    if len(facings) != 1 or (many and facings == {"alternate"}):
        return 0
    return 1 if facings == {"north"} else -1
