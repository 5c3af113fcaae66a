"""A table of things that happened at a time: events and alarms share how they say when, and how they save room."""

from __future__ import annotations

from PySide6.QtCore import Qt

from twin.app.toolkit.clock import Clock
from twin.app.toolkit.column_model import ColumnModel
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import elapsed
from twin.record.events import Severity

SEVERITY_ICONS = {
    Severity.INFO: "info",
    Severity.NOTICE: "notice",
    Severity.WARNING: "warning",
    Severity.ALARM: "alarm",
}


class MomentModel(ColumnModel):
    """A table model whose rows have a time and a severity.

    Parameters
    ----------
    look
        Theme and icons.
    titles
        One of each column.
    signs
        Columns that shrink to a sign where the table is narrow.
    """

    def __init__(self, look: Look, titles: tuple[str, ...], signs: tuple[int, ...]) -> None:
        super().__init__(titles)
        self._look, self._signs = look, signs
        self._clock: Clock | None = None
        self._wordy = True
        look.changed.connect(self._repaint)

    def tell_time_by(self, clock: Clock) -> None:
        """Write times of another run's clock."""
        self._clock = clock
        self._repaint()

    def use_words(self, wordy: bool) -> None:
        """Choose words or only signs in the columns that allow it: a narrow table keeps room for the text."""
        if wordy != self._wordy:
            self._wordy = wordy
            self._repaint()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, min(self._signs), max(self._signs))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the title of a column; none over mere signs."""
        bare = role == Qt.ItemDataRole.DisplayRole and section in self._signs and not self._wordy
        return "" if bare else super().headerData(section, orientation, role)

    def _time(self, t_s: float) -> str:
        return elapsed(t_s) if self._clock is None else self._clock.says(t_s)

    def _moment(self, t_s: float) -> str:
        """Return the time, and how long after the start that is."""
        since = "" if self._clock is None else f", {self._clock.since(t_s)}"
        return f"{self._time(t_s)}{since}"

    def _repaint(self, *_theme: object) -> None:
        rows = self.rowCount()
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, self.columnCount() - 1))
