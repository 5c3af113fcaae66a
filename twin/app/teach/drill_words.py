"""What a drill says: a page of the runbook, the table of scores, the moments of its record. No widgets."""

from __future__ import annotations

from twin.app.toolkit.clock import Clock
from twin.language import tr
from twin.lessons.drill_comment import DrillMoment
from twin.lessons.drill_run import Ranked, Ranking
from twin.lessons.drill_score import HARMS
from twin.lessons.runbook import load_runbook
from twin.record.event_kinds import kind_of
from twin.shown_text import capitalised

Section = tuple[str, tuple[str, ...]]
_WHO = {
    "yours": tr("Yours"),
    "nothing": tr("Doing nothing"),
    "runbook": tr("By the runbook alone"),
    "best": tr("Best known"),
    "random": tr("At random"),
}
_WHAT = {"fault": tr("Hidden fault"), "alarm": tr("Alarm"), "act": tr("You")}


def runbook_page(kind: str, subject: str) -> list[Section]:
    """Return title and sections of the runbook for an alarm of a kind about a thing."""
    entry = load_runbook().entry(kind)
    if entry is None:
        title = tr("{alarm}: {thing}", alarm=capitalised(kind_of(kind).title), thing=subject)
        return [(title, ()), ("", (tr("The runbook says nothing about this alarm."),))]
    return [
        (tr("{alarm}: {thing}", alarm=tr(entry.title), thing=subject), ()),
        (tr("Look"), tuple(f"\N{BULLET} {tr(step)}" for step in entry.look)),
        (tr("Do"), tuple(f"{number}. {tr(step)}" for number, step in enumerate(entry.do, start=1))),
    ]


def score_rows(ranking: Ranking) -> list[tuple[str, str]]:
    """Return who came to what, the best first."""
    return [(_WHO[way.who], _words(way)) for way in ranking.in_order]


def _words(way: Ranked) -> str:
    score = way.score
    harms = [
        tr("{count:,.4g} {harm}", count=score.harms[harm.id], harm=harm.title)
        for harm in HARMS
        if score.harms.get(harm.id, 0.0) >= 0.05
    ]
    words = tr(
        "{value:,.1f} GPU-hours: {useful:,.1f} useful, {harm:,.1f} for harm",
        value=score.value_gpu_h,
        useful=score.useful_gpu_h,
        harm=score.harm_gpu_h,
    )
    return f"{words} ({', '.join(harms)})" if harms else words


def about_score() -> tuple[str, ...]:
    """Return what the figures mean."""
    prices = ", ".join(tr("{harm}: {cost:g}", harm=harm.title, cost=harm.cost_gpu_h) for harm in HARMS)
    return (
        tr(
            "Useful: GPU time of steps that count, at the reference clock. Harm counts in GPU-hours, by a convention "
            "of drills: {prices}. All figures are of runs made again from the acts.",
            prices=prices,
        ),
    )


def moment_lines(moment: DrillMoment, clock: Clock) -> list[str]:
    """Return what is said of a moment, line by line."""
    head = tr(
        "{time}  {what}: {words}", time=clock.says(moment.t_s), what=_WHAT[moment.what], words=moment.words
    )
    where = f" ({moment.thing})" if moment.what == "alarm" and moment.thing not in moment.words else ""
    return [head + where, *([moment.comment] if moment.comment else [])]
