"""What an optimisation is after: figures to be made large or small, and limits that must hold."""

from __future__ import annotations

from collections.abc import Sequence

from psygnal import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from twin.analysis.figure_words import scale_of
from twin.analysis.figures import ComparedFigure
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.shown_text import capitalised
from twin.studies.aim import Aim, FigureLimit
from twin.studies.study_figures import STUDY_FIGURES
from twin.units import DIMENSIONS, render

_MOST_AIMS, _MOST_LIMITS = 3, 6
_SHOWN_LETTERS = 10


class _FigureRow(QWidget):
    """A figure, which way, perhaps a value, and a button that takes the row away."""

    changed = Signal()
    removed = Signal(object)

    def __init__(self, look: Look, ways: Sequence[tuple[str, str]], *, value: bool) -> None:
        super().__init__()
        self.figure_box, self.way_box, self.value = DropDown(), DropDown(), QLineEdit()
        self.figure_box.setMinimumContentsLength(_SHOWN_LETTERS)
        self.figure_box.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for figure in STUDY_FIGURES.values():
            self.figure_box.addItem(capitalised(figure.title), figure.key)
        for title, key in ways:
            self.way_box.addItem(title, key)
        name = tr("Figure that is limited") if value else tr("Figure that is optimised")
        self.figure_box.setAccessibleName(name)
        self.figure_box.setToolTip(plain_tip(name))
        self.way_box.setAccessibleName(tr("At most or at least") if value else tr("More or less is better"))
        self.way_box.setToolTip(plain_tip(self.way_box.accessibleName()))
        self.value.setAccessibleName(tr("Limit"))
        self.value.setToolTip(tr("The limit with its unit, such as 20 kW or 95 %"))
        self.value.setVisible(value)
        self.remove_button = tool_button(look, "close", tr("Remove this line"))
        self.remove_button.clicked.connect(lambda: self.removed.emit(self))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.figure_box, 3)
        row.addWidget(self.way_box)
        row.addWidget(self.value, 2)
        row.addWidget(self.remove_button)
        self.figure_box.currentIndexChanged.connect(self._on_figure)
        self.way_box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.value.textChanged.connect(lambda _: self.changed.emit())
        self._on_figure(0)

    @property
    def figure(self) -> ComparedFigure:
        """Return the figure."""
        return STUDY_FIGURES[self.figure_box.currentData()]

    @property
    def way(self) -> str:
        """Return which way."""
        return str(self.way_box.currentData())

    def choose(self, figure: str, way: str, value: str = "") -> None:
        """Show these."""
        self.figure_box.setCurrentIndex(self.figure_box.findData(figure))
        self.way_box.setCurrentIndex(self.way_box.findData(way))
        self.value.setText(value)

    def _on_figure(self, _place: int) -> None:
        """Take the way that is better of a figure, and say the unit of its limit."""
        better = self.figure.better
        if self.value.isVisibleTo(self):
            self.value.setPlaceholderText(scale_of(self.figure, 0.0)[1])
        elif better:
            self.way_box.setCurrentIndex(self.way_box.findData("max" if better > 0 else "min"))
        self.changed.emit()


class GoalRows(QWidget):
    """Goals and limits of an optimisation."""

    changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.aims: list[_FigureRow] = []
        self.limits: list[_FigureRow] = []
        self._aims_column, self._limits_column = QVBoxLayout(), QVBoxLayout()
        self.aim_button, self.limit_button = QPushButton(tr("Add a goal")), QPushButton(tr("Add a limit"))
        self.aim_button.setToolTip(tr("Optimise one more figure: the result is a front"))
        self.limit_button.setToolTip(tr("Say what a figure may be at most, or must be at least"))
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for inner in (self._aims_column, self._limits_column):
            inner.setSpacing(4)
            nest(column, inner)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button, add in ((self.aim_button, self.add_aim), (self.limit_button, self.add_limit)):
            button.setAutoDefault(False)
            button.clicked.connect(add)
            buttons.addWidget(button)
        buttons.addStretch(1)
        nest(column, buttons)
        column.addWidget(self.told)
        self.add_aim()

    @property
    def aim_texts(self) -> tuple[str, ...]:
        """Return goals as `twin.studies.aim` reads them."""
        return tuple(f"{row.figure.key}:{row.way}" for row in self.aims)

    @property
    def limit_texts(self) -> tuple[str, ...]:
        """Return limits as `twin.studies.aim` reads them; a bare share is in per cent."""
        return tuple(f"{row.figure.key}{row.way}{row.value.text().strip()}" for row in self.limits)

    def show_goals(self, aims: Sequence[Aim], limits: Sequence[FigureLimit]) -> None:
        """Show goals and limits."""
        for row in [*self.aims, *self.limits]:
            self._take(row)
        for aim in aims:
            self.add_aim().choose(aim.figure.key, "min" if aim.sign > 0 else "max")
        for limit in limits:
            self.add_limit().choose(limit.figure.key, "<=" if limit.sign > 0 else ">=", limit_words(limit))
        if not self.aims:
            self.add_aim()

    def refuse(self, why: str) -> None:
        """Tell why these cannot be; "": they can."""
        self.told.setText(f"\N{WARNING SIGN} {why}" if why else "")
        self.told.setVisible(bool(why))

    def add_aim(self, _checked: bool = False) -> _FigureRow:
        """Add a goal."""
        row = _FigureRow(self._look, ((tr("more"), "max"), (tr("less"), "min")), value=False)
        free = [key for key in STUDY_FIGURES if key not in [aim.figure.key for aim in self.aims]]
        row.choose(free[0], "max" if STUDY_FIGURES[free[0]].better >= 0 else "min")
        return self._put(row, self.aims, self._aims_column)

    def add_limit(self, _checked: bool = False) -> _FigureRow:
        """Add a limit."""
        row = _FigureRow(
            self._look,
            (("\N{LESS-THAN OR EQUAL TO}", "<="), ("\N{GREATER-THAN OR EQUAL TO}", ">=")),
            value=True,
        )
        row.choose("power_max_w", "<=")
        return self._put(row, self.limits, self._limits_column)

    def _put(self, row: _FigureRow, rows: list[_FigureRow], column: QVBoxLayout) -> _FigureRow:
        row.changed.connect(self.changed.emit)
        row.removed.connect(self._on_removed)
        rows.append(row)
        column.addWidget(row)
        self._count()
        self.changed.emit()
        return row

    def _on_removed(self, row: _FigureRow) -> None:
        if row in self.limits or len(self.aims) > 1:
            self._take(row)
            self.changed.emit()

    def _take(self, row: _FigureRow) -> None:
        (self.aims if row in self.aims else self.limits).remove(row)
        row.hide()
        row.deleteLater()
        self._count()

    def _count(self) -> None:
        self.aim_button.setEnabled(len(self.aims) < _MOST_AIMS)
        self.limit_button.setEnabled(len(self.limits) < _MOST_LIMITS)
        for row in self.aims:
            row.remove_button.setEnabled(len(self.aims) > 1)


def limit_words(limit: FigureLimit) -> str:
    """Return the value of a limit as it is typed."""
    unit = limit.figure.unit
    if unit == "share":
        return f"{100 * limit.value:.12g} %"
    return render(limit.value, unit) if unit in DIMENSIONS else f"{limit.value:.12g}"
