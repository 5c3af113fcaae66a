"""A lesson in writing: steps recorded by doing them, conditions from what is on screen, the text of its file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from twin.language import tr
from twin.lessons.judgement import bound_of, value_words
from twin.lessons.lesson_file import SUFFIX, LessonFile, lesson_from
from twin.lessons.measure import (
    ActMeasure,
    AlarmMeasure,
    ChannelMeasure,
    EventMeasure,
    LedgerMeasure,
    Measure,
    SceneMeasure,
)
from twin.lessons.schema import Allowed, Lesson, Step, StepCondition, Way
from twin.lessons.step_hall import Act, place_of_hall
from twin.lessons.values import NoValue, StepEvidence, kind_of_act, value_of
from twin.record.account_titles import ACCOUNT_TITLES
from twin.record.channels import SERIES_CHANNELS, of_entity
from twin.record.event_kinds import kind_of
from twin.scenario.file.effective_text import plain
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fields import spot_of
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.emit import block
from twin.scenario.text.parse import parse

MOST_PROPOSALS = 80
MOST_LINES, MOST_LETTERS = 50, 200
"""Of a script, as the schema has them."""
_ROOM = 0.05
"""Left between the value that was seen and the bound that is proposed, as a share."""
_TOLD_EVENTS = ("job_interrupted", "throttle_on", "shutdown", "job_resumed", "breaker_trip", "job_done")


class UnwrittenAct(ValueError):
    """Something that was done cannot be written as a script; the message says why."""


@dataclass(frozen=True)
class ConditionProposal:
    """A condition that could be asked for, and how it stands in what was recorded."""

    condition: StepCondition
    value: str
    group: str


@dataclass(frozen=True)
class LessonDraft:
    """A lesson in writing: like `Lesson`, but it may still lack what a whole one needs.

    Attributes
    ----------
    id
        Name of its file.
    lesson
        As far as it is written.
    """

    id: str
    lesson: Lesson

    @classmethod
    def new(cls, id: str, title: str, scene: str) -> LessonDraft:
        """Return a lesson of one step that is only read, in a scene."""
        step = Step(
            id="look",
            title="Look at the hall",
            text="Say what this hall is, and what to look at.",
            scene=scene,
        )
        lesson = Lesson(
            format="twin/lesson",
            version=1,
            title=title,
            course="My lessons",
            audience="my class",
            minutes=15,
            learnt=("Say what is learnt.",),
            sources=(f"the scene {scene}",),
            steps=(step,),
        )
        return cls(id, lesson)

    @classmethod
    def of(cls, file: LessonFile) -> LessonDraft:
        """Return the draft of a lesson that there is; variants stay as they are written.

        Raises
        ------
        ScenarioError
            When a figure of it is a variant, which stands there as a word.
        """
        return cls(file.id, file.drawn({}))

    def with_lesson(self, **changes: object) -> LessonDraft:
        """Return the draft with other values of the lesson; raises `ValueError` where they do not fit."""
        return replace(self, lesson=Lesson.model_validate({**dict(self.lesson), **changes}))

    def with_step(self, place: int, **changes: object) -> LessonDraft:
        """Return the draft with other values of one step; raises `ValueError` where they do not fit."""
        steps = list(self.lesson.steps)
        steps[place] = Step.model_validate({**dict(steps[place]), **changes})
        return self.with_lesson(steps=tuple(steps))

    def with_value(self, path: Sequence[str | int], value: object) -> LessonDraft:
        """Return the draft with another value at a path of the lesson; raises `ValueError` where it does not fit."""
        return replace(self, lesson=_with_value(self.lesson, path, value))

    def value_at(self, path: Sequence[str | int]) -> object:
        """Return what stands at a path of the lesson, such as ("steps", 0, "title"); None below nothing."""
        value: object = self.lesson
        for key in path:
            value = value[key] if isinstance(key, int) else getattr(value, key, None)  # type: ignore[index]
        return value

    def ways_before(self, place: int, *, after: bool = False) -> tuple[Way, ...]:
        """Return the solutions of the steps before one in its hall; `after`: its own too."""
        steps = self.lesson.steps[place_of_hall(self.lesson, place) : place + after]
        return tuple(step.solution for step in steps if step.solution is not None)

    def with_added(self, step: Step, place: int | None = None) -> LessonDraft:
        """Return the draft with one more step, at a place or at the end."""
        steps = list(self.lesson.steps)
        steps.insert(len(steps) if place is None else place, step)
        return self.with_lesson(steps=tuple(steps))

    def without(self, place: int) -> LessonDraft:
        """Return the draft without a step; raises `ValueError` for the last one."""
        return self.with_lesson(steps=tuple(step for at, step in enumerate(self.lesson.steps) if at != place))

    def moved(self, place: int, by: int) -> LessonDraft:
        """Return the draft with a step at another place."""
        steps = list(self.lesson.steps)
        to = min(max(place + by, 0), len(steps) - 1)
        steps.insert(to, steps.pop(place))
        return self.with_lesson(steps=tuple(steps))

    def free_id(self, wanted: str) -> str:
        """Return an id for a step that no other has."""
        taken = {step.id for step in self.lesson.steps}
        base = wanted[:36] or "step"
        return next(id for id in (base, *(f"{base}-{n}" for n in range(2, 100))) if id not in taken)

    @property
    def text(self) -> str:
        """Return the text of its file."""
        return block(plain(self.lesson, spot_of(Lesson)))

    def file(self, folder: Path | None) -> LessonFile:
        """Return the draft as a file that was read, to be checked or tried; raises `ScenarioError`."""
        return lesson_from(self.text, f"{self.id}{SUFFIX}", folder)


def _with_value(part: Any, path: Sequence[str | int], value: object) -> Any:
    if not path:
        return value
    key, *rest = path
    if isinstance(key, int):
        return (*part[:key], _with_value(part[key], rest, value), *part[key + 1 :])
    return type(part).model_validate({**dict(part), key: _with_value(getattr(part, key), rest, value)})


def recorded_way(acts: Iterable[Act], settings: Iterable[tuple[str, str]] = ()) -> Way:
    """Return what was done as a script; raises `UnwrittenAct`."""
    lines = tuple(line for act in acts for line in lines_of(act))
    if len(lines) > MOST_LINES:
        raise UnwrittenAct(
            tr(
                "{lines} changes were made; a step takes {most}. Record it in parts.",
                lines=len(lines),
                most=MOST_LINES,
            )
        )
    return Way(acts=lines, settings=dict(settings))


def recorded_step(
    draft: LessonDraft,
    title: str,
    begins_s: float,
    ends_s: float,
    acts: Sequence[Act],
    scene: str | None = None,
    settings: Sequence[tuple[str, str]] = (),
) -> Step:
    """Return a step in which that is to be done which was just done.

    Parameters
    ----------
    draft
        The lesson it will belong to.
    title
        One line.
    begins_s, ends_s
        From when to when it was recorded [s].
    acts
        What was done meanwhile.
    scene
        Its hall; None: that of the step before.
    settings
        Path and value of what was changed in the scene before its run began.

    Raises
    ------
    UnwrittenAct
        When something that was done cannot be written as a script.
    """
    kinds = tuple(dict.fromkeys(kind_of_act(act) for act in acts if not isinstance(act, Edit)))
    changed = [change.path for act in acts if isinstance(act, Edit) for change in act.changes]
    keys = tuple(dict.fromkeys([*(path for path, _ in settings), *changed]))
    done = tuple(
        StepCondition(
            text=f"Done at least once: {kind.replace('_', ' ')}",
            measure=ActMeasure(kind="acts", acts=(kind,)),
            at_least=1,
        )
        for kind in kinds[:3]
    )
    return Step(
        id=draft.free_id("step"),
        title=title,
        text="Say what happens here, and what to know for the task.",
        task="Say what to do." if done else None,
        scene=scene,
        begins=float(math.floor(begins_s)),
        ends=float(math.ceil(ends_s)),
        allowed=Allowed(acts=kinds, keys=keys),
        conditions=done,
        solution=recorded_way(acts, settings) if acts or settings else None,
    )


def lines_of(act: Act) -> tuple[str, ...]:
    """Return an act as lines of a script, to the millisecond; `acts_of_lines` reads them.

    An edit has a line for each of its changes; as they are of one time they act together.

    Raises
    ------
    UnwrittenAct
        When a change is longer than a line may be.

    Examples
    --------
    >>> from twin.scenario import parse_injection
    >>> lines_of(parse_injection("10 min power_cap all value=450W for=20s"))
    ('600 s power_cap all value=450W for=20 s',)
    """
    at = f"{act.at_s:.3f}".rstrip("0").rstrip(".") + " s"
    if isinstance(act, Edit):
        lines = tuple(f"{at} set {change.path}={_on_one_line(change.value)}" for change in act.changes)
        if any(len(line) > MOST_LETTERS for line in lines):
            title = act.title or act.changes[0].path
            reason = tr(
                "{title!r} changes too much for a line of a script. Save it as a scene, and let a step begin in it.",
                title=title,
            )
            raise UnwrittenAct(reason)
        return lines
    options = {
        "value": act.value,
        "for": None if act.duration_s is None else rendered(act.duration_s, "duration"),
        "count": act.count,
        "cause": act.cause,
    }
    words = [f"{key}={value}" for key, value in options.items() if value is not None]
    return (" ".join([at, act.kind, act.target, *words]),)


def _on_one_line(value: str | None) -> str:
    """Return the text of a value without line breaks; "" for one that is taken away."""
    if value is None:
        return ""
    return value if "\n" not in value else json.dumps(parse(value, "value").plain())


def proposals(evidence: StepEvidence, things: Sequence[tuple[str, str]] = ()) -> list[ConditionProposal]:
    """Return conditions that what was recorded meets, to choose from.

    Parameters
    ----------
    evidence
        The run as recorded, with scene and acts.
    things
        (Kind of entity, id) of what is selected or on screen; the site is always among them.
    """
    found: list[ConditionProposal] = []
    for entity, id in things:
        found += _of_channels(evidence, entity, id)
    events = ((kind, EventMeasure(kind="events", event=kind)) for kind in _TOLD_EVENTS if kind_of(kind).title)
    for kind, event in events:
        found += _counted(evidence, event, kind_of(kind).title)
    found += _counted(evidence, AlarmMeasure(kind="alarms"), "Alarms at the end")
    for path in dict.fromkeys(
        change.path for act in evidence.acts if isinstance(act, Edit) for change in act.changes
    ):
        found += _of_scene(evidence, path)
    for account in (
        "lost_work",
        "thermal_throttle",
        "power_cap",
        "input_wait",
        "checkpoint_stall",
        "restart_and_load",
    ):
        ledger = LedgerMeasure(kind="ledger", accounts=(account,))
        found += _proposed(evidence, ledger, ACCOUNT_TITLES[account].title, "at_most", "GPU time")
    found += _of_channels(evidence, "site", "")
    return found[:MOST_PROPOSALS]


def with_bound(condition: StepCondition, words: str) -> StepCondition:
    """Return a condition with another bound, also in its text where that tells the bound; raises `ValueError`.

    Examples
    --------
    >>> measure = ChannelMeasure(kind="channel", channel="site.it_w")
    >>> with_bound(StepCondition(text="at most 20 kW", measure=measure, at_most=20000.0), "15 kW").text
    'at most 15 kW'
    """
    key = bound_key(condition)
    before = getattr(condition, key)
    after: float | str | bool = words
    if isinstance(before, bool):
        if words.strip() not in ("true", "false"):
            raise ValueError(tr("Write true or false."))
        after = words.strip() == "true"
    elif key != "equals" or not isinstance(before, str):
        figure = bound_of(words, condition.measure)
        after = words if isinstance(before, str) else figure
    unit = condition.measure.unit
    was = value_words(before, unit)
    text = (
        f"{condition.text.removesuffix(was)}{value_words(after, unit)}"
        if condition.text.endswith(was)
        else ""
    )
    changed = {**dict(condition), "text": text[:200] or condition.text, key: after}
    return StepCondition.model_validate(changed)


def bound_key(condition: StepCondition) -> str:
    """Return which bound of a condition is shown: the upper one where it has two."""
    return next(key for key in ("equals", "at_most", "at_least") if getattr(condition, key) is not None)


def _of_channels(evidence: StepEvidence, entity: str, id: str) -> list[ConditionProposal]:
    """Return conditions on the curves of a thing, or of the site."""
    found = []
    for channel in of_entity(entity):  # type: ignore[arg-type]
        if channel not in SERIES_CHANNELS or channel.shows != "number":
            continue
        title = f"{channel.title[:1].upper()}{channel.title[1:]} of {id or 'the site'}"
        for take, bound in (("max", "at_most"), ("min", "at_least")):
            measure = ChannelMeasure(kind="channel", channel=channel.id, of=id or None, take=take)  # type: ignore[arg-type]
            found += _proposed(evidence, measure, title, bound, id or "The site")
    return found


def _proposed(
    evidence: StepEvidence, measure: Measure, title: str, bound: str, group: str
) -> list[ConditionProposal]:
    try:
        value = value_of(measure, evidence)
    except NoValue:
        return []
    if isinstance(value, str) or not math.isfinite(value) or (bound == "at_least" and value == 0.0):
        return []
    room = abs(value) * _ROOM
    limit = float(f"{value + room if bound == 'at_most' else value - room:.3g}")
    words = "at most" if bound == "at_most" else "at least"
    text = f"{title}: {words} {value_words(limit, measure.unit)}"
    condition = StepCondition.model_validate({"text": text[:200], "measure": measure, bound: limit})
    return [ConditionProposal(condition, value_words(value, measure.unit), group)]


def _counted(
    evidence: StepEvidence, measure: EventMeasure | AlarmMeasure, title: str
) -> list[ConditionProposal]:
    try:
        value = value_of(measure, evidence)
    except NoValue:
        return []
    assert isinstance(value, float)
    text = f"{title}: none" if value == 0 else f"{title}: at most {value:g}"
    condition = StepCondition(text=text, measure=measure, at_most=value)
    return [ConditionProposal(condition, f"{value:g}", "What happened")]


def _of_scene(evidence: StepEvidence, path: str) -> list[ConditionProposal]:
    measure = SceneMeasure(kind="scene", path=path)
    try:
        value = value_of(measure, evidence)
    except NoValue:
        return []
    condition = StepCondition(text=f"{path} is {value_words(value, '')}", measure=measure, equals=value)
    return [ConditionProposal(condition, value_words(value, ""), "The scene")]
