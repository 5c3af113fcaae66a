"""Feeds by rule: each consumer is fed by the nearest stages with capacity left, A and B on separate paths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import PduPart
from twin.commands.budget.budget import item_capacity_w
from twin.commands.edit import names
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.place import supplier
from twin.commands.wiring.power_chain import Outlets, power_chain, upper_chain
from twin.commands.wiring.redundancy import PowerMeans
from twin.commands.wiring.unconnected import unfed
from twin.language import tr
from twin.plant.design_load import DesignLoad, loop_design_w, plant_design_w, rack_design_w
from twin.scenario.schema.electricity import PowerStage

FEEDING = ("pdu", "busbar")
"""Kinds of stage that things hang on."""

USUAL_PDU = "floor-PDU"
MARGIN = 1.05
"""What is added could deliver so much more than it has to."""


_RACKS, _LOOPS, _PLANTS = range(3)


@dataclass(frozen=True)
class _Consumer:
    """A consumer: its id, peak power of each item [W], place [m], and its feeds so far.

    `table`: racks, loops or facility loops; those of one table are shared out over the items of a stage together.
    """

    id: str
    table: int
    each_w: Floats
    at_m: tuple[float, float]
    fed_by: list[str]

    @property
    def mechanical(self) -> bool:
        return self.table == _PLANTS

    @property
    def load_w(self) -> float:
        return float(self.each_w.sum())


def wire_power(changes: Changes, means: PowerMeans, add: bool) -> int:
    """Feed all consumers without power; return the number of new feeds.

    With `add`, a scene without any stage gets the whole chain up to the utility.

    Raises
    ------
    CommandError
        When no stage has capacity left for a first feed.
    """
    scene = changes.scene
    if add and not scene.scenario.power:
        return _whole_chain(changes, means)
    tree = _Tree(scene)
    laid = 0
    added: dict[str, list[_Consumer]] = {}
    for consumer in _underfed(scene, means.feeds):
        if not changes.concerns(consumer.id):
            continue
        for side in range(len(consumer.fed_by), means.paths if consumer.mechanical else means.feeds):
            stage = tree.nearest(consumer)
            if stage is None and not add:
                if side:
                    break  # a second feed is wished for, not needed
                raise CommandError(
                    tree.why_none(consumer),
                    tr("put more PDUs into the hall, or allow missing equipment to be added"),
                )
            if stage is None:
                added.setdefault("plant" if consumer.mechanical else "ab"[side], []).append(consumer)
                consumer.fed_by.append("")
            else:
                tree.feed(stage, consumer)
                consumer.fed_by.append(stage)
            laid += 1
    for stage, fed in tree.fed.items():
        changes.set(f"power[{stage}].feeds", fed)
    taken = names.hardware(scene.scenario)
    for side_name, consumers in added.items():
        _add_stage(changes, taken, side_name, consumers)
    return laid


def _whole_chain(changes: Changes, means: PowerMeans) -> int:
    """Add all stages that unfed racks, loops and facility loops need; return how many consumers they feed."""
    scene, taken = changes.scene, names.hardware(changes.scene.scenario)
    only = {consumer.id for consumer in _underfed(scene, means.feeds) if changes.concerns(consumer.id)}
    if not only:
        return 0
    for entry in power_chain(scene.plant, scene.catalog, means, only, partial(names.fresh, taken)):
        changes.set(f"power[{entry['id']}]", entry)
    return len(only)


def wire_roots(changes: Changes, means: PowerMeans) -> int:
    """Supply PDUs and busways that nothing supplies from the UPS there is, else from a new chain; return how many."""
    scene = changes.scene
    roots = [stage for stage in scene.scenario.power if stage.kind in FEEDING and not _supplied(stage)]
    roots = [stage for stage in roots if changes.concerns(stage.id)]
    if not roots:
        return 0
    known = supplier(scene, "pdu")
    if known and known not in {stage.id for stage in roots}:
        sources = dict.fromkeys(("", "-a", "-b"), known)
    else:
        taken, most_w = names.hardware(scene.scenario), DesignLoad(scene.plant, scene.catalog).most_w()
        sides: dict[int, list[Outlets]] = {}
        for stage in roots:
            items = np.flatnonzero(scene.plant.power.stage == scene.scenario.power.index(stage))
            part = stage.part or USUAL_PDU
            outlet = Outlets(stage.id, stage.kind, part, stage.units, stage.feeds, most_w[items])
            sides.setdefault(max(0, int(scene.plant.power.feed[items[0]])), []).append(outlet)
        heaviest = max(
            sides.values(), key=lambda outlets: sum(float(outlet.out_w.sum()) for outlet in outlets)
        )
        carried = (
            heaviest if means.paths == 2 else [outlet for outlets in sides.values() for outlet in outlets]
        )
        made = upper_chain(scene.catalog, means, carried, named=partial(names.fresh, taken))
        for entry in made.stages:
            changes.set(f"power[{entry['id']}]", entry)
        sources = made.sources
    for stage in roots:
        item = int(np.flatnonzero(scene.plant.power.stage == scene.scenario.power.index(stage))[0])
        side = "-b" if scene.plant.power.feed[item] == 1 else "-a"
        changes.set(f"power[{stage.id}].from", sources.get(side) or next(iter(sources.values())))
    return len(roots)


def _supplied(stage: PowerStage) -> bool:
    return stage.source is not None or stage.spare_source is not None


def _add_stage(changes: Changes, taken: set[str], side: str, consumers: list[_Consumer]) -> None:
    """Add the PDUs that consumers need, below the stage that supplies them best."""
    part = changes.scene.catalog.pdu(USUAL_PDU)
    assert isinstance(part, PduPart)
    name = names.fresh(taken, f"pdu-{side}")
    entry: dict[str, Any] = {"id": name, "kind": "pdu", "part": part.id}
    count, units = _size(consumers, part.capacity_w)
    entry |= {"count": count} if count > 1 else {}
    entry |= {"units": units} if units > 1 else {}
    above = supplier(changes.scene, "pdu")
    entry |= {"from": above} if above else {}
    fed = [consumer.id for consumer in consumers]
    changes.set(f"power[{name}]", {**entry, "feeds": fed, "breaker": {"rating": "125 %"}})


def _size(consumers: list[_Consumer], capacity_w: float) -> tuple[int, int]:
    """Return the number of items, and of units in each, with which each item carries its share of the load."""
    tables = [
        [consumer.each_w for consumer in consumers if consumer.table == table]
        for table in (_RACKS, _LOOPS, _PLANTS)
    ]
    shared_w = [np.concatenate(each) for each in tables if each]
    most = max(map(len, shared_w))
    units = max(1, math.ceil(max(float(each.max()) for each in shared_w) * MARGIN / capacity_w))
    while True:
        for count in range(1, most + 1):
            load_w = np.zeros(count)
            for each_w in shared_w:
                np.add.at(load_w, np.arange(len(each_w)) * count // len(each_w), each_w)
            if load_w.max() * MARGIN <= units * capacity_w:
                return count, units
        units += 1


def _underfed(scene: EditedScene, feeds: int) -> list[_Consumer]:
    """Return the consumers with fewer feeds than asked for, those without any first."""
    plant, catalog = scene.plant, scene.catalog
    loads = rack_design_w(plant, catalog), loop_design_w(plant, catalog), plant_design_w(plant, catalog)
    loose = {unconnected.id: unconnected.second for unconnected in unfed(scene)}
    fed_by: dict[str, list[str]] = {}
    for stage in scene.scenario.power:
        for name in stage.feeds:
            fed_by.setdefault(name, []).append(stage.id)
    wanted = dict.fromkeys(loose)
    if loose:  # where there was no power at all, machines hung on the house supply
        wanted |= dict.fromkeys(loop.id for loop in scene.scenario.cooling.loops if loop.id not in fed_by)
        wanted |= dict.fromkeys(water.id for water in scene.scenario.cooling.plants if water.id not in fed_by)
    if feeds > 1:
        racks = [rows.id for hall in scene.scenario.halls for rows in hall.rows]
        wanted |= dict.fromkeys(name for name in racks if len(fed_by.get(name, ())) == 1)
    found = []
    for name in wanted:
        each_w, at_m, table = np.zeros(1), (0.0, 0.0), _RACKS
        if name in plant.plants.ids:
            each_w, table = loads[_PLANTS][[plant.plants.ids.index(name)]], _PLANTS
        else:
            for kind, units in ((_RACKS, plant.racks), (_LOOPS, plant.loops)):
                slots = [slot for slot, id in enumerate(units.ids) if id.partition("/")[0] == name]
                if slots:
                    each_w, table = loads[kind][slots], kind
                    at_m = float(units.x_m[slots].mean()), float(units.y_m[slots].mean())
        found.append(_Consumer(name, table, each_w, at_m, list(fed_by.get(name, ()))))
    return sorted(found, key=lambda consumer: len(consumer.fed_by))


class _Tree:
    """The stages that feed consumers, their capacity left [W], and their consumers now.

    A feed must carry a whole consumer: it does so when the other feed fails.
    """

    def __init__(self, scene: EditedScene) -> None:
        plant = scene.plant
        self._scene = scene
        self._stages = {stage.id: stage for stage in scene.scenario.power}
        self.fed: dict[str, list[str]] = {}
        capacity_w = item_capacity_w(plant)
        self._left_w: dict[str, float] = {}
        self._at_m: dict[str, tuple[float, float]] = {}
        racks = rack_design_w(plant, scene.catalog), loop_design_w(plant, scene.catalog)
        for number, stage in enumerate(scene.scenario.power):
            items = np.flatnonzero((plant.power.stage == number) & plant.power.present)
            load_w = 0.0
            for table, watts in ((plant.racks, racks[0]), (plant.loops, racks[1])):
                hangs = np.isin(table.feed_a, items) | np.isin(table.feed_b, items)
                load_w += float(watts[hangs].sum())
            self._left_w[stage.id] = float(capacity_w[items].sum()) - load_w
            self._at_m[stage.id] = (
                float(plant.power.x_m[items].mean()),
                float(plant.power.y_m[items].mean()),
            )

    def _candidates(self, consumer: _Consumer) -> list[PowerStage]:
        kinds = ("transformer", "switchgear", "pdu") if consumer.mechanical else FEEDING
        found = [stage for stage in self._stages.values() if stage.kind in kinds]
        if not found:
            found = [
                stage for stage in self._stages.values() if stage.kind in ("ups", "switchgear", "utility")
            ]
        return [stage for stage in found if stage.id not in consumer.fed_by]

    def nearest(self, consumer: _Consumer) -> str | None:
        """Return the nearest stage with capacity left; for a second feed the one least shared with the first."""
        used = {above for feeder in consumer.fed_by for above in self._path(feeder)}

        def cost(stage: PowerStage) -> tuple[int, int, float]:
            shared = len(set(self._path(stage.id)) & used)
            x_m, y_m = self._at_m[stage.id]
            kind = 0 if not consumer.mechanical or not stage.feeds else 1
            return shared, kind, math.hypot(x_m - consumer.at_m[0], y_m - consumer.at_m[1])

        fit = [stage for stage in self._candidates(consumer) if self._left_w[stage.id] >= consumer.load_w]
        return min(fit, key=cost).id if fit else None

    def why_none(self, consumer: _Consumer) -> str:
        """Return why no stage can feed a consumer."""
        found = self._candidates(consumer)
        needs = tr("{id} draws up to {load_w:,.0f} kW", id=consumer.id, load_w=consumer.load_w / 1000.0)
        if not found:
            return tr("{needs}, but there is no PDU to feed it", needs=needs)
        best = max(found, key=lambda stage: self._left_w[stage.id])
        return tr(
            "{needs}, but {id} has {max:,.0f} kW left",
            needs=needs,
            id=best.id,
            max=max(0.0, self._left_w[best.id]) / 1000.0,
        )

    def feed(self, stage: str, consumer: _Consumer) -> None:
        """Let a stage feed a consumer."""
        feeds = self.fed.setdefault(stage, list(value_at(self._scene, f"power[{stage}].feeds") or []))
        feeds.append(consumer.id)
        self._left_w[stage] -= consumer.load_w

    def _path(self, stage: str) -> list[str]:
        found, at = [], self._stages.get(stage)
        while at is not None and at.id not in found:
            found.append(at.id)
            at = self._stages.get(at.source or "")
        return found
