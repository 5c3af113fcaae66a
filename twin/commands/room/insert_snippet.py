"""Putting a fragment into a scene: fresh ids; references inside kept, those outside where they exist."""

from __future__ import annotations

import copy
from typing import Any

from twin import units
from twin.commands.edit import names
from twin.commands.edit.changes import Changes, point, value_at
from twin.commands.edit.command import CommandError
from twin.commands.place.capacity_check import takes, unwired
from twin.commands.place.footprint import must_fit, standing
from twin.commands.place.place import hall_slot
from twin.commands.room.snippet import JOINS, SECTIONS, Fragment, rows_of
from twin.language import tr
from twin.scenario.generators import expand

_LISTS = {"fabrics": ("rows",), "power": ("feeds",), "cooling.loops": ("serves",), "storage": ("tenants",)}
_SINGLE = {
    "power": ("from", "or_from", "at"),
    "cooling.loops": ("plant",),
    "storage": ("racks", "backs"),
}


class Planter:
    """Puts fragments into one scene, all in one patch.

    Parameters
    ----------
    changes
        Collects the changes of the scene.
    hall
        Where to; "": the first.

    Attributes
    ----------
    notices
        A sentence on each item that was left out.
    """

    def __init__(self, changes: Changes, hall: str = "") -> None:
        self._changes, self._scene = changes, changes.scene
        self._slot = hall_slot(self._scene, hall)
        self._hall = self._scene.plant.halls.ids[self._slot]
        self._taken = names.hardware(self._scene.scenario)
        self._known = set(self._taken) | {tenant.id for tenant in self._scene.scenario.tenants}
        self._standing = standing(self._scene.plant, settled=True)
        self._joined: dict[str, list[str]] = {}
        self._parts: list[str] = []
        self._parts_of: dict[str, list[str]] = {}
        self.notices: list[str] = []

    def plant(self, fragment: Fragment, by_m: tuple[float, float]) -> None:
        """Put a fragment in, moved by a distance [m]; raises CommandError where it does not fit."""
        scene = self._scene
        new = {id: names.fresh(self._taken, id) for id in fragment.ids}
        boxes = fragment.boxes(scene, self._slot)
        shift_m = float(scene.plant.halls.shift_x_m[self._slot])
        must_fit(boxes.moved(boxes.x_m == boxes.x_m, by_m[0] + shift_m, by_m[1]), self._standing)
        for entry in fragment.rows:
            self._rows(entry, new, by_m)
        for section in SECTIONS:
            for entry in fragment.entries.get(section, ()):
                self._entry(section, entry, new, by_m)
        for section, joins in fragment.joins.items():
            for name, members in joins.items():
                path = f"{section}[{name}].{JOINS[section]}"
                members_before = value_at(scene, path)
                if name not in self._known and not any(
                    partition.id == name for partition in scene.scenario.partitions
                ):
                    self.notices.append(
                        tr(
                            "{name}, which {members} belonged to, is not in this scene",
                            name=name,
                            members=", ".join(members),
                        )
                    )
                elif members_before:
                    self._joined.setdefault(path, list(members_before)).extend(
                        new[member] for member in members
                    )

    def close(self) -> None:
        """Connect the copies to present fabrics and loops; fabrics without ports for them leave them out."""
        fabrics = {f"fabrics[{fabric.id}].rows": fabric for fabric in self._scene.scenario.fabrics}
        for path, after in self._joined.items():
            fabric = fabrics.get(path)
            if fabric is None or takes(
                self._scene, fabric, [part for name in after for part in self._parts_of.get(name, ())]
            ):
                self._changes.set(path, after)
            else:
                self.notices.append(
                    tr("fabric {id} has no ports for the copies: they are not cabled", id=fabric.id)
                )
        unwired(self._changes, self._parts)

    def _rows(self, source: dict[str, Any], new: dict[str, str], by_m: tuple[float, float]) -> None:
        made = rows_of(source)
        if made.racks.role == "compute":
            each = expand.node_parts(made.racks, made.racks.part, self._scene.catalog)
            each *= made.count * made.racks.count
            self._parts += each
            self._parts_of[new[made.id]] = each
        entry = copy.deepcopy({key: value for key, value in source.items() if key != "overrides"})
        entry["id"] = new[made.id]
        entry["at"] = point(made.at.x_m + by_m[0], made.at.y_m + by_m[1])
        self._changes.set(f"halls[{self._hall}].rows[{entry['id']}]", entry)
        for item, about in source.get("overrides", {}).items():
            keys = copy.deepcopy(about)
            if isinstance(keys.get("at"), dict):
                keys["at"] = _moved(keys["at"], by_m)
            if isinstance(keys.get("rack"), str):
                home, _, rest = keys["rack"].partition("/")
                if home in new:
                    keys["rack"] = f"{new[home]}/{rest}"
                else:
                    keys.pop("rack")
                    keys.pop("u", None)
            head, _, rest = item.partition("/")
            if keys:
                self._changes.override(self._hall, f"{new[head]}/{rest}", **keys)

    def _entry(
        self, section: str, source: dict[str, Any], new: dict[str, str], by_m: tuple[float, float]
    ) -> None:
        entry = copy.deepcopy(source)
        old = str(entry["id"])
        entry["id"] = new[old]
        for key in _LISTS.get(section, ()):
            if isinstance(entry.get(key), list):
                entry[key] = self._kept(old, key, entry[key], new)
        for key in _SINGLE.get(section, ()):
            if isinstance(entry.get(key), str):
                kept = self._kept(old, key, [entry[key]], new)
                if kept:
                    entry[key] = kept[0]
                else:
                    del entry[key]
        if section == "cooling.loops" and "plant" not in entry:
            plants = self._scene.scenario.cooling.plants
            if not plants:
                raise CommandError(tr("{old} needs a facility loop", old=old), tr("add one first"))
            entry["plant"] = plants[0].id
        if section == "power":
            self._keep_two_feeds(entry)
        if section == "fabrics":
            self._fabric(old, entry, new)
        places = {}
        for item, place in (entry.get("places") or {}).items():
            moved = _moved({key: value for key, value in place.items() if key != "hall"}, by_m)
            places[f"{new[old]}/{item.partition('/')[2]}"] = {"hall": self._hall, **moved}
        if places:
            entry["places"] = places
        self._changes.set(f"{section}[{entry['id']}]", entry)

    def _fabric(self, old: str, entry: dict[str, Any], new: dict[str, str]) -> None:
        """Keep the racks of switches, and cables with both ends; a fabric without rows would connect all rows."""
        for tier in ("leaf", "spine", "core"):
            home = entry.get(tier, {}).get("racks") if isinstance(entry.get(tier), dict) else None
            if isinstance(home, str):
                kept = self._kept(old, tier, [home], new)
                entry[tier].pop("racks")
                entry[tier] |= {"racks": kept[0]} if kept else {}
        links = []
        for link in entry.get("links") or []:
            ends = {key: str(link[key]) for key in ("from", "to")}
            if all(end.partition("/")[0] in new for end in ends.values()):
                moved = {
                    key: f"{new[end.partition('/')[0]]}/{end.partition('/')[2]}" for key, end in ends.items()
                }
                links.append({**link, **moved})
            else:
                self.notices.append(
                    tr(
                        "a cable of {old} from {ends} to {end} is left out",
                        old=old,
                        ends=ends["from"],
                        end=ends["to"],
                    )
                )
        if "links" in entry:
            entry["links"] = links
            if not links:
                del entry["links"]
        if not entry.get("rows"):
            raise CommandError(
                tr("fabric {old} would connect no pasted row", old=old), tr("copy its rows with it")
            )

    def _keep_two_feeds(self, entry: dict[str, Any]) -> None:
        """Leave out consumers that have two feeds already."""
        fed = [name for stage in self._scene.scenario.power for name in stage.feeds]
        kept = [name for name in entry.get("feeds", ()) if fed.count(name) < 2]
        if "feeds" in entry and len(kept) < len(entry["feeds"]):
            left = ", ".join(name for name in entry["feeds"] if name not in kept)
            self.notices.append(
                tr("{entry} does not feed {left}: two stages do", entry=entry["id"], left=left)
            )
            entry["feeds"] = kept

    def _kept(self, old: str, key: str, refs: list[Any], new: dict[str, str]) -> list[str]:
        """Return references inside the fragment by their new ids, and those outside that exist."""
        found = []
        for ref in map(str, refs):
            if ref in new:
                found.append(new[ref])
            elif ref in self._known:
                found.append(ref)
            else:
                self.notices.append(
                    tr("{key} of {old} named {ref}, which is not in this scene", key=key, old=old, ref=ref)
                )
        return found


def _moved(place: dict[str, Any], by_m: tuple[float, float]) -> dict[str, str]:
    """Return a place of a file moved by a distance."""
    x_m, y_m = (units.parse(str(place.get(axis, "0 m")), "length") for axis in ("x", "y"))
    return point(x_m + by_m[0], y_m + by_m[1])
