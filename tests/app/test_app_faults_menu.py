"""Faults menu, random incidents, spares and sliders of reliability in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from window_steps import action, pixels, run_to, share

from twin.app.faults.break_dialog import BreakDialog
from twin.app.jobs.what_if_dialog import RiskDialog
from twin.app.monitor.spares_facts import DARK_TINTS
from twin.app.shell.main_window import MainWindow
from twin.record.channels import NodeCondition

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

_SCENES = Path(__file__).parents[2] / "scenes"


def test_the_faults_menu_fits_what_is_selected_and_breaks_it(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    menu = window.menus.menus["faults"]
    window.hall.state.selection = ("gpu/0/0/0/3",)
    run_to(window, qtbot, 900.0, speed=3600.0)
    menu.aboutToShow.emit()
    titles = [a.text() for a in menu.actions() if a.menu() is not None]
    assert titles == ["Nodes and GPUs", "Network", "Power", "Cooling", "Jobs", "Site", "Random incidents"]
    action(menu, "Nodes and GPUs", "Runs slow\N{HORIZONTAL ELLIPSIS}").trigger()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, BreakDialog) and w.isVisible())
    assert dialog.choice is not None
    assert dialog.choice.kind == "slow"
    assert dialog.value_field.text() == "77 %"
    assert dialog.do()
    session = window.session
    session.play()
    qtbot.waitUntil(lambda: any(e.kind == "node_degraded" for e in session.events))
    qtbot.waitUntil(lambda: "gpu/0/0/0/3: runs slow (77 %)" in window.statusBar().currentMessage())
    assert window.statusBar().currentMessage().startswith("SIMULATED")

    window.hall.state.selection = ()
    window.docks.inspector.show_thing(None)
    menu.aboutToShow.emit()
    titles = [a.text() for a in menu.actions() if a.menu() is not None]
    assert titles == ["Power", "Cooling", "Site", "Random incidents"]  # of the site alone


def test_the_palette_offers_the_faults_of_what_is_selected(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.going.to("gpu/0/0")
    window.open_palette()
    palette = window.palette_popup
    QTest.keyClicks(palette.field, "fans stop crah/0")
    assert palette.shown[0].title == "Fans stop: crah/0\N{HORIZONTAL ELLIPSIS}"
    palette.run_current()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, BreakDialog) and w.isVisible())
    assert dialog.windowTitle() == "Break crah/0"
    assert dialog.choice is not None
    assert dialog.choice.kind == "fan_stop"
    said = dialog.lasts_box.lineEdit()
    assert said is not None
    assert said.text() == dialog.choice.repair
    assert said.cursorPosition() == 0  # its beginning is seen, however long it is
    dialog.close()


def test_what_is_refused_is_said_at_its_field_and_can_be_put_right(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.break_thing(None, "power_cap")
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, BreakDialog) and w.isVisible())
    dialog.value_field.setText("0 W")  # no run would take that
    assert not dialog.do()
    assert dialog.problem.text().startswith("value must be more than 0 W")
    dialog.value_field.setText("7 W")  # too little for the GPUs of this one: only the run can tell
    assert dialog.problem.isHidden()
    assert dialog.do()
    qtbot.waitUntil(lambda: not dialog.problem.isHidden())
    assert dialog.isVisible()
    assert "power_cap takes" in dialog.problem.text()
    assert dialog.problem.y() > dialog.value_field.y()
    dialog.value_field.setText("500 W")
    assert dialog.do()
    qtbot.waitUntil(lambda: bool(window.session.by_hand))
    qtbot.waitUntil(
        lambda: not any(isinstance(w, BreakDialog) and w.isVisible() for w in QApplication.topLevelWidgets())
    )


def test_the_faults_menu_keeps_nothing_of_when_it_was_open_before(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    menu = window.menus.menus["faults"]

    def menus_after_opening() -> int:
        menu.aboutToShow.emit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return len(menu.findChildren(QMenu))

    count = menus_after_opening()
    assert [menus_after_opening() for _ in range(5)] == [count] * 5
    window.setEnabled(False)  # told to all menus, and each tells its action
    window.setEnabled(True)


def test_random_incidents_are_interventions_and_told(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.menus.execute("faults.heavy_hour")
    session = window.session
    qtbot.waitUntil(lambda: len(session.by_hand) > 0)
    assert all(one.at_s <= 3600.0 for one in session.by_hand)
    said = window.statusBar().currentMessage()
    assert said.startswith("SIMULATED. Heavy incidents for the next hour: ")
    assert "seed 1001" in said
    window.menus.execute("faults.heavy_day")
    qtbot.waitUntil(lambda: "seed 1002" in window.statusBar().currentMessage())
    qtbot.waitUntil(lambda: len(session.by_hand) > 8)
    run_to(window, qtbot, max(session.by_hand[0].at_s, 60.0) + 60.0)


def test_spares_are_counted_and_listed_and_a_click_goes_there(use_window: UseWindow, qtbot: QtBot) -> None:
    window = use_window(_SCENES / "recovery-policies.twin.yaml")
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    dock = window.docks.spares
    qtbot.waitUntil(dock.chart.isVisible)
    run_to(window, qtbot, 24_000.0)
    qtbot.waitUntil(lambda: len(dock.model.shown) > 4)
    assert {line.condition for line in dock.model.shown[:4]} == {NodeCondition.IN_REPAIR}
    assert "spare" in dock.words.text()
    qtbot.waitUntil(lambda: share(pixels(dock.chart), DARK_TINTS[NodeCondition.SPARE]) > 0.02)
    run_to(window, qtbot, 60_000.0)  # so that what began at 21,600 s is wide enough to be seen
    repair = DARK_TINTS[NodeCondition.IN_REPAIR]
    qtbot.waitUntil(lambda: share(pixels(dock.chart), repair) > 0.001)
    room = dock.chart.room
    assert "in repair" in dock.chart.said_at(QPointF(room.right() - 1, room.center().y()))
    spot = dock.table.visualRect(dock.model.index(0, 0)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert window.hall.state.selection == (dock.model.shown[0].id,)


def test_sliders_of_reliability_never_wait(use_window: UseWindow, qtbot: QtBot) -> None:
    window = use_window(_SCENES / "superpod-h100.twin.yaml")
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, RiskDialog) and w.isVisible())
    qtbot.waitUntil(lambda: dialog.sample.done)
    as_it_is = float(dialog.headline.text().removesuffix(" %"))
    assert dialog.knobs == dialog.own
    assert share(pixels(dialog.curve), window.look.theme.accent, near=80) > 0.001
    dialog.slider("failures").setValue(dialog.slider("failures").maximum())
    assert dialog.sample.runs == 0  # begun anew, and worked on later
    qtbot.waitUntil(lambda: dialog.sample.done)
    assert float(dialog.headline.text().removesuffix(" %")) < as_it_is
    assert dialog.knobs.failures == pytest.approx(10.0)
    dialog.slider("spares").setValue(dialog.slider("spares").minimum())
    assert dialog.knobs.spares == 0
    dialog.close()
