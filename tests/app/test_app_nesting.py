"""Python knows no item of a layout: Qt frees it without a word, and what comes to its address is taken for it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
from house_code import modules_with
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

import twin.app
import twin.view3d
from tests.app.monkey_level import known_items
from twin.app.files.welcome import Welcome
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.app.toolkit.nested_layouts import clear, nest, nest_in_cell
from twin.app.toolkit.settings import UserSettings

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

_WIDTHS_PX = (1500, 500, 1200, 830)
_ASKS_QT = ("addLayout", "insertLayout", "itemAt", "itemAtPosition", "takeAt")


def _delete_what_is_due() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_layouts_are_put_into_another_and_cleared_by_one_module() -> None:
    asking = [
        f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        for package in (twin.app, twin.view3d)
        for path, tree in modules_with(Path(package.__path__[0]), *_ASKS_QT)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _ASKS_QT and path.name != "nested_layouts.py"
    ]
    assert not asking, asking


def test_items_of_nested_layouts_are_not_known(qapp: QApplication) -> None:
    before = len(known_items())
    host, words, grid, below = QWidget(), QVBoxLayout(), QGridLayout(), QHBoxLayout()
    column = QVBoxLayout(host)
    words.addWidget(QLabel("within"))
    words.addStretch(1)
    grid.addWidget(QLabel("in a cell"), 0, 0)
    nest(below, words, 1)
    below.addStretch(1)
    nest(column, below)
    nest_in_cell(grid, QHBoxLayout(), 1, 0)
    nest(column, grid, 2)
    assert len(known_items()) == before
    assert column.stretch(1) == 2
    assert [one.text() for one in host.findChildren(QLabel)] == ["within", "in a cell"]
    shiboken6.delete(host)


def test_cleared_layouts_are_empty_at_once_and_their_widgets_go(qapp: QApplication) -> None:
    before = len(known_items())
    host = QWidget()
    column, row = QVBoxLayout(host), QHBoxLayout()
    nest(column, row)
    for _ in range(20):
        row.addWidget(QLabel("one"))
        row.addStretch(1)
        clear(row)
        assert row.count() == 0
        assert len(known_items()) == before
    _delete_what_is_due()
    assert not host.findChildren(QLabel)
    shiboken6.delete(host)


def test_cards_laid_out_anew_leave_nothing_that_is_taken_for_another(
    qapp: QApplication, tmp_path: Path
) -> None:
    """What is made after cards have moved is as large as an item: it ended the process in some forty rounds."""
    before = len(known_items())
    look = Look(qapp, "dark")
    page, host = Welcome(look, UserSettings(tmp_path / "settings.ini")), QWidget()
    page.show()
    for number in range(80):
        page.resize(_WIDTHS_PX[number % len(_WIDTHS_PX)], 700)
        for one in [kind(host) for _ in range(30) for kind in (QCompleter, QWidgetAction)]:
            one.deleteLater()
        _delete_what_is_due()
    assert len(known_items()) == before
    assert not host.findChildren(QCompleter)
    shiboken6.delete(page)
    shiboken6.delete(host)
    look.close()


def test_no_item_is_known_in_the_whole_window(make_window: Callable[..., MainWindow], lab: Path) -> None:
    before = len(known_items())
    window = make_window(lab)
    for dock in window.findChildren(Dock):
        window.docks.show(dock.objectName())
    window.planner.open()
    window.show_welcome()
    window.resize(1000, 800)
    QApplication.processEvents()
    assert len(known_items()) == before
    window.planner.close()
