"""Everything can be reached and told apart without a mouse and without eyes: names, tips, the ring of the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QStatusTipEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from twin.record.events import Event, Severity

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

_FIELDS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider, QAbstractItemView)


def name_of(widget: QWidget) -> str:
    """Return what a screen reader says of a widget."""
    told = QAccessible.queryAccessibleInterface(widget)
    return (told.text(QAccessible.Text.Name).strip() if told is not None else "") or widget.accessibleName()


def is_inner(widget: QWidget) -> bool:
    """Return whether this is a part that Qt makes inside another, or what only scrolls."""
    within = widget.parentWidget()
    return (
        isinstance(widget, QScrollBar)
        or (
            isinstance(widget, QAbstractItemView)
            and isinstance(widget.parentWidget().parentWidget(), QComboBox)
        )
        or widget.objectName().startswith("qt_")
        or (isinstance(widget, QLineEdit) and isinstance(within, (QAbstractSpinBox, QComboBox)))
        or type(widget).__name__ == "QToolBarExtension"
        or (isinstance(widget, QAbstractButton) and isinstance(within, (QLineEdit, QAbstractItemView)))
        or (type(widget).__name__ == "QToolButton" and type(within).__name__ in ("QTabBar", "QMenuBar"))
        or isinstance(widget, QHeaderView)
    )


def nameless(root: QWidget) -> list[str]:
    """Return every widget below `root` that one can act on and that has no name."""
    found = []
    for widget in root.findChildren(QWidget):
        acts = isinstance(widget, _FIELDS) or (
            widget.focusPolicy() & Qt.FocusPolicy.TabFocus and type(widget).__name__ != "QMenuBar"
        )
        if acts and not is_inner(widget) and not name_of(widget):
            chain, above = [], widget
            while above is not None:
                chain.append(f"{type(above).__name__}({above.objectName()})")
                above = above.parentWidget()
            found.append(" < ".join(chain[:6]))
    return found


def tipless(root: QWidget) -> list[str]:
    """Return every button and field below `root` without a tool tip."""
    return [
        f"{type(widget).__name__} {name_of(widget)!r} in {type(widget.parentWidget()).__name__}"
        for widget in root.findChildren(QWidget)
        if isinstance(widget, (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider))
        and not is_inner(widget)
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not widget.toolTip()
    ]


def opened(window: MainWindow, act: Callable[[], object]) -> QWidget:
    """Return the dialog that an act opens."""
    before = set(QApplication.topLevelWidgets())
    act()
    QTest.qWait(10)
    new = [w for w in QApplication.topLevelWidgets() if w not in before and w.isVisible() and w.isWindow()]
    assert new
    return new[0]


def dialogs(window: MainWindow) -> list[Callable[[], object]]:
    """Return what opens each dialog that opens without a question of the system."""
    menus = window.menus
    window.go_to("gpu/0")
    return [
        lambda: menus.execute("help.shortcuts"),
        lambda: menus.execute("help.keys"),
        lambda: menus.execute("help.about"),
        lambda: menus.execute("help.story"),
        lambda: menus.execute("run.plan_job"),
        lambda: menus.execute("analyse.study"),
        lambda: menus.execute("teach.lessons"),
        lambda: menus.execute("file.need"),
        lambda: window.break_thing(str(window.session.plant.racks.ids[0])),  # type: ignore[union-attr]
        lambda: window.job_actions.ask_risk(window.session.document.scenario.jobs[0].id),  # type: ignore[union-attr]
    ]


def test_everything_to_act_on_has_a_name_and_says_what_it_does(window: MainWindow) -> None:
    assert "\n".join([*nameless(window), *tipless(window)]) == ""


def test_dialogs_have_names_and_tips_throughout(window: MainWindow) -> None:
    problems = []
    for act in dialogs(window):
        dialog = opened(window, act)
        problems += [f"{dialog.windowTitle()}: {each}" for each in (*nameless(dialog), *tipless(dialog))]
        dialog.close()
    assert "\n".join(problems) == ""


def tabbed(root: QWidget, most: int = 80) -> list[QWidget]:
    """Press Tab until the keyboard is back where it was first; return what had it on the way."""
    passed = [QApplication.focusWidget()]
    while len(passed) < most:
        QTest.keyClick(root.windowHandle(), Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in passed:
            break
        passed.append(now)
    return passed


def test_the_ring_is_seen_round_whatever_has_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.enter("run")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.hall.view.native.setFocus()
    ring = window.look.ring
    passed = []
    for _ in range(80):
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None
        if now in passed:
            break
        passed.append(now)
        seen, place = ring.seen, QRect(now.mapTo(window, QPoint(0, 0)), now.size())
        assert seen is not None, now
        assert seen.adjusted(-1, -1, 1, 1).intersects(place), (now, seen, place)
        picture = window.grab(seen)
        accent = window.look.theme.accent
        edge = picture.toImage()
        colours = {edge.pixelColor(x, 0).name() for x in range(0, edge.width(), 3)}
        assert accent in colours, (name_of(now), colours)
    names = [name_of(each) for each in passed]
    assert len(passed) >= 20, names
    assert window.hall.view.native in passed
    QTest.mousePress(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(700, 400))
    QTest.mouseRelease(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(700, 400))
    assert ring.seen is None  # who points needs none


def test_tab_goes_from_the_top_of_the_window_down(window: MainWindow) -> None:
    window.transport.restart_button.setFocus()
    order = tabbed(window)
    transport = window.transport
    expected = [
        transport.restart_button,
        transport.play_button,
        transport.step_button,
        transport.speed_slider,
    ]
    assert [each for each in order if each in expected] == expected
    strip = [
        window.hall.strip.colour_box,
        window.hall.strip.cables_box,
        window.hall.strip.layers_button,
        window.hall.strip.camera_button,
    ]
    assert [each for each in order if each in strip] == strip
    assert order.index(window.hall.view.native) == order.index(window.hall.strip.camera_button) + 1


@pytest.mark.slow
def test_the_ring_of_high_contrast_is_three_pixels_wide(window: MainWindow) -> None:
    window.choose_theme("contrast")
    window.hall.strip.colour_box.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    seen, now = window.look.ring.seen, QApplication.focusWidget()
    assert seen is not None
    assert now is not None
    assert seen.size() == now.size() + QSize(6, 6)
    picture = window.grab(seen).toImage()
    middle = picture.height() // 2
    assert [picture.pixelColor(x, middle).name() for x in range(3)] == [window.look.theme.accent] * 3
    window.choose_theme("dark")


def test_every_action_says_in_the_status_bar_what_it_does(window: MainWindow) -> None:
    actions = window.menus.qt_actions
    assert [id for id, action in actions.items() if not action.statusTip()] == []
    QApplication.sendEvent(window, QStatusTipEvent(actions["view.workspace_teach"].statusTip()))
    assert window.statusBar().currentMessage() == actions["view.workspace_teach"].statusTip()
    window.statusBar().clearMessage()


def test_a_field_that_is_gone_before_it_is_told_of_gets_no_ring(window: MainWindow) -> None:
    field = QLineEdit(window)
    field.deleteLater()
    QApplication.sendPostedEvents(field, QEvent.Type.DeferredDelete.value)
    window.look.ring.on_focus(None, field)
    assert window.isVisible()


def test_the_hall_says_what_is_selected_and_what_has_happened(window: MainWindow, qtbot: QtBot) -> None:
    announcer, picture = window.hall.announcer, window.hall.view.native
    rack = str(window.session.plant.racks.ids[0])  # type: ignore[union-attr]
    with qtbot.waitSignal(announcer.said) as said:
        window.hall.state.selection = (rack,)
    assert said.args is not None
    assert f"Selected: {rack}" in said.args[0]
    node = str(window.session.plant.nodes.ids[0])  # type: ignore[union-attr]
    with qtbot.waitSignal(announcer.said) as said:
        announcer.on_events([Event(0, 1.0, "failure", node, Severity.ALARM, "faulty GPU")])
    assert said.args == [f"{node}: faulty GPU"]
    words = picture.accessibleDescription()
    assert words.startswith(f"Selected: {rack}")
    assert words.endswith(f"{node}: faulty GPU")


def test_with_reduced_motion_the_camera_goes_at_once_and_nothing_flows(window: MainWindow) -> None:
    view, scene = window.hall.view, window.hall.view.scene
    window.menus.execute("window.reduced_motion")
    assert window.settings.still
    before = view.pose
    window.menus.execute("view.camera_aisle")
    assert view.pose != before
    assert window.hall.state.camera == view.pose  # there already
    phase_s = scene.phase_s
    view.tick(1e6)
    view.tick(1e6 + 0.1)
    assert scene.phase_s == phase_s
    window.menus.execute("window.reduced_motion")
    assert not window.settings.still
