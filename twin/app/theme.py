"""Themes: the colours of the window, dark and light, and how they reach Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from twin.record.events import Severity

ThemeName = Literal["dark", "light"]
ThemeChoice = Literal["system", "dark", "light"]

FONT_FAMILIES = ("Inter", "SF Pro Text", "Segoe UI", "Noto Sans", "DejaVu Sans")
MONO_FAMILIES = ("JetBrains Mono", "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono")


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
    muted="#97a2b6",
    faint="#77839a",
    accent="#4ea8ff",
    on_accent="#04121f",
    selection="#1d3b5c",
    ok="#3ddc97",
    notice="#4ea8ff",
    warning="#ffb547",
    alarm="#ff5470",
    series=("#4ea8ff", "#3ddc97", "#ff8a5b", "#b08cff"),
)

LIGHT = Theme(
    name="light",
    ground="#eef1f6",
    surface="#ffffff",
    raised="#f4f6fa",
    hover="#e6ebf3",
    border="#d8dee8",
    text="#18202e",
    muted="#566176",
    faint="#6a7588",
    accent="#0b66d0",
    on_accent="#ffffff",
    selection="#cfe3fb",
    ok="#0f8a57",
    notice="#0b66d0",
    warning="#a86400",
    alarm="#c81e45",
    series=("#0b66d0", "#0f8a57", "#d1571c", "#7048d6"),
)


def resolve(choice: ThemeChoice) -> Theme:
    """Return the theme of a choice; "system" follows the desktop, dark where it says nothing."""
    if choice == "system":
        light = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Light
        return LIGHT if light else DARK
    return LIGHT if choice == "light" else DARK


def apply(app: QApplication, theme: Theme, stylesheet: str) -> None:
    """Give the application this theme's palette, font and stylesheet."""
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(palette(theme))
    app.setFont(font())
    app.setStyleSheet(stylesheet)


def font(size_px: int = 12, *, mono: bool = False, bold: bool = False) -> QFont:
    """Return the interface font, or the one for figures in columns."""
    made = QFont()
    made.setFamilies(list(MONO_FAMILIES if mono else FONT_FAMILIES))
    made.setPixelSize(size_px)
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
