"""Mouse and keys to camera moves: drags, wheel, clicks. Knows canvas events, not drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

CLICK_PX = 4.0
"""A press and release closer than this is a click, not a drag."""


class Drag(Protocol):
    """Something that follows the pointer instead of the camera; `keys` are the modifiers held: Alt, Control, Shift."""

    def move(self, x: float, y: float, keys: set[str]) -> None:
        """Follow the pointer."""
        ...

    def drop(self, x: float, y: float, keys: set[str]) -> None:
        """End at the pointer."""
        ...

    def cancel(self) -> None:
        """End as if it had never begun."""
        ...


@dataclass
class Gestures:
    """Callbacks of the gestures; positions are logical pixels.

    Parameters
    ----------
    orbit, pan
        Called with the pointer's step (dx, dy).
    zoom
        Called with (notches, x, y).
    hover, click, double_click
        Called with (x, y), `click` also with whether it extends the selection.
    leave
        Called at the end of a drag.
    menu
        Called with (x, y) on a click of the right button.
    taken
        Called with (x, y, modifiers) where a drag of the left button begins; what it returns follows the pointer
        instead of the camera.
    """

    orbit: Callable[[float, float], None]
    pan: Callable[[float, float], None]
    zoom: Callable[[float, float, float], None]
    hover: Callable[[float, float], None]
    click: Callable[[float, float, bool], None]
    double_click: Callable[[float, float], None]
    leave: Callable[[], None]
    menu: Callable[[float, float], None]
    taken: Callable[[float, float, set[str]], Drag | None]

    def __post_init__(self) -> None:
        self._pressed: tuple[float, float] | None = None
        self._last = (0.0, 0.0)
        self._button = 0
        self._slide = False
        self._dragging = False
        self._drag: Drag | None = None
        self._void = False  # the rest of a drag that was cancelled

    @property
    def dragging(self) -> bool:
        """Return whether something follows the pointer."""
        return self._drag is not None

    def cancel(self) -> bool:
        """Let what follows the pointer go as if it had never begun; return whether there was anything."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        self._void = self._pressed is not None
        drag.cancel()
        return True

    def connect(self, canvas: Any) -> None:
        """Listen to a vispy canvas."""
        canvas.events.mouse_press.connect(self.on_press)
        canvas.events.mouse_release.connect(self.on_release)
        canvas.events.mouse_move.connect(self.on_move)
        canvas.events.mouse_wheel.connect(self.on_wheel)
        canvas.events.mouse_double_click.connect(self.on_double_click)

    def on_press(self, event: Any) -> None:
        """Begin a drag or click."""
        self._pressed = self._last = (float(event.pos[0]), float(event.pos[1]))
        self._button = int(event.button)
        self._slide = self._button != 1 or "Shift" in _names(event)
        self._dragging = self._void = False
        self.cancel()
        event.handled = True

    def on_move(self, event: Any) -> None:
        """Drag, or hover when no button is down."""
        x, y = float(event.pos[0]), float(event.pos[1])
        if self._pressed is None:
            self.hover(x, y)
            return
        far = abs(x - self._pressed[0]) + abs(y - self._pressed[1]) > CLICK_PX
        if far and not self._dragging and self._button == 1:
            self._drag = self.taken(*self._pressed, _names(event))
        self._dragging = self._dragging or far
        if self._drag is not None:
            self._drag.move(x, y, _names(event))
        elif self._dragging and not self._void:
            (self.pan if self._slide else self.orbit)(x - self._last[0], y - self._last[1])
            self._last = (x, y)
        event.handled = True

    def on_release(self, event: Any) -> None:
        """End a drag, or click."""
        if self._pressed is None:
            return
        self._pressed = None
        drag, self._drag = self._drag, None
        if drag is not None:
            drag.drop(float(event.pos[0]), float(event.pos[1]), _names(event))
        elif self._dragging:
            self.leave()
        elif self._button == 1:
            extend = bool({"Control", "Shift"} & _names(event))
            self.click(float(event.pos[0]), float(event.pos[1]), extend)
        elif self._button == 2:
            self.menu(float(event.pos[0]), float(event.pos[1]))
        event.handled = True

    def on_wheel(self, event: Any) -> None:
        """Zoom to the pointer."""
        self.zoom(float(event.delta[1]), float(event.pos[0]), float(event.pos[1]))
        event.handled = True

    def on_double_click(self, event: Any) -> None:
        """Fly to what is under the pointer."""
        self._pressed = None
        self.double_click(float(event.pos[0]), float(event.pos[1]))
        event.handled = True


def _names(event: Any) -> set[str]:
    return {str(key.name) for key in event.modifiers}
