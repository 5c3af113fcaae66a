"""Edits applied to a scenario alone, without its text, as a worker process has it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from twin.scenario.checks import check
from twin.scenario.reading.set_value import assign, take_away
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit, EditChange
from twin.scenario.text.parse import SourceMark, Tree, locate
from twin.scenario.text.patch import Change
from twin.scenario.text.problem import Problem, ScenarioError

FIXED = {
    "start": "the calendar",
    "duration_s": "the duration",
    "ends": "the end of the run",
    "seed": "the seed",
    "site": "the site",
    "streams": "streams of jobs",
    "traces": "traces of jobs",
    "clouds": "clouds",
    "rentals": "rented nodes",
    "failures": "random failures",
    "scheduler": "the scheduler (use the intervention set)",
    "partitions": "partitions",
    "reservations": "reservations",
    "tenants": "tenants",
    "power_caps": "power caps (use the intervention power_cap)",
    "interventions": "interventions",
    "catalog": "the catalogue edition",
    "own_files": "own parts and models",
    "building": "walls, columns, doors and underlays",
}
"""Keys of a scene and of its halls that cannot change during a run, and their names in messages."""


def fixed_changes(before: Scenario, after: Scenario) -> list[str]:
    """Return the keys that differ and cannot during a run; targets and contracts of a site act on no run."""
    kept = {name: getattr(before.site, name) for name in ("redundancy", "power_purchases", "heat_sales")}
    target = after.site.model_copy(update=kept)
    buildings = {hall.id: hall.building for hall in before.halls}
    rebuilt = any(buildings.get(hall.id, hall.building) != hall.building for hall in after.halls)
    moved = {"site": target != before.site, "building": rebuilt}
    return [
        name
        for name in FIXED
        if (moved[name] if name in moved else getattr(after, name) != getattr(before, name))
    ]


_NOWHERE = Tree({}, SourceMark("edit", 0, 0), 0, 0)


def edited(scenario: Scenario, changes: Iterable[Change | EditChange]) -> Scenario:
    """Return the scenario after changes that act together.

    Raises
    ------
    ScenarioError
        When a path leads nowhere, a value does not fit, or the whole is wrong after all of them. Interventions are
        not looked at: what they act on may have come or gone by then.
    """
    scenario = changed(scenario, changes)
    check.check(scenario, _NOWHERE, during=(math.inf, math.inf))
    return scenario


def in_order(scenario: Scenario) -> list[Edit]:
    """Return the edits of a scene in the order in which they act: by time, then as they stand."""
    return sorted(scenario.edits, key=lambda edit: edit.at_s)


@dataclass(frozen=True)
class Stages:
    """The scene after each of its edits.

    Attributes
    ----------
    first
        The scene without them.
    acting
        The edits, in the order in which they act.
    made
        The scene after each.
    """

    first: Scenario
    acting: tuple[Edit, ...] = ()
    made: tuple[Scenario, ...] = ()

    def shared(self, other: Stages) -> int:
        """Return the number of stages shared with another; 0 when the scene itself differs."""
        if not self.acting or not other.acting or self.first != other.first:
            return 0
        pairs = enumerate(zip(self.acting, other.acting, strict=False))
        return next((n for n, (edit, two) in pairs if edit != two), min(len(self.acting), len(other.acting)))


def stages(scenario: Scenario, tree: Tree, before: Stages | None = None) -> Stages:
    """Return the scene after each of its edits.

    Parameters
    ----------
    scenario, tree
        The scene, and what it was made from, for the places.
    before
        Stages that are known to be right: those of the scene before its text was changed. One more edit at the end
        then costs one check.

    Raises
    ------
    ScenarioError
        With what is wrong with the edits, and with interventions in the halls that they make. The first edit that
        cannot act ends the search.
    """
    acting = in_order(scenario)
    stage = scenario.model_copy(update={"edits": ()})
    found = Stages(stage, tuple(acting))
    ends_s = [edit.at_s for edit in acting] + [math.inf]
    made: list[Scenario] = []
    if before is not None:
        known = found.shared(before)
        until_s = [edit.at_s for edit in before.acting] + [math.inf]
        if (
            known and until_s[known] < ends_s[known]
        ):  # what is done in the time between was not looked at there
            known -= 1
        made += before.made[:known]
    stage = made[-1] if made else stage
    places = {edit.id: place for place, edit in enumerate(scenario.edits)}
    for edit, end_s in list(zip(acting, ends_s[1:], strict=True))[len(made) :]:
        mark = locate(tree, ("edits", places[edit.id]))
        for change in edit.changes:
            if change.path.split(".")[0].split("[")[0] in ("edits", "interventions", "chapters"):
                reason = f"changes {change.path}; an edit changes what exists"
                wrong = Problem(mark.file, mark.line, f"edits[{edit.id}]", "", reason, "remove it")
                raise ScenarioError([wrong])
        try:
            stage = changed(stage, edit.changes)
            check.check(stage, _NOWHERE, during=(edit.at_s, end_s))
        except ScenarioError as error:
            raise ScenarioError([_of_edit(edit, mark, problem) for problem in error.problems]) from None
        made.append(stage)
    return replace(found, made=tuple(made))


def _of_edit(edit: Edit, mark: SourceMark, problem: Problem) -> Problem:
    key = problem.key if problem.key.startswith("interventions") else f"edits[{edit.id}]: {problem.key}"
    return Problem(mark.file, mark.line, key, problem.value, problem.reason, problem.hint)


def changed(scenario: Scenario, changes: Iterable[Change | EditChange]) -> Scenario:
    """Return the scenario after changes, of which each fits its place; the whole is not looked at."""
    for change in changes:
        if change.value is None:
            scenario = take_away(scenario, change.path)
        else:
            scenario = assign(scenario, change.path, change.value)
    return scenario
