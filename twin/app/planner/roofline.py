"""Where jobs stand under the roof of their GPU: arithmetic for each byte of memory traffic. Loaded late (pyqtgraph)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent

from twin.app.planner.draft import JobDraft, draft_of_job, judge
from twin.app.planner.hardware import PlannerHardware
from twin.app.plots.style import LogPlot
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme
from twin.app.world.rows import World
from twin.language import tr
from twin.planning.job.job import JobEstimate
from twin.planning.profile.profiles import load_calibrated

_DECADES_LEFT, _DECADES_RIGHT = 1.3, 1.5
_EDGE = 1.25
"""How far left of the right edge a job without memory traffic is drawn."""
_QUIET = tr("{}, no memory traffic")
_AXIS_PX = 82
"""What the left axis takes of the width, with its margins."""
_ON_IT = 0.05
"""Decades within which the draft stands on the job it was made from."""
_NEAR_X, _NEAR_Y = 0.7, 0.25
"""Decades within which the names of two dots would lie on each other."""


@dataclass(frozen=True)
class Roof:
    """What a GPU can do at most.

    Attributes
    ----------
    title
        Of the GPU.
    peaks
        Precision for people, and its dense peak [FLOP/s].
    memory_bytes_s
        Memory bandwidth [B/s].
    """

    title: str
    peaks: tuple[tuple[str, float], ...]
    memory_bytes_s: float

    def ridge(self, peak_flops_s: float) -> float:
        """Return the intensity from which arithmetic is the limit [FLOP/B]."""
        return peak_flops_s / self.memory_bytes_s


@dataclass(frozen=True)
class Dot:
    """A job under the roof.

    Attributes
    ----------
    title
        For people.
    intensity
        Model FLOP for each byte of memory traffic [FLOP/B]; infinite without such traffic.
    flops_s
        Reached by one GPU over the whole step [FLOP/s].
    busy_flops_s
        The same over the time it computes: what communication, bubble and waiting take away lies between [FLOP/s];
        none where a step has parts of quite different intensity.
    is_draft
        Whether it is the one in the dialog.
    """

    title: str
    intensity: float
    flops_s: float
    busy_flops_s: float | None
    is_draft: bool


def roof(draft: JobDraft) -> Roof:
    """Return the roof of a draft's GPU."""
    calibrated = load_calibrated(draft.profile)
    profile = calibrated.profile
    peaks = [("BF16", profile.peak_flops_s)]
    if profile.peak8_flops_s > profile.peak_flops_s:
        peaks.append(("FP8", profile.peak8_flops_s))
    return Roof(draft.hardware.gpu_part or calibrated.title, tuple(peaks), profile.hbm_bytes_s)


@dataclass(frozen=True)
class JobPoints:
    """Where jobs stand, and why others have no dot: title and reason of each."""

    dots: tuple[Dot, ...]
    absent: tuple[tuple[str, str], ...]


def standing(
    draft: JobDraft, estimate: JobEstimate | None, world: World | None, hardware: list[PlannerHardware]
) -> JobPoints:
    """Return a dot for each job of the scene that runs on the draft's GPU, and one for the draft."""
    made: list[Dot] = []
    absent: list[tuple[str, str]] = []
    for job in world.scenario.jobs if world is not None else ():
        title = job.title or job.id
        job_draft = draft_of_job(world, job, hardware) if world is not None else None
        found = (
            judge(job_draft).estimate
            if job_draft is not None and job_draft.profile == draft.profile
            else None
        )
        if job_draft is None or job_draft.profile != draft.profile:
            absent.append((title, tr("on other GPUs")))
        elif found is None:
            absent.append((title, tr("cannot run")))
        else:
            _stand(title, found, False, made, absent)
    if estimate is not None:
        _stand(tr("this draft"), estimate, True, made, absent)
    return JobPoints(tuple(made), tuple(absent))


def _stand(
    title: str, estimate: JobEstimate, is_draft: bool, dots: list[Dot], absent: list[tuple[str, str]]
) -> None:
    dot = _dot(title, estimate, is_draft)
    if dot.flops_s <= 0.0:
        absent.append((title, tr("no arithmetic")))
    elif dot.intensity <= 0.0:
        absent.append((title, tr("memory traffic not known")))
    else:
        dots.append(dot)


def _dot(title: str, estimate: JobEstimate, is_draft: bool) -> Dot:
    flop = estimate.parts.model_flop / estimate.gpus
    uniform = estimate.kind in ("llm", "vision", "hpc") and estimate.parts.productive_s > 0.0
    busy_flops_s = flop / estimate.parts.productive_s if uniform else None
    # A simulation says what it moves, and 0 is nothing; elsewhere 0 is not said.
    quiet = estimate.kind == "hpc" and estimate.intensity_flop_byte == 0.0
    intensity = math.inf if quiet else estimate.intensity_flop_byte
    return Dot(title, intensity, flop / estimate.step_s, busy_flops_s, is_draft)


class RooflinePlot(LogPlot):
    """Shows a roof and the dots under it."""

    def __init__(self, look: Look) -> None:
        left, bottom = tr("reached by a GPU [FLOP/s]"), tr("intensity [model FLOP per byte of HBM]")
        super().__init__(look, tr("Roofline"), left, bottom, margins_px=(8, 8, 12, 6), role="faint")
        self._roof: Roof | None = None
        self.dots: tuple[Dot, ...] = ()
        self._absent: tuple[tuple[str, str], ...] = ()

    def show_roof(self, roof: Roof, standing: JobPoints) -> None:
        """Show a roof and what stands under it; say of the rest why it does not."""
        self._roof, self.dots, self._absent = roof, standing.dots, standing.absent
        self.redraw()

    def draw(self, theme: Theme) -> None:
        """Draw slope, ceilings and dots."""
        item = self.plot.getPlotItem()
        roof = self._roof
        if roof is None:
            return
        low, high, floor = self._range(roof)
        top = max(peak for _, peak in roof.peaks)
        slope = [(low, low * roof.memory_bytes_s), (roof.ridge(top), top)]
        self._line(slope, theme.text)
        middle = low * (roof.ridge(top) / low) ** 0.4
        words = tr("HBM {memory_rate}B/s", memory_rate=prefixed(roof.memory_bytes_s))
        self._say(words, middle, middle * roof.memory_bytes_s, theme.text, (-0.1, 0.0))
        for (precision, peak), tint in zip(roof.peaks, (theme.series[0], theme.series[3]), strict=False):
            ridge = roof.ridge(peak)
            self._line([(ridge, peak), (high, peak)], tint)
            mark = pg.mkPen(tint, width=1.5)
            self.dot(math.log10(ridge), math.log10(peak), 7, mark, theme.surface, "s")
            self._say(
                tr("{precision} {peak}FLOP/s", precision=precision, peak=prefixed(peak)),
                high,
                peak,
                tint,
                (1.02, 1.0),
            )
            place = (1.04, 0.95) if peak == top else (-0.05, 0.0)
            self._say(tr("ridge {ridge} FLOP/B", ridge=prefixed(ridge)), ridge, peak, theme.muted, place)
        shown = [_at_edge(dot, high) for dot in self.dots]
        room_px = [self._right_of(dot, low, high) for dot in shown]
        for dot, at, place in zip(self.dots, shown, _places(shown, room_px), strict=True):
            self._draw_dot(theme, at, place, off_scale=math.isinf(dot.intensity))
        item.setXRange(math.log10(low), math.log10(high), padding=0.0)
        item.setYRange(math.log10(floor), math.log10(top * 1.9), padding=0.0)
        dots_text = "; ".join(
            tr(
                "{title}: {traffic}, {flops_time}FLOP/s",
                title=dot.title,
                traffic=_traffic(dot),
                flops_time=prefixed(dot.flops_s),
            )
            for dot in self.dots
        )
        self.plot.setAccessibleDescription(dots_text)
        note = f"{roof.title}."
        if self.dots:
            note += (
                " Filled: over the whole step; ring: while it computes. The gap between is "
                "communication, bubble and waiting; the gap to the roof is kernel efficiency."
            )
        if self._absent:
            note += tr(
                " Not drawn: {absent}.", absent=", ".join((f"{title} ({why})" for title, why in self._absent))
            )
        self.note.setText(note)

    def _draw_dot(self, theme: Theme, dot: Dot, place: tuple[float, float], *, off_scale: bool) -> None:
        tint = theme.warning if dot.is_draft else theme.series[1]
        x, y = math.log10(dot.intensity), math.log10(dot.flops_s)
        if dot.busy_flops_s is not None:
            busy = math.log10(dot.busy_flops_s)
            dotted = pg.mkPen(tint, width=1.4, style=Qt.PenStyle.DotLine)
            self.add(pg.PlotDataItem([x, x], [y, busy], pen=dotted))
            self.dot(x, busy, 10, pg.mkPen(tint, width=1.6), theme.surface)
        symbol = "t2" if off_scale else "d" if dot.is_draft else "o"
        self.dot(x, y, 14 if dot.is_draft else 11, pg.mkPen(theme.surface, width=1.5), tint, symbol)
        self.say(_QUIET.format(dot.title) if off_scale else dot.title, x, y, tint, place)

    def _line(self, points: list[tuple[float, float]], tint: str) -> None:
        logs = [(math.log10(x), math.log10(y)) for x, y in points]
        self.add(pg.PlotDataItem([x for x, _ in logs], [y for _, y in logs], pen=pg.mkPen(tint, width=2.2)))

    def _say(self, words: str, x: float, y: float, tint: str, anchor: tuple[float, float]) -> None:
        self.say(words, math.log10(x), math.log10(y), tint, anchor)

    def _right_of(self, dot: Dot, low: float, high: float) -> float:
        """Return the room between a dot and the right edge [px]."""
        wide_px = max(int(self.plot.width()) - _AXIS_PX, 1)
        return wide_px * math.log10(high / dot.intensity) / math.log10(high / low)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the names again: the room on the right has changed."""
        super().resizeEvent(event)
        self.redraw()

    def _range(self, roof: Roof) -> tuple[float, float, float]:
        """Return lowest and highest intensity, and the lowest rate shown."""
        ridges = [roof.ridge(peak) for _, peak in roof.peaks]
        known = [dot.intensity for dot in self.dots if math.isfinite(dot.intensity)]
        low = min([min(ridges) / 10**_DECADES_LEFT, *(x / 2 for x in known)])
        high = max([max(ridges) * 10**_DECADES_RIGHT, *(x * 3 for x in known)])
        rates = [dot.flops_s / 2.5 for dot in self.dots]
        return low, high, min([low * roof.memory_bytes_s, *rates])


def _at_edge(dot: Dot, high: float) -> Dot:
    """Return a dot, one without memory traffic at the right edge."""
    return dot if math.isfinite(dot.intensity) else replace(dot, intensity=high / _EDGE)


def _traffic(dot: Dot) -> str:
    return (
        tr("{intensity:,.0f} FLOP/B", intensity=dot.intensity)
        if math.isfinite(dot.intensity)
        else tr("no memory traffic")
    )


def _places(dots: list[Dot], room_px: list[float]) -> list[tuple[float, float]]:
    """Return the anchor of each dot's name: the draft's below, others right, left where that has no room."""
    metrics = QFontMetrics(themes.font(11))
    places = []
    for dot, room in zip(dots, room_px, strict=True):
        wide_px = 1.08 * metrics.horizontalAdvance(dot.title) + 16
        close = [
            dot_beside
            for dot_beside in dots
            if dot_beside is not dot
            and (_ON_IT if dot_beside.is_draft else 0.0)
            <= math.log10(dot_beside.intensity / dot.intensity)
            < _NEAR_X
            and abs(math.log10(dot_beside.flops_s / dot.flops_s)) < _NEAR_Y
        ]
        if dot.is_draft:
            places.append((0.5, -0.45))
        elif close or wide_px > room:
            places.append((1.08, 0.5))
        else:
            places.append((-0.08, 0.5))
    return places
