"""How near A and B are to their limits: power and cooling with a unit lost, GPU temperature, spare nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.compare import Comparison
from twin.analysis.whole_job import WholeJob
from twin.catalog import Catalog
from twin.planning.risk.risk import JobRisk
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.report.charts import WIDE, plain, value_ticks
from twin.report.comparison.chance import days_words
from twin.report.comparison.whole_job import whole_s
from twin.report.limits.load_limits import limits_of
from twin.report.markup import Child, Markup, tag
from twin.report.words import percent, rounded
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.shown_text import capitalised, inner

_NAME, _FIGURES, _ROW, _TOP, _BOTTOM = 260.0, 160.0, 21.0, 18.0, 22.0
_BAR = 7.0
_SPARES = "Spare nodes"


@dataclass(frozen=True)
class ComparedLimit:
    """One limit: what it is, and which share of it A and B reach [-]; None: that one has no such limit.

    `over_s`: over which time of A and of B a share is a mean [s]; none: it is no mean.
    """

    title: str
    a: float | None
    b: float | None
    over_s: tuple[float, ...] = ()

    @property
    def worst(self) -> float:
        """Return the larger share [-]."""
        return max(share for share in (self.a, self.b) if share is not None)

    @property
    def alike(self) -> bool:
        """Return whether A and B reach the same share, as it is shown."""
        return self.a is not None and self.b is not None and _percent(self.a) == _percent(self.b)


@dataclass(frozen=True)
class ComparedLimits:
    """How near A and B are to all their limits.

    Attributes
    ----------
    shares
        The limits that A and B reach a share of, the nearest first.
    margin_k
        How far the hottest GPU of A and of B stayed below the temperature at which its clocks go down [K]; negative:
        it went above; None: unknown.
    """

    shares: list[ComparedLimit]
    margin_k: tuple[float | None, float | None] = (None, None)


def compared_limits(
    found: Comparison,
    scenes: tuple[Scenario, Scenario],
    risks: tuple[JobRisk, JobRisk] | None,
    whole: WholeJob | None,
) -> ComparedLimits:
    """Return the limits of A and B.

    Parameters
    ----------
    risks
        What the only job of each is exposed to: it tells the spare nodes; None: unknown.
    whole
        How long it runs; None: as long as the runs.
    """
    catalogs = [catalog_of(scene) for scene in scenes]
    plants = [build(scene, catalog) for scene, catalog in zip(scenes, catalogs, strict=True)]
    sides: list[dict[str, float]] = []
    for scene, plant, catalog in zip(scenes, plants, catalogs, strict=True):
        shares: dict[str, float] = {}
        for limit in limits_of(scene, plant, catalog).limits:
            shares[capitalised(limit.title)] = limit.share
        sides.append(shares)
    hottest = found.differences.get("gpu_max_c")
    limits_c = [_throttles_c(plant, catalog) for plant, catalog in zip(plants, catalogs, strict=True)]
    margin_a_k, margin_b_k = (
        None if hottest is None or limit_c is None else limit_c - float(getattr(hottest, side))
        for limit_c, side in zip(limits_c, "ab", strict=True)
    )
    until_s = whole_s(whole) if whole is not None else found.simulated_s
    for shares, risk, time_s in zip(sides, risks or (), until_s or (), strict=False):
        if risk.model.spares:
            shares[_SPARES] = risk.model.in_repair_within(time_s) / risk.model.spares
    of_a, of_b = sides
    limits = [
        ComparedLimit(
            title, of_a.get(title), of_b.get(title), tuple(until_s or ()) if title == _SPARES else ()
        )
        for title in dict.fromkeys((*of_a, *of_b))
    ]
    return ComparedLimits(sorted(limits, key=lambda limit: -limit.worst), (margin_a_k, margin_b_k))


def _throttles_c(plant: Plant, catalog: Catalog) -> float | None:
    """Return the lowest GPU temperature above which clocks go down [degC]; None: no GPU."""
    parts = np.unique(plant.gpus.part[plant.gpus.present]).tolist()
    return min((catalog.gpu(plant.gpu_parts[part]).max_op_c for part in parts), default=None)


def limits_words(found: ComparedLimits) -> str:
    """Return which limit is the nearest one in A and in B, and how far GPUs stayed from theirs; "": none is known."""
    limits, named = found.shares, []
    for side in "ab":
        known = [(limit.title, share) for limit in limits if (share := getattr(limit, side)) is not None]
        if not known:
            return ""
        title, share = max(known, key=lambda pair: pair[1])
        named.append(f"{inner(title)} at {percent(share, 0)}")
    first, second = named
    nearest = f"in A and B {first}" if first == second else f"in A {first}; in B {second}"
    alike = sum(limit.alike for limit in limits)
    same = f" {alike} of {len(limits)} are the same in both in whole percent." if alike else ""
    near = f"Nearest to its limit, with a feed or a unit lost where there are several: {nearest}."
    return f"{near}{same}{margin_words(found)}"


def margin_words(found: ComparedLimits) -> str:
    """Return how far the hottest GPUs of A and B stayed from where clocks go down, after a space; "": unknown.

    >>> margin_words(ComparedLimits([], (24.62, -3.0)))
    ' Hottest GPU: 24.6 K below the temperature at which clocks go down in A, 3.00 K above it in B.'
    """
    a_k, b_k = found.margin_k
    if a_k is None or b_k is None:
        return ""
    first, second = (
        f"{rounded(abs(value_k), 3)} K {'below' if value_k >= 0.0 else 'above'}" for value_k in (a_k, b_k)
    )
    return f" Hottest GPU: {first} the temperature at which clocks go down in A, {second} it in B."


def limits_picture(limits: Sequence[ComparedLimit]) -> Markup | None:
    """Return the shares of the limits of A and of B as bars, with the limit as a line; None: none is known."""
    if not limits:
        return None
    high = _TOP + _ROW * len(limits) + _BOTTOM
    ticks = value_ticks(0.0, max(100.0, *(100.0 * limit.worst for limit in limits)), 5)
    room = WIDE - _NAME - _FIGURES

    def x(value: float) -> float:
        return round(_NAME + room * value / ticks[-1], 1)

    foot = _TOP + _ROW * len(limits)
    parts: list[Child] = []
    for value in ticks:
        parts.append(tag("line", class_="grid", x1=x(value), x2=x(value), y1=_TOP, y2=foot))
        parts.append(tag("text", plain(value), x=x(value), y=foot + 16, text_anchor="middle"))
    for number, limit in enumerate(limits):
        middle = _TOP + (number + 0.5) * _ROW
        strong = "strong" if limit.worst > 1.0 else None
        parts.append(tag("text", limit.title, x=_NAME - 12, y=middle + 4, text_anchor="end", class_=strong))
        for place, share in enumerate((limit.a, limit.b)):
            if share is not None:
                top, wide = middle - _BAR + place * _BAR, max(x(100.0 * share) - _NAME, 1.0)
                parts.append(
                    tag("rect", class_=f"f{place + 1}", x=_NAME, y=top, width=round(wide, 1), height=_BAR - 1)
                )
        words = _shares_words(limit)
        parts.append(tag("text", words, x=WIDE - _FIGURES + 14, y=middle + 4, class_=strong))
    parts.append(tag("line", class_="mark", x1=x(100.0), x2=x(100.0), y1=_TOP - 2, y2=foot))
    parts.append(tag("text", "limit", x=x(100.0), y=_TOP - 5, text_anchor="middle", class_="strong"))
    for place, side in enumerate("AB"):
        parts.append(
            tag("rect", class_=f"f{place + 1}", x=_NAME + 40 * place, y=2, width=10, height=10, rx=2)
        )
        parts.append(tag("text", side, x=_NAME + 40 * place + 15, y=11))
    told = "; ".join(f"{limit.title} {_shares_words(limit)}" for limit in limits)
    label = f"Shares of the limits in percent: {told}"
    return tag(
        "svg", tag("title", label), parts, role="img", viewBox=f"0 0 {WIDE:g} {high:g}", aria_label=label
    )


def _shares_words(limit: ComparedLimit) -> str:
    if limit.alike and limit.a is not None:
        return f"A and B {_percent(limit.a)}"
    return ", ".join(
        f"{side} {'none' if share is None else _percent(share)}"
        for side, share in zip("AB", (limit.a, limit.b), strict=True)
    )


def _percent(share: float) -> str:
    return percent(share, 0) if share >= 0.1 else f"{rounded(100.0 * share, 2)} %"


def limits_section(found: ComparedLimits) -> Markup | None:
    """Return the picture of the limits with what it shows; None: none is known."""
    limits = found.shares
    picture = limits_picture(limits)
    if picture is None:
        return None
    beyond = sum(limit.worst > 1.0 for limit in limits)
    first = f"{inner(limits[0].title)}, {_shares_words(limits[0])}"
    seen = (
        f"{beyond} of {len(limits)} are beyond their limit, the most {first}."
        if beyond
        else f"None is beyond its limit; the nearest is {first}."
    )
    note = (
        " In percent of the limit. Power and cooling: at the design power of all racks, load of what is left with a "
        f"feed or a unit lost, where there are several. {_mean_words(limits)}Not among them: network, batteries, "
        f"pumps, pipes.{margin_words(found)}"
    )
    return tag("figure", picture, tag("figcaption", tag("b", seen), note))


def _mean_words(limits: Sequence[ComparedLimit]) -> str:
    """Return over which time the shares that are means are those, as the begin of a sentence; "": none is one."""
    return "".join(
        f"{limit.title}: mean number in repair over {' in A and '.join(map(days_words, limit.over_s))} in B; repairs "
        "pile up, so that the first days have fewer. "
        for limit in limits
        if limit.over_s
    )
