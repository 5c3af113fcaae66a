"""The chapters of a scene as a list in its story: a click goes to one, a button presents them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.tour.tour import Tour
from twin.language import tr
from twin.shown_text import one_line


class ChapterList(QWidget):
    """Follows the chapters of the open scene; hidden where it has none.

    Parameters
    ----------
    present
        Presents them from a chapter on; None: from the time on screen.
    """

    def __init__(self, look: Look, tour: Tour, present: Callable[[int | None], object]) -> None:
        super().__init__()
        self._tour = tour
        self._listed: list[tuple[int, float, str]] | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 8, 4)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(label(tr("CHAPTERS"), "section"))
        head.addStretch(1)
        self._listing = QWidget()
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(tr("Chapters"))
        self._area.setWidget(self._listing)
        self._grid = QGridLayout(self._listing)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self.present_button = QPushButton(tr("Present"))
        self.present_button.setProperty("role", "primary")
        self.present_button.setToolTip(tr("The hall fills the screen, and the chapters play (F5)"))
        look.dress(self.present_button, "play", "on_accent")
        self.present_button.clicked.connect(lambda: present(None))
        head.addWidget(self.present_button)
        nest(column, head)
        column.addWidget(self._area)
        self.lines: list[QPushButton] = []
        tour.changed.connect(self.write)
        self.write()

    def write(self) -> None:
        """List the chapters as they are now."""
        stops, session = self._tour.stops, self._tour.session
        listed = [(stop.number, stop.at_s, stop.chapter.title) for stop in stops]
        if listed == self._listed:
            return
        self._listed = listed
        clear(self._grid)
        self.lines = []
        for row, (number, at_s, title) in enumerate(listed):
            line = QPushButton(one_line(title).replace("&", "&&"))
            line.setProperty("role", "link")
            line.setAccessibleName(
                tr("Go to chapter {number}: {title}", number=number, title=one_line(title))
            )
            line.setToolTip(plain_tip(tr("Go to {time}", time=session.clock.says(at_s))))
            line.clicked.connect(partial(self._go, row))
            self._grid.addWidget(label(session.clock.says(at_s), "muted"), row, 0)
            self._grid.addWidget(line, row, 1)
            self.lines.append(line)
        self._limit()
        self.setVisible(bool(listed))

    def changeEvent(self, event: QEvent) -> None:
        """Lines follow the size of text."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self._listed is not None:
            self._limit()

    def _limit(self) -> None:
        """Take no more height than all lines need; with less room they scroll."""
        self._area.setMaximumHeight(self._listing.sizeHint().height())

    def _go(self, place: int, _checked: bool = False) -> None:
        self._tour.go(place, play=False)
