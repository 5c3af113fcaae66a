"""Small power trees for tests, driven by timers of their own, without an engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from sim_scenes import tiny

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.scenario.schema.document import Scenario
from twin.sim.core.log import Log
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Weather
from twin.sim.power.system import PowerSystem

UTILITY = {"id": "utility", "kind": "utility"}


def stage(id: str, kind: str, source: str | None = None, **more: Any) -> dict[str, Any]:
    """Return one stage, hanging under `source`."""
    return {"id": id, "kind": kind} | ({"from": source} if source else {}) | more


class Bench:
    """A power system and its clock."""

    def __init__(
        self, stages: list[dict[str, Any]], racks: int = 4, part: str = "DGX-H100", **more: Any
    ) -> None:
        self.scene: Scenario = tiny(racks, part=part, power=stages, **more)
        self._start(0.0)

    def _start(self, at_s: float) -> None:
        catalog = load_catalog()
        self.plant = build(self.scene, catalog)
        self.timers, self.log = Timers(at_s), Log()
        site = self.scene.site
        self.power = PowerSystem(
            self.timers, self.log, self.plant, catalog, Weather(site, self.scene.start), site.grid
        )

    def item(self, id: str) -> int:
        """Return the slot of an item, such as ups/0."""
        return self.plant.power.ids.index(id)

    def load(self, rack_w: float, house_w: float = 0.0) -> None:
        """Let every rack take `rack_w` from now on, and the first loop `house_w` [W]."""
        loops = np.zeros(self.power.loads.loops)
        loops[:1] = house_w
        racks = np.full(self.power.loads.racks, rack_w)
        self.power.update(racks, loops, np.zeros(self.power.loads.plants), self.timers.now_s)

    def run(self, until_s: float) -> Bench:
        """Let everything happen up to `until_s`; return itself."""
        while self.timers.next_s() <= until_s:
            self.timers.step()
        self.timers.env._now = until_s
        self.power.advance(until_s)
        return self

    def restored(self) -> Bench:
        """Return a bench that goes on from a snapshot of this one."""
        other = Bench.__new__(Bench)
        other.scene = self.scene
        other._start(self.timers.now_s)
        other.power.restore(self.power.state())
        other.timers.restore(self.timers.rows())
        return other

    def happened(self, kind: str) -> list[tuple[float, str]]:
        """Return (time, subject) of the events of a kind."""
        return [(event.t_s, event.subject) for event in self.log.events if event.kind == kind]

    def balance(self) -> float:
        """Return energy in less energy out and stored, over energy in."""
        t, power = self.power.totals, self.power
        started_j = float(self._first_j)
        in_j, out_j = t.grid_j + t.on_site_j, t.load_j + t.loss_j + power.stored_j - started_j
        return abs(in_j - out_j) / max(in_j, t.load_j, 1.0)

    @property
    def _first_j(self) -> float:
        from twin.sim.power.item_state import target_charge

        circuit = self.power.circuit
        return float((circuit.energy_j * target_charge(circuit)).sum())
