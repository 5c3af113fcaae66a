"""The Checks dock: what the design rules find in the scene as it stands; a click selects it and flies there."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QPushButton

from twin.app.monitor.checks_model import (
    ACCEPTED,
    IS,
    KINDS,
    LIMIT,
    RULE,
    SIGNS,
    WHAT,
    WHERE,
    RulesModel,
    kind_of,
)
from twin.app.monitor.exclusion_dialog import ExcludeDialog
from twin.app.monitor.falls_list import FallsTable
from twin.app.session.session import Session
from twin.app.toolkit import theme
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.app.toolkit.sliced_work import SlicedWork
from twin.commands.exclude import Exclude, Include
from twin.language import counted, tr
from twin.piecewise import all_at_once
from twin.record.events import Event
from twin.rules import Finding, Report, check_steps
from twin.rules.engine_findings import TOLD, at_the_start, of_the_year
from twin.rules.redundancy import falls
from twin.rules.rule_context import RuleContext
from twin.runtime.typical_year import year_or_reason_steps
from twin.scenario.schema.exclusion import EVERYTHING

_WAIT_MS = 150
"""So long after the last change the rules are asked: while a drag goes on they are not."""
_ROW_PX = 24
_ICON_PX, _LEAST_PX = 24, 180
_NARROW_PX = 620
"""A narrower list shows less of rules and places: tool tips have them."""
_ROOMY_PX = 400
"""A narrower dock shows no filter of a kind that was not found."""
_NAMES = {
    "error": tr("errors"),
    "warning": tr("warnings"),
    "notice": tr("notices"),
    "accepted": tr("accepted findings"),
}


class RulesDock(Dock):
    """Findings of the design rules.

    Attributes
    ----------
    report
        What was found last.
    """

    chosen = Signal(object)  # Finding: select its things and go there
    reported = Signal(object)  # Report
    wanted = Signal(object)  # Command: accept a finding, or count it again
    thing_chosen = Signal(str)  # id of a thing whose loss takes GPUs along: go there

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "checks", tr("Checks"), "check", parent)
        self._session = session
        self.report = Report(())
        self._counts = dict.fromkeys(KINDS, 0)  # findings of each kind
        self.picture_due: Callable[[], bool] = lambda: False  # of a changed hall: the rules let it go first
        self.model = RulesModel(look)
        self.table = self._table()
        self.table.share_width(self._widths_px, WHAT, _LEAST_PX, (LIMIT,), follows_width=True)
        self.body.addWidget(self.table)
        self.falls = FallsTable(look)
        self.falls.thing_chosen.connect(self.thing_chosen)
        self.falls.hide()
        self.body.addWidget(self.falls)
        self.empty_label = label("", "muted")
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.body.addWidget(self.empty_label, 1)
        self.filters = {kind: self._filter(kind) for kind in KINDS}
        self.accept_button = QPushButton(tr("Accept\N{HORIZONTAL ELLIPSIS}"))
        self.accept_button.setProperty("role", "flat")
        self.accept_button.setToolTip(tr("Accept the selected finding; the file keeps the reason"))
        self.accept_button.clicked.connect(self.accept_chosen)
        self.tools.add(self.accept_button)
        self.falls_button = QPushButton(tr("What falls"))
        self.falls_button.setProperty("role", "flat")
        self.falls_button.setCheckable(True)
        self.falls_button.setToolTip(
            tr("Lists what falls if this falls: single points of failure, the worst first")
        )
        self.falls_button.toggled.connect(self._show_falls)
        self.tools.add(self.falls_button)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_WAIT_MS)
        self._waits.timeout.connect(self._ask_behind)
        self._work = SlicedWork(self, self._show_found, lambda: self.picture_due())
        session.document_changed.connect(self._later)
        session.plant_changed.connect(self._later)
        session.events_added.connect(self._on_events)
        look.changed.connect(self._dress)
        self._dress()
        self._tell()

    def _ask_behind(self) -> None:
        if self.picture_due():
            self._waits.start()
        else:
            self._work.begin(self._asked())

    def ask(self) -> None:
        """Ask the rules now; 30 ms at 16,384 GPUs."""
        self._waits.stop()
        self._work.stop()
        self._show_found(all_at_once(self._asked()))

    def _asked(self) -> Generator[None, None, Report]:
        """Work out the typical year a little at a time, then ask the rules, one by one."""
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None:
            return Report(())
        scenario = document.scenario
        catalog, draft = self._session.catalog, self._session.draft
        year = yield from year_or_reason_steps(scenario, plant, catalog)
        found = [*at_the_start(scenario, self._session.events), *of_the_year(scenario, plant, year)]
        whole = draft.file.scenario if draft is not None else None
        return (yield from check_steps(scenario, plant, catalog, found, whole=whole))

    def _show_found(self, report: Report) -> None:
        self.show_report(report)
        self._list_falls()

    def show_falls(self) -> None:
        """List what falls if this falls."""
        self.falls_button.setChecked(True)

    def _show_falls(self, on: bool) -> None:
        self.falls_button.setText(tr("Findings") if on else tr("What falls"))
        self.tools.want(self.accept_button, not on)
        self._show_filters()
        self._list_falls()
        self._tell()

    def _list_falls(self) -> None:
        """Work the list out where it is seen: 60 ms at 16,384 GPUs."""
        document, plant = self._session.document, self._session.plant
        if self.falls_button.isChecked() and document is not None and plant is not None:
            self.falls.show_falls(falls(RuleContext(document.scenario, plant, self._session.catalog)))
        else:
            self.falls.show_falls(())

    def show_report(self, report: Report) -> None:
        """Show what was found; the chosen finding stays chosen while it is there."""
        held = self._chosen()
        self.report = report
        self.model.show_report(report)
        if held is not None:
            self._choose_again(held)
        self._tell()
        self.reported.emit(report)

    def accept_chosen(self) -> None:
        """Ask for the reason to keep the chosen finding, or count an accepted one again."""
        finding = self._chosen()
        if finding is None:
            return
        if finding.excluded:
            targets = (EVERYTHING, finding.key, finding.subject, *finding.ids)
            self.wanted.emit(Include(finding.rule, targets))
            return
        self.table.setFocus()  # where one goes on after the dialog: the button may have nothing to do then
        dialog = ExcludeDialog(finding, self)
        dialog.accepted_as.connect(self._accept)
        dialog.open()

    def _accept(self, rule: str, target: str, why: str) -> None:
        self.wanted.emit(Exclude(rule, target, why))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the tools what room there is."""
        super().resizeEvent(event)
        self._show_filters()

    # -- building ----

    def _table(self) -> RowTable:
        table = RowTable(self._look, tr("Findings of the design rules"), _ROW_PX, self.model)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._offer)
        table.clicked.connect(self._on_chosen)
        table.activated.connect(self._on_chosen)
        table.selectionModel().currentRowChanged.connect(self._tell_button)
        self.model.modelReset.connect(self._tell_button)
        return table

    def _filter(self, kind: str) -> QPushButton:
        made = QPushButton()
        made.setProperty("role", "flat")
        made.setCheckable(True)
        made.setChecked(kind in self.model.kinds)
        made.setToolTip(
            plain_tip(
                tr(
                    "Show or hide {names}",
                    names=_NAMES[kind],
                )
            )
        )
        made.toggled.connect(partial(self._show_kind, kind))
        self.tools.add(made)
        return made

    def _dress(self, *_theme: object) -> None:
        for kind, button in self.filters.items():
            button.setIcon(self._look.icon(*SIGNS.get(kind, ACCEPTED)))

    # -- following ----

    def _later(self, *_change: object) -> None:
        self._work.stop()
        self._waits.start()

    def _on_events(self, events: list[Event]) -> None:
        """Ask again when the run tells at its start what is wrong with the scene."""
        if any(event.t_s <= 0 and event.kind in TOLD for event in events):
            self._later()

    def _show_kind(self, kind: str, on: bool) -> None:
        held = self._chosen()
        self.model.show_kinds(self.model.kinds | {kind} if on else self.model.kinds - {kind})
        if held is not None:
            self._choose_again(held)
        self._tell()

    def _chosen(self) -> Finding | None:
        row = self.table.currentIndex().row()
        return self.model.finding_at(row) if 0 <= row < self.model.rowCount() else None

    def _choose_again(self, held: Finding) -> None:
        for row in range(self.model.rowCount()):
            finding = self.model.finding_at(row)
            if (finding.rule, finding.key, finding.excluded) == (held.rule, held.key, held.excluded):
                self.table.setCurrentIndex(self.model.index(row, RULE))
                return

    def _show_filters(self) -> None:
        """Show a filter of each kind; in a narrow dock only of kinds that were found."""
        wide = self.width() >= theme.scaled(_ROOMY_PX)
        for kind, button in self.filters.items():
            self.tools.want(button, not self.falls_button.isChecked() and (wide or self._counts[kind] > 0))

    def _tell(self) -> None:
        counts = dict.fromkeys(KINDS, 0)
        for finding in self.report.findings:
            counts[kind_of(finding)] += 1
        for kind, button in self.filters.items():
            button.setText(f"{counts[kind]:,}")
            button.setAccessibleName(
                counted(counts[kind], kind if kind != "accepted" else tr("accepted finding"))
            )
        self._counts = counts
        self._show_filters()
        bad = counts["error"] + counts["warning"]
        self.setWindowTitle(tr("Checks ({bad:,})", bad=bad) if bad else tr("Checks"))
        listing = self.falls_button.isChecked()
        shown = self.falls.shown.rowCount() if listing else self.model.rowCount()
        self.empty_label.setVisible(not shown)
        if not shown and self.window().focusWidget() is self.table:
            self.empty_label.setFocus()  # else the next button in the window gets it, and Space would press that
        self.table.setVisible(shown > 0 and not listing)
        self.falls.setVisible(shown > 0 and listing)
        hidden = len(self.report.findings)
        none = (
            tr("No findings in this view: {hidden:,} hidden", hidden=hidden) if hidden else tr("No findings")
        )
        self.empty_label.setText(tr("Nothing that falls alone takes a GPU along") if listing else none)
        self._tell_button()
        self.table.share()

    def _tell_button(self, *_change: object) -> None:
        finding = self._chosen()
        possible = finding is not None and finding.rule != "exclusion-unmatched"
        if not possible and self.window().focusWidget() is self.accept_button:
            self.table.setFocus()
        self.accept_button.setEnabled(possible)
        again = finding is not None and finding.excluded
        self.accept_button.setText(tr("Undo acceptance") if again else tr("Accept\N{HORIZONTAL ELLIPSIS}"))

    def _widths_px(self) -> dict[int, int]:
        wide = self.table.width() >= theme.scaled(_NARROW_PX)
        most_px = {RULE: 230 if wide else 150, IS: 120, LIMIT: 120, WHERE: 200 if wide else 110}
        return {
            column: min(self.table.widest(column), theme.scaled(px)) + (_ICON_PX if column == RULE else 0)
            for column, px in most_px.items()
        }

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.finding_at(index.row()))

    def _offer(self, place: QPoint) -> None:
        """Open the menu of a finding."""
        index = self.table.indexAt(place)
        if not index.isValid():
            return
        self.table.setCurrentIndex(index)
        finding = self.model.finding_at(index.row())
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Go there"), partial(self.chosen.emit, finding))
        text = (
            tr("Undo acceptance") if finding.excluded else tr("Accept with a reason\N{HORIZONTAL ELLIPSIS}")
        )
        menu.addAction(text, self.accept_chosen).setEnabled(self.accept_button.isEnabled())
        menu.popup(self.table.viewport().mapToGlobal(place))
