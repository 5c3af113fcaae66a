"""What a person sees when a file cannot be opened, or its scene cannot be played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.main_window import MainWindow
from twin.scenario import Document, load

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


def test_a_bad_file_shows_its_problems_and_keeps_the_scene(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, tmp_path: Path
) -> None:
    window = make_window(lab)
    open_document = window.session.document
    bad = tmp_path / "bad.twin.yaml"
    bad.write_text(lab.read_text().replace("duration: 1 day", "duraton: 1 day"))
    assert not window.files.open(bad)
    dialog = window.files.problems
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog.windowTitle() == "This scene cannot be opened"
    assert dialog.problems[0].line > 0
    assert "duraton" in dialog.problems[0].key
    assert window.session.document is open_document
    dialog.close()
    qtbot.waitUntil(lambda: window.files.problems is None)
    broken = tmp_path / "broken.twinrun"
    broken.write_text("no run")
    assert not window.files.open(broken)
    assert window.files.problems is not None
    assert window.files.problems.windowTitle() == "This run file cannot be opened"


def test_a_scene_that_cannot_be_played_is_refused_and_the_former_run_goes_on(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(lab)
    session = window.session
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    came_to_s, events = session.t_s, len(session.events)
    bad = tmp_path / "five.twin.yaml"
    bad.write_text(lab.read_text())
    monkeypatch.setattr("twin.app.session.load", load_with_five_nodes)
    assert window.files.open(bad)
    session.play()
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    assert "asks for 5 nodes" in window.files.problems.problems[0].reason
    assert not session.playing
    assert session.path == window.files.path == lab
    assert bad.resolve() not in window.settings.recent
    assert window.hall.isVisible()
    qtbot.waitUntil(lambda: session.t_s >= came_to_s and session.frame is not None)
    assert len(session.events) >= events
    session.play()
    qtbot.waitUntil(lambda: session.t_s > came_to_s + 600.0)
    assert [event.row for event in session.events] == list(range(len(session.events)))


@pytest.mark.parametrize("plays", [False, True])
def test_an_unplayable_first_scene_leads_to_the_welcome_page(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, monkeypatch: pytest.MonkeyPatch, plays: bool
) -> None:
    window = make_window()
    monkeypatch.setattr("twin.app.session.load", load_with_five_nodes)
    assert window.files.open(lab)
    if plays:  # as from the command line
        window.session.play()
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    assert "asks for 5 nodes" in window.files.problems.problems[0].reason
    assert window.session.document is None
    assert window.welcome.isVisible()


@pytest.mark.parametrize("kind", ["missing", "binary", "folder"])
def test_what_is_no_scene_is_refused_in_words(make_window: MakeWindow, tmp_path: Path, kind: str) -> None:
    window = make_window()
    path = tmp_path / "thing.twin.yaml"
    if kind == "binary":
        path.write_bytes(bytes(range(256)))
    elif kind == "folder":
        path.mkdir()
    assert not window.files.open(path)
    assert window.files.problems is not None
    assert window.files.problems.problems[0].reason


def load_with_five_nodes(path: Path) -> Document:
    """Load the laboratory as if nothing had noticed that its job asks for more nodes than there are."""
    document = load(path)
    job = document.scenario.jobs[0].model_copy(update={"nodes": 5})
    return replace(document, scenario=document.scenario.model_copy(update={"jobs": (job,)}))
