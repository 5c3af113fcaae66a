"""The look in force: the theme, the size of text, and who wears an icon in the theme's colours."""

from __future__ import annotations

import tempfile
import weakref
from itertools import filterfalse
from pathlib import Path
from typing import Protocol

from psygnal import Signal
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QTransform
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QTableView, QToolButton, QTreeView, QWidget
from shiboken6 import isValid

from twin.app.toolkit import icons, theme
from twin.app.toolkit.focus_ring import FocusRing
from twin.app.toolkit.plain_text import MarkupLabel, PlainLabel, plain_tip
from twin.app.toolkit.stylesheet import stylesheet
from twin.app.toolkit.theme import ThemeChoice

_ICON_PX = 16


class _HasIcon(Protocol):
    def setIcon(self, icon: QIcon) -> None: ...


class Look:
    """Holds the theme and the size of text, and changes them everywhere at once.

    Parameters
    ----------
    app
        Gets palette, font and stylesheet.
    choice
        "system", "dark", "light" or "contrast".
    text_scale
        Size of text beside the system's own.
    """

    changed = Signal(object)  # Theme

    def __init__(self, app: QApplication, choice: ThemeChoice = "system", text_scale: float = 1.0) -> None:
        self._app = app
        self._dressed: list[tuple[weakref.ref[_HasIcon], str, str]] = []
        self._arrows = tempfile.TemporaryDirectory(prefix="twin-theme-")
        self.choice: ThemeChoice = choice
        self.text_scale = text_scale
        self.theme = theme.resolve(choice)
        self._apply()
        self.ring = FocusRing(app, lambda: self.theme)
        self._hints = app.styleHints()
        self._hints.colorSchemeChanged.connect(self._on_system)
        self._hints.accessibility().contrastPreferenceChanged.connect(self._on_system)

    def choose(self, choice: ThemeChoice) -> None:
        """Change the theme."""
        self.choice = choice
        chosen = theme.resolve(choice)
        if chosen is self.theme:
            return
        self.theme = chosen
        self._apply()
        icons.forget()
        self._redress()
        self.changed.emit(chosen)

    def scale_text(self, scale: float) -> None:
        """Change the size of text."""
        if scale != self.text_scale:
            before, self.text_scale = self.text_scale, scale
            self._apply()
            for widget in self._app.allWidgets():
                if isinstance(widget, QTableView):
                    rows = widget.verticalHeader()
                    rows.setDefaultSectionSize(round(rows.defaultSectionSize() * scale / before))
                elif isinstance(widget, QTreeView):
                    heads = widget.header()
                    for section in filterfalse(heads.isSectionHidden, range(heads.count())):
                        heads.resizeSection(section, round(heads.sectionSize(section) * scale / before))
                elif isinstance(widget, QToolButton):
                    widget.setIconSize(widget.iconSize() * (scale / before))
            self.changed.emit(self.theme)

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
        self._hints.colorSchemeChanged.disconnect(self._on_system)
        self._hints.accessibility().contrastPreferenceChanged.disconnect(self._on_system)
        self.ring.close()
        self._arrows.cleanup()

    def _on_system(self) -> None:
        if self.choice == "system":
            self.choose("system")

    def _apply(self) -> None:
        # A stylesheet takes its pictures from files only.
        arrow = Path(self._arrows.name) / f"chevron-{self.theme.name}.png"
        down = icons.pixmap("chevron", self.theme.muted, 14, 2.0)
        down.save(str(arrow))
        up = arrow.with_name(f"up-{self.theme.name}.png")
        down.transformed(QTransform().scale(1.0, -1.0)).save(str(up))
        for name, degrees in (("back", 90), ("forward", -90)):
            down.transformed(QTransform().rotate(degrees)).save(
                str(arrow.with_name(f"{name}-{self.theme.name}.png"))
            )
        for name in ("open", "list", "layout"):
            drawn = icons.pixmap(name, self.theme.muted, _ICON_PX, 2.0)
            drawn.save(str(arrow.with_name(f"{name}-{self.theme.name}.png")))
        tick = Path(self._arrows.name) / f"check-{self.theme.name}.png"
        icons.pixmap("check", self.theme.on_accent, 13, 2.0).save(str(tick))
        text_scale = self.text_scale * theme.system_text_scale()
        sheet = stylesheet(
            self.theme, arrow.as_posix(), tick.as_posix(), text_scale, up.as_posix(), arrow.parent.as_posix()
        )
        theme.apply(self._app, self.theme, sheet, text_scale)

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
    made = PlainLabel(text)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def markup_label(role: str) -> MarkupLabel:
    """Return a label with a stylesheet role for markup of the program itself."""
    made = MarkupLabel()
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
    made.setIconSize(QSize(theme.scaled(_ICON_PX), theme.scaled(_ICON_PX)))
    made.setToolTip(plain_tip(tip))
    made.setAccessibleName(tip)
    look.dress(made, icon, colour)
    return made
