"""Random incidents for exercises: what is drawn for a run that stands at some time. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from twin.language import counted, tr
from twin.planning.risk.random_incidents import LEVELS, Level, random_incidents
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

SPANS: tuple[tuple[str, str, float | None], ...] = (
    ("hour", tr("the next hour"), 3600.0),
    ("day", tr("the next day"), 86400.0),
    ("rest", tr("the rest of the run"), None),
)
"""Name, words, length [s]; None: to the end of the run."""
__all__ = ["LEVELS", "SPANS", "IncidentDraw", "Level", "draw", "words_of"]
_AHEAD_S, _MINUTE_S = 5 * 86400.0, 60.0


@dataclass(frozen=True)
class IncidentDraw:
    """What was drawn, and how to draw it again.

    Parameters
    ----------
    level, span
        As they were asked for.
    seed
        Of the draws.
    incidents
        In order of time.
    """

    level: Level
    span: str
    seed: int
    incidents: tuple[Intervention, ...]

    @property
    def words(self) -> str:
        """Return how many faults, for how long, by which seed."""
        count = len(self.incidents)
        if not count:
            return tr(
                "{level} incidents: no component can fail before the end of the run",
                level=self.level.capitalize(),
            )
        faults = counted(count, "fault")
        return tr(
            "{level} incidents for {span}: {faults} drawn, seed {seed}",
            level=self.level.capitalize(),
            span=self.span,
            faults=faults,
            seed=self.seed,
        )


def draw(
    scenario: Scenario, plant: Plant, level: Level, span: str, seed: int, now_s: float, end_s: float
) -> IncidentDraw:
    """Return random incidents of a level from `now_s` on [s].

    Where a short span would have none, the first one after it is brought forward into it: an exercise has something
    to be exercised.

    Parameters
    ----------
    span
        Name of one of `SPANS`.
    seed
        The same gives the same incidents at the same time.
    end_s
        Of the run [s].
    """
    title, lasts_s = next((words, lasts_s) for name, words, lasts_s in SPANS if name == span)
    until_s = end_s if lasts_s is None else min(now_s + lasts_s, end_s)
    found = random_incidents(scenario, level, seed, now_s, max(until_s, now_s + _AHEAD_S), plant)
    inside = tuple(incident for incident in found if incident.at_s < until_s)
    if not inside and found and until_s - now_s > _MINUTE_S:
        later_s = _MINUTE_S + (found[0].at_s - now_s) % (until_s - now_s - _MINUTE_S)
        inside = (found[0].model_copy(update={"at_s": now_s + later_s}),)
    return IncidentDraw(level, title, seed, inside)


def words_of(one: Intervention) -> str:
    """Return in words what an intervention does."""
    title = KINDS[one.kind].title
    value = f" ({one.value})" if one.value is not None else ""
    return f"{one.target}: {title[:1].lower()}{title[1:]}{value}"
