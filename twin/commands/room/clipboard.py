"""Copies of items as text of a scene, to be pasted here, into another scene, or into a file by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twin.catalog import UnknownPart
from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import standing
from twin.commands.place.place import BESIDE_M, hall_slot
from twin.commands.place.rack_nodes import NodeCopy, PutNodes, heights_u
from twin.commands.room.insert_snippet import Planter
from twin.commands.room.pasted_text import left_out, read
from twin.commands.room.snippet import JOINS, SECTIONS, Fragment, gathered, rows_of
from twin.language import counted, tr
from twin.scenario import Patch
from twin.scenario.text.emit import block

LARGEST = 500_000
"""Characters of a text that may be pasted."""

HEAD = "# Copied from a gpu-twin scene: {what}. Paste it into another one."


def copied(scene: EditedScene, ids: tuple[str, ...]) -> str:
    """Return some items as text of a scene.

    Rows stand under ``halls``; a thing that stays and joins them, such as a fabric, is named with what it joins alone.
    Nodes are items of a rack that is not in the text, one on another.

    Raises
    ------
    CommandError
        When one of them cannot be copied.
    """
    fragment = gathered(scene, ids)
    whole: dict[str, Any] = {}
    if fragment.rows:
        overrides = {
            item: about for rows in fragment.rows for item, about in rows.get("overrides", {}).items()
        }
        rows = [{key: value for key, value in rows.items() if key != "overrides"} for rows in fragment.rows]
        whole["halls"] = [{"id": "copied", "rows": rows} | ({"overrides": overrides} if overrides else {})]
    if fragment.nodes:
        whole["halls"] = [{"id": "copied", "overrides": _stacked(scene, fragment.nodes)}]
    for section in (*SECTIONS, "partitions"):
        joins = fragment.joins.get(section, {})
        entries = [
            *fragment.entries.get(section, ()),
            *({"id": name, JOINS[section]: members} for name, members in joins.items()),
        ]
        if entries and section.startswith("cooling."):
            whole.setdefault("cooling", {})[section.partition(".")[2]] = entries
        elif entries:
            whole[section] = entries
    return HEAD.format(what=counted(len(ids), "item")) + "\n" + block(whole)


def _stacked(scene: EditedScene, nodes: tuple[NodeCopy, ...]) -> dict[str, Any]:
    """Return nodes as items of a rack, one on another."""
    found, u = dict[str, Any](), 1
    for k, (node, high_u) in enumerate(zip(nodes, heights_u(scene, nodes), strict=True)):
        found[f"copied/0/0/{k}"] = {"part": node.part, "u": u} | ({"drained": True} if node.drained else {})
        u += high_u
    return found


def pasted(text: str) -> Fragment:
    """Return the fragment in a text; nothing in it is ever executed.

    Raises
    ------
    CommandError
        When the text is too large, is no text of a scene, or holds nothing to paste or something wrong.
    """
    if len(text) > LARGEST:
        raise CommandError(
            tr("the text has {text_count:,} characters", text_count=len(text)),
            tr("at most {largest:,} can be pasted", largest=LARGEST),
        )
    text_keys = read(text).plain()
    found = Fragment()
    for hall in _entries(text_keys.get("halls")):
        overrides = _group(hall.get("overrides"))
        for entry in _entries(hall.get("rows")):
            rows_of(entry)
            own_overrides = {
                str(item): about
                for item, about in overrides.items()
                if str(item).partition("/")[0] == entry["id"] and isinstance(about, dict)
            }
            found.rows.append(entry | ({"overrides": own_overrides} if own_overrides else {}))
    cooling = _group(text_keys.get("cooling"))
    for section in (*SECTIONS, "partitions"):
        key = section.partition(".")[2]
        for entry in _entries(cooling.get(key) if key else text_keys.get(section)):
            joins = JOINS.get(section)
            if joins is not None and set(entry) <= {"id", joins}:
                members = [str(name) for name in entry.get(joins) or ()]
                found.joins.setdefault(section, {})[entry["id"]] = members
            elif section != "partitions":
                found.entries.setdefault(section, []).append(entry)
    inside = found.ids
    if not inside:
        found.nodes = _nodes(text_keys)
        if not found.nodes:
            raise CommandError(
                tr("the text has no rows, nodes, power stages, loops, fabrics or storage systems")
            )
    if len(set(inside)) < len(inside):
        raise CommandError(tr("the text has a duplicate id"))
    for by_id in found.joins.values():
        for name, members in by_id.items():
            by_id[name] = [member for member in members if member in inside]
    return found


def _nodes(text_keys: dict[str, Any]) -> tuple[NodeCopy, ...]:
    """Return the nodes of a text that has no racks, in its order."""
    found = []
    for hall in _entries(text_keys.get("halls")):
        for item, about in _group(hall.get("overrides")).items():
            if str(item).count("/") == 3 and isinstance(about, dict) and isinstance(about.get("part"), str):
                found.append(NodeCopy(about["part"], about.get("drained") is True))
    return tuple(found)


def _group(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return the entries with an id of a list."""
    if not isinstance(value, list):
        return []
    return [
        entry
        for entry in value
        if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]
    ]


@dataclass(frozen=True)
class Paste:
    """Put the items of a text into the scene under fresh ids.

    Parameters
    ----------
    text
        As `copied` gives it, or a whole scene.
    at
        Middle of all its racks in coordinates of the site [m]; None: beside what stands there.
    hall
        Where; "": the first.
    rack, u
        Of nodes: rack they go into, and the lowest unit of the lowest; 0: each where it finds room first.
    """

    text: str
    at: tuple[float, float] | None = None
    hall: str = ""
    rack: str = ""
    u: int = 0

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Paste")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        nodes = pasted(self.text).nodes
        if nodes and not self.rack:
            raise CommandError(tr("choose a rack for the nodes"))
        if nodes:
            return PutNodes(nodes, self.rack, self.u).patch(scene)
        return self._planted(scene)[0].patch(self.title)

    def notices(self, scene: EditedScene) -> list[str]:
        """Return a sentence on each item that is left out; raises as `patch`."""
        return self._planted(scene)[1]

    def _planted(self, scene: EditedScene) -> tuple[Changes, list[str]]:
        fragment = pasted(self.text)
        changes = Changes(scene)
        if fragment.nodes:
            return changes, []
        planter = Planter(changes, self.hall)
        try:
            planter.plant(fragment, way_to(scene, fragment, self.hall, self.at))
            planter.close()
        except UnknownPart as error:  # such as a switch where a node belongs
            raise CommandError(str(error)) from None
        stays = left_out(self.text)
        behind = (
            [tr("{stays} of the text are left out: they belong to no hall", stays=", ".join(stays))]
            if stays
            else []
        )
        return changes, [*planter.notices, *behind]


def way_to(
    scene: EditedScene, fragment: Fragment, hall: str, at: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the distance that brings the middle of a fragment to a place, or without one beside all else [m]."""
    slot = hall_slot(scene, hall)
    boxes, shift_m = fragment.boxes(scene, slot), float(scene.plant.halls.shift_x_m[slot])
    if not boxes.ids:
        return (0.0, 0.0) if at is None else (BESIDE_M, BESIDE_M)
    low_x_m, high_x_m = (boxes.x_m - boxes.width_m / 2).min(), (boxes.x_m + boxes.width_m / 2).max()
    low_y_m, high_y_m = (boxes.y_m - boxes.depth_m / 2).min(), (boxes.y_m + boxes.depth_m / 2).max()
    if at is not None:
        return at[0] - shift_m - float(low_x_m + high_x_m) / 2, at[1] - float(low_y_m + high_y_m) / 2
    standing_boxes = standing(scene.plant)
    in_hall = standing_boxes.hall == slot
    if not in_hall.any():
        return 0.0, 0.0
    right_m = float((standing_boxes.x_m + standing_boxes.width_m / 2)[in_hall].max()) - shift_m
    return right_m + BESIDE_M - float(low_x_m), 0.0
