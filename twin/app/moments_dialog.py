"""The list of bookmarked times: go to one, change its note, delete it."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.clock import Clock
from twin.app.goto_dialog import NoteDialog
from twin.app.look import label
from twin.app.theme import scaled
from twin.app.view_file import Moment
from twin.app.views import Views

_ROW_PX = 30
_NONE = "No time is kept yet. Go to one on the timeline, then bookmark it."


class MomentsDialog(QDialog):
    """Shows the bookmarked times of the open scene; each change acts at once."""

    chosen = Signal(float)  # [s]

    def __init__(self, views: Views, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._views, self._clock = views, clock
        self.setWindowTitle("Bookmarked times")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(440, 360)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label("Bookmarked times", "title"))
        column.addWidget(label("Enter goes there, F2 changes the note, Delete deletes.", "muted", wrap=True))
        self.list = QListWidget()
        self.list.setAccessibleName("Bookmarked times of this scene")
        self.list.setToolTip("Times with notes; saved beside the scene")
        self.list.itemActivated.connect(lambda _item: self._go())
        column.addWidget(self.list, 1)
        self.none = label(_NONE, "muted", wrap=True)
        column.addWidget(self.none)
        row = QHBoxLayout()
        self.note_button = _button(
            "Change note\N{HORIZONTAL ELLIPSIS}", "Say something else about it (F2)", self._note
        )
        self.delete_button = _button("Delete", "Forget the chosen one (Delete)", self._delete)
        self.go_button = _button("Go", "Look at the chosen time (Enter)", self._go)
        self.go_button.setProperty("role", "primary")
        row.addWidget(self.note_button)
        row.addWidget(self.delete_button)
        row.addStretch(1)
        row.addWidget(self.go_button)
        column.addLayout(row)
        views.changed.connect(self._fill)
        self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the chosen one."""
        if event.key() == Qt.Key.Key_Delete:
            self._delete()
        elif event.key() == Qt.Key.Key_F2:
            self._note()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Stop listening."""
        self._views.changed.disconnect(self._fill)
        super().done(result)

    def _fill(self) -> None:
        row, moments = self.list.currentRow(), self._views.moments
        self.list.clear()
        for moment in moments:
            item = QListWidgetItem(f"{self._clock.says(moment.t_s)}    {moment.note or 'no note'}")
            item.setSizeHint(QSize(0, scaled(_ROW_PX)))
            item.setToolTip(f"{self._clock.since(moment.t_s)}\n{moment.note}".strip())
            self.list.addItem(item)
        self.list.setCurrentRow(min(max(row, 0), len(moments) - 1))
        self.none.setVisible(not moments)
        for button in (self.note_button, self.delete_button, self.go_button):
            button.setEnabled(bool(moments))

    def _current(self) -> Moment | None:
        row = self.list.currentRow()
        return self._views.moments[row] if 0 <= row < len(self._views.moments) else None

    def _note(self) -> None:
        moment = self._current()
        if moment is not None:
            NoteDialog(
                "Note of the bookmark", moment.note, lambda note: self._views.note(moment, note), self
            ).open()

    def _delete(self) -> None:
        moment = self._current()
        self._views.take_moments(one for one in self._views.moments if one is not moment)

    def _go(self) -> None:
        moment = self._current()
        if moment is not None:
            self.chosen.emit(moment.t_s)


def _button(word: str, tip: str, do: object) -> QPushButton:
    made = QPushButton(word)
    made.setToolTip(tip)
    made.setAutoDefault(False)
    made.clicked.connect(do)
    return made
