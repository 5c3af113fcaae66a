"""The hall of a step: the scene it names, with what differs, what happens in it, and what a person did to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from twin import units
from twin.lessons.lesson_file import LessonFile
from twin.lessons.schema import Lesson, Step
from twin.record.scenario_json import part_to_json
from twin.scenario import FORMAT, VERSION, load, loads
from twin.scenario.file.apply_edits import edited
from twin.scenario.file.load import Document
from twin.scenario.file.patch_text import apply
from twin.scenario.file.set_option import set_texts
from twin.scenario.formats.sibling_files import FileLimit, found
from twin.scenario.reading.inject_option import injection_time, parse_injection
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit, EditChange
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.parse import MAX_BYTES, locate, written
from twin.scenario.text.parse import Path as KeyPath
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.problem import Problem, ScenarioError

Act = Intervention | Edit
_LIMIT = FileLimit(MAX_BYTES, "a scene")
_SET = "set"


def place_of_hall(lesson: Lesson, place: int) -> int:
    """Return the place of the step that brought the hall of step `place`."""
    return next(at for at in range(place, -1, -1) if lesson.steps[at].scene is not None)


def hall_of(file: LessonFile, lesson: Lesson, place: int, settings: Sequence[str] = ()) -> Document:
    """Return the scene in which a step plays, as its hall begins.

    Parameters
    ----------
    file, lesson
        The lesson, and as a person has it.
    place
        Of the step, from 0.
    settings
        ``PATH=VALUE`` that a script sets before the run.

    Raises
    ------
    ScenarioError
        With file, line and key of the lesson where it asks for something that does not fit.
    """
    at = place_of_hall(lesson, place)
    step = lesson.steps[at]
    document = _scene(file, step, at)
    try:
        if step.settings:
            document = set_texts(document, [f"{path}={value}" for path, value in step.settings.items()])
    except ScenarioError as error:
        raise _at(file, ("steps", at, "settings"), error) from None
    if step.inject:
        acts = []
        for row, line in enumerate(step.inject):
            try:
                acts.append(parse_injection(line, document.scenario.start))
            except ScenarioError as error:
                raise _at(file, ("steps", at, "inject", row), error) from None
        try:
            document = apply(document, Patch((Change("interventions", _as_text(acts)),)))
        except ScenarioError as error:
            raise _at(file, ("steps", at, "inject"), error) from None
    return set_texts(document, settings) if settings else document


def acts_of_lines(lines: Iterable[str], scenario: Scenario) -> tuple[Act, ...]:
    """Return interventions and edits of lines such as "10 min drain gpu/0/1" and "1 h set jobs[a].nodes=3".

    Lines with `set` that follow each other at one time are one edit: they act together, as in the window. A line that
    sets nothing, "1 h set jobs[a].nodes=", takes the key away.

    Raises
    ------
    ScenarioError
        When one is not understood.
    """
    acts: list[Act] = []
    for row, line in enumerate(lines):
        at, rest = injection_time(line, scenario.start)
        kind, _, change = rest.partition(" ")
        if kind != _SET or "=" not in change.split(" ")[0]:
            acts.append(parse_injection(line, scenario.start))
            continue
        path, _, value = change.partition("=")
        seconds = units.parse(at, "duration")
        changes = (EditChange(path=path.strip(), value=value.strip() or None),)
        last = acts[-1] if acts else None
        if isinstance(last, Edit) and last.at_s == seconds:
            acts[-1] = last.model_copy(update={"changes": last.changes + changes})
        else:
            acts.append(
                Edit(id=f"script-{row}", at=seconds, title=f"set {path.strip()}"[:200], changes=changes)
            )
    return tuple(acts)


def with_acts(scenario: Scenario, acts: Iterable[Act]) -> Scenario:
    """Return a scene in which acts of a person happen, after what it has itself."""
    done = tuple(acts)
    return scenario.model_copy(
        update={
            "interventions": (
                *scenario.interventions,
                *(act for act in done if isinstance(act, Intervention)),
            ),
            "edits": (*scenario.edits, *(act for act in done if isinstance(act, Edit))),
        }
    )


def edited_by(scenario: Scenario, acts: Iterable[Act]) -> Scenario:
    """Return the scene as it stands after the edits among acts; raises `ScenarioError` where one does not fit."""
    for act in sorted((act for act in acts if isinstance(act, Edit)), key=lambda edit: edit.at_s):
        scenario = edited(scenario, act.changes)
    return scenario


def document_of(text: str, file: LessonFile) -> Document:
    """Return the scene of a result or of a script, which may name files beside the lesson; raises `ScenarioError`."""
    return loads(text, "hall.twin.yaml", file.folder)


def _scene(file: LessonFile, step: Step, place: int) -> Document:
    """Return a variant of the scene that a step names: a text that extends it."""
    name = step.scene or ""
    path: KeyPath = ("steps", place, "scene")
    if not name.startswith("builtin:"):
        name = found(name, file.folder, problem_at(file, path, ""), _LIMIT).name
    try:
        base = load(name if name.startswith("builtin:") else (file.folder or Path()) / name)
        head = {"format": FORMAT, "version": VERSION, "catalog": base.scenario.catalog, "extends": name}
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
        return document_of(text, file)
    except ScenarioError as error:
        raise _at(file, path, error) from None


def problem_at(file: LessonFile, path: KeyPath, reason: str, hint: str = "", value: str = "") -> Problem:
    """Return a problem of a lesson at a place of its file."""
    mark = locate(file.tree, path)
    return Problem(file.tree.mark.file, mark.line, written(path, file.tree), value, reason, hint)


def _at(file: LessonFile, path: KeyPath, error: ScenarioError) -> ScenarioError:
    """Return the problems of a scene as those of the line of the lesson that caused them."""
    mark = locate(file.tree, path)
    key = written(path, file.tree)
    return ScenarioError(
        replace(
            problem,
            file=file.tree.mark.file,
            line=mark.line,
            key=f"{key}: {problem.key}" if problem.key else key,
        )
        for problem in error.problems
    )


def _as_text(acts: Iterable[Intervention]) -> str:
    return json.dumps([json.loads(part_to_json(act)) for act in acts])
