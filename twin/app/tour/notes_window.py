"""The presenter's window: what to say now, what comes next, how long it has taken; it remembers its screen."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QElapsedTimer, QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication, QScreen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label, line
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.text import elapsed
from twin.app.tour.prose_view import ProseView
from twin.app.tour.tour import Tour
from twin.language import tr
from twin.markdown_text import read_markdown, with_figures
from twin.shown_text import one_line

_SCREEN = "presenter screen"
_NOTES_PX = 17


class NotesWindow(QWidget):
    """A window of its own, for the presenter alone."""

    left = Signal()  # somebody closed it

    def __init__(self, look: Look, settings: UserSettings, tour: Tour, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Window)
        self._tour, self._settings = tour, settings
        self._since = QElapsedTimer()
        self.setWindowTitle(tr("Presenter's notes"))
        self.resize(themes.scaled(640), themes.scaled(560))
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 18)
        column.setSpacing(10)
        self.time, self.moment = label("", "clock"), label("", "muted")
        self.time.setAccessibleName(tr("Time since the presentation began"))
        self.title, self.next = label("", "title", wrap=True), label("", "value", wrap=True)
        self.notes = ProseView(look)
        self.notes.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        head = QHBoxLayout()
        head.addWidget(self.time)
        head.addStretch(1)
        head.addWidget(self.moment)
        nest(column, head)
        column.addWidget(line())
        column.addWidget(self.title)
        column.addWidget(self.notes, 1)
        column.addWidget(line())
        column.addWidget(self.next)
        nest(column, self._buttons())
        self._second = QTimer(self)
        self._second.setInterval(500)
        self._second.timeout.connect(self.tell)

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for words, tip, act in (
            (tr("Back"), tr("The chapter before (Page Up)"), self._tour.back),
            (tr("Pause"), tr("Pause, or play on (Space)"), self._tour.toggle),
            (tr("Next"), tr("The next chapter (Page Down)"), self._tour.next),
        ):
            button = QPushButton(words)
            button.setToolTip(plain_tip(tip))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _=False, act=act: act())
            row.addWidget(button)
        row.addStretch(1)
        return row

    def begin(self) -> None:
        """Show it on the screen where it stood last, else on one that does not show the hall, and count the time."""
        self._since.start()
        self._second.start()
        screen = self._wanted()
        if screen is not None:
            room = screen.availableGeometry()
            size = self.size().boundedTo(room.size())
            self.resize(size)
            self.move(room.center().x() - size.width() // 2, room.center().y() - size.height() // 2)
        self.tell()
        self.show()

    def end(self) -> None:
        """Put it away, and remember its screen."""
        self._second.stop()
        if self.isVisible():
            self._settings.keep(_SCREEN, [self.screen().name()])
        self.hide()

    def tell(self) -> None:
        """Show the chapter, its notes and the next one."""
        tour = self._tour
        stop, later = tour.stop, tour.following
        self.time.setText(elapsed(self._since.elapsed() / 1000.0 if self._since.isValid() else 0.0))
        if stop is None:
            return
        session = tour.session
        self.moment.setText(session.clock.says(session.shown_s) if session.document is not None else "")
        self.title.setText(f"{stop.number}. {one_line(stop.chapter.title)}")
        notes = read_markdown(stop.chapter.notes or tr("No notes for this chapter."))
        self.notes.show_blocks(with_figures(notes, tour.figure), themes.scaled(_NOTES_PX))
        words = one_line(later.chapter.title) if later is not None else tr("the end")
        self.next.setText(tr("Next: {title}", title=words))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the presentation to itself: the notes alone go."""
        self.end()
        self.left.emit()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Letters follow the size of text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self.tell()

    def _wanted(self) -> QScreen | None:
        """Return the screen it stood on last, else one that does not show the hall."""
        kept, parent = self._settings.kept(_SCREEN), self.parentWidget()
        shown = parent.screen() if parent is not None else None
        screens = QGuiApplication.screens()
        known = [screen for screen in screens if screen.name() in kept]
        others = [screen for screen in screens if screen is not shown]
        return next(iter([*known, *others]), None)
