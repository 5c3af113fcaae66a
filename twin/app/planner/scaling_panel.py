"""The scaling curve with its choices: what stays the same as GPUs are added. Loaded late (pyqtgraph)."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from twin.app.planner.draft import JobDraft, judge
from twin.app.planner.scaling import (
    ScalingPoint,
    at,
    can_be_strong,
    can_be_weak,
    from_one_node,
    point,
    same_cut,
)
from twin.app.planner.scaling_plot import ScalingPlot
from twin.app.planner.search import best_plans, can_be_searched, with_plan
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.planning.job.job import PlanError

_CURVE_POINTS = 3
"""Fewer points that fit are no curve: the best plan of each count is shown where nobody has chosen."""


class ScalingPanel(QWidget):
    """Chooses between a fixed batch and one that grows, and between the draft's cut and the best of each count."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._draft: JobDraft | None = None
        self._chosen = False  # whether somebody has said whose cut to show
        self._unit = ""
        self.strong = _chip("Fixed work", "Strong scaling: fixed global batch")
        self.weak = _chip("Fixed work of a GPU", "Weak scaling: global batch grows with the GPUs")
        self.same = _chip("Same layout", "TP, PP and CP stay; DP grows")
        self.best = _chip("Best plan each", "Searches the fastest layout that fits at each number of GPUs")
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
        self._unit = estimate.unit_of_work if estimate is not None else "tokens"
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
        self.progress.setText(f"{len(self._left)} to go" if self._left else "")
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
