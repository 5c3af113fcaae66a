"""One's own scenes come first, on the welcome page with a picture; Compare runs lists what is recorded."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.compare.recorded_runs import RunsDialog, recorded_runs
from twin.app.files.scene_list import (
    SUFFIX,
    keep_picture,
    own_title,
    picture_of,
    read_card,
    shipped_scenes,
    title_of,
)
from twin.app.shell.main_window import MainWindow
from twin.resources import yaml_texts
from twin.runtime.inline import run
from twin.scenario import loads

pytestmark = pytest.mark.gl

_LONG = "A hall with a title that goes on and on, longer than any list of designs is wide, to its very end"
_SCENE = """\
format: twin/scenario
version: 1
catalog: "2026.11"
extends: builtin:lab-16
title: Mine
duration: 60 s
failures: {enabled: false}
"""


@pytest.fixture
def mine(lab: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(lab, tmp_path / "mine.twin.yaml"))


def test_a_shipped_scene_is_not_drawn_for_its_card(mine: Path) -> None:
    keep_picture(shipped_scenes()[0], lambda: pytest.fail("was drawn"), [])
    with pytest.raises(pytest.fail.Exception):
        keep_picture(mine, lambda: pytest.fail("was drawn"), [])


def test_own_scenes_come_first_with_the_picture_they_were_left_with(
    use_window: Callable[..., MainWindow], mine: Path, lab: Path, qtbot: QtBot
) -> None:
    window = use_window(mine)
    qtbot.waitUntil(lambda: window.session.frame is not None)
    window.menus.execute("file.scenes")
    page = window.welcome
    assert [card.path for card in page.own_cards] == [mine.resolve()]
    assert page.own_cards[0].y() < page.cards[0].y()
    picture = picture_of(mine.resolve())
    assert picture is not None
    assert picture.stat().st_size > 10_000
    qtbot.waitUntil(lambda: page.own_cards[0].title.text() == "A laboratory with 16 GPUs")
    window.show_hall()
    window.files.open(lab)
    window.menus.execute("run.compare_designs")
    asking = window.run_comparing.asking
    assert asking is not None
    own = asking.b_box.findText(own_title(mine.resolve()))
    assert 0 < own < asking.b_box.findText(asking.b_box.itemText(asking.b_box.count() - 2))
    wide = asking.sizeHint().width()
    asking.b_box.addItem(_LONG)
    assert asking.sizeHint().width() == wide
    asking.close()


def test_recorded_runs_are_listed_and_those_of_the_scene_come_first(tmp_path: Path, qtbot: QtBot) -> None:
    open_run = tmp_path / "open.twinrun"
    for name, title in (("open", "Mine"), ("same", "Mine"), ("other", "Yours")):
        scene = loads(_SCENE.replace("Mine", title), "mine.twin.yaml").scenario
        run(scene, seed=3, until_s=30.0, record=tmp_path / f"{name}.twinrun")
    (tmp_path / "broken.twinrun").write_bytes(b"nothing of a run")
    found = recorded_runs([tmp_path], open_run)
    assert {(each.path.name, each.seed, each.end_s) for each in found} == {
        ("same.twinrun", 3, 30.0),
        ("other.twinrun", 3, 30.0),
    }
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = RunsDialog(tmp_path, open_run, "Mine", parent)
    chosen: list[Path] = []
    dialog.chosen.connect(chosen.append)
    dialog.compare_button.click()
    assert chosen == [(tmp_path / "same.twinrun").resolve()]
    none = RunsDialog(tmp_path / "nowhere", open_run, "Mine", parent)
    assert "No other run is recorded yet" in none.note.text()
    assert not none.compare_button.isEnabled()


def test_shipped_scenes_have_the_pictures_they_came_with() -> None:
    assert all(
        (picture := picture_of(path)) is None or picture.parent.name == "pictures"
        for path in shipped_scenes()
    )


def test_titles_of_shipped_scenes_are_read_without_the_rest_of_their_files() -> None:
    for path in shipped_scenes():
        assert title_of(path) == f"{read_card(path).title} ({path.name.removesuffix(SUFFIX)})"
        assert yaml_texts(path.read_text(encoding="utf-8")) is not None, "all of it would be parsed"


@pytest.mark.slow
def test_a_card_of_the_first_page_presents_its_scene(
    use_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    window.show_welcome()
    qtbot.waitUntil(lambda: window.welcome.is_read)
    card = next(card for card in window.welcome.cards if card.path.name.startswith("lab-16"))
    assert not card.present_button.isHidden()
    card.present_button.click()
    qtbot.waitUntil(lambda: window.presenting.on and window.presenting.tour.phase == "plays")
    assert window.presenting.card.title.text() == "Two nodes, sixteen GPUs"
    window.presenting.leave()
