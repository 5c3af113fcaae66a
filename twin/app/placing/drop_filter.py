"""The hall's side of drag and drop and of keys: parts from the palette, and what is carried without a button held."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
)

from twin.app.placing.mime import Dragged, dragged_part
from twin.app.placing.payload import Carried
from twin.app.placing.place_tool import PlaceTool
from twin.language import tr
from twin.view3d.view.hall_view import HallView

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
_UNITS = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MODIFIERS = (Qt.Key.Key_Alt, Qt.Key.Key_Shift)
JITTER_PX = 3.0
"""The pointer takes over from the arrow keys when it moves farther than this."""


class PartDrop(QObject):
    """Filters the events of the view's widget.

    Parameters
    ----------
    carry
        Returns what a drag carries as a thing on its way; None for what is not known.
    """

    def __init__(
        self, view: HallView, tool: PlaceTool, carry: Callable[[Dragged], Carried | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._view, self._tool, self._carry = view, tool, carry
        self._at: tuple[float, float] | None = None
        self._swallow = False
        tool.ended.connect(self._forget)
        view.native.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take drags of parts, and keys and pointer while something is carried."""
        if isinstance(event, QDragLeaveEvent):
            return self._tool.cancel()
        if isinstance(event, QDropEvent):  # entering and moving are drops too, for Qt
            return self._on_drag(event)
        if isinstance(event, QKeyEvent):
            return self._on_key(event)
        if isinstance(event, QMouseEvent):
            return self._on_mouse(event)
        return super().eventFilter(watched, event)

    # -- drags from the palette ----

    def _on_drag(self, event: QDropEvent) -> bool:
        dragged = dragged_part(event.mimeData())
        if dragged is None:
            return False
        if isinstance(event, QDragEnterEvent) or not self._tool.active:
            carried = self._carry(dragged)
            if carried is None or not self._tool.begin(carried, in_hand=True):
                event.ignore()
                return True
        place = event.position()
        self._tool.point(place.x(), place.y(), names_of(event.modifiers()))
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop and not isinstance(event, QDragMoveEvent):
            self._tool.drop()
            self._view.native.setFocus()
        return True

    # -- keys ----

    def _on_key(self, event: QKeyEvent) -> bool:
        if not self._tool.active and not self._view.edit.dragging:
            return False
        key = Qt.Key(event.key())
        if event.type() == QEvent.Type.KeyRelease:
            return key in _MODIFIERS and self._again(event)
        known = key in _ARROWS or key in _UNITS or key in (*_ENDS, *_MODIFIERS)
        if not known and key not in (Qt.Key.Key_Escape, Qt.Key.Key_R, Qt.Key.Key_End):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it is no shortcut now: it comes again as a key
            return True
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key == Qt.Key.Key_Escape:
            if not self._view.edit.cancel_drag():
                self._tool.cancel()
        elif key == Qt.Key.Key_R:
            self._tool.turn()
        elif key == Qt.Key.Key_End:
            self._tool.onto_floor()
        elif key in _ARROWS:
            self._tool.step(*_ARROWS[key], far=far)
        elif key in _UNITS:
            self._tool.step_unit(_UNITS[key])
        elif key in _MODIFIERS:
            return self._again(event)
        elif not self._view.edit.dragging and self._tool.ok:
            self._tool.drop()
        return True

    def _again(self, event: QKeyEvent) -> bool:
        """Follow the pointer anew with other modifiers."""
        if self._at is None or not self._view.edit.dragging:
            return False
        keys = names_of(event.modifiers())
        name = tr("Alt") if event.key() == Qt.Key.Key_Alt else tr("Shift")
        (keys.add if event.type() == QEvent.Type.KeyPress else keys.discard)(name)
        self._tool.point(*self._at, keys)
        return True

    # -- pointer, while something is carried without a button ----

    def _on_mouse(self, event: QMouseEvent) -> bool:
        kind, place = event.type(), (event.position().x(), event.position().y())
        if self._swallow and kind in (
            QEvent.Type.MouseButtonRelease,
            QEvent.Type.MouseMove,
            QEvent.Type.MouseButtonDblClick,
        ):
            self._swallow = kind != QEvent.Type.MouseButtonRelease
            return True
        if self._view.edit.dragging:
            self._at = place
            return False
        if not self._tool.active:
            return False
        if kind == QEvent.Type.MouseMove:
            if event.buttons() != Qt.MouseButton.NoButton:
                return False  # a drag with another button moves the camera
            far = (
                self._at is None or max(abs(place[0] - self._at[0]), abs(place[1] - self._at[1])) > JITTER_PX
            )
            if self._at is None:
                self._at = place
            elif far:
                self._at = place
                self._tool.point(*place, names_of(event.modifiers()))
            return True
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._swallow = True
            self._tool.point(*place, names_of(event.modifiers()))
            if self._tool.ok:
                self._tool.drop()
            return True
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.RightButton:
            self._swallow = True
            self._tool.cancel()
            return True
        return False

    def _forget(self) -> None:
        self._at = None


def names_of(modifiers: Qt.KeyboardModifier) -> set[str]:
    """Return the modifiers held, as the view names them."""
    known = {
        "Alt": Qt.KeyboardModifier.AltModifier,
        "Shift": Qt.KeyboardModifier.ShiftModifier,
        "Control": Qt.KeyboardModifier.ControlModifier,
    }
    return {name for name, modifier in known.items() if modifiers & modifier}
