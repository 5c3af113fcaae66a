"""Bookmarks of the camera, and the file beside a scene that keeps how it is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from twin.app.bookmarks.dialog import BookmarksDialog
from twin.app.bookmarks.view_file import (
    MOST_BYTES,
    Bookmark,
    Camera,
    View,
    ViewFileError,
    read_view,
    view_path,
    write_view,
)

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

CAMERA = {"centre_m": [1.0, 2.0, 0.5], "distance_m": 9.0, "azimuth_deg": 30.0, "elevation_deg": 20.0}
HEAD = {"format": "twin/view", "version": 2}
GAP = {"start": {"id": "gpu/0/0"}, "stop": {"id": "gpu/0/1"}, "along": "x"}


@pytest.fixture
def own(lab: Path, tmp_path: Path) -> Path:
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "not a view file"),
        (b'{"format": "twin/view", "version": 9}', "version 9"),
        (b" " * (MOST_BYTES + 1), "larger than"),
        (json.dumps({**HEAD, "layers": ["racks", "secret"]}).encode(), "must be one of"),
        (json.dumps({**HEAD, "colour_by": "__class__"}).encode(), "must be one of"),
        (json.dumps({**HEAD, "run": "rm"}).encode(), "run"),
        (json.dumps({**HEAD, "camera": {**CAMERA, "distance_m": 1e300}}).encode(), "distance_m"),
        (json.dumps({**HEAD, "camera": {**CAMERA, "centre_m": [float("nan"), 0, 0]}}).encode(), "centre_m"),
        (json.dumps({**HEAD, "bookmarks": [{"name": "a\nb", "camera": CAMERA}]}).encode(), "one line"),
        (json.dumps({**HEAD, "bookmarks": [{"name": "a", "camera": CAMERA}] * 101}).encode(), "100"),
        (json.dumps({**HEAD, "dimensions": [GAP] * 201}).encode(), "200"),
        (json.dumps({**HEAD, "dimensions": [{**GAP, "along": "q"}]}).encode(), "along"),
        (json.dumps({**HEAD, "dimensions": [{**GAP, "stop": {"id": "../x"}}]}).encode(), "pattern"),
        (json.dumps({**HEAD, "dimensions": [{**GAP, "stop": {}}]}).encode(), "an id, or a place"),
        (
            json.dumps({**HEAD, "dimensions": [{**GAP, "stop": {"id": "a", "at": [2, 0, 0]}}]}).encode(),
            "point",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.twin-view.json"
    path.write_bytes(content)
    with pytest.raises(ViewFileError, match=said):
        read_view(path)


def test_a_view_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = view_path(tmp_path / "a.b.twin.yaml")
    assert path.name == "a.b.twin-view.json"
    assert view_path(Path("plain.yaml")).name == "plain.twin-view.json"
    assert read_view(path) is None
    view = View(
        camera=Camera.model_validate(CAMERA),
        colour_by="gpu.power_w",
        layers=("racks",),
        bookmarks=(Bookmark(name="Spüle 3", camera=Camera.model_validate(CAMERA)),),
    )
    write_view(path, view)
    assert read_view(path) == view


def test_what_is_marked_and_noted_is_on_the_disk_a_second_later(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    views, kept = use_window(own).views, view_path(own)
    moment = views.add_moment(3600.0, "the first hour")
    assert moment is not None
    qtbot.waitUntil(kept.exists)
    view = read_view(kept)
    assert view is not None
    assert view.moments == (moment,)
    views.note(moment, "")
    views.add()
    qtbot.waitUntil(lambda: (read_view(kept) or View()).bookmarks == views.bookmarks)


def test_bookmarks_are_added_renamed_gone_to_deleted_and_saved_with_the_scene(
    use_window: Callable[..., MainWindow], own: Path, qtbot: QtBot
) -> None:
    window = use_window(own)
    file, views, view = window.editing.file, window.views, window.hall.view
    assert file.save()
    assert not view_path(own).exists(), "nothing was set"
    view.preset("top", animate=False)
    window.menus.execute("view.bookmark_add")
    dialog = window.findChild(BookmarksDialog)
    assert dialog is not None
    editor = dialog.list.findChild(QLineEdit)
    assert editor is not None, "the name is typed at once"
    editor.selectAll()
    QTest.keyClicks(editor, "From the top")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [one.name for one in views.bookmarks] == ["From the top"])
    view.preset("close", animate=False)
    dialog.add_button.click()
    close = views.bookmarks[1]
    (second,) = [one for one in dialog.list.findChildren(QLineEdit) if one.isVisible()]
    QTest.keyClick(second, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.list.state() == dialog.list.State.NoState)
    dialog.list.setCurrentRow(0)
    dialog.go_button.click()
    top = views.bookmarks[0].camera.pose
    qtbot.waitUntil(lambda: window.hall.state.camera == top)
    window.menus.execute("view.bookmark_next")
    qtbot.waitUntil(lambda: window.hall.state.camera == close.camera.pose)
    dialog.list.setCurrentRow(1)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.list.setFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert [one.name for one in views.bookmarks] == ["From the top"]
    dialog.close()
    window.hall.state.colour_by = "gpu.power_w"
    window.hall.toggle_layer("cables")
    before = own.read_bytes()
    assert file.save()
    assert own.read_bytes() == before
    kept = read_view(view_path(own))
    assert kept is not None
    assert [one.name for one in kept.bookmarks] == ["From the top"]
    assert kept.layers is not None
    assert "cables" not in kept.layers

    window.hall.state.colour_by = "gpu.temp_c"
    window.hall.toggle_layer("cables")
    assert window.files.open(own)  # as it was left a moment ago: what a person set is kept on leaving
    assert window.hall.state.colour_by == "gpu.temp_c"
    assert window.hall.shows("cables")
    write_view(view_path(own), kept)
    assert window.files.open(own)
    assert window.hall.state.colour_by == "gpu.power_w"
    assert not window.hall.shows("cables")
    assert kept.camera is not None
    assert window.hall.state.camera == kept.camera.pose
    assert [one.name for one in views.bookmarks] == ["From the top"]


def test_a_foreign_view_file_is_told_of_and_never_written_over(
    use_window: Callable[..., MainWindow], own: Path, qapp: QApplication
) -> None:
    view_path(own).write_text('{"mine": true}')
    window = use_window(own)
    assert "own.twin-view.json" in window.statusBar().currentMessage()
    assert window.views.add() == 0
    assert window.editing.file.save()
    assert view_path(own).read_text() == '{"mine": true}'
    assert "not saved" in window.statusBar().currentMessage()
    window.views.delete(0)
