"""The pictures of a study, linked by the point that is chosen and by the figure, and the table beside them."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.figures import ComparedFigure
from twin.app.form.segment_switch import SegmentSwitch
from twin.app.study.heat_map import HeatMap
from twin.app.study.index_chart import IndexChart
from twin.app.study.line_chart import LineChart
from twin.app.study.parallel_chart import ParallelChart
from twin.app.study.point_chart import PointChart
from twin.app.study.point_table import PointTable
from twin.app.study.points import StudyPoints
from twin.app.study.scatter_chart import ScatterChart
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.shown_text import capitalised
from twin.studies.continued import INDICES, indices_so_far
from twin.studies.study_figures import DEFAULT_FIGURES, STUDY_FIGURES

PICTURES: dict[str, tuple[str, str]] = {
    "line": (tr("Line"), tr("A figure over one key, with its band over seeds")),
    "heat": (tr("Heat map"), tr("A figure over two keys")),
    "parallel": (tr("Parallel"), tr("All keys and figures as upright axes, a line for each point")),
    "scatter": (tr("Scatter"), tr("Two figures against each other, with the front")),
    "indices": (tr("Which keys matter"), tr("Sobol' indices: shares of the variance that each key explains")),
}
"""By name: title, and what it shows."""


class StudyResults(QWidget):
    """Pictures and table.

    Attributes
    ----------
    points
        What is shown; None: nothing yet.
    selected
        Number of the point that is chosen.
    """

    selected_changed = Signal(object)  # number of a point, or None
    opened = Signal(int)  # number of a point whose run is wanted

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.points: StudyPoints | None = None
        self.selected: int | None = None
        self._pointed: int | None = None
        self.seed_of_design: Callable[[], int | None] = lambda: (
            None
        )  # of the scene, by which indices are drawn
        self._by_hand = False  # somebody has chosen the picture
        self._figures_by_hand = False
        self.line, self.heat, self.parallel = LineChart(look), HeatMap(look), ParallelChart(look)
        self.scatter, self.indices = ScatterChart(look), IndexChart(look)
        self.charts: dict[str, PointChart] = {
            "line": self.line,
            "heat": self.heat,
            "parallel": self.parallel,
            "scatter": self.scatter,
        }
        self.table = PointTable(look)
        self._pages = QStackedWidget()
        for page in (*self.charts.values(), self.indices):
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._switch())
        column.addWidget(self._boxes())
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self._pages)
        self.splitter.addWidget(self.table)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        column.addWidget(self.splitter, 1)
        for chart in self.charts.values():
            chart.chosen.connect(self.select)
            chart.opened.connect(self._on_opened)
            chart.hovered.connect(self._on_pointed)
        self.table.chosen_point.connect(self.select)
        self.table.opened_point.connect(self._on_opened)

    # -- building ----

    def _switch(self) -> QWidget:
        switch = SegmentSwitch(tr("Picture of the study"), PICTURES)
        switch.chosen.connect(self.show_picture)
        self.buttons = switch.buttons
        self.buttons["line"].setChecked(True)
        self.buttons["indices"].hide()
        around = QWidget()
        outer = QHBoxLayout(around)
        outer.setContentsMargins(12, 8, 12, 4)
        outer.addWidget(switch)
        return around

    def _boxes(self) -> QWidget:
        self.figure_box, self.other_box = DropDown(), DropDown()
        self.across_box, self.up_box = DropDown(), DropDown()
        self._box_row = QWidget()
        row = QHBoxLayout(self._box_row)
        row.setContentsMargins(12, 2, 12, 2)
        row.setSpacing(6)
        self._of_picture: dict[str, tuple[QWidget, DropDown]] = {}
        for name, title, tip, box in (
            ("figure", tr("Figure"), tr("The figure that pictures and table show"), self.figure_box),
            ("other", tr("and"), tr("The second figure: the upright axis of the scatter"), self.other_box),
            ("across", tr("over"), tr("The key that goes across"), self.across_box),
            ("up", tr("and"), tr("The key that goes up"), self.up_box),
        ):
            head = label(title, "muted")
            box.setAccessibleName(tip)
            box.setToolTip(plain_tip(tip))
            box.setMinimumContentsLength(8)
            box.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.currentIndexChanged.connect(self._on_box)
            box.activated.connect(self._on_hand)
            row.addWidget(head)
            row.addWidget(box, 1)
            self._of_picture[name] = head, box
        self._box_row.hide()
        return self._box_row

    # -- showing ----

    @property
    def picture(self) -> str:
        """Return the name of the picture on screen."""
        return next((name for name, button in self.buttons.items() if button.isChecked()), "line")

    def show_picture(self, name: str) -> None:
        """Show a picture, as somebody wants."""
        self._by_hand = True
        self._show(name)

    def forget_choice(self) -> None:
        """Choose the picture by what varies again: another study is shown."""
        self._by_hand = self._figures_by_hand = False
        self.select(None)

    def show_points(self, points: StudyPoints | None) -> None:
        """Show the points of a study, as they stand now."""
        self.points = points
        self._offer()
        self._box_row.setVisible(self.figure is not None)
        self.buttons["indices"].setVisible(points is not None and points.contents.header.design == INDICES)
        name = self.picture
        if not self._by_hand and points is not None:
            name = usual_picture(points)
        elif name == "indices" and not self.buttons["indices"].isVisibleTo(self):
            name = "parallel"
        self._show(name)

    def _offer(self) -> None:
        """Offer the figures that are known, and the keys."""
        points = self.points
        figures = points.figures if points is not None else ()
        keys = [(axis.full, axis.path) for axis in points.axes] if points is not None else []
        usual = {self.figure_box: DEFAULT_FIGURES[0], self.other_box: DEFAULT_FIGURES[1]}
        for box in (self.figure_box, self.other_box):
            self._fill(box, [(capitalised(figure.title), figure.key) for figure in figures], usual[box])
        for place, box in enumerate((self.across_box, self.up_box)):
            self._fill(box, keys, keys[place][1] if len(keys) > place else "")
            for row, (_, path) in enumerate(keys):
                box.setItemData(row, plain_tip(path), Qt.ItemDataRole.ToolTipRole)

    def prefer(self, figures: tuple[str, ...]) -> None:
        """Show these figures at first, as far as they are known; those that vary come first."""
        points = self.points
        if points is None or self._figures_by_hand:
            return
        known = [figure for figure in points.figures if figure.key in figures]
        known.sort(key=lambda figure: (not points.bands(figure).varies, figures.index(figure.key)))
        for box, figure in zip((self.figure_box, self.other_box), known, strict=False):
            box.setCurrentIndex(box.findData(figure.key))

    def _fill(self, box: DropDown, lines: list[tuple[str, str]], usual: str) -> None:
        before = [str(box.itemData(row)) for row in range(box.count())]
        if before == [key for _, key in lines]:
            return
        now = box.currentData()
        box.blockSignals(True)
        box.clear()
        for title, key in lines:
            box.addItem(title, key)
        wanted = [place for key in (now, usual) if key and (place := box.findData(key)) >= 0]
        box.setCurrentIndex(wanted[0] if wanted else min(1, box.count() - 1) if box is self.other_box else 0)
        box.blockSignals(False)

    @property
    def figure(self) -> ComparedFigure | None:
        """Return the figure that is shown."""
        return STUDY_FIGURES.get(str(self.figure_box.currentData()))

    @property
    def other(self) -> ComparedFigure | None:
        """Return the second figure."""
        return STUDY_FIGURES.get(str(self.other_box.currentData()))

    def _show(self, name: str) -> None:
        self.buttons[name].setChecked(True)
        self._pages.setCurrentIndex(list(PICTURES).index(name))
        wanted = {
            "figure": True,
            "other": name in ("scatter", "parallel"),
            "across": name in ("line", "heat"),
            "up": name == "heat",
        }
        for part, seen in wanted.items():
            for widget in self._of_picture[part]:
                widget.setVisible(seen)
        self._draw()

    def _draw(self) -> None:
        points, figure = self.points, self.figure
        across, up = max(self.across_box.currentIndex(), 0), max(self.up_box.currentIndex(), 0)
        chart = self.charts.get(self.picture)
        if chart is not None:
            chart.show_points(points, figure, self.other, across, up)
            chart.mark(self.selected, self._pointed)
        else:
            self._draw_indices()
        self.table.show_points(points, figure, self.selected)

    def _draw_indices(self) -> None:
        points, figure, seed = self.points, self.figure, self.seed_of_design()
        if points is None or figure is None:
            self.indices.say(tr("No runs yet"))
            return
        if seed is None:
            self.indices.say(tr("The scene of this study is needed for its indices: open it"))
            return
        found, samples = indices_so_far(points.contents, figure, seed)
        if found is None:
            self.indices.say(
                tr(
                    "{figure} does not vary, or is known of too few of the base samples ({samples:,})",
                    figure=capitalised(figure.title),
                    samples=samples,
                )
            )
            return
        note = tr(
            "{figure}: shares of its variance, from {samples:,} base samples",
            figure=capitalised(figure.title),
            samples=samples,
        )
        titles = {axis.path: axis.full for axis in points.axes}
        self.indices.show_indices(list(zip(titles, found, strict=True)), note, titles)

    def copy(self) -> None:
        """Copy the table, cells set apart by tabs."""
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in self.table.rows.table))

    # -- following ----

    def select(self, number: int | None) -> None:
        """Choose a point in all pictures and in the table."""
        if number == self.selected:
            return
        self.selected = number
        self._mark()
        self.selected_changed.emit(number)

    def _on_pointed(self, number: int | None) -> None:
        self._pointed = number
        self._mark()

    def _mark(self) -> None:
        for chart in self.charts.values():
            if chart.isVisible():
                chart.mark(self.selected, self._pointed)
        self.table.mark(self.selected)

    def _on_opened(self, number: int) -> None:
        self.select(number)
        self.opened.emit(number)

    def _on_hand(self, _place: int) -> None:
        self._figures_by_hand = True

    def _on_box(self, _place: int) -> None:
        self._draw()


def usual_picture(points: StudyPoints) -> str:
    """Return the picture that tells most of what varies."""
    if points.contents.header.design == INDICES:
        return "indices"
    if len(points.best) > 1:
        return "scatter"
    return {1: "line", 2: "heat"}.get(len(points.axes), "parallel")
