"""What a hall that is being built asks for: where to begin in an empty one, and why another cannot run yet."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.form.field import FieldState
from twin.app.form.place_row import PlaceRow
from twin.app.form.places import PLACE_KEY
from twin.app.form.row import form_grid
from twin.app.hall.panel import HallPanel
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.commands.place.properties import SetProperty
from twin.language import tr
from twin.scenario.schema.document import Scenario

_WIDTH_PX = 420
_ABOVE_PX = 14
_BEGIN = (
    tr("An empty hall"),
    tr("Build a room from a few figures, or drag racks and machines from the parts list."),
)


class HallHint(QFrame):
    """A plate at the foot of the hall; it goes as soon as the scene can run.

    Attributes
    ----------
    reason
        Why no run can be made of the scene; "" when one can.
    """

    room_wanted, parts_wanted, wiring_wanted = Signal(), Signal(), Signal()

    def __init__(self, look: Look, session: Session, host: HallPanel, editor: Editor) -> None:
        super().__init__(host)
        self._editor = editor
        self._session, self._hall, self.reason = session, host, ""
        self.setProperty("role", "note")
        self.setFixedWidth(_WIDTH_PX)
        self.title, self.words = label("", "value"), label("", "muted", wrap=True)
        for each in (self.title, self.words):
            each.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 14, 20, 16)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.words)
        column.addWidget(self._place_form(look))
        nest(column, self._buttons())
        host.installEventFilter(self)
        host.cards.append(self)
        session.cannot_begin.connect(self._on_reason)
        session.document_changed.connect(self.refresh)
        session.opened.connect(self._forget)
        self.hide()

    def _buttons(self) -> QHBoxLayout:
        self.room = QPushButton(tr("Build a room\N{HORIZONTAL ELLIPSIS}"))
        self.room.setProperty("role", "primary")
        self.room.setToolTip(tr("Rows of racks with matching network, cooling and power"))
        self.parts = QPushButton(tr("Show the parts"))
        self.parts.setToolTip(tr("Drag a part into the hall, or press Enter to place it"))
        self.wire = QPushButton(tr("Connect equipment"))
        self.wire.setProperty("role", "primary")
        self.wire.setToolTip(tr("Connects cooling, feeds and network; adds missing machines"))
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        pairs = (
            (self.room, self.room_wanted),
            (self.parts, self.parts_wanted),
            (self.wire, self.wiring_wanted),
        )
        for button, wanted in pairs:
            button.clicked.connect(lambda _=False, wanted=wanted: wanted.emit())
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _place_form(self, look: Look) -> QWidget:
        """Return the field that asks where the hall stands."""
        self._form = QWidget()
        self.place = PlaceRow(look)
        self.place.put_into(form_grid(self._form), 0)
        self.place.chosen.connect(self._on_place)
        self.place.refused.connect(self._place)
        return self._form

    def _on_place(self, name: str) -> None:
        self._editor.do(SetProperty(("",), PLACE_KEY, name or None))

    def refresh(self) -> None:
        """Show what is true of the scene now."""
        document = self._session.document
        is_empty = document is not None and _is_empty(document.scenario)
        if document is None or not (is_empty or self.reason):
            self._leave_focus(self.room, self.parts, self.wire)
            self.hide()
            self._hall.place_overlays()
            return
        title, words = _BEGIN if is_empty else (tr("The scene cannot run yet"), _sentence(self.reason))
        self.title.setText(title)
        self.words.setText(words)
        self.setAccessibleName(f"{title}. {words}")
        self._leave_focus(*((self.wire,) if is_empty else (self.room, self.parts)))
        for button in (self.room, self.parts):
            button.setVisible(is_empty)
        self.wire.setVisible(not is_empty)
        self._form.setVisible(is_empty)
        chosen = document.scenario.site.climate.place or ""
        self.place.show(FieldState(chosen, resettable=bool(chosen)))
        self.show()
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the foot of the hall."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _leave_focus(self, *going: QPushButton) -> None:
        """Give the keyboard to the hall when a button has it that goes: else Space would press some other one."""
        if self.window().focusWidget() in going:
            self._hall.view.native.setFocus()

    def _place(self) -> None:
        host = self.parentWidget()
        if host is not None:
            self.adjustSize()
            self.move((host.width() - self.width()) // 2, host.height() - self.height() - _ABOVE_PX)
            self.raise_()
            self._hall.place_overlays()

    def _on_reason(self, reason: str) -> None:
        self.reason = reason
        self.refresh()

    def _forget(self) -> None:
        self.reason = ""
        self.refresh()


def _is_empty(scenario: Scenario) -> bool:
    """Return whether nothing has been put into any hall."""
    things = (scenario.power, scenario.fabrics, scenario.cooling.loops, scenario.cooling.plants)
    return not any(things) and not any(hall.rows for hall in scenario.halls)


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
