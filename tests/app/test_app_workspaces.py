"""Four workspaces: each lays out sanely, keeps what was changed in it, and is reset by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSizePolicy, QTabBar
from pytestqt.qtbot import QtBot
from usual_cases import usually

from twin.app.shell.dock_table import DOCKS
from twin.app.shell.workspaces import BY_NAME, RUN, WORKSPACES, Spot, home
from twin.app.toolkit.dock import Dock

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


PLACES = {entry.name: entry.spots for entry in DOCKS}


def docks_of(window: MainWindow) -> dict[str, Dock]:
    """Return all docks by name."""
    return {name: getattr(window.docks, name) for name in PLACES}


SMALL, LARGE = (1280, 800), (1600, 1000)


@pytest.mark.parametrize(
    ("text", "size"), usually(itertools.product([1.0, 1.5], [SMALL, LARGE]), [(1.0, SMALL)])
)
def test_each_workspace_shows_each_of_its_docks_and_leaves_room_for_the_hall(
    window: MainWindow, text: float, size: tuple[int, int]
) -> None:
    with text_of(window, text):
        for workspace in WORKSPACES:
            window.resize(*size)
            window.docks.enter(workspace.name)
            window.docks.reset()
            QTest.qWait(20)
            named = {
                name
                for name, spots in PLACES.items()
                if workspace.name in spots and not spots[workspace.name].closed
            }
            case, docks = (text, size, workspace.name), docks_of(window)
            assert {each for each in docks if window.docks.is_shown(each)} == named, case
            assert window.size().toTuple() == size  # no dock asks for more than the window has
            wide = 0.48 if workspace.name == "analyse" or text > 1.0 else 0.55
            assert window.hall.width() >= wide * size[0], case
            assert window.hall.height() >= max(0.40 * size[1], 320), case
            for name in sorted(named):
                window.docks.show(name)
                QTest.qWait(1)
                body = docks[name].widget()
                assert body is not None
                assert not body.visibleRegion().isEmpty(), (name, case)
                assert body.height() >= 160, (name, case)
                assert body.width() >= 250, (name, case)


@contextmanager
def text_of(window: MainWindow, scale: float) -> Iterator[None]:
    """Let the window write in another size for a while."""
    window.look.scale_text(scale)
    try:
        yield
    finally:
        window.look.scale_text(1.0)


@pytest.mark.slow
def test_larger_text_gets_more_room_below_the_hall(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    docks = window.docks
    docks.enter("run")
    docks.reset()
    docks.show("jobs")
    QTest.qWait(20)

    def together() -> bool:
        return docks.plots in window.tabifiedDockWidgets(docks.events)

    def body_px() -> int:
        body = docks.jobs.widget()
        return 0 if body is None or body.visibleRegion().isEmpty() else body.height()

    assert not together()
    with text_of(window, 1.5):  # as it was laid out: one row of tabs takes the place of two beside each other
        qtbot.waitUntil(together)
        qtbot.waitUntil(lambda: body_px() >= 160)
    qtbot.waitUntil(lambda: not together())
    docks.branches.close()
    with text_of(window, 1.5):  # changed by hand: docks stay where they are, with more height
        qtbot.waitUntil(lambda: body_px() >= 160)
        assert not together()
    docks.reset()


def _drag_up(window: MainWindow, qtbot: QtBot, by_px: int) -> int:
    """Drag the separator below the hall up by hand; return the height that the docks below have then."""
    central, below = window.centralWidget(), window.docks.events
    before_px = below.height()

    def dragged() -> bool:  # where the layout is not settled yet, the press misses the separator
        nonlocal before_px
        before_px, bottom_px = below.height(), central.geometry().bottom()
        bars = [
            bar.geometry().top() for bar in window.children() if isinstance(bar, QTabBar) and bar.isVisible()
        ]
        tops = [px for px in (below.mapTo(window, QPoint()).y(), *bars) if px > bottom_px]
        at = QPoint(central.geometry().center().x(), (bottom_px + min(tops, default=bottom_px)) // 2)
        QTest.mouseMove(window, at)
        QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseMove(window, at - QPoint(0, by_px))
        QTest.qWait(20)
        QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=at - QPoint(0, by_px))
        return below.height() == before_px + by_px

    qtbot.waitUntil(dragged)
    return before_px + by_px


@pytest.mark.slow
def test_sizes_dragged_by_hand_stay_when_the_text_grows(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 900)
    docks = window.docks
    docks.enter("run")
    docks.reset()
    dragged_px = _drag_up(window, qtbot, 120)
    with text_of(window, 1.2):
        qtbot.waitUntil(lambda: docks.shared_scale == 1.2)
        assert abs(docks.events.height() - dragged_px) < 20  # but for what the bars round it grow by
    qtbot.waitUntil(lambda: docks.shared_scale == 1.0)
    assert abs(docks.events.height() - dragged_px) < 20
    docks.reset()
    qtbot.waitUntil(lambda: docks.events.height() < dragged_px - 100)
    with text_of(window, 1.2):  # laid out as at first again: the text has its room
        qtbot.waitUntil(lambda: docks.shared_scale == 1.2)
    qtbot.waitUntil(lambda: docks.shared_scale == 1.0)


@pytest.mark.slow
def test_after_a_restart_a_layout_is_shared_anew_unless_somebody_changed_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    from twin.app.toolkit.settings import UserSettings

    window.resize(1280, 800)
    docks = window.docks

    def together() -> bool:
        return docks.plots in window.tabifiedDockWidgets(docks.events)

    def restart() -> None:
        docks.save(window.settings)
        window.settings.flush()
        docks.enter("teach")
        docks.restore(UserSettings(window.settings.path))

    docks.enter("teach")
    docks.reset()
    docks.enter("run")
    docks.reset()
    restart()
    with text_of(window, 1.5):  # as it was laid out: one row of tabs takes the place of two beside each other
        qtbot.waitUntil(together)
    qtbot.waitUntil(lambda: not together())
    _drag_up(window, qtbot, 40)
    restart()
    with text_of(window, 1.5):
        qtbot.waitUntil(lambda: docks.shared_scale == 1.5)
        assert not together()
    qtbot.waitUntil(lambda: docks.shared_scale == 1.0)
    docks.reset()


def test_each_workspace_keeps_what_was_changed_in_it(window: MainWindow, qtbot: QtBot) -> None:
    docks = window.docks
    docks.enter("run")
    docks.reset()
    docks.toggle("plots")
    docks.show("alarms")
    assert not docks.is_shown("plots")
    docks.enter("analyse")
    assert docks.is_shown("plots")
    docks.enter("run")
    QTest.qWait(20)
    assert not docks.is_shown("plots")
    assert not docks.alarms.visibleRegion().isEmpty()
    docks.enter("teach")
    docks.reset()  # of this one alone
    docks.enter("run")
    assert not docks.is_shown("plots")
    docks.reset()
    assert docks.is_shown("plots")


def test_layouts_outlive_the_window(window: MainWindow) -> None:
    from twin.app.toolkit.settings import UserSettings

    docks = window.docks
    docks.enter("teach")
    docks.toggle("events") if docks.is_shown("events") else None
    docks.show("jobs")
    docks.save(window.settings)
    window.settings.flush()
    docks.enter("run")
    docks.enter("teach")
    docks.reset()
    assert not docks.is_shown("jobs")
    docks.enter("run")
    docks.restore(UserSettings(window.settings.path))
    assert docks.workspace.name == "teach"
    assert docks.is_shown("jobs")
    docks.reset()
    docks.enter("run")


def test_the_switch_the_menu_and_the_keys_change_the_workspace(window: MainWindow, qtbot: QtBot) -> None:
    switch, docks = window.workspaces, window.docks
    switch.buttons["analyse"].click()
    assert docks.workspace.name == "analyse"
    assert [name for name, button in switch.buttons.items() if button.isChecked()] == ["analyse"]
    window.menus.execute("view.workspace_design")
    assert switch.buttons["design"].isChecked()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert docks.workspace.name == "run"
    assert "(Alt+4)" in switch.buttons["teach"].toolTip()
    titles = {entry.title for entry in window.menus.entries()}
    assert {f"Workspace: {each.title}" for each in WORKSPACES} <= titles


def test_the_switch_is_away_with_the_docks_on_the_welcome_page(window: MainWindow) -> None:
    window.docks.enter("run")
    window.show_welcome()
    assert not window.workspaces.isVisible()
    window.docks.enter("teach")
    assert window.docks.workspace.name == "run"
    window.menus.execute("view.workspace_teach")  # goes back to the hall
    assert window.docks.workspace.name == "teach"
    assert window.workspaces.isVisible()
    assert not window.docks.story.visibleRegion().isEmpty()
    window.docks.enter("run")


def test_a_dock_that_a_workspace_does_not_show_opens_at_its_usual_side(window: MainWindow) -> None:
    window.docks.enter("teach")
    window.docks.reset()
    window.docks.show("jobs")
    assert window.dockWidgetArea(window.docks.jobs) == Qt.DockWidgetArea.BottomDockWidgetArea
    window.docks.show("inspector")
    assert window.dockWidgetArea(window.docks.inspector) == Qt.DockWidgetArea.RightDockWidgetArea
    window.docks.reset()
    window.docks.enter("run")


def test_the_table_of_docks_says_of_each_what_it_is_and_where_it_stands(window: MainWindow) -> None:
    for entry in DOCKS:
        dock = docks_of(window)[entry.name]
        assert (dock.objectName(), dock.windowTitle()) == (entry.name, entry.title)
        assert entry.spots
        assert all(spot.stack < len(BY_NAME[name].shares(spot.side)) for name, spot in entry.spots.items())
    assert home(PLACES["palette"]) == Spot("left", tab=0)
    assert home(PLACES["plots"]) == Spot("bottom", 1, tab=0)
    assert home({}).side == "bottom"
    for width_px in (980, 1280, 1600, 3840):
        assert RUN.side_px("right", width_px, 800) <= 0.45 * width_px


def test_the_story_of_the_scene_is_beside_the_hall(window: MainWindow) -> None:
    document = window.session.document
    assert document is not None
    assert window.docks.story.title.text() == document.scenario.title


@pytest.mark.slow
def test_curves_differ_by_more_than_their_colours_in_high_contrast(window: MainWindow, qtbot: QtBot) -> None:
    from twin.app.plots.style import curve_mark, curve_pen
    from twin.app.toolkit.theme import CONTRAST, DARK

    assert len({curve_pen(CONTRAST, k).style() for k in range(4)}) == 4
    assert len({curve_mark(CONTRAST, k) for k in range(4)}) == 4
    assert {curve_pen(DARK, k).style() for k in range(4)} == {Qt.PenStyle.SolidLine}
    window.docks.enter("run")
    window.docks.show("plots")
    qtbot.waitUntil(lambda: bool(window.docks.plots.areas))  # drawn when there is what to draw
    window.choose_theme("contrast")
    area = next(iter(window.docks.plots.areas.values()))
    styles = [curve.line.opts["pen"].style() for curve in area.curves.values()]
    assert Qt.PenStyle.DashLine in styles
    window.choose_theme("dark")
    assert {curve.line.opts["pen"].style() for curve in area.curves.values()} == {Qt.PenStyle.SolidLine}


@pytest.mark.parametrize("width_px", [1280, 1600])
def test_docks_to_come_find_their_places(window: MainWindow, qtbot: QtBot, width_px: int) -> None:
    from PySide6.QtWidgets import QLabel, QMainWindow

    from twin.app.shell.workspaces import DESIGN, arrange

    other = QMainWindow()
    qtbot.addWidget(other)
    hall = QLabel("hall")
    hall.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    other.setCentralWidget(hall)
    other.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
    names = ("palette", "outliner", "inspector", "fabric", "checks", "events", "plots")
    docks = {name: Dock(window.look, name, name.title(), "list", other) for name in names}
    other.resize(width_px, 800)
    other.show()
    arrange(other, docks, DESIGN, {name: PLACES[name] for name in names})
    QTest.qWait(20)
    palette, outliner = docks["palette"], docks["outliner"]
    assert palette.x() == outliner.x() == 0
    assert palette.geometry().bottom() < outliner.geometry().top()
    assert (
        outliner.geometry().bottom() > docks["checks"].geometry().top()
    )  # the left column goes to the ground
    assert not docks["checks"].visibleRegion().isEmpty()  # in front of the events
    assert docks["plots"].isHidden()
    assert 0.55 <= hall.width() / width_px <= 0.7


def test_a_dock_floats_off_its_old_place_and_comes_back_in_front(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.enter("run")
    window.docks.reset()
    window.docks.show("jobs")
    jobs, old = window.docks.jobs, window.docks.jobs.mapToGlobal(QPoint(0, 0))
    jobs.toggle_floating()
    qtbot.waitUntil(jobs.isFloating)
    assert (jobs.pos() - old).manhattanLength() >= 20, "it is seen to float"
    assert window.screen().availableGeometry().contains(jobs.geometry())
    window.docks.show("events")
    jobs.toggle_floating()
    qtbot.waitUntil(lambda: not jobs.visibleRegion().isEmpty() and not jobs.isFloating())
    assert window.docks.events.visibleRegion().isEmpty()
    window.docks.reset()


def test_the_window_is_no_larger_than_its_screen(window: MainWindow) -> None:
    room = window.screen().availableSize()
    before = window.size()
    window.resize(room * 2)
    window.docks.restore(window.settings)
    assert window.width() <= room.width()
    assert window.height() <= room.height()
    assert window.minimumWidth() <= room.width()
    window.resize(before)


@pytest.mark.parametrize("scale", usually([1.0, 1.5], [1.0]))
def test_tabs_of_docks_keep_their_words(window: MainWindow, qtbot: QtBot, scale: float) -> None:
    window.docks.enter("run")
    window.docks.reset()
    with text_of(window, scale):

        def bars() -> list[QTabBar]:  # they come and go while docks are laid out
            return [bar for bar in window.children() if isinstance(bar, QTabBar) and bar.count()]

        qtbot.waitUntil(lambda: all(bar.elideMode() == Qt.TextElideMode.ElideNone for bar in bars()))
        for bar in bars():
            words = bar.fontMetrics()
            for place in range(bar.count()):
                assert bar.tabRect(place).width() >= words.horizontalAdvance(bar.tabText(place))
