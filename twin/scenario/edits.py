"""What edits make of a scene: the same changes as in its text, on the scenario alone, as a worker has it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from twin.scenario import check
from twin.scenario.assign import assign, take_away
from twin.scenario.document import Scenario
from twin.scenario.edit import Edit, EditChange
from twin.scenario.patch import Change
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.tree import Mark, Tree, locate

_NOWHERE = Tree({}, Mark("edit", 0, 0), 0, 0)


def edited(scenario: Scenario, changes: Iterable[Change | EditChange]) -> Scenario:
    """Return the scenario after changes that act together.

    Raises
    ------
    ScenarioError
        When a path leads nowhere, a value does not fit, or the whole is wrong after all of them. Interventions are
        not looked at: what they act on may have come or gone by then.
    """
    scenario = _changed(scenario, changes)
    check.check(scenario, _NOWHERE, during=(math.inf, math.inf))
    return scenario


def in_order(scenario: Scenario) -> list[Edit]:
    """Return the edits of a scene in the order in which they act: by time, then as they stand."""
    return sorted(scenario.edits, key=lambda edit: edit.at_s)


def problems(scenario: Scenario, tree: Tree) -> Iterator[Problem]:
    """Yield what is wrong with the edits of a scene, and with interventions in the halls that they make.

    The first edit that cannot act ends the search.
    """
    places = {edit.id: place for place, edit in enumerate(scenario.edits)}
    acting = in_order(scenario)
    ends_s = [*(edit.at_s for edit in acting[1:]), math.inf]
    stage = scenario.model_copy(update={"edits": ()})
    for edit, end_s in zip(acting, ends_s, strict=False):
        mark = locate(tree, ("edits", places[edit.id]))
        for change in edit.changes:
            if change.path.split(".")[0].split("[")[0] in ("edits", "interventions"):
                reason = f"changes {change.path}; an edit changes what exists"
                yield Problem(mark.file, mark.line, f"edits[{edit.id}]", "", reason, "take it out")
                return
        try:
            stage = _changed(stage, edit.changes)
            check.check(stage, _NOWHERE, during=(edit.at_s, end_s))
        except ScenarioError as error:
            for one in error.problems:
                key = one.key if one.key.startswith("interventions") else f"edits[{edit.id}]: {one.key}"
                yield Problem(mark.file, mark.line, key, one.value, one.reason, one.hint)
            return


def _changed(scenario: Scenario, changes: Iterable[Change | EditChange]) -> Scenario:
    for change in changes:
        if change.value is None:
            scenario = take_away(scenario, change.path)
        else:
            scenario = assign(scenario, change.path, change.value)
    return scenario
