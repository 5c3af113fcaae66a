"""The report on a class as one HTML file: who did what, where they stuck, and what does not fit."""

from __future__ import annotations

from datetime import datetime

from twin.lessons.class_results import ClassResults, StepOfClass, steps_of_class
from twin.lessons.judgement import ConditionState, value_words
from twin.lessons.recount import Doubt, Recount, StepRecount
from twin.lessons.schema import Answer, Question
from twin.lessons.step_hall import Act
from twin.lessons.values import target_of_act
from twin.record.inputs import app_version
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.pages import document
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fault_kinds import KINDS
from twin.units import spoken

_SOLVED, _OPEN, _UNSEEN = "\N{CHECK MARK}", "\N{WHITE CIRCLE}", "\N{EN DASH}"
_BAR_PX, _BAR_HEIGHT_PX = 220, 12
_NOT_TRUSTED = (
    "Nothing here is taken from the files but what people did: each run was simulated again from the recorded acts, "
    "and each answer held against it. Times are those of their computers, and are not verified."
)


def class_page(results: ClassResults) -> str:
    """Return the report on a class."""
    sections: list[tuple[str, str, Child]] = []
    doubtful = [result for result in results.recounts if result.findings]
    sections.append(("doubts", "What does not fit", _doubts(doubtful, results.unread)))
    for place, (lesson, recounts) in enumerate(results.lessons().items()):
        title = recounts[0].lesson.title
        sections.append((f"lesson-{place}", title, _lesson(lesson, recounts)))
    sections.append(("people", "Person by person", joined([_person(result) for result in results.recounts])))
    people = len({result.result.person for result in results.recounts})
    lead = f"{people} people, {len(results.recounts)} results. {_NOT_TRUSTED}"
    return document("Class report", lead, sections, app_version())


def _doubts(doubtful: list[Recount], unread: tuple[tuple[str, str], ...]) -> Child:
    if not doubtful and not unread:
        return tag("p", "Every result gives the run, the answers and the points that it claims.")
    rows: list[list[Child]] = []
    for result in doubtful:
        rows += [[result.result.person, result.name, _found(result, doubt)] for doubt in result.findings]
    rows += [["", name, tag("span", reason, class_="warn")] for name, reason in unread]
    return table(("Person", "File", "What does not fit"), rows)


def _found(result: Recount, doubt: Doubt) -> Markup:
    titles = {step.id: f"{row + 1}. {step.title}: " for row, step in enumerate(result.lesson.steps)}
    kind = "does not fit" if doubt.accuses else "ask"
    mark = tag("span", kind, class_="bad" if doubt.accuses else "warn")
    return joined([mark, f" {titles.get(doubt.step, '')}{doubt.text}"])


def _lesson(lesson: str, recounts: list[Recount]) -> Child:
    steps = recounts[0].lesson.steps
    heads = ["Person", *(tag("abbr", str(row + 1), title=step.title) for row, step in enumerate(steps))]
    rows: list[list[Child]] = [
        [
            result.result.person,
            *(_cell(step) for step in result.steps or ()),
            *([_UNSEEN] * (len(steps) - len(result.steps))),
            f"{result.points} of {result.most_points}" if result.steps else "unknown",
            _spent(result),
        ]
        for result in recounts
    ]
    marks = table([*heads, "Points", "Time, unverified"], rows, right=2, caption=f"Lesson {lesson}")
    own = steps_of_class(recounts)
    stuck = table(
        ("Step", "Solved", "Reached", "Stuck here", "Hints", "Wrong answers", "Mistakes seen"),
        [
            [
                f"{row + 1}. {step.step.title}",
                _bar(step, len(recounts)),
                str(step.reached),
                str(step.stuck or ""),
                str(step.hints or ""),
                str(step.wrong or ""),
                "; ".join(f"{title} ({count})" for title, count in step.mistakes),
            ]
            for row, step in enumerate(own)
        ],
        caption="Where they stuck",
    )
    return joined([marks, stuck])


def _cell(step: StepRecount) -> Child:
    if step.solved:
        points = f" {step.points}" if step.step.is_task else ""
        return tag("span", f"{_SOLVED}{points}", class_="good")
    return tag("span", _OPEN if step.record.opened is not None else _UNSEEN)


def _bar(step: StepOfClass, people: int) -> Child:
    share = step.solved / people if people else 0.0
    if not step.step.is_task:
        return tag("span", "to read", class_="unknown")
    bar = tag("rect", x=0, y=0, width=round(share * _BAR_PX), height=_BAR_HEIGHT_PX, class_="fgood")
    ground = tag("rect", x=0, y=0, width=_BAR_PX, height=_BAR_HEIGHT_PX, class_="fq")
    size = f"0 0 {_BAR_PX} {_BAR_HEIGHT_PX}"
    drawn = tag(
        "svg", ground, bar, viewBox=size, style=f"max-width:{_BAR_PX}px", role="img", aria_hidden="true"
    )
    return joined([f"{step.solved} of {people}", drawn])


def _spent(result: Recount) -> str:
    times = [time for step in result.result.steps for time in (step.opened, step.closed) if time is not None]
    if len(times) < 2:
        return _UNSEEN
    seconds = (max(times) - min(times)).total_seconds()
    return spoken(float(round(seconds / 60.0)) * 60.0) if seconds >= 60.0 else "under 1 min"


def _person(result: Recount) -> Markup:
    program = f", made with version {result.result.program}" if result.result.program else ""
    begun = [step.opened for step in result.result.steps if step.opened is not None]
    head = [
        tag("h3", f"{result.result.person}: {result.lesson.title}"),
        tag("p", f"{result.name}{program}{_when(min(begun) if begun else None)}", class_="note"),
    ]
    rows = [[step.step.title, _record(step), _proof(step)] for step in result.steps]
    halls = [
        tag(
            "p",
            tag("b", f"In the hall of step {hall.step}: "),
            "; ".join(_act(done.act) for done in hall.acts),
        )
        for hall in result.result.halls
        if hall.acts
    ]
    return joined([*head, table(("Step", "Answers, hints, tries", "Recomputed"), rows), *halls])


def _record(step: StepRecount) -> Child:
    record = step.record
    said = [_answer(step.step.question, answer) for answer in record.answers]
    if record.hints:
        said.append(f"{record.hints} hints")
    if record.tries > 1:
        said.append(f"{record.tries} tries")
    return "; ".join(said) or _UNSEEN


def _proof(step: StepRecount) -> Child:
    if step.verdict is None:
        return _UNSEEN if step.step.is_task else "read" if step.solved else _UNSEEN
    lines: list[Child] = []
    for condition, outcome in zip(step.step.conditions, step.verdict.outcomes, strict=True):
        value = "" if outcome.value is None else f": {value_words(outcome.value, condition.measure.unit)}"
        mark = _SOLVED if outcome.state is ConditionState.MET else _OPEN
        lines += [f"{mark} {condition.text}{value}", tag("br")]
    if step.verdict.reply is not None:
        lines.append("answer right" if step.verdict.reply.right else "answer wrong")
    return joined(lines)


def _answer(question: Question | None, answer: Answer) -> str:
    if isinstance(answer, tuple):
        if question is None or question.kind != "choice":
            return ", ".join(str(place + 1) for place in answer)
        texts = [question.choices[place].text for place in answer if 0 <= place < len(question.choices)]
        return ", ".join(
            f"\N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}" for text in texts
        )
    unit = question.unit if question is not None and question.kind == "number" else ""
    return f"{answer:g} {unit}".rstrip()


def _act(act: Act) -> str:
    if isinstance(act, Edit):
        return f"{spoken(act.at_s)}: {act.title or target_of_act(act)}"
    value = f" {act.value}" if act.value is not None else ""
    return f"{spoken(act.at_s)}: {KINDS[act.kind].verb} {act.target}{value}"


def _when(opened: datetime | None) -> str:
    return "" if opened is None else f", begun {opened:%Y-%m-%d %H:%M} by their computer"
