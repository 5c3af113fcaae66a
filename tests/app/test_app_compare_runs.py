"""Two runs side by side in the real window: their halls, what differs, the figures, the ledger, and many seeds."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from typer.testing import CliRunner

from twin.analysis.compare import waterfall
from twin.app.compare.dialog import CompareDialog
from twin.app.compare.table import TITLE, VERDICT
from twin.app.compare.waterfall import lines_of
from twin.app.session.speeds import SPEEDS
from twin.app.shell.main_window import MainWindow
from twin.cli.app import app as cli
from twin.record.channels import BY_ID
from twin.record.reader import Reader
from twin.report.halls import RecordedHalls
from twin.runtime.inline import run
from twin.scenario import loads, parse_injection
from twin.view3d.base import palette
from twin.view3d.colour.difference import matched

UseWindow = Callable[[Path], MainWindow]
Runs = tuple[Path, Path]
pytestmark = pytest.mark.gl

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:nvl72-row
title: A row
duration: 4 min
failures: {enabled: false}
"""
TRIP_S, WARM_S, END_S = 180.0, 193.0, 240.0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A run, and the same with both pumps of one loop standing still for a while."""
    folder = tmp_path_factory.mktemp("runs")
    scenario = loads(_SCENE, "row.twin.yaml").scenario
    trip = parse_injection(f"{TRIP_S} s pump_stop cdu/1 for=15s", scenario)
    made = folder / "plain.twinrun", folder / "trip.twinrun"
    run(scenario, record=made[0])
    run(scenario.model_copy(update={"interventions": (trip,), "title": "Tripped"}), record=made[1])
    return made


@pytest.fixture
def compared(
    use_window: UseWindow, lab: Path, qtbot: QtBot
) -> Iterator[Callable[[Path, Path], CompareDialog]]:
    windows = [
        use_window(lab)
    ]  # to be let go of: pytest holds what a fixture yields longer than the window lives

    def show(a: Path, b: Path) -> CompareDialog:
        windows[0].docks.branches.compare_wanted.emit(a, b)
        dialog = windows[0].run_comparing.dialog
        assert dialog is not None
        qtbot.waitUntil(lambda: dialog.halls is not None and dialog.halls.isVisible())
        return dialog

    yield show
    windows[0].run_comparing.close()
    assert windows.pop().run_comparing.dialog is None
    QTest.qWait(50)


def picture(dialog: CompareDialog, place: int) -> np.ndarray:
    assert dialog.halls is not None
    view = dialog.halls.views[place]
    assert not view.errors
    view.canvas.set_current()
    return view.grab().astype(int)


def warm_pixels(rgb: np.ndarray) -> int:
    """Return how many pixels are orange: nothing else of a hall in difference is, but the badges, which are red."""
    red, green, blue = (rgb[..., k] for k in range(3))
    return int(((red > 110) & (red > 1.5 * blue) & (green > blue) & (green > 0.42 * red)).sum())


def test_a_run_beside_itself_is_neutral(compared: Callable[[Path, Path], CompareDialog], runs: Runs) -> None:
    dialog = compared(runs[1], runs[1])
    dialog.look_at(WARM_S)
    dialog.difference_button.click()
    halls = dialog.halls
    assert halls is not None
    assert halls.apart is not None
    assert halls.apart.differing == 0
    codes = halls.apart.repainted.codes
    assert set(np.unique(codes)) == {np.float32((palette.RAMP - 1) / 2)}
    assert np.ptp(palette.look_up_table("difference")[0, 127:129].astype(int)) <= 2
    assert "No difference" in dialog.words.text()
    assert dialog.windowTitle().count(runs[1].name) == 2  # two runs of one scene
    assert warm_pixels(picture(dialog, 1)) == 0
    assert {row.verdict for row in dialog.table.rows} == {"the same"}
    for channel in ("gpu.power_w", "gpu.state", "gpu.job", "gpu.throttle"):
        dialog.colour_box.setCurrentIndex(dialog.colour_box.findData(channel))
        assert halls.apart.differing == 0
        assert dialog.reach_box.isVisible() is bool(BY_ID[channel].reaches)
    assert [line.title for line in dialog.way.lines] == ["Productive in A", "Productive in B"]


def test_pictures_of_unlike_age_are_no_difference(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, tmp_path: Path
) -> None:
    longer = loads(_SCENE.replace("4 min", "8 h"), "row.twin.yaml").scenario
    run(
        longer, record=tmp_path / "longer.twinrun", until_s=END_S
    )  # with far fewer samples of its first minutes
    dialog = compared(runs[0], tmp_path / "longer.twinrun")
    halls = dialog.halls
    assert halls is not None
    dialog.difference_button.click()
    dialog.look_at(191.0)  # the job has begun, and GPUs warm up
    assert halls.apart is not None
    assert halls.apart.differing == 0
    taken_s = [side.frame.t_s for side in halls.sides if side is not None]
    assert taken_s[0] == taken_s[1] < 181.0
    assert ", as of " in halls.panes[0].said.text()


def test_a_trip_is_warm_where_its_loop_cools_and_nowhere_else(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs
) -> None:
    dialog = compared(*runs)
    assert dialog.replay.looking_s == TRIP_S  # until then they are the same
    dialog.difference_button.click()
    halls = dialog.halls
    assert halls is not None
    dialog.look_at(TRIP_S - 20.0)
    assert halls.apart is not None
    assert halls.apart.differing == 0
    assert warm_pixels(picture(dialog, 1)) == 0
    dialog.look_at(WARM_S)
    plant = halls.views[1].plant
    assert plant is not None
    loop = plant.loops.ids.index("cdu/1")
    there = plant.racks.loop[plant.gpus.rack] == loop
    assert 0 < there.sum() < len(there)
    neutral = (palette.RAMP - 1) / 2
    codes = halls.apart.repainted.codes
    quantum = neutral * 1.0 / BY_ID["gpu.temp_c"].reaches[0]
    assert codes[there].min() > neutral + 2 * quantum
    assert codes[~there].max() <= neutral + quantum
    assert warm_pixels(picture(dialog, 1)) > 200
    assert "of 576 GPUs in service in both differ" in dialog.words.text()
    assert halls.panes[0].said.text() == halls.panes[1].said.text() != ""
    assert halls.panes[1].legend.legend == halls.apart.legend
    machines = halls.apart.machines
    assert machines is not None
    assert (machines.worse, machines.better) == (("cdu/1",), ())
    water = np.abs(machines.colours.loops - palette.ramp("difference", np.array([0.5]))).max(axis=(1, 2))
    assert [plant.loops.ids[k] for k in np.flatnonzero(water > 0.02)] == ["cdu/1"]
    assert "machine faulty in B only" in [one.label for one in halls.apart.legend.categories]
    assert [box.tone for box in halls.views[1].edit.ghost.boxes] == ["bad"]
    assert not halls.views[0].edit.ghost.boxes
    dialog.difference_button.click()
    assert halls.apart is None
    assert halls.panes[1].legend.legend is not None
    assert halls.panes[1].legend.legend.low > 0


def test_camera_and_time_are_one(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, qtbot: QtBot
) -> None:
    dialog = compared(*runs)
    halls = dialog.halls
    assert halls is not None
    left, right = halls.views
    left.fly_to("cdu/1", animate=False)
    halls.tick()
    assert right.pose == left.pose
    right.preset("top", animate=False)
    halls.tick()
    assert left.pose == right.pose
    dialog.slider.setValue(dialog.slider.maximum())
    assert dialog.replay.looking_s == pytest.approx(END_S, abs=1.0)
    strip = dialog.strip
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, 10))
    assert dialog.replay.looking_s == pytest.approx(END_S / 2, abs=2.0)
    assert abs(dialog.slider.value() - dialog.slider.maximum() // 2) < 100
    assert strip.said_at(QPointF(0.98 * strip.width(), 10.0)).count("%") == 2
    dialog.look_at(0.0)
    dialog.after_button.click()
    dialog.speed_box.setCurrentIndex(SPEEDS.index(10.0))
    dialog.play_button.click()
    at_s = dialog.replay.looking_s
    assert at_s is not None
    qtbot.waitUntil(lambda: (dialog.replay.looking_s or 0.0) > at_s + 5.0)
    dialog.play_button.click()
    assert not dialog.replay.playing


def test_the_table_has_the_figures_of_the_command(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs
) -> None:
    said = CliRunner().invoke(cli, ["compare", *map(str, runs), "--json"])
    told = json.loads(said.stdout)
    known = {key: one for key, one in told["figures"].items() if one is not None}
    dialog = compared(*runs)
    money = told["money"]["usd"]
    assert [row.key for row in dialog.table.rows] == [*money, *known]
    assert told["money"]["verdict"] in dialog.verdict.text()
    assert dialog.table.rows[0].verdict.endswith(" is better, in one run")
    assert {key: (one.a, one.b, one.difference) for key, one in dialog.shown.differences.items()} == {
        key: (one["a"], one["b"], one["difference"]) for key, one in known.items()
    }
    item = dialog.table.topLevelItem([*money, *known].index("gpu_max_c"))
    assert item is not None
    assert (item.text(TITLE), item.text(VERDICT)) == ("Max. GPU temperature", "A is better, in one run")
    steps = {one["account"]: one["gpu_h"] for one in told["waterfall"]["steps"]}
    drawn = {line.account: line.to_h - line.from_h for line in dialog.way.lines if line.account in steps}
    assert drawn == pytest.approx({account: steps[account] for account in drawn})
    assert "thermal_throttle" in drawn
    first, last = dialog.way.lines[0], dialog.way.lines[-1]
    assert dialog.way.lines[-2].to_h == pytest.approx(last.to_h)
    assert first.to_h == pytest.approx(told["waterfall"]["a_productive_gpu_h"])


def test_many_seeds_run_aside_and_can_be_given_up(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, qtbot: QtBot
) -> None:
    dialog = compared(*runs)
    before = set(psutil.Process().children(recursive=True))
    dialog.seeds.count.setValue(2)
    dialog.seeds.run_button.click()
    assert dialog.seeds.running
    assert not dialog.seeds.run_button.isVisible()
    qtbot.waitUntil(lambda: len(set(psutil.Process().children(recursive=True)) - before) > 1)
    dialog.seeds.cancel_button.click()
    assert not dialog.seeds.running
    qtbot.waitUntil(lambda: not set(psutil.Process().children(recursive=True)) - before)
    assert dialog.seeds.words.text() == "Cancelled"
    dialog.seeds.run_button.click()
    qtbot.waitUntil(lambda: not dialog.seeds.running)
    assert dialog.seeds.words.text().startswith("2 seeds of each, 1 to 2; halls and curves are of seed 1")
    hottest = dialog.shown.differences["gpu_max_c"]
    assert hottest.paired is not None
    assert hottest.seeds == 2
    assert any("\N{PLUS-MINUS SIGN}" in cell for row in dialog.table.rows for cell in row.cells)
    assert dialog.verdict.isVisible()


def test_runs_that_are_not_as_long_are_remarked(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, tmp_path: Path
) -> None:
    short = tmp_path / "short.twinrun"
    run(loads(_SCENE, "row.twin.yaml").scenario, record=short, until_s=90.0)
    dialog = compared(short, runs[0])
    assert dialog.verdict.isVisible()
    assert dialog.verdict.text().startswith("A was simulated for 1 min 30 s, B for 4 min: counts, energies")


def test_the_menu_asks_for_a_recording(
    use_window: UseWindow,
    lab: Path,
    runs: Runs,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    window = use_window(lab)
    session = window.session
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 60.0)
    session.pause()
    qtbot.waitUntil(lambda: not session.running)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(runs[0]), ""))
    window.menus.execute("run.compare")
    assert window.run_comparing.choosing is not None
    window.run_comparing.choosing.browse_button.click()
    dialog = window.run_comparing.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.halls is not None)
    assert "A is still running" in dialog.verdict.text()
    assert "Both are compared over their first " in dialog.verdict.text()
    assert dialog.table.rows  # figures too, not the ledger alone
    dialog.difference_button.click()
    assert dialog.halls is not None
    assert "Only in A: " in dialog.words.text()
    assert "Only in B: " in dialog.words.text()
    dialog.close()
    assert window.run_comparing.dialog is None
    broken = tmp_path / "no.twinrun"
    broken.write_bytes(b"nothing of a run")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(broken), ""))
    window.menus.execute("run.compare")
    assert window.run_comparing.choosing is not None
    window.run_comparing.choosing.browse_button.click()
    assert window.run_comparing.dialog is None
    assert "no.twinrun" in window.notifications.notes[-1].trouble.text


def test_a_recording_without_gpus_is_compared_in_figures(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, tmp_path: Path
) -> None:
    old = tmp_path / "old.twinrun"
    shutil.copy(runs[1], old)
    with closing(sqlite3.connect(old)) as file:  # as version 1 wrote it
        file.execute("PRAGMA user_version=1")
        file.execute("INSERT INTO ledger SELECT 100.0, 'productive', 800.0")
        file.execute(
            "DELETE FROM series WHERE channel LIKE 'detail%' OR channel IN ('dies', 'ledger', 'events')"
        )
        file.commit()
    dialog = compared(runs[0], old)
    halls = dialog.halls
    assert halls is not None
    dialog.difference_button.click()
    dialog.look_at(WARM_S)
    assert dialog.words.text().startswith("B was recorded by an older version")
    assert halls.panes[1].said.text() == "no picture"
    assert halls.panes[0].said.text() != "no picture"
    assert halls.apart is None
    picture(dialog, 1)
    assert "goodput" in [row.key for row in dialog.table.rows]
    assert len(dialog.way.lines) > 2
    assert dialog.strip.said_at(QPointF(0.98 * dialog.strip.width(), 10.0)).count("%") == 2


def test_gpus_are_matched_by_id(runs: Runs) -> None:
    with Reader(runs[0]) as reader:
        plant = RecordedHalls(reader).at(0)[1]
    assert matched(plant, plant).tolist() == list(range(len(plant.gpus.node)))
    order = np.arange(len(plant.nodes.ids))[::-1]
    ids = [plant.nodes.ids[slot] for slot in order]
    other = replace(
        plant, nodes=replace(plant.nodes, ids=ids), gpus=replace(plant.gpus, node=order[plant.gpus.node])
    )
    assert matched(plant, other).tolist() == list(range(len(plant.gpus.node)))
    fewer = plant.gpus.present.copy()
    fewer[5:9] = False
    alone = matched(replace(plant, gpus=replace(plant.gpus, present=fewer)), plant)
    assert np.flatnonzero(alone < 0).tolist() == [5, 6, 7, 8]


def test_the_ends_of_the_way_are_joined_by_its_steps() -> None:
    way = waterfall({"productive": 36e5, "lost_work": 36e4}, {"productive": 30e5, "lost_work": 96e4})
    lines = lines_of(way)
    assert [line.account for line in lines] == ["", "lost_work", ""]
    assert (lines[1].from_h, lines[1].to_h) == (pytest.approx(1000.0), pytest.approx(lines[2].to_h))


def test_ornaments_are_left_out_while_somebody_drags_and_come_back(
    compared: Callable[[Path, Path], CompareDialog], runs: Runs, qtbot: QtBot
) -> None:
    dialog = compared(*runs)
    halls = dialog.halls
    assert halls is not None
    qtbot.waitUntil(lambda: all(view.settled for view in halls.views))
    later_s = time.monotonic() + 100.0
    halls.look_at(WARM_S, later_s)
    assert all(view.settled for view in halls.views)
    halls.look_at(TRIP_S, later_s + 1.0)
    halls.look_at(TRIP_S + 1.0, later_s + 1.03, playing=True)
    assert all(view.settled for view in halls.views)
    halls.look_at(WARM_S, later_s + 1.06)
    assert not any(view.settled for view in halls.views)
    qtbot.waitUntil(lambda: all(view.settled for view in halls.views))
