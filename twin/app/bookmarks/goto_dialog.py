"""Asks for a time of the run, in whatever way people write it, and for the note of a bookmark."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.bookmarks.view_file import MOST_NOTE_LETTERS
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import elapsed
from twin.language import tr
from twin.scenario.reading.run_times import EXAMPLES, NoTime, Times

_WIDTH_PX = 420


class _Asking(QDialog):
    """A line to write on, a sentence under it, and two buttons."""

    def __init__(self, title: str, hint: str, do: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setMinimumWidth(_WIDTH_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(title, "title"))
        self.field = QLineEdit()
        self.field.setAccessibleName(title)
        self.field.setToolTip(plain_tip(hint))
        column.addWidget(self.field)
        self.said = label(hint, "muted", wrap=True)
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.setAutoDefault(False)
        cancel.setToolTip(tr("Close without a change (Esc)"))
        cancel.clicked.connect(self.reject)
        self.do_button = QPushButton(do)
        self.do_button.setProperty("role", "primary")
        self.do_button.setDefault(True)
        self.do_button.setToolTip(plain_tip(tr("{title} (Enter)", title=title)))
        self.do_button.clicked.connect(self.accept)
        row.addWidget(cancel)
        row.addWidget(self.do_button)
        nest(column, row)
        self.field.setFocus()


class GotoDialog(_Asking):
    """Goes to a time; says while one types which time that is, or why it is none.

    Parameters
    ----------
    times
        What the text is read against.
    """

    chosen = Signal(float)  # [s]

    def __init__(self, times: Times, clock: Clock, parent: QWidget) -> None:
        super().__init__(
            tr("Go to a time"), tr("For example: {examples}", examples=EXAMPLES), tr("Go"), parent
        )
        self._times, self._clock = times, clock
        self.field.setPlaceholderText("3d 4h, 2026-01-08 10:32, t+5400")
        self.field.textChanged.connect(self._say)
        self._say("")

    def accept(self) -> None:
        """Go there, when there is such a time."""
        try:
            t_s = self._times.read(self.field.text())
        except NoTime as error:
            self.said.setText(str(error))
            self.field.selectAll()
            return
        super().accept()
        self.chosen.emit(t_s)

    def _say(self, text: str) -> None:
        self.do_button.setEnabled(False)
        if not text.strip():
            self.said.setText(tr("For example: {examples}", examples=EXAMPLES))
            return
        try:
            t_s = self._times.read(text)
        except NoTime as error:
            self.said.setText(str(error))
        else:
            self.do_button.setEnabled(True)
            moment = self._clock.at(t_s)
            self.said.setText(
                tr(
                    "{moment:%a} {day} {moment:%b %Y  %H:%M:%S}, {time} after the start",
                    moment=moment,
                    day=moment.day,
                    time=elapsed(t_s),
                )
            )


class NoteDialog(_Asking):
    """Asks what is to be said about a time."""

    def __init__(self, title: str, note: str, take: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(title, tr("Optional note, saved beside the scene."), tr("Save"), parent)
        self._take = take
        self.field.setMaxLength(MOST_NOTE_LETTERS)
        self.field.setPlaceholderText(tr("What happens here?"))
        self.field.setText(note)
        self.field.selectAll()

    def accept(self) -> None:
        """Keep the note."""
        super().accept()
        self._take(self.field.text())
