"""What a person does in the first minutes, done in the real window."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.session.session import SPEEDS
from twin.app.shell.main_window import MainWindow
from twin.app.shell.start import ExceptionHook
from twin.record.events import Severity
from twin.view3d.colour.legend import Legend
from twin.view3d.layers import overlay
from twin.view3d.layers.overlay import draw_overlay

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def test_space_plays_and_pauses(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    assert not window.session.playing
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert window.session.playing
    qtbot.waitUntil(lambda: window.session.t_s > 60.0)
    assert "00:00:00" not in window.transport.elapsed_label.text()
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert not window.session.playing


def test_figures_and_inspector_follow_the_run(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.session.play()
    tile = window.transport.kpis.tiles["site.it_w"]
    qtbot.waitUntil(lambda: tile.value_text.endswith("kW"))
    window.go_to("gpu/0/0/0/3")
    facts = window.docks.inspector.facts
    assert facts is not None
    assert facts.kind == "gpu"
    now = {row.label: row.value for row in facts.sections[0].rows}
    assert now["GPU temperature"].endswith("°C")
    place = {row.label: row.link for row in facts.sections[1].rows}
    assert place["Node"] == "gpu/0/0/0"
    assert any(row.badge == "published" for section in facts.sections for row in section.rows)


def test_events_arrive_and_a_click_selects_and_flies(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.session.set_speed(math.inf)
    window.session.play()
    model = window.docks.events.model

    def failure_row() -> int | None:
        rows = range(model.rowCount())
        return next((r for r in rows if model.event_at(r).subject.startswith("gpu/")), None)

    qtbot.waitUntil(lambda: failure_row() is not None)
    window.session.pause()
    row = failure_row()
    assert row is not None
    subject = model.event_at(row).subject
    before = window.hall.view.pose
    table = window.docks.events.table
    table.scrollTo(model.index(row, 0))
    place = table.visualRect(model.index(row, 3)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.selection == (subject,)
    assert window.docks.inspector.thing == subject
    qtbot.waitUntil(lambda: window.hall.view.pose != before)


def test_events_are_filtered_by_severity_and_text(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.session.set_speed(math.inf)
    window.session.play()
    dock = window.docks.events
    qtbot.waitUntil(lambda: any(e.severity >= Severity.WARNING for e in window.session.events))
    window.session.pause()
    dock.severity_buttons[Severity.WARNING].click()
    shown = [dock.model.event_at(row) for row in range(dock.model.rowCount())]
    assert shown
    assert all(event.severity >= Severity.WARNING for event in shown)
    dock.search.setText("no such words")
    assert dock.model.rowCount() == 0


def test_letters_typed_into_the_filter_are_no_shortcuts(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    field = window.docks.events.search
    field.setFocus()
    QTest.keyClicks(field, "gpu 5 f. [")
    assert field.text() == "gpu 5 f. ["
    assert window.hall.state.colour_by == "gpu.temp_c"
    assert not window.session.playing
    window.docks.events.table.setFocus()
    QTest.keyClick(window.docks.events.table, Qt.Key.Key_Space)
    assert window.session.playing


def test_the_speed_slider_and_keys_agree(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    window.transport.speed_slider.setValue(len(SPEEDS) - 1)
    assert math.isinf(window.session.speed)
    assert window.transport.speed_label.text() == "as fast as possible"
    QTest.keyClick(window, Qt.Key.Key_BracketLeft)
    assert window.session.speed == SPEEDS[-2]
    assert window.transport.speed_slider.value() == len(SPEEDS) - 2


def test_colour_by_changes_the_picture(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.hall.view.preset("close", animate=False)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.t_s > 60.0)
    window.session.pause()
    hot = window.hall.view.grab()
    assert hot.std() > 5  # not blank
    QTest.keyClick(window, Qt.Key.Key_5)
    assert window.hall.state.colour_by == "gpu.state"
    assert window.hall.strip.colour_box.currentData() == "gpu.state"
    assert window.hall.legend.legend is not None
    assert window.hall.legend.legend.categories
    states = window.hall.view.grab()
    assert np.mean(np.any(np.abs(states.astype(int) - hot) > 24, axis=2)) > 0.005


def test_hover_names_the_thing_with_its_state(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.hall.view.preset("close", animate=False)
    native = window.hall.view.native
    names: list[str] = []
    window.hall.hovered.connect(lambda words: names.append(words))
    step = 40
    for x in range(native.width() // 4, 3 * native.width() // 4, step):
        QApplication.sendEvent(native, _move(QPointF(x, native.height() / 2)))
        if names and names[-1]:
            break
    assert names
    assert names[-1]
    assert window.hall.hover_plate.isVisible()
    assert names[-1].startswith(window.hall.hover_plate.title)
    assert ":" in names[-1]


def click_what_is_framed(window: MainWindow) -> None:
    room = window.hall.view.framing.room
    middle = QPoint(round(room.x + room.width / 2), round(room.y + room.height / 2))
    QTest.mouseClick(window.hall.view.native, Qt.MouseButton.LeftButton, pos=middle)


def test_a_click_in_the_hall_shows_the_thing_in_the_inspector(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.go_to("gpu/0/0/0")
    window.hall.view.fly_to("gpu/0/0/0", animate=False)
    click_what_is_framed(window)
    qtbot.waitUntil(lambda: len(window.hall.state.selection) == 1)
    assert window.docks.inspector.thing == window.hall.state.selection[0]
    QTest.keyClick(window, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert window.hall.state.selection[0].count("/") < 4
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.docks.inspector.thing is None


def test_a_click_in_the_hall_brings_the_inspector_to_the_front(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    inspector, fabric = window.docks.inspector, window.docks.fabric
    fabric.raise_()
    qtbot.waitUntil(lambda: inspector.visibleRegion().isEmpty())
    window.go_to("gpu/0/0/0")  # as the table of the fabric dock does: that dock stays
    qtbot.wait(50)
    assert not fabric.visibleRegion().isEmpty()
    window.hall.view.fly_to("gpu/0/0/0", animate=False)
    click_what_is_framed(window)
    qtbot.waitUntil(lambda: not inspector.visibleRegion().isEmpty())


def test_a_small_view_has_no_room_for_the_legends_of_cables(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    hall = window.hall
    hall.state.cables_by = "load"
    assert hall.more_legends[0].isVisible()
    window.resize(980, 640)
    strip_px = hall.view.native.geometry().top()
    qtbot.waitUntil(lambda: hall.height() < 400)
    for plate in (hall.legend, *hall.more_legends):
        assert not plate.isVisible() or plate.y() >= strip_px
    window.resize(1400, 900)
    qtbot.waitUntil(lambda: hall.more_legends[0].isVisible())


def test_the_cards_of_the_welcome_page_fit_a_small_window(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.show_welcome()
    page = window.welcome
    for width, columns in ((1400, 3), (980, 2)):
        window.resize(width, 640)
        qtbot.waitUntil(lambda wide=width: page.width() >= wide - 40 and page.width() <= wide)
        assert page.horizontalScrollBar().maximum() == 0
        assert len({card.x() for card in page.cards}) == columns


def test_the_scenes_page_leads_back_to_the_hall(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    QTest.keyClick(window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    assert window.welcome.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.hall.isVisible()
    assert window.transport.isVisible()


def test_what_no_handler_caught_is_shown(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    hook = ExceptionHook(window)
    error = ValueError("a fault in a slot")
    sys.excepthook(ValueError, error, None)
    hook.remove()
    assert "a fault in a slot" in window.notifications.notes[0].trouble.text


def test_a_picture_is_saved_with_what_it_shows(
    use_window: UseWindow, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    path, drawn = tmp_path / "hall.png", list[str]()

    def draw(rgb: np.ndarray, legend: Legend, *, more: Sequence[Legend], **said: Any) -> np.ndarray:
        drawn.extend(one.title for one in (legend, *more))
        return draw_overlay(rgb, legend, more=more, **said)

    monkeypatch.setattr(overlay, "draw_overlay", draw)
    window.files.save_picture(path)
    assert drawn == ["GPU temperature", "Coolant"]
    image = QImage(str(path))
    assert image.width() >= window.hall.view.native.width()
    assert image.text("Seed") == "1"


def test_the_palette_has_the_keyboard_though_a_dock_floats(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    dock = window.docks.events
    window.docks.show("events")
    dock.setFloating(True)
    dock.activateWindow()
    dock.search.setFocus()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dock and dock.search.hasFocus())
    workspace = window.docks.workspace
    QTest.keyClick(
        dock.search, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    palette = window.palette_popup
    QTest.keyClick(dock.search, "b")  # before the window manager has given the window the keyboard
    qtbot.waitUntil(lambda: QApplication.focusWidget() is palette.field)
    assert (palette.field.text(), dock.search.text()) == ("b", "")
    for letter in "ookm":  # as the keyboard sends them: to whatever has it
        QTest.keyClick(QApplication.focusWidget(), letter)
    assert palette.field.text() == "bookm"
    assert palette.shown
    assert palette.isVisible()
    assert window.docks.workspace == workspace
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dock.search)
    dock.setFloating(False)


def test_the_palette_finds_and_runs_an_action(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.activateWindow()
    QTest.keyClick(
        window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    palette = window.palette_popup
    assert palette.isVisible()
    QTest.keyClicks(palette.field, "colour job")
    assert palette.shown[0].title == "Colour by job"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.hall.state.colour_by == "gpu.job"
    window.open_palette()
    QTest.keyClicks(palette.field, "gpu/0/1/0")
    assert palette.shown[0].category == "Go to"
    palette.run_current()
    assert window.hall.state.selection == ("gpu/0/1/0",)


def test_the_theme_switches_and_is_remembered(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    dark = window.palette().window().color().lightness()
    window.menus.execute("window.theme_light")
    assert window.palette().window().color().lightness() > dark + 100
    assert window.settings.theme == "light"
    assert window.hall.state.theme == "light"
    window.menus.execute("window.theme_dark")


def test_docks_close_come_back_and_reset(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    window.menus.execute("window.dock_plots")
    assert not window.docks.is_shown("plots")
    window.docks.events.setFloating(True)
    window.menus.execute("window.reset_layout")
    assert window.docks.is_shown("plots")
    assert not window.docks.events.isFloating()


def test_a_narrow_window_leaves_out_the_last_tiles(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    tiles = window.transport.kpis.tiles
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: all(tile.isVisible() for tile in tiles.values()))
    window.resize(980, 640)
    qtbot.waitUntil(lambda: not tiles["site.spares"].isVisible())
    assert window.width() == 980
    assert tiles["site.goodput_now"].isVisible()
    more = window.transport.kpis.more_button
    assert more.isVisible()
    assert "Spare nodes" in more.toolTip()


def test_every_action_has_a_unique_key(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    keys = [
        made.shortcut().toString() for made in window.menus.qt_actions.values() if made.shortcut().toString()
    ]
    assert len(keys) == len(set(keys))


def test_all_figures_in_words_are_of_one_frame(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    inspector, tiles = window.docks.inspector, window.transport.kpis.tiles
    pairs: list[tuple[str, str]] = []

    def look() -> None:
        assert inspector.facts is not None
        now = {row.label: row.value for row in inspector.facts.sections[0].rows}
        pairs.append((tiles["site.gpu_max_c"].value_text, now["Hottest GPU"]))

    window.session.figures_changed.connect(look)
    window.session.set_speed(7200.0)
    window.session.play()
    qtbot.waitUntil(lambda: len(pairs) > 6)
    window.session.figures_changed.disconnect(look)
    assert all(tile == row for tile, row in pairs)


def test_the_end_of_a_run_is_said_and_space_leaves_it(
    use_window: UseWindow, qtbot: QtBot, lab: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.twin.yaml"
    short.write_text(lab.read_text().replace("duration: 1 day", "duration: 1 h"))
    window = use_window(short)
    window.session.set_speed(math.inf)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.summary is not None)
    assert window.transport.elapsed_label.text().startswith("Finished after 1 h")
    assert window.transport.play_button.accessibleName().startswith("Run finished")
    assert not window.transport.step_button.isEnabled()
    window.show_welcome()
    window.show_hall()
    qtbot.wait(300)
    assert all(note.trouble.title == "Run finished" for note in window.notifications.notes)
    assert "Ctrl+Shift+R" in window.notifications.notes[0].trouble.text
    window.session.set_speed(60.0)
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert not window.session.playing
    assert window.session.t_s == 3600.0
    assert window.session.summary is not None
    assert window.statusBar().currentMessage().startswith("Run finished. Start it again with Ctrl+Shift+R")
    QTest.keyClick(
        window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert window.session.playing
    qtbot.waitUntil(lambda: 0.0 < window.session.t_s < 3600.0)
    assert "Finished" not in window.transport.elapsed_label.text()
    assert window.transport.step_button.isEnabled()


def _move(place: QPointF) -> QMouseEvent:
    none = Qt.MouseButton.NoButton
    return QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
