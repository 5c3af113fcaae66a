"""Edits of the hall while it runs: what they make of the scene, when they act, and what a run cannot follow.

An edit is prepared apart: its scene, its plant with all slots where they were, and all parts of a run on it. Only when
nothing of that failed, and its time has come, the run moves over (`move_over`). So one that is refused harms nothing.
"""

from __future__ import annotations

from bisect import insort
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twin.arrays import IntP
from twin.catalog import Catalog, UnknownPart
from twin.plant.error import PlantError
from twin.plant.patch import rebuild
from twin.plant.tables import Plant
from twin.record.channels import JobState
from twin.scenario.file.apply_edits import FIXED, edited, fixed_changes
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.text.problem import ScenarioError
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Documents, Fields, StateField, Stateful
from twin.sim.edits.job_sources import same_places, settled, sources_fit, with_nodes
from twin.sim.edits.release import let_go
from twin.sim.edits.state_transfer import graft, standing, timers_of
from twin.sim.run.parts import RunParts

FIRST = -2
"""Priority of edits at their time: before people, and before the model."""

FREE = ("checkpoint", "recovery")
"""What can change of a job that has begun."""


class Unfit(ValueError):
    """A run cannot follow this edit; the message says why."""


@dataclass
class EditStage:
    """A hall after some edits, and a run of it that has not begun.

    Parameters
    ----------
    scenario
        As edited.
    plant
        With the slots of the run.
    parts
        The run, once it is made.
    """

    scenario: Scenario
    plant: Plant
    parts: EditedRun | None = None


@dataclass(frozen=True)
class RunHall:
    """The hall of a run at one time.

    Parameters
    ----------
    first
        In which the run began.
    stage
        After the edits so far.
    """

    first: Plant
    stage: EditStage


class Edits(Stateful):
    """Edits of one run: those that have acted, in their order, and those ahead.

    Parameters
    ----------
    scenario
        As the run began.

    Attributes
    ----------
    scene : Scenario
        As edited so far.
    asked : list of Edit
        All that were taken, in the order in which they were.
    acted : list of int
        Those that have acted, as places in `asked`.
    withdrawn : list of int
        Those that were taken out again before their time.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scene = scenario.model_copy(update={"edits": ()}) if scenario.edits else scenario
        self.asked: list[Edit] = []
        self.acted: list[int] = []
        self.withdrawn: list[int] = []
        self._ahead: list[tuple[float, int]] = []  # (time, place) of the others, in order
        self._made: tuple[int, EditStage] | None = None  # for the one that acts next

    def take(self, edit: Edit, at_s: float) -> int:
        """Take an edit, to act at `at_s`; return its place."""
        place = len(self.asked)
        self.asked.append(edit)
        insort(self._ahead, (at_s, place))
        return place

    def any_by(self, t_s: float) -> bool:
        """Return whether an edit acts, or has acted, up to `t_s` [s], that time included."""
        there = enumerate(self.asked)
        return any(edit.at_s <= t_s for place, edit in there if place not in self.withdrawn)

    def name(self, place: int) -> str:
        """Return what people call an edit."""
        edit = self.asked[place]
        return f"“{edit.title}”" if edit.title else f"edit {edit.id!r}"

    def ahead(self, id: str) -> int | None:
        """Return the place of an edit whose time is still to come; None: there is no such."""
        return next((place for _, place in self._ahead if self.asked[place].id == id), None)

    def known(self, edit: Edit) -> bool:
        """Return whether an edit of the scene is one of those that were taken, or was taken out again."""
        gone = [self.asked[place] for place in self.withdrawn]
        ids = (asked.id for place, asked in enumerate(self.asked) if place not in self.withdrawn)
        return edit in gone or edit.id in ids

    def refusal(self, edit: Edit, at_s: float, engine: EditedRun) -> str | None:
        """Return why an edit cannot act at `at_s`, or None; those ahead of it must still be possible behind it."""
        if any(asked.id == edit.id for n, asked in enumerate(self.asked) if n not in self.withdrawn):
            return f"edit id {edit.id!r} is already used; give it another"
        before = [place for due_s, place in self._ahead if due_s <= at_s]
        behind = [place for due_s, place in self._ahead if due_s > at_s]
        stage = EditStage(self.scene, engine.plant)
        try:
            for place in before:
                stage = stage_of(stage, self.asked[place], engine.catalog)
            stage = made = stage_of(stage, edit, engine.catalog)
            made.parts = parts_of(made, engine, at_s)
            if not before:
                _fits_now(engine, made)
            for place in behind:
                stage = stage_of(stage, self.asked[place], engine.catalog)
        except PROBLEMS as error:
            return said(error)
        if not before:
            self._made = len(self.asked), made
        return None

    def needed(self, place: int, engine: EditedRun) -> str | None:
        """Return why one that is ahead cannot be left out: one behind it would not fit any more; None: none is."""
        order = [ahead for _, ahead in self._ahead]
        if order[-1] == place:
            return None
        unfit = self._unfit([behind for behind in order if behind != place], engine)
        if unfit:
            unfit = {behind: why for behind, why in unfit.items() if behind not in self._unfit(order, engine)}
        return next(
            (
                f"{self.name(behind)} depends on it ({why}); remove that edit first"
                for behind, why in unfit.items()
            ),
            None,
        )

    def _unfit(self, places: list[int], engine: EditedRun) -> dict[int, str]:
        """Return which of the edits ahead could not act one after the other, and why not."""
        stage, unfit = EditStage(self.scene, engine.plant), {}
        for place in places:
            try:
                stage = stage_of(stage, self.asked[place], engine.catalog)
            except PROBLEMS as error:
                unfit[place] = said(error)
        return unfit

    def forgo(self, place: int) -> None:
        """Let one that is ahead never have been asked."""
        self._ahead = [ahead for ahead in self._ahead if ahead[1] != place]
        self._made = None

    def stage(self, engine: EditedRun, place: int) -> EditStage | None:
        """Return the hall that an edit makes now, all parts of a run on it; None: it cannot be, as the log says."""
        edit, made, self._made = self.asked[place], self._made, None
        now_s = engine.timers.now_s
        self._ahead = [ahead for ahead in self._ahead if ahead[1] != place]
        try:
            if made is not None and made[0] == place:
                stage = made[1]
            else:
                stage = stage_of(EditStage(self.scene, engine.plant), edit, engine.catalog)
                stage.parts = parts_of(stage, engine, now_s)
            _fits_now(engine, stage)
        except PROBLEMS as error:
            engine.log.add(now_s, "refused", edit.id, said(error))
            return None
        self.acted.append(place)
        self.scene = stage.scenario
        return stage

    def again(self, plant: Plant, catalog: Catalog) -> EditStage:
        """Return the hall after the edits that have acted, for a run that is restored; `plant`: as it began."""
        stage = EditStage(self.scene, plant)
        for place in self.acted:
            stage = stage_of(stage, self.asked[place], catalog)
        self.scene = stage.scenario
        return stage

    STATE = Fields(
        Documents("asked", Edit),
        StateField("acted", list),
        StateField("_ahead", lambda saved: [(float(due_s), int(place)) for due_s, place in saved]),
        StateField("withdrawn", list, missing=[]),
    )


PROBLEMS = (ScenarioError, PlantError, UnknownPart, ValueError)
"""What is raised about a hall that cannot be, or that cannot run."""


def said(error: Exception) -> str:
    """Return one sentence about why an edit cannot act."""
    if isinstance(error, ScenarioError):
        problem = error.problems[0]
        hint = f"; {problem.hint}" if problem.hint else ""
        return f"{problem.key} {problem.reason}{hint}".strip()
    return str(error)


def stage_of(stage: EditStage, edit: Edit, catalog: Catalog) -> EditStage:
    """Return the hall after one more edit.

    Raises
    ------
    ScenarioError, PlantError, UnknownPart, Unfit
        When it cannot be, or a run cannot follow.
    """
    scenario = edited(stage.scenario, edit.changes)
    changed = fixed_changes(stage.scenario, scenario)
    for name in changed:
        if name not in ("streams", "traces"):
            raise Unfit(f"{FIXED[name]} cannot change during a run: edit the design and restart")
    ids = [job.id for job in stage.scenario.jobs]
    if [job.id for job in scenario.jobs[: len(ids)]] != ids:
        raise Unfit("jobs of a run cannot be removed or reordered: cancel the job instead")
    if len(scenario.jobs) > len(ids) and (scenario.streams or scenario.traces):
        raise Unfit("jobs cannot be added to a run whose jobs come from streams or traces")
    after = EditStage(scenario, rebuild(stage.plant, scenario, catalog))
    if changed and not sources_fit(stage.scenario, stage.plant, scenario, after.plant):
        raise Unfit(
            f"{FIXED[changed[0]]} cannot change during a run, except to rows they already draw on: "
            "edit the design and restart"
        )
    return after


class EditedRun(RunParts):
    """A run whose hall can be edited: all its parts are others afterwards, it stays itself."""

    edits: Edits
    own: ClassVar[tuple[str, ...]] = ("edits", "seed", "draws", "first", "end_s", "now_s", "generation")
    """What such a run has beside the parts of a hall."""

    def move_into(self, new: EditedRun) -> None:
        """Take over the parts of a run that was made for the edited hall; what is no part of one stays."""
        new.log.take_over(self.log)
        new.ledger.bookings = self.ledger.bookings
        for name in self.own:
            setattr(new, name, getattr(self, name))
        vars(self).clear()
        vars(self).update(vars(new))


def parts_of(stage: EditStage, engine: EditedRun, at_s: float) -> EditedRun:
    """Return a run of an edited hall, at `at_s`, in which nothing has happened.

    Raises
    ------
    ValueError
        When a job finds no place, or a node no coolant.
    """
    scenario, first = stage.scenario, engine.first
    if scenario.streams or scenario.traces:  # the jobs are those of the run, whatever the hall would draw now
        scenario = settled(scenario, engine.jobs.specs[len(scenario.jobs) :])
    made, standing_now = type(engine).__new__(type(engine)), dict(vars(engine))
    try:  # in the place of the engine, so that who calls it back has the one that stays
        engine._build(scenario, engine.seed, at_s, stage.plant, first)
        vars(made).update(vars(engine))
    finally:
        vars(engine).clear()
        vars(engine).update(standing_now)
    return made


def _fits_now(engine: RunParts, stage: EditStage) -> None:
    """Refuse what jobs that have come cannot follow."""
    for row, job in zip(engine.jobs.rows, stage.scenario.jobs, strict=False):
        old = engine.jobs.specs[row.index]
        coming = row.state == JobState.QUEUED and engine.timers.due_s("submit", row.index) is not None
        if old == job or coming:
            continue
        had, has = with_nodes(engine.plant), with_nodes(stage.plant)
        stays = same_places(had, engine.scenario, old, has, stage.scenario, job)
        free = (*FREE, "rows") if stays else FREE
        if old.model_copy(update={name: getattr(job, name) for name in free}) != job:
            raise Unfit(f"job {row.id!r} is submitted: only its checkpoint and recovery can still change")


def move_over(engine: EditedRun, stage: EditStage, edit: Edit) -> None:
    """Let the run continue in the edited hall: the engine stays, all its parts are others."""
    new, now = stage.parts, engine.timers.now_s
    assert new is not None
    stands, what = (
        standing(engine.plant, stage.plant, len(engine.jobs.rows), now),
        edit.title or "hall edited",
    )
    drained = _drained(engine.plant, stage.plant, stands)
    engine.heat.cut()
    engine.measure()
    engine.ledger.advance(now)
    let_go(engine, stands.gone, stage.plant, f"{what}: nodes removed")
    engine.network.update(engine.recovery.changed)
    emptied_j = _charge(engine, new, stands.kept["power"].there)
    old = copy(engine)
    engine.move_into(new)  # now: what parts ask the engine for while they take over must be of the new hall
    graft(old, engine, stands)
    engine.power.totals.emptied_j += emptied_j
    engine.timers.restore(timers_of(old, engine, stands))
    engine.nodes.recount()
    for row in engine.jobs.active:
        if row.nodes:
            engine.recovery._hold(row)
    engine.recovery.changed.update(old.recovery.changed, (row.index for row in engine.jobs.active))
    engine.recovery.returned = old.recovery.returned
    _submissions(old, engine)
    moved = [
        slot for slot in stands.kept["loops"].there if old.cooling.drives[slot] != engine.cooling.drives[slot]
    ]
    _settle(engine, stands.came, drained, moved)
    engine.log.add(now, "edited", edit.id, what, epoch=engine.plant.epoch)


def _drained(before: Plant, after: Plant, stands: EditedPair) -> list[tuple[int, bool]]:
    """Return the nodes, by their slots after it, that the edit drains or lets work again."""
    there, here = stands.kept["nodes"].there, stands.kept["nodes"].here
    was, now = before.nodes.drained[there], after.nodes.drained[here]
    return [(int(here[k]), bool(now[k])) for k in np.flatnonzero(was != now).tolist()]


def _charge(old: RunParts, new: RunParts, kept: IntP) -> float:
    """Count the energy in batteries that come as brought along; return what those that go take with them [J]."""
    stays = np.zeros(new.power.circuit.count, bool)
    stays[kept] = True
    gone_j = float(old.power.condition.charge_j[~stays[: old.power.circuit.count]].sum())
    kept_j = old.power.condition.charge_j[kept]
    over_j = float(np.maximum(kept_j - new.power.circuit.energy_j[kept], 0.0).sum())
    old.power.condition.charge_j[kept] = np.minimum(kept_j, new.power.circuit.energy_j[kept])
    old.meter.charged_j += float(new.power.condition.charge_j[~stays].sum())
    return gone_j + over_j


def _submissions(old: RunParts, new: RunParts) -> None:
    """Let jobs that the edit brings be submitted, and others that are to come when they are to come now."""
    now = new.timers.now_s
    for row in new.jobs.rows:
        known = row.index < len(old.jobs.rows)
        if not known or (row.submit_s != old.jobs.rows[row.index].submit_s and row.state == JobState.QUEUED):
            new.timers.set("submit", row.index, max(now, row.submit_s))


def _settle(engine: RunParts, came: IntP, drained: list[tuple[int, bool]], loops: list[int]) -> None:
    """Let everything take note of the hall as it is now."""
    now, nodes = engine.timers.now_s, engine.nodes
    for node in came.tolist():
        engine.failures.set_up(node, now, True)
    for loop in loops:  # the flow of a loop is that of the machines it serves
        engine.cooling.renew(now, loop)
    engine.power.renew()
    cut = engine.network.cut_off()
    for node in np.flatnonzero(cut != nodes.cut).tolist():
        nodes.cut_off(now, node, bool(cut[node]))
    for node, drain in drained:
        if drain:
            for job in nodes.jobs_on(node):
                nodes.cordon(now, node, True)
                on = nodes.plant.nodes.ids[node]
                if engine.recovery.interrupt(engine.jobs.rows[job], None, f"{on} drained", on=on):
                    engine.incidents.planned["drain"] += 1
        nodes.cordon(now, node, drain)
    engine.incidents.shutdowns.renew()
    engine.incidents.machines_changed = True
    engine.incidents.arm()
    engine.pacing.look_at_all()
    engine.recovery.node_usable()
