"""A result run again: what the recorded acts and answers come to, and what of the file does not fit them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from twin.lessons.judgement import Reply, StepVerdict, is_allowed, judge, key_allowed, reply_to
from twin.lessons.lesson_file import LessonFile
from twin.lessons.replay import allowed_before, needs_run, replayed, span_of
from twin.lessons.result import HallRecord, LessonResult, StepRecord
from twin.lessons.schema import NUMBER, Allowed, Lesson, Step
from twin.lessons.step_hall import Act, document_of, edited_by, hall_of, place_of_hall, with_acts
from twin.lessons.values import StepEvidence, kind_of_act, target_of_act
from twin.record.hash import EventHash
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.checks import check
from twin.scenario.file.diff import differences
from twin.scenario.schema.document import Scenario
from twin.scenario.text.problem import ScenarioError

Kind = Literal[
    "unreadable", "other lesson", "foreign number", "other run", "not solved", "not allowed", "shared"
]
NEAR_S = 0.1
"""Acts so near to a time at which the lesson itself stops the run are alike for all [s]."""
LEAST_SHARED = 2
"""Acts at times of one's own that two results must have alike before they count as the same."""
_TEXTS = ("title", "notes", "sources", "speed")
"""Keys of a scene that change nothing of its run."""


@dataclass(frozen=True)
class Doubt:
    """What does not fit in a result.

    Attributes
    ----------
    kind
        What it is.
    step
        Where; "": the whole file.
    text
        One sentence for the teacher.
    accuses
        Whether it cannot have come about honestly; else somebody should ask.
    """

    kind: Kind
    step: str
    text: str
    accuses: bool = True


@dataclass(frozen=True)
class StepRecount:
    """What one step of a result comes to.

    Attributes
    ----------
    step, record
        The step as the person had it, and what they did.
    verdict
        Recomputed; None: they did not come so far, or it could not be run.
    wrong
        Wrong answers before the right one.
    points
        Of 10; 0: not solved.
    """

    step: Step
    record: StepRecord
    verdict: StepVerdict | None
    wrong: int
    points: int

    @property
    def solved(self) -> bool:
        """Return whether it is solved, recomputed; of a step that is only read, whether it was passed."""
        if not self.step.is_task:
            return self.record.closed is not None
        return self.verdict is not None and self.verdict.solved


@dataclass(frozen=True)
class Recount:
    """A result, run again.

    Attributes
    ----------
    name
        Of the file.
    result, lesson
        What was handed in, and the lesson as this person had it.
    steps
        In their order.
    findings
        What does not fit.
    """

    name: str
    result: LessonResult
    lesson: Lesson
    steps: tuple[StepRecount, ...]
    findings: tuple[Doubt, ...]

    @property
    def points(self) -> int:
        """Return the points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def most_points(self) -> int:
        """Return the points that can be had."""
        return 10 * sum(step.step.is_task for step in self.steps)

    @property
    def stuck(self) -> Step | None:
        """Return the first step with a task that is not solved; None: all are."""
        return next((step.step for step in self.steps if step.step.is_task and not step.solved), None)


def recount(file: LessonFile, result: LessonResult, name: str = "result") -> Recount:
    """Return what a result comes to when everything in it is run again.

    Parameters
    ----------
    file
        The lesson.
    result
        As it was handed in.
    name
        Of its file.
    """
    lesson = file.lesson(result.person)
    findings = list(_head(file, lesson, result))
    steps: list[StepRecount] = []
    if any(finding.kind == "other lesson" for finding in findings):
        return Recount(name, result, lesson, (), tuple(findings))
    halls: dict[int, list[int]] = defaultdict(list)
    for place in range(len(lesson.steps)):
        halls[place_of_hall(lesson, place)].append(place)
    for first, places in halls.items():
        found = _Hall(file, lesson, result, first, places)
        steps += found.steps
        findings += found.findings
    return Recount(name, result, lesson, tuple(steps), tuple(findings))


def with_shared(recounts: Sequence[Recount]) -> list[Recount]:
    """Return recounts of a class with what people seem to have from each other."""
    told: dict[int, list[Doubt]] = defaultdict(list)
    ids: dict[str, list[int]] = defaultdict(list)
    lines: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for row, found in enumerate(recounts):
        ids[found.result.id].append(row)
        for hall in found.result.halls:
            own = _own_acts(found.lesson, hall)
            if len(own) >= LEAST_SHARED:
                lines[(found.result.lesson, hall.step, *own)].append(row)
    for rows in ids.values():
        _tell(recounts, rows, told, "", "is a copy of the file of {others}: both were begun as one")
    for key, rows in lines.items():
        _tell(recounts, rows, told, str(key[1]), "has the acts of {others}, to the millisecond")
    return [
        replace(found, findings=(*found.findings, *told[row])) if told[row] else found
        for row, found in enumerate(recounts)
    ]


def _tell(
    recounts: Sequence[Recount], rows: list[int], told: dict[int, list[Doubt]], step: str, sentence: str
) -> None:
    """Tell each of some results what it has in common with others; who had it first nobody can say."""
    for row in rows:
        people = {recounts[other].result.person for other in rows}
        others = sorted(people - {recounts[row].result.person})  # who hands in again copies nobody
        if others and not any(finding.step == step and finding.kind == "shared" for finding in told[row]):
            told[row].append(Doubt("shared", step, sentence.format(others=", ".join(others)), accuses=False))


def _own_acts(lesson: Lesson, hall: HallRecord) -> tuple[tuple[str, str, int], ...]:
    """Return the acts at times that a person chose, to the millisecond."""
    stops = [0.0]
    for step in lesson.steps:
        stops += [time_s for time_s in (step.begins_s, step.ends_s) if time_s is not None]
    acts = [done.act for done in hall.acts]
    return tuple(
        (kind_of_act(act), target_of_act(act), round(act.at_s * 1000))
        for act in acts
        if all(abs(act.at_s - stop_s) > NEAR_S for stop_s in stops)
    )


def _head(file: LessonFile, lesson: Lesson, result: LessonResult) -> Iterable[Doubt]:
    if result.lesson != file.id or result.digest != file.digest:
        yield Doubt(
            "other lesson",
            "",
            "belongs to another lesson, or to another text of it: it cannot be run again",
            False,
        )
        return
    if result.number != int(file.draw(result.person)[NUMBER]):
        yield Doubt("foreign number", "", f"has the number of somebody else, not that of {result.person}")
    known = {step.id for step in lesson.steps}
    named = [*(step.step for step in result.steps), *(hall.step for hall in result.halls)]
    stray = next((id for id in named if id not in known), None)
    if stray is not None:
        yield Doubt("unreadable", "", f"names a step {stray!r}, which the lesson does not have")


class _Hall:
    """One hall of a result, run again."""

    def __init__(
        self, file: LessonFile, lesson: Lesson, result: LessonResult, first: int, places: Sequence[int]
    ) -> None:
        self.steps: list[StepRecount] = []
        self.findings: list[Doubt] = []
        self._file, self._lesson, self._result = file, lesson, result
        self._places = places
        self._id = lesson.steps[first].id
        self._hall = result.hall(self._id)
        self._acts: tuple[Act, ...] = tuple(done.act for done in self._hall.acts)
        scenario = self._scenario(first)
        if scenario is None:
            self.steps = [self._unknown(place) for place in places]
            return
        checked = [place for place in places if self._checked(place) is not None]
        try:
            if not checked or not any(needs_run(lesson.steps[place]) for place in checked):
                self._judge_all(scenario, None)
                return
            until_s = min(
                max(self._hall.until_s, *(self._checked(place) or 0.0 for place in checked)),
                scenario.duration_s,
            )
            with replayed(scenario, self._acts, until_s) as reader:
                self._compare(reader)
                self._judge_all(scenario, reader)
        except (ScenarioError, RunFileError, ValueError) as error:
            self._find("unreadable", f"cannot be run again: {' '.join(str(error).split())[:200]}")
            self.steps = [self._unknown(place) for place in places]

    def _scenario(self, first: int) -> Scenario | None:
        """Return the scene in which the person began; None where it is not theirs to have."""
        try:
            asked = document = hall_of(self._file, self._lesson, first)
            if self._hall.scene is not None:
                document = document_of(self._hall.scene, self._file)
            scenario = document.scenario
            check.check(with_acts(scenario, self._acts), document.tree)
        except (ScenarioError, ValueError) as error:
            self._find(
                "unreadable", f"holds a scene that cannot be used: {' '.join(str(error).split())[:200]}"
            )
            return None
        keys = tuple(key for place in self._places for key in self._lesson.steps[place].allowed.keys)
        allowed = Allowed(keys=(*keys, *_TEXTS))
        for difference in differences(asked.scenario, scenario):
            if not key_allowed(allowed, difference.path):  # and it is not run: it may be of any size
                self._find("not allowed", f"changed {difference.path}, which the lesson does not allow")
                return None
        steps = [self._lesson.steps[place].allowed for place in self._places]
        stray = next((act for act in self._acts if not any(is_allowed(each, act) for each in steps)), None)
        if stray is not None:
            text = f"has an act that no step of its hall allows: {kind_of_act(stray)} {target_of_act(stray)}"
            self._find("not allowed", text)
            return None
        return scenario

    def _compare(self, reader: Reader) -> None:
        """Hold the events of the run against those that the person had."""
        hall = self._hall
        if not hall.event_hash:
            return
        events = reader.all_events()
        hashed = EventHash()
        for event in events[: hall.events]:
            hashed.update(event)
        if len(events) < hall.events or hashed.hexdigest() != hall.event_hash:
            self._find("other run", "its acts do not give the run that was handed in")

    def _judge_all(self, scenario: Scenario, reader: Reader | None) -> None:
        for place in self._places:
            self.steps.append(self._judged(place, scenario, reader))

    def _judged(self, place: int, scenario: Scenario, reader: Reader | None) -> StepRecount:
        step = self._lesson.steps[place]
        record = self._result.step(step.id)
        if not step.is_task or (record.checked_s is None and not record.answers):
            if step.is_task and record.solved:
                self._find("not solved", "is said to be solved, and was never checked", step.id)
            return self._unknown(place)
        begins_s, ends_s = span_of(self._lesson, place, scenario)
        now_s = min(record.checked_s if record.checked_s is not None else begins_s, scenario.duration_s)
        before = allowed_before(self._lesson, place)
        acts = [
            act
            for row, act in enumerate(self._acts)
            if act.at_s < now_s or (act.at_s == now_s and row < record.acts)
        ]  # what was done at this very time after the check is of a later step
        evidence = StepEvidence(
            edited_by(scenario, acts),
            reader,
            acts,
            begins_s,
            ends_s,
            now_s,
            before,
        )
        verdict = judge(step, evidence, record.answers[-1] if record.answers else None)
        if record.solved and not verdict.solved:
            self._find("not solved", "is said to be solved, and is not when it is run again", step.id)
        if verdict.forbidden:
            act = verdict.forbidden[0]
            text = f"has an act that the step does not allow: {kind_of_act(act)} {target_of_act(act)}"
            self._find("not allowed", text, step.id, accuses=record.solved)
        replies: list[Reply] = (
            [reply_to(step.question, answer, evidence) for answer in record.answers]
            if step.question is not None
            else []
        )
        wrong = sum(not reply.right for reply in replies)
        costs = tuple(hint.cost for hint in step.hints)
        points = record.points(costs, wrong) if verdict.solved else 0
        return StepRecount(step, record, verdict, wrong, points)

    def _checked(self, place: int) -> float | None:
        return self._result.step(self._lesson.steps[place].id).checked_s

    def _unknown(self, place: int) -> StepRecount:
        step = self._lesson.steps[place]
        return StepRecount(step, self._result.step(step.id), None, 0, 0)

    def _find(self, kind: Kind, text: str, step: str = "", *, accuses: bool = True) -> None:
        self.findings.append(Doubt(kind, step or self._id, text, accuses))
