"""*File > Lists*: bill of materials, cables, ports, addresses and rack loads of the open scene, to read and to save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from twin.app.documents.file_to_write import file_to_write
from twin.app.documents.list_model import ListModel
from twin.app.session.session import Session
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.row_table import RowTable
from twin.app.toolkit.text_fields import SearchField
from twin.economics.price_book import PriceError
from twin.language import counted, tr
from twin.lists.list_file import NoWorkbook, shown, write_lists
from twin.lists.site_lists import LISTS
from twin.lists.table import SiteList

_ROW_PX, _LEAST_PX, _WIDEST_PX = 22, 90, 260
_SIZE_PX = (1080, 620)


class ListsDialog(QDialog):
    """Shows one list at a time and saves it, or all of them as one workbook.

    Attributes
    ----------
    kind
        Which list is shown, by its name.
    made
        The lists that were looked at.
    """

    chosen = Signal(str)  # id of the thing that a row is of

    def __init__(self, look: Look, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._session = look, session
        self.made: dict[str, SiteList] = {}
        self.model: ListModel | None = None
        self.table: RowTable | None = None
        self.setWindowTitle(tr("Lists"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE_PX)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        head = QHBoxLayout()
        self.kind = DropDown()
        self.kind.setAccessibleName(tr("List"))
        for name, kind in LISTS.items():
            self.kind.addItem(kind.title, name)
        self.search = SearchField()
        self.search.setAccessibleName(tr("Filter rows"))
        self.search.setPlaceholderText(tr("Filter rows: rack, part, label"))
        head.addWidget(self.kind)
        head.addWidget(self.search, 1)
        nest(column, head)
        self.place = QVBoxLayout()
        nest(column, self.place)
        column.setStretchFactor(self.place, 1)
        self.words = label("", "muted")
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.save_button = self.buttons.addButton(
            tr("Save this list\N{HORIZONTAL ELLIPSIS}"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.save_all_button = self.buttons.addButton(
            tr("Save all as a workbook\N{HORIZONTAL ELLIPSIS}"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.save_button.setProperty("role", "primary")
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        self.buttons.rejected.connect(self.reject)
        self.save_button.clicked.connect(self.ask_one)
        self.save_all_button.clicked.connect(self.ask_all)
        column.addWidget(self.buttons)
        self.kind.currentIndexChanged.connect(self._show)
        self.search.textChanged.connect(self._filter)
        self._show()

    @property
    def name(self) -> str:
        """Return the name of the list that is shown."""
        return str(self.kind.currentData())

    def list_of(self, name: str) -> SiteList:
        """Return a list of the scene as it stands, made when it is asked for first.

        Raises
        ------
        PriceError
            When what is inside something costs more than the whole.
        """
        document, plant = self._session.document, self._session.plant
        assert document is not None
        assert plant is not None
        if name not in self.made:
            QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
            try:
                self.made[name] = LISTS[name].make(document.scenario, plant, plant.catalog)
            finally:
                QApplication.restoreOverrideCursor()
        return self.made[name]

    def save(self, names: tuple[str, ...], path: Path) -> None:
        """Write lists to a file, and say so, or why not."""
        try:
            write_lists([self.list_of(name) for name in names], path)
        except (NoWorkbook, PriceError) as error:
            self.words.setText(str(error))
        except OSError as error:
            self.words.setText(tr("{path} is not written: {error}", path=path, error=error.strerror or error))
        else:
            self.words.setText(tr("Saved: {path}", path=path))

    def ask_one(self) -> None:
        """Let the person choose where the list that is shown goes."""
        endings = {".csv": tr("Tables (*.csv)"), ".xlsx": tr("Workbooks (*.xlsx)")}
        path = file_to_write(self._session, self, tr("Save this list"), endings, f"-{self.name}")
        if path is not None:
            self.save((self.name,), path)

    def ask_all(self) -> None:
        """Let the person choose where a workbook with all lists goes."""
        endings = {".xlsx": tr("Workbooks (*.xlsx)")}
        path = file_to_write(self._session, self, tr("Save all as a workbook"), endings, "-lists")
        if path is not None:
            self.save(tuple(LISTS), path)

    def _show(self) -> None:
        """Show the list that was chosen."""
        if self.table is not None:
            self.place.removeWidget(self.table)
            self.table.deleteLater()
        try:
            made = self.list_of(self.name)
        except PriceError as error:
            self.table = self.model = None
            self.words.setText(str(error))
            return
        self.model = ListModel(made)
        self.table = RowTable(self._look, made.title, _ROW_PX, self.model, tr("No row has these words."))
        self.table.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        for place in range(len(made.columns)):
            wide = min(_WIDEST_PX, self.table.widest(place, made.columns[place].head))
            self.table.setColumnWidth(place, max(wide, self.table.heads.least_px(place)))
        self.place.addWidget(self.table)
        self.table.doubleClicked.connect(self._select)
        self._filter()

    def _filter(self) -> None:
        if self.model is None:
            return
        self.model.keep(self.search.text())
        made = self.model.made
        said = [counted(len(self.model.rows), "row")]
        sums = made.sums()
        if sums is not None:
            cells = zip(made.columns, sums, strict=True)
            said += [
                f"{column.title} {shown(cell, column)} {column.unit}".rstrip()
                for column, cell in cells
                if column.key in made.summed
            ]
        self.words.setText("\n".join([" \N{MIDDLE DOT} ".join(said), *made.notes]))

    def _select(self, index: QModelIndex) -> None:
        """Tell what the row is of."""
        if self.model is None or self._session.plant is None:
            return
        known = [cell for cell in self.model.rows[index.row()] if cell in self._session.plant.slots]
        if known:
            self.chosen.emit(str(known[-1]))
