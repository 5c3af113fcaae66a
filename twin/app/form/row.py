"""One field of a form: its name, an editor of its kind, its unit, and below them why what stands in it will not do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from twin.app.form.field import Field, FieldState
from twin.app.form.names_field import NamesField
from twin.app.form.places import NO_PLACE, PLACE_KEY, meant_place, place_title, place_titles
from twin.app.form.typed import step_range, step_unit, steps_in
from twin.app.toolkit import theme
from twin.app.toolkit.count_field import CountBox, CountSlider
from twin.app.toolkit.drop_down import DropDown, widen
from twin.app.toolkit.look import Look, label, with_role
from twin.app.toolkit.plain_text import plain_tip

_NONE = "none"
_BOX_PX = 116
_COMES = (QEvent.Type.FocusIn, QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress)
"""With one of these somebody comes to a field."""
FieldEditor = QLineEdit | QComboBox | QCheckBox | CountBox | CountSlider | QDoubleSpinBox


class FieldRow(QObject):
    """A field that tells what was entered once it is meant: at Enter, when it is left, when something is picked.

    Attributes
    ----------
    of
        What is set.
    field
        The widget that takes the keyboard.
    told
        Why what stands in it was refused.
    """

    entered = Signal(object)  # text, None: back to the default

    def __init__(self, look: Look, of: Field) -> None:
        super().__init__()
        self._look, self.of = look, of
        self._now = FieldState("")
        self._filling = False
        self._unset = NO_PLACE if of.key == PLACE_KEY else "default" if _NONE in of.choices else _NONE
        self.name = label(of.title, "muted")
        self.name.setToolTip(plain_tip(of.tip))
        self.field: FieldEditor = self._make()
        self.field.setToolTip(plain_tip(of.tip))
        self.field.setAccessibleName(of.title)
        self._describe()
        self.name.setBuddy(self.field)
        self.told = label("", "fault", wrap=True)
        self.told.hide()

    def put_into(self, grid: QGridLayout, line: int, indent: int = 0) -> None:
        """Take a line of a grid of three columns, and the one below for what there is to tell.

        Parameters
        ----------
        indent
            Column that switches and refusals begin in.
        """
        if isinstance(self.field, QCheckBox):
            self.field.setText(self.of.title)
            grid.addWidget(self.field, line, indent, 1, 3 - indent)
        else:
            grid.addWidget(self.name, line, 0)
            grid.addWidget(self.field, line, 1, 1, 1 if self.of.unit else 2)
        if self.of.unit:
            grid.addWidget(label(self.of.unit, "faint"), line, 2)
        grid.addWidget(self.told, line + 1, indent, 1, 3 - indent)

    # -- showing ----

    def show(self, now: FieldState) -> None:
        """Show how the field stands, unless somebody is typing."""
        self._now = now
        if not self.changed and self.told.isHidden():
            self._fill()

    def offer(self, choices: Sequence[str], titles: Sequence[str] = ()) -> None:
        """Let something else be chosen."""
        self.of = replace(self.of, choices=tuple(choices), titles=tuple(titles))
        if isinstance(self.field, QComboBox):
            self.field.clear()
            self._list(self.field)

    def follow(self, tell: Callable[[], None]) -> None:
        """Call something at every change, numbers half typed too, not only once what stands there is meant."""
        field = self.field

        def told(*_change: object) -> None:
            tell()

        if isinstance(field, QLineEdit):
            field.textChanged.connect(told)
        elif isinstance(field, QComboBox):
            field.currentTextChanged.connect(told)
        elif isinstance(field, QCheckBox):
            field.toggled.connect(told)
        elif not isinstance(field, CountSlider):
            field.setKeyboardTracking(True)
            field.valueChanged.connect(told)

    @property
    def changed(self) -> bool:
        """Return whether the field holds something that was not entered yet."""
        return isinstance(self.field, QLineEdit) and self.field.isModified()

    @property
    def text(self) -> str:
        """Return what stands in the field."""
        field = self.field
        if isinstance(field, QLineEdit):
            return field.text()
        if isinstance(field, QComboBox):
            if not field.isEditable():
                return field.currentData() or ""
            return meant_place(field.currentText()) if self.of.kind == "place" else field.currentText()
        if isinstance(field, QCheckBox):
            return "true" if field.isChecked() else "false"
        number = field.box.value() if isinstance(field, CountSlider) else field.value()
        return f"{number} {step_unit(self.of)[0]}".rstrip()

    def refuse(self, reason: str) -> None:
        """Tell why what stands in the field was not done; it stays there to be put right."""
        self.told.setText(f"\N{WARNING SIGN} {reason[:1].upper()}{reason[1:]}")
        self.told.show()
        border = f"border: 1px solid {self._look.theme.alarm};"
        if isinstance(self.field, QAbstractSpinBox):
            self.field.setStyleSheet(f"QAbstractSpinBox {{ {border} }}")  # not the line inside
        elif not isinstance(self.field, CountSlider):
            self.field.setStyleSheet(border)
        self._describe(reason)

    def settle(self) -> None:
        """What was entered is done, or on its way."""
        self.told.hide()
        self.field.setStyleSheet("")
        self._describe()
        if isinstance(self.field, QLineEdit):
            self.field.setModified(False)

    def restore(self) -> None:
        """Take back what was typed."""
        self.settle()
        self._fill()

    def _describe(self, refusal: str = "") -> None:
        """Let a reader of the screen say what the field is for, or what is wrong with it."""
        description = f"{self.of.tip} ({self.of.unit})" if self.of.unit else self.of.tip
        self.field.setAccessibleDescription(refusal or description)

    # -- the field ----

    def _make(self) -> FieldEditor:
        kind = self.of.kind
        if kind == "switch":
            box = QCheckBox()
            box.clicked.connect(self._on_switch)
            return box
        if kind in ("choice", "reference", "part", "place"):
            return self._combo()
        if self.of.steps:
            return self._stepped()
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
        combo = DropDown()
        combo.setMinimumContentsLength(3)  # else the way back is pushed out of a narrow dock
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._list(combo)
        combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        combo.installEventFilter(self)
        if self.of.kind in ("part", "place"):
            combo.setEditable(True)
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            completer = QCompleter(list(self.of.choices), combo)
            if self.of.kind == "place":
                completer.setModel(combo.model())
                completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            with_role(_suggestions(completer), "suggestions")
            line = QLineEdit()
            line.setStyleSheet("border: none; background: transparent; padding: 0;")  # the list has these
            combo.setLineEdit(line)
            combo.setCompleter(completer)
            line.setAccessibleName(self.of.title)
            line.installEventFilter(self)
            line.editingFinished.connect(self._on_picked)
        combo.activated.connect(self._on_picked)
        return combo

    def _list_places(self, combo: QComboBox) -> None:
        """Fill the list when somebody comes to it: to read all climates takes a while."""
        titles, line, words = place_titles(), combo.lineEdit(), combo.currentText()
        self._filling = True
        self.offer(tuple(titles), tuple(titles.values()))
        combo.setCurrentIndex(combo.findData(self._now.text) if self._now.text else -1)
        if line is not None:
            line.setText(words)
            line.setSelection(len(words), -len(words))  # its beginning stays in sight
            widen(_suggestions(combo.completer()))
        self._filling = False

    def _list(self, combo: QComboBox) -> None:
        if self.of.optional:
            combo.addItem(self._unset, "")
        for choice, title in zip(self.of.choices, self.of.titles or self.of.choices, strict=True):
            combo.addItem(title, choice)

    def _stepped(self) -> CountBox | CountSlider | QDoubleSpinBox:
        if self.of.steps == "slide":
            slider = CountSlider(self.of.title)
            slider.changed.connect(self._on_steps)
            return slider
        first, last = step_range(self.of)
        box: CountBox | QDoubleSpinBox
        if self.of.steps == "tenth":
            box = QDoubleSpinBox()
            box.setRange(first, last)
            box.setSingleStep(0.1)
        else:
            box = CountBox(round(first), round(last), doubles=self.of.steps == "double")
            box.setFixedWidth(theme.scaled(_BOX_PX))
        unit = "" if self.of.unit and step_unit(self.of)[0] != "%" else step_unit(self.of)[0]
        box.setSuffix(f" {unit}" if unit else "")
        box.valueChanged.connect(self._on_steps)
        return box

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
            place = self.of.kind == "place"
            if line is not None:
                line.setPlaceholderText(self._unset if place else now.ghost or _NONE)
            unsaid = not now.text and self.of.optional
            field.setCurrentIndex(-1 if unsaid else field.findData(now.text))
            if line is not None:
                line.setText(place_title(now.text) if place else now.text)
                line.setCursorPosition(0)
        elif isinstance(field, CountSlider):
            field.show_count(round(steps_in(self.of, now.text)))
        elif isinstance(field, QDoubleSpinBox):
            field.setValue(steps_in(self.of, now.text))
        else:
            field.setValue(round(steps_in(self.of, now.text)))
        self._filling = False

    def _on_switch(self, on: bool) -> None:
        if isinstance(self.field, QCheckBox):
            self.field.setTristate(False)
            self.entered.emit(self.text)

    def _on_steps(self, _number: float) -> None:
        if not self._filling:
            self.entered.emit(self.text)

    def _on_picked(self, *_place: object) -> None:
        if self._filling or not isinstance(self.field, QComboBox):
            return
        words = self.text.strip()
        if self.of.optional and self.field.currentText().strip() == self._unset:
            if self._now.resettable or self._now.text:
                self.entered.emit(None if self._now.resettable else "")
            return
        if words != self._now.text and (words or words in self.of.choices):
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
        comes = event.type() in _COMES and self.of.kind == "place" and not self.of.choices
        if comes and isinstance(self.field, QComboBox):
            self._list_places(self.field)
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


def _suggestions(completer: QCompleter | None) -> QAbstractItemView:
    popup = completer.popup() if completer is not None else None
    assert popup is not None
    return popup


def form_grid(widget: QWidget) -> QGridLayout:
    """Return a grid for rows of a widget: names, fields, units."""
    grid = QGridLayout(widget)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(3)
    grid.setColumnMinimumWidth(0, theme.scaled(88))
    grid.setColumnStretch(2, 1)
    return grid
