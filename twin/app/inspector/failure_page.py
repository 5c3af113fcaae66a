"""What fails in the scene: each cause with rate, repair and failures a year, and a switch."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import clear, nest, put_page
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import significant
from twin.commands.edit.command import Command
from twin.commands.place.failures import LetFail, SwitchCause, UseCatalogRates
from twin.language import tr
from twin.planning.risk.failure_table import (
    TWICE,
    YEAR_S,
    FailureRow,
    FailureTable,
    failure_table,
    rate_words,
    repair_words,
)
from twin.units import spoken

NOTHING = tr("Nothing fails by itself in this scene")
_LATER_MS = 40
_BADGES = (("published", "spec"), ("calculated", "calc."), ("estimated", "est."), ("recalled", "est."))


class FailurePage(QScrollArea):
    """The table of causes. A switch is one edit that undo takes back.

    Attributes
    ----------
    table
        What is shown.
    switches
        By id of the cause.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._editor: Editor | None = None
        self.table: FailureTable | None = None
        self.switches: dict[str, QCheckBox] = {}
        self._numbers: dict[str, QLabel] = {}
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("Failure rates of the scene"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(14, 6, 14, 14)
        column.setSpacing(6)
        self.headline, self.details = label("", "value", wrap=True), label("", "muted", wrap=True)
        self.use_button = QPushButton(tr("Use the catalogue's rates"))
        self.use_button.setToolTip(tr("Published counts of fleets, for what this hall has"))
        self.use_button.clicked.connect(lambda: self._do(UseCatalogRates()))
        self.enabled_box = QCheckBox(tr("Random failures"))
        self.enabled_box.setToolTip(plain_tip(tr("Off: nothing fails by itself, whatever the rates are")))
        self.enabled_box.clicked.connect(lambda on: self._do(LetFail(on)))
        self.catalog_box = QCheckBox(tr("Rates of the catalogue"))
        self.catalog_box.setToolTip(plain_tip(tr("Off: only causes that the scene names itself")))
        self.catalog_box.clicked.connect(lambda on: self._do(UseCatalogRates(on)))
        for widget in (self.headline, self.details, self.use_button, self.enabled_box, self.catalog_box):
            column.addWidget(widget)
        self._list = QVBoxLayout()
        nest(column, self._list)
        column.addStretch(1)
        put_page(self, content)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_LATER_MS)
        self._waits.timeout.connect(self.refresh)
        session.plant_changed.connect(self._later)
        session.document_changed.connect(self._later)
        session.opened.connect(self._later)

    def attach(self, editor: Editor) -> None:
        """Take the door for edits."""
        self._editor = editor
        editor.refused.connect(self._later)
        editor.done.connect(self._later)

    def refresh(self) -> None:
        """Show what fails in the scene as it stands."""
        self._waits.stop()
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None or not self.isVisible():
            return
        before = self.table
        self.table = table = failure_table(document.scenario, plant, self._session.catalog)
        if before is None or [row.id for row in before.rows] != [row.id for row in table.rows]:
            self._build(table)
        self.headline.setText(
            NOTHING
            if table.none
            else tr(
                "{significant} failures a year expected in this hall", significant=significant(table.per_year)
            )
        )
        self.details.setText(_details(table))
        self.use_button.setVisible(table.none)
        self.enabled_box.setChecked(table.enabled)
        self.catalog_box.setChecked(document.scenario.failures.rates == "catalog")
        for row in table.rows:
            switch = self.switches[row.id]
            switch.setChecked(row.acts if table.enabled else row.id not in document.scenario.failures.off)
            switch.setEnabled(table.enabled)
            number = self._numbers[row.id]
            number.setText(tr("{significant} a year", significant=significant(row.per_year)))
            number.setEnabled(row.acts)

    def showEvent(self, event: object) -> None:
        """Catch up with what has changed unseen."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def _build(self, table: FailureTable) -> None:
        clear(self._list)
        self.switches, self._numbers = {}, {}
        for planned, title in ((False, "CAUSES"), (True, "PLANNED")):
            rows = [row for row in table.rows if row.planned == planned]
            if rows:
                self._list.addWidget(self._section(title, rows))

    def _section(self, title: str, rows: list[FailureRow]) -> QFrame:
        frame = QFrame()
        grid = QGridLayout(frame)
        grid.setContentsMargins(0, 10, 0, 4)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.addWidget(label(title, "section"), 0, 0, 1, 3)
        top = Qt.AlignmentFlag.AlignTop
        for place, row in enumerate(rows):
            line = 1 + 2 * place  # the badge below the number: a narrow dock has room for two columns
            tip = f"{row.standing}. {row.source}" if row.source else row.standing
            switch = QCheckBox()
            switch.setAccessibleName(
                tr(
                    "{title}: {rate_words}, {significant} a year",
                    title=row.title,
                    rate_words=rate_words(row),
                    significant=significant(row.per_year),
                )
            )
            switch.setToolTip(plain_tip(tr("Whether {title} happens by itself", title=row.title)))
            switch.clicked.connect(lambda on, row=row: self._switch(row, on))
            number = label("", "value")
            below = label(f"{rate_words(row)}; {repair_words(row)}", "faint", wrap=True)
            below.setToolTip(plain_tip(tip))
            grid.addWidget(switch, line, 0, top)
            grid.addWidget(label(row.title, "", wrap=True), line, 1, top)
            grid.addWidget(number, line, 2, Qt.AlignmentFlag.AlignRight | top)
            badge = label(_badge(row), "badge")
            badge.setToolTip(plain_tip(tip))
            grid.addWidget(badge, line + 1, 2, Qt.AlignmentFlag.AlignRight | top)
            grid.addWidget(below, line + 1, 1)
            self.switches[row.id], self._numbers[row.id] = switch, number
        grid.setColumnStretch(1, 1)
        return frame

    def _switch(self, row: FailureRow, on: bool) -> None:
        self._do(SwitchCause(row.id, on, row.title))

    def _do(self, wanted: Command) -> None:
        if self._editor is not None:
            self._editor.do(wanted)
        self._later()

    def _later(self, *_change: object) -> None:
        self._waits.start()


def _details(table: FailureTable) -> str:
    if table.none:
        return tr("Interruptions and spares are none, whatever is built.")
    lines = []
    if table.planned_per_year:
        lines.append(
            tr(
                "Planned maintenance besides: {significant} a year.",
                significant=significant(table.planned_per_year),
            )
        )
    if table.job_per_year:
        between = spoken(YEAR_S / table.job_per_year)
        lines.append(
            tr(
                "Largest job, {job} on {job_nodes:,} nodes: one interruption in {between} of work.",
                job=table.job,
                job_nodes=table.job_nodes,
                between=between,
            )
        )
    if table.adds_up:
        lines.append(TWICE)
    return " ".join(lines)


def _badge(row: FailureRow) -> str:
    return next((badge for word, badge in _BADGES if row.standing.startswith(word)), "own")
