"""What lies over a small hall in large text: the plate of what is placed, legends; and long words below one another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from twin.app.hall.compact_plates import fewer, is_low, room_of_words, shorter
from twin.app.hall.facility_overlay import AlarmBadge, ToldPlate
from twin.app.hall.legend_plate import LegendPlate
from twin.app.hall.overlay import SimulatedMark, Ticker
from twin.app.hall.plate_layout import place_at_top, place_legends
from twin.app.hall.trace_layer import Told
from twin.app.placing.plate import BudgetLine, PlacingPlate, folded
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.read_only_dialog import Prose
from twin.record.events import Event, Severity
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


def test_a_low_picture_has_one_row_of_plates_above_the_hall_and_one_below(look: Look, qtbot: QtBot) -> None:
    look.scale_text(1.5)
    hall, picture = QWidget(), QRect(0, 0, 835, 272)
    qtbot.addWidget(hall)
    hall.resize(picture.size())
    mark, badge, ticker = SimulatedMark(look, hall), AlarmBadge(look, hall), Ticker(look, hall)
    story, legends = ToldPlate(look, hall), [LegendPlate(look, hall) for _ in range(3)]
    hall.show()
    badge.show_counts(2, 2)
    told = Told("Status", ("00:03:13   c/4/6/3/0: GPU; repair time 1 min 8 s", "frontier-c is down"))
    story.show_told(shorter(told, 1, titled=False))
    for legend in legends:
        legend.keep_within(2 * picture.width())
        legend.show_legend(fewer(coolant_legend()), small=True, brief=True)
    assert is_low(picture, mark.scale)
    assert not is_low(picture, 0.9)

    def place() -> int:
        """Return how far down the plates at the top reach [px]."""
        place_at_top(hall, picture, 200, mark, badge, ticker, [story], one_row=True)
        shown = [plate for plate in (mark, badge, ticker, story) if plate.isVisibleTo(hall)]
        for plate in shown:
            assert hall.rect().contains(plate.geometry())
            assert not any(plate.geometry().intersects(p.geometry()) for p in shown if p is not plate)
        return max(plate.geometry().bottom() for plate in shown if plate is not mark)

    row = room_of_words(picture, mark.scale)
    assert place() <= row.bottom() + 1
    assert story.isVisibleTo(hall)
    ticker.show_event(Event(0, 0.0, "node_down", "gpu/0/0/0", Severity.ALARM, "GPU"))
    assert place() <= row.bottom() + 1
    assert not story.isVisibleTo(hall), "what is new goes first"
    ticker.hide()
    place()
    assert story.isVisibleTo(hall), "and the status is back behind it"
    placed = place_legends(picture, legends[0], legends[1:], legends, one_row=True)
    assert placed == legends[:2], "there is room for two beside one another, and none above them"
    assert placed[0].y() == placed[1].y()
    hall.hide()
