"""The Money dock: capital, yearly cost, GPU-hours, what moves the total, owning and renting, ledger, prices."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.money_words import share_sentences
from twin.app.money.cell_table import cell_table
from twin.app.money.figures import (
    MoneyFigures,
    capital_rows,
    estimates,
    money_steps,
    swing_rows,
    unit_rows,
    yearly_rows,
)
from twin.app.money.group_things import things_of
from twin.app.money.money_tables import (
    ledger_cells,
    ledger_model,
    offer_cells,
    offer_model,
    price_cells,
    price_model,
)
from twin.app.money.price_dialog import PriceDialog
from twin.app.money.range_chart import RangeChart
from twin.app.money.rent_chart import RentChart
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.sliced_work import SlicedWork
from twin.app.toolkit.standing_badge import StandingBadge
from twin.commands.place.properties import SetProperty
from twin.economics.price_book import PriceError, PriceRange
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.runfile import RunFileError
from twin.scenario.schema.document import Scenario

_WAIT_MS = 300
"""So long after the last change it is worked out again."""
_PLAYING_MS = 1000
"""So long it waits while a run plays."""
_NONE, _WAITS = tr("No scene is open"), tr("Figures are being worked out")
PAGES = {
    "capital": tr("Capital"),
    "year": tr("Yearly cost"),
    "units": tr("Unit cost"),
    "swings": tr("What moves the total"),
    "rent": tr("Own or rent"),
    "ledger": tr("Ledger"),
    "prices": tr("Prices"),
}


class MoneyDock(Dock):
    """Money of the scene as it stands; of a run that is over, of what it did.

    Attributes
    ----------
    found
        What is shown; None: nothing yet.
    """

    chosen = Signal(object)  # ids: select these things and go there
    worked_out = Signal()  # figures are there, or others

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "money", tr("Money"), "coins", parent)
        self._session = session
        self.found: MoneyFigures | None = None
        self._seen, self._asked, self._is_stale = False, False, True
        self.picture_due: Callable[[], bool] = lambda: False  # of a changed hall: that goes first
        self.do: Callable[[SetProperty], bool] = lambda command: False
        self._work = SlicedWork(self, self._on_found, self._is_held)
        self._lay_out(look)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_WAIT_MS)
        self._waits.timeout.connect(self._begin)
        session.document_changed.connect(self._later)
        session.plant_changed.connect(self._later)
        session.run_started.connect(self._later)
        session.ended.connect(self._later)
        self.visibilityChanged.connect(self._on_visible)

    # -- building ----

    def _lay_out(self, look: Look) -> None:
        self.page_box = DropDown()
        self.page_box.setToolTip(tr("What of the money is shown"))
        self.page_box.setAccessibleName(tr("Page of the money"))
        for title in PAGES.values():
            self.page_box.addItem(title)
        self.page_box.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.lead.addWidget(self.page_box)
        self.badge = StandingBadge()
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.lead.addWidget(self.badge)
        self.lead.addStretch(1)
        self.copy_button = tool_button(look, "copy", tr("Copy the figures of this page as a table"))
        self.copy_button.clicked.connect(self.copy)
        self.tools.add(self.copy_button)
        self.capital, self.year = (
            RangeChart(look, tr("Capital by group")),
            RangeChart(look, tr("Yearly cost")),
        )
        self.units = RangeChart(look, tr("Cost of a unit"))
        self.swings = RangeChart(look, tr("What moves the yearly cost"), swings=True)
        self.rent = RentChart(look)
        self.capital.chosen.connect(self._on_group)
        self.swings.opened.connect(self.edit_price)
        self.ledger = ledger_model()
        none = tr("Run the scene to its end, or open a recording, for its ledger in USD")
        self.ledger_table = cell_table(look, tr("Ledger in USD"), self.ledger, none, (2, 4, 6, 5))
        self.prices = price_model()
        self.price_table = cell_table(look, tr("Prices"), self.prices, _WAITS, (5, 1, 3, 4))
        for signal in (self.price_table.doubleClicked, self.price_table.activated):
            signal.connect(self._on_price)
        self.shares, self.basis = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.unit_words, self.rent_words = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.swing_words = label(tr("Double-click a price to give one of your own."), "muted", wrap=True)
        self.offers = offer_model()
        self.offer_table = cell_table(look, tr("Offers to rent"), self.offers, "", (3, 2))
        self.offer_table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.offers.modelReset.connect(self._fit_offers)
        self.offer_table.heads.geometriesChanged.connect(self._fit_offers)
        self.pages = QStackedWidget()
        for page in (
            _scrolled(tr("Capital"), self.capital, self.shares),
            _scrolled(tr("Yearly cost"), self.year, self.basis),
            _scrolled(tr("Unit cost"), self.units, self.unit_words),
            _scrolled(tr("What moves the total"), self.swings, self.swing_words),
            _scrolled(tr("Own or rent"), self.rent, self.offer_table, self.rent_words),
            self.ledger_table,
            self.price_table,
        ):
            self.pages.addWidget(page)
        self.none_words = label(_NONE, "muted")
        self.none_words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none_words.setWordWrap(True)
        self._whole = QStackedWidget()
        self._whole.addWidget(self.none_words)
        self._whole.addWidget(self.pages)
        self.body.addWidget(self._whole, 1)
        self.page_box.currentIndexChanged.connect(self.pages.setCurrentIndex)

    def _fit_offers(self) -> None:
        table = self.offer_table
        rows = table.verticalHeader().length() if self.offers.rows else 0
        table.setFixedHeight(table.heads.sizeHint().height() + rows + 2 * table.frameWidth())
        table.setVisible(bool(self.offers.rows))

    # -- what others ask for ----

    def show_page(self, name: str) -> None:
        """Show a page of `PAGES`."""
        self.page_box.setCurrentIndex(list(PAGES).index(name))

    @property
    def page(self) -> str:
        """Return the name of the page on screen."""
        return list(PAGES)[self.page_box.currentIndex()]

    def gpu_h_usd(self) -> tuple[float, float, float] | None:
        """Return the full cost of a GPU-hour installed: P5, P50, P95 [USD]; None: not yet, or there are no GPUs."""
        if self._is_stale and not self.waits:
            self._asked = True
            self._waits.start()
        return None if self.found is None or self._is_stale else self.found.gpu_h_usd

    def copy(self) -> None:
        """Copy the figures of the page on screen, cells set apart by tabs."""
        shown = (self.capital, self.year, self.units, self.swings, self.rent, self.ledger, self.prices)
        table = shown[self.page_box.currentIndex()].table
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in table))

    def edit_price(self, id: str) -> None:
        """Ask for a price of one's own."""
        price = None if self.found is None else self.found.scene_prices.get(id)
        if price is not None:
            self.price_dialog(price).open()

    def price_dialog(self, price: PriceRange) -> PriceDialog:
        """Return the dialog of a price."""
        made = PriceDialog(price, self.do, self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return made

    # -- working it out ----

    @property
    def waits(self) -> bool:
        """Return whether figures are still to come, or to be asked for."""
        return self._waits.isActive() or self._work.is_running

    def _is_held(self) -> bool:
        return self.picture_due() or self._session.playing

    def _begin(self) -> None:
        if not (self._seen or self._asked):
            return
        if self._is_held():
            self._waits.start(_PLAYING_MS if self._session.playing else _WAIT_MS)
            return
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None:
            self.found = None
            self._say(_NONE)
            return
        self._work.begin(self._steps(document.scenario, plant, self._run_file()))

    def _run_file(self) -> Path | None:
        """Return the file of the run on screen where it has come to its end and something was simulated."""
        summary = self._session.summary
        over = summary is not None and summary["simulated_s"] > 0.0
        return self._session.run_file if over else None

    def _steps(
        self, scenario: Scenario, plant: Plant, run_file: Path | None
    ) -> Generator[None, None, MoneyFigures | str]:
        """Take the steps of the figures; return them, or why there are none."""
        try:
            return (yield from money_steps(scenario, plant, self._session.catalog, run_file))
        except (PriceError, RunFileError) as wrong:
            return str(wrong)

    def _later(self, *_change: object) -> None:
        self._work.stop()  # it would be of the hall before
        self._is_stale = True
        if self.found is None:
            self._say(_WAITS)
        self._waits.start(_WAIT_MS)

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen  # Qt calls a dock behind another tab visible; only this signal knows
        if not seen and not self._asked:
            self._work.stop()
        elif seen and self._is_stale and not self._work.is_running:
            self._waits.start(_WAIT_MS)

    def _say(self, words: str) -> None:
        self.none_words.setText(words)
        self._whole.setCurrentIndex(0)
        self.badge.show_standing(None)

    def _on_found(self, found: MoneyFigures | str) -> None:
        self._is_stale, self._asked = False, False
        if isinstance(found, str):
            self.found = None
            self._say(found)
        else:
            self.found = found
            self._show(found)

    def _show(self, found: MoneyFigures) -> None:
        books = found.books
        self.capital.show_rows(capital_rows(books))
        self.year.show_rows(yearly_rows(books))
        self.units.show_rows(unit_rows(books))
        self.swings.show_rows(swing_rows(found))
        self.rent.show_rent(found.rent)
        standing = estimates(books)
        self.badge.show_standing(standing, "" if standing is None else standing.meaning)
        self.shares.setText("\n".join([*share_sentences(books), *books.notes]))
        basis = books.use.basis
        self.basis.setText(tr("Energy: {basis}. Ranges are P5 to P95.", basis=basis))
        self.unit_words.setText(
            tr("Of the run, scaled by its length: capital and operation over what it did.")
            if found.ledgers is not None
            else tr(
                "What a GPU-hour available, allocated or productive costs needs a run: play the scene to its end, "
                "or open a recording."
            )
        )
        self.offers.show_rows(offer_cells(found))
        self.rent_words.setText(
            tr(
                "The curve is an own GPU-hour that is used, with P5 to P95; "
                "level lines are hours on demand, dotted ones spot or marketplace."
            )
        )
        self.ledger.show_rows([] if found.ledgers is None else ledger_cells(found.ledgers))
        self.prices.show_rows(price_cells(found))
        self._whole.setCurrentIndex(1)
        self.worked_out.emit()

    # -- pointer ----

    def _on_group(self, key: str) -> None:
        plant = self._session.plant
        ids = things_of(plant, key) if plant is not None else ()
        if ids:
            self.chosen.emit(ids)

    def _on_price(self, index: QModelIndex) -> None:
        self.edit_price(self.prices.rows[index.row()].key)


def _scrolled(name: str, *parts: QWidget) -> QScrollArea:
    """Return a page of parts one below the other: a low dock scrolls."""
    content = QWidget()
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 4, 0, 8)
    column.setSpacing(6)
    for part in parts:
        if part.property("role") == "muted":
            part.setContentsMargins(12, 0, 12, 0)
        column.addWidget(part)
    column.addStretch(1)
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(name)
    area.setWidget(content)
    return area
