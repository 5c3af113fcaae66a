"""Themes: text stands out from its ground, high contrast more so; they follow the system; text has sizes."""

from __future__ import annotations

import re
from itertools import product
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTableView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from twin.app.toolkit import icons
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.stylesheet import stylesheet
from twin.app.toolkit.theme import CONTRAST, DARK, LIGHT, TEXT_SCALES, Theme, ink_on, next_text_scale, resolve
from twin.view3d.base.theme import colours_of

_LEAST = {"dark": 4.5, "light": 4.5, "contrast": 7.0}
_GROUNDS = ("ground", "surface", "raised", "hover", "selection")
_TEXTS = ("text", "muted", "faint", "accent", "ok", "notice", "warning", "alarm")
_ALL = pytest.mark.parametrize("theme", [DARK, LIGHT, CONTRAST], ids=lambda theme: theme.name)


def luminance(rgb: tuple[float, float, float]) -> float:
    """Return the relative luminance of a colour (0..1 each), WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, WCAG 2.2."""
    lights = sorted((luminance(QColor(c).getRgbF()[:3]) for c in (one, other)), reverse=True)
    return (lights[0] + 0.05) / (lights[1] + 0.05)


def test_the_formula_gives_the_figures_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@_ALL
def test_every_text_stands_out_from_every_ground(theme: Theme) -> None:
    pairs = [*product(_TEXTS, _GROUNDS), ("on_accent", "accent")]
    found = {(t, g): contrast(getattr(theme, t), getattr(theme, g)) for t, g in pairs}
    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < _LEAST[theme.name]} == {}


def test_words_on_any_colour_stand_out() -> None:
    grounds = [
        QColor.fromHsv(hue, full, bright).name()
        for hue in range(0, 360, 12)
        for full in (0, 90, 170, 255)
        for bright in range(0, 256, 15)
    ]
    assert min(contrast(ink_on(ground), ground) for ground in grounds) >= 4.5


@_ALL
def test_every_rule_of_the_stylesheet_is_legible(theme: Theme) -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", stylesheet(theme))
    poor, told = [], 0
    for selector, body in rules:
        values = dict(
            re.findall(r"(?:^|[;\s])(color|background|selection-background-color):\s*(#\w{6})", body)
        )
        if "color" in values and not selector.strip().endswith("separator"):
            grounds = [v for k, v in values.items() if k != "color"] or [
                getattr(theme, g) for g in _GROUNDS[:3]
            ]
            told += len(grounds)
            poor += [selector.strip() for g in grounds if contrast(values["color"], g) < _LEAST[theme.name]]
    assert told > 60
    assert poor == []


@_ALL
def test_lines_and_marks_of_data_are_seen(theme: Theme) -> None:
    least = 3.0 if theme is not CONTRAST else 7.0
    assert all(contrast(colour, theme.surface) >= least for colour in theme.series)
    if theme is CONTRAST:
        assert all(contrast(theme.border, getattr(theme, ground)) >= 3.0 for ground in _GROUNDS)


@_ALL
def test_labels_in_the_hall_are_legible_on_whatever_is_behind_them(theme: Theme) -> None:
    colours = colours_of(theme.name)
    *back, alpha = colours.label_back
    for behind in (colours.ground, colours.floor, colours.body, colours.body_top):
        plate = tuple(alpha * b + (1 - alpha) * c for b, c in zip(back, behind, strict=True))
        lights = sorted((luminance(colours.label), luminance(plate)), reverse=True)  # type: ignore[arg-type]
        assert (lights[0] + 0.05) / (lights[1] + 0.05) >= _LEAST[theme.name]


def test_the_themes_follow_the_system(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    def system(scheme: Qt.ColorScheme, preference: Qt.ContrastPreference) -> Theme:
        hints = SimpleNamespace(
            colorScheme=lambda: scheme,
            accessibility=lambda: SimpleNamespace(contrastPreference=lambda: preference),
        )
        monkeypatch.setattr(QGuiApplication, "styleHints", staticmethod(lambda: hints))
        return resolve("system")

    usual, high = Qt.ContrastPreference.NoPreference, Qt.ContrastPreference.HighContrast
    assert system(Qt.ColorScheme.Light, usual) is LIGHT
    assert system(Qt.ColorScheme.Dark, usual) is DARK
    assert system(Qt.ColorScheme.Unknown, usual) is DARK
    assert system(Qt.ColorScheme.Light, high) is CONTRAST
    assert (resolve("contrast"), CONTRAST.ring_px, DARK.ring_px) == (CONTRAST, 3, 2)


def test_a_theme_changes_colours_and_not_the_style(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    """Each widget would be prepared once more for a style, though it has that already."""
    look = Look(qapp, "dark")
    given: list[object] = []
    monkeypatch.setattr(QApplication, "setStyle", given.append)
    look.choose("light")
    look.scale_text(1.3)
    look.choose("dark")
    look.scale_text(1.0)
    look.close()
    assert given == []
    assert qapp.palette().window().color() == QColor(DARK.ground)


def test_icons_of_a_former_theme_are_let_go(qapp: QApplication, qtbot: QtBot) -> None:
    look = Look(qapp, "dark")
    button = QPushButton()
    qtbot.addWidget(button)
    icons.forget()
    look.dress(button, "open")
    for choice in ("light", "contrast", "dark"):
        look.choose(choice)
        assert icons.icon.cache_info().currsize == 1
    assert button.icon().pixmap(16).toImage() == look.icon("open").pixmap(16).toImage()
    look.close()


def test_text_has_sizes_and_everything_goes_with_them(qapp: QApplication, qtbot: QtBot) -> None:
    look = Look(qapp, "dark")
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    button, title, table = QPushButton("Break"), label("Title", "title"), QTableView()
    plain = QLabel("plain")
    for widget in (button, title, plain, table):
        column.addWidget(widget)
    table.verticalHeader().setDefaultSectionSize(themes.scaled(24))
    page.show()
    try:
        before = [w.fontMetrics().height() for w in (button, title, plain)]
        look.scale_text(1.5)
        after = [w.fontMetrics().height() for w in (button, title, plain)]
        assert all(1.35 < b / a < 1.65 for a, b in zip(before, after, strict=True)), (before, after)
        assert table.verticalHeader().defaultSectionSize() == round(36 * themes.system_text_scale())
        assert themes.font(12).pixelSize() == round(18 * themes.system_text_scale())
        look.scale_text(1.0)
        assert [w.fontMetrics().height() for w in (button, title, plain)] == before
        assert table.verticalHeader().defaultSectionSize() == themes.scaled(24)
    finally:
        look.close()
    assert next_text_scale(1.0, 1) == TEXT_SCALES[2]
    assert next_text_scale(TEXT_SCALES[-1], 1) == TEXT_SCALES[-1]
    assert next_text_scale(1.0, -5) == TEXT_SCALES[0]
