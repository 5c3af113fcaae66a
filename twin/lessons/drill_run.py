"""A drill compared: what somebody came to, against nobody at all and against the best response that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twin.language import tr
from twin.lessons.drill import OperatorDrill
from twin.lessons.drill_policy import BEST_OF, POLICIES, DrillPolicy, Nothing, acts_of
from twin.lessons.drill_score import Score, score_of_acts
from twin.lessons.step_hall import Act

NOBODY, RUNBOOK, BEST, YOURS = "nothing", "runbook", "best", "yours"
_TINY_GPU_H = 0.5
"""Scores so close are the same [GPU h]."""
Tell = Callable[[float, float], None]


@dataclass(frozen=True)
class Ranked:
    """One way through a drill.

    Parameters
    ----------
    who
        nothing, runbook, random, best, or yours.
    score, acts
        What came of it, and what was done.
    """

    who: str
    score: Score
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Ranking:
    """Ways through one drill; all figures are of runs made again from the acts.

    Parameters
    ----------
    nobody, best
        Without any act; and the best response that is known: it may be yours.
    others
        The ways that were asked for.
    """

    nobody: Ranked
    best: Ranked
    others: tuple[Ranked, ...] = ()

    @property
    def in_order(self) -> tuple[Ranked, ...]:
        """Return all of them, the best first."""
        ways = (self.best, *self.others, self.nobody)
        return tuple(sorted(ways, key=lambda way: way.score.value_gpu_h, reverse=True))

    def points(self, way: Ranked) -> float | None:
        """Return how much of what could be saved was saved [%]; below 0: worse than nothing; None: nothing could be."""
        room = self.best.score.value_gpu_h - self.nobody.score.value_gpu_h
        if room < _TINY_GPU_H:
            return None
        return 100.0 * (way.score.value_gpu_h - self.nobody.score.value_gpu_h) / room

    def words(self, way: Ranked) -> str:
        """Return what a way is worth, for people."""
        points = self.points(way)
        saved_gpu_h = way.score.value_gpu_h - self.nobody.score.value_gpu_h
        if points is None:
            if saved_gpu_h < -_TINY_GPU_H:
                return tr("{hours:.1f} GPU-hours worse than doing nothing", hours=-saved_gpu_h)
            return tr("nothing could be saved here, and nothing was lost")
        if saved_gpu_h < -_TINY_GPU_H:
            return tr("{hours:.1f} GPU-hours worse than doing nothing", hours=-saved_gpu_h)
        return tr(
            "{hours:.1f} GPU-hours saved: {points:.0f} % of what the best known response saves",
            hours=max(0.0, saved_gpu_h),
            points=max(0.0, points),
        )


def ranked(
    drill: OperatorDrill,
    yours: Sequence[Act] | None = None,
    ways: Sequence[str] = (),
    until_s: float | None = None,
    tell: Tell = lambda done, of: None,
) -> Ranking:
    """Return the ranking of a drill.

    Parameters
    ----------
    yours
        What somebody did; None: nobody took part.
    ways
        Policies to rank beside, by the names of `POLICIES`.
    until_s
        The drill was ended there [s]: nobody is judged by what came later.
    tell
        Takes how many runs are done, of how many.

    Raises
    ------
    DrillError
        When no operator has such an act, or the hall refuses it.
    ValueError
        When a run cannot be made.
    """
    named = dict.fromkeys((*ways, RUNBOOK))
    steps = 1 + len(BEST_OF) + len(named) - (NOBODY in named) + (yours is not None)
    done = 0

    def way(who: str, acts: Sequence[Act]) -> Ranked:
        nonlocal done
        made = Ranked(who, score_of_acts(drill, acts, until_s), tuple(acts))
        done += 1
        tell(float(done), float(steps))
        return made

    def by(who: str, policy: DrillPolicy) -> Ranked:
        return way(who, acts_of(drill, policy, until_s))

    nobody = by(NOBODY, Nothing())
    others = [] if yours is None else [way(YOURS, yours)]
    tried = {name: by(name, POLICIES[name](drill.seed)) for name in named if name != NOBODY}
    others += [tried[name] for name in ways if name != NOBODY]
    known = (nobody, *tried.values(), *others, *(by(BEST, make()) for make in BEST_OF))
    best = max(known, key=lambda each: each.score.value_gpu_h)
    return Ranking(nobody, Ranked(BEST, best.score, best.acts), tuple(others))


def ranked_aside(drill: OperatorDrill, yours: Sequence[Act], until_s: float | None, tell: Tell) -> Ranking:
    """Return the ranking of what somebody did; for a process of its own (`twin.analysis.background_process`)."""
    return ranked(drill, tuple(yours), (RUNBOOK,), until_s, tell)
