"""The Availability dock: how often power, cooling and network are down, and what costs most; a click goes there."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtWidgets import QMainWindow, QMenu

from twin.app.monitor.availability_model import (
    COLUMNS,
    GPU_HOURS,
    GPUS,
    HOURS,
    WHAT,
    AvailabilityModel,
    rows_of,
)
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.sliced_work import SlicedWork
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr
from twin.planning.job.result import PlanError
from twin.planning.risk.availability_figures import HallAvailability
from twin.planning.risk.availability_text import WITHOUT
from twin.planning.risk.hall_availability import availability_steps
from twin.planning.risk.risk import JobRisk, risk_of

_WAIT_MS = 300
"""So long after the last change it is worked out again: 0.1 s at 16,384 GPUs, 0.6 s at 100,000."""
_ROW_PX, _LEAST_PX = 24, 110
DROPPED = (GPUS, HOURS, GPU_HOURS)
"""Columns that a narrow dock leaves out, the first ones first."""
_NONE, _WAITS = tr("No machines in this hall yet"), tr("Figures are being worked out")
"""What an empty table says: of a hall without machines, and until the figures of a hall are there."""


class AvailabilityDock(Dock):
    """Availability of the scene as it stands, its machines failing at the rates of the catalogue.

    Attributes
    ----------
    found
        What is shown; None: nothing.
    """

    chosen = Signal(object)  # ids: select these things and go there

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "availability", tr("Availability"), "gauge", parent)
        self._session = session
        self.found: HallAvailability | None = None
        self._seen, self._is_stale = False, True
        self.picture_due: Callable[[], bool] = lambda: False  # of a changed hall: that goes first
        self._work = SlicedWork(self, self._show, lambda: self.picture_due())
        self.model = AvailabilityModel(look)
        self.table = RowTable(
            look,
            tr("Availability, worst contributors"),
            _ROW_PX,
            self.model,
            _WAITS,
        )
        self.table.share_width(self._widths_px, WHAT, _LEAST_PX, DROPPED)  # tips and a wider dock have those
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.body.addWidget(self.table, 1)
        self.words = ElidedLabel("muted", snug=True)
        self.tools.add(self.words)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_WAIT_MS)
        self._waits.timeout.connect(self._begin)
        session.document_changed.connect(self._later)
        session.plant_changed.connect(self._later)
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a thing."""
        offer_menus(self.table, self._subject, menu)

    def _begin(self) -> None:
        """Work it out again, where somebody sees it, a little at a time."""
        if self.picture_due():
            self._waits.start()
            return
        document, plant = self._session.document, self._session.plant
        if not self._seen:
            return
        if document is None or plant is None:
            self.found, self.table.none = None, _NONE
            self.model.show_rows([])
            self.words.setText("")
            return
        scenario = document.scenario
        risk: JobRisk | None
        try:
            risk = risk_of(scenario, plant, self._session.catalog)
        except PlanError:  # the scene has no job that fits
            risk = None
        self._work.begin(availability_steps(scenario, plant, self._session.catalog, risk))

    def _show(self, found: HallAvailability) -> None:
        plant = self._session.plant
        if plant is None:
            return
        self.found, self._is_stale, self.table.none = found, False, _NONE
        nodes = plant.nodes
        self.model.show_rows(rows_of(found, int(nodes.gpu_count[nodes.present].sum())))
        self.words.setText(tr("As in runs") if found.in_runs else tr("Not in runs of this scene"))
        self.words.setToolTip(plain_tip(tip_of(found)))
        self.table.share()

    @property
    def waits(self) -> bool:
        """Return whether figures are still to come, or to be asked for."""
        return self._waits.isActive() or self._work.is_running

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen  # Qt calls a dock behind another tab visible; only this signal knows
        if not seen:
            self._work.stop()
        elif self._is_stale:
            self._waits.start()

    def _later(self, *_change: object) -> None:
        self._work.stop()  # it would be of the hall before
        self._is_stale, self.table.none = True, _WAITS
        self._waits.start()

    def _subject(self, index: QModelIndex) -> str:
        targets = self.model.rows[index.row()].targets
        return targets[0] if targets else ""

    def _on_chosen(self, index: QModelIndex) -> None:
        targets = self.model.rows[index.row()].targets
        if targets:
            self.chosen.emit(targets)

    def _widths_px(self) -> dict[int, int]:
        return {column: self.table.widest(column) for column in range(len(COLUMNS)) if column != WHAT}


def tip_of(found: HallAvailability) -> str:
    """Return where the figures come from, and what is not in them, in sentences."""
    sentences = [
        tr("Machines fail and are repaired at the rates of the catalogue."),
        tr("They do so in runs of this scene too.")
        if found.in_runs
        else tr("In runs of this scene they do not: Failures of the scene, in the inspector, says so."),
    ]
    if found.without_rate:
        sentences.append(f"{WITHOUT.capitalize()}: {', '.join(found.without_rate)}.")
    return " ".join(sentences)
