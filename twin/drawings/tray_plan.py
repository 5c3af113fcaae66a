"""Cable trays on a plan: where each lies, how wide and high, and how full it is where most cables lie in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import pi

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.drawings.floor import PlanFloor
from twin.drawings.sheet import FINE_MM, SMALL_MM, SheetContents, SheetText, text_mm
from twin.economics.it_lines import runs_per_cable
from twin.plant.tables import Plant
from twin.plant.tray_bundles import draw_bundles
from twin.plant.tray_runs import lay_runs
from twin.plant.trays import draw_trays
from twin.scenario.schema.document import Scenario

DEPTH_M = 0.1
"""Of a tray, from its bottom to the edge of its sides [est]."""
DIAMETERS_M = {"copper": 9e-3, "active copper": 6.5e-3, "multimode": 3e-3, "singlemode": 3e-3}
"""Outer diameter of a cable by what carries its signal [est]."""
_AIR_MM = 0.6
_PARTS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.02, 0.98)
"""Where along a tray its words may stand; those of a thin one best at an end."""


@dataclass(frozen=True)
class TrayLine:
    """One tray of a hall.

    Parameters
    ----------
    name
        "T3"; the one across joins the rows.
    hall
        Its slot.
    start_m, stop_m
        Its ends on the floor: x and y [m].
    level_m
        Of its bottom above the floor [m].
    width_m
        Inside [m].
    cables
        At the place where most lie in it.
    fill
        Their cross section over that of the tray, there.
    """

    name: str
    hall: int
    start_m: tuple[float, float]
    stop_m: tuple[float, float]
    level_m: float
    width_m: float
    cables: int
    fill: float

    @property
    def words(self) -> str:
        """Return what stands in it: name, width [mm], level [m], fill."""
        return f"{self.name}  {self.width_m * 1e3:.0f} mm  +{self.level_m:.2f} m  {percent(self.fill)}"


def tray_lines(scenario: Scenario, plant: Plant, catalog: Catalog) -> list[TrayLine]:
    """Return the trays of all halls, those along rows first in each."""
    trays, drawn = draw_trays(plant), draw_bundles(plant)
    runs = lay_runs(plant, drawn)
    line = runs.line[runs.first]
    in_tray = drawn.rack[line] < 0
    of_cable = runs_per_cable(scenario, plant, catalog)
    each_m2 = np.array(
        [pi / 4 * DIAMETERS_M[catalog.cable(fabric.cable).medium] ** 2 for fabric in scenario.fabrics]
        or [0.0]
    )
    bundles = plant.bundles
    cables = np.ceil(bundles.cables / of_cable[bundles.fabric]) if len(bundles.fabric) else np.zeros(0)
    found: list[TrayLine] = []
    counts: dict[int, int] = {}
    for place, (row, hall) in enumerate(zip(trays.row.tolist(), trays.hall.tolist(), strict=True)):
        ends = trays.lines.points[trays.lines.first[place] : trays.lines.first[place + 1]]
        axis = 0 if row >= 0 else 1
        chosen = np.flatnonzero(in_tray & (drawn.row[line] == row) & (drawn.hall[line] == hall))
        low_m, high_m = runs.start_m[runs.first[chosen], axis], runs.stop_m[runs.last[chosen], axis]
        bundle = runs.bundle[chosen]
        count = _most(low_m, high_m, cables[bundle])
        area_m2 = _most(low_m, high_m, cables[bundle] * each_m2[bundles.fabric[bundle]])
        counts[hall] = counts.get(hall, 0) + 1
        width_m = float(trays.width_m[place])
        found.append(
            TrayLine(
                f"T{counts[hall]}",
                hall,
                (float(ends[0][0]), float(ends[0][1])),
                (float(ends[-1][0]), float(ends[-1][1])),
                float(ends[0][2]),
                width_m,
                round(count),
                area_m2 / (width_m * DEPTH_M),
            )
        )
    return found


def draw_tray_edges(drawn: SheetContents, floor: PlanFloor, trays: Sequence[TrayLine]) -> None:
    """Draw the edges of trays, dashed: they are above."""
    for tray in trays:
        (x0_m, y0_m), (x1_m, y1_m) = tray.start_m, tray.stop_m
        along_x = abs(x1_m - x0_m) > abs(y1_m - y0_m)
        half_m = tray.width_m / 2
        for side_m in (-half_m, half_m):
            dx_m, dy_m = (0.0, side_m) if along_x else (side_m, 0.0)
            ends = ((floor.x(x + dx_m), floor.y(y + dy_m)) for x, y in (tray.start_m, tray.stop_m))
            drawn.line(*ends, wide_mm=FINE_MM, dashed=True)


def write_tray_words(drawn: SheetContents, floor: PlanFloor, trays: Sequence[TrayLine]) -> None:
    """Write into each tray what it is, where no other words are: all of it, or its name where there is less room."""
    taken = np.array([words.box for words in drawn.words]).reshape(-1, 4)
    for tray in trays:
        words = _fitting(taken, floor, tray)
        if words is not None:
            drawn.write(words.text, words.at, words.high_mm, words.anchor, upright=words.upright, clear=True)
            taken = np.concatenate([taken, [words.box]])


def tray_legend(trays: Sequence[TrayLine], told: Collection[str]) -> tuple[str, ...]:
    """Return what the legend of a plan says of its trays: each, where not all words of all (`told`) are on it."""
    if not trays:
        return ()
    levels = [f"+{level_m:.2f}" for level_m in sorted({tray.level_m for tray in trays})]
    fills = [percent(fill) for fill in sorted(tray.fill for tray in trays)]
    fullest = max(trays, key=lambda tray: tray.fill)
    names = [tray.name for tray in trays]
    size = f"{trays[0].width_m * 1e3:.0f} x {DEPTH_M * 1e3:.0f} mm"
    found = [
        f"Double dashed: cable trays {_span(names)}, {size}, bottom {_span(levels)} m; fill {_span(fills)} "
        f"({fullest.name}: {fullest.cables:,} cables), of which 50 % at most is usual."
    ]
    if len(trays) > 1 and not all(tray.words in told for tray in trays):
        alike = groupby(trays, lambda tray: (f"+{tray.level_m:.2f} m", percent(tray.fill)))
        listed = [f"{_span([tray.name for tray in same])} {', '.join(figures)}" for figures, same in alike]
        found.append(f"Trays: {'; '.join(listed)}.")
    return tuple(found)


def _span(words: Sequence[str]) -> str:
    """Return the first and last of some words, one where they are the same."""
    return words[0] if words[0] == words[-1] else f"{words[0]} to {words[-1]}"


def percent(fill: float) -> str:
    """Return a share in whole percent, "< 1 %" of little.

    >>> percent(0.004), percent(0.256), percent(0.0)
    ('< 1 %', '26 %', '0 %')
    """
    return "< 1 %" if 0 < fill < 0.005 else f"{fill * 100:,.0f} %"


def _most(low_m: Floats, high_m: Floats, amount: Floats) -> float:
    """Return the greatest sum of what lies side by side anywhere."""
    at_m = np.concatenate([high_m, low_m])  # what ends at a place ends before others begin there
    change = np.concatenate([-amount, amount])
    sums = np.cumsum(change[np.argsort(np.round(at_m, 4), kind="stable")])
    return float(sums.max(initial=0.0))


def _fitting(taken: Floats, floor: PlanFloor, tray: TrayLine) -> SheetText | None:
    """Return the words of a tray at the first place along it that is free: near its middle, then towards its ends."""
    (x0_m, y0_m), (x1_m, y1_m) = tray.start_m, tray.stop_m
    upright = abs(x1_m - x0_m) < abs(y1_m - y0_m)
    long_mm = floor.mm(abs(y1_m - y0_m) if upright else abs(x1_m - x0_m))
    across_mm = floor.mm(tray.width_m)
    thin = across_mm - _AIR_MM < SMALL_MM
    for text in (tray.name,) if thin else (tray.words, tray.name):
        room = long_mm - text_mm(text, SMALL_MM)
        if room < 2 * _AIR_MM:
            continue
        for part in _PARTS[::-1] if thin else _PARTS:
            along = (part - 0.5) * (room - 2 * _AIR_MM)
            x, y = (floor.x((x0_m + x1_m) / 2), floor.y((y0_m + y1_m) / 2))
            at = (x + SMALL_MM / 2, y + along) if upright else (x + along, y + SMALL_MM / 2)
            words = SheetText(text, at, SMALL_MM, "middle", upright)
            left, top, right, bottom = words.box
            over = (np.minimum(taken[:, 2], right) - np.maximum(taken[:, 0], left) > -0.4) & (
                np.minimum(taken[:, 3], bottom) - np.maximum(taken[:, 1], top) > -0.4
            )
            if not over.any():
                return words
    return None
