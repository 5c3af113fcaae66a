"""The map of a site of several halls, in the real window: it shows where one is, and leads to halls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from twin.scenario import parse_injection
from twin.view3d.place.free_shape import is_behind, site_floors

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow
from twin.commands.place.properties import DrainNodes

pytestmark = pytest.mark.gl

_ANNEX = """
  - id: annex
    title: Annex
    rows:
      - {id: more, racks: {count: 2, nodes: [{part: DGX-H100, count: 1, first_u: 3}]}}

fabrics:"""


def test_the_map_leads_to_halls_and_a_hall_tells_its_worst_racks(
    use_window: Callable[..., MainWindow], my_lab: Path, qtbot: QtBot
) -> None:
    text = my_lab.read_text().replace("\nfabrics:", _ANNEX, 1)
    my_lab.write_text(
        text.replace("serves: [gpu]", "serves: [gpu, more]").replace("feeds: [gpu]", "feeds: [gpu, more]")
    )
    window = use_window(my_lab)
    hall, site_map = window.hall, window.hall.site_map
    qtbot.waitUntil(hall.legend.isVisible)
    qtbot.waitUntil(lambda: not site_map.isVisible())  # all halls are seen, and the view is small
    seen, size = site_floors(window.session.plant, 9), hall.view.size()  # type: ignore[arg-type]
    over = [hall.legend, *hall.more_legends, hall.mark, hall.alarm_badge, hall.story_plate]
    top = hall.view.native.y()
    areas = [(p.x(), p.y() - top, p.width(), p.height()) for p in over if p.isVisible()]
    assert len(areas) >= 2
    assert not is_behind(hall.view.pose, seen, size, areas)
    pose, before = hall.view.pose, window.session.plant
    window.editing.editor.do(DrainNodes(("gpu/0/0/0",)))
    qtbot.waitUntil(lambda: window.session.plant is not before and hall.view.plant is window.session.plant)
    assert hall.view.pose == pose
    assert site_map.shows_nothing_new, "the same place, another plant"
    go_into_a_hall(window, qtbot)
    plates = [hall.legend, *hall.more_legends, hall.mark, hall.alarm_badge]
    assert not any(plate.isVisible() and plate.geometry().intersects(site_map.geometry()) for plate in plates)
    plant = window.session.plant
    assert plant is not None
    for slot, id in enumerate(plant.halls.ids):
        x = float(plant.halls.x0_m[slot] + plant.halls.x1_m[slot]) / 2
        y = float(plant.halls.y0_m[slot] + plant.halls.y1_m[slot]) / 2
        go_into_a_hall(window, qtbot)
        at = site_map.point_of(x, y) * site_map.scale
        assert site_map.hall_at(at.x(), at.y()) == id
        QTest.mouseClick(site_map, Qt.MouseButton.LeftButton, pos=QPoint(round(at.x()), round(at.y())))
        assert hall.state.selection == (id,)
        qtbot.waitUntil(lambda: hall.view.flies_to is None)
        centre = hall.view.pose.centre_m
        assert plant.halls.x0_m[slot] - 5 < centre[0] < plant.halls.x1_m[slot] + 5
    inspector = window.docks.inspector
    qtbot.waitUntil(lambda: inspector.facts is not None and inspector.facts.id == plant.halls.ids[-1])
    qtbot.waitUntil(
        lambda: any(section.title == "Worst ten racks" for section in inspector.facts.sections)  # type: ignore[union-attr]
    )


def go_into_a_hall(window: MainWindow, qtbot: QtBot) -> None:
    """Look at a node from so near that not all halls are in the picture: then there is a map."""
    window.hall.view.fly_to("gpu/0/0/0", animate=False)
    qtbot.waitUntil(window.hall.site_map.isVisible)


def test_a_single_hall_has_no_map(use_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot) -> None:
    window = use_window(lab)
    qtbot.waitUntil(window.hall.legend.isVisible)
    assert not window.hall.site_map.isVisible()


def test_words_that_come_move_no_camera_and_strips_stand_beside_one_another(
    use_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    hall, session = window.hall, window.session
    qtbot.waitUntil(hall.legend.isVisible)
    qtbot.waitUntil(lambda: hall.more_legends[0].isVisible())
    first, second = hall.legend.geometry(), hall.more_legends[0].geometry()
    assert first.bottom() == second.bottom(), "in a small view they are strips along the lower edge"
    assert first.right() < second.left()
    pose = hall.view.pose
    session.intervene(parse_injection("0 s fail gpu/0/0", None))
    session.play()
    qtbot.waitUntil(hall.story_plate.isVisible)
    session.pause()
    qtbot.waitUntil(lambda: hall.alarm_badge.isVisible())
    assert hall.view.pose == pose
