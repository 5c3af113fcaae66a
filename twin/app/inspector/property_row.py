"""One property in the inspector: its name, a field of its kind, a badge of where the value comes from, a way back."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.inspector.names_field import NamesField
from twin.app.inspector.property_fields import Property
from twin.app.inspector.property_values import PropertyState
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.plain_text import plain_tip

_NONE = "none"


class PropertyRow(QObject):
    """A field that tells what was entered once it is meant: at Enter, when it is left, when something is picked.

    Attributes
    ----------
    of
        What is set.
    field
        The widget that takes the keyboard.
    """

    entered = Signal(object)  # text, None: back to the default

    def __init__(self, look: Look, one: Property) -> None:
        super().__init__()
        self._look, self.of = look, one
        self._now = PropertyState("")
        self._filling = False
        self.name = label(one.title, "muted", wrap=True)
        self.name.setToolTip(plain_tip(one.tip))
        self.field = self._make()
        self.field.setToolTip(plain_tip(one.tip))
        self.field.setAccessibleName(one.title)
        self.name.setBuddy(self.field)
        self.badge = label("", "badge")
        self.reset = tool_button(look, "undo", f"Put {one.title} back to its default")
        self.reset.clicked.connect(lambda: self.entered.emit(None))
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        self._question = QWidget()
        self._agree, self._leave = QPushButton("Apply"), QPushButton("Cancel")
        self._question.hide()
        self._agreed: Callable[[], None] = self.settle

    def put_into(self, grid: QGridLayout, line: int) -> None:
        """Take a line of a grid, and the one below for what there is to tell."""
        top = Qt.AlignmentFlag.AlignVCenter
        wide = isinstance(self.field, NamesField)  # a list takes the line below for itself
        grid.addWidget(self.name, line, 0, 1, 2 if wide else 1, top)
        if not wide:
            grid.addWidget(self.field, line, 1)
        grid.addWidget(self.badge, line, 2, top)
        grid.addWidget(self.reset, line, 3, top)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        buttons = QHBoxLayout(self._question)
        buttons.setContentsMargins(0, 0, 0, 4)
        buttons.addWidget(self._agree)
        buttons.addWidget(self._leave)
        buttons.addStretch(1)
        self._agree.clicked.connect(lambda: self._agreed())
        self._leave.clicked.connect(self.restore)
        if wide:
            column.addWidget(self.field)
        column.addWidget(self.told)
        column.addWidget(self._question)
        grid.addWidget(below, line + 1, 0, 1, 4)

    # -- showing ----

    def show(self, now: PropertyState) -> None:
        """Show how the property stands, unless somebody is typing."""
        self._now = now
        self.badge.setText(now.source)
        self.badge.setVisible(bool(now.source))
        self.badge.setToolTip(plain_tip(now.hint))
        self.badge.setAccessibleName(f"{self.of.title}: {now.source}. {now.hint}")
        self.reset.setVisible(now.resettable)
        if not self.changed and self.told.isHidden():
            self._fill()

    @property
    def changed(self) -> bool:
        """Return whether the field holds something that was not entered yet."""
        return isinstance(self.field, QLineEdit) and self.field.isModified()

    @property
    def text(self) -> str:
        """Return what stands in the field."""
        if isinstance(self.field, QLineEdit):
            return self.field.text()
        if isinstance(self.field, QComboBox):
            return self.field.currentText()
        return "true" if self.field.isChecked() else "false"

    def refuse(self, reason: str) -> None:
        """Tell why what stands in the field was not done; it stays there to be put right."""
        self._question.hide()
        self.told.setText(f"\N{WARNING SIGN} {reason[:1].upper()}{reason[1:]}")
        self.told.show()
        self.field.setStyleSheet(f"border: 1px solid {self._look.theme.alarm};")
        self.field.setAccessibleDescription(reason)

    def ask(self, words: str, agree: Callable[[], None]) -> None:
        """Tell what goes along, and do it only when that is meant."""
        self.told.setText(words)
        self.told.show()
        self._agreed = agree
        self._question.show()

    def settle(self) -> None:
        """What was entered is done, or on its way."""
        self.told.hide()
        self._question.hide()
        self.field.setStyleSheet("")
        self.field.setAccessibleDescription("")
        if isinstance(self.field, QLineEdit):
            self.field.setModified(False)

    def restore(self) -> None:
        """Take back what was typed."""
        self.settle()
        self._fill()

    # -- the field ----

    def _make(self) -> QLineEdit | QComboBox | QCheckBox:
        kind = self.of.kind
        if kind == "switch":
            box = QCheckBox()
            box.clicked.connect(self._on_switch)
            return box
        if kind in ("choice", "reference", "part"):
            return self._combo()
        if kind == "names":
            line: QLineEdit = NamesField(self._look, self.of.choices, self.of.title)
            line.picked.connect(self.entered.emit)  # type: ignore[attr-defined]
        else:
            line = QLineEdit()
        line.setMinimumWidth(60)
        line.returnPressed.connect(self._commit)
        line.editingFinished.connect(self._commit)
        line.installEventFilter(self)
        return line

    def _combo(self) -> QComboBox:
        combo = QComboBox()
        combo.setMinimumContentsLength(3)  # else the way back is pushed out of a narrow dock
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        if self.of.optional:
            combo.addItem(_NONE)
        combo.addItems(list(self.of.choices))
        combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        combo.installEventFilter(self)
        if self.of.kind == "part":
            combo.setEditable(True)
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            completer = QCompleter(list(self.of.choices), combo)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            line = QLineEdit()
            line.setStyleSheet("border: none; background: transparent; padding: 0;")  # the list has these
            combo.setLineEdit(line)
            combo.setCompleter(completer)
            line.setAccessibleName(self.of.title)
            line.editingFinished.connect(self._on_picked)
        combo.activated.connect(self._on_picked)
        return combo

    def _fill(self) -> None:
        """Put what stands into the field."""
        self._filling = True
        now, field = self._now, self.field
        if isinstance(field, NamesField):
            field.stand(now.text)
            field.setPlaceholderText(now.ghost)
        elif isinstance(field, QLineEdit):
            if field.text() != now.text:
                field.setText(now.text)
                field.setCursorPosition(0)
            field.setPlaceholderText(now.ghost)
        elif isinstance(field, QCheckBox):
            field.setTristate(now.mixed)
            state = Qt.CheckState.Checked if now.text == "true" else Qt.CheckState.Unchecked
            field.setCheckState(Qt.CheckState.PartiallyChecked if now.mixed else state)
        elif isinstance(field, QComboBox):
            field.setPlaceholderText(now.ghost or _NONE)
            line = field.lineEdit()
            if line is not None:
                line.setPlaceholderText(now.ghost or _NONE)
            place = field.findText(now.text) if now.text else -1
            field.setCurrentIndex(place)
            if line is not None:
                line.setText(now.text)
                line.setCursorPosition(0)
        self._filling = False

    def _on_switch(self, on: bool) -> None:
        if isinstance(self.field, QCheckBox):
            self.field.setTristate(False)
            self.entered.emit("true" if self.field.isChecked() else "false")

    def _on_picked(self, *_place: object) -> None:
        if self._filling or not isinstance(self.field, QComboBox):
            return
        words = self.field.currentText().strip()
        if words == _NONE and self.of.optional:
            if self._now.resettable or self._now.text:
                self.entered.emit(None if self._now.resettable else "")
            return
        if words and words != self._now.text:
            self.entered.emit(words)

    @property
    def _typing(self) -> bool:
        line = self.field.lineEdit() if isinstance(self.field, QComboBox) else self.field
        return isinstance(line, QLineEdit) and line.isModified()

    def _commit(self) -> None:
        field = self.field
        if not isinstance(field, QLineEdit) or not field.isModified():
            return
        words = field.text().strip()
        if words == self._now.text:
            self.restore()
            return
        field.setModified(False)  # leaving the field is no second entry
        if not words and self._now.resettable:
            self.entered.emit(None)
        elif words or self.of.kind in ("text", "names"):
            self.entered.emit(words)
        else:
            self.restore()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape takes back what was typed, undo and redo are the scene's; the wheel turns the page, not a list.

        The page is turned where the wheel passes over a list, and a field has undo and redo of its own while it
        holds what was not entered yet.
        """
        escapes = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escapes and (self.changed or self.told.isVisible()):
            if event.type() == QEvent.Type.ShortcutOverride:  # Escape would clear the selection
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.restore()
                return True
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = QKeySequence.StandardKey
            if not self._typing and (event.matches(key.Undo) or event.matches(key.Redo)):
                event.ignore()  # the field would take it, and has nothing to take back
                return True
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QComboBox) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
