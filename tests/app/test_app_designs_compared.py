"""Several designs side by side in the real window: chosen, worked out, run over seeds, reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from twin.analysis.design_figures import DesignToCompare
from twin.app.compare.designs_window import DesignsWindow
from twin.app.shell.main_window import MainWindow
from twin.scenario import Document, loads

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


@pytest.fixture
def window(request: pytest.FixtureRequest, use_window: UseWindow, lab: Path) -> Iterator[MainWindow]:
    window = use_window(lab)
    yield window
    window.run_comparing.close()
    del window
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def ending(lab: Path) -> Document:
    """The laboratory with a job that is done after a few minutes."""
    text = lab.read_text().replace("duration: 1 day", "duration: 2 h")
    text = text.replace("  - id: llama3\n", "  - id: llama3\n    steps: 50\n")
    return loads(text, "lab", lab.parent)


def shown(window: MainWindow) -> DesignsWindow:
    found = window.run_comparing.designs
    assert found is not None
    return found


def test_three_designs_are_asked_for_and_compared_without_a_run(window: MainWindow, qtbot: QtBot) -> None:
    window.run_comparing.ask_designs()
    asking = window.run_comparing.asking
    assert asking is not None
    assert asking.go_button.isVisible()
    asking.add_button.click()
    assert len(asking.boxes) == 3
    assert not asking.go_button.isVisible()
    for place, title in enumerate(
        ("SuperPOD scalable unit, 256 H100", "A row of eight GB200 NVL72"), start=1
    ):
        box = asking.boxes[place]
        box.setCurrentIndex(next(row for row in range(box.count()) if box.itemText(row).startswith(title)))
    for _ in range(5):
        asking.add_button.click()
    assert len(asking.boxes) == 8
    assert not asking.add_button.isVisible()
    for extra in asking.boxes[3:]:
        asking.boxes.remove(extra)
    asking.figures_button.click()
    compared = shown(window)
    qtbot.waitUntil(lambda: compared.found is not None and not compared.busy)
    assert window.run_comparing.asking is None
    found = compared.found
    assert found is not None
    assert len(found.titles) == 3
    assert found.row("million_tokens_usd") is None, "nothing was run"
    assert found.row("gpu_hour_usd").best == 0
    model = compared.table.designs
    assert model is not None
    assert [row.cells[0].splitlines()[0] for row in model.rows] == list(found.titles)
    column = model.columns.index("GPU-hour, USD")
    compared.table.setCurrentIndex(model.index(1, column))
    assert compared.figure == "gpu_hour_usd"
    assert "against the first" in compared.bars["gpu_hour_usd"].items()[1].words
    compared.copy_button.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 4
    assert lines[0].split("\t")[0] == "Design"


def test_they_are_drawn_side_by_side(
    window: MainWindow, lab: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.run_comparing.show_designs([DesignToCompare("A", ending(lab)), DesignToCompare("B", ending(lab))])
    compared = shown(window)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "both"), ""))
    compared.drawing_button.click()
    assert (tmp_path / "both.pdf").read_bytes().startswith(b"%PDF")
    assert str(tmp_path / "both.pdf") in compared.progress.text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "both.pdf"), ""))
    compared.drawing_button.click()
    assert compared.progress.text().startswith("Drawing not saved")


@pytest.mark.slow
def test_they_run_over_the_same_seeds_and_are_reported(
    window: MainWindow, lab: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    designs = [DesignToCompare("A", ending(lab)), DesignToCompare("B", ending(lab))]
    window.run_comparing.show_designs(designs, seeds=(4, 5))
    compared = shown(window)
    qtbot.waitUntil(lambda: not compared.busy and compared.found is not None and bool(compared.found.seeds))
    found = compared.found
    assert found is not None
    assert found.seeds == (4, 5)
    row = found.row("million_tokens_usd")
    assert row is not None
    assert row.cells[1].difference == (0.0, 0.0, 0.0), "the same scene, seeds and prices"
    assert "seeds 4 to 5" in compared.basis.text()
    page = tmp_path / "page"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(page), ""))
    compared.report_button.click()
    assert "Million tokens" in (tmp_path / "page.html").read_text()
    compared.run_all(range(1, 200))
    assert compared.busy
    compared.cancel_button.click()
    assert not compared.busy
    assert compared.found is found


def test_a_design_is_reported_before_it_ran(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "design.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(page), ""))
    window.menus.execute("file.design_report")
    text = page.read_text()
    assert "A design that has not run" in text
    assert "data:image/png" in text
