"""References to deleted items: rows of fabrics and jobs, feeds, loops, targets, members of groups, cables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr

Gone = Callable[[str], bool]
"""Whether an id goes."""

_LISTS = {
    "fabrics": ("rows",),
    "power": ("feeds",),
    "cooling.loops": ("serves",),
    "storage": ("tenants",),
    "jobs": ("rows",),
    "streams": ("rows",),
    "partitions": ("rows", "tenants"),
    "reservations": ("rows", "tenants", "jobs"),
    "groups": ("members",),
    "rentals": ("members",),
}
"""Lists of ids by where they stand."""

_SINGLE = {
    "power": ("from", "or_from", "at"),
    "storage": ("racks", "backs"),
    "jobs": ("storage", "tenant", "partition"),
    "streams": ("storage", "tenant", "partition"),
}
"""Single ids that may as well be missing."""

_EMPTY = {"fabrics": "rows", "partitions": "rows", "groups": "members", "rentals": "members"}
"""Things that are gone with the last of their list: without it they would mean all there is, or cannot be."""

_TARGETS = ("power_caps", "interventions", "exclusions")
"""Things that are gone with what they name under ``target``."""


def cut(changes: Changes, gone: Gone) -> list[str]:
    """Remove all references to deleted items; return the paths of the entries that changed.

    A power stage below one that goes hangs on what was above it. A thing that nothing is left of goes too, and what
    refers to it in turn.

    Raises
    ------
    CommandError
        When an entry needs the deleted item: a loop needs its facility loop.
    """
    scene = changes.scene
    touched: list[str] = []
    more: set[str] = set()
    for where, keys in _LISTS.items():
        for name, entry in _named(scene, where):
            if gone(name):
                continue
            for key in keys:
                before = [item for item in entry.get(key) or () if isinstance(item, str)]
                left = [item for item in before if not gone(item)]
                if len(left) == len(before):
                    continue
                touched.append(f"{where}[{name}]")
                if not left and _EMPTY.get(where) == key:
                    changes.take(f"{where}[{name}]")
                    more.add(name)
                elif not left and key != "serves":
                    changes.clear(f"{where}[{name}].{key}", [])
                else:
                    changes.set(f"{where}[{name}].{key}", left)
    for where, single in _SINGLE.items():
        for name, entry in _named(scene, where):
            if gone(name):
                continue
            for key in single:
                if isinstance(entry.get(key), str) and gone(entry[key]):
                    touched.append(f"{where}[{name}]")
                    above = _above(scene, entry[key], gone) if key == "from" else None
                    if above is not None:
                        changes.set(f"{where}[{name}].{key}", above)
                    else:
                        changes.clear(f"{where}[{name}].{key}")
    _loops(scene, gone)
    _homes(changes, gone, touched)
    _tiers(changes, gone, touched)
    _checkpoints(changes, gone, touched)
    _traces(changes, gone, touched)
    _targets(changes, gone, touched)
    if more:
        touched += cut(changes, lambda id: id.partition("/")[0] in more)
    return list(dict.fromkeys(touched))


def _named(scene: EditedScene, where: str) -> list[tuple[str, dict[str, Any]]]:
    """Return (id, entry) of a list."""
    found = value_at(scene, where) or []
    return [(entry["id"], entry) for entry in found if isinstance(entry, dict) and "id" in entry]


def _above(scene: EditedScene, stage: str, gone: Gone) -> str | None:
    """Return the nearest stage above a deleted one that stays."""
    sources = {stage.id: stage.source for stage in scene.scenario.power}
    above = sources.get(stage)
    while above is not None and gone(above):
        above = sources.get(above)
    return above


def _loops(scene: EditedScene, gone: Gone) -> None:
    """Raise CommandError when a remaining loop would lose its facility loop."""
    for loop in scene.scenario.cooling.loops:
        if gone(loop.plant) and not gone(loop.id):
            hint = tr("connect {id} to another facility loop first, or delete it too", id=loop.id)
            raise CommandError(tr("{plant} takes the heat of {id}", plant=loop.plant, id=loop.id), hint)


def _homes(changes: Changes, gone: Gone, touched: list[str]) -> None:
    """Return moved nodes of a deleted rack to their own racks; delete added nodes with it."""
    for hall in changes.scene.scenario.halls:
        for item, override in hall.overrides.items():
            if override.rack is None or not gone(override.rack) or gone(item):
                continue
            touched.append(item)
            if override.part is not None and override.u is not None:
                changes.forget(hall.id, item)
            else:
                changes.override(hall.id, item, rack=None, u=None)


def _tiers(changes: Changes, gone: Gone, touched: list[str]) -> None:
    """Remove deleted racks of switches, and cables with a deleted end."""
    for name, fabric in _named(changes.scene, "fabrics"):
        if gone(name):
            continue
        for tier in ("leaf", "spine", "core"):
            group = fabric.get(tier)
            if isinstance(group, dict) and isinstance(group.get("racks"), str) and gone(group["racks"]):
                changes.clear(f"fabrics[{name}].{tier}.racks")
                touched.append(f"fabrics[{name}]")
        links = fabric.get("links") or []
        left = [link for link in links if not gone(link["from"]) and not gone(link["to"])]
        if len(left) < len(links):
            touched.append(f"fabrics[{name}]")
            if left:
                changes.set(f"fabrics[{name}].links", left)
            else:
                changes.clear(f"fabrics[{name}].links", [])


def _checkpoints(changes: Changes, gone: Gone, touched: list[str]) -> None:
    for where in ("jobs", "streams"):
        for name, entry in _named(changes.scene, where):
            held = entry.get("checkpoint")
            if isinstance(held, dict) and isinstance(held.get("storage"), str) and gone(held["storage"]):
                changes.clear(f"{where}[{name}].checkpoint.storage")
                touched.append(f"{where}[{name}]")
            tiers = held.get("tiers") or [] if isinstance(held, dict) else []
            left = [tier for tier in tiers if not gone(str(tier.get("storage", "")))]
            if len(left) < len(tiers):
                changes.set(f"{where}[{name}].checkpoint.tiers", left)
                touched.append(f"{where}[{name}]")


def _traces(changes: Changes, gone: Gone, touched: list[str]) -> None:
    for name, trace in _named(changes.scene, "traces"):
        rows = (trace.get("map") or {}).get("rows") or []
        left = [row for row in rows if not gone(row)]
        if len(left) < len(rows):
            changes.set(f"traces[{name}].map.rows", left)
            touched.append(f"traces[{name}]")


def _targets(changes: Changes, gone: Gone, touched: list[str]) -> None:
    """Remove interventions on deleted items, and limits and exclusions that name them."""
    for where in _TARGETS:
        items = value_at(changes.scene, where) or []
        stay = [entry for entry in items if not _aims(entry, gone)]
        if len(stay) == len(items):
            continue
        touched.append(where)
        if not stay:
            changes.clear(where, [])
        elif all("id" in entry for entry in items):
            kept = {entry["id"] for entry in stay}
            for entry in items:
                if entry["id"] not in kept:
                    changes.take(f"{where}[{entry['id']}]")
        else:
            changes.set(where, stay)


def _aims(entry: Any, gone: Gone) -> bool:
    target = entry.get("target") if isinstance(entry, dict) else None
    return isinstance(target, str) and any(gone(end) for end in target.split("~") if end)
