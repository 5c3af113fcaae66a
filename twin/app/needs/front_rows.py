"""Designs as rows of a table and as points of a picture. No widgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from twin.analysis.design_figures import DesignPromise, DesignToCompare
from twin.analysis.design_runs import DesignRun
from twin.app.money.cell_table import CellRow
from twin.app.toolkit.text import significant
from twin.designs.design import Design, Limit, Range
from twin.designs.design_folder import CheckedDesign
from twin.designs.design_rows import HEADS, cells
from twin.designs.need import DAY_S, WEEK_S, SiteNeed
from twin.language import tr

COLUMNS = (
    "",
    tr("Design"),
    tr("GPUs, level"),
    tr("Time, days"),
    tr("Capital, MUSD"),
    tr("A year, MUSD"),
    tr("CO2e a year, t"),
    "MW",
    tr("Site, nodes up"),
    tr("Nearest limit"),
    tr("Scene"),
    tr("Full runs"),
)
TICK, DESIGN, GPUS, TIME, CAPITAL, YEAR, CARBON, POWER, AVAILABLE, LIMIT, SCENE, RUNS = range(len(COLUMNS))
TIPS = (
    tr("Tick two or more designs to compare them"),
    tr("Click to open its scene; below it the node or rack that the hall is filled with"),
    tr("GPUs that work, without spares; below them the redundancy of power and cooling"),
    tr("Failures included: mean, and P5 to P95"),
    tr("Median, and P5 to P95 over the ranges of the prices"),
    tr("Capital by its life and operation: median, and P5 to P95 over the ranges of the prices"),
    tr("Energy and making: median, and P5 to P95"),
    tr("Site with cooling and losses on a hot day"),
    tr(
        "Share of the time with power and cooling for all; below it with enough nodes in service for the work"
    ),
    tr("The limit of the need that the design is nearest to"),
    tr("Whether its scene was built and passes the design rules"),
    tr("Time of full runs with failures, over seeds, and how many kept the deadline"),
)


@dataclass
class FoundDesign:
    """A design of the front and what became of it.

    Attributes
    ----------
    checked
        As scenes; None: not built yet.
    runs
        Full runs of it so far.
    wanted
        Runs that are under way or done.
    given_up
        Whether its scene was not built, for somebody cancelled.
    """

    name: str
    design: Design
    checked: CheckedDesign | None = None
    runs: list[DesignRun] = field(default_factory=list)
    wanted: int = 0
    given_up: bool = False

    @property
    def title(self) -> str:
        """Return what people call it: "Design 3"."""
        return tr("Design {number}", number=int(self.name.rpartition("-")[2]))

    @property
    def passes(self) -> bool:
        """Return whether its scene is there."""
        return self.checked is not None and not self.checked.reason


def row_of(found: FoundDesign, need: SiteNeed) -> CellRow:
    """Return the row of a design."""
    design, ranges = found.design, found.design.ranges
    known = (
        (None, None, None) if ranges is None else (ranges.capital_usd, ranges.yearly_usd, ranges.carbon_kg)
    )
    likely = zip(
        known, (design.capital_usd, design.yearly_usd, design.carbon_kg), (1e6, 1e6, 1e3), strict=True
    )
    return CellRow(
        found.name,
        (
            "",
            f"{found.title}\n{design.choice.part.part}",
            f"{design.choice.gpus:,}\n{design.room.power}",
            two_lines(design.time_range_s, DAY_S) if design.promises else tr("no work"),
            *(two_lines(ends or (value, value, value), scale) for ends, value, scale in likely),
            significant(design.site_w / 1e6),
            f"{100.0 * design.site_available:.2f} %\n{100.0 * design.in_service:.2f} %",
            _limit_words(design.binding),
            _scene_words(found),
            run_words(found, need),
        ),
        _tip(found),
    )


def _limit_words(limit: Limit | None) -> str:
    """Return the limit that is nearest, and below it how near."""
    if limit is None:
        return tr("none")
    return f"{limit.title}\n{limit.amounts}"


def range_text(values: Range, scale: float = 1.0) -> str:
    """Return the middle of a range and its ends, all with the decimals of the middle.

    >>> range_text((15.24, 18.06, 21.13)), range_text((900.0, 1234.0, 1500.0), 1e3)
    ('18.1 (15.2 to 21.1)', '1.23 (0.90 to 1.50)')
    """
    low, middle, high = _texts(values, scale)
    return tr("{middle} ({low} to {high})", middle=middle, low=low, high=high)


def two_lines(values: Range, scale: float) -> str:
    """Return the middle of a range, and its ends below it.

    >>> two_lines((15.24, 18.06, 21.13), 1.0).splitlines()
    ['18.1', '15.2\N{EN DASH}21.1']
    """
    low, middle, high = _texts(values, scale)
    return f"{middle}\n{low}\N{EN DASH}{high}"


def _texts(values: Range, scale: float) -> tuple[str, str, str]:
    middle = significant(values[1] / scale)
    decimals = len(middle.partition(".")[2])
    low, high = (f"{value / scale:,.{decimals}f}" for value in (values[0], values[2]))
    return low, middle, high


def to_compare(found: FoundDesign, need: SiteNeed) -> DesignToCompare:
    """Return a design with its scene and what is promised of that, to be held against others."""
    design, checked = found.design, found.checked
    assert checked is not None
    kept = [
        promise
        for work, promise in zip(need.workloads, design.promises, strict=True)
        if len(design.stages) == 1 or work.stage == "last"
    ]
    limit = design.binding.words if design.binding is not None else ""
    promise = DesignPromise(
        sum(each.mean_s for each in kept), math.hypot(*(each.sigma_s for each in kept)), limit, design.load
    )
    return DesignToCompare(found.title, checked.scenes[found.name], promise if kept else None)


def promised_s(found: FoundDesign, need: SiteNeed) -> dict[str, tuple[float, float | None]]:
    """Return by job of its scene what is promised, and its deadline [s]."""
    last_only = len(found.design.stages) > 1
    return {
        f"work-{place + 1}": (promise.promised_s, work.deadline_s)
        for place, (work, promise) in enumerate(zip(need.workloads, found.design.promises, strict=True))
        if not last_only or work.stage == "last"
    }


def run_words(found: FoundDesign, need: SiteNeed) -> str:
    """Return what full runs say of a design: how long its work took, and how many kept the deadline."""
    if not found.wanted:
        return ""
    if len(found.runs) < found.wanted:
        return tr("{done:,} of {wanted:,}\nruns", done=len(found.runs), wanted=found.wanted)
    times = [run.time_s for run in found.runs]
    known = [time / DAY_S for time in times if time is not None]
    if not known:
        return tr("none done\nin time")
    low, high = min(known), max(known)
    kept = sum(keeps_deadlines(run, promised_s(found, need)) for run in found.runs)
    days = f"{low:,.1f}\N{EN DASH}{high:,.1f}"
    return tr("{days} days\n{kept:,} of {count:,} in time", days=days, kept=kept, count=len(times))


def keeps_deadlines(run: DesignRun, promised: dict[str, tuple[float, float | None]]) -> bool:
    """Return whether each job of a run was done within its deadline; one without has what was promised."""
    for job, time in run.job_s.items():
        expected, deadline = promised.get(job, (np.inf, None))
        if time is None or time > (deadline or expected):
            return False
    return bool(run.job_s)


def front_line(found: Sequence[FoundDesign]) -> list[FoundDesign]:
    """Return the designs that none other beats in cost and time alone, the fastest first."""
    line: list[FoundDesign] = []
    for candidate in sorted(
        found, key=lambda candidate: (candidate.design.time_s, candidate.design.yearly_usd)
    ):
        if not line or candidate.design.yearly_usd < line[-1].design.yearly_usd:
            line.append(candidate)
    return line


def told_of(found: FoundDesign) -> str:
    """Return what a design is made of, or why its scene does not pass, in a sentence."""
    if found.checked is not None and found.checked.reason:
        return found.checked.reason
    design = found.design
    named = dict(zip(HEADS, cells(found.name, design), strict=True))
    return tr(
        "{title}: {nodes:,} x {part} and {spares:,} spare, {gpus:,} GPUs, cut {cut}, network {network}, "
        "storage boxes {stores}, {level}, checkpoint every {checkpoint}, {area:,.0f} m2, ready in {weeks:.0f} weeks.",
        title=found.title,
        nodes=design.nodes,
        part=design.choice.part.part,
        spares=design.spares,
        gpus=design.choice.gpus,
        cut=named["cut"],
        network=named["network"],
        stores=named["stores"],
        level=design.room.power,
        checkpoint=named["checkpoint"],
        area=design.area_m2,
        weeks=design.ready_s / WEEK_S,
    )


def _scene_words(found: FoundDesign) -> str:
    if found.checked is None:
        return tr("not built") if found.given_up else tr("building")
    return tr("fails") if found.checked.reason else tr("checked")


def _tip(found: FoundDesign) -> str:
    told = zip(HEADS[1:], cells(found.name, found.design)[1:], strict=True)
    lines = [f"{head}: {words}" for head, words in told]
    if found.checked is not None and found.checked.reason:
        lines.append(found.checked.reason)
    return "\n".join(lines)
