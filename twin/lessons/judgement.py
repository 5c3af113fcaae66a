"""A step held against a run: which conditions hold, and whether they can still change; answers to questions."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum

from twin import units
from twin.language import tr
from twin.lessons.measure import OF_THE_SCENE, Measure, falls, rises
from twin.lessons.schema import Allowed, Answer, ChoiceQuestion, Mistake, Question, Step, StepCondition
from twin.lessons.step_hall import Act
from twin.lessons.values import NoValue, StepEvidence, Value, kind_of_act, value_of
from twin.piecewise import all_at_once
from twin.scenario.schema.edit import Edit
from twin.units import UnitError

_DIMENSIONS = {
    **{
        dimension.si_unit: name for name, dimension in reversed(units.DIMENSIONS.items()) if dimension.si_unit
    },
    "°C": "temperature",
}
"""Dimension of a unit, by which bounds are read and values are written."""
_TOLERANCE = 1e-9
"""Of figures that should be equal."""


class ConditionState(Enum):
    """How a condition stands."""

    MET = "met"  # it holds, and nothing that comes changes that
    SO_FAR = "so far"  # it holds, and must go on to hold
    OPEN = "open"  # it does not hold yet
    BROKEN = "broken"  # it cannot be met any more

    @property
    def words(self) -> str:
        """Return how it stands, for people."""
        return _STATES[self]


_STATES = {
    ConditionState.MET: tr("met"),
    ConditionState.SO_FAR: tr("so far"),
    ConditionState.OPEN: tr("open"),
    ConditionState.BROKEN: tr("cannot be met any more"),
}


@dataclass(frozen=True)
class ConditionOutcome:
    """How a condition stands, the value behind it, and why there is none."""

    state: ConditionState
    value: Value | None
    reason: str = ""


@dataclass(frozen=True)
class Reply:
    """What is said to an answer."""

    right: bool
    why: str


@dataclass(frozen=True)
class StepVerdict:
    """How a step stands.

    Attributes
    ----------
    outcomes
        Of its conditions, in their order.
    reply
        To the answer; None: there is no question, or no answer yet.
    forbidden
        Acts that the step does not allow.
    mistake
        The mistake that is recognised in what was done.
    asked
        Whether the step has a question.
    """

    outcomes: tuple[ConditionOutcome, ...]
    reply: Reply | None
    forbidden: tuple[Act, ...] = ()
    mistake: Mistake | None = None
    asked: bool = False

    @property
    def holds(self) -> bool:
        """Return whether everything that can be said now is right; the run may have to go on."""
        states = {outcome.state for outcome in self.outcomes}
        return not self.forbidden and states <= {ConditionState.MET, ConditionState.SO_FAR} and self.answered

    @property
    def answered(self) -> bool:
        """Return whether the question, if there is one, has its right answer."""
        return not self.asked or (self.reply is not None and self.reply.right)

    @property
    def solved(self) -> bool:
        """Return whether the step is solved for good."""
        return self.holds and all(outcome.state is ConditionState.MET for outcome in self.outcomes)

    @property
    def lost(self) -> bool:
        """Return whether it cannot be solved any more from here."""
        return bool(self.forbidden) or any(
            outcome.state is ConditionState.BROKEN for outcome in self.outcomes
        )


def judge(step: Step, evidence: StepEvidence, answer: Answer | None = None) -> StepVerdict:
    """Return how a step stands with what was done, and an answer to its question.

    Parameters
    ----------
    step
        As the person has it.
    evidence
        Scene, run and acts; acts of before the step belong to other steps.
    answer
        What was answered; None: nothing yet.

    Raises
    ------
    RunFileError
        When the run file is damaged.
    """
    return all_at_once(judging(step, evidence, answer))


def judging(
    step: Step, evidence: StepEvidence, answer: Answer | None = None
) -> Generator[None, None, StepVerdict]:
    """Judge as `judge` does, with a rest between one measure and the next: a window draws meanwhile."""
    outcomes = []
    for condition in step.conditions:
        outcomes.append(outcome_of(condition, evidence))
        yield
    reply = None if step.question is None or answer is None else reply_to(step.question, answer, evidence)
    yield
    acts = [act for act in evidence.acts if act.at_s >= evidence.since_s]
    allowed = (step.allowed, *evidence.allowed_before)
    forbidden = tuple(act for act in acts if not any(is_allowed(each, act) for each in allowed))
    mistake = recognised(step, evidence)
    return StepVerdict(tuple(outcomes), reply, forbidden, mistake, step.question is not None)


def outcome_of(condition: StepCondition, evidence: StepEvidence) -> ConditionOutcome:
    """Return how one condition stands."""
    measure = condition.measure
    try:
        value = value_of(measure, evidence)
        holds = fits(condition, value)
    except NoValue as none:
        # What the scene lacks may still be made.
        over = (
            evidence.reader is not None and not isinstance(measure, OF_THE_SCENE) and evidence.over(measure)
        )
        return ConditionOutcome(ConditionState.BROKEN if over else ConditionState.OPEN, None, str(none))
    if isinstance(measure, OF_THE_SCENE):
        return ConditionOutcome(ConditionState.MET if holds else ConditionState.OPEN, value)
    if evidence.over(measure):
        return ConditionOutcome(ConditionState.MET if holds else ConditionState.BROKEN, value)
    return ConditionOutcome(_while_it_runs(condition, holds), value)


def _while_it_runs(condition: StepCondition, holds: bool) -> ConditionState:
    """Return how a condition stands of which the time is not up: some can no longer change."""
    measure, above, below = condition.measure, condition.at_least is not None, condition.at_most is not None
    if condition.equals is not None:
        return ConditionState.SO_FAR if holds else ConditionState.OPEN
    stays = (rises(measure) and above and not below) or (falls(measure) and below and not above)
    over = (rises(measure) and below and not above) or (falls(measure) and above and not below)
    if holds:
        return ConditionState.MET if stays else ConditionState.SO_FAR
    return ConditionState.BROKEN if over else ConditionState.OPEN


def fits(condition: StepCondition, value: Value) -> bool:
    """Return whether a value fits the bounds of a condition; raises `NoValue` where they cannot be compared."""
    wanted = condition.equals
    if wanted is not None:
        if isinstance(value, float) and not isinstance(wanted, bool):
            try:
                figure = bound_of(wanted, condition.measure)
            except NoValue:
                return False  # a word is wanted, and there is a figure
            return math.isclose(value, figure, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        return value == wanted
    if isinstance(value, str):
        return False
    least = -math.inf if condition.at_least is None else bound_of(condition.at_least, condition.measure)
    most = math.inf if condition.at_most is None else bound_of(condition.at_most, condition.measure)
    return least <= value <= most


def bound_of(bound: float | str, measure: Measure) -> float:
    """Return a bound in the unit of what is measured.

    Raises
    ------
    NoValue
        When its unit is another one.
    """
    if not isinstance(bound, str):
        return float(bound)
    unit = measure.unit
    number, _, rest = bound.strip().partition(" ")
    if rest.strip() in ("", unit):  # before dimensions, in which 45 % would be 0.45
        try:
            return float("".join(number.split()))  # as `grouped` writes it, too
        except ValueError:
            pass
    dimensions = (
        tuple(units.DIMENSIONS) if isinstance(measure, OF_THE_SCENE) else (_DIMENSIONS.get(unit, ""),)
    )
    for dimension in dimensions:
        try:
            return units.parse(bound.replace("°C", "degC"), dimension)
        except (UnitError, KeyError):
            continue
    raise NoValue(f"{bound!r} is not in {unit or 'a plain number'}")


def reply_to(question: Question, answer: Answer, evidence: StepEvidence) -> Reply:
    """Return whether an answer is right, and what is said to it."""
    if isinstance(question, ChoiceQuestion):
        taken = {int(place) for place in answer} if isinstance(answer, tuple) else set()
        right = {place for place, choice in enumerate(question.choices) if choice.right}
        wrong = sorted(taken - right) or sorted(right - taken)
        shown = sorted(right)[:1] if taken == right else wrong[:1]
        if not taken or not taken <= set(range(len(question.choices))):
            return Reply(False, tr("Choose an answer."))
        if taken < right:
            return Reply(False, tr("Right so far; more than this is right."))
        return Reply(taken == right, question.choices[shown[0]].why)
    if isinstance(answer, tuple):
        return Reply(False, tr("Type a number."))
    try:
        right_figure = right_answer(question, evidence)
    except NoValue as none:
        return Reply(False, tr("The hall does not say yet: {reason}.", reason=str(none)))
    assert not isinstance(right_figure, tuple)
    off = answer - right_figure
    if abs(off) <= max(question.within * abs(right_figure), _TOLERANCE):
        return Reply(True, "")
    return Reply(False, question.too_low if off < 0 else question.too_high)


def right_answer(question: Question, evidence: StepEvidence) -> Answer:
    """Return the right answer; raises `NoValue` where the hall does not tell it."""
    if isinstance(question, ChoiceQuestion):
        return tuple(place for place, choice in enumerate(question.choices) if choice.right)
    if question.measure is None:
        return float(question.right or 0.0)
    value = value_of(question.measure, evidence)
    if isinstance(value, str):
        raise NoValue(f"{value!r} is no number")
    return float(value) * question.scale


def is_allowed(allowed: Allowed, act: Act) -> bool:
    """Return whether a step allows an act."""
    if isinstance(act, Edit):
        return all(key_allowed(allowed, change.path) for change in act.changes)
    return kind_of_act(act) in allowed.acts


def key_allowed(allowed: Allowed, path: str) -> bool:
    """Return whether a step allows to change a key of the scene."""
    return any(path == key or path.startswith((f"{key}.", f"{key}[")) for key in allowed.keys)


def recognised(step: Step, evidence: StepEvidence) -> Mistake | None:
    """Return the mistake that is seen in what was done; None: none of those that the lesson knows."""
    for mistake in step.mistakes:
        states = [outcome_of(condition, evidence).state for condition in mistake.when]
        if states and all(state in (ConditionState.MET, ConditionState.SO_FAR) for state in states):
            return mistake
    return None


def value_words(value: Value, unit: str) -> str:
    """Return a value with its unit, for people."""
    if isinstance(value, str | bool):
        return str(value)
    dimension = _DIMENSIONS.get(unit)
    if dimension is not None:
        if dimension == "duration" and 0.1 <= abs(value) < 100.0:
            return f"{value:.3g} s"
        rounded = float(f"{value:.4g}")
        return units.render(rounded, dimension).replace("degC", "°C")
    return f"{grouped(float(f'{value:.4g}'))} {unit}".rstrip()


def grouped(number: float) -> str:
    """Return a number with its thousands apart, as it can be typed in again: a comma might be taken for a point.

    >>> grouped(1234567.5).split(), grouped(-0.25)
    (['1', '234', '567.5'], '-0.25')
    """
    return f"{number:,.15g}".replace(",", "\N{NO-BREAK SPACE}")
