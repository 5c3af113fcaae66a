"""A lesson that is recorded by doing it can be checked, and its text is read as what was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.lessons.draft import LessonDraft, UnwrittenAct, lines_of, proposals, recorded_step, with_bound
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import load_lesson
from twin.lessons.measure import ChannelMeasure
from twin.lessons.replay import replayed
from twin.lessons.schema import StepCondition
from twin.lessons.step_hall import acts_of_lines, hall_of
from twin.lessons.values import StepEvidence
from twin.scenario.schema.edit import Edit, EditChange

HALL = Path(__file__).with_name("hall.twin-lesson.yaml")
LINES = (
    "12.345 s power_cap all value=450W",
    "600 s drain gpu/0/0/0",
    "700 s fail gpu/0/1/0 for=20 min cause=gpu",
    "12345.678 s set jobs[llama3].nodes=1",
    "12345.678 s set jobs[llama3].checkpoint.interval=",
    "12346 s set jobs[llama3].nodes=2",
)


def test_acts_are_written_as_they_are_read() -> None:
    scenario = hall_of(load_lesson(HALL), load_lesson(HALL).lesson(), 0).scenario
    acts = acts_of_lines(LINES, scenario)
    again = acts_of_lines([line for act in acts for line in lines_of(act)], scenario)
    assert [act.model_copy(update={"id": None}) for act in acts] == [
        act.model_copy(update={"id": None}) for act in again
    ]


def test_changes_of_one_time_act_together() -> None:
    scenario = hall_of(load_lesson(HALL), load_lesson(HALL).lesson(), 0).scenario
    first, second = acts_of_lines(LINES, scenario)[-2:]
    assert isinstance(first, Edit)
    assert isinstance(second, Edit)
    assert first.at_s == 12345.678
    assert [(change.path, change.value) for change in first.changes] == [
        ("jobs[llama3].nodes", "1"),
        ("jobs[llama3].checkpoint.interval", None),
    ]
    assert len(second.changes) == 1
    broken = EditChange(path="jobs[llama3].workload", value="kind: train\nglobal_batch: 8\n")
    (line,) = lines_of(first.model_copy(update={"changes": (broken,)}))
    assert line == '12345.678 s set jobs[llama3].workload={"kind": "train", "global_batch": 8}'
    long = EditChange(path="notes", value="x" * 200)
    with pytest.raises(UnwrittenAct, match="too much for a line"):
        lines_of(first.model_copy(update={"changes": (long,)}))


def test_another_bound_stands_in_the_text_too() -> None:
    measure = ChannelMeasure(kind="channel", channel="site.it_w", take="max")
    condition = StepCondition(text="IT power of the site: at most 20 kW", measure=measure, at_most=20000.0)
    other = with_bound(condition, "15 kW")
    assert (other.text, other.at_most) == ("IT power of the site: at most 15 kW", 15000.0)
    with pytest.raises(ValueError, match="'cold' is not in W"):
        with_bound(condition, "cold")


def test_a_lesson_comes_back_from_its_text() -> None:
    file = load_lesson(HALL)
    draft = LessonDraft.of(file)
    assert draft.file(file.folder).lesson() == file.lesson()


def test_variants_stay_as_they_are_written() -> None:
    file = load_lesson(HALL.with_name("lab.twin-lesson.yaml"))
    draft = LessonDraft.of(file)
    assert "{node}" in draft.lesson.steps[0].text
    for person in ("anna", "ben", None):
        assert draft.file(file.folder).lesson(person) == file.lesson(person)


def test_a_step_recorded_by_doing_it_can_be_taught() -> None:
    draft = LessonDraft.new("mine", "A cap", "builtin:lab-16")
    draft = draft.with_step(0, settings={"duration": "20 min", "interventions": "[]"})
    file = draft.file(None)
    scenario = hall_of(file, draft.lesson, 0).scenario
    acts = acts_of_lines(["300.25 s power_cap all value=450W"], scenario)
    with replayed(scenario, acts, 900.0) as reader:
        evidence = StepEvidence(scenario, reader, acts, 200.0, 900.0, 900.0)
        offered = proposals(evidence, [("job", "llama3")])
    assert len({proposal.condition.text for proposal in offered}) == len(offered) > 10
    power = next(proposal for proposal in offered if "IT power" in proposal.condition.text)
    draft = draft.with_added(recorded_step(draft, "Cap the hall", 200.0, 900.0, acts))
    step = draft.lesson.steps[1]
    draft = draft.with_step(1, conditions=(*step.conditions, power.condition))
    assert check_lesson(draft.file(None)) == []
    idle = draft.with_step(1, conditions=(power.condition.model_copy(update={"at_most": "1 GW"}),))
    assert "nothing is done" in str(check_lesson(idle.file(None))[0])


def test_steps_are_moved_and_taken_out() -> None:
    draft = LessonDraft.of(load_lesson(HALL))
    ids = [step.id for step in draft.lesson.steps]
    assert [step.id for step in draft.moved(1, 5).lesson.steps] == [ids[0], ids[2], ids[1]]
    assert [step.id for step in draft.without(1).lesson.steps] == [ids[0], ids[2]]
    assert draft.free_id("cap") == "cap-2"
