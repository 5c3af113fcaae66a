"""The look in force: the theme, and who wears an icon in its colours."""

from __future__ import annotations

import tempfile
import weakref
from pathlib import Path
from typing import Protocol

from psygnal import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QToolButton, QWidget
from shiboken6 import isValid

from twin.app import icons, theme
from twin.app.stylesheet import stylesheet
from twin.app.theme import ThemeChoice


class _HasIcon(Protocol):
    def setIcon(self, icon: QIcon) -> None: ...


class Look:
    """Holds the theme and changes it everywhere at once.

    Parameters
    ----------
    app
        Gets palette, font and stylesheet.
    choice
        "system", "dark" or "light".
    """

    changed = Signal(object)  # Theme

    def __init__(self, app: QApplication, choice: ThemeChoice = "system") -> None:
        self._app = app
        self._dressed: list[tuple[weakref.ref[_HasIcon], str, str]] = []
        self._arrows = tempfile.TemporaryDirectory(prefix="twin-theme-")
        self.choice: ThemeChoice = choice
        self.theme = theme.resolve(choice)
        self._apply()
        app.styleHints().colorSchemeChanged.connect(self._on_system)

    def choose(self, choice: ThemeChoice) -> None:
        """Change the theme."""
        self.choice = choice
        chosen = theme.resolve(choice)
        if chosen is self.theme:
            return
        self.theme = chosen
        self._apply()
        self._redress()
        self.changed.emit(chosen)

    def is_chosen(self, choice: ThemeChoice) -> bool:
        """Return whether this is the present choice."""
        return self.choice == choice

    def icon(self, name: str, colour: str = "muted") -> QIcon:
        """Return icon `name` in a colour of the theme, by the colour's name."""
        return icons.icon(name, getattr(self.theme, colour), self.theme.faint)

    def dress(self, wearer: _HasIcon, name: str, colour: str = "muted") -> None:
        """Give `wearer` this icon now and after every change of theme."""
        self._dressed = [d for d in self._dressed if d[0]() is not None and d[0]() is not wearer]
        self._dressed.append((weakref.ref(wearer), name, colour))
        wearer.setIcon(self.icon(name, colour))

    def close(self) -> None:
        """Let go of the application."""
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_system)
        self._arrows.cleanup()

    def _on_system(self) -> None:
        if self.choice == "system":
            self.choose("system")

    def _apply(self) -> None:
        # A stylesheet takes its pictures from files only.
        arrow = Path(self._arrows.name) / f"chevron-{self.theme.name}.png"
        icons.pixmap("chevron", self.theme.muted, 14, 2.0).save(str(arrow))
        tick = Path(self._arrows.name) / f"check-{self.theme.name}.png"
        icons.pixmap("check", self.theme.on_accent, 13, 2.0).save(str(tick))
        theme.apply(self._app, self.theme, stylesheet(self.theme, arrow.as_posix(), tick.as_posix()))

    def _redress(self) -> None:
        for wearer_ref, name, colour in self._dressed:
            wearer = wearer_ref()
            if wearer is not None and isValid(wearer):
                wearer.setIcon(self.icon(name, colour))


def with_role(widget: QWidget, role: str) -> None:
    """Give a widget the stylesheet role `role`, also one that is already on screen."""
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label with a stylesheet role."""
    made = QLabel(text)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def line(role: str = "rule") -> QFrame:
    """Return a thin line: "rule" across, "bar" upright."""
    made = QFrame()
    made.setProperty("role", role)
    return made


def tool_button(look: Look, icon: str, tip: str, *, role: str = "flat", colour: str = "muted") -> QToolButton:
    """Return a button that is an icon, with its meaning as tool tip and accessible name."""
    made = QToolButton()
    made.setProperty("role", role)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    look.dress(made, icon, colour)
    return made
