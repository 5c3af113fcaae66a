"""Parts are dragged into the hall and about in it, by pointer, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
)
from PySide6.QtWidgets import QApplication

from tests.app.placing_hands import (
    NO_KEYS,
    NODE,
    RACK,
    SCENE,
    SHIFT,
    drag,
    front_of,
    greenness,
    key,
    mouse,
    place_of,
    racks,
    spot,
)
from twin.app.placing.mime import Dragged, dragged_part, mime_of
from twin.app.placing.payload import carried_part
from twin.app.shell.main_window import MainWindow
from twin.catalog import load_catalog
from twin.commands.edit.command import Given
from twin.commands.place.snap import Snap
from twin.commands.place.snap_units import UnitSnap
from twin.scenario import Change, Patch
from twin.view3d.base import camera

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


def test_what_a_drag_carries_survives_the_way() -> None:
    assert dragged_part(mime_of(NODE)) == NODE
    assert dragged_part(mime_of(Dragged(prefab="su-h100"))) == Dragged(prefab="su-h100")
    data = mime_of(NODE)
    data.setData("application/x-twin-part", b'{"part": 3}')
    assert dragged_part(data) is None
    data.setData("application/x-twin-part", b"[" * 20_000)
    assert dragged_part(data) is None


def test_a_rack_is_dragged_in_beside_a_row(open_rows: MakeWindow) -> None:
    window = open_rows()
    before = greenness(window)
    at = place_of(window, 5.75, 3.5)
    assert drag(window, "enter", RACK, at)
    assert drag(window, "move", RACK, at)
    landing = window.tools.place.landing
    assert isinstance(landing, Snap)
    assert landing.ok
    assert (round(landing.place.x_m, 3), round(landing.place.y_m, 3)) == (5.7, 3.6)
    good, bad = greenness(window)
    assert good > before[0] + 0.002
    assert bad < before[1] + 0.002
    assert "in line with Row A (gpu/0)" in window.statusBar().currentMessage()
    plate = window.tools.place.plate
    assert plate.isVisible()
    assert [line.label for line in plate.lines] == ["Power", "Cooling", "Ports", "Weight", "Cost"]
    assert plate.lines[0].of == "grid/0"  # of 1 MW; the rack has none of its own
    assert not plate.lines[0].over
    assert plate.lines[0].share.startswith("grid/0 ")
    assert window.session.plant is not None
    assert racks(window) == [
        f"gpu/{row}/{k}" for row in (0, 1) for k in range(4)
    ]  # nothing is built until the drop
    assert drag(window, "drop", RACK, at)
    assert len(racks(window)) == 9
    new = racks(window)[-1]
    assert spot(window, new) == (5.7, 3.6)
    assert window.hall.state.selection == (new,)
    assert not plate.isVisible()
    assert window.hall.view.edit.ghost.boxes == ()
    draft = window.editing.editor.draft
    assert draft is not None
    assert len(draft.done) == 1
    window.editing.editor.undo()
    assert draft.file.text == SCENE


def test_in_another_rack_it_is_red_and_refused_with_the_reason(open_rows: MakeWindow) -> None:
    window = open_rows()
    before = greenness(window)
    at = place_of(window, 4.0, 3.6)
    drag(window, "enter", RACK, at)
    drag(window, "move", RACK, at)
    good, bad = greenness(window)
    assert bad > before[1] + 0.002
    assert good < before[0] + 0.002
    assert window.tools.place.plate.refused
    assert "would overlap gpu/0/1" in window.statusBar().currentMessage()
    drag(window, "drop", RACK, at)
    assert "not placed: GB200-NVL72 would overlap gpu/0/1" in window.statusBar().currentMessage()
    assert len(racks(window)) == 8
    assert not window.tools.place.active


def test_leaving_or_escape_cancels(open_rows: MakeWindow) -> None:
    window = open_rows()
    at = place_of(window, 5.75, 3.5)
    drag(window, "enter", RACK, at)
    QApplication.sendEvent(window.hall.view.native, QDragLeaveEvent())
    assert not window.tools.place.active
    assert window.hall.view.edit.ghost.boxes == ()
    drag(window, "enter", RACK, at)
    key(window, Qt.Key.Key_Escape)
    assert not window.tools.place.active


def test_alt_frees_it_from_tiles(open_rows: MakeWindow) -> None:
    window = open_rows()
    at = place_of(window, 8.07, 1.11)
    drag(window, "enter", RACK, at, Qt.KeyboardModifier.AltModifier)
    landing = window.tools.place.landing
    assert isinstance(landing, Snap)
    assert (landing.place.x_m, landing.place.y_m) == pytest.approx((8.07, 1.11), abs=0.05)
    drag(window, "move", RACK, at)
    landing = window.tools.place.landing
    assert isinstance(landing, Snap)
    assert landing.place.y_m != pytest.approx(1.11, abs=0.005)


def test_a_node_lights_the_units_of_a_rack_and_lands_in_one(open_rows: MakeWindow) -> None:
    window = open_rows()
    at = front_of(window, "gpu/0/2", 1.5)
    drag(window, "enter", NODE, at)
    drag(window, "move", NODE, at)
    landing = window.tools.place.landing
    assert isinstance(landing, UnitSnap)
    assert landing.ok
    lit = [box for box in window.hall.view.edit.ghost.boxes if box.tone == "slot"]
    assert len(lit) == 1 + 32 - 8  # the outline, and 32 free units less the 8 that it takes
    drag(window, "drop", NODE, at)
    plant = window.session.plant
    assert plant is not None
    slot = plant.slots["gpu/0/2/2"][1]
    assert int(plant.nodes.u[slot]) == landing.u
    assert window.hall.state.selection == ("gpu/0/2/2",)


def test_a_node_over_the_floor_brings_a_cabinet(open_rows: MakeWindow) -> None:
    window = open_rows()
    at = place_of(window, 5.75, 3.5)
    drag(window, "enter", NODE, at)
    drag(window, "drop", NODE, at)
    assert len(racks(window)) == 9
    assert spot(window, racks(window)[-1]) == (5.7, 3.6)


def test_files_are_still_taken(open_rows: MakeWindow, lab: Path) -> None:
    window = open_rows()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(lab))])
    native = window.hall.view.native
    place = QPointF(native.rect().center())
    with window.hall.dropped.blocked():
        event = QDragEnterEvent(
            place.toPoint(), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NO_KEYS
        )
        event.ignore()
        QApplication.sendEvent(native, event)
    assert event.isAccepted()
    assert not window.tools.place.active


def test_what_is_selected_is_dragged_and_the_rest_orbits(open_rows: MakeWindow) -> None:
    window = open_rows()
    view = window.hall.view
    roof = place_of(window, 3.9, 3.6, 2.29)
    mouse(window, "press", roof)
    mouse(window, "move", roof + QPointF(30, 0))
    mouse(window, "release", roof + QPointF(30, 0))
    assert spot(window, "gpu/0/1") == (3.9, 3.6)  # not selected: the camera went round
    assert view.pose.azimuth_deg != -90.0
    view.state.camera = camera.CameraPose((4.5, 3.0, 0.8), 15.0, -90.0, 30.0)
    window.hall.state.selection = ("gpu/0/1", "gpu/0/2")
    roof, pose = place_of(window, 3.9, 3.6, 2.29), view.pose
    mouse(window, "press", roof)
    mouse(window, "move", roof + QPointF(10, 0))
    to = place_of(window, 3.9, 0.6, 2.29)
    mouse(window, "move", to)
    assert window.tools.place.active
    mouse(window, "release", to)
    assert view.pose == pose
    assert spot(window, "gpu/0/1") == (3.9, 0.6)
    assert spot(window, "gpu/0/2") == (4.5, 0.6)
    draft = window.editing.editor.draft
    assert draft is not None
    assert draft.undo_title == "Move 2 racks"


def test_a_drag_is_called_off_by_escape(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/1",)
    roof = place_of(window, 3.9, 3.6, 2.29)
    mouse(window, "press", roof)
    mouse(window, "move", roof + QPointF(0, 80))
    key(window, Qt.Key.Key_Escape)
    pose = window.hall.view.pose
    mouse(window, "move", roof + QPointF(60, 90))
    mouse(window, "release", roof + QPointF(60, 90))
    assert spot(window, "gpu/0/1") == (3.9, 3.6)
    assert window.hall.view.pose == pose  # and the camera stays where it is
    assert window.hall.state.selection == ("gpu/0/1",)


def test_with_the_lock_on_nothing_is_dragged(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.editing.toggle_lock()
    window.hall.state.selection = ("gpu/0/1",)
    roof = place_of(window, 3.9, 3.6, 2.29)
    mouse(window, "press", roof)
    mouse(window, "move", roof + QPointF(0, 80))
    mouse(window, "release", roof + QPointF(0, 80))
    assert spot(window, "gpu/0/1") == (3.9, 3.6)
    assert not drag(window, "enter", RACK, place_of(window, 5.7, 3.6))
    assert "locked" in window.statusBar().currentMessage()


def test_a_node_is_dragged_to_another_rack(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/1/1",)
    plant = window.session.plant
    assert plant is not None
    start = front_of(window, "gpu/0/1", 0.08 + 12 * 0.04445)
    mouse(window, "press", start)
    mouse(window, "move", start + QPointF(8, 0))
    to = front_of(window, "gpu/0/3", 1.6)
    mouse(window, "move", to)
    mouse(window, "release", to)
    plant = window.session.plant
    slot = plant.slots["gpu/0/1/1"][1]
    assert plant.racks.ids[int(plant.nodes.rack[slot])] == "gpu/0/3"


def test_a_band_selects_and_control_toggles(open_rows: MakeWindow) -> None:
    window = open_rows()
    x, y = place_of(window, 2.0, 2.0).x(), place_of(window, 2.0, 1.0).y()
    far = place_of(window, 4.2, 3.6, 2.6)
    window.hall.view.grab()
    mouse(window, "press", QPointF(x, y), SHIFT)
    mouse(window, "move", QPointF(x + 30, y - 30), SHIFT)
    assert window.hall.view.edit.layer.band is not None
    picture = window.hall.view.grab()
    mouse(window, "release", far, SHIFT)
    assert window.hall.view.edit.layer.band is None
    chosen = window.hall.state.selection
    assert {"gpu/0/0", "gpu/0/1"} <= set(chosen)
    assert "gpu/0/3" not in chosen
    left, top = round(x) + 15, round(y) - 15
    inside = picture[top, left].astype(int)
    assert np.abs(inside - window.hall.view.grab()[top, left].astype(int)).sum() > 5
    both = SHIFT | Qt.KeyboardModifier.ControlModifier
    mouse(window, "press", QPointF(x, y), both)
    mouse(window, "move", QPointF(x + 30, y - 30), both)
    mouse(window, "release", far, both)
    assert window.hall.state.selection == ()


def test_what_is_held_over_a_rack_stays_in_hand_when_that_rack_goes(open_rows: MakeWindow) -> None:
    window = open_rows()
    fewer = Given(Patch((Change("halls[main].rows[gpu].count", "1"),), "Fewer rows"))
    for what in (NODE, Dragged("QM9700", "switch")):
        assert drag(window, "enter", what, place_of(window, 5.1, 7.8, 2.2))
        assert window.editing.editor.do(fewer)
        assert window.tools.place.active
        assert window.editing.editor.undo()
        window.tools.place.cancel()


def test_what_is_held_is_told_in_the_hall_as_it_has_become(open_rows: MakeWindow) -> None:
    window = open_rows()
    row = "{id: more, at: {x: 0 m, y: 14 m}, racks: {count: 2, part: EIA-48U}}"
    more = Given(Patch((Change("halls[main].rows[more]", row),), "Add row"))
    place = window.tools.place
    window.hall.state.selection = ("more/0/1",)  # comes with the edit
    assert place.begin_by_keys(carried_part(load_catalog(), NODE.part))
    assert window.editing.editor.do(more)
    assert "more/0/1" in place.plate.where
    assert any(line.label == "Power" for line in place.plate.lines)
    place.cancel()
