"""What frames show: every channel of every entity, read from the run without changing it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import GpuTraits
from twin.physics.thermal_network import ThermalState as Temperatures
from twin.record.accounts import KEPT_STEP
from twin.record.channels import Entity, State
from twin.record.detail import Detail
from twin.record.frame import Frame, FrameLayout, sizes_of
from twin.sim.observe import readings
from twin.sim.observe.facility import FLOWS, MOVING, FacilityShown
from twin.sim.observe.groups import DetailShown
from twin.sim.observe.jobs import JobsShown
from twin.sim.summary.facility import facility_figures

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


class Observer:
    """Fills frames for one engine.

    Of racks, links, stores, machines, jobs and the site, what stands until the run changes is worked out once per
    generation of the engine, and written into a frame that does not carry it yet; the rest at every look.
    """

    def __init__(self, engine: RunParts) -> None:
        self.engine = engine
        plant = engine.plant
        counts: dict[Entity, int] = {**sizes_of(plant), "job": len(engine.jobs.rows), "site": 1}
        self.layout = FrameLayout(counts, plant.epoch)
        coarse = FrameLayout({**counts, "gpu": 0, "node": 0}, plant.epoch)
        _, self._standing = coarse.views(bytearray(coarse.nbytes))
        self._stays = [
            id
            for id, values in self._standing.items()
            if values.size and id not in (*MOVING, *FLOWS, *readings.MOVING)
        ]
        self._facility, self._jobs = FacilityShown(engine), JobsShown(engine)
        self._details = DetailShown(engine)
        self._fabric: tuple[object, list[int]] | None = None
        self._generation = -1
        self._mark = object()

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`."""
        engine = self.engine
        now, v = engine.now_s, frame.values
        temperatures = engine.heat.at(now)
        frame.t_s, frame.events = now, engine.log.rows
        if engine.generation != self._generation:
            self._generation, self._mark = engine.generation, object()
            self._stand(temperatures, now)
        if frame.carries is not self._mark:
            for id in self._stays:
                v[id][...] = self._standing[id]
            if self._facility.settled:
                for id in FLOWS:
                    v[id][...] = self._standing[id]
            frame.carries = self._mark
        instant = readings.Instant(engine, now, engine.weather.at(now))
        for id, moved in readings.MOVING.items():
            v[id][...] = moved(instant)
        self._facility.move(v, temperatures, now)
        self._jobs.move(v, now)
        if frame.detail:
            self._details.now(temperatures).show(v, self._details.dies)

    def _stand(self, temperatures: Temperatures, now: float) -> None:
        """Work out what stands until the run changes."""
        v = self._standing
        self._facility.stand(v, temperatures, now)
        self._fabrics(v)
        self._jobs.stand(v)
        for id, reading in readings.STANDING.items():
            v[id][...] = reading(self.engine)

    def detail(self) -> Detail:
        """Return single GPUs and nodes at the present time."""
        return self._details.now(self.engine.heat.at(self.engine.now_s))

    def figures(self, frame: Frame, ledger: Mapping[str, float]) -> dict[str, float]:
        """Return what the run has come to, by the names of the summary, of a frame just filled; nan: unknown."""
        engine, now = self.engine, self.engine.now_s
        jobs = self._jobs.figures(frame.values)
        gpu_s = jobs.pop("gpu_s")
        kept_gpu_s = math.fsum(ledger[name] for name in KEPT_STEP) + engine.clouds.kept_gpu_s(now)
        return {
            **jobs,
            **facility_figures(engine),
            "simulated_s": now,
            "gpus": float(engine.plant.gpus.present.sum()),
            "ettr": kept_gpu_s / gpu_s if gpu_s else math.nan,
            "interruptions.unexpected": float(sum(engine.incidents.unexpected.values())),
            "interruptions.planned": float(sum(engine.incidents.planned.values())),
        }

    @property
    def dies(self) -> GpuTraits:
        """Return what sets GPUs apart for good; another object where that has changed."""
        return self._details.dies

    def _fabrics(self, v: dict[str, NDArray[Any]]) -> None:
        """Loads of links where they are drawn: per bundle, and per switch its busiest port."""
        engine = self.engine
        shown, dead = engine.network.shown(), engine.outages.dead_switches()
        if self._fabric is not None and self._fabric[0] is shown and self._fabric[1] == dead:
            return
        self._fabric = (shown, dead)
        v["bundle.load"][...] = shown.bundle_load
        v["bundle.down"][...] = shown.bundle_down
        v["switch.load"][...] = shown.switch_load
        state = np.where(shown.switch_load > 0, State.RUNNING, State.IDLE)
        state[dead] = State.FAILED
        v["switch.state"][...] = np.where(engine.plant.switches.present, state, State.ABSENT)
        v["site.link_load_max"][0] = shown.busiest
