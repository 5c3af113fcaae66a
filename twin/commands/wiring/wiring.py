"""Connecting two items and disconnecting them: rows, loops, stages, nodes and switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twin.commands.edit.addressables import SceneItem, item_of, titled
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.wiring.cable_reach import must_reach
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import size_of
from twin.scenario.schema.systems import Fabric

_FED = ("rows", "loops", "plant")


def whole(scene: EditedScene, id: str) -> SceneItem:
    """Return the item of the file for an id: the generator of a rack, loop or power item."""
    item = item_of(scene.scenario, id)
    return item if item.kind in ("node", "switch") else item_of(scene.scenario, item.generator)


@dataclass(frozen=True)
class Connect:
    """Connect two items, in either order.

    A fabric takes rows; a power stage feeds rows, loops or facility loops, or supplies another stage; a loop cools
    rows; a facility loop takes the heat of a loop; in an explicit fabric a cable joins nodes and switches.

    Parameters
    ----------
    source, target
        What to join; racks, loops and power items stand for their generators.
    cables
        Between nodes and switches.
    """

    source: str
    target: str
    cables: int = 1

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Connect {source} to {target}", source=self.source, target=self.target)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        for a, b in self._both_ways(scene):
            if a.kind == "fabric" and b.kind == "rows":
                _join_fabric(changes, a, b)
            elif a.kind == "stage" and b.kind in _FED:
                _feed(changes, a, b)
            elif a.kind == "loops" and b.kind == "rows":
                _listed(changes, f"{a.path}.serves", b.id, tr("{id} cools {b} already", id=a.id, b=b.id))
            elif a.kind == "plant" and b.kind == "loops":
                changes.set(f"{b.path}.plant", a.id)
            elif {a.kind, b.kind} <= {"node", "switch"} and a.id != b.id:
                _cable(changes, a, b, self.cables)
            else:
                continue
            return changes.patch(self.title)
        a, b = (whole(scene, id) for id in (self.source, self.target))
        if a.kind == b.kind == "stage" and a.id != b.id:
            changes.set(f"{b.path}.from", a.id)
            return changes.patch(self.title)
        hint = tr("fabrics connect rows; stages feed rows, loops and facility loops; loops cool rows")
        raise CommandError(
            tr(
                "a {kind} and a {titled_2} are not connected",
                kind=titled(a.kind),
                titled_2=titled(b.kind),
            ),
            hint,
        )

    def _both_ways(self, scene: EditedScene) -> list[tuple[SceneItem, SceneItem]]:
        a, b = (whole(scene, id) for id in (self.source, self.target))
        return [(a, b), (b, a)]


@dataclass(frozen=True)
class Disconnect:
    """Disconnect two items that `Connect` joins."""

    source: str
    target: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Disconnect {source} from {target}", source=self.source, target=self.target)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        source, target = (whole(scene, id) for id in (self.source, self.target))
        for a, b in ((source, target), (target, source)):
            if a.kind == "fabric" and b.kind == "rows":
                _leave_fabric(changes, a, b)
            elif a.kind == "stage" and b.kind in _FED:
                _unlisted(changes, f"{a.path}.feeds", b.id, tr("{id} does not feed {b}", id=a.id, b=b.id))
            elif a.kind == "loops" and b.kind == "rows":
                _unlisted(changes, f"{a.path}.serves", b.id, tr("{id} does not cool {b}", id=a.id, b=b.id))
            elif a.kind == "plant" and b.kind == "loops":
                raise CommandError(
                    tr("{id} needs a facility loop", id=b.id), tr("connect it to another one instead")
                )
            elif {a.kind, b.kind} <= {"node", "switch"}:
                _uncable(changes, a, b)
            elif a.kind == b.kind == "stage" and self._above(changes, a, b):
                pass
            else:
                continue
            return changes.patch(self.title)
        raise CommandError(
            tr("{source} and {target} are not connected", source=self.source, target=self.target)
        )

    def _above(self, changes: Changes, a: SceneItem, b: SceneItem) -> bool:
        """Remove the key that names a stage as the source of another; return whether there is one."""
        found = [
            key for key in ("from", "or_from", "at") if value_at(changes.scene, f"{b.path}.{key}") == a.id
        ]
        for key in found:
            changes.clear(f"{b.path}.{key}")
        return bool(found)


def _listed(changes: Changes, path: str, id: str, already: str) -> None:
    listed = list(value_at(changes.scene, path) or [])
    if id in listed:
        raise CommandError(already)
    changes.set(path, [*listed, id])


def _unlisted(changes: Changes, path: str, id: str, missing: str) -> None:
    listed = list(value_at(changes.scene, path) or [])
    if id not in listed:
        raise CommandError(missing)
    changes.set(path, [item for item in listed if item != id])


def _feed(changes: Changes, stage: SceneItem, fed: SceneItem) -> None:
    feeders = [stage.id for stage in changes.scene.scenario.power if fed.id in stage.feeds]
    if stage.id in feeders:
        raise CommandError(tr("{id} feeds {fed} already", id=stage.id, fed=fed.id))
    if len(feeders) >= 2:
        reason = tr(
            "{id} is fed by {feeders} and {second_feeder} already",
            id=fed.id,
            feeders=feeders[0],
            second_feeder=feeders[1],
        )
        raise CommandError(reason, tr("at most two feeds, A and B: disconnect one first"))
    _listed(changes, f"{stage.path}.feeds", fed.id, "")


def _fabric(scene: EditedScene, name: str) -> Fabric:
    return next(fabric for fabric in scene.scenario.fabrics if fabric.id == name)


def _join_fabric(changes: Changes, fabric: SceneItem, rows: SceneItem) -> None:
    scene = changes.scene
    entry = _fabric(scene, fabric.id)
    if rows.id in entry.rows:
        raise CommandError(tr("fabric {id} connects {rows} already", id=fabric.id, rows=rows.id))
    if not entry.rows and entry.kind != "explicit":
        raise CommandError(tr("fabric {id} connects every node already", id=fabric.id))
    path = f"{fabric.path}.rows"
    changes.set(path, [*entry.rows, rows.id])


def _leave_fabric(changes: Changes, fabric: SceneItem, rows: SceneItem) -> None:
    scene = changes.scene
    entry = _fabric(scene, fabric.id)
    every = [
        row_generator.id
        for hall in scene.scenario.halls
        for row_generator in hall.rows
        if row_generator.racks.role == "compute"
    ]
    joined = list(entry.rows) or every
    if rows.id not in joined:
        raise CommandError(tr("fabric {id} does not connect {rows}", id=fabric.id, rows=rows.id))
    if joined == [rows.id]:
        raise CommandError(
            tr("{id} is the only row of fabric {fabric}", id=rows.id, fabric=fabric.id),
            tr("delete the fabric instead"),
        )
    changes.set(f"{fabric.path}.rows", [name for name in joined if name != rows.id])


def _explicit(scene: EditedScene, a: SceneItem, b: SceneItem) -> Fabric:
    """Return the explicit fabric of two ends."""
    names = {end.generator for end in (a, b) if end.kind == "switch"}
    if len(names) == 2:
        raise CommandError(tr("{id} and {b} are switches of two fabrics", id=a.id, b=b.id))
    for fabric in scene.scenario.fabrics:
        if (fabric.id in names or not names) and fabric.kind == "explicit":
            return fabric
    if names:
        name = names.pop()
        kind = _fabric(scene, name).kind
        raise CommandError(
            tr("fabric {name} is {kind}: its topology sets the cables", name=name, kind=kind),
            tr("cables one by one are for explicit fabrics"),
        )
    raise CommandError(tr("only an explicit fabric joins two nodes directly"), tr("add a switch first"))


def _cable(changes: Changes, a: SceneItem, b: SceneItem, cables: int) -> None:
    """Add cables between two ends of an explicit fabric; raises CommandError where a port or the reach is missing."""
    scene = changes.scene
    if cables < 1:
        raise CommandError(tr("{cables} is not a number of cables", cables=cables))
    fabric = _explicit(scene, a, b)
    free = free_ports(scene, fabric)
    for end in (a, b):
        if end.id not in free:
            noun = "switch" if end.kind == "switch" else "node"
            raise CommandError(tr("fabric {id} has no {noun} {end}", id=fabric.id, noun=noun, end=end.id))
        if free[end.id] < cables:
            noun = "ports" if end.kind == "switch" else "NICs"
            raise CommandError(
                tr(
                    "{id} has {free} {noun} free, but this needs {cables}",
                    id=end.id,
                    free=free[end.id],
                    noun=noun,
                    cables=cables,
                )
            )
    must_reach(scene, a.id, b.id, fabric.cable)
    links: list[dict[str, Any]] = [
        dict(link) for link in value_at(scene, f"fabrics[{fabric.id}].links") or []
    ]
    for link in links:
        if {link["from"], link["to"]} == {a.id, b.id}:
            link["cables"] = int(link.get("cables", 1)) + cables
            break
    else:
        links.append({"from": a.id, "to": b.id} | ({"cables": cables} if cables > 1 else {}))
    changes.set(f"fabrics[{fabric.id}].links", links)


def _uncable(changes: Changes, a: SceneItem, b: SceneItem) -> None:
    fabric = _explicit(changes.scene, a, b)
    links = value_at(changes.scene, f"fabrics[{fabric.id}].links") or []
    left = [link for link in links if {link["from"], link["to"]} != {a.id, b.id}]
    if len(left) == len(links):
        raise CommandError(tr("no cable connects {id} and {b}", id=a.id, b=b.id))
    if left:
        changes.set(f"fabrics[{fabric.id}].links", left)
    else:
        changes.clear(f"fabrics[{fabric.id}].links", [])


def free_ports(scene: EditedScene, fabric: Fabric) -> dict[str, int]:
    """Return end of an explicit fabric -> ports or cards without a cable."""
    nodes = connected(scene.scenario, fabric, scene.catalog)
    size = size_of(fabric, scene.catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
    free = {node: cards * fabric.homes for node, cards in nodes.cards.items()}
    tiers = ((size.leaf, size.leaves), (size.spine, size.spines), (size.core, size.cores))
    for level, (ports, count) in enumerate(tiers):
        if ports is not None:
            free |= {f"{fabric.id}/{level}/{n}": ports.count for n in range(count)}
    for link in fabric.links:
        for end in (link.source, link.target):
            free[end] = free.get(end, 0) - link.cables
    return free
