"""*File > Drawings*: sheets of the open scene with a preview, saved as PDF or SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.documents.file_to_write import file_to_write
from twin.app.session.session import Session
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.drawings.paper import PAPERS, Sheet
from twin.drawings.plan import PlanDimension
from twin.drawings.render import pdf_bytes, picture, svg_bytes
from twin.drawings.site_drawings import KINDS, drawings, svg_names, title_block
from twin.language import tr
from twin.whole_file import write_whole

_SIZE_PX = (1120, 680)
_SIDE_PX, _MARGIN_PX = 260, 12
_CLOSER, _CLOSEST = 1.25, 8.0


class SheetView(QWidget):
    """One sheet on a desk, as large as its scroll area; the wheel with Ctrl brings it closer."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet: Sheet | None = None
        self.zoom = 1.0
        self._room = QSize(100, 100)
        self._picture: QPixmap | None = None
        self.setAccessibleName(tr("Preview of the sheet"))

    def show_sheet(self, sheet: Sheet | None, room: QSize) -> None:
        """Show a sheet in some room [px]."""
        self.sheet, self._room = sheet, room
        self._draw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Bring the sheet closer, or farther away."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        self.zoom_by(_CLOSER if event.angleDelta().y() > 0 else 1.0 / _CLOSER)
        event.accept()

    def zoom_by(self, factor: float) -> None:
        """Show the sheet so much larger, never smaller than its room."""
        self.zoom = min(_CLOSEST, max(1.0, self.zoom * factor))
        self._draw()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the sheet in the middle."""
        if self._picture is None:
            return
        painter = QPainter(self)
        size = self._picture.deviceIndependentSize()
        place = QRectF(
            (self.width() - size.width()) / 2,
            (self.height() - size.height()) / 2,
            size.width(),
            size.height(),
        )
        painter.drawPixmap(place.toRect(), self._picture)

    def _draw(self) -> None:
        if self.sheet is None:
            self._picture = None
            self.update()
            return
        wide, high = self.sheet.size_mm
        room = self._room
        fits = min((room.width() - _MARGIN_PX) / wide, (room.height() - _MARGIN_PX) / high)
        ratio = self.devicePixelRatioF()
        image = picture(self.sheet, max(0.2, fits) * self.zoom * ratio)
        image.setDevicePixelRatio(ratio)
        self._picture = QPixmap.fromImage(image)
        size = self._picture.deviceIndependentSize().toSize()
        self.setMinimumSize(size)
        self.resize(size.expandedTo(room))
        self.update()


class DrawingsDialog(QDialog):
    """Asks which sheets on which paper, shows them, and saves them.

    Parameters
    ----------
    dimensions
        Taken in the hall: the plans have them too.

    Attributes
    ----------
    sheets
        All that were asked for.
    """

    def __init__(
        self, look: Look, session: Session, parent: QWidget, dimensions: Sequence[PlanDimension] = ()
    ) -> None:
        super().__init__(parent)
        self._look, self._session, self._dimensions = look, session, dimensions
        self.sheets: list[Sheet] = []
        self.setWindowTitle(tr("Drawings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE_PX)
        column = QVBoxLayout(self)
        body = QHBoxLayout()
        side = QVBoxLayout()
        side.setSpacing(8)
        self.kinds: dict[str, QCheckBox] = {}
        for name, (_, title) in KINDS.items():
            box = self.kinds[name] = QCheckBox(title)
            box.setChecked(True)
            box.toggled.connect(self.draw)
            side.addWidget(box)
        self.paper, self.hall = DropDown(), DropDown()
        self._fill()
        form = QFormLayout()
        for title, field in ((tr("Paper"), self.paper), (tr("Hall"), self.hall)):
            field.setAccessibleName(title)
            form.addRow(title, field)
            field.currentIndexChanged.connect(self.draw)
        nest(side, form)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Sheets"))
        self.list.currentRowChanged.connect(self._show)
        side.addWidget(self.list, 1)
        nest(body, side)
        self.desk = QScrollArea()
        self.desk.setAccessibleName(tr("Desk"))
        self.desk.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.view = SheetView()
        self.desk.setWidget(self.view)
        body.addWidget(self.desk, 1)
        nest(column, body)
        column.setStretchFactor(body, 1)
        self.words = label("", "muted")
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        column.addWidget(self._buttons())
        for widget in (*self.kinds.values(), self.list):
            widget.setMaximumWidth(_SIDE_PX)
        self.draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the sheet as large as there is room now."""
        super().resizeEvent(event)
        self._show(self.list.currentRow())

    def draw(self) -> None:
        """Draw what is asked for now, and show the sheet that was shown, where it is still there."""
        document, plant = self._session.document, self._session.plant
        kept = (
            self.sheets[self.list.currentRow()].name if 0 <= self.list.currentRow() < len(self.sheets) else ""
        )
        self.sheets = []
        if document is not None and plant is not None:
            kinds = [name for name, box in self.kinds.items() if box.isChecked()]
            scenario, paper = document.scenario, str(self.paper.currentData())
            QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
            try:
                self.sheets = drawings(
                    scenario,
                    plant,
                    plant.catalog,
                    title_block(scenario),
                    kinds,
                    paper,
                    self.hall.currentData(),
                    self._dimensions,
                )
            finally:
                QApplication.restoreOverrideCursor()
        self.list.clear()
        self.list.addItems([f"{sheet.name}  {sheet.title}" for sheet in self.sheets])
        names = [sheet.name for sheet in self.sheets]
        self.list.setCurrentRow(names.index(kept) if kept in names else 0 if names else -1)
        for button in (self.pdf_button, self.svg_button):
            button.setEnabled(bool(self.sheets))

    def save(self, path: Path) -> None:
        """Write all sheets as PDF, or as an SVG each, and say so, or why not."""
        document = self._session.document
        assert document is not None
        title = document.scenario.title
        svg = path.suffix.lower() == ".svg"
        files = svg_names(self.sheets, path) if svg else {path: self.sheets}
        try:
            for file, sheets in files.items():
                write_whole(file, svg_bytes(sheets[0], title) if svg else pdf_bytes(sheets, title))
        except OSError as error:
            self.words.setText(tr("{path} is not written: {error}", path=path, error=error.strerror or error))
        else:
            self.words.setText(tr("Saved: {path}", path=", ".join(map(str, files))))

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        closer = buttons.addButton(tr("Closer"), role)
        farther = buttons.addButton(tr("Farther"), role)
        self.svg_button = buttons.addButton(tr("Save as SVG\N{HORIZONTAL ELLIPSIS}"), role)
        self.pdf_button = buttons.addButton(tr("Save as PDF\N{HORIZONTAL ELLIPSIS}"), role)
        self.pdf_button.setProperty("role", "primary")
        for button in buttons.buttons():
            button.setIcon(QIcon())
        closer.clicked.connect(lambda: self.view.zoom_by(_CLOSER))
        farther.clicked.connect(lambda: self.view.zoom_by(1.0 / _CLOSER))
        self.svg_button.clicked.connect(lambda: self._ask(".svg", tr("Vector pictures (*.svg)")))
        self.pdf_button.clicked.connect(lambda: self._ask(".pdf", tr("Documents (*.pdf)")))
        buttons.rejected.connect(self.reject)
        return buttons

    def _fill(self) -> None:
        for paper in PAPERS:
            self.paper.addItem(paper, paper)
        self.paper.setCurrentIndex(list(PAPERS).index("A3"))
        plant = self._session.plant
        self.hall.addItem(tr("All halls"), None)
        if plant is not None:
            for id, title in zip(plant.halls.ids, plant.halls.titles, strict=True):
                self.hall.addItem(title or id, id)

    def _ask(self, ending: str, words: str) -> None:
        path = file_to_write(self._session, self, tr("Save drawings"), {ending: words})
        if path is not None:
            self.save(path)

    def _show(self, row: int) -> None:
        sheet = self.sheets[row] if 0 <= row < len(self.sheets) else None
        self.view.show_sheet(sheet, self.desk.viewport().size())
        self.words.setText("" if sheet is not None else tr("Choose at least one kind of sheet."))
