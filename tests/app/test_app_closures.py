"""What is opened and closed again leaves neither a function, which would hold what it knows, nor an object of Qt.

The first time is another matter: app-model keeps two functions for each command that was ever given, not more.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QDialog, QMenu
from pytestqt.qtbot import QtBot

from tests.app.monkey_level import qt_kinds
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.problem_notice import Trouble

pytestmark = pytest.mark.gl

_OPENED = (
    "window.palette",
    "help.keys",
    "help.shortcuts",
    "help.about",
    "run.plan_job",
    "run.risk",
    "run.branch",
    "run.compare_designs",
    "edit.room",
    "run.break",
)
_TIMES = 10


def _functions() -> Counter[str]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    made = (one for one in gc.get_objects() if type(one) is FunctionType)
    return Counter(f"{one.__module__}.{one.__qualname__}" for one in made)


def _once(window: MainWindow) -> None:
    for id in _OPENED:
        window.menus.execute(id)
        QApplication.processEvents()
        opened = [one for one in window.findChildren(QDialog) if one.isVisible()]
        assert opened or id == "window.palette"
        for dialog in opened:
            dialog.close()
    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()
    for thing in ("gpu/0/0/0/3", "gpu/0/0", None):
        window.docks.inspector.show_thing(thing)
        made = window.hall.thing_menu(thing)
        assert made is not None
        made.deleteLater()
    window.notifications.ask(Trouble("Asked", "What now?"), {"One": str, "Two": str}).dismiss()


@pytest.mark.slow
def test_what_is_opened_again_and_again_leaves_nothing(
    make_window: Callable[..., MainWindow], qtbot: QtBot, lab: Path
) -> None:
    window = make_window(lab)
    for _ in range(2):
        _once(window)
    before, objects = _functions(), qt_kinds(window)
    for _ in range(_TIMES):
        _once(window)
    assert not _functions() - before
    assert not qt_kinds(window) - objects
