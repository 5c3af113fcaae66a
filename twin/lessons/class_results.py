"""The results of a class: a folder of files, each run again, and what people have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from twin.lessons.lesson_file import SUFFIX as LESSON
from twin.lessons.lesson_file import LessonFile, load_lesson, shipped_lessons
from twin.lessons.recount import Recount, StepRecount, recount, with_shared
from twin.lessons.result import SUFFIX, LessonResult, ResultError, read_result
from twin.lessons.schema import Step
from twin.scenario.text.problem import ScenarioError

MOST_FILES = 1000
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ClassResults:
    """Results of a class in one or more lessons.

    Attributes
    ----------
    recounts
        Of the files that could be read, by lesson and person.
    unread
        Name of each other file, and why it was not.
    """

    recounts: tuple[Recount, ...]
    unread: tuple[tuple[str, str], ...]

    def lessons(self) -> dict[str, list[Recount]]:
        """Return the results by the name of their lesson."""
        found: dict[str, list[Recount]] = {}
        for result in self.recounts:
            found.setdefault(result.result.lesson, []).append(result)
        return found


@dataclass(frozen=True)
class StepOfClass:
    """How a class did in one step.

    Attributes
    ----------
    step
        As the first of them had it.
    reached, solved
        How many came so far, and how many solved it.
    stuck
        How many have this as their first unsolved step.
    hints, wrong
        Hints taken and wrong answers, of all.
    mistakes
        Recognised mistakes by title, and how often.
    """

    step: Step
    reached: int
    solved: int
    stuck: int
    hints: int
    wrong: int
    mistakes: tuple[tuple[str, int], ...]


def read_class(folder: Path, own: LessonFile | None = None, progress: Progress | None = None) -> ClassResults:
    """Return the results of all files of a folder, each run again.

    Parameters
    ----------
    folder
        With ``*.twin-result.json`` files; lessons of one's own may lie beside them.
    own
        The lesson where it lies elsewhere; None: shipped ones and those in the folder.
    progress
        Takes (files done, files in all).

    Raises
    ------
    ResultError
        When there is no such folder, or nothing in it.
    """
    paths = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not paths:
        raise ResultError(f"{folder}: holds no *{SUFFIX} files")
    if len(paths) > MOST_FILES:
        raise ResultError(f"{folder}: holds {len(paths)} results, more than {MOST_FILES}")
    wrong: dict[str, str] = {}
    lessons = known_lessons(folder, own, wrong)
    found: list[Recount] = []
    unread: list[tuple[str, str]] = []
    for place, path in enumerate(paths):
        try:
            result = read_result(path)
            found.append(recount(_lesson_of(result, lessons, wrong), result, path.name))
        except (ResultError, ScenarioError) as error:
            reason = " ".join(str(error).split())[:300].removeprefix(f"{path.name}: ")
            unread.append((path.name, reason))
        if progress is not None:
            progress(place + 1, len(paths))
    found.sort(key=lambda result: (result.result.lesson, result.result.person.casefold()))
    return ClassResults(tuple(with_shared(found)), tuple(unread))


def known_lessons(
    folder: Path | None = None, own: LessonFile | None = None, wrong: dict[str, str] | None = None
) -> dict[str, LessonFile]:
    """Return the shipped lessons and those of a folder, by name; `wrong` takes why others cannot be read."""
    paths = [*shipped_lessons(), *(sorted(folder.glob(f"*{LESSON}")) if folder is not None else ())]
    found: dict[str, LessonFile] = {}
    for path in paths:
        try:
            lesson = load_lesson(path)
        except ScenarioError as error:
            if wrong is not None:
                wrong[path.name.removesuffix(LESSON)] = str(error.problems[0])
            continue
        found[lesson.id] = lesson
    if own is not None:
        found[own.id] = own
    return found


def _lesson_of(result: LessonResult, lessons: dict[str, LessonFile], wrong: dict[str, str]) -> LessonFile:
    if result.lesson in wrong and result.lesson not in lessons:
        raise ResultError(f"is of a lesson that cannot be read: {wrong[result.lesson]}")
    if result.lesson not in lessons:
        raise ResultError(
            f"is of the lesson {result.lesson!r}, which is not here; put its file into the folder"
        )
    return lessons[result.lesson]


def steps_of_class(recounts: list[Recount]) -> list[StepOfClass]:
    """Return how a class did in each step of one lesson."""
    whole = [result for result in recounts if result.steps]
    if not whole:
        return []
    return [
        _step_of_class([result.steps[place] for result in whole], whole)
        for place in range(len(whole[0].lesson.steps))
    ]


def _step_of_class(steps: list[StepRecount], whole: list[Recount]) -> StepOfClass:
    first = steps[0].step
    mistakes: dict[str, int] = {}
    for step in steps:
        mistake = step.verdict.mistake if step.verdict is not None else None
        if mistake is not None and not step.solved:
            mistakes[mistake.title] = mistakes.get(mistake.title, 0) + 1
    return StepOfClass(
        step=first,
        reached=sum(step.record.opened is not None for step in steps),
        solved=sum(step.solved for step in steps),
        stuck=sum(result.stuck is not None and result.stuck.id == first.id for result in whole),
        hints=sum(step.record.hints for step in steps),
        wrong=sum(step.wrong for step in steps),
        mistakes=tuple(sorted(mistakes.items(), key=lambda found: -found[1])),
    )
