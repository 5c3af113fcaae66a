"""Lessons and results with random damage: a sentence that says where, never a traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import lesson_from, load_lesson
from twin.lessons.recount import recount
from twin.lessons.result import ResultError, result_from, result_text
from twin.lessons.script import scripted_result
from twin.scenario.text.problem import ScenarioError

HALL = Path(__file__).with_name("hall.twin-lesson.yaml")
WORDS = (
    "-1",
    "0",
    "1e999",
    "nan",
    "null",
    "[]",
    "{}",
    '""',
    "true",
    "'../x'",
    "builtin:none",
    "99999999999",
    "a/b",
    "\x00",
)
MUTATIONS = [
    pytest.param(30, id="few"),
    pytest.param(1000, id="many", marks=pytest.mark.slow),
]


def damaged(text: str, chance: random.Random) -> str:
    """Return a text in which something was taken out, doubled, or replaced."""
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    kind = chance.randrange(6)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, lines[chance.randrange(len(lines))])
    elif kind == 2:
        key, colon, _ = lines[place].partition(":")
        lines[place] = f"{key}{colon} {chance.choice(WORDS)}\n"
    elif kind == 3:
        words = lines[place].split(" ")
        words[chance.randrange(len(words))] = chance.choice(WORDS)
        lines[place] = " ".join(words)
    elif kind == 4:
        at = chance.randrange(max(1, len(lines[place])))
        lines[place] = (
            lines[place][:at] + chr(chance.choice((0, 27, 0x202E, 0xD7FF, 34, 123))) + lines[place][at:]
        )
    else:
        return text[: chance.randrange(len(text))]
    return "".join(lines)


VALUES: tuple[object, ...] = (-1, 0, 1e300, None, [], {}, "", True, "../x", 10**11, "a\x00", 700.5, 3)


def changed(text: str, chance: random.Random) -> str:
    """Return JSON in which one value is another, or gone."""
    whole = json.loads(text)
    at, key = whole, chance.choice(list(whole))
    while isinstance(at[key], dict | list) and at[key] and chance.random() < 0.8:
        at = at[key]
        key = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
    if chance.random() < 0.2:
        del at[key]
    else:
        at[key] = chance.choice(VALUES)
    return json.dumps(whole)


@pytest.mark.parametrize("count", MUTATIONS)
def test_damaged_lessons_are_told(count: int) -> None:
    text = HALL.read_text()
    chance = random.Random(11)
    read, told = 0, list[str]()
    for _ in range(count):
        try:
            file = lesson_from(damaged(text, chance), "damaged.twin-lesson.yaml")
            read += 1
            if read <= count // 25:  # each is run several times
                check_lesson(file)
        except ScenarioError as error:
            told.append(str(error))
    assert all(told)
    assert 0 < read < count


@pytest.mark.parametrize("count", MUTATIONS)
def test_damaged_results_are_told(count: int) -> None:
    file = load_lesson(HALL)
    text = result_text(scripted_result(file, "Ada"))
    chance = random.Random(12)
    whole, told = 0, list[str]()
    for _ in range(count):
        try:
            result = result_from((changed if chance.random() < 0.7 else damaged)(text, chance))
            whole += 1
            if whole <= count // 10:
                recount(file, result)
        except (ResultError, ScenarioError) as error:
            told.append(str(error))
    assert all(told)
    assert 0 < whole < count


@pytest.mark.parametrize(
    ("change", "line", "key", "reason"),
    [
        (lambda t: t.replace("site.gpu_max_c", "site.gpu_mx_c"), 23, "channel", "did you mean"),
        (lambda t: t.replace("builtin:lab-16", "../lab.twin.yaml", 1), 18, "scene", "inside the folder"),
        (lambda t: t.replace("builtin:lab-16", "builtin:lab-17", 1), 18, "scene", "lab-17"),
        (lambda t: t.replace("task: Lower the power without an interruption.", "speed: 3"), 32, "", "task"),
        (lambda t: t.replace("**{hottest}**", "**{coldest}**"), 17, "text", "coldest"),
        (lambda t: t.replace("text: Cap the GPUs", "text: <b>Cap</b> the GPUs"), 34, "text", "HTML"),
        (lambda t: t.replace("at_most: 16 kW", "at_most: 16 m"), 42, "at_most", "not in W"),
        (lambda t: t.replace("at_most: 16 kW", "at_most: 1 kW"), 52, "solution", "does not solve"),
        (
            lambda t: t.replace("at_least: 1\n", "at_most: 1\n").replace("16 kW", "16 MW"),
            39,
            "conditions",
            "nothing is done",
        ),
        (
            lambda t: t.replace("ends: 10 min\n", "ends: 10 min\n    look: {thing: nowhere/9}\n", 1),
            0,
            "look.thing",
            "not in the scene",
        ),
        (
            lambda t: "".join(line for line in t.splitlines(True) if "Work since the last" not in line),
            69,
            "question.choices",
            "at least 2",
        ),
        (lambda t: t.replace("ends: 20 min", "ends: 2 h"), 36, "ends", "after the end of the scene"),
        (
            lambda t: t.replace(
                'path: "jobs[llama3].checkpoint.interval"}\n        at_most',
                'path: "jobs[llama4].nodes"}\n        at_most',
            ),
            0,
            "",
            "no jobs[llama4]",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    change: Callable[[str], str], line: int, key: str, reason: str
) -> None:
    text = change(HALL.read_text())
    assert text != HALL.read_text()
    try:
        problems = check_lesson(lesson_from(text, "wrong.twin-lesson.yaml"))
    except ScenarioError as error:
        problems = list(error.problems)
    told = "\n".join(str(problem) for problem in problems)
    assert problems, "nothing was told"
    assert reason in told, told
    assert key in problems[0].key, told
    assert problems[0].file == "wrong.twin-lesson.yaml"
    assert problems[0].line > 0


def test_a_lesson_reads_only_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "secret.twin.yaml"
    outside.write_text("format: twin/scenario\n")
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / "link.twin.yaml").symlink_to(outside)
    for name in ("../secret.twin.yaml", str(outside), "link.twin.yaml", "missing.twin.yaml"):
        text = HALL.read_text().replace("builtin:lab-16", name, 1)
        (folder / "a.twin-lesson.yaml").write_text(text)
        problems = check_lesson(load_lesson(folder / "a.twin-lesson.yaml"))
        assert problems
        assert problems[0].key.endswith("scene")
        assert problems[0].line == 17
