"""Times of a scene: sums of lengths, a least step, no more windows than a run can hold, nothing after its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.scenario import ScenarioError, load, loads
from twin.scenario.checks.horizon import past_the_end
from twin.scenario.checks.workload import MAX_WINDOWS

FINDINGS = Path(__file__).parents[1] / "findings"
SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:shared-cluster
title: shared-cluster with a reservation
reservations: [{{id: late, rows: [train], {said}}}]
"""


def test_a_length_of_time_in_a_scene_may_be_a_sum() -> None:
    scene = loads(SCENE.format(said="at: 1 d 2 h, for: 1 h 10 min"))
    assert (scene.scenario.reservations[-1].at_s, scene.scenario.reservations[-1].duration_s) == (
        93600.0,
        4200.0,
    )


def test_a_time_below_a_millisecond_is_refused_with_its_line() -> None:
    with pytest.raises(ScenarioError) as caught:
        load(FINDINGS / "nan-intervention.twin.yaml")
    problem = caught.value.problems[0]
    assert (problem.line, problem.key) == (139, "interventions[requeue-12h].at")
    assert "less than 1 ms, the least step" in problem.reason
    assert loads(SCENE.format(said="at: 0 s, for: 1 ms")).scenario.reservations[-1].duration_s == 0.001


def test_windows_of_reservations_are_bounded() -> None:
    with pytest.raises(ScenarioError) as caught:
        load(FINDINGS / "x_maint1ms.twin.yaml")
    problem = caught.value.problems[0]
    assert (problem.line, problem.key, problem.value) == (6, "reservations[r].every", "'2 ms'")
    assert "302,400,001 windows" in problem.reason
    assert f"at most {MAX_WINDOWS:,}" in problem.reason
    assert loads(SCENE.format(said="at: 0 s, for: 30 s, every: 1 min 1 s"))


def test_what_begins_after_the_end_is_found() -> None:
    scene = loads(SCENE.format(said="at: 99 day, for: 1 h")).scenario
    ((path, id, reason),) = past_the_end(scene)
    assert (path, id) == (("reservations", 1, "at"), "late")
    assert reason == "is at 99 d, after the end of the run at 7 d"
    at_the_end = scene.reservations[-1].model_copy(update={"at_s": scene.duration_s})
    assert not list(past_the_end(scene.model_copy(update={"reservations": (at_the_end,)})))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("start: 9999-12-31T23:59+00:00", "must be in a year from 1900 to 2999"),
        ("start: 0001-01-01T00:00+23:59", "must be in a year from 1900 to 2999"),
        ("duration: 1e9 day", "must be at most"),
    ],
)
def test_begin_and_end_of_a_run_have_a_date(said: str, reason: str) -> None:
    head = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\ntitle: t\n'
    with pytest.raises(ScenarioError, match=reason):
        loads(f"{head}{said}\n")
