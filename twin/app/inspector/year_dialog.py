"""The typical year of the scene, beside that of another climate, at any load; its hours as a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.typical_year_words import TITLES, write_hours, year_figures
from twin.app.form.field import Field, FieldState
from twin.app.form.place_row import PlaceRow
from twin.app.form.places import PLACE_KEY
from twin.app.form.row import FieldRow, form_grid
from twin.app.form.typed import typed_value
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.charts.month_bars import MonthBars
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.app.world.rows import World
from twin.app.world.site_year import year_of
from twin.commands.place.properties import SetProperty
from twin.language import tr
from twin.record.site_year import SiteYear
from twin.scenario.file.resolve_references import in_place

_WIDTH_PX, _HIGH_PX = 620, 640
_PLACE = Field(
    "place",
    tr("Another place"),
    tr("Its typical year stands beside that of the scene: a city, state or country"),
    kind="place",
    optional=True,
)
_LOAD = Field(
    "load",
    tr("Load"),
    tr("Power of all racks over their design power"),
    kind="quantity",
    dimension="fraction",
    low=0.05,
    high=1.5,
    steps="one",
)


class YearDialog(QDialog):
    """Shows figures of the year in columns: the scene as it stands, and in another climate where one is chosen.

    Attributes
    ----------
    years
        What is shown, the scene's first; why there is none where it has none.
    figures
        Labels of each column by the key of their figure.
    """

    def __init__(self, look: Look, session: Session, editor: Editor, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._session, self._editor = look, session, editor
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Typical year"))
        self.setSizeGripEnabled(True)
        self._elsewhere = ""
        self.years: list[SiteYear | str] = []
        self.figures: list[dict[str, QLabel]] = []
        self.place, self.load = PlaceRow(look, _PLACE), FieldRow(look, _LOAD)
        self._lay_out()
        room = self.screen().availableSize()
        self.resize(min(scaled(_WIDTH_PX), room.width() - 60), min(scaled(_HIGH_PX), room.height() - 80))
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.refresh)
        session.plant_changed.connect(self._on_plant)
        self.finished.connect(lambda _: session.plant_changed.disconnect(self._on_plant))
        self.place.show(FieldState(""))
        self.load.show(FieldState("100 %"))
        self.place.chosen.connect(self._on_place)
        self.load.entered.connect(lambda _: self._later.start())
        self.refresh()

    def refresh(self) -> None:
        """Work out both years, and show them."""
        world = self._world()
        if world is None:
            self.close()
            return
        load = float(typed_value(self.load.of, self.load.text))
        worlds = [world]
        if self._elsewhere:
            scenario = in_place(world.scenario, self._elsewhere)
            worlds.append(World(scenario, world.plant, world.catalog, None))
        self.years = [year_of(world, load) for world in worlds]
        self._show()

    # -- what is chosen ----

    def _on_place(self, name: str) -> None:
        self._elsewhere = name
        self.refresh()

    def _use(self) -> None:
        """Put the scene where the other year is."""
        if self._elsewhere and self._editor.do(SetProperty(("",), PLACE_KEY, self._elsewhere)):
            self.place.entered.emit(None)  # the scene is there now
        elif reason := self._editor.why_not():
            self.place.refuse(reason)

    def _save(self) -> None:
        """Ask where the hours of the last column go, and write them."""
        year = self.years[-1]
        if isinstance(year, str):
            return
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save the hours"), "year.csv", tr("Tables (*.csv)"))
        if chosen:
            self.save_to(Path(chosen), year)

    def save_to(self, file: Path, year: SiteYear) -> None:
        """Write the hours of a year, and say where they are or why they are not."""
        try:
            write_hours(year, file)
        except OSError as error:
            self.told.setText(tr("The hours cannot be saved: {reason}", reason=error.strerror or error))
        else:
            self.told.setText(tr("8,760 hours saved to {file}", file=file))

    # -- what is shown ----

    def _show(self) -> None:
        known = [year for year in self.years if isinstance(year, SiteYear)]
        self.use_button.setEnabled(bool(self._elsewhere))
        self.save_button.setEnabled(isinstance(self.years[-1], SiteYear))
        first = self.years[0]
        notes = [first] if isinstance(first, str) else []
        if isinstance(first, SiteYear):
            notes.append(tr("Racks draw {it_w:,.0f} kW all year.", it_w=first.it_w / 1000.0))
            if first.mean_day:
                notes.append(tr("The scene names no place: one mean day all year flatters."))
            if not first.has_plants:
                notes.append(tr("The site has no facility water: heat leaves for nothing."))
        self.told.setText(" ".join(notes))
        for column, (head, labels) in enumerate(zip(self._heads, self.figures, strict=True)):
            year = known[column] if column < len(known) else None
            head.setText(
                (tr("This scene: ") if not column else "") + year.climate if year is not None else ""
            )
            head.setVisible(year is not None)
            shown = {figure.key: figure for figure in year_figures(year)} if year is not None else {}
            for key, value in labels.items():
                figure = shown.get(key)
                value.setText(figure.words if figure is not None else "")
                value.setVisible(figure is not None)
                value.setToolTip(plain_tip(figure.tip) if figure is not None else "")
            months = self.months[column]
            months.setVisible(year is not None)
            if year is not None:
                months.show_months(year.monthly_pue.tolist())

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        form = QWidget()
        grid = form_grid(form)
        for line, row in enumerate((self.place, self.load)):
            row.put_into(grid, 2 * line)
        column.addWidget(form)
        content = QWidget()
        self._fill(QGridLayout(content))
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Figures of the year"))
        scroll.setWidget(content)
        column.addWidget(scroll, 1)
        self.told = label("", "muted", wrap=True)
        column.addWidget(self.told)
        nest(column, self._buttons())

    def _fill(self, grid: QGridLayout) -> None:
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(5)
        self._heads = [label("", "section", wrap=True) for _ in range(2)]
        self.months = [MonthBars(self._look, "PUE", 1.0, "{:.2f}".format) for _ in range(2)]
        right = Qt.AlignmentFlag.AlignRight
        for place, head in enumerate(self._heads):
            head.setAlignment(right)
            grid.addWidget(head, 0, place + 1)
        for _ in self._heads:
            self.figures.append({})
        for line, (key, title) in enumerate(TITLES.items(), start=1):
            grid.addWidget(label(title, "muted"), line, 0)
            for place, labels in enumerate(self.figures):
                labels[key] = label("", "value")
                labels[key].setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                grid.addWidget(labels[key], line, place + 1, right)
        grid.addWidget(label(tr("PUE by month"), "muted"), len(TITLES) + 1, 0)
        for place, months in enumerate(self.months):
            grid.addWidget(months, len(TITLES) + 1, place + 1)
        grid.setRowStretch(len(TITLES) + 2, 1)
        for place in (1, 2):
            grid.setColumnStretch(place, 1)

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.use_button = QPushButton(tr("Move the scene there"))
        self.use_button.setToolTip(
            tr("Gives the scene the climate of the other place, with its time zone and latitude")
        )
        self.save_button = QPushButton(tr("Save hours\N{HORIZONTAL ELLIPSIS}"))
        self.save_button.setToolTip(tr("Writes all 8,760 hours of the right column as CSV"))
        self.close_button = QPushButton(tr("Close"))
        acts: tuple[tuple[QPushButton, Callable[[], object]], ...] = (
            (self.use_button, self._use),
            (self.save_button, self._save),
            (self.close_button, self.close),
        )
        row.addStretch(1)
        for button, act in acts:
            button.setAutoDefault(False)
            button.clicked.connect(partial(_call, act))
            row.addWidget(button)
        return row

    def _world(self) -> World | None:
        document, plant = self._session.document, self._session.plant
        return (
            None
            if document is None or plant is None
            else World(document.scenario, plant, plant.catalog, None)
        )

    def _on_plant(self, _: object) -> None:
        self._later.start()


def _call(act: Callable[[], object], _checked: bool = False) -> None:
    act()
