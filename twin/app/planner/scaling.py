"""The scaling curve: how the work done in a second grows with GPUs, against linear. Loaded late (pyqtgraph)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from twin.app.planner.draft import JobDraft, judge
from twin.app.planner.fields import with_value
from twin.app.planner.search import best_plans, can_be_searched, with_plan
from twin.app.plots.style import LogPlot
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme
from twin.language import tr
from twin.planning.job.job import JobEstimate, PlanError
from twin.scenario.schema.work import LlmTraining, Load, VisionTraining

_MOST_POINTS = 18
_SAME = 0.004
"""Decades; one percent above linear is not worth a word."""
_CURVE_POINTS = 3
"""Fewer points that fit are no curve: the best plan of each count is shown where nobody has chosen."""


@dataclass(frozen=True)
class ScalingPoint:
    """One number of GPUs.

    Attributes
    ----------
    gpus
        GPUs of the job.
    rate_s
        Units of work in a second [1/s].
    step_s
        Time of a step [s].
    mfu
        Model FLOP utilisation, 0..1.
    fits
        Whether it fits in memory.
    """

    gpus: int
    rate_s: float
    step_s: float
    mfu: float
    fits: bool


def can_be_strong(draft: JobDraft) -> bool:
    """Return whether the work of a step can stay while GPUs are added."""
    return not isinstance(draft.workload, VisionTraining | Load)


def can_be_weak(draft: JobDraft) -> bool:
    """Return whether the work of a step can grow with the GPUs."""
    return isinstance(draft.workload, LlmTraining | VisionTraining)


def same_cut(draft: JobDraft, *, weak: bool) -> list[ScalingPoint]:
    """Return the curve with the cut as it is and data parallelism from one node to all GPUs.

    Parameters
    ----------
    draft
        The job; its batch is the one of its own number of GPUs.
    weak
        Whether the batch grows with the GPUs; otherwise it stays.
    """
    if isinstance(draft.workload, Load):
        return []  # nobody says what it gets done
    points = []
    for gpus in _counts(draft, weak):
        judged = judge(at(draft, gpus, weak=weak))
        if judged.estimate is not None:
            points.append(point(judged.estimate))
    return points


def at(draft: JobDraft, gpus: int, *, weak: bool) -> JobDraft:
    """Return the draft on another number of GPUs; weak: with the batch of a GPU kept."""
    workload = draft.workload
    if weak and isinstance(workload, LlmTraining):
        batch = max(round(workload.global_batch * gpus / draft.gpus), 1)
        workload = with_value(workload, "global_batch", batch)
    return replace(draft, gpus=gpus, workload=workload)


def point(estimate: JobEstimate) -> ScalingPoint:
    """Return where an estimate is on the curve."""
    return ScalingPoint(estimate.gpus, estimate.rate_s, estimate.step_s, estimate.mfu, estimate.fits)


def speed_ups(points: Iterable[ScalingPoint]) -> tuple[ScalingPoint | None, list[float]]:
    """Return the smallest point that fits, and the work of each point over that one's; empty without one."""
    listed = list(points)
    base = next((point for point in listed if point.fits), None)
    return base, [point.rate_s / base.rate_s for point in listed] if base is not None else []


def from_one_node(draft: JobDraft) -> list[int]:
    """Return numbers of GPUs: one node, twice as many each time, the draft's, all."""
    most, node = draft.hardware.gpus, draft.hardware.node_gpus
    doubling = [node * 2**k for k in range((most // node).bit_length())]
    return sorted({*doubling, draft.gpus, most})


def _counts(draft: JobDraft, weak: bool) -> list[int]:
    most = draft.hardware.gpus
    workload = draft.workload
    if not isinstance(workload, LlmTraining):
        return from_one_node(draft)
    cuts = workload.parallelism
    group = cuts.tensor * cuts.pipeline * cuts.context
    copies = most // group
    if weak:
        doubling = [2**k for k in range(copies.bit_length())]
        found = {*doubling, copies, draft.gpus // group}
    else:
        slots = workload.global_batch // cuts.microbatch
        found = {n for n in range(1, min(copies, slots) + 1) if slots % n == 0}
        while len(found) > _MOST_POINTS:  # every other one, the last and the present one kept
            listed = sorted(found)
            found = {*listed[::2], listed[-1], draft.gpus // group}
    least = min(draft.hardware.node_gpus, draft.gpus)  # jobs have whole nodes
    return [group * n for n in sorted(found) if least <= group * n <= most]


class ScalingPlot(LogPlot):
    """Shows points of a scaling curve."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Scaling curve"), tr("speed-up over the smallest"), "GPUs", base=2)
        self.points: tuple[ScalingPoint, ...] = ()
        self._present, self._unit = 0, ""

    def show_points(self, points: Sequence[ScalingPoint], present: int, unit: str) -> None:
        """Show points in order of their GPUs.

        Parameters
        ----------
        present
            GPUs of the draft, marked.
        unit
            What the work is counted in; empty where nobody counts it.
        """
        self.points, self._present, self._unit = tuple(points), present, unit
        self.redraw()

    def draw(self, theme: Theme) -> None:
        """Draw curve, points and the draft's place."""
        item = self.plot.getPlotItem()
        base, ups = speed_ups(self.points)
        if base is None:
            self.note.setText(
                tr("This layout does not fit in memory on any number of GPUs: see the layouts above.")
                if self._unit
                else tr("Only the power of this workload is given, not its throughput.")
            )
            return
        known = [(p, up) for p, up in zip(self.points, ups, strict=True) if p.gpus >= base.gpus]
        gpus = [math.log10(p.gpus) for p, _ in known]
        last = known[-1][0]
        linear = [math.log10(p.gpus / base.gpus) for p, _ in known]
        curve = [math.log10(up) for _, up in known]
        dashed = pg.mkPen(theme.faint, width=1.4, style=Qt.PenStyle.DashLine)
        ideal = pg.PlotDataItem(gpus, linear, pen=dashed)
        real = pg.PlotDataItem(gpus, curve, pen=pg.mkPen(theme.series[0], width=2.2))
        for drawn in (*_between(gpus, linear, curve, theme), ideal, real):
            self.add(drawn)
        for fits, brush in ((True, theme.series[0]), (False, theme.surface)):
            some = [(x, y) for (p, _), x, y in zip(known, gpus, curve, strict=True) if p.fits == fits]
            tint = theme.series[0] if fits else theme.alarm
            self.add(
                pg.ScatterPlotItem(
                    [x for x, _ in some],
                    [y for _, y in some],
                    size=8,
                    pen=pg.mkPen(tint, width=1.5),
                    brush=pg.mkBrush(brush),
                )
            )
        middle = 3 * (len(known) - 1) // 5
        if known[middle][0].gpus == self._present:
            middle = max(middle - 1, 0)
        self.say("linear", gpus[middle], linear[middle], theme.muted, (1.15, 0.9))
        self._draw_present(theme, known, base)
        item.setXRange(gpus[0] - 0.08, gpus[-1] + 0.16, padding=0.0)
        item.setYRange(min(0.0, *curve) - 0.08, max(*linear, *curve, 0.3) + 0.12, padding=0.0)
        share = known[-1][1] / (last.gpus / base.gpus)
        above = any(y > x + _SAME for x, y in zip(linear, curve, strict=True))
        self.note.setText(
            tr(
                "{does}; {last}, {share:.0f} % of linear. MFU goes from {mfu:.1f} to {mfu_2:.1f} %.",
                does=_does(base, self._unit),
                last=_does(last, self._unit),
                share=100 * share,
                mfu=100 * base.mfu,
                mfu_2=100 * last.mfu,
            )
            + (tr(" Green: above linear, as more GPUs allow a faster layout.") if above else "")
        )
        self.plot.setAccessibleDescription(self.note.text())

    def _draw_present(
        self, theme: Theme, known: list[tuple[ScalingPoint, float]], base: ScalingPoint
    ) -> None:
        found = next(((p, up) for p, up in known if p.gpus == self._present), None)
        if found is None:
            return
        point, up = found
        x, y = math.log10(point.gpus), math.log10(up)
        share = up / (point.gpus / base.gpus)
        self.dot(x, y, 14, pg.mkPen(theme.surface, width=1.5), theme.warning, "d")
        words = tr("this draft: {gpus:,} GPUs, {share:.0f} % of linear", gpus=point.gpus, share=100 * share)
        on_the_right = x > (math.log10(base.gpus) + math.log10(known[-1][0].gpus)) / 2
        self.say(words, x, y, theme.warning, (1.03, 1.35) if on_the_right else (0.0, -0.6))


def _between(gpus: list[float], linear: list[float], curve: list[float], theme: Theme) -> list[Any]:
    """Return what lies between a curve and linear: what is lost red, what is won green."""
    fine = np.unique(np.concatenate([np.linspace(gpus[0], gpus[-1], 240), gpus]))
    ideal, real = np.interp(fine, gpus, linear), np.interp(fine, gpus, curve)
    made = []
    for edge, tint in ((np.minimum(ideal, real), theme.alarm), (np.maximum(ideal, real), theme.ok)):
        faint = QColor(tint)
        faint.setAlpha(26 if tint == theme.alarm else 44)
        lines = pg.PlotDataItem(fine, ideal), pg.PlotDataItem(fine, edge)
        made.append(pg.FillBetweenItem(*lines, brush=pg.mkBrush(faint)))
    return made


def _does(point: ScalingPoint, unit: str) -> str:
    who = "1 GPU does" if point.gpus == 1 else tr("{gpus:,} GPUs do", gpus=point.gpus)
    return f"{who} {prefixed(point.rate_s)} {unit}/s"


class ScalingPanel(QWidget):
    """Chooses between a fixed batch and one that grows, and between the draft's cut and the best of each count."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._draft: JobDraft | None = None
        self._chosen = False  # whether somebody has said whose cut to show
        self._unit = ""
        self.strong = _chip(tr("Fixed work"), tr("Strong scaling: fixed global batch"))
        self.weak = _chip(tr("Fixed work of a GPU"), tr("Weak scaling: global batch grows with the GPUs"))
        self.same = _chip(tr("Same layout"), tr("TP, PP and CP stay; DP grows"))
        self.best = _chip(
            tr("Best plan each"), tr("Searches the fastest layout that fits at each number of GPUs")
        )
        row = QHBoxLayout()
        row.setContentsMargins(12, 8, 12, 0)
        row.setSpacing(6)
        self._groups = []
        for pair in ((self.strong, self.weak), (self.same, self.best)):
            group = QButtonGroup(self)
            for chip in pair:
                group.addButton(chip)
                row.addWidget(chip)
                chip.clicked.connect(self._on_chip)
            row.addSpacing(14)
            self._groups.append(group)
        row.addStretch(1)
        self.progress = label("", "faint")
        row.addWidget(self.progress)
        self.plot = ScalingPlot(look)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 12, 6)
        column.setSpacing(4)
        nest(column, row)
        column.addWidget(self.plot, 1)
        self.strong.setChecked(True)
        self.same.setChecked(True)
        self._left: list[int] = []
        self._points: list[ScalingPoint] = []
        self._next = QTimer(self)  # one search a turn of the event loop, so that the window stays quick
        self._next.setSingleShot(True)
        self._next.setInterval(0)
        self._next.timeout.connect(self._add_best)

    def show_draft(self, draft: JobDraft) -> None:
        """Show the curve of a draft."""
        if draft == self._draft:
            return
        self._draft = draft
        strong, weak = can_be_strong(draft), can_be_weak(draft)
        self.strong.setEnabled(strong)
        self.weak.setEnabled(weak)
        if not strong or not weak:
            (self.strong if strong else self.weak).setChecked(True)
        self.best.setEnabled(can_be_searched(draft))
        if not self.best.isEnabled():
            self.same.setChecked(True)
        elif not self._chosen:
            few = sum(point.fits for point in same_cut(draft, weak=self.weak.isChecked())) < _CURVE_POINTS
            (self.best if few else self.same).setChecked(True)
        self._begin()

    @property
    def busy(self) -> bool:
        """Return whether points are still to come."""
        return self._next.isActive()

    def _on_chip(self) -> None:
        self._chosen = self._chosen or self.sender() in (self.same, self.best)
        self._begin()

    def _begin(self) -> None:
        draft = self._draft
        self._next.stop()
        self.progress.setText("")
        if draft is None:
            return
        estimate = judge(draft).estimate
        self._unit = estimate.unit_of_work if estimate is not None else tr("tokens")
        if self.best.isChecked():
            self._points, self._left = [], from_one_node(draft)
            self._next.start()
        else:
            self.plot.show_points(same_cut(draft, weak=self.weak.isChecked()), draft.gpus, self._unit)

    def _add_best(self) -> None:
        draft = self._draft
        if draft is None or not self._left:
            return
        gpus = self._left.pop(0)
        asked = at(draft, gpus, weak=self.weak.isChecked())
        try:
            found = best_plans(asked, top=1).best
        except PlanError:
            found = ()
        if found:
            estimate = judge(with_plan(asked, found[0])).estimate
            if estimate is not None:
                self._points.append(point(estimate))
        self.plot.show_points(self._points, draft.gpus, self._unit)
        self.progress.setText(tr("{left_count} to go", left_count=len(self._left)) if self._left else "")
        if self._left:
            self._next.start()


def _chip(title: str, tip: str) -> QToolButton:
    made = QToolButton()
    made.setText(title)
    made.setToolTip(plain_tip(tip))
    made.setAccessibleName(title)
    made.setCheckable(True)
    made.setProperty("role", "chip")
    return made
