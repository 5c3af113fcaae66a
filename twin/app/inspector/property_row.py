"""One property in the inspector: its field, a badge of where the value comes from, a way back, and what it asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.form.field import FieldState
from twin.app.form.names_field import NamesField
from twin.app.form.row import FieldRow
from twin.app.inspector.property_fields import Property
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr


class PropertyRow(FieldRow):
    """A field of a thing of the scene.

    Attributes
    ----------
    of
        What is set.
    apply_button
        Does what was asked about.
    """

    of: Property
    menu_wanted = Signal(object)  # QPoint on the screen

    def __init__(self, look: Look, of: Property) -> None:
        super().__init__(look, of)
        self.name.setWordWrap(True)
        self.badge = label("", "badge")
        self.reset = tool_button(look, "undo", tr("Reset {title} to its default", title=of.title))
        self.reset.clicked.connect(lambda: self.entered.emit(None))
        self._question = QWidget()
        self.apply_button, self._leave = QPushButton(tr("Apply")), QPushButton(tr("Cancel"))
        self._question.hide()
        self._agreed: Callable[[], None] = self.settle
        for widget in (self.name, self.field):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            widget.customContextMenuRequested.connect(partial(self._on_menu, widget))

    def _on_menu(self, widget: QWidget, place: QPoint) -> None:
        self.menu_wanted.emit(widget.mapToGlobal(place))

    def menu(self) -> QMenu:
        """Return the menu of the field: of a line what is usual, and more at its end."""
        line = self.field if isinstance(self.field, QLineEdit) else None
        usual = line.createStandardContextMenu() if line is not None else None
        made = usual if usual is not None else QMenu(self.field)
        if usual is not None:
            made.addSeparator()
        return made

    def put_into(self, grid: QGridLayout, line: int, indent: int = 0, *, narrow: bool = False) -> None:
        """Take a line of a grid of four columns, and the one below for what there is to tell.

        A list takes the line below for itself, and so does every field where the grid is `narrow`.
        """
        top = Qt.AlignmentFlag.AlignVCenter
        wide = isinstance(self.field, NamesField) or (narrow and not isinstance(self.field, QCheckBox))
        grid.addWidget(self.name, line, 0, 1, 2 if wide else 1, top)
        if not wide:  # a field needs the room more than its name, which wraps
            self.name.setMaximumWidth(max(grid.columnMinimumWidth(0), self.name.minimumSizeHint().width()))
            grid.addWidget(self.field, line, 1)
        grid.addWidget(self.badge, line, 2, top)
        grid.addWidget(self.reset, line, 3, top)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        buttons = QHBoxLayout(self._question)
        buttons.setContentsMargins(0, 0, 0, 4)
        buttons.addWidget(self.apply_button)
        buttons.addWidget(self._leave)
        buttons.addStretch(1)
        self.apply_button.clicked.connect(lambda: self._agreed())
        self._leave.clicked.connect(self.restore)
        if wide:
            sized = self.field.minimumWidth() == self.field.maximumWidth()
            column.addWidget(self.field, 0, Qt.AlignmentFlag.AlignLeft if sized else Qt.AlignmentFlag(0))
        column.addWidget(self.told)
        column.addWidget(self._question)
        grid.addWidget(below, line + 1, indent, 1, 4 - indent)

    def show(self, now: FieldState) -> None:
        """Show how the property stands, unless somebody is typing."""
        self.badge.setText(now.source)
        self.badge.setVisible(bool(now.source))
        self.badge.setToolTip(plain_tip(now.hint))
        self.badge.setAccessibleName(f"{self.of.title}: {now.source}. {now.hint}")
        self.reset.setVisible(now.resettable)
        super().show(now)

    def refuse(self, reason: str) -> None:
        """Tell why what stands in the field was not done; it stays to be put right until the field is left."""
        self._question.hide()
        typed = self.text.strip()
        super().refuse(tr("“{typed}” refused: {reason}", typed=typed, reason=reason))
        if not (isinstance(self.field, QLineEdit) and self.field.hasFocus()):
            self._fill()

    @property
    def _is_refused(self) -> bool:
        return self.told.isVisible() and self._question.isHidden() and not self.changed

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show what stands, with the reason, where a refused value is left."""
        left = isinstance(event, QFocusEvent) and event.lostFocus()
        if left and self._is_refused and event.reason() != Qt.FocusReason.PopupFocusReason:  # type: ignore[attr-defined]
            self._fill()
        return super().eventFilter(watched, event)

    def ask(self, words: str, agree: Callable[[], None]) -> None:
        """Tell what goes along, and do it only when that is meant."""
        self.told.setText(words)
        self.told.show()
        self._agreed = agree
        self._question.show()

    def settle(self) -> None:
        """What was entered is done, or on its way."""
        self._question.hide()
        super().settle()
