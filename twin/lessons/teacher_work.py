"""What takes a teacher's program long, for processes of their own: checking a lesson, its pages, a class report."""

from __future__ import annotations

from pathlib import Path

from twin.analysis.background_process import Tell
from twin.lessons.class_page import class_page
from twin.lessons.class_results import read_class
from twin.lessons.handout import handout
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import lesson_from
from twin.scenario.text.problem import Problem, ScenarioError


def problems_aside(text: str, name: str, folder: Path | None, tell: Tell) -> list[Problem]:
    """Return what is wrong with the text of a lesson, as `check_lesson`; also that it cannot be read.

    Parameters
    ----------
    text, name
        Of the file.
    folder
        Where it would lie.
    tell
        Takes how many steps are done, of how many.
    """
    tried: list[str] = []

    def told(step: str) -> None:
        tried.append(step)
        tell(float(len(tried) - 1), float(tasks))

    try:
        file = lesson_from(text, name, folder)
        tasks = sum(step.is_task for step in file.lesson().steps)
        return check_lesson(file, told=told)
    except ScenarioError as error:
        return list(error.problems)


def page_aside(text: str, name: str, folder: Path | None, key: bool, tell: Tell) -> str:
    """Return the handout of a lesson, or its answer `key`, as HTML; raises `ScenarioError` and `ValueError`."""
    tell(0.0, 1.0)
    return handout(lesson_from(text, name, folder), key=key)


def class_aside(folder: Path, tell: Tell) -> str:
    """Return the report on a folder of results as HTML; raises `ResultError`."""
    return class_page(read_class(folder, progress=lambda done, of: tell(float(done), float(of))))
