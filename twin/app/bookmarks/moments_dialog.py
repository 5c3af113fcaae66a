"""The list of bookmarked times: go to one, change its note, delete it."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from twin.app.bookmarks.goto_dialog import NoteDialog
from twin.app.bookmarks.list_dialog import KeptDialog
from twin.app.bookmarks.view_file import TimeMark
from twin.app.bookmarks.views import Views
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_NONE = tr("No bookmarked times yet. Go to a time on the timeline, then bookmark it.")


class MomentsDialog(KeptDialog):
    """Shows the bookmarked times of the open scene."""

    chosen = Signal(float)  # [s]

    def __init__(self, views: Views, clock: Clock, parent: QWidget) -> None:
        super().__init__(
            views,
            tr("Bookmarked times"),
            tr("Enter goes there, F2 changes the note, Delete deletes."),
            tr("Bookmarked times of this scene"),
            tr("Times with notes; saved beside the scene"),
            _NONE,
            parent,
        )
        self._clock = clock
        self.resize(440, 360)
        self.list.itemActivated.connect(lambda _item: self._go())
        self.note_button = self._button(
            tr("Change note\N{HORIZONTAL ELLIPSIS}"), tr("Change the note (F2)"), self._note
        )
        self._begin(tr("Go to the selected time (Enter)"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the chosen one."""
        if event.key() == Qt.Key.Key_F2:
            self._note()
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        moments = self._views.moments
        self._list([f"{self._clock.says(moment.t_s)}    {moment.note or 'no note'}" for moment in moments])
        for row, moment in enumerate(moments):
            self.list.item(row).setToolTip(
                plain_tip(f"{self._clock.since(moment.t_s)}\n{moment.note}".strip())
            )
        self._tell()

    def _current(self) -> TimeMark | None:
        row = self.list.currentRow()
        return self._views.moments[row] if 0 <= row < len(self._views.moments) else None

    def _note(self) -> None:
        moment = self._current()
        if moment is not None:
            NoteDialog(
                tr("Note of the bookmark"), moment.note, lambda note: self._views.note(moment, note), self
            ).open()

    def _delete(self) -> None:
        moment = self._current()
        self._views.take_moments(bookmark for bookmark in self._views.moments if bookmark is not moment)

    def _go(self) -> None:
        moment = self._current()
        if moment is not None:
            self.chosen.emit(moment.t_s)
