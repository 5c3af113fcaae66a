"""The swing of synchronous steps: how far each job moves the site's power up and down in every step.

Shelves that store energy flatten the swing of their rack, batteries with a ramp limit that of the site; floors under
the power of waiting GPUs are in the phases of the job already. Levels are at the racks' input: what stages above add to
a swing by their losses, a few percent, is left out. Pauses for checkpoints and failures are no part of a swing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from twin import units
from twin.arrays import Bools, Floats
from twin.catalog import Catalog
from twin.physics.swings import (
    LEAST_HZ,
    Waveform,
    metered_w,
    ramp_limited,
    sampled_w,
    spread_w,
    step_waveform,
    stored,
    together_w,
)
from twin.plant.tables import Plant
from twin.record.channels import JobState
from twin.sim.core.log import Log
from twin.sim.core.state import Fields, StateField, Stateful
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.step_phases import step_phases


class Charged(Protocol):
    """Whoever knows how full batteries are: the share of each item of the power tree, 0..1."""

    @property
    def charge(self) -> Floats:
        """Shape (I,)."""


@dataclass(frozen=True)
class Swings:
    """Waveforms of all jobs that step now, each as if its steps began at 0 s.

    Parameters
    ----------
    raw
        As GPUs draw it, one of each job.
    racks
        Behind the stores in the shelves; several of a job whose racks differ.
    grid
        Behind the batteries of the site too.
    raw_jobs, jobs
        Job of each of `raw`, and of each of `racks` and `grid`.
    """

    raw: tuple[Waveform, ...] = ()
    racks: tuple[Waveform, ...] = ()
    grid: tuple[Waveform, ...] = ()
    raw_jobs: tuple[int, ...] = ()
    jobs: tuple[int, ...] = ()

    @property
    def steepest_w_s(self) -> float:
        """Steepest change at the grid when the ramps of all jobs fall on one moment [W/s]."""
        return sum(wave.steepest_w_s for wave in self.grid)


class Swing(Stateful):
    """The swings of a run; looks only, and recomputes them only when clocks, paces or states have changed."""

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        jobs: Jobs,
        clocks: Clocks,
        power: Charged,
        ramp_w_s: float | None,
        log: Log,
    ) -> None:
        self.plant, self.jobs, self.clocks, self.power, self.log = plant, jobs, clocks, power, log
        self.ramp_w_s = ramp_w_s
        nodes = plant.nodes
        self._gpus = np.where(nodes.present, nodes.gpu_count, 0).astype(float)
        installed = np.bincount(nodes.rack, self._gpus, minlength=len(plant.racks.ids))
        self.gpu_store_j: Floats = store_j(plant, catalog) / np.maximum(installed, 1.0)
        items = plant.power
        kinds = np.array(items.kind, dtype=object) == "battery"
        self._batteries = np.flatnonzero(kinds & items.present & np.isfinite(items.ramp_w_s))
        self.above = False  # the grid's limit on ramps is broken
        self._key: list[Any] = []
        self._looked: list[Any] = []
        self._now = Swings()

    @property
    def site_w(self) -> float:
        """Swing at the grid, peak to peak, when the ramps of all jobs fall on one moment [W]."""
        return together_w(self.now().grid)

    @property
    def raw_w(self) -> float:
        """The same without any store, battery or ramp limit [W]."""
        return together_w(self.now().raw)

    @property
    def steepest_w_s(self) -> float:
        """Steepest change of the grid's power when the ramps of all jobs fall on one moment [W/s]."""
        return self.now().steepest_w_s

    def of_job(self, job: int) -> Waveform | None:
        """Return what the GPUs of a job draw through its steps [W]; None while it takes none, or all alike."""
        row = self.jobs.rows[job]
        return self._job(row) if row.state == JobState.RUNNING else None

    def now(self) -> Swings:
        """Return the waveforms now."""
        key = self._signature()
        if key != self._key:
            self._key, self._now = key, self._work_out()
        return self._now

    def _running(self) -> list[JobRow]:
        known = self.clocks.job_clock  # who has no clock of its own does not swing
        return [row for row in self.jobs.active if row.state == JobState.RUNNING and row.index in known]

    def _empty(self) -> Bools:
        empty: Bools = self.power.charge[self._batteries] <= 0
        return empty

    def _signature(self) -> list[Any]:
        """Return what has to change for new waveforms: exactly, so that they are the same whenever one looks."""
        signature: list[Any] = [self._empty().tolist()]
        for row in self._running():
            ghz = self.clocks.job_clock[row.index].now
            signature.append([row.index, row.held, self.jobs.pace[row.index].step_s, ghz])
        return signature

    def _work_out(self) -> Swings:
        raw, racks, raw_jobs, jobs = [], [], [], []
        for row in self._running():
            wave = self._job(row)
            if wave is None:
                continue
            raw.append(wave)
            raw_jobs.append(row.index)
            parts = self._behind_shelves(row, wave)
            racks += parts
            jobs += [row.index] * len(parts)
        live = self._batteries[~self._empty()]
        items = self.plant.power
        grid = racks
        if live.size:
            whole = max(together_w(racks), 1e-9)
            ramp_w_s, power_w = float(items.ramp_w_s[live].sum()), float(np.nansum(items.capacity_w[live]))
            shares = [wave.swing_w / whole for wave in racks]
            grid = [
                ramp_limited(wave, max(share * ramp_w_s, 1e-9), share * power_w)
                for wave, share in zip(racks, shares, strict=True)
            ]
        return Swings(tuple(raw), tuple(racks), tuple(grid), tuple(raw_jobs), tuple(jobs))

    def _job(self, row: JobRow) -> Waveform | None:
        """Return the power of all GPUs of a job; None where they do not swing together."""
        if self.jobs.work[row.index].stateless:
            return None  # replicas of a service answer each for itself
        phases = step_phases(self.clocks, row.index)
        if phases is None or phases.high_w <= phases.low_w:
            return None
        waveform = step_waveform(*phases)
        return waveform.times(float(row.held)) if waveform.swing_w > 0 else None

    def _behind_shelves(self, row: JobRow, wave: Waveform) -> list[Waveform]:
        """Return the waveform of a job at the input of its racks: one for each size of store."""
        if not np.count_nonzero(self.gpu_store_j):
            return [wave]
        gpus = self._gpus[row.nodes]
        store = self.gpu_store_j[self.plant.nodes.rack[row.nodes]]
        sizes, which = np.unique(store, return_inverse=True)
        counts = np.bincount(which.reshape(-1), gpus)
        total = float(gpus.sum())
        return [
            stored(wave.times(float(n) / total), float(size) * float(n))
            for size, n in zip(sizes, counts, strict=True)
        ]

    def waveform(
        self, t0_s: float, seconds: float, hz: float, mean_w: float = 0.0
    ) -> tuple[Floats, Floats, Floats]:
        """Return times, and power at them without and with all that smooths it, for a plot [s, W, W].

        Parameters
        ----------
        t0_s, seconds, hz
            From when, how long, how many samples a second; at least `LEAST_HZ`.
        mean_w
            Of the site, about which the jobs swing [W].
        """
        count = max(2, round(seconds * max(hz, LEAST_HZ)) + 1)
        t_s = t0_s + np.linspace(0.0, seconds, count)
        now = self.now()
        raw, grid = (
            mean_w + sampled_w(self._begun(waves, jobs), t_s) - sum(wave.mean_w for wave in waves)
            for waves, jobs in ((now.raw, now.raw_jobs), (now.grid, now.jobs))
        )
        return t_s, raw, grid

    def _begun(self, waves: Sequence[Waveform], jobs: Sequence[int]) -> list[Waveform]:
        """Return waveforms with the times at which their jobs began a step."""
        begun = []
        for wave, job in zip(waves, jobs, strict=True):
            row, step_s = self.jobs.rows[job], self.jobs.pace[job].step_s
            step_began_s = row.since_s - (row.progress % 1.0) * step_s
            begun.append(replace(wave, start_s=wave.start_s + step_began_s))
        return begun

    def look(self, now_s: float) -> None:
        """Record when swings begin or cease to be steeper than the grid allows; nothing where it allows any.

        What observers have asked for meanwhile makes no difference: it keeps a memory of its own.
        """
        if self.ramp_w_s is None:
            return
        signature = self._signature()
        if signature == self._looked:
            return
        self._looked = signature
        swings = self._work_out()
        above = swings.steepest_w_s > self.ramp_w_s
        if above == self.above:
            return
        self.above = above
        allowed = units.render(self.ramp_w_s, "power", digits=3)
        if above:
            swing_w = float(together_w(swings.grid))
            swing = units.render(swing_w, "power", digits=3)
            text = f"load swing of {swing} ramps faster than the utility limit of {allowed} per second"
            self.log.add(now_s, "ramp_exceeded", "site", text, swing_w=swing_w, limit_w_s=self.ramp_w_s)
        else:
            text = f"load ramps within the utility limit of {allowed} per second"
            self.log.add(now_s, "ramp_kept", "site", text, limit_w_s=self.ramp_w_s)

    def summary(self) -> dict[str, Any]:
        """Return the swings now, for the report of a run: power in watts, times in seconds."""
        waves = ((row.id, self.of_job(row.index)) for row in self.jobs.rows)
        return {
            "site_w": self.site_w,
            "without_smoothing_w": self.raw_w,
            "metered_w": spread_w(metered_w(self.now().grid)),
            "steepest_w_s": self.steepest_w_s,
            "jobs": [
                {
                    "id": job,
                    "high_w": wave.high_w,
                    "low_w": wave.low_w,
                    "period_s": wave.period_s,
                    "duty": wave.duty,
                }
                for job, wave in waves
                if wave is not None
            ],
        }

    def on_restored(self) -> None:
        """Look again at the next look."""
        self._key = []

    STATE = Fields(StateField("above", bool), StateField("_looked", list))


def store_j(plant: Plant, catalog: Catalog) -> Floats:
    """Return the energy that the power shelves of each rack can take and give, shape (R,) [J]."""
    names = set(plant.racks.shelf_part) - {""}
    each = {name: catalog.power_shelf(name).energy_j or 0.0 for name in names}
    one_j = np.array([each.get(name, 0.0) for name in plant.racks.shelf_part], float)
    result: Floats = one_j * plant.racks.shelves.astype(float) * plant.racks.present
    return result
