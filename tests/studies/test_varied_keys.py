"""What varies: lists and ranges as texts, and keys that cannot vary told before anything runs."""

from __future__ import annotations

import pytest

from twin.scenario import ScenarioError, load
from twin.studies.design import design_of, scene_at
from twin.studies.varied_key import varied_key, varied_keys

LAB = load("builtin:lab-16")
INTERVAL = "jobs[llama3].checkpoint.interval"


def test_a_list_is_split_outside_of_brackets_and_quotes() -> None:
    assert varied_key("a.b=1, [2,3],{x: 1, y: 2},'4,5'").texts == ("1", "[2,3]", "{x: 1, y: 2}", "'4,5'")


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("a=5..20 min", ("5 min", "12.5 min", "20 min")),
        ("a=5 min..20 min", ("5 min", "12.5 min", "20 min")),
        ("a=40%..80 %", ("40 %", "60 %", "80 %")),
        ("a=-3..2 degC", ("-3 degC", "-0.5 degC", "2 degC")),
        ("a=2..8", ("2", "5", "8")),
        ("a=0.5..1", ("0.5", "0.75", "1")),
    ],
)
def test_a_range_is_written_in_its_unit(text: str, levels: tuple[str, ...]) -> None:
    assert varied_key(text).levels(3) == levels


def test_whole_numbers_of_a_range_are_equally_wide() -> None:
    key = varied_key("a=1..4")
    assert [key.at(share) for share in (0.0, 0.24, 0.26, 0.5, 0.99)] == ["1", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    "text", ["a", "a=", "=1", "a=1,,2", "a=5 min..2", "a=20..5 min", "a=x..y", "a=1 s..2 min"]
)
def test_what_is_no_list_and_no_range_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError):
        varied_key(text)


@pytest.mark.parametrize("ends", [f"1..{'9' * 400}", f"-{'9' * 400}..1", "0..1e999 s", "-1e308..1e308"])
def test_a_range_without_finite_ends_is_refused(ends: str) -> None:
    with pytest.raises(ScenarioError, match="is too wide"):
        varied_keys(LAB, [f"jobs[llama3].nodes={ends}"])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("seed=1,2", True, "every point runs with the same seeds"),
        ("title=a,b", True, "changes no run"),
        (
            "jobs[llama3].chekpoint.interval=1 min",
            True,
            "unknown key 'chekpoint'; did you mean 'checkpoint'?",
        ),
        ("jobs[other].nodes=1,2", True, "unknown id"),
        (f"{INTERVAL}=5 min,soon", True, "soon"),
        (f"{INTERVAL}=-5..5 min", True, "must be more than 0 s"),
        ("power_caps=[]..[]", False, "is no range of numbers"),
    ],
)
def test_a_key_that_cannot_vary_is_told_with_file_line_key_and_reason(
    text: str, line: bool, words: str
) -> None:
    with pytest.raises(ScenarioError) as told:
        varied_keys(LAB, [text])
    (problem,) = told.value.problems
    assert words in str(problem)
    if line:
        assert problem.file == "lab-16.twin.yaml"
        assert problem.line > 0
        assert problem.key.split(".")[0] == text.split("=")[0].split(".")[0]


def test_all_wrong_keys_are_told_at_once() -> None:
    with pytest.raises(ScenarioError) as told:
        varied_keys(LAB, ["seed=1,2", f"{INTERVAL}=5 min", f"{INTERVAL}=6 min", "jobs[x].nodes=1"])
    assert len(told.value.problems) == 3


def test_the_point_that_stands_is_the_base_and_else_it_comes_first() -> None:
    keys = varied_keys(LAB, [f"{INTERVAL}=5min,1800 s", "jobs[llama3].nodes=1,2"])
    assert design_of(LAB, keys, "grid").base == 3
    keys = varied_keys(LAB, [f"{INTERVAL}=5min,6min"])
    design = design_of(LAB, keys, "grid")
    assert (design.base, design.points) == (0, ((), ("5min",), ("6min",)))
    assert scene_at(LAB, keys, ()) == LAB.scenario


def test_values_need_to_fit_only_together() -> None:
    keys = varied_keys(LAB, ["halls[lab].rows[gpu].racks.count=1,4", "jobs[llama3].nodes=1,4"])
    assert scene_at(LAB, keys, ("4", "4")).jobs[0].nodes == 4
    with pytest.raises(ScenarioError, match="1 racks in a row"):
        scene_at(LAB, keys, ("1", "4"))
