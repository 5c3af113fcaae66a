"""Why is it slow: the dock tells it of a range of the run, and a click goes to the thing and its time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from twin.app.monitor.loss_model import HOURS, SHARE, WHAT
from twin.record.reader import Reader

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]


def over(use_window, lab: Path, qtbot: QtBot) -> MainWindow:
    """Return a window whose run is over, with the dock in front."""
    window = use_window(lab)
    window.session.set_speed(math.inf)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.finished)
    window.docks.show("why")
    qtbot.waitUntil(lambda: window.docks.why.found is not None)
    return window


def texts(window: MainWindow, column: int) -> list[str]:
    model = window.docks.why.model
    return [str(model.index(row, column).data()).strip() for row in range(model.rowCount())]


def choose(window: MainWindow, name: str) -> None:
    box = window.docks.why.box
    box.setCurrentIndex(box.findData(name))


def test_it_tells_of_ranges_and_a_click_goes_to_thing_and_time(use_window, lab: Path, qtbot: QtBot) -> None:
    window = over(use_window, lab, qtbot)
    dock = window.docks.why
    assert dock.range_s == (82_800.0, 86_400.0)  # the last hour, in which nothing happened
    choose(window, "run")
    qtbot.waitUntil(lambda: any("lost 1,494 s" in text for text in texts(window, WHAT)))
    assert dock.found is not None
    with Reader(window.session.run_file) as reader:
        ledger = reader.ledger_range(0.0, 86_400.0).gpu_s
    assert {one.account: one.gpu_s for one in dock.found.lost} == pytest.approx(
        {account: gpu_s for account, gpu_s in ledger.items() if gpu_s and account != "productive"}, rel=1e-12
    )
    row = next(k for k, text in enumerate(texts(window, WHAT)) if text.startswith("Lost work"))
    assert texts(window, SHARE)[row] == f"{100 * ledger['lost_work'] / sum(ledger.values()):.2f} %"
    assert texts(window, HOURS)[row] == f"{ledger['lost_work'] / 3600:,.2f}"

    before = texts(window, WHAT)
    place = dock.table.visualRect(dock.model.index(row, WHAT)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.selection == ("gpu/0/1/0",)
    assert window.session.replay.looking_s == pytest.approx(32_400.0)
    qtbot.wait(400)
    assert texts(window, WHAT) == before  # the range of the row stays while its time is looked at
    window.session.replay.look(36_000.0)
    choose(window, "hour")
    qtbot.waitUntil(lambda: dock.found is not None and dock.found.t1_s == 36_000.0)
    assert dock.found.t0_s == 32_400.0
    assert any("waiting for nodes" in text for text in texts(window, WHAT))


@pytest.mark.slow
def test_a_chosen_range_is_explained_as_soon_as_it_is_there(use_window, lab: Path, qtbot: QtBot) -> None:
    window = over(use_window, lab, qtbot)
    dock, replay = window.docks.why, window.session.replay
    assert not dock.box.model().item(dock.box.findData("loop")).isEnabled()
    replay.set_loop(30_000.0, 34_000.0)
    qtbot.waitUntil(lambda: dock.found is not None and dock.found.t0_s == 30_000.0)
    assert dock.box.currentData() == "loop"
    assert dock.found is not None
    assert dock.found.of("lost_work") is not None
    replay.clear_loop()
    assert dock.box.currentData() == "hour"


def test_of_a_run_that_is_hours_ahead_of_its_file_the_last_hour_that_is_recorded_is_explained(
    use_window, lab: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = over(use_window, lab, qtbot)
    dock = window.docks.why
    assert "recorded up to" not in dock.words.text()
    monkeypatch.setattr(Reader, "t_end_s", property(lambda _: 36_000.0))  # as while it plays fast
    dock.refresh()
    assert dock.found is not None
    assert (dock.found.t0_s, dock.found.t1_s) == (32_400.0, 36_000.0)
    until = window.session.clock.says(36_000.0)
    assert dock.words.text().endswith(f"of 1 h productive, recorded up to {until}")
    window.session.replay.set_loop(50_000.0, 60_000.0)  # of which nothing is in the file yet
    dock.refresh()
    assert dock.found is None
    assert (dock.words.text(), dock.table.none) == ("", f"Recorded up to {until}")
    monkeypatch.setattr(Reader, "t_end_s", property(lambda _: 0.0))
    dock.refresh()
    assert dock.table.none == "Nothing is recorded yet"
    window.session.replay.clear_loop()
