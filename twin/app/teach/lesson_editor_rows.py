"""Rows of the editor's forms: a field of the program's form, or a text of several lines with the same manners."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.form.field import FieldState
from twin.app.form.row import FieldRow, form_grid
from twin.app.teach.lesson_editor_fields import EditorField
from twin.app.teach.lesson_editor_model import LessonInWriting, reason_of
from twin.app.teach.markdown_view import MarkdownView
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_LINES = {"prose": 4, "lines": 3, "pairs": 3}
_TALL_LINES = 8
PREVIEW_MS = 200
"""So long after the last letter a text is shown as learners see it."""
_EDGES_PX = 20


class TextRow(QObject):
    """A text of several lines that tells what was entered when it is left, as `FieldRow` does."""

    entered = Signal(str)

    def __init__(self, look: Look, spot: EditorField, folder: Path | None) -> None:
        super().__init__()
        self._look, self._now = look, FieldState("")
        of = spot.of
        self.name = label(of.title, "muted")
        self.field = QPlainTextEdit()
        self.field.setProperty("role", "writing")
        self.field.setTabChangesFocus(True)
        self.field.setAccessibleName(of.title)
        self.field.setPlaceholderText(of.tip)
        self.field.setToolTip(plain_tip(of.tip))
        lines = _TALL_LINES if spot.shown else _LINES[spot.shape]
        self.field.setFixedHeight(lines * self.field.fontMetrics().lineSpacing() + _EDGES_PX)
        self.field.installEventFilter(self)
        self.name.setBuddy(self.field)
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        self.preview: MarkdownView | None = None
        self._frame = QFrame()
        if spot.shown:
            self._frame.setProperty("role", "tile")
            column = QVBoxLayout(self._frame)
            column.setContentsMargins(10, 8, 10, 8)
            self.preview = MarkdownView(look, folder)
            column.addWidget(self.preview)
            self._soon = QTimer(self.field, singleShot=True, interval=PREVIEW_MS)
            self._soon.timeout.connect(self._show_preview)
            self.field.textChanged.connect(self._soon.start)

    def put_into(self, column: QVBoxLayout) -> None:
        """Stand in a column: name, text, why it was refused, how it will look."""
        for widget in (self.name, self.field, self.told):
            column.addWidget(widget)
        if self.preview is not None:
            column.addWidget(label(tr("As learners see it"), "faint"))
            column.addWidget(self._frame)

    @property
    def changed(self) -> bool:
        """Return whether it holds something that was not entered yet."""
        return self.field.document().isModified()

    def show(self, now: FieldState) -> None:
        """Show how the text stands, unless somebody is typing."""
        self._now = now
        if not self.changed and self.told.isHidden():
            self._fill()

    def commit(self) -> None:
        """Enter what was typed."""
        if not self.changed:
            return
        if self.field.toPlainText() == self._now.text:
            self.restore()
            return
        self.field.document().setModified(False)
        self.entered.emit(self.field.toPlainText())

    def refuse(self, reason: str) -> None:
        """Tell why what stands there was not done; it stays to be put right."""
        self.told.setText(f"\N{WARNING SIGN} {reason[:1].upper()}{reason[1:]}")
        self.told.show()
        self.field.setStyleSheet(
            f'QPlainTextEdit[role="writing"] {{ border: 1px solid {self._look.theme.alarm}; }}'
        )
        self.field.setAccessibleDescription(reason)

    def settle(self) -> None:
        """What was entered is done."""
        self.told.hide()
        self.field.setStyleSheet("")
        self.field.setAccessibleDescription("")
        self.field.document().setModified(False)

    def restore(self) -> None:
        """Take back what was typed."""
        self.settle()
        self._fill()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter the text when it is left; Escape takes back what was typed."""
        if event.type() == QEvent.Type.FocusOut:
            self.commit()
        escapes = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escapes and (self.changed or self.told.isVisible()):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.restore()
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        if self.field.toPlainText() != self._now.text:
            self.field.setPlainText(self._now.text)
        self.field.document().setModified(False)
        self._show_preview()

    def _show_preview(self) -> None:
        if self.preview is not None:
            self._soon.stop()
            self.preview.show_text(self.field.toPlainText() or " ")


class FieldRows:
    """Rows of fields that write into the lesson what was entered, or say why it does not fit.

    Attributes
    ----------
    rows
        Each with what it writes.
    """

    moment_wanted = Signal(object)  # EditorField that shall take the time of the clock

    def __init__(self, look: Look, writing: LessonInWriting) -> None:
        self._look, self._writing = look, writing
        self.rows: list[tuple[EditorField, FieldRow | TextRow]] = []

    def add(self, spots: tuple[EditorField, ...], column: QVBoxLayout) -> None:
        """Add rows for fields to a column."""
        grid, line = None, 0
        for spot in spots:
            if spot.shape != "field":
                text = TextRow(self._look, spot, self._writing.folder)
                text.put_into(column)
                if text.preview is not None:
                    text.preview.show_figures(self._variants())
                self._take(spot, text)
                grid = None
                continue
            if grid is None:
                holder = QWidget()
                grid, line = form_grid(holder), 0
                column.addWidget(holder)
            row = FieldRow(self._look, spot.of)
            row.put_into(grid, line)
            if spot.timed:
                now = QPushButton(tr("From now"))
                now.setToolTip(plain_tip(tr("Take the time of the run as it stands")))
                now.setAccessibleName(tr("{title} from now", title=spot.of.title))
                now.clicked.connect(lambda _=False, each=spot: self.moment_wanted.emit(each))
                grid.addWidget(row.field, line, 1)
                grid.addWidget(now, line, 2, Qt.AlignmentFlag.AlignLeft)
            self._take(spot, row)
            line += 2

    def refresh(self) -> None:
        """Show how each field stands."""
        draft = self._writing.draft
        for spot, row in self.rows:
            if draft is not None:
                row.show(FieldState(spot.words(draft.value_at(spot.path))))

    def write_again(self) -> None:
        """Write what learners see in the colours of another theme."""
        for _, row in self.rows:
            if isinstance(row, TextRow) and row.preview is not None:
                row.preview.write()

    def commit(self) -> bool:
        """Enter what was typed and not entered yet; return whether nothing stands refused."""
        for _, row in list(self.rows):
            if isinstance(row, TextRow):
                row.commit()
            elif row.changed and isinstance(row.field, QLineEdit):
                row.field.editingFinished.emit()
        return all(row.told.isHidden() for _, row in self.rows)

    def enter(self, spot: EditorField, words: str) -> bool:
        """Write what was entered in a field; return whether it fits."""
        row = next((row for each, row in self.rows if each is spot), None)
        try:
            value = spot.value(words)
            if row is not None:
                row.settle()
            self._writing.set(spot.path, value)
        except ValueError as wrong:
            if row is not None:
                row.refuse(reason_of(wrong))
            return False
        return True

    def _variants(self) -> dict[str, str]:
        """Return the first value of each variant, as texts show it."""
        variants = self._writing.lesson.variants.items()
        return {
            name: first if isinstance(first := values[0], str) else f"{first:.10g}"
            for name, values in variants
            if values
        }

    def _take(self, spot: EditorField, row: FieldRow | TextRow) -> None:
        self.rows.append((spot, row))
        row.entered.connect(lambda words: self.enter(spot, words or ""))
