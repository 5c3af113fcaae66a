"""The plate beside the pointer stands off the ghost, off the words on its lines and inside the view."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize

from twin.app.placing.plate_position import beside, seen_of
from twin.view3d.base.edit_shapes import Ghost, GhostBox, GuideLine
from twin.view3d.base.state import CameraPose

ROOM, PLATE = QRect(0, 0, 1000, 700), QSize(240, 120)


def test_it_stands_on_the_right_below_where_nothing_is_in_the_way() -> None:
    at = QPoint(400, 300)
    corner = beside(at, PLATE, ROOM, QRect(), [])
    assert corner.x() > at.x()
    assert corner.y() > at.y()


def test_it_leaves_ghost_words_and_the_edges_of_the_view() -> None:
    ghost = QRect(360, 220, 90, 100)
    for at, words in (
        (QPoint(400, 300), [QRect(470, 330, 76, 26)]),
        (QPoint(400, 300), [QRect(470, 330, 76, 26), QRect(200, 330, 76, 26)]),
        (QPoint(980, 690), []),
        (QPoint(10, 690), []),
    ):
        mine = ghost.translated(at - QPoint(400, 300))
        plate = QRect(beside(at, PLATE, ROOM, mine, words), PLATE)
        assert ROOM.contains(plate)
        assert not plate.intersects(mine)
        assert not any(plate.intersects(one) for one in words)


def test_bodies_and_words_are_found_where_they_are_drawn() -> None:
    pose = CameraPose(centre_m=(0.0, 0.0, 0.0), distance_m=20.0, azimuth_deg=270.0, elevation_deg=40.0)
    ghost = Ghost(
        (
            GhostBox((-0.5, -0.5, 0.0), (0.5, 0.5, 2.0), "good"),
            GhostBox((0.0, 0.0, 0.0), (90.0, 9.0, 0.0), "front", flat=True),
        ),
        (
            GuideLine((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), "plain", "2.00 m"),
            GuideLine((0, 0, 0), (1, 1, 0), "plain"),
        ),
    )
    around, words = seen_of(ghost, pose, (1000.0, 700.0))
    assert around.contains(QPoint(500, 340))
    assert around.width() < 200
    (only,) = words
    assert only.contains(QPoint(500, 350))


def test_a_plate_stays_under_the_tools_above_the_picture() -> None:
    room = ROOM.adjusted(0, 44, 0, 0)
    for y in (44, 60, 300, room.bottom()):
        corner = beside(QPoint(200, y), PLATE, room, QRect(), [])
        assert room.contains(QRect(corner, PLATE))
