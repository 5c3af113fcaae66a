"""The architect's hour by mouse: from a need to two designs, compared on money with ranges, to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cut_texts import cut
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from twin.app.needs.front_rows import DESIGN, TICK
from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.slow]
PICTURES = os.environ.get("TWIN_HOUR_PICTURES")
"""Folder for a picture of each step, to be looked at; none are taken without it."""


@pytest.fixture
def window(
    request: pytest.FixtureRequest, use_window: Callable[[Path], MainWindow], lab: Path
) -> Iterator[MainWindow]:
    window = use_window(lab)
    window.resize(1280, 800)
    yield window
    window.run_comparing.close()
    window.needs.close()
    del window
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def click(widget: QWidget, place: QPoint | None = None) -> None:
    """Click where a person does: on something that is seen and can be used."""
    assert widget.isVisible(), widget
    assert widget.isEnabled(), widget
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place or widget.rect().center())


def looked_at(root: QWidget, name: str) -> None:
    """Take a picture of a step where somebody wants to look, and find no words cut off."""
    QApplication.processEvents()
    if PICTURES:
        root.grab().save(str(Path(PICTURES) / f"{name}.png"))
    assert not [str(cut_words) for cut_words in cut(root) if isinstance(cut_words.widget, QAbstractButton)]


def test_from_a_need_to_a_report(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_welcome()
    click(window.welcome.need_button)
    needs = window.needs.dialog
    assert needs is not None
    qtbot.waitUntil(needs.isVisible)
    looked_at(needs, "1-need")
    click(needs.examples["vision-512"])
    budget = needs.form.rows["limits.budget_usd"].field
    assert isinstance(budget, QLineEdit)
    qtbot.waitUntil(budget.isVisible)
    needs.form.ensureWidgetVisible(budget)
    click(budget)
    budget.selectAll()
    QTest.keyClicks(budget, "45M\r")
    assert needs.draft.value("limits.budget_usd") == 45e6
    needs.candidates.setValue(300)
    click(needs.find_button)
    qtbot.waitUntil(lambda: needs.search.answer is not None and not needs.search.busy)
    found = needs.search.found
    assert len(found) >= 2
    assert all(design.passes for design in found)
    assert all(design.design.capital_usd <= 45e6 for design in found)
    looked_at(needs, "2-designs")
    table = needs.panel.table
    last = len(found) - 1
    for row in (0, last):
        table.scrollTo(table.front.index(row, TICK))
        click(table.viewport(), table.visualRect(table.front.index(row, TICK)).center())
    assert table.front.ticked == [found[0].name, found[last].name]
    needs.panel.seeds.setValue(3)
    click(needs.panel.confirm_button)
    qtbot.waitUntil(lambda: not needs.search.busy)
    assert [len(found[place].runs) for place in (0, last)] == [3, 3]
    looked_at(needs, "3-confirmed")
    table.scrollToTop()
    click(table.viewport(), table.visualRect(table.front.index(0, DESIGN)).center())
    qtbot.waitUntil(lambda: not needs.isVisible() and window.session.frame is not None)
    assert window.session.document.scenario.title.endswith(found[0].name)
    looked_at(window, "4-opened")
    click(next(iter(window.notifications.notes[-1].buttons.values())))
    qtbot.waitUntil(needs.isVisible)
    click(needs.panel.compare_button)
    compared = window.run_comparing.designs
    assert compared is not None
    qtbot.waitUntil(lambda: compared.found is not None and not compared.busy)
    answer = compared.found
    assert answer is not None
    assert answer.seeds == (1, 2, 3), "the runs of before"
    for key in ("total_usd", "capital_usd", "gpu_hour_usd", "pflop_day_usd", "time_s"):
        cell = answer.row(key).cells[1]
        assert cell is not None
        assert cell.values[0] < cell.values[2], key
        assert cell.difference is not None
    looked_at(compared, "5-compared")
    heads = compared.table.heads
    column = compared.table.designs.columns.index("PFLOP-day, USD")
    place = QPoint(
        heads.sectionViewportPosition(column) + heads.sectionSize(column) // 2, heads.height() // 2
    )
    click(heads.viewport(), place)
    assert compared.figure == "pflop_day_usd"
    looked_at(compared, "6-pflop-day")
    page = Path(PICTURES or tmp_path) / "designs.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(page), ""))
    click(compared.report_button)
    text = page.read_text()
    assert "Which is best?" in text
    assert f"Differences to {found[0].title}" in text
    assert text.count('class="whisker"') > 3 * 2 * 5
