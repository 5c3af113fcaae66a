"""In windows of any width, at any size of text, no words lie on others and none is cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cut_texts import cut
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from usual_cases import usually

from twin.app.hall.trace_layer import Told
from twin.app.jobs.waterfall import Waterfall
from twin.app.jobs.waterfall_view import WaterfallView
from twin.app.monitor.spares_dock import CONDITION, NODE
from twin.app.palette.room_wizard import RoomWizard
from twin.app.timeline.kpi import KpiTile
from twin.app.toolkit.account_colours import AccountShare
from twin.app.toolkit.cut_tabs import cut_places
from twin.app.toolkit.overflow_row import GivingWay
from twin.app.toolkit.row_table import RowTable
from twin.app.toolkit.theme import scaled
from twin.record.events import Event, Severity

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
SIZES = [(1600, 1.0), (1280, 1.0), (1600, 1.5), (1280, 1.5)]
_LONG = Told(
    "Status", ("5 Jan 10:08:41   gpu/1/4/1: network switch cable; repair time 7 d 7 h (and 12 more)",)
)


@pytest.fixture
def window(
    request: pytest.FixtureRequest, use_window: Callable[[Path], MainWindow], lab: Path
) -> Iterator[MainWindow]:
    """The window, its size of text put back afterwards."""
    window = use_window(lab)
    yield window
    window.look.scale_text(1.0)
    del window
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def _sized(window: MainWindow, width: int, scale: float, qtbot: QtBot) -> None:
    window.look.scale_text(scale)
    window.resize(width, 950)
    qtbot.waitUntil(lambda: window.width() == width)


def _apart(widgets: list[QWidget]) -> bool:
    shown = [widget for widget in widgets if widget.isVisible()]
    return not any(a.geometry().intersects(b.geometry()) for a, b in combinations(shown, 2))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scale"), SIZES)
def test_plates_over_the_hall_leave_each_other_room(
    window: MainWindow, qtbot: QtBot, width: int, scale: float
) -> None:
    _sized(window, width, scale, qtbot)
    hall = window.hall
    hall.mark.show_by_hand(2, "10 Feb 22:58:43", "9 Feb 21:58:43")
    hall.story_plate.show_told(_LONG)
    hall.ticker.show_event(Event(0, 60.0, "failure", "gpu/5/31/1/5", Severity.ALARM, "GPU HBM3 memory, away"))
    hall.alarm_badge.show_counts(27, 109)
    hall.place_overlays()
    assert (
        hall.mark.words
        == "SIMULATED  ·  2 INJECTED  ·  10 FEB 22:58:43, NOT LIVE  ·  FIGURES AS OF 9 FEB 21:58:43"
    )
    assert "  ·  ".join(hall.mark.lines) == hall.mark.words
    plates = [hall.mark, hall.alarm_badge, hall.ticker, hall.story_plate, hall.legend]
    assert _apart(plates)
    assert all(hall.rect().contains(plate.geometry()) for plate in plates if plate.isVisible())
    hall.alarm_badge.show_counts(0, 0)
    hall.mark.show_by_hand(0)
    hall.place_overlays()
    assert hall.mark.lines == ("SIMULATED",)


@pytest.mark.parametrize("scale", usually([1.5, 1.0], [1.5]))
def test_the_inspector_cuts_no_words_and_no_badges(window: MainWindow, qtbot: QtBot, scale: float) -> None:
    _sized(window, 1280, scale, qtbot)
    window.docks.enter("design")
    window.docks.show("inspector")
    inspector = window.docks.inspector
    for thing in (None, "gpu/0/0/0"):
        inspector.show_thing(thing)
        for page in ("facts", "properties"):
            inspector.show_page(page)
            qtbot.waitUntil(lambda: [str(each) for each in cut(inspector)] == [])
    label = inspector.properties.row("label")
    beside = abs(label.name.geometry().center().y() - label.field.geometry().center().y()) < 10
    assert beside == (scale == 1.0), "where it is narrow a field stands below its name"
    inspector.show_thing(None)
    inspector.show_page("facts")


@pytest.mark.parametrize(("width", "scale"), usually([(1600, 1.0), (1280, 1.5)], 1))
def test_tools_above_the_hall_stand_beside_each_other(
    window: MainWindow, qtbot: QtBot, width: int, scale: float
) -> None:
    window.docks.enter("design")
    _sized(window, width, scale, qtbot)
    hall = window.hall
    strip = hall.strip.colour_box.parentWidget()
    assert isinstance(strip, GivingWay)
    kinds = (QLabel, QComboBox, QToolButton)
    tools = [child for child in strip.children() if isinstance(child, kinds)]
    qtbot.waitUntil(
        lambda: all(tool.width() >= tool.sizeHint().width() for tool in tools if tool.isVisible())
    )
    assert _apart(tools)
    assert hall.strip.colour_box.isVisible()
    assert hall.strip.scene_label.isVisible() == (scale == 1.0)


@pytest.mark.parametrize("scale", usually([1.0, 1.5], [1.0]))
def test_the_longest_time_that_is_looked_at_is_not_cut_off(
    window: MainWindow, qtbot: QtBot, scale: float
) -> None:
    _sized(window, 1600, scale, qtbot)
    line = window.timeline
    line.state_label.setProperty("role", "looking")
    line.state_label.setText(f"LOOKING AT  {window.session.clock.longest}")
    line.state_label.style().polish(line.state_label)
    assert line.state_label.width() >= line.state_label.sizeHint().width()
    line.live_button.setText("Not live: back to live")
    assert line.live_button.width() >= line.live_button.sizeHint().width()
    line.on_time()


@pytest.mark.parametrize("scale", usually([1.0, 1.5], [1.0]))
def test_a_hidden_part_of_the_status_bar_takes_no_height_of_the_hall(
    window: MainWindow, qtbot: QtBot, scale: float
) -> None:
    _sized(window, 1280, scale, qtbot)
    bar = window.statusBar()
    hidden = [part for part in bar.findChildren(QWidget, options=_DIRECT) if part.isHidden()]
    assert window.answering in hidden
    high_px = bar.sizeHint().height()
    for part in hidden:
        bar.removeWidget(part)
    assert bar.sizeHint().height() == high_px
    for part in hidden:
        bar.addPermanentWidget(part)


@pytest.mark.parametrize("scale", usually([0.8, 1.0, 1.5], [1.0]))
def test_titles_of_tiles_cells_of_spares_and_names_of_accounts_are_whole(
    window: MainWindow, qtbot: QtBot, scale: float
) -> None:
    _sized(window, 1600, scale, qtbot)
    for tile in window.findChildren(KpiTile):
        title = next(each for each in tile.findChildren(QLabel) if each.text() == tile.kpi.title)
        assert not tile.isVisible() or title.width() >= title.sizeHint().width(), tile.kpi.title
    window.docks.show("spares")
    table = window.docks.spares.findChild(RowTable)
    assert table is not None
    qtbot.waitUntil(table.isVisible)
    for column in (NODE, CONDITION):
        assert table.columnWidth(column) >= table.sizeHintForColumn(column)
    chart = WaterfallView(window.look)
    chart.show_waterfall(Waterfall(100.0, (AccountShare("detection", "Detection time", 10.0, ""),), 90.0))
    for width_px in (200, 320, 700):  # with no room for bars there are none, and names end before figures
        chart.resize(width_px, 120)
        assert chart.name_end_px <= chart.width() - chart.figures_px


def test_what_happened_has_two_lines_in_a_narrow_list(window: MainWindow, qtbot: QtBot) -> None:
    dock = window.docks.events
    dock.setFloating(True)
    dock.show()
    heights = []
    for width_px in (900, 420):
        dock.resize(width_px, 300)
        qtbot.waitUntil(lambda width_px=width_px: dock.width() == width_px)
        heights.append(dock.table.verticalHeader().defaultSectionSize())
    assert heights[1] > 1.5 * heights[0]
    dock.setFloating(False)


def test_dialogs_are_no_larger_than_the_screen(window: MainWindow, qtbot: QtBot, lab: Path) -> None:
    window.look.scale_text(1.5)
    room = window.screen().availableSize()
    window.menus.execute("run.plan_job")
    assert window.planner.dialog is not None
    window.build_room()
    diff = window.comparing.show(lab, lab.name)
    assert diff is not None
    dialogs = [window.planner.dialog, *window.findChildren(RoomWizard), diff]
    assert len(dialogs) == 3
    for dialog in dialogs:
        assert dialog.width() <= room.width(), dialog.windowTitle()
        assert dialog.height() <= room.height(), dialog.windowTitle()
        dialog.close()


@pytest.mark.slow
def test_no_torn_letters_stand_at_the_edges_of_a_row_of_tabs(window: MainWindow, qtbot: QtBot) -> None:
    _sized(window, 1280, 1.5, qtbot)
    window.docks.enter("run")
    window.docks.show("checks")
    bars = [bar for bar in window.children() if isinstance(bar, QTabBar) and bar.count() > 4]
    assert bars
    for bar in bars:
        qtbot.waitUntil(lambda bar=bar: _covered(bar) == [p for p in cut_places(bar) if not p.isEmpty()])
    assert any(_covered(bar) for bar in bars)


def _covered(bar: QTabBar) -> list[QRect]:
    return [
        child.geometry()
        for child in bar.children()
        if child.objectName() == "cut_tab" and isinstance(child, QWidget) and child.isVisible()
    ]


@pytest.mark.slow
def test_columns_give_way_to_what_failed(window: MainWindow, qtbot: QtBot) -> None:
    _sized(window, 1280, 1.5, qtbot)
    window.docks.enter("run")
    window.docks.show("incident")
    dock = window.docks.incident
    for table, named in ((dock.cause_table, 0), (dock.table, 1)):
        qtbot.waitUntil(table.isVisible)
        qtbot.waitUntil(lambda table=table, named=named: table.columnWidth(named) >= scaled(80))
    assert dock.page.widget().minimumSizeHint().width() <= dock.width()


def test_a_title_too_long_or_of_two_lines_is_one_line_that_ends_in_an_ellipsis(
    use_window: Callable[[Path], MainWindow], lab: Path, tmp_path: Path
) -> None:
    path = tmp_path / "long.twin.yaml"
    long = "A hall \\n of " + "very " * 25 + "many words"
    written = lab.read_text(encoding="utf-8").splitlines()
    path.write_text(
        "\n".join(f'title: "{long}"' if line.startswith("title:") else line for line in written),
        encoding="utf-8",
    )
    window = use_window(path)
    assert window.windowTitle().startswith("A hall of very very")
    assert "\n" not in window.windowTitle()
    assert len(window.windowTitle()) < 130
    del window
