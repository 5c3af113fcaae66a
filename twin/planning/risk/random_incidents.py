"""Random incidents for exercises: plausible faults of components of a scene, as interventions.

light: a few a day that no job should feel. medium: also one every few hours that stops a job, and some that make work
slower or wrong. heavy: more of all, and cascades in which faults of the facility follow each other. How often and in
which proportion is an exercise, not a statistic [est]; rates of real fleets are in ``failures.causes``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from twin.catalog import Catalog
from twin.physics import reliability
from twin.physics.normal import normal_quantile
from twin.plant.build import build
from twin.plant.links import card_cable_ids, links_of
from twin.plant.node_contents import counts_of_nodes
from twin.plant.tables import LoopKind, Plant, SwitchRole
from twin.scenario.checks.interventions import wrong
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import Grade, Pool, Recipe
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.scene_catalog import catalog_of

T = TypeVar("T")
Level = Literal["light", "medium", "heavy"]
LEVELS: tuple[Level, ...] = ("light", "medium", "heavy")
DAY_S, MINUTE_S = 86400.0, 60.0
TRIES = 8
"""Targets looked at for one fault before it is left out: some nodes, say, have no supplies of their own."""


def recipes(grade: Grade) -> list[Recipe]:
    """Return the spontaneous faults of that grade, by the table of kinds."""
    return [
        Recipe(kind.id, chance) for kind in KINDS.values() for chance in kind.chances if chance.grade == grade
    ]


A_DAY: dict[Level, tuple[float, float, float, float]] = {
    "light": (4, 0, 0, 0),
    "medium": (4, 3, 6, 0),
    "heavy": (6, 6, 12, 3),
}
"""Harmless ones, those that make work worse, those that stop a job, and cascades a day [est]."""
CASCADE_S = 600.0
"""Mean time from one fault of a cascade to the next [s, est]."""


def random_incidents(
    scenario: Scenario,
    level: Level,
    seed: int,
    from_s: float = 0.0,
    until_s: float | None = None,
    plant: Plant | None = None,
) -> tuple[Intervention, ...]:
    """Return random interventions that fit a scene, in order of time.

    Parameters
    ----------
    scenario
        What they act on; only things that stand in it are named.
    level
        light, medium or heavy.
    seed
        The same seed gives the same incidents.
    from_s, until_s
        When they may begin [s]; none: until the end of the scene.
    plant
        The scene as it is built, where that is known; none: it is built here.
    """
    end_s = scenario.duration_s if until_s is None else until_s
    return incidents_at_rates(scenario, A_DAY[level], seed, from_s, end_s, plant)


def incidents_at_rates(
    scenario: Scenario,
    a_day: tuple[float, float, float, float],
    seed: int,
    from_s: float,
    end_s: float,
    plant: Plant | None = None,
    without: Collection[str] = (),
) -> tuple[Intervention, ...]:
    """Return random interventions that fit a scene, in order of time.

    Parameters
    ----------
    a_day
        Harmless ones, those that make work worse, those that stop a job, and cascades a day.
    without
        Kinds of faults that are not drawn.
    """
    targets = _Targets(scenario, catalog_of(scenario), plant)
    found: list[Intervention] = []
    harmless, worse, stopping, cascades = a_day
    by_grade: tuple[tuple[Grade, float], ...] = (
        ("harmless", harmless),
        ("worse", worse),
        ("stopping", stopping),
    )
    for grade, rate in by_grade:
        draws = _Draws(seed, grade)
        fitting = [
            recipe
            for recipe in recipes(grade)
            if recipe.kind not in without and targets.pool(recipe.chance.pool)
        ]
        for at_s in _times(draws, rate if fitting else 0.0, from_s, end_s):
            recipe = draws.weighted(fitting)
            found += targets.make(recipe, at_s, draws)
    draws = _Draws(seed, "cascade")
    reach = list(_POOLS)  # the widest first
    began = [
        recipe
        for recipe in recipes("cascade")
        if recipe.kind not in without and targets.pool(recipe.chance.pool)
    ]
    began.sort(key=lambda recipe: reach.index(recipe.chance.pool), reverse=True)
    for at_s in _times(draws, cascades if began else 0.0, from_s, end_s):
        found += _chain(targets, draws.weighted(began), at_s, end_s, draws)
    return tuple(sorted(found, key=lambda incident: incident.at_s))


def _times(draws: _Draws, a_day: float, from_s: float, end_s: float) -> Iterator[float]:
    at_s = from_s
    while a_day:
        at_s += draws.exponential(DAY_S / a_day)
        if _full_minute(at_s) >= end_s:
            return
        yield _full_minute(at_s)


def _full_minute(t_s: float) -> float:
    return MINUTE_S * math.ceil(t_s / MINUTE_S)


def _chain(targets: _Targets, first: Recipe, at_s: float, end_s: float, draws: _Draws) -> list[Intervention]:
    """Return the faults of one cascade: the same loop all along, nodes of one rack."""
    made: list[Intervention] = []
    for recipe in (first, *first.chance.then):
        made += targets.make(recipe, _full_minute(at_s), draws, made)
        at_s += draws.exponential(CASCADE_S)
        if _full_minute(at_s) >= end_s:
            break
    return made


class _Draws:
    """Uniform draws of one stream, one after the other."""

    def __init__(self, seed: int, stream: str) -> None:
        self._seed, self._stream, self._count = seed, f"incidents {stream}", 0

    def uniform(self) -> float:
        self._count += 1
        return float(reliability.hash_uniform(self._seed, 0, self._stream, self._count))

    def exponential(self, mean: float) -> float:
        return -mean * math.log(self.uniform())

    def around(self, median: float) -> float:
        return median * math.exp(0.5 * float(normal_quantile(self.uniform())))

    def pick(self, among: Sequence[T]) -> T:
        return among[int(self.uniform() * len(among))]

    def weighted(self, recipes: Sequence[Recipe]) -> Recipe:
        sums = np.cumsum([recipe.chance.weight for recipe in recipes])
        return recipes[int(np.searchsorted(sums, self.uniform() * sums[-1], side="right"))]


class _Targets:
    """The components of a scene, by the faults they can have."""

    def __init__(self, scenario: Scenario, catalog: Catalog, plant: Plant | None) -> None:
        self._scenario, self._catalog = scenario, catalog
        self._plant: Plant = build(scenario, catalog) if plant is None else plant
        self._pools: dict[Pool, list[str]] = {}
        self._causes = [
            cause
            for cause in scenario.failures.causes
            if cause.on == "node" and cause.effect == "dead" and not cause.planned and cause.per_node_s > 0
        ]
        there = self._plant.nodes.present
        self._rates_s = [
            cause.per_node_s * float(counts_of_nodes(self._plant, cause.each, catalog)[there].mean())
            for cause in self._causes
            if there.any()
        ]

    def pool(self, name: Pool) -> list[str]:
        """Return the ids of all components of a sort."""
        if name not in self._pools:
            self._pools[name] = _POOLS[name](self._plant)
        return self._pools[name]

    def make(
        self, recipe: Recipe, at_s: float, draws: _Draws, before: Sequence[Intervention] = ()
    ) -> list[Intervention]:
        """Return a fault of a drawn target and size; nothing, when none of some targets takes it."""
        pool = self._near(recipe.chance.pool, before)
        for _ in range(TRIES if pool else 0):
            incident = self._incident(recipe, at_s, draws.pick(pool), draws)
            if not any(wrong(self._scenario, incident, self._item, self._catalog)):
                return [incident]
        return []

    def _near(self, name: Pool, before: Sequence[Intervention]) -> list[str]:
        """Return the targets that a cascade may reach next: the loop it began with, nodes of the rack it struck."""
        pool = self.pool(name)
        for fault in before:
            if name in ("loop", "wet_loop", "valve_loop") and fault.target in pool:
                return [fault.target]
            if name == "node" and fault.target in self._nodes:
                rack = fault.target.rpartition("/")[0]
                struck = {fault_before.target for fault_before in before}
                return [id for id in pool if id.startswith(f"{rack}/") and id not in struck] or pool
        return pool

    @cached_property
    def _nodes(self) -> frozenset[str]:
        return frozenset(self.pool("node"))

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset([*self.pool("node"), *self.pool("rack"), *self.pool("gpu")])

    def _item(self, id: str) -> str:
        return "" if id in self._places else "names no node, rack or GPU of this scene"

    def _incident(self, recipe: Recipe, at_s: float, target: str, draws: _Draws) -> Intervention:
        value = None
        kind, chance = recipe
        if chance.value is not None:
            low, high, text = chance.value
            value = text.format(low + (high - low) * draws.uniform())
        lasts_s = None if chance.lasts_s is None else 10.0 * round(draws.around(chance.lasts_s) / 10.0)
        cause = None
        if "cause" in KINDS[kind].options and chance.pool in ("gpu", "node") and self._causes:
            sums = np.cumsum(self._rates_s)
            at = int(np.searchsorted(sums, draws.uniform() * sums[-1], side="right"))
            cause = self._causes[min(at, len(sums) - 1)].id
        entry = {"at_s": at_s, "kind": kind, "target": target, "duration_s": lasts_s}
        entry |= {"count": chance.count, "cause": cause, "value": value}
        return Intervention.model_validate(entry)


def _nodes(plant: Plant, *kinds: LoopKind) -> list[str]:
    """Return the nodes with GPUs, of the named kinds of cooling only if any is named."""
    nodes = plant.nodes
    chosen = nodes.present & (nodes.gpu_count > 0)
    if kinds:
        chosen &= np.isin(plant.loops.kind[nodes.loop], kinds) if len(plant.loops.ids) else False
    return [nodes.ids[slot] for slot in np.flatnonzero(chosen).tolist()]


def _wired(plant: Plant) -> list[str]:
    """Return the nodes with a card on a fabric."""
    links = links_of(plant)
    wired = {plant.nodes.ids[slot] for slot in {*links.node_a.tolist(), *links.node_b.tolist()} if slot >= 0}
    return [node for node in _nodes(plant) if node in wired]


def _gpus(plant: Plant, *kinds: LoopKind) -> list[str]:
    count = dict(zip(plant.nodes.ids, plant.nodes.gpu_count.tolist(), strict=True))
    return [f"{node}/{gpu}" for node in _nodes(plant, *kinds) for gpu in range(count[node])]


def _racks(plant: Plant, *kinds: LoopKind) -> list[str]:
    return list(dict.fromkeys(node.rpartition("/")[0] for node in _nodes(plant, *kinds)))


def _power(plant: Plant, *kinds: str) -> list[str]:
    return [id for id, kind in zip(plant.power.ids, plant.power.kind, strict=True) if kind in kinds]


def _leaves(plant: Plant) -> list[str]:
    leaf = plant.switches.role == SwitchRole.LEAF
    return [plant.switches.ids[slot] for slot in np.flatnonzero(leaf).tolist()]


_POOLS: dict[Pool, Callable[[Plant], list[str]]] = {
    "gpu": _gpus,
    "plate_gpu": lambda plant: _gpus(plant, LoopKind.LIQUID),
    "node": _nodes,
    "wired_node": _wired,
    "air_node": lambda plant: _nodes(plant, LoopKind.AIR, LoopKind.REAR_DOOR),
    "rack": _racks,
    "cable": card_cable_ids,
    "leaf": _leaves,
    "wet_rack": lambda plant: _racks(plant, LoopKind.LIQUID, LoopKind.IMMERSION),
    "pdu": lambda plant: _power(plant, "pdu", "busbar"),
    "generator": lambda plant: _power(plant, "generator"),
    "utility": lambda plant: _power(plant, "utility"),
    "loop": lambda plant: list(plant.loops.ids),
    "wet_loop": lambda plant: [
        id
        for id, kind in zip(plant.loops.ids, plant.loops.kind.tolist(), strict=True)
        if kind != LoopKind.AIR
    ],
    "valve_loop": lambda plant: list(plant.loops.ids),
    "plant": lambda plant: list(plant.plants.ids),
    "chiller": lambda plant: [
        id for id, kind in zip(plant.plants.ids, plant.plants.kind, strict=True) if kind == "chiller"
    ],
    "site": lambda plant: ["site"],
}
"""Ids of each sort of target, by how far a fault of it reaches: a GPU first, the site last."""
