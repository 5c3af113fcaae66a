"""One person at work on a lesson: where they stand, what they did, and what is said to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from twin.lessons.judgement import StepVerdict, judge, value_words
from twin.lessons.lesson_file import LessonFile, number_of
from twin.lessons.measure import Measure
from twin.lessons.replay import allowed_before, span_of
from twin.lessons.result import (
    MOST_ANSWERS,
    SUFFIX,
    DoneAct,
    HallRecord,
    LessonResult,
    ResultError,
    StepRecord,
    now,
    read_result,
    write_result,
)
from twin.lessons.schema import NUMBER, Answer, Hint, Lesson, Step
from twin.lessons.step_hall import Act, document_of, hall_of, place_of_hall
from twin.lessons.values import NoValue, StepEvidence, value_of
from twin.record.inputs import app_version
from twin.record.reader import Reader
from twin.record.state_folder import state_folder
from twin.scenario.file.load import Document
from twin.scenario.schema.document import Scenario

DAMAGED, OTHER = ".damaged", ".other"
"""Put behind the name of kept progress that cannot be gone on with."""


class Attempt:
    """A lesson as one person has it, with their progress; each change is saved.

    What is done stands here also where it cannot be saved: then `OSError` is raised afterwards.

    Parameters
    ----------
    file
        The lesson.
    person
        Pseudonym.
    result
        What was done before; None: they begin.
    path
        Where progress is saved; None: nowhere.
    """

    def __init__(
        self, file: LessonFile, person: str, result: LessonResult | None = None, path: Path | None = None
    ) -> None:
        self.file = file
        self.lesson: Lesson = file.lesson(person)
        self.path = path
        self.result = result or LessonResult(
            id=uuid4().hex,
            lesson=file.id,
            digest=file.digest,
            person=person,
            number=int(file.draw(person)[NUMBER]),
            program=app_version(),
            at=self.lesson.steps[0].id,
        )
        ids = [step.id for step in self.lesson.steps]
        self.place = ids.index(self.result.at) if self.result.at in ids else 0
        self._open()

    @property
    def step(self) -> Step:
        """Return the step the person stands at."""
        return self.lesson.steps[self.place]

    @property
    def record(self) -> StepRecord:
        """Return what they did about it."""
        return self.result.step(self.step.id)

    @property
    def hall_step(self) -> str:
        """Return the step that brought the hall they are in."""
        return self.lesson.steps[place_of_hall(self.lesson, self.place)].id

    @property
    def hall(self) -> HallRecord:
        """Return what they did in it."""
        return self.result.hall(self.hall_step)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """Return the hints that were taken."""
        return self.step.hints[: self.record.hints]

    @property
    def solved(self) -> tuple[bool, ...]:
        """Return for each step whether it counts as done: solved, or only to be read and passed."""
        return tuple(self._done(place) for place in range(len(self.lesson.steps)))

    def _done(self, place: int) -> bool:
        step = self.lesson.steps[place]
        record = self.result.step(step.id)
        return record.solved if step.is_task else record.closed is not None

    def document(self) -> Document:
        """Return the scene of the hall as the person left it before its run began; raises `ScenarioError`."""
        text = self.hall.scene
        return hall_of(self.file, self.lesson, self.place) if text is None else document_of(text, self.file)

    def span(self, scenario: Scenario) -> tuple[float, float]:
        """Return when the step begins and ends at the latest [s]."""
        return span_of(self.lesson, self.place, scenario)

    def evidence(self, scenario: Scenario, reader: Reader | None, now_s: float) -> StepEvidence:
        """Return what the step is held against.

        Parameters
        ----------
        scenario
            As it stands, with what was edited.
        reader
            Of the run; None: it has not begun.
        now_s
            How far it has come [s].
        """
        begins_s, ends_s = self.span(scenario)
        acts = tuple(done.act for done in self.hall.acts)
        before = allowed_before(self.lesson, self.place)
        return StepEvidence(scenario, reader, acts, begins_s, ends_s, now_s, before)

    def did(self, acts: Sequence[Act], now_s: float, scene: str | None) -> None:
        """Take what was done in the hall so far, how far its run came [s], and the text of a changed scene."""
        hall = self.hall
        changed = hall.model_copy(
            update={
                "acts": tuple(DoneAct.of(act) for act in acts),
                "until_s": max(0.0, now_s),
                "scene": scene,
            }
        )
        if changed != hall:
            self._keep(self.result.with_hall(changed))

    def hint(self) -> Hint | None:
        """Return the next hint, which costs points; None: there is none left."""
        taken = self.record.hints
        if taken >= len(self.step.hints):
            return None
        self._record(hints=taken + 1)
        return self.step.hints[taken]

    def check(
        self, evidence: StepEvidence, answer: Answer | None = None, events: int = 0, event_hash: str = ""
    ) -> StepVerdict:
        """Return how the step stands, and keep what it was held against; raises `OSError`.

        Parameters
        ----------
        evidence
            As `evidence` gives it.
        answer
            To the question of the step.
        events, event_hash
            Of the run up to now.
        """
        before = self.result
        verdict = self.judged(evidence, answer, events, event_hash)
        if self.result is not before:
            self._keep(self.result)
        return verdict

    def judged(
        self, evidence: StepEvidence, answer: Answer | None = None, events: int = 0, event_hash: str = ""
    ) -> StepVerdict:
        """Return how the step stands; what it was held against is saved with what follows. Takes what `check` does."""
        given = self.record.answers
        if answer is not None and (not given or given[-1] != answer):
            given = (*given, answer)[-MOST_ANSWERS:]
        verdict = judge(self.step, evidence, given[-1] if given else None)
        if self.record.solved:  # what solved it is kept, whatever is tried afterwards
            return verdict
        hall = self.hall.model_copy(
            update={
                "until_s": max(self.hall.until_s, evidence.now_s),
                "events": events,
                "event_hash": event_hash,
            }
        )
        self.result = self.result.with_hall(hall)
        closed = now() if verdict.solved else None
        acts = len(hall.acts)
        record = self.record.model_copy(
            update={
                "answers": given,
                "checked_s": evidence.now_s,
                "acts": acts,
                "solved": verdict.solved,
                "closed": closed,
            }
        )
        self.result = self.result.with_step(record)
        return verdict

    def figures(self, evidence: StepEvidence) -> dict[str, str]:
        """Return the figures shown in the text of the step, in words; a dash where there is none."""
        return {name: figure_words(measure, evidence) for name, measure in self.step.figures.items()}

    def again(self) -> HallRecord:
        """Begin the step again; acts before its beginning are kept. Return the record of the hall.

        A step of this hall whose acts go is not solved any more, and neither is one that comes later.
        """
        begins_s = self._begins_s()
        hall = self.hall
        kept = tuple(done for done in hall.acts if done.act.at_s < begins_s)
        scene = hall.scene if place_of_hall(self.lesson, self.place) != self.place else None
        fresh = HallRecord(step=hall.step, scene=scene, acts=kept, until_s=begins_s)
        self.result = self.result.with_hall(fresh)
        gone_s = min((done.act.at_s for done in hall.acts if done.act.at_s >= begins_s), default=math.inf)
        for place, step in enumerate(self.lesson.steps):
            record = self.result.step(step.id)
            lost = record.checked_s is not None and record.checked_s >= gone_s
            if (
                record.opened is not None
                and self._hall_of(step.id) == hall.step
                and (place >= self.place or lost)
            ):
                undone = {"solved": False, "closed": None, "checked_s": None}
                self.result = self.result.with_step(record.model_copy(update=undone))
        self._record(tries=self.record.tries + 1)
        return fresh

    def go(self, place: int) -> None:
        """Go to another step; a step that is only read counts as done when it is left forwards."""
        if not 0 <= place < len(self.lesson.steps):
            return
        if place > self.place:
            self._pass()
        self.place = place
        self.result = self.result.model_copy(update={"at": self.step.id})
        self._open()

    def finish(self) -> None:
        """Come to the end of the lesson."""
        self._pass()
        self._keep(self.result.model_copy(update={"finished": True}))

    def keep_at(self, path: Path | None) -> None:
        """Save the progress there from now on; raises `OSError`."""
        self.path = path
        self._keep(self.result)

    def hand_in(self, path: Path) -> None:
        """Save the result for the teacher; raises `OSError`."""
        write_result(self.result, path)

    def _pass(self) -> None:
        """Call a step done that is only read; it is saved with what follows."""
        if not self.step.is_task and self.record.closed is None:
            record = self.record.model_copy(update={"closed": now()})
            self.result = self.result.with_step(record)

    def _begins_s(self) -> float:
        first = place_of_hall(self.lesson, self.place)
        times = [step.begins_s for step in self.lesson.steps[first : self.place + 1]]
        return next((begins_s for begins_s in reversed(times) if begins_s is not None), 0.0)

    def _hall_of(self, id: str) -> str:
        place = [step.id for step in self.lesson.steps].index(id)
        return self.lesson.steps[place_of_hall(self.lesson, place)].id

    def _open(self) -> None:
        if self.record.opened is None:
            self._record(opened=now())
        else:
            self._keep(self.result)

    def _record(self, **changes: object) -> None:
        self._keep(self.result.with_step(self.record.model_copy(update=changes)))

    def _keep(self, result: LessonResult) -> None:
        self.result = result
        if self.path is not None:
            write_result(result, self.path)


def figure_words(measure: Measure, evidence: StepEvidence) -> str:
    """Return a figure in words with its unit, a dash where there is none; raises `RunFileError`."""
    try:
        return value_words(value_of(measure, evidence), measure.unit)
    except NoValue:
        return "\N{EN DASH}"


def progress_path(file: LessonFile, person: str) -> Path:
    """Return where the progress of a person in a lesson is kept: in the state folder, apart from anybody else's."""
    folder = state_folder() / "lessons"
    folder.mkdir(mode=0o700, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", person.casefold()).strip("-")[:40] or "person"
    own = number_of(person, file.id)  # of names that look alike in a file name
    return folder / f"{file.id}--{name}-{own:08x}-{file.digest[:8]}{SUFFIX}"


def begun_attempt(file: LessonFile, person: str, path: Path | None = None) -> Attempt:
    """Return the attempt of a person, continued where they left it.

    Of another text of the lesson it begins anew, and so it does where what was kept is damaged; that stays beside it.

    Raises
    ------
    ScenarioError
        When the lesson is wrong.
    OSError
        When progress cannot be saved.
    """
    place = path or progress_path(file, person)
    result = None
    if place.exists():
        try:
            result = read_result(place)
        except ResultError:
            place.replace(place.with_name(f"{place.name}{DAMAGED}"))
        else:
            if result.digest != file.digest or result.number != int(file.draw(person)[NUMBER]):
                place.replace(place.with_name(f"{place.name}{OTHER}"))
                result = None
    return Attempt(file, person, result, place)


def unfinished_attempts() -> Iterator[LessonResult]:
    """Yield what people left unfinished on this computer, the latest first."""
    folder = state_folder() / "lessons"
    for path in (
        sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: -path.stat().st_mtime) if folder.is_dir() else ()
    ):
        try:
            result = read_result(path)
        except ResultError:
            continue
        if not result.finished:
            yield result
