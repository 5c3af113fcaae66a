"""Themes: the colours of the window, dark, light and of high contrast, the size of text, and how they reach Qt."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from twin.record.events import Severity

ThemeName = Literal["dark", "light", "contrast"]
ThemeChoice = Literal["system", "dark", "light", "contrast"]

FONT_FAMILIES = ("Inter", "SF Pro Text", "Segoe UI", "Noto Sans", "DejaVu Sans")
MONO_FAMILIES = ("JetBrains Mono", "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono")
BASE_PX = 12
"""Size of most text where the system has nothing to say [px]."""
TEXT_SCALES = (0.85, 1.0, 1.15, 1.3, 1.5)
"""Sizes of text to choose from, beside the system's own."""
_STYLE = "twin-style"
"""Property of the application: the name of the style that it was given."""
_USUAL_PX = {"win32": 12.0, "darwin": 13.0}
"""Size of the system's text that nobody has changed [px]."""


@dataclass(frozen=True)
class Theme:
    """One set of colours, each ``#rrggbb``."""

    name: ThemeName
    ground: str  # window
    surface: str  # docks, bars
    raised: str  # cards, fields, buttons
    hover: str
    border: str
    text: str
    muted: str
    faint: str
    accent: str
    on_accent: str
    selection: str
    ok: str
    notice: str
    warning: str
    alarm: str
    series: tuple[str, str, str, str]
    ring_px: int = 2  # width of the ring round what has the keyboard
    dashes: bool = False  # whether curves differ by more than their colours

    @property
    def is_dark(self) -> bool:
        """Return whether light text stands on a dark ground."""
        return self.name != "light"

    def severity(self, severity: Severity) -> str:
        """Return the colour of an event of this severity."""
        return (self.muted, self.notice, self.warning, self.alarm)[severity]


DARK = Theme(
    name="dark",
    ground="#0a0d13",
    surface="#10141c",
    raised="#181e29",
    hover="#212939",
    border="#232b3a",
    text="#e8ecf4",
    muted="#a3aec1",
    faint="#919db3",
    accent="#4ea8ff",
    on_accent="#04121f",
    selection="#1a3452",
    ok="#3ddc97",
    notice="#4ea8ff",
    warning="#ffb547",
    alarm="#ff7088",
    series=("#4ea8ff", "#3ddc97", "#ff8a5b", "#b08cff"),
)

LIGHT = Theme(
    name="light",
    ground="#eef1f6",
    surface="#ffffff",
    raised="#f4f6fa",
    hover="#e8edf4",
    border="#d8dee8",
    text="#18202e",
    muted="#4d586c",
    faint="#5a6578",
    accent="#0a5cbe",
    on_accent="#ffffff",
    selection="#dceafb",
    ok="#0a6b43",
    notice="#0a5cbe",
    warning="#7f4b00",
    alarm="#b5183c",
    series=("#0b66d0", "#0f8a57", "#d1571c", "#7048d6"),
)

CONTRAST = Theme(
    name="contrast",
    ground="#000000",
    surface="#000000",
    raised="#0c0f14",
    hover="#1b232f",
    border="#8d97a8",
    text="#ffffff",
    muted="#e4e9f1",
    faint="#c6cedb",
    accent="#8accff",
    on_accent="#000000",
    selection="#003566",
    ok="#5dffb4",
    notice="#8accff",
    warning="#ffd95a",
    alarm="#ffb3bf",
    series=("#8accff", "#5dffb4", "#ffb48a", "#d3bcff"),
    ring_px=3,
    dashes=True,
)


def resolve(choice: ThemeChoice) -> Theme:
    """Return the theme of a choice; "system" follows the desktop, dark where it says nothing."""
    if choice == "system":
        hints = QGuiApplication.styleHints()
        if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
            return CONTRAST
        return LIGHT if hints.colorScheme() == Qt.ColorScheme.Light else DARK
    return {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}[choice]


def apply(app: QApplication, theme: Theme, stylesheet: str, text_scale: float = 1.0) -> None:
    """Give the application this theme's palette, font and stylesheet."""
    if app.property(_STYLE) is None:  # styles tell no name once there is a stylesheet
        app.setStyle("Fusion")
        app.setProperty(_STYLE, "Fusion")
    app.setPalette(palette(theme))
    base = font()
    base.setPixelSize(round(BASE_PX * text_scale))
    app.setFont(base)
    app.setStyleSheet(stylesheet)


def system_text_scale() -> float:
    """Return how much larger the system's text is than usual: a user who reads large text reads it here too."""
    system_px = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    return min(max(system_px / _USUAL_PX.get(sys.platform, 15.0), 1.0), 2.0)


def next_text_scale(scale: float, steps: int) -> float:
    """Return the size of text so many steps larger or smaller than `scale`."""
    nearest = min(range(len(TEXT_SCALES)), key=lambda i: abs(TEXT_SCALES[i] - scale))
    return TEXT_SCALES[min(max(nearest + steps, 0), len(TEXT_SCALES) - 1)]


def ink_on(ground: str) -> str:
    """Return which of near black and white is read better on a colour: at least 4.5 times as bright or dark (WCAG 2).

    >>> ink_on("#ffd34d"), ink_on("#1a3a8a")
    ('#020509', '#ffffff')
    """
    parts = (int(ground[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#020509" if (bright + 0.05) / 0.0515 > 1.05 / (bright + 0.05) else "#ffffff"


def scaled(px: float) -> int:
    """Return a length that goes with the size of text, such as the height of a row [px]."""
    base_px = QGuiApplication.font().pixelSize()
    return round(px * base_px / BASE_PX) if base_px > 0 else round(px)


def font(size_px: int = BASE_PX, *, mono: bool = False, bold: bool = False, as_is: bool = False) -> QFont:
    """Return the interface font, or the one for figures in columns, at the size of text in force.

    Parameters
    ----------
    as_is
        Whether `size_px` is not to go with the size of text: the painter is scaled instead.
    """
    made = QFont()
    made.setFamilies(list(MONO_FAMILIES if mono else FONT_FAMILIES))
    made.setPixelSize(size_px if as_is else scaled(size_px))
    if bold:
        made.setWeight(QFont.Weight.DemiBold)
    return made


def palette(theme: Theme) -> QPalette:
    """Return the QPalette of a theme."""
    role = QPalette.ColorRole
    made = QPalette()
    for target, colour in (
        (role.Window, theme.ground),
        (role.WindowText, theme.text),
        (role.Base, theme.surface),
        (role.AlternateBase, theme.raised),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.faint),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.alarm),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.Link, theme.accent),
        (role.Mid, theme.border),
        (role.Accent, theme.accent),
    ):
        made.setColor(target, QColor(colour))
    for target in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, target, QColor(theme.faint))
    return made
