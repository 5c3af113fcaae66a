"""Messages that come by themselves: a stack of notes in the corner, never a box in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr

_WIDTH_PX = 400
_MARGIN_PX = 16
_MAX_NOTES = 4
_SHORT_MS = 6000


class Note(QFrame):
    """One message: title, sentence, details on demand, what to do about it."""

    def __init__(
        self,
        look: Look,
        trouble: Trouble,
        icon: str,
        colour: str,
        answers: Mapping[str, Callable[[], object]],
    ) -> None:
        super().__init__()
        self.trouble = trouble
        self.setProperty("role", "note")
        self.setFixedWidth(_WIDTH_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 10, 10)
        column.setSpacing(6)
        head = QHBoxLayout()
        mark = tool_button(look, icon, trouble.title, colour=colour)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        head.addWidget(mark)
        head.addWidget(label(trouble.title, "value"), 1)
        close = tool_button(look, "close", tr("Dismiss"))
        close.clicked.connect(self.dismiss)
        head.addWidget(close)
        nest(column, head)
        if trouble.text:
            column.addWidget(label(trouble.text, "muted", wrap=True))
        if trouble.detail:
            self._add_detail(column, trouble.detail)
        self.buttons = {word: QPushButton(word) for word in answers}
        if answers:
            row = QHBoxLayout()
            for place, (word, answer) in enumerate(answers.items()):
                button = self.buttons[word]
                if not place:
                    button.setProperty("role", "primary")
                button.clicked.connect(self.dismiss)
                button.clicked.connect(lambda _=False, answer=answer: answer())
                row.addWidget(button, 1)
            nest(column, row)

    def dismiss(self) -> None:
        """Take this note away."""
        stack = self.parentWidget()
        focused = QApplication.focusWidget()
        if isinstance(stack, Notifications) and focused is not None and self.isAncestorOf(focused):
            stack.give_focus_back()
        self.hide()
        self.setParent(None)
        self.deleteLater()
        if isinstance(stack, Notifications):
            stack.settle()

    def _add_detail(self, column: QVBoxLayout, detail: str) -> None:
        more = QPushButton(tr("Details"))
        more.setProperty("role", "link")
        text = QPlainTextEdit(detail)
        text.setReadOnly(True)
        text.setFont(themes.font(11, mono=True))
        text.setFixedHeight(150)
        text.hide()

        def toggle() -> None:
            text.setVisible(not text.isVisible())
            self.adjustSize()
            stack = self.parentWidget()
            if isinstance(stack, Notifications):
                stack.settle()

        more.clicked.connect(toggle)
        column.addWidget(more)
        column.addWidget(text)


class Notifications(QWidget):
    """The stack of notes at the lower right of a window."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self._look = look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        parent.installEventFilter(self)
        self._focused: QWidget | None = None  # before a note was
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]
        self.hide()

    @property
    def notes(self) -> list[Note]:
        """Return the notes on screen, oldest first."""
        return list(self.findChildren(Note, options=Qt.FindChildOption.FindDirectChildrenOnly))

    def tell(self, title: str, text: str = "") -> None:
        """Show something good to know; it goes by itself."""
        note = self._add(Note(self._look, Trouble(title, text), "info", "notice", {}))
        QTimer.singleShot(_SHORT_MS, note, note.dismiss)

    def warn(self, trouble: Trouble, resume: Callable[[], None] | None = None) -> None:
        """Show a problem until it is dismissed; the same problem again is not stacked."""
        if any(note.trouble == trouble for note in self.notes):
            return
        answers = {} if resume is None else {tr("Resume"): resume}
        self._add(Note(self._look, trouble, "alarm", "alarm", answers))

    def ask(
        self, trouble: Trouble, answers: Mapping[str, Callable[[], object]], *, alarm: bool = False
    ) -> Note:
        """Show something with answers to choose from, the first the usual one, until one is chosen; return it."""
        icon, colour = ("alarm", "alarm") if alarm else ("info", "notice")
        return self._add(Note(self._look, trouble, icon, colour, answers))

    def withdraw(self, *titles: str) -> None:
        """Take away notes of these titles: what they tell of is over."""
        for note in self.notes:
            if note.trouble.title in titles:
                note.dismiss()

    def dismiss_resumable(self) -> None:
        """Take away notes about a lost worker: it is back."""
        for note in self.notes:
            if note.trouble.resumable:
                note.dismiss()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner of the window, and on top."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.settle()
        return super().eventFilter(watched, event)

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and self.isAncestorOf(new) and old is not None and not self.isAncestorOf(old):
            self._focused = old

    def give_focus_back(self) -> None:
        """Let keys go where they went before somebody answered a note: not to the button that comes next."""
        before, self._focused = self._focused, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus()

    def _add(self, note: Note) -> Note:
        # What waits for an answer goes last.
        going = sorted(self.notes, key=lambda old: bool(old.buttons))
        for old in going[: max(0, len(going) + 1 - _MAX_NOTES)]:
            old.dismiss()
        self._column.addWidget(note)
        note.show()
        self.settle()
        return note

    def settle(self) -> None:
        """Take the size and place that the notes on screen need."""
        self.adjustSize()
        self.setVisible(bool(self.notes))
        window = self._window
        self.move(
            window.width() - self.width() - _MARGIN_PX, window.height() - self.height() - _MARGIN_PX - 28
        )
        self.raise_()
