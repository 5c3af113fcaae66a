"""Lessons on the welcome page: those that were begun, then the first ones of each course, and the way to all."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.teach.courses import LessonEntry, lesson_entries, place_of, progress_of
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.shown_text import one_line

_CARDS, _CARD_PX = 3, 348
_LETTERS = 70


class LessonCard(QFrame):
    """One lesson; a click or Enter begins it, or goes on with it."""

    chosen = Signal(object)  # Path

    def __init__(self, entry: LessonEntry, person: str) -> None:
        super().__init__()
        self.path = entry.path
        lesson, result = entry.lesson, progress_of(entry.path, person) if person else None
        self.setProperty("role", "card")
        self.setMinimumWidth(_CARD_PX // 2)
        self.setMaximumWidth(_CARD_PX)
        self.setMinimumHeight(scaled(104))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(tr("Open this lesson (Enter)"))
        column = QVBoxLayout(self)
        column.setContentsMargins(15, 11, 15, 11)
        column.setSpacing(4)
        column.addWidget(label(one_line(lesson.course, _LETTERS), "muted", wrap=True))
        column.addWidget(label(one_line(lesson.title, _LETTERS), "title", wrap=True))
        column.addWidget(label(one_line(lesson.learnt[0], 2 * _LETTERS), "muted", wrap=True))
        column.addStretch(1)
        length = tr("about {minutes} min", minutes=lesson.minutes)
        if result is None:
            state = tr("Begin: {length}", length=length)
        elif result.finished:
            state = tr("Done: {length}", length=length)
        else:
            number, steps = place_of(result, lesson) + 1, len(lesson.steps)
            state = tr("Go on at step {number} of {steps}", number=number, steps=steps)
        column.addWidget(label(state, "value"))
        self.setAccessibleName(f"{lesson.title}. {state}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the lesson."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the lesson by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.path)
        else:
            super().keyPressEvent(event)


class LessonCards(QWidget):
    """A few lessons, and the button to all."""

    chosen = Signal(object)  # Path
    all_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._row = QHBoxLayout()
        self._row.setSpacing(16)
        both = QHBoxLayout()
        nest(both, self._row, 1)
        both.addStretch(0)
        nest(column, both)
        self.all_button = QPushButton(tr("All lessons"))
        self.all_button.setProperty("role", "link")
        self.all_button.setToolTip(tr("All lessons by course (Ctrl+L)"))
        self.all_button.clicked.connect(lambda: self.all_wanted.emit())
        column.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.cards: list[LessonCard] = []
        self._of: tuple[list[Path], str] = ([], "")
        self._is_stale = False
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fill)

    def refresh(self, own: list[Path], person: str) -> None:
        """Show the lessons as they are now, as soon as the page is on screen."""
        self._of, self._is_stale = (own, person), True
        self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the lessons once somebody looks: a program that begins with a hall has no need of them."""
        super().showEvent(event)
        if self._is_stale:
            self._soon.start()

    def _fill(self) -> None:
        if not self.isVisible():
            return
        self._is_stale = False
        own, person = self._of
        entries = lesson_entries(own)
        clear(self._row)
        self.cards = [LessonCard(entry, person) for entry in first_shown(entries, person)]
        for card in self.cards:
            card.chosen.connect(lambda path: self.chosen.emit(path))
            self._row.addWidget(card, 1)
        self.all_button.setText(tr("All lessons ({count})", count=len(entries)))


def first_shown(entries: list[LessonEntry], person: str) -> list[LessonEntry]:
    """Return the lessons to show first: those that were begun, then of each course the next that is not done."""
    begun, ahead, courses = [], [], set()
    for entry in entries:
        result = progress_of(entry.path, person) if person else None
        if result is not None and result.finished:
            continue
        if result is not None:
            begun.append(entry)
        elif entry.lesson.course not in courses:
            courses.add(entry.lesson.course)
            ahead.append(entry)
    return [*begun, *ahead, *(entry for entry in entries if entry not in (*begun, *ahead))][:_CARDS]
