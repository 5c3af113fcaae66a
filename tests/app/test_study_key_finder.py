"""Keys of a scene are found by the words of the inspector or by path, and the path is what is written."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from twin.app.study.key_finder import KeyCompleter, KnownKeys
from twin.app.study.key_words import key_words
from twin.app.study.scene_keys import scene_keys
from twin.scenario import load

INTERVAL = "jobs[llama3].checkpoint.interval"
ALIKE = [f"halls[lab].rows[gpu].racks.nodes[{place}].count" for place in (0, 1)]


def offered(completer: KeyCompleter, typed: str) -> dict[str, str]:
    """Return what is offered for what is typed: what is written by what is said."""
    completer.setCompletionPrefix(typed)
    model = completer.completionModel()
    places = [model.index(row, 0) for row in range(completer.completionCount())]
    return {str(place.data(Qt.ItemDataRole.DisplayRole)): completer.pathFromIndex(place) for place in places}


def test_a_key_is_found_by_words_and_by_path_and_its_path_is_written(qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    known = KnownKeys(field)
    completer = KeyCompleter(known, field)
    known.take(key.path for key in scene_keys(load("builtin:lab-16").scenario))
    words = key_words(INTERVAL).full
    for typed in ("checkpoint interval", "POINT.INTER", INTERVAL):
        assert offered(completer, typed)[words] == INTERVAL, typed
    assert not [said for said in offered(completer, "") if said.startswith("jobs[")]
    assert known.path(f" {words.upper()} ") == INTERVAL
    assert known.path(INTERVAL) == INTERVAL
    assert known.path("no such key") == "no such key"


def test_keys_of_the_same_words_are_told_apart_by_their_paths(qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    known = KnownKeys(field)
    known.take([*ALIKE, INTERVAL])
    words = key_words(ALIKE[0]).full
    assert key_words(ALIKE[1]).full == words
    said = [f"{words}: {path}" for path in ALIKE]
    assert offered(KeyCompleter(known, field), "count") == dict(zip(said, ALIKE, strict=True))
    assert known.path(said[1]) == ALIKE[1]
    known.take([INTERVAL])
    assert known.path(said[1]) == said[1], "of another scene"
