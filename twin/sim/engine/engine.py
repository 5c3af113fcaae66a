"""One run of a scenario: the order in which the parts of the model (`build_engine`) look at each other.

After every event the scheduler places what waits. After the last one of a time, in this order: if powers or flows
changed, temperatures are booked up to now; heat is watched (throttles, shutdowns); nodes get their new power traces;
jobs get their new pace; the next thermal step is taken ahead. Observers only read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics.gpu_picture import GpuTraits
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.bookings import AT_REST, Bookings
from twin.record.detail import Detail
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.redraw import Redraw
from twin.scenario.file.apply_edits import in_order
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.scene_catalog import catalog_of
from twin.sim.core.draws import Draws
from twin.sim.core.gc_pause import nothing_collected, seldom_collected
from twin.sim.edits import snapshot
from twin.sim.edits.cancel_pending import withdraw
from twin.sim.edits.editing import FIRST, EditedRun, Edits, EditStage, RunHall, move_over
from twin.sim.edits.job_sources import drawn, settled
from twin.sim.jobs.plan import misfit_of
from twin.sim.observe.observe import Observer
from twin.sim.summary import summary

REPOWER = 0.01
"""Relative change of step time that is worth new powers: who waits longer draws less."""


class Engine(EditedRun):
    """A run, from t = 0 or from a snapshot; see `twin.runtime.protocol.RunEngine`.

    Parameters
    ----------
    scenario
        What exists and what happens.
    seed
        Of all random draws; None: the scenario's own.
    """

    own = (*EditedRun.own, "_ended", "_edited")

    def __init__(self, scenario: Scenario, seed: int | None = None) -> None:
        self.edits = Edits(scenario)
        self._build(scenario, scenario.seed if seed is None else seed, 0.0)
        for job in self.jobs.rows:
            self.timers.set("submit", job.index, job.submit_s)
            misfit = self.jobs.work[job.index].misfit
            if misfit:
                text = misfit_of(self.plant, self.catalog, jobs_of(scenario)[job.index], misfit)
                self.log.add(0.0, "does_not_fit", job.id, text, Severity.WARNING)
        self.replay.start()
        for edit in in_order(scenario):
            self._take(edit, edit.at_s)
        for intervention in scenario.interventions:
            refusal = self.incidents.ask(intervention, 0.0)
            if refusal is not None:
                self.log.add(0.0, "refused", intervention.target, refusal, asked=intervention.kind)
        self.incidents.heard = len(scenario.interventions)
        self.replication.begin()
        self.scheduler.begin()
        self.rents.look(0.0)
        self.heat.settle(*self._heat_besides_gpus(self.pacing.traces()))
        self.measure()

    @classmethod
    def restore(cls, scenario: Scenario, data: bytes, hall: object = None) -> Engine:
        """Return the run that `snapshot` saved, of the same scenario, or of what it was before more was to happen.

        With the `hall` of the run that was saved nothing of it is built again.

        What `scenario` has beyond the interventions and edits that the run knew is taken up as if it had been known
        from the start; raises `ValueError` when something of it is refused.
        """
        engine = cls.__new__(cls)
        state = snapshot.unpack(data)
        engine.edits = Edits(scenario)
        engine.edits.restore(state["edits"])
        seed, env_s = int(state["seed"]), float(state["env_s"])
        engine.draws = Draws(seed)
        engine.draws.restore(state)
        known = hall if isinstance(hall, RunHall) else None
        if engine.edits.acted:
            catalog = catalog_of(scenario)
            begun = scenario.model_copy(update={"seed": seed}) if scenario.streams else scenario
            first = build(scenario, catalog) if known is None else known.first
            stage = engine.edits.again(first, catalog) if known is None else known.stage
            engine.edits.scene = stage.scenario
            made = settled(stage.scenario, drawn(begun)) if begun.streams or begun.traces else stage.scenario
            engine._build(made, seed, env_s, stage.plant, (begun, first))
        else:
            engine._build(scenario, seed, env_s, None if known is None else known.first)
        snapshot.restore(engine, state)
        engine._catch_up(scenario)
        engine._end_with_jobs()
        return engine

    def _catch_up(self, scenario: Scenario) -> None:
        """Take up what a branch adds to the run it leaves."""
        for edit in in_order(scenario):
            if not self.edits.known(edit):
                self._take(edit, max(edit.at_s, self.now_s))
        interventions = list(scenario.interventions)
        for intervention in self.incidents.withdrawn:
            if intervention in interventions:  # a branch has it no more
                interventions.remove(intervention)
        for intervention in interventions[self.incidents.heard :]:
            refusal = self.incidents.ask(intervention, self.now_s)
            if refusal is not None:
                raise ValueError(f"{intervention.kind} {intervention.target}: {refusal}")

    def _build(
        self,
        scenario: Scenario,
        seed: int,
        env_s: float,
        plant: Plant | None = None,
        first: tuple[Scenario, Plant] | None = None,
    ) -> None:
        with nothing_collected():
            super()._build(scenario, seed, env_s, plant, first)
        self._ended = (
            0  # jobs of the first indices that have ended for good, where the run ends with the last
        )
        self._edited: int | None = None  # an edit whose time is now
        self._redrawn = False  # random draws are redrawn now
        self.timers.handle("edit", self._edit)
        self.timers.handle("redraw", self._redraw)
        self.incidents.edited_by = self.edits.any_by
        self.observer = Observer(self)
        self.layout: FrameLayout = self.observer.layout

    # --- running

    def advance(
        self, until_s: float, wall_budget_s: float | None = None, alert: Severity | None = None
    ) -> float:
        """Run every event up to `until_s`, until the budget is spent or, with an `alert`, so severe an event.

        An edit that acts counts as such an event. Return the time reached [s].
        """
        with seldom_collected():
            return self._advance(until_s, wall_budget_s, alert)

    def _advance(self, until_s: float, wall_budget_s: float | None, alert: Severity | None) -> float:
        stop = None if wall_budget_s is None else monotonic() + wall_budget_s
        self.log.worst, layout = Severity.INFO, self.layout
        while self.timers.next_s() <= min(until_s, self.end_s):
            self._one()
            notable = alert is not None and (self.log.worst >= alert or self.layout is not layout)
            stops = notable and self.timers.next_s() > self.timers.now_s
            if stops or (stop is not None and monotonic() > stop):
                self.now_s = max(self.now_s, self.timers.now_s)
                return self.now_s
        self.now_s = max(self.now_s, min(until_s, self.end_s))
        return self.now_s

    def step_event(self) -> float:
        """Run up to and including the next recorded event; return the time reached [s]."""
        rows = self.log.rows
        while self.log.rows == rows and self.timers.next_s() <= self.end_s:
            self._one()
        if self.log.rows == rows:
            return self.advance(self.end_s)
        self.now_s = max(self.now_s, self.timers.now_s)
        return self.now_s

    def _one(self) -> None:
        """Do all that happens at the next time: powers and heat follow once, when the last of it has happened."""
        self.generation += 1
        self.timers.step()
        alone, self._redrawn = self._redrawn or self._edited is not None, False
        if self._edited is not None:
            place, self._edited = self._edited, None
            self._act(place)
        self._arrange()
        timers = self.timers
        while not alone and timers.next_s() <= timers.now_s:  # edits and redraws come first, each by itself
            timers.step()
            self._arrange()
        self.follow_changes()
        if self.rents.groups:
            self.rents.look(timers.now_s)
        self._end_with_jobs()

    def _end_with_jobs(self) -> None:
        """End the run here when the scene says so and the last job has ended."""
        rows = self.jobs.rows
        if self.scenario.ends == "duration" or self.jobs.active or not rows:
            return
        while self._ended < len(rows) and rows[self._ended].end_s is not None:
            self._ended += 1
        if self._ended == len(rows):
            self.end_s = min(self.end_s, self.timers.now_s)

    def _arrange(self) -> None:
        """Let those follow whom each single event concerns: tests of nodes, the queue, whoever has power."""
        if self.nodes.left:
            self.health.look()
        if self.recovery.freed:
            self.recovery.freed = False
            self.scheduler.place()
        if self.power.changed:
            self._follow_power()

    def follow_changes(self) -> None:
        """Let jobs, heat and power follow all that has just changed."""
        recovery, heat, incidents = self.recovery, self.heat, self.incidents
        if self.cooling.rejection.turned:
            self._follow_sky()
        if self.cooling.changed or self.oddities.changed or self.limits.changed:
            self.cooling.changed, incidents.machines_changed = False, True
            incidents.shutdowns.follow()
        if not (recovery.changed or incidents.machines_changed or heat.fresh):
            return
        self._follow_jobs()
        if recovery.changed and not incidents.machines_changed and self._only_hands():
            recovery.changed.clear()
            self.meter.hand_over(heat, self.timers.now_s)
            if heat.pending:  # the step ahead stands
                heat.fresh = False
                return
        if recovery.changed or incidents.machines_changed:
            heat.cut()
        if heat.fresh:
            known = set(recovery.changed)
            self._watch_heat()
            if recovery.changed != known:  # heat has shut nodes down
                self._follow_jobs(self.pacing.moved)
        changed = bool(recovery.changed) or incidents.machines_changed
        recovery.changed.clear()
        incidents.machines_changed = False
        heat.fresh = False
        if changed:
            wanted = self.pacing.traces()
            heat.change(wanted, *self._heat_besides_gpus(wanted))
            self._log_throttles()
        renewed = changed or heat.nudge()
        if renewed and self.pacing.rerate() > REPOWER:
            heat.repower()
        self.measure(force=changed)
        heat.look_ahead(self._next_change_s())

    def _follow_sky(self) -> None:
        """Let cooling machines work in the weather of now; the thermal step ahead stands while their water does."""
        self.book()
        if self.cooling.turn():
            self.incidents.machines_changed = True
        elif self.heat.pending:
            self.measure(force=False)

    def _follow_jobs(self, besides: AbstractSet[int] = frozenset()) -> None:
        """Let the fabric and the pace of jobs know which of them are not as they were."""
        changed = self.recovery.changed
        if changed:
            self.network.update(changed)
            self.degraded.follow()
        self.pacing.follow(changed | besides)

    def _only_hands(self) -> bool:
        """Return whether nodes only changed hands: nothing draws another power, nobody goes at another pace."""
        if (
            self.caps.caps
            or self.pacing.touches_apart(self.recovery.changed)
            or not self.traces.are(self.pacing.traces())
        ):
            return False
        return self.pacing.rerate() <= 0.0

    def _follow_power(self) -> None:
        """Let pumps, nodes and switches know what supply they have."""
        power, now = self.power, self.timers.now_s
        power.changed = False
        self.cooling.power(now, power.loop_live, power.plant_live)
        dark_racks = power.supplies.rack_dark
        self.incidents.shutdowns.supply(power.node_dark, dark_racks[self.plant.switches.rack])
        self.incidents.shutdowns.brake(power.node_braked & ~power.node_dark)
        self.limits.set_braked(power.node_braked)
        self.incidents.machines_changed = True

    def _next_change_s(self) -> float:
        """Return when powers change much next, as far as timers tell [s]; steps and checkpoints change none."""
        return min(self.timers.due_s("failure", 0) or math.inf, self.pacing.next_change_s())

    def _watch_heat(self) -> None:
        self._log_throttles()
        wears = self.failures.arrhenius is not None
        if wears and self.failures.heat(self.heat.node_die_c(), self.timers.now_s):
            self.incidents.arm()
        hot = self.heat.nodes_above_shutdown()
        if hot:
            self.incidents.shutdowns.shut_down(hot)
        if not self.heat.heading:
            return
        state = self.heat.integrator.state
        for hall, too_hot in self.meter.trips(state):
            self.incidents.shutdowns.room(hall, too_hot)
        for change in self.comfort.look(state):
            kind, subject, text, _, temp_c, limit_c = change
            self.log.add(self.timers.now_s, kind, subject, text, temp_c=temp_c, limit_c=limit_c)

    def _log_throttles(self) -> None:
        heat, now = self.heat, self.timers.now_s
        for group in heat.began:
            self._log_throttle(group, now, True)
        for group in heat.ceased:
            self._log_throttle(group, now, False)
        if heat.began or heat.ceased:
            heat.began, heat.ceased = [], []

    def _log_throttle(self, group: int, now: float, on: bool) -> None:
        subject = self.plant.loops.ids[int(self.traces.groups.loop[group])]
        text = "GPUs above maximum temperature: thermal throttling"
        alone, gpus_there = self.traces.gpus_alone(group), int(self.traces.groups.n[group])
        if len(alone) == 1:  # a GPU with a fault of its own is named, not all that its coolant serves
            gpus = self.plant.gpus
            subject = f"{self.plant.nodes.ids[int(gpus.node[alone[0]])]}/{int(gpus.index[alone[0]])}"
            text = "above maximum temperature: thermal throttling"
        if on:
            self.log.add(now, "throttle_on", subject, text, gpus=gpus_there)
        else:
            self.log.add(now, "throttle_off", subject, "thermal throttling ended", gpus=gpus_there)

    def _heat_besides_gpus(self, wanted: NDArray[np.intp]) -> tuple[Floats, Floats]:
        self.book()  # before nodes draw another power
        self.meter.set_overhead(wanted, self.clocks)
        self.caps.update(
            self.timers.now_s, self.meter.overhead_w, self.meter.static_w, self.power.rack_loss_at
        )
        return self.meter.loop_heat_w, self.meter.hall_heat_w

    # --- people

    def intervene(self, intervention: Intervention | Edit) -> str | None:
        """Take an intervention or an edit at the next event boundary; return None, or why it is refused."""
        self.generation += 1
        if isinstance(intervention, Intervention):
            return self.incidents.ask(intervention, self.now_s)
        at_s = max(intervention.at_s, self.now_s)
        refusal = self.edits.refusal(intervention, at_s, self)
        if refusal is None:
            self._take(intervention, at_s)
        return refusal

    def withdraw(self, done: Intervention | Edit) -> str | None:
        """Take out what was asked for and is still ahead, as if it never had been; return None, or why it stays."""
        return withdraw(self, done)

    def redraw(self, redraw: Redraw) -> None:
        """Draw chance from another seed from a time on; one that is known already is made once.

        Raises
        ------
        ValueError
            When that time has passed.
        """
        if redraw in self.draws.redraws:
            return
        if redraw.at_s < self.now_s:
            raise ValueError(
                f"random draws cannot change from {redraw.at_s:g} s on: the run is past that time"
            )
        self.generation += 1
        self.draws.redraws.append(redraw)
        self.timers.set("redraw", len(self.draws.redraws) - 1, redraw.at_s, FIRST)

    def _redraw(self, place: int) -> None:
        self._redrawn, now = True, self.timers.now_s
        self.draws.begin(place)
        self.failures.redraw(now)
        self.incidents.machines.redraw(now)
        self.incidents.reclaims.redraw(now)
        self.degraded.redraw(now)
        self.stragglers.redraw(now)
        self.incidents.arm()

    @property
    def redraws(self) -> tuple[Redraw, ...]:
        """Return the redraws that were asked for."""
        return tuple(self.draws.redraws)

    # --- edits of the hall

    def boundary_s(self, at_s: float) -> float:
        """Return the earliest time, not before `at_s` [s], at which what people do acts as if it were known before."""
        if at_s > self.now_s:
            return at_s
        since_ms = math.ceil(self.now_s * 1e3)
        while since_ms / 1e3 <= self.timers.now_s or since_ms / 1e3 < self.now_s:
            since_ms += 1
        return since_ms / 1e3

    def _take(self, edit: Edit, at_s: float) -> None:
        self.timers.set("edit", self.edits.take(edit, at_s), at_s, FIRST)

    def _edit(self, place: int) -> None:
        self._edited = place  # the timers are among the parts that will be others

    def _act(self, place: int) -> None:
        stage = self.edits.stage(self, place)
        if stage is not None:
            move_over(self, stage, self.edits.asked[place])

    # --- looking

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`; never changes the run."""
        self.observer.fill(frame)

    def detail(self) -> Detail:
        """Return single GPUs and nodes at the present time, as few figures; never changes the run."""
        return self.observer.detail()

    @property
    def dies(self) -> GpuTraits:
        """Return what sets GPUs apart for good; another object where that has changed."""
        return self.observer.dies

    def events(self, since_row: int) -> Sequence[Event]:
        """Return the events from row `since_row` on."""
        return self.log.since(since_row)

    def event_hash(self) -> str:
        """Return the hash of all events so far."""
        return self.log.hash.hexdigest()

    def snapshot(self) -> bytes:
        """Return the whole discrete and continuous state, to be restored by `restore`."""
        return snapshot.pack(self)

    @property
    def hall(self) -> object:
        """Return the hall as it stands, for `restore` of a snapshot that is taken now."""
        return RunHall(self.first[1], EditStage(self.edits.scene, self.plant))

    def ledger_gpu_s(self) -> dict[str, float]:
        """Return the GPU-seconds of each account since the start, as in the summary."""
        return summary.ledger_gpu_s(self)

    def job_gpu_s(self) -> Floats:
        """Return the same of each job, and in the last row of GPUs at rest, shape (jobs + 1, accounts)."""
        return summary.job_gpu_s(self)

    def figures(self, frame: Frame, ledger: Mapping[str, float]) -> dict[str, float]:
        """Return what the run has come to, by the names of the summary; `frame` was just filled."""
        return self.observer.figures(frame, ledger)

    def record_bookings(self, bookings: Bookings) -> None:
        """Tell `bookings` from now on what is booked in the ledger."""
        self.ledger.bookings = bookings

    def lasting(self) -> list[tuple[int, float, Floats]]:
        """Return what is spent now and not booked yet: number of the job or -1, since when [s], rate [GPU s / s]."""
        return [*self.jobs.lasting(), (AT_REST, self.ledger.since_s, self.ledger.resting.copy())]

    def summary(self) -> dict[str, Any]:
        """Return the object of ``twin run --json`` without the wall clock figures."""
        return summary.summarise(self)
