"""What lies over a small hall in large text: the plate of what is placed, legends; and long words below one another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from twin.app.hall.legend_plate import LegendPlate
from twin.app.placing.plate import BudgetLine, PlacingPlate, folded
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.read_only_dialog import Prose
from twin.view3d.colour.legend import coolant_legend

LINES = (
    BudgetLine("Power", "+26.0 kW design load", 0.4, 0.45, "utility/0"),
    BudgetLine("Cooling", "+26.0 kW of heat", 0.5, 0.52),
    BudgetLine("Ports", "+32"),
    BudgetLine("Weight", "+640 kg"),
    BudgetLine("Cost", "+$805,000"),
)
ARROW_KEYS = (
    "Arrows: by tile   Shift: by row   PgUp, PgDn: units   End: floor   R: turn   Enter: place   Esc: cancel"
)
REASON = "it must go into a rack, and in this hall no rack of this depth has so many free units one above the other"


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    look = Look(qapp, "dark")
    yield look
    look.scale_text(1.0)
    look.close()


@pytest.mark.parametrize(("scale", "wide", "high"), [(1.0, 707, 390), (1.5, 630, 320), (1.5, 560, 320)])
def test_the_plate_of_what_is_placed_leaves_most_of_the_hall(
    scale: float, wide: int, high: int, look: Look, qtbot: QtBot
) -> None:
    look.scale_text(scale)
    hall = QWidget()
    qtbot.addWidget(hall)
    hall.resize(wide, high)
    plate = PlacingPlate(look, hall)
    plate.show_placing("SU-A100-rack", "x -5.10 m, y 4.20 m", LINES, "", False, ARROW_KEYS)
    assert plate.width() <= 0.85 * wide
    assert plate.height() <= 0.5 * high
    assert plate.lines == LINES
    assert plate.written_keys.endswith("Enter: place   Esc: cancel"), "what ends it is told in any hall"
    plate.show_placing("SU-A100-rack", "x -5.10 m, y 4.20 m", LINES, REASON, True, ARROW_KEYS)
    assert plate.width() <= 0.85 * wide
    assert plate.written_keys.endswith("Esc: cancel")
    hall.resize(1600, 900)
    plate.show_placing("SU-A100-rack", "x -5.10 m, y 4.20 m", LINES, REASON, True, ARROW_KEYS)
    metrics = QFontMetricsF(themes.font(11, as_is=True))
    assert plate.room.width() >= metrics.horizontalAdvance(ARROW_KEYS), "a large one has room for all"
    hall.hide()


def test_words_are_folded_between_what_belongs_together(qapp: QApplication) -> None:
    metrics = QFontMetricsF(themes.font(11, as_is=True))
    room_px = metrics.horizontalAdvance("Alt: anywhere   Shift: one axis") + 1
    assert folded("Alt: anywhere   Shift: one axis   R: turn", "   ", room_px, metrics) == (
        "Alt: anywhere   Shift: one axis",
        "R: turn",
    )
    assert folded("", " ", room_px, metrics) == ()
    assert folded("unbreakable", " ", 1.0, metrics) == ("unbreakable",)


def test_a_legend_of_a_small_picture_is_lower(look: Look, qtbot: QtBot) -> None:
    hall = QWidget()
    qtbot.addWidget(hall)
    plate = LegendPlate(look, hall)
    plate.show_legend(coolant_legend())
    usual = plate.size()
    plate.show_legend(coolant_legend(), small=True)
    pointed_at = plate.size()
    assert plate.width() < usual.width()
    plate.show_legend(coolant_legend(), small=True, brief=True)
    assert plate.height() < 0.75 * pointed_at.height()
    assert plate.width() == pointed_at.width()
    assert not plate.grab().isNull()
    plate.show_legend(coolant_legend())
    assert plate.size() == usual
    hall.hide()


def test_prose_is_as_high_as_its_words(look: Look, qtbot: QtBot) -> None:
    prose = Prose()
    qtbot.addWidget(prose)
    prose.add_paragraphs(["So many words that they take a line after another. " * 20] * 3)
    prose.resize(300, 80)
    prose.show()
    page = prose.widget()
    assert page is not None
    qtbot.waitUntil(lambda: page.width() > 200)
    for label in page.findChildren(QLabel):
        assert label.height() >= label.heightForWidth(label.width())
