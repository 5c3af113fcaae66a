"""*File > Drawings* in the real window: which sheets, on which paper, looked at closer, saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from twin.app.documents.drawings_dialog import DrawingsDialog
from twin.app.documents.handover import HandoverDialog
from twin.handover.unpack import unpacked_scene
from twin.scenario import load


def opened(window) -> DrawingsDialog:
    window.menus.execute("file.drawings")
    (dialog,) = window.findChildren(DrawingsDialog)
    return dialog


def test_sheets_are_chosen_looked_at_and_saved(
    use_window, qtbot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = opened(use_window(lab))
    assert [sheet.name for sheet in dialog.sheets] == ["P1", "E1", "L1", "H1", "N1"]
    dialog.list.setFocus()
    QTest.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.view.sheet is dialog.sheets[1]
    dialog.paper.setCurrentIndex(dialog.paper.findData("A0"))
    assert dialog.view.sheet.name == "E1"  # the same sheet, on other paper
    assert dialog.view.sheet.size_mm == (1189.0, 841.0)
    qtbot.waitUntil(lambda: dialog.view.height() > 0.9 * dialog.desk.viewport().height())
    dialog.resize(dialog.width(), dialog.height() - 150)
    qtbot.waitUntil(lambda: dialog.view.height() <= dialog.desk.viewport().height())
    assert not dialog.desk.verticalScrollBar().isVisible()
    small = dialog.view.size()
    dialog.view.zoom_by(2.0)
    assert dialog.view.width() > small.width()
    for name in ("elevation", "one-line", "piping"):
        dialog.kinds[name].click()
    assert [sheet.name for sheet in dialog.sheets] == ["P1", "N1"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lab"), ""))
    QTest.mouseClick(dialog.pdf_button, Qt.MouseButton.LeftButton)
    assert (tmp_path / "lab.pdf").read_bytes().startswith(b"%PDF")
    QTest.mouseClick(dialog.svg_button, Qt.MouseButton.LeftButton)
    assert {path.name for path in tmp_path.glob("*.svg")} == {"lab-P1.svg", "lab-N1.svg"}
    dialog.save(tmp_path / "nowhere" / "lab.pdf")
    assert "is not written: No such file" in dialog.words.text()
    for name in ("plan", "network"):
        dialog.kinds[name].click()
    assert not dialog.pdf_button.isEnabled()
    assert dialog.words.text() == "Choose at least one kind of sheet."
    dialog.close()


def test_the_palette_finds_drawings_by_the_words_of_their_users(use_window, lab: Path) -> None:
    words = use_window(lab).menus.model.registered_actions["file.drawings"].words
    assert {"PDF", "SVG", "print", "plan", "CAD"} <= set(words.split())


def test_the_hall_is_exported_for_other_3d_programs_as_it_is_shown(
    use_window, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    chosen = {"glb": "glTF (*.glb)", "usda": "OpenUSD (*.usda)"}
    for ending, words in chosen.items():
        answer = (str(tmp_path / "lab"), words)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, answer=answer: answer)
        window.menus.execute("file.solids")
        assert (tmp_path / f"lab.{ending}").stat().st_size > 5000
    assert (tmp_path / "lab.glb").read_bytes()[:4] == b"glTF"
    assert (tmp_path / "lab.usda").read_text().startswith("#usda 1.0")


def test_the_scene_is_handed_over_as_it_stands(
    use_window, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lab"), ""))
    window.menus.execute("file.handover")
    (dialog,) = window.findChildren(HandoverDialog)
    assert not dialog.anonymous.isChecked()
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    opened = load(unpacked_scene(tmp_path / "lab.zip"))
    assert opened.text == window.session.draft.file.text


def test_a_tick_makes_names_up(
    use_window, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "other"), ""))
    window.menus.execute("file.handover")
    (dialog,) = window.findChildren(HandoverDialog)
    dialog.anonymous.click()
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    scenario = load(unpacked_scene(tmp_path / "other.zip")).scenario
    assert scenario.title == "Design"
    assert [job.id for job in scenario.jobs] == ["job-1"]
