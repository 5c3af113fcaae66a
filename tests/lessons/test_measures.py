"""Each measure of a lesson against the run and the scene that it is read off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from twin.lessons.judgement import ConditionState, outcome_of
from twin.lessons.lesson_file import load_lesson, number_of
from twin.lessons.measure import Measure
from twin.lessons.replay import replayed
from twin.lessons.schema import StepCondition
from twin.lessons.step_hall import acts_of_lines
from twin.lessons.values import NoValue, StepEvidence, value_of
from twin.scenario import load
from twin.scenario.schema.quantity import FROM_FILE

MEASURE: TypeAdapter[Measure] = TypeAdapter(Measure)
END_S = 1200.0


def measure(**keys: object) -> Measure:
    """Return a measure as a file writes it."""
    return MEASURE.validate_python(keys, context=FROM_FILE)


@pytest.fixture(scope="module")
def evidence() -> Iterator[StepEvidence]:
    """Return twenty minutes of the small lab, in which a person capped and drained."""
    scenario = load("builtin:lab-16").scenario.model_copy(update={"interventions": ()})
    acts = acts_of_lines(["300 s power_cap all value=450W", "600 s drain gpu/0/0/0"], scenario)
    with replayed(scenario, acts, END_S) as reader:
        yield StepEvidence(scenario, reader, acts, 0.0, END_S, END_S)


def test_measures_of_the_run_are_those_of_the_run(evidence: StepEvidence) -> None:
    reader = evidence.reader
    assert reader is not None
    hottest = reader.series(0, "site.gpu_max_c", 0.0, END_S, points=100_000)
    most = value_of(measure(kind="channel", channel="site.gpu_max_c", take="max"), evidence)
    assert most == pytest.approx(float(hottest.high.max()))
    before = value_of(measure(kind="channel", channel="site.it_w", until="290 s"), evidence)
    after = value_of(measure(kind="channel", channel="site.it_w", until="590 s"), evidence)
    assert after < before
    drained = [event for event in reader.all_events() if event.kind == "drained"]
    assert value_of(measure(kind="events", event="drained"), evidence) == len(drained) == 1
    assert value_of(measure(kind="events", event="drained", until="599 s"), evidence) == 0
    assert value_of(measure(kind="events", event="drained", of="gpu/0/1/0"), evidence) == 0
    times, figures = reader.figures()
    name = next(iter(figures))
    found = value_of(measure(kind="summary", figure=name), evidence)
    assert found == pytest.approx(float(figures[name][times <= END_S][-1]))


def test_all_accounts_are_all_gpu_time(evidence: StepEvidence) -> None:
    from twin.record.accounts import ACCOUNTS

    whole = value_of(measure(kind="ledger", accounts=ACCOUNTS), evidence)
    assert whole == pytest.approx(16 * END_S / 3600.0, rel=1e-9)
    shares = [
        value_of(measure(kind="ledger", accounts=(account,), share=True), evidence) for account in ACCOUNTS
    ]
    assert sum(float(share) for share in shares) == pytest.approx(100.0, rel=1e-9)


def test_acts_are_those_of_the_person(evidence: StepEvidence) -> None:
    assert value_of(measure(kind="acts", acts=["drain", "power_cap"]), evidence) == 2
    assert value_of(measure(kind="acts", acts=["drain"], until="500 s"), evidence) == 0
    assert value_of(measure(kind="acts", acts=["power_cap"], of="gpu"), evidence) == 0


def test_measures_of_the_scene(evidence: StepEvidence) -> None:
    assert value_of(measure(kind="scene", path="jobs[llama3].nodes"), evidence) == 2.0
    assert value_of(measure(kind="scene", path="jobs"), evidence) == len(evidence.scenario.jobs)
    with pytest.raises(NoValue, match="no jobs"):
        value_of(measure(kind="scene", path="jobs[other].nodes"), evidence)
    step_s = float(value_of(measure(kind="plan", job="llama3", figure="step_s"), evidence))
    share = float(value_of(measure(kind="plan", job="llama3", figure="memory_share"), evidence))
    assert 0 < step_s < 1000
    assert 0 < share < 95
    assert float(value_of(measure(kind="findings"), evidence)) >= 0


def condition(**keys: object) -> StepCondition:
    """Return a condition as a file writes it."""
    return StepCondition.model_validate({"text": "it holds", **keys}, context=FROM_FILE)


def test_a_condition_is_settled_when_nothing_can_change_it(evidence: StepEvidence) -> None:
    from dataclasses import replace

    now = replace(evidence, now_s=700.0)
    most = {"kind": "channel", "channel": "site.gpu_max_c", "take": "max"}
    drain = {"kind": "events", "event": "drained"}
    assert outcome_of(condition(measure=drain, at_least=1), now).state is ConditionState.MET
    assert outcome_of(condition(measure=drain, at_most=0), now).state is ConditionState.BROKEN
    assert outcome_of(condition(measure=drain, at_most=1), now).state is ConditionState.SO_FAR
    assert outcome_of(condition(measure=drain, at_most=1), evidence).state is ConditionState.MET
    assert outcome_of(condition(measure=drain, at_least=2), now).state is ConditionState.OPEN
    assert outcome_of(condition(measure=drain, at_least=2), evidence).state is ConditionState.BROKEN
    assert outcome_of(condition(measure=most, at_most="200 degC"), now).state is ConditionState.SO_FAR
    assert outcome_of(condition(measure=most, at_most="20 °C"), now).state is ConditionState.BROKEN


def test_the_number_of_a_person_is_theirs_alone() -> None:
    assert number_of("Ada", "a lesson") == number_of("  ada ", "a lesson")
    assert len({number_of(f"person {place}", "a lesson") for place in range(1000)}) == 1000
    file = load_lesson(Path(__file__).with_name("hall.twin-lesson.yaml"))
    drawn = {file.draw(f"person {place}")["watts"] for place in range(30)}
    assert drawn == {450, 500}
    assert "{" not in file.lesson("Ada").steps[1].text
