"""Design rule of redundancy: what takes GPUs along when it falls, against the target of the site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools
from twin.language import tr
from twin.plant.single_points import SinglePoint, System
from twin.plant.tables import Plant
from twin.rules.finding import Found, number
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.checks.fabric import TIER_NAMES
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import RedundancyLevel
from twin.scenario.text.parse import Path

PATHS = ("switchgear", "pdu", "busbar")
"""Kinds of power item that are the path itself: N+1 gives machines a spare, only 2N a second path."""
LOSES: dict[System, str] = {
    "power": tr("lose power or cooling"),
    "cooling": tr("lose cooling"),
    "network": tr("are cut off the network"),
}
_FIXES: dict[System, str] = {
    "power": tr("a second path from the utility (2N), or a spare machine (N+1) where it is one of machines"),
    "cooling": tr(
        "a spare machine (units) and drives that make up for a lost pump (recover), or more, smaller loops"
    ),
    "network": tr("NICs with two cables to two leaves (homes: 2), and two spines or more"),
}

_SPARED_FIXES: dict[System, str] = {
    "power": tr("only a second path from the utility (2N) outlives the loss of all of them"),
    "cooling": tr(
        "only as many spare machines as are needed (2N), or more, smaller loops outlive the loss of more"
    ),
    "network": _FIXES["network"],
}
"""What more there is to do where one machine may be lost."""
_SERVES: dict[System, str] = {"power": tr("feed"), "cooling": tr("cool"), "network": tr("connect")}


def asked(scenario: Scenario, system: System) -> RedundancyLevel | None:
    """Return the target of a site for one of its systems."""
    level: RedundancyLevel | None = getattr(scenario.site.redundancy, system)
    return level


def breaks(plant: Plant, point: SinglePoint, level: RedundancyLevel | None) -> bool:
    """Return whether a target forbids that a thing takes GPUs along.

    N forbids nothing. N+1: machines have a spare, and any switch may fail; switchgear, PDUs and busways are one path.
    2N: any power item and any switch may fail, and CDUs, air handlers and chillers are twice what is needed; their
    pipes are one circuit all the same.
    """
    if level is None or level == "N":
        return False
    if point.system == "network":
        return True
    if point.system == "cooling":
        return point.spare < (point.needed if level == "2N" else 1)
    return level == "2N" or (plant.power.kind[point.slot] not in PATHS and not point.spare)


def falls_words(plant: Plant, point: SinglePoint) -> str:
    """Return what falls with a thing: "256 of 512 GPUs, which lose cooling"."""
    return tr(
        "{gpus:,} of {total:,} GPUs, which {loses}",
        gpus=point.gpus,
        total=_total(plant),
        loses=LOSES[point.system],
    )


def _total(plant: Plant) -> int:
    return int(plant.nodes.gpu_count[plant.nodes.present].sum())


def jobs_lost(case: RuleContext, point: SinglePoint) -> list[str]:
    """Return the jobs with too few nodes left to go on."""
    nodes, hit = case.plant.nodes, np.zeros(len(case.plant.nodes.ids), np.bool_)
    hit[point.nodes] = True
    found = []
    for job in case.scenario.jobs:
        rows = rows_of(case.scenario, job)
        usable: Bools = nodes.present & ~nodes.drained & (nodes.gpu_count > 0)
        if rows:
            usable = usable & case.racks_of(rows)[nodes.rack]
        if int((usable & ~hit).sum()) < job.nodes <= int(usable.sum()):
            found.append(job.id)
    return found


@dataclass(frozen=True)
class Fall:
    """What falls with one thing, against the target of the site.

    Attributes
    ----------
    jobs
        Those that cannot go on.
    level, breaks
        The target, and whether it forbids this.
    """

    point: SinglePoint
    words: str
    jobs: tuple[str, ...]
    level: RedundancyLevel | None
    breaks: bool

    @property
    def fate(self) -> str:
        """Return "lose cooling; job a cannot go on"."""
        return LOSES[self.point.system] + (
            tr("; {named} cannot go on", named=_named(self.jobs)) if self.jobs else ""
        )

    @property
    def sentence(self) -> str:
        """Return "256 of 512 GPUs, which lose cooling; job a cannot go on"."""
        return self.words + (tr("; {named} cannot go on", named=_named(self.jobs)) if self.jobs else "")


def falls(case: RuleContext) -> list[Fall]:
    """Return what takes GPUs along when it falls, worst first."""
    return [_fall(case, point) for point in case.single_points]


def _fall(case: RuleContext, point: SinglePoint) -> Fall:
    level = asked(case.scenario, point.system)
    jobs = tuple(jobs_lost(case, point))
    return Fall(point, falls_words(case.plant, point), jobs, level, breaks(case.plant, point, level))


def _single(case: RuleContext) -> Iterator[Found]:
    """Yield what takes GPUs along, by stage, loop and tier: what has no spare first, then by GPUs."""
    groups: dict[tuple[Path, bool], list[SinglePoint]] = {}
    if not any(asked(case.scenario, system) for system in LOSES):
        return
    for point in case.single_points:
        if asked(case.scenario, point.system) is not None:
            groups.setdefault((_key(case, point), point.spare > 0), []).append(point)
    for (at, spared), points in sorted(groups.items(), key=lambda group: group[0][1]):
        worst = points[0]
        fall = _fall(case, worst)
        yield Found(
            at=at,
            reason=_spared(case, fall, len(points)) if spared else _unspared(fall, len(points)),
            fix=(_SPARED_FIXES if spared else _FIXES)[worst.system],
            ids=tuple(point.id for point in points),
            value=number(worst.gpus, "GPUs"),
            limit=number(0, "GPUs") if fall.breaks else None,
            severity="warning" if fall.breaks else "notice",
        )


def _unspared(fall: Fall, count: int) -> str:
    """Return the words of one thing, or of several of a stage, loop or tier, with no machine to spare."""
    target = _target(fall)
    if count > 1:
        return tr(
            "has {count:,} single points{target}: the loss of one takes up to {lost}",
            count=count,
            target=target,
            lost=fall.sentence,
        )
    if fall.point.system == "power":
        return tr("has no spare{target}: its loss takes {lost}", target=target, lost=fall.sentence)
    return tr("is a single point{target}: its loss takes {lost}", target=target, lost=fall.sentence)


def _spared(case: RuleContext, fall: Fall, count: int) -> str:
    """Return the words of one group of machines, or of several, in which some may fail, but not all together."""
    point, total = fall.point, _total(case.plant)
    machines = point.needed + point.spare
    fails = (
        tr("any one of {machines} may fail", machines=machines)
        if point.spare == 1
        else tr("any {spare} of {machines} may fail", spare=point.spare, machines=machines)
    )
    groups = tr("has {count:,} groups with a spare", count=count) if count > 1 else tr("has a spare")
    return tr(
        "{groups}{target}: {fails}; all together {serve} {gpus:,} of {total:,} GPUs",
        groups=groups,
        target=_target(fall),
        fails=fails,
        serve=_SERVES[point.system],
        gpus=point.gpus,
        total=total,
    )


def _target(fall: Fall) -> str:
    return tr(", but the target is {level}", level=fall.level) if fall.breaks else ""


def _key(case: RuleContext, point: SinglePoint) -> Path:
    """Return the key of the file that a thing comes from."""
    scenario, plant = case.scenario, case.plant
    name = point.id.partition("/")[0]
    if point.kind == "power":
        return ("power", int(plant.power.stage[point.slot]), "id")
    if point.kind == "switch":
        tier = TIER_NAMES[int(plant.switches.role[point.slot])]
        return ("fabrics", int(plant.switches.fabric[point.slot]), tier)
    if point.kind == "plant":
        return ("cooling", "plants", [plant.id for plant in scenario.cooling.plants].index(name), "id")
    return ("cooling", "loops", [loop.id for loop in scenario.cooling.loops].index(name), "id")


def _named(jobs: Sequence[str]) -> str:
    if len(jobs) > 3:
        return tr("{jobs:,} jobs", jobs=len(jobs))
    return (
        tr("job {jobs}", jobs=jobs[0])
        if len(jobs) == 1
        else tr("jobs {jobs} and {last_job}", jobs=", ".join(jobs[:-1]), last_job=jobs[-1])
    )


RULES = (
    Rule(
        "single-point",
        tr("Single point of failure"),
        "redundancy",
        "warning",
        tr(
            "Power items, loops, facility loops and switches whose loss takes GPUs along, "
            "against the target of the site (site.redundancy); those that it allows are named for information."
        ),
        tr("Uptime Institute, Tier Standard: Topology; the target is the scene's own"),
        _single,
    ),
)
