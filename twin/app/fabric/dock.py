"""The fabrics: what they are, which cables are busiest, and the collective that runs along them."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMainWindow,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.fabric.facts import (
    BusyCables,
    busiest,
    collective_cost,
    collective_line,
    fabric_rows,
    ring_order,
)
from twin.app.fabric.layer import FabricLayer
from twin.app.session.session import Session
from twin.app.toolkit import theme as themes
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear, nest, nest_in_cell
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.app.world.rows import FactRow, World
from twin.language import tr
from twin.scenario.generators.all_jobs import jobs_of
from twin.view3d.base.state import CABLES_BY, ViewState

COLUMNS = (tr("Cables"), tr("Load"), tr("Jobs"))
_EVERY_S = 0.5
_ROW_PX = 24


class BusyModel(ColumnModel):
    """One row for each of the busiest bundles."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self.lines: list[BusyCables] = []

    def show_lines(self, lines: list[BusyCables]) -> None:
        """Show these bundles."""
        if lines != self.lines:
            self.beginResetModel()
            self.lines = lines
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of bundles."""
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, colour or alignment of a cell."""
        line, column = self.lines[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            load = tr("{down} down", down=line.down) if line.down else f"{line.load}\N{NO-BREAK SPACE}%"
            return (line.words, load, line.jobs)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(
                tr(
                    "{words}: {load} % busy, {down} cables down; {jobs}",
                    words=line.words,
                    load=line.load,
                    down=line.down,
                    jobs=line.jobs,
                )
            )
        if role == Qt.ItemDataRole.ForegroundRole and column == 1 and line.down:
            return QColor(self._look.theme.alarm)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class FabricDock(Dock):
    """Facts of every fabric, the collective chooser, and a table whose rows lead to cables."""

    chosen = Signal(str)  # id of cables

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "fabric", tr("Fabric"), "switch", parent)
        self._world: Callable[[], World | None] = lambda: None
        self._layer: FabricLayer | None = None
        self._state: ViewState | None = None
        self._seen = False
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._on_settled)
        self._due_s = 0.0
        self._values: list[list[QLabel]] = []
        self._shape: list[tuple[str, tuple[str, ...]]] = []
        self._add_tools()
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(14, 6, 14, 12)
        self._column.setSpacing(4)
        self._column.addWidget(self._collective())
        self._column.addWidget(label(tr("BUSIEST CABLES"), "section"))
        self.model = BusyModel(look)
        self.table = self._table()
        self.model.modelReset.connect(self._fit_table)
        self._fit_table()
        self._column.addWidget(self.table)
        self._facts = QVBoxLayout()
        nest(self._column, self._facts)
        self._column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Fabric of the scene"))
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        self.body.addWidget(scroll)
        self.setMinimumWidth(300)
        session.figures_changed.connect(self._on_figures)
        session.plant_changed.connect(self._on_plant)
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, layer: FabricLayer, state: ViewState, world: Callable[[], World | None]) -> None:
        """Follow a view: its collective layer, and what colours its cables."""
        self._layer, self._state, self._world = layer, state, world
        layer.changed.connect(self._on_layer)
        state.events.cables_by.connect(self._on_state)
        state.events.layers.connect(self._on_state)
        self.cables_box.currentIndexChanged.connect(self._on_cables_box)
        self.switch.toggled.connect(layer.show_collective)
        self.kind_box.activated.connect(self._on_kind)
        self.job_box.activated.connect(self._on_job)
        self._on_state()

    # -- building ----

    def _collective(self) -> QFrame:
        frame = QFrame()
        grid = QGridLayout(frame)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.addWidget(label(tr("COLLECTIVE"), "section"), 0, 0)
        self.switch = QCheckBox(tr("Show traffic on cables"))
        self.switch.setToolTip(tr("Dashes move along the path of the traffic; their speed is not to scale"))
        self.kind_box = DropDown()
        self.kind_box.setAccessibleName(tr("Kind of communication"))
        self.kind_box.setToolTip(tr("Collective of the job shown on the cables"))
        self.job_box = DropDown()
        self.job_box.setAccessibleName(tr("Job"))
        self.job_box.setToolTip(tr("Job whose communication is shown on the cables"))
        row = QHBoxLayout()
        row.setSpacing(8)
        for box in (self.job_box, self.kind_box):
            box.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(4)
        row.addWidget(self.job_box, 1)
        row.addWidget(self.kind_box, 1)
        nest_in_cell(grid, row, 1, 0)
        grid.addWidget(self.switch, 2, 0)
        self.lines = [label("", wrap=True), label("", "muted", wrap=True), label("", "muted", wrap=True)]
        for number, line in enumerate(self.lines, start=3):
            grid.addWidget(line, number, 0)
        return frame

    def _add_tools(self) -> None:
        """Put what colours the cables into the title bar, where other docks have their tools."""
        self.cables_box = DropDown()
        self.cables_box.setAccessibleName(tr("Colour cables by"))
        self.cables_box.setToolTip(tr("Quantity shown as cable colour"))
        for by in CABLES_BY:
            self.cables_box.addItem({"rail": tr("Rail"), "load": tr("Link load")}[by], by)
        self.tools.add(label(tr("Cables by"), "muted"))
        self.tools.add(self.cables_box)

    def _table(self) -> RowTable:
        table = RowTable(self._look, tr("Busiest cables"), _ROW_PX, self.model)
        table.setWordWrap(True)
        table.setProperty("role", "dense")
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the dock scrolls as a whole
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().setMinimumSectionSize(themes.scaled(_ROW_PX))
        header = table.header
        header.sectionResized.connect(self._fit_table)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        table.clicked.connect(lambda index: self.chosen.emit(self.model.lines[index.row()].id))
        return table

    def _fit_table(self, *_change: object) -> None:
        """Make the table as high as its rows, whose jobs are wrapped."""
        self.table.resizeRowsToContents()
        rows_px = sum(self.table.rowHeight(row) for row in range(self.model.rowCount()))
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + rows_px + 2)

    def _build_facts(self, fabrics: list[tuple[str, list[FactRow]]]) -> None:
        clear(self._facts)
        self._values = []
        for name, rows in fabrics:
            frame = QFrame()
            grid = QGridLayout(frame)
            grid.setContentsMargins(0, 8, 0, 2)
            grid.setVerticalSpacing(4)
            grid.addWidget(label(tr("FABRIC {name}", name=name), "section"), 0, 0, 1, 2)
            values = []
            for number, row in enumerate(rows, start=1):
                title, value = label(row.label, "muted"), label(row.value, "value", wrap=len(row.value) > 24)
                value.setAlignment(Qt.AlignmentFlag.AlignRight)
                for widget in (title, value):
                    widget.setToolTip(plain_tip(row.hint))
                grid.addWidget(title, number, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(value, number, 1)
                values.append(value)
            grid.setColumnStretch(1, 1)
            self._facts.addWidget(frame)
            self._values.append(values)

    # -- following ----

    def _on_plant(self, *_change: object) -> None:
        self._due_s = 0.0
        self._on_figures()

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen  # Qt calls a dock behind another tab visible; only this signal knows
        self._settling.start()

    def _on_settled(self) -> None:
        """Act on what is seen once a change of layout is over: on the way every dock is in front for a moment.

        A window that closes hides its docks too, and its picture is gone by then.
        """
        main = self.parentWidget()
        if main is None or not main.isVisible():
            return
        if self._layer is not None:
            self._layer.watch(self._seen)
        self._on_plant()

    def _on_figures(self, *_change: object) -> None:
        if not self._seen or monotonic() < self._due_s:
            return
        world = self._world()
        if world is None:
            return
        self._due_s = monotonic() + _EVERY_S
        self.model.show_lines(busiest(world))
        fabrics = [(name, fabric_rows(world, k)) for k, name in enumerate(world.plant.fabrics)]
        shape = [(name, tuple(row.label for row in rows)) for name, rows in fabrics]
        if shape != self._shape:
            self._shape = shape
            self._build_facts(fabrics)
        for values, (_, rows) in zip(self._values, fabrics, strict=True):
            for value, row in zip(values, rows, strict=True):
                if value.text() != row.value:
                    value.setText(row.value)

    def _on_layer(self) -> None:
        layer, world = self._layer, self._world()
        if layer is None or world is None:
            return
        names = [collective.kind for collective in layer.kinds]
        every = jobs_of(world.scenario)
        jobs = [every[job].id for job in layer.senders]
        for box, words in ((self.kind_box, [tr(name.capitalize()) for name in names]), (self.job_box, jobs)):
            if words != [box.itemText(k) for k in range(box.count())]:
                box.clear()
                box.addItems(words)
            box.setEnabled(len(words) > 1)
        shown = layer.shown
        if shown is None or layer.job is None:
            self.lines[0].setText(tr("No job is communicating now."))
            self.lines[1].setText("")
            self.lines[2].setText("")
            return
        self.kind_box.setCurrentIndex(names.index(shown.kind))
        self.job_box.setCurrentIndex(jobs.index(every[layer.job].id))
        line = collective_line(shown)
        self.lines[0].setText(f"{line[:1].upper()}{line[1:]}")
        self.lines[1].setText(collective_cost(shown))
        order = ring_order(world, shown)
        self.lines[2].setText(tr("Order: {order}", order=order) if shown.cards else "")

    def _on_state(self, *_change: object) -> None:
        if self._state is not None and self._layer is not None:
            self.cables_box.setCurrentIndex(CABLES_BY.index(self._state.cables_by))
            self.switch.setChecked(self._layer.on)

    def _on_cables_box(self, index: int) -> None:
        if self._state is not None:
            self._state.cables_by = CABLES_BY[index]

    def _on_kind(self, index: int) -> None:
        if self._state is not None and self._layer is not None:
            self._state.traffic = self._layer.kinds[index].kind

    def _on_job(self, index: int) -> None:
        if self._layer is not None:
            self._layer.choose(self.job_box.itemText(index))
