"""A hall is drained as one thing: by its menu and by the palette, asked once, told with counts, with one undo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from session_bench import Bench
from window_steps import action, run_to

from twin.app.shell.main_window import MainWindow
from twin.app.shell.palette_entries import palette_entries
from twin.app.world.nodes_of_thing import nodes_of, places_of
from twin.plant.build import build
from twin.record.channels import NodeCondition
from twin.scenario import load, parse_injection

HALL, NODES = "lab", 2


def drained(window: MainWindow) -> int:
    frame = window.session.shown
    return 0 if frame is None else int((frame.values["node.condition"] == NodeCondition.DRAINED).sum())


def answer(window: MainWindow, word: str) -> QPushButton:
    (note,) = window.notifications.notes
    return note.buttons[word]


def choose(window: MainWindow, typed: str) -> None:
    """Do what the command palette finds first."""
    found = [(entry.score(typed), entry) for entry in palette_entries(window)]
    best = max((pair for pair in found if pair[0] is not None), key=lambda pair: pair[0] or 0.0)
    best[1].run()


def test_a_hall_is_drained_by_its_menu_asked_once_and_undone_as_one(
    use_window: object, qtbot: QtBot, lab: Path
) -> None:
    window: MainWindow = use_window(lab)  # type: ignore[operator]
    run_to(window, qtbot, 1200.0, speed=3600.0)
    session, told = window.session, list[str]()
    window.hall.state.selection = (HALL,)
    menu = window.hall.selection_menu(window)
    assert menu is not None
    assert not action(menu, "Undrain").isEnabled()
    assert f"{NODES} nodes with 16 GPUs" in action(menu, "Drain", "Now").toolTip()
    action(menu, "Drain", "Now").trigger()
    assert not session.by_hand, "its job would stop: that is asked first"
    assert "llama3" in window.notifications.notes[0].trouble.text
    answer(window, "Cancel").click()
    assert not session.by_hand
    action(menu, "Drain", "Now").trigger()
    session.broken.connect(lambda _: told.append(window.statusBar().currentMessage()))
    answer(window, "Drain: Now").click()
    qtbot.waitUntil(lambda: len(session.by_hand) == 1)
    assert [(i.kind, i.target) for i in session.by_hand] == [("drain", HALL)]
    assert "2 nodes with 16 GPUs" in told[-1]
    session.play()
    qtbot.waitUntil(lambda: drained(window) == NODES)
    session.pause()
    assert any(e.kind == "drained" and e.subject == HALL for e in session.events)
    assert window.editing.editor.undo_title == f"Drain {HALL}"
    assert window.editing.editor.undo()
    session.play()
    qtbot.waitUntil(lambda: drained(window) == 0)


def test_the_palette_drains_a_hall_and_asks_when_its_jobs_leave(
    use_window: object, qtbot: QtBot, lab: Path
) -> None:
    window: MainWindow = use_window(lab)  # type: ignore[operator]
    run_to(window, qtbot, 1200.0, speed=3600.0)
    choose(window, "drain hall")
    answer(window, "When its jobs end").click()
    qtbot.waitUntil(lambda: len(window.session.by_hand) == 1)
    act = window.session.by_hand[0]
    assert (act.kind, act.target, act.value) == ("drain", HALL, "end")
    window.session.play()
    qtbot.waitUntil(lambda: drained(window) == NODES)
    choose(window, "undrain hall")
    qtbot.waitUntil(lambda: drained(window) == 0)


def test_undo_of_a_hall_leaves_drained_what_was_so_before(qtbot: QtBot, tmp_path: Path, lab: Path) -> None:
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    bench = Bench(path)
    plant = bench.session.plant
    assert plant is not None
    first = plant.nodes.ids[0]
    for at_s, what in ((600.0, f"drain {first} value=end"), (900.0, f"drain {HALL} value=end")):
        bench.go(at_s)
        bench.session.intervene(parse_injection(f"{at_s} s {what}", None))
        bench.go(at_s + 60.0)
    engine = bench.client.engine_session.engine
    assert engine is not None
    assert engine.nodes.cordoned.all()
    assert bench.editor.undo()
    bench.go(1000.0)
    assert np.flatnonzero(engine.nodes.cordoned).tolist() == [0]
    bench.session.close()


def test_nodes_are_named_by_as_few_places_as_can_be() -> None:
    plant = build(load(Path(__file__).parents[2] / "scenes" / "superpod-h100.twin.yaml").scenario)
    every = nodes_of(plant, plant.halls.ids[0])
    assert len(every) == np.count_nonzero(plant.nodes.present & (plant.nodes.gpu_count > 0))
    assert places_of(plant, every) == ["gpu/0"]
    places = places_of(plant, every[1:])
    assert sorted(places) == sorted(
        [*(f"gpu/0/{rack}" for rack in range(1, 8)), "gpu/0/0/1", "gpu/0/0/2", "gpu/0/0/3"]
    )
    again = np.sort(np.concatenate([nodes_of(plant, place) for place in places]))
    assert again.tolist() == every[1:].tolist()


@pytest.mark.parametrize("kind", ["row", "hall"])
def test_only_large_places_are_asked_for(use_window: object, qtbot: QtBot, lab: Path, kind: str) -> None:
    window: MainWindow = use_window(lab)  # type: ignore[operator]
    run_to(window, qtbot, 1200.0, speed=3600.0)
    plant = window.session.plant
    assert plant is not None
    id = plant.halls.ids[0] if kind == "hall" else plant.rows.ids[0]
    menu = window.hall.thing_menu(id)
    assert menu is not None
    action(menu, "Drain", "At the next checkpoint").trigger()
    assert len(window.notifications.notes) == 1
    window.notifications.notes[0].dismiss()
    rack = window.hall.thing_menu(plant.racks.ids[0])
    assert rack is not None
    action(rack, "Drain", "Now").trigger()
    qtbot.waitUntil(lambda: len(window.session.by_hand) == 1)
    assert not window.notifications.notes


def test_the_floor_offers_its_hall_and_keys_go_on_where_they_went(
    use_window: object, qtbot: QtBot, lab: Path
) -> None:
    window: MainWindow = use_window(lab)  # type: ignore[operator]
    run_to(window, qtbot, 1200.0, speed=3600.0)
    native = window.hall.view.native
    native.setFocus()
    menu = window.hall.thing_menu(None)
    assert menu is not None
    window.hall.floor_menu(menu, (0.0, 0.0))
    action(menu, f"Hall {HALL}", "Drain", "Now").trigger()
    button = answer(window, "Cancel")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is native, "Space must not press the button that comes next"
