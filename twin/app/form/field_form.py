"""A form that scrolls: fields by path, laid out anew where other fields are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from twin.app.form.field import Field
from twin.app.form.row import FieldRow, form_grid
from twin.app.toolkit.look import Look, label


class FieldForm(QScrollArea):
    """Holds fields that change together with what is set, between pieces that stay.

    Parameters
    ----------
    name
        What is set, for readers of the screen.

    Attributes
    ----------
    rows
        Fields by path, in the order shown.
    """

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the keyboard
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._look = look
        self.rows: dict[str, FieldRow] = {}
        self._body = QWidget()
        self._place = 0  # of the fields that change, among the pieces
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(14, 10, 12, 10)
        self._column.setSpacing(0)
        self.setWidget(content)

    @property
    def needed_px(self) -> int:
        """Return the width in which no field is cut [px]."""
        return self._column.totalMinimumSize().width() + self.verticalScrollBar().sizeHint().width()

    @abstractmethod
    def _enter(self, of: Field, text: str) -> None:
        """Tell of what was entered into a field."""

    def _stack(self, above: Sequence[QWidget] = (), below: Sequence[QWidget] = ()) -> None:
        """Put the fields that change between pieces that stay."""
        self._place = len(above)
        for piece in (*above, self._body, *below):
            self._column.addWidget(piece)
        self._column.addStretch(1)

    def _begin_body(self) -> QGridLayout:
        """Take away the fields that change; return the grid for those in their place."""
        self._body.hide()
        self._body.deleteLater()
        self._body = QWidget()
        return form_grid(self._body)

    def _show_body(self, fields: Iterable[QWidget]) -> None:
        """Show the new fields; Tab goes through all fields in their order."""
        self._column.insertWidget(self._place, self._body)
        for before, field in pairwise(fields):  # they came last: Tab would pass the whole dialog before them
            QWidget.setTabOrder(before, field)

    def _row(self, of: Field, grid: QGridLayout, line: int) -> FieldRow:
        row = FieldRow(self._look, of)
        row.entered.connect(partial(self._enter, of))
        row.put_into(grid, line)
        return row


def add_heading(grid: QGridLayout, heading: str, columns: int = 3) -> int:
    """Add a heading to a grid of fields; return its line."""
    line = grid.rowCount()
    head = label(heading.upper(), "section")
    head.setContentsMargins(0, 9, 0, 1)
    grid.addWidget(head, line, 0, 1, columns)
    return line
