"""Builds the plant of a scenario: the only place that makes all tables.

An edit changes little of a scene. `Builder` makes again only what depends on that, and gives what it made before where
nothing does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from twin.arrays import Ints32
from twin.catalog import Catalog
from twin.plant.bundles import bundle
from twin.plant.cooling import connect_cooling
from twin.plant.equal_arrays import alike
from twin.plant.fabric import FabricCables, connect_fabrics, fabric_table
from twin.plant.halls import settle_halls
from twin.plant.layout import Layout, lay_out
from twin.plant.power import connect_power
from twin.plant.storage import connect_storage
from twin.plant.tables import (
    Bundles,
    FacilityLoops,
    Fixtures,
    Loops,
    Machines,
    Plant,
    PowerItems,
    Stores,
    Switches,
)
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of

Made = TypeVar("Made")
Table = TypeVar("Table")

_KEPT = 6
"""Plants that a builder remembers."""


def build(scenario: Scenario, catalog: Catalog | None = None) -> Plant:
    """Return the plant of a scenario at epoch 0.

    Parameters
    ----------
    scenario
        The effective scenario (after ``extends``).
    catalog
        Parts; None: those of the scene.

    Returns
    -------
    Plant
        Slots in order of the document; an item an override takes away keeps its slot with `present` false.

    Raises
    ------
    PlantError
        When the scenario names something that the plant cannot have.
    UnknownPart
        When the catalogue lacks a part.
    """
    return Builder().plant(scenario, catalog)


def plant_of(scenario: Scenario, catalog: Catalog | None = None) -> Plant:
    """Return the plant of a scenario as `build` does, shared between callers and never to be changed.

    Scenes that differ in nothing that stands have one plant.
    """
    return _BUILDER.plant(scenario, catalog)


def forget() -> None:
    """Forget all plants that `plant_of` has made."""
    _BUILDER.forget()


@dataclass(frozen=True)
class _Cooled:
    """Results of the cooling step, including columns of racks and nodes."""

    plants: FacilityLoops
    loops: Loops
    machines: Machines
    rack_loop: Ints32
    rack_air_loop: Ints32
    node_loop: Ints32


@dataclass(frozen=True)
class _Powered:
    """Results of the power step, including the feeds of racks, loops and facility loops."""

    items: PowerItems
    feeds: tuple[Ints32, ...]


class Builder:
    """Builds one plant after another; each step reuses the result before if its inputs are equal."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[tuple[object, ...], Any]] = {}
        self._plants: deque[tuple[Scenario, Catalog, Plant]] = deque(maxlen=_KEPT)

    def forget(self) -> None:
        """Remember nothing."""
        self._made.clear()
        self._plants.clear()

    def plant(self, scenario: Scenario, catalog: Catalog | None = None) -> Plant:
        """Return the plant of a scenario; raises as `build`."""
        parts = catalog if catalog is not None else catalog_of(scenario)
        size = _size(scenario)
        for known, with_parts, plant in tuple(self._plants):
            if known is scenario and with_parts is parts:
                return plant
            if with_parts is parts and _size(known) == size and _stands(known) == _stands(scenario):
                return plant
        made = self._build(scenario, parts)
        self._plants.append((scenario, parts, made))
        return made

    def _build(self, scenario: Scenario, parts: Catalog) -> Plant:
        bare = self._step("layout", (parts, scenario.halls), lambda: lay_out(scenario, parts))
        layout = _own(bare)
        # Whether a node is drained decides nothing of what follows.
        floor = self._same("floor", (bare.generator_racks, bare.rows, bare.racks, bare.gpus, bare.fixtures))
        nodes = self._same("nodes", (replace(bare.nodes, drained=bare.nodes.liquid), bare.node_parts))
        rooms = tuple(hall.model_copy(update={"overrides": {}}) for hall in scenario.halls)
        stands = (parts, floor, nodes, rooms)
        racks, cooling, storage = layout.racks, scenario.cooling, scenario.storage

        def cool() -> _Cooled:
            plants, loops, machines = connect_cooling(scenario, parts, layout)
            columns = racks.loop.copy(), racks.air_loop.copy(), layout.nodes.loop.copy()
            return _Cooled(_copied(plants), _copied(loops), machines, *columns)

        cooled = self._step("cooling", (*stands, cooling), cool)
        plants, loops, machines = _copied(cooled.plants), _copied(cooled.loops), _copied(cooled.machines)
        racks.loop[:], racks.air_loop[:] = cooled.rack_loop, cooled.rack_air_loop
        layout.nodes.loop[:] = cooled.node_loop
        fed = (racks.feed_a, racks.feed_b, loops.feed_a, loops.feed_b, plants.feed_a, plants.feed_b)

        def feed() -> _Powered:
            items = connect_power(scenario, parts, layout, loops, machines, plants)
            return _Powered(_copied(items), tuple(column.copy() for column in fed))

        powered = self._step("power", (*stands, cooling, scenario.power), feed)
        power = _copied(powered.items)
        for column, feeds in zip(fed, powered.feeds, strict=True):
            column[:] = feeds

        def store() -> tuple[Stores, Fixtures]:
            return connect_storage(scenario, parts, layout), layout.fixtures

        stores, layout.fixtures = self._step("storage", (*stands, storage), store)

        def wire() -> tuple[Switches, FabricCables, Ints32]:
            return *connect_fabrics(scenario, parts, layout), layout.nodes.unit.copy()

        wired = self._step("fabric", (*stands, storage, scenario.fabrics), wire)
        switches, links, layout.nodes.unit[:] = wired
        halls = settle_halls(scenario, layout, loops, machines, power)

        def tie() -> Bundles:
            return bundle(racks, layout.rows, layout.nodes, switches, links, len(halls.ids))

        return Plant(
            epoch=0,
            node_parts=layout.node_parts,
            gpu_parts=layout.gpu_parts,
            halls=halls,
            rows=layout.rows,
            racks=racks,
            nodes=layout.nodes,
            gpus=layout.gpus,
            switches=switches,
            node_links=links.nodes,
            switch_links=links.switches,
            peer_links=links.peers,
            bundles=self._step("bundles", (*stands, wired, halls.shift_x_m), tie),
            fixtures=layout.fixtures,
            machines=machines,
            loops=loops,
            plants=plants,
            power=power,
            fabrics=[fabric.id for fabric in scenario.fabrics],
            fabric_table=fabric_table(scenario, parts),
            stores=stores.ids,
            storage=stores,
            catalog=parts,
        )

    def _step(self, name: str, made_of: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return the result of a step, that of before if its inputs are equal."""
        known = self._made.get(name)
        if known is not None and alike(known[0], made_of):
            before: Made = known[1]
            return before
        made = make()
        self._made[name] = made_of, made
        return made

    def _same(self, name: str, value: tuple[object, ...]) -> object:
        """Return a value, or the equal object of before, so that later steps compare it at once."""
        return self._step(name, value, object)


_BUILDER = Builder()


def _stands(scenario: Scenario) -> tuple[object, ...]:
    """Return the parts of a scenario that a plant depends on."""
    return scenario.halls, scenario.fabrics, scenario.power, scenario.cooling, scenario.storage


def _size(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of a scene, a quick test: scenes of different size have different plants."""
    return (
        *((len(hall.rows), len(hall.overrides)) for hall in scenario.halls),
        (len(scenario.fabrics), len(scenario.power), len(scenario.cooling.loops)),
    )


def _own(layout: Layout) -> Layout:
    """Return a layout with own copies of the columns that later steps write into."""
    rows, racks, nodes = layout.rows, layout.racks, layout.nodes
    return replace(
        layout,
        rows=_copied(rows, "x0_m", "x1_m"),
        racks=_copied(racks, "x_m", "loop", "air_loop", "feed_a", "feed_b"),
        nodes=_copied(nodes, "loop", "unit"),
    )


def _copied(table: Table, *names: str) -> Table:
    """Return a table with columns of its own: those named, or all."""
    columns = names or [column.name for column in fields(table)]  # type: ignore[arg-type]
    arrays = {name: getattr(table, name) for name in columns}
    own = {name: array.copy() for name, array in arrays.items() if isinstance(array, np.ndarray)}
    made: Table = replace(table, **own)  # type: ignore[type-var]
    return made
