"""Escape in a search field of a dock empties it, and leaves the selection alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


def test_escape_empties_the_search_and_keeps_the_selection(
    use_window: Callable[[Path], MainWindow], lab: Path
) -> None:
    window = use_window(lab)
    window.docks.enter("design")
    window.hall.state.selection = ("gpu/0/1",)
    palette = window.docks.palette
    palette.search.setFocus()
    QTest.keyClicks(palette.search, "zzz")
    QTest.keyClick(palette.search, Qt.Key.Key_Escape)
    assert palette.search.text() == ""
    assert window.hall.state.selection == ("gpu/0/1",)
    palette.search.setFocus()
    QTest.keyClick(palette.search, Qt.Key.Key_Escape)
    assert not window.hall.state.selection
