"""Tab bars of docks come and go; Python holds none of those that are gone."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar

from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl


def _held() -> int:
    gc.collect()
    return sum(isinstance(one, QTabBar) for one in gc.get_objects())


def test_tab_bars_of_docks_are_named_and_not_kept(make_window: Callable[..., MainWindow], lab: Path) -> None:
    window = make_window(lab)
    before = _held()
    for name in ("design", "analyse", "teach", "run") * 3:
        window.menus.execute(f"view.workspace_{name}")
        QTest.qWait(20)
    bars = [one for one in window.children() if isinstance(one, QTabBar) and one.isVisible()]
    names = {bar.accessibleName() for bar in bars}
    assert names
    assert all(name.startswith("Docks: ") for name in names)
    del bars
    assert _held() <= before
