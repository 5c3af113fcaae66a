"""Results run again: honest ones fit, and whatever was tampered with is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from twin.lessons.class_page import class_page
from twin.lessons.class_results import read_class, steps_of_class
from twin.lessons.lesson_file import LessonFile, load_lesson
from twin.lessons.recount import recount
from twin.lessons.result import DoneAct, LessonResult, read_result, result_from, result_text, write_result
from twin.lessons.schema import Step, Way
from twin.lessons.script import nothing_in, scripted_result, solution_of
from twin.lessons.step_hall import acts_of_lines, hall_of

HALL = Path(__file__).with_name("hall.twin-lesson.yaml")


@pytest.fixture(scope="module")
def lesson() -> LessonFile:
    """Return a small lesson."""
    return load_lesson(HALL)


def by(lesson: LessonFile, person: str, at_s: float) -> LessonResult:
    """Return the honest result of a person who acts at a time of their own."""

    def way(step: Step) -> Way:
        if step.id != "cap" or step.solution is None:
            return solution_of(step)
        return Way(acts=tuple(f"{at_s:.3f} s {line.split(' ', 2)[2]}" for line in step.solution.acts))

    return scripted_result(lesson, person, way)


@pytest.fixture(scope="module")
def ada(lesson: LessonFile) -> LessonResult:
    """Return an honest result."""
    return by(lesson, "Ada", 700.123)


def test_an_honest_result_has_all_points(lesson: LessonFile, ada: LessonResult) -> None:
    found = recount(lesson, ada)
    assert found.findings == ()
    assert [step.solved for step in found.steps] == [True, True, True]
    assert found.points == found.most_points == 30
    assert found.stuck is None


def test_who_does_nothing_has_none(lesson: LessonFile) -> None:
    found = recount(lesson, scripted_result(lesson, "Bob", nothing_in))
    assert found.findings == ()
    assert found.points == 0
    assert found.stuck is not None
    assert found.stuck.id == "look"


def test_hints_wrong_answers_and_tries_cost(lesson: LessonFile, ada: LessonResult) -> None:
    result = ada
    step = result.step("cap").model_copy(update={"hints": 2, "tries": 3})
    look = result.step("look")
    look = look.model_copy(update={"answers": (1.0, *look.answers)})
    found = recount(lesson, result.with_step(step).with_step(look))
    assert {step.step.id: step.points for step in found.steps} == {
        "look": 8,
        "cap": 10 - 1 - 3 - 2,
        "plan": 10,
    }


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda r: r.with_hall(r.hall("look").model_copy(update={"acts": ()})), "other run"),
        (lambda r: r.model_copy(update={"number": r.number + 1}), "foreign number"),
        (lambda r: r.model_copy(update={"person": "Eve"}), "foreign number"),
        (lambda r: r.with_step(r.step("look").model_copy(update={"answers": (3.0,)})), "not solved"),
        (lambda r: r.with_step(r.step("plan").model_copy(update={"answers": ((1,),)})), "not solved"),
        (lambda r: r.with_hall(r.hall("plan").model_copy(update={"scene": None})), "not solved"),
        (lambda r: r.with_hall(r.hall("plan").model_copy(update={"scene": "format: x"})), "unreadable"),
        (lambda r: r.model_copy(update={"digest": "0" * 64}), "other lesson"),
    ],
)
def test_what_was_tampered_with_is_told(
    lesson: LessonFile, ada: LessonResult, change: Callable[[LessonResult], LessonResult], kind: str
) -> None:
    findings = recount(lesson, change(ada)).findings
    assert kind in {finding.kind for finding in findings}
    assert any(finding.accuses for finding in findings) == (kind != "other lesson")


@pytest.mark.slow
def test_of_thirty_results_the_ten_tampered_ones_are_found(lesson: LessonFile, tmp_path: Path) -> None:
    honest = [by(lesson, f"person {place}", 690.0 + 3.7 * place) for place in range(30)]
    tampered = dict(enumerate(honest))
    cap = acts_of_lines(["700.5 s power_cap all value=470W"], hall_of(lesson, lesson.lesson(), 0).scenario)[0]
    # 1-3: acts that do not give the claimed run
    for place, change in ((0, (DoneAct.of(cap),)), (1, ()), (2, honest[3].hall("look").acts)):
        hall = honest[place].hall("look").model_copy(update={"acts": change})
        tampered[place] = honest[place].with_hall(hall)
    # 4-5: somebody else's number, somebody else's whole file under another name
    tampered[4] = honest[4].model_copy(update={"number": honest[5].number})
    tampered[5] = honest[6].model_copy(update={"person": "person 5"})
    # 6-8: answers that the recorded hall does not give, or a step called solved that is not
    wrong = honest[7].step("look").model_copy(update={"answers": (3.0,)})
    tampered[7] = honest[7].with_step(wrong)
    idle = scripted_result(lesson, "person 8", nothing_in)
    tampered[8] = idle.with_step(idle.step("cap").model_copy(update={"solved": True}))
    picked = honest[9].step("plan").model_copy(update={"answers": ((1,),)})
    tampered[9] = honest[9].with_step(picked)
    # 9: another scene than the lesson gives; 10: a step that the lesson forbids to touch
    scene = hall_of(lesson, lesson.lesson("person 10"), 0, ["jobs[llama3].nodes=1"]).text
    tampered[10] = honest[10].with_hall(honest[10].hall("look").model_copy(update={"scene": scene}))
    drain = acts_of_lines(["800 s undrain gpu/0/0/0"], hall_of(lesson, lesson.lesson(), 0).scenario)[0]
    acts = (*honest[11].hall("look").acts, DoneAct.of(drain))
    tampered[11] = honest[11].with_hall(honest[11].hall("look").model_copy(update={"acts": acts}))
    guilty = {0, 1, 2, 4, 5, 7, 8, 9, 10, 11}
    for place, result in tampered.items():
        write_result(result, tmp_path / f"{place:02}.twin-result.json")
    found = read_class(tmp_path, lesson)
    assert not found.unread
    accused = {int(result.name[:2]) for result in found.recounts if any(f.accuses for f in result.findings)}
    assert accused == guilty
    page = class_page(found)
    assert "<script" not in page
    assert all(result.person in page for result in honest)
    # A whole copied file is told to both: its id and acts are the same.
    shared = {
        int(result.name[:2]) for result in found.recounts if any(f.kind == "shared" for f in result.findings)
    }
    assert shared <= {5, 6}


@pytest.mark.slow
def test_the_same_acts_to_the_millisecond_are_told_to_both(lesson: LessonFile, tmp_path: Path) -> None:
    def way(step: Step) -> Way:
        lines = ("700.123 s power_cap all value=460W", "731.456 s power_cap all value=455W")
        return Way(acts=lines) if step.id == "cap" else solution_of(step)

    for person in ("Ada", "Bob"):
        write_result(scripted_result(lesson, person, way), tmp_path / f"{person}.twin-result.json")
    write_result(by(lesson, "Chen", 700.123), tmp_path / "Chen.twin-result.json")
    found = {result.result.person: result.findings for result in read_class(tmp_path, lesson).recounts}
    assert [finding.kind for finding in found["Ada"]] == ["shared"]
    assert "Bob" in found["Ada"][0].text
    assert not found["Ada"][0].accuses
    assert found["Chen"] == ()


def test_where_a_class_stuck(lesson: LessonFile, ada: LessonResult) -> None:
    def longer(step: Step) -> Way:
        return step.mistakes[0] if step.id == "plan" else solution_of(step)

    results = [ada, scripted_result(lesson, "Bob", longer)]
    steps = steps_of_class([recount(lesson, result) for result in results])
    assert [(step.solved, step.stuck) for step in steps] == [(2, 0), (2, 0), (1, 1)]
    assert steps[2].mistakes == (("A longer interval", 1),)


def test_a_result_is_for_its_owner_and_comes_back_whole(ada: LessonResult, tmp_path: Path) -> None:
    path = tmp_path / "ada.twin-result.json"
    result = ada
    write_result(result, path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_result(path) == result
    assert "holds no score" in json.loads(path.read_text())["note"]
    assert result_from(result_text(result)) == result


def test_what_the_lesson_does_not_allow_is_told_and_not_run(
    lesson: LessonFile, ada: LessonResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twin.lessons.recount.replayed", lambda *_: pytest.fail("it was run"))
    scenario = hall_of(lesson, lesson.lesson("Ada"), 0).scenario
    hall = ada.hall("look")
    drain = DoneAct.of(acts_of_lines(["800 s undrain gpu/0/0/0"], scenario)[0])
    longer = hall_of(lesson, lesson.lesson("Ada"), 0, ["duration=300 day"]).text
    for change in ({"acts": (*hall.acts, drain)}, {"scene": longer}):
        findings = recount(lesson, ada.with_hall(hall.model_copy(update=change))).findings
        assert ("not allowed", True) in [(doubt.kind, doubt.accuses) for doubt in findings]
