"""The array dialog: how many along and across, how far apart; the ghost in the hall follows every figure."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from twin.app.outliner.labels import counted_gpus
from twin.app.placing.array_preview import Preview
from twin.app.toolkit import text
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.commands.room.copies import Array
from twin.language import counted, tr
from twin.units import UnitError, parse, render

_MOST = 512


class ArrayDialog(QDialog):
    """Asks for an array of things.

    Parameters
    ----------
    look
        Colour of what is wrong.
    ids
        What is repeated.
    pitch
        To begin with, along x and y [m].
    preview
        Returns what an array would be, and shows its ghost.
    done
        Makes it; returns whether it was made or is on its way.
    ended
        Called once, when nothing is to be shown any more.
    """

    def __init__(
        self,
        look: Look,
        ids: tuple[str, ...],
        pitch: tuple[float, float],
        preview: Callable[[Array], Preview],
        done: Callable[[Array], bool],
        ended: Callable[[], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._look, self._ids, self._preview, self._done = look, ids, preview, done
        self.setWindowTitle(tr("Array"))
        self.setMinimumWidth(360)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        what = ids[0] if len(ids) == 1 else tr("{count:,} items", count=len(ids))
        column.addWidget(label(tr("Array of {what}", what=what), "title"))
        form = QFormLayout()
        self.columns, self.rows = CountBox(1, _MOST, doubles=False), CountBox(1, _MOST, doubles=False)
        self.columns.setValue(4)
        self.pitch_x, self.pitch_y = QLineEdit(), QLineEdit()
        for field, pitch_m in zip((self.pitch_x, self.pitch_y), pitch, strict=True):
            field.setText(render(pitch_m, "length", unit="m"))
            field.textChanged.connect(lambda _: self._update())
        for box in (self.columns, self.rows):
            box.setKeyboardTracking(True)
            box.valueChanged.connect(lambda _: self._update())
        lines = (
            (tr("Along the rows"), self.columns, self.pitch_x, "x"),
            (tr("Across the rows"), self.rows, self.pitch_y, "y"),
        )
        for title, box, field, axis in lines:
            box.setAccessibleName(tr("Number {title}", title=title.lower()))
            box.setToolTip(plain_tip(tr("Places {title}, originals included", title=title.lower())))
            field.setAccessibleName(tr("Pitch {title}", title=title.lower()))
            field.setToolTip(
                plain_tip(tr("Distance along {axis}, with unit; negative: opposite direction", axis=axis))
            )
            pair = QHBoxLayout()
            pair.addWidget(box, 1)
            pair.addWidget(label("every", "muted"))
            pair.addWidget(field, 1)
            form.addRow(title, pair)
        nest(column, form)
        self.figures = label("", "value", wrap=True)
        self.told = label("", "muted", wrap=True)
        column.addWidget(self.figures)
        column.addWidget(self.told)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.make_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.make_button.setText(tr("Create"))
        for button in self.buttons.buttons():
            button.setIcon(QIcon())  # some desktops put pictures there
        self.make_button.setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        self.finished.connect(lambda _: ended())
        self._update()
        self.columns.setFocus()
        self.columns.selectAll()

    def accept(self) -> None:
        """Make the array; stay where it was refused."""
        array = self._array()
        if array is not None and self._done(array):
            super().accept()

    def _array(self) -> Array | None:
        try:
            pitch = (
                parse(_metres(self.pitch_x.text()), "length"),
                parse(_metres(self.pitch_y.text()), "length"),
            )
        except UnitError as error:
            self._tell(str(error), wrong=True)
            return None
        return Array(self._ids, self.columns.value(), self.rows.value(), pitch)

    def _update(self) -> None:
        array = self._array()
        self.make_button.setEnabled(False)
        if array is None:
            return
        found = self._preview(array)
        parts = [f"+ {counted(found.copies, 'copy')}"]
        if found.racks:
            parts.append(counted(found.racks, "rack"))
        if found.gpus:
            parts += [
                counted_gpus(found.gpus),
                tr("{power} design load", power=text.quantity(found.power_w, "W")),
            ]
        self.figures.setText("   ".join(parts))
        self.make_button.setEnabled(not found.reason)
        self._tell(found.reason or found.doubt or tr("It fits"), wrong=bool(found.reason))

    def _tell(self, words: str, *, wrong: bool) -> None:
        self.told.setText(f"{chr(0x26A0)} {words}" if wrong else words)
        self.told.setStyleSheet(f"color: {self._look.theme.alarm};" if wrong else "")


def _metres(words: str) -> str:
    """Return a length with its unit: a bare number is in metres."""
    bare = words.strip().lstrip("-+").replace(".", "", 1).isdigit()
    return f"{words.strip()} m" if bare else words.strip()
