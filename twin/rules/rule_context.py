"""A scene with the figures that several rules need, computed once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints32
from twin.catalog import Catalog
from twin.plant.design_load import DesignLoad, loop_heat_w
from twin.plant.links import Links, links_of
from twin.plant.single_points import SinglePoint, single_points
from twin.plant.tables import FixtureKind, Plant
from twin.plant.tenancy_rules import Control, review
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import Path


class RuleContext:
    """A scene with its plant and parts.

    Attributes
    ----------
    whole
        The scene of the file, with its edits, where `scenario` is how it stands at a time of the run.
    generators
        Path of every row generator by its id.
    """

    def __init__(
        self, scenario: Scenario, plant: Plant, catalog: Catalog, whole: Scenario | None = None
    ) -> None:
        self.scenario, self.plant, self.catalog = scenario, plant, catalog
        self.whole = whole if whole is not None else scenario
        self.generators: dict[str, Path] = {
            rows.id: ("halls", h, "rows", r)
            for h, hall in enumerate(scenario.halls)
            for r, rows in enumerate(hall.rows)
        }

    @cached_property
    def load(self) -> DesignLoad:
        """Load of the power tree with any of its items lost."""
        return DesignLoad(self.plant, self.catalog)

    @cached_property
    def usual_w(self) -> Floats:
        """What each item of the power tree delivers with all of them working [W]."""
        return self.load.carried_w(self.load.out_w())

    @cached_property
    def heat_w(self) -> Floats:
        """Heat of the racks of each loop at design load [W]."""
        return loop_heat_w(self.plant, self.catalog)

    @cached_property
    def links(self) -> Links:
        """All cables."""
        return links_of(self.plant)

    @cached_property
    def single_points(self) -> list[SinglePoint]:
        """What takes GPUs along when it falls, worst first."""
        return single_points(self.plant, self.catalog, self.links)

    @cached_property
    def controls(self) -> dict[str, Control]:
        """Controls that isolate tenants, by id."""
        return {control.id: control for control in review(self.scenario, self.plant)}

    @cached_property
    def geared(self) -> Bools:
        """Return which racks hold equipment that draws power."""
        plant = self.plant
        nodes, switches, fixtures = plant.nodes, plant.switches, plant.fixtures
        held = plant.racks.gear_w > 0
        held[nodes.rack[nodes.present]] = True
        held[switches.rack[switches.present & (switches.rack >= 0)]] = True
        held[fixtures.rack[fixtures.kind != FixtureKind.POWER_SHELF]] = True
        return np.asarray(held & plant.racks.present, np.bool_)

    @cached_property
    def rack_generator(self) -> Ints32:
        """Row generator of each rack, as its place in `generators`."""
        rows = [name.partition("/")[0] for name in self.plant.rows.ids]
        order = {name: place for place, name in enumerate(self.generators)}
        return np.array([order.get(name, -1) for name in rows], np.int32)[self.plant.racks.row]

    def racks_of(self, names: tuple[str, ...]) -> Bools:
        """Return the present racks of row generators."""
        places = [place for place, name in enumerate(self.generators) if name in names]
        return np.asarray(np.isin(self.rack_generator, places) & self.plant.racks.present, np.bool_)

    def by_generator(self, racks: NDArray[np.integer]) -> list[tuple[Path, list[str]]]:
        """Return racks by row generator: its path, and ids of the racks in the order given."""
        found: dict[int, list[str]] = {}
        for rack in racks.tolist():
            found.setdefault(int(self.rack_generator[rack]), []).append(self.plant.racks.ids[rack])
        paths = list(self.generators.values())
        return [(paths[place], ids) for place, ids in found.items()]
