"""What is said to a person about a step: not yet, right so far, solved, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from twin.app.teach.review import unmet
from twin.language import tr
from twin.lessons.attempt import Attempt
from twin.lessons.judgement import ConditionState, StepVerdict
from twin.lessons.schema import Allowed, Hint, Step
from twin.lessons.step_hall import Act
from twin.lessons.values import kind_of_act, target_of_act
from twin.markdown_text import escaped
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fault_kinds import KINDS

Tone = Literal["solved", "so far", "not yet", "hint", "notice"]


@dataclass(frozen=True)
class Said:
    """A few sentences, with a word that says at once what they mean.

    Attributes
    ----------
    text
        Markdown, as the texts of lessons are.
    """

    tone: Tone
    title: str
    text: str


def not_yet(text: str) -> Said:
    """Return what is said to something that does not solve the step."""
    return Said("not yet", tr("Not yet."), text)


def hint_said(hint: Hint, taken: int) -> Said:
    """Return a hint, with its number."""
    return Said("hint", tr("Hint {number}.", number=taken), hint.text)


def solved_said(attempt: Attempt, why: str = "") -> Said:
    """Return what is said when a step is solved; `why` its answer is right."""
    text = " ".join(words for words in (why, attempt.step.solved or "") if words)
    return Said("solved", tr("Solved."), text or tr("Go on to the next step."))


def verdict_said(
    attempt: Attempt, verdict: StepVerdict, clock: Callable[[float], str], ends_s: float
) -> Said:
    """Return what is said when a step is checked.

    Parameters
    ----------
    clock
        Writes a time of the run.
    ends_s
        When the step ends at the latest [s].
    """
    step = attempt.step
    if verdict.solved:
        return solved_said(attempt, verdict.reply.why if verdict.reply is not None else "")
    if verdict.forbidden:
        return not_yet(
            tr(
                "{act} is not part of this step. Undo takes it back where it was just done; else try again.",
                act=escaped(act_words(verdict.forbidden[0])),
            )
        )
    if verdict.mistake is not None and not verdict.holds:
        return not_yet(verdict.mistake.why)
    if verdict.reply is not None and not verdict.reply.right:
        return not_yet(verdict.reply.why)
    if verdict.asked and verdict.reply is None:
        return Said("notice", tr("No answer yet."), tr("Answer the question, then check."))
    if verdict.holds:
        text = tr("Let the run go on: at {time} it is certain.", time=clock(ends_s))
        return Said("so far", tr("Right so far."), text)
    missed = escaped("\n".join(unmet(step, verdict)))
    if verdict.lost:
        return not_yet(tr("This can no longer be met:\n{conditions}\nTry again.", conditions=missed))
    return not_yet(missed)


def why_said(attempt: Attempt, verdict: StepVerdict) -> Said:
    """Return why a step stands as it does, condition by condition."""
    lines = []
    for condition, outcome in zip(attempt.step.conditions, verdict.outcomes, strict=True):
        reason = f" ({outcome.reason})" if outcome.reason else ""
        lines.append(escaped(f"{condition.text}: {outcome.state.words}{reason}"))
    if verdict.mistake is not None and not verdict.solved:
        lines.append(f"{escaped(verdict.mistake.title)}: {verdict.mistake.why}")
    if verdict.reply is not None and verdict.reply.why:
        lines.append(verdict.reply.why)
    if attempt.record.solved and attempt.step.solved:
        lines.append(attempt.step.solved)
    return Said("notice", tr("Why?"), "\n".join(lines) or tr("Nothing was checked yet."))


def act_words(act: Act) -> str:
    """Return an act as a person would name it: "Drain of gpu/0/1"."""
    if isinstance(act, Edit):
        return act.title or target_of_act(act)
    kind = KINDS.get(kind_of_act(act))
    return f"{kind.title if kind is not None else act.kind}: {act.target}"


def allowed_words(allowed: Allowed) -> str:
    """Return what a step allows, as a sentence."""
    titles = [KINDS[kind].title.lower() if kind in KINDS else kind for kind in allowed.acts]
    titles += [tr("changes of {key}", key=key) for key in allowed.keys]
    if not titles:
        return tr("In this step nothing may be done to the hall.")
    return tr("In this step you may do this: {acts}.", acts=", ".join(titles))


def state_of_step(step: Step, *, solved: bool, here: bool) -> str:
    """Return how a step of the progress stands, in words."""
    if solved:
        return tr("{title}: done", title=step.title)
    return tr("{title}: here", title=step.title) if here else step.title


MARKS = {ConditionState.MET: "\N{CHECK MARK}", ConditionState.SO_FAR: "\N{CIRCLE WITH LEFT HALF BLACK}"}
MARKS |= {ConditionState.OPEN: "\N{WHITE CIRCLE}", ConditionState.BROKEN: "\N{MULTIPLICATION X}"}
"""How a condition stands, as a sign."""
