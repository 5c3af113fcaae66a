"""From a need to designs in the real window: the form, the search, what was found, and its scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from tests import own_scene
from twin.app.needs.front_rows import DESIGN, RUNS, SCENE, TICK
from twin.app.needs.need_dialog import NeedDialog
from twin.app.needs.need_draft import NEW
from twin.app.shell.main_window import MainWindow
from twin.catalog import load_catalog
from twin.designs.need_file import load_need, shipped_needs
from twin.rules import check
from twin.scenario import load
from twin.scenario.schema.scene_catalog import catalog_of

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


@pytest.fixture
def asked(use_window: UseWindow, lab: Path) -> Iterator[tuple[MainWindow, NeedDialog]]:
    window = use_window(lab)
    window.menus.execute("file.need")
    dialog = window.needs.dialog
    assert dialog is not None
    dialog.new()
    dialog.candidates.setValue(12)
    yield window, dialog
    dialog.search.close()
    dialog.close()


def typed(dialog: NeedDialog, key: str, words: str) -> None:
    """Type into a field of the need, and press Enter."""
    field = dialog.form.rows[key].field
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)


def click_cell(dialog: NeedDialog, row: int, column: int) -> None:
    """Click into the middle of a cell of the designs."""
    table = dialog.panel.table
    place = table.visualRect(table.front.index(row, column)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y()))


def test_own_parts_and_models_beside_a_need_are_offered_and_go_along(
    asked: tuple[MainWindow, NeedDialog], qtbot: QtBot, tmp_path: Path
) -> None:
    window, dialog = asked
    own_scene.write(tmp_path / "need")
    path = tmp_path / "need" / "toys.twin-need.yaml"
    text = NEW.replace("llama3-8b", own_scene.MODEL).replace("[H100]", f"[{own_scene.GPU}]")
    path.write_text(text.replace("1.0e+12", "1.0e+11"))
    assert dialog.open_file(path)
    assert not dialog.form.first_fault
    assert own_scene.MODEL in dialog.form.rows["workloads[0].model"].of.choices
    assert own_scene.GPU in dialog.form.rows["gpus"].of.choices
    dialog.find_button.click()
    qtbot.waitUntil(lambda: not dialog.search.busy)
    found = dialog.search.found[0]
    assert found.passes
    assert found.design.choice.part.part == own_scene.NODE
    click_cell(dialog, 0, DESIGN)
    qtbot.waitUntil(lambda: window.session.frame is not None and own_scene.GPU in window.session.catalog)
    saved = tmp_path / "saved" / "toys.twin.yaml"
    saved.parent.mkdir()
    assert window.editing.file.save_as(saved)
    assert own_scene.NODE in catalog_of(load(saved).scenario)


@pytest.mark.slow
def test_designs_are_found_checked_run_and_opened(
    asked: tuple[MainWindow, NeedDialog], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, dialog = asked
    dialog.find_button.click()
    assert dialog.search.busy
    qtbot.waitUntil(lambda: not dialog.search.busy)
    front, found = dialog.panel.table.front, dialog.search.found
    assert len(front.rows) == len(found) > 2
    assert {row.cells[SCENE] for row in front.rows} == {"checked"}
    assert dialog.search.answer is not None
    assert len(dialog.search.answer.points) == dialog.search.answer.screened
    for design in found:
        ranges = design.design.ranges
        assert ranges is not None
        assert ranges.yearly_usd[0] < ranges.yearly_usd[1] < ranges.yearly_usd[2]
    # full runs of two
    click_cell(dialog, 0, TICK)
    click_cell(dialog, 1, TICK)
    assert front.ticked == ["design-01", "design-02"]
    assert dialog.panel.compare_button.isEnabled()
    dialog.panel.seeds.setValue(2)
    dialog.panel.confirm_button.click()
    qtbot.waitUntil(lambda: not dialog.search.busy)
    assert [len(design.runs) for design in found[:3]] == [2, 2, 0]
    assert front.rows[0].cells[RUNS].endswith("2 of 2 in time")
    days = found[0].runs[0].time_s / 86400
    assert days < 30
    # a click opens the scene
    click_cell(dialog, 1, DESIGN)
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: window.session.frame is not None)
    document = window.session.document
    assert document is not None
    assert document.scenario.title.endswith("design-02")
    assert window.editing.file.is_new
    assert not check(document.scenario, window.session.plant, load_catalog()).failed
    note = window.notifications.notes[-1]
    next(iter(note.buttons.values())).click()
    assert dialog.isVisible()
    # and a folder has them all
    folder = tmp_path / "designs"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(folder), ""))
    dialog.panel.save_button.click()
    assert load(folder / "design-01.twin.yaml").scenario.jobs
    assert (folder / "designs.md").is_file()


def test_where_nothing_meets_the_need_the_nearest_one_is_a_click_away(
    asked: tuple[MainWindow, NeedDialog], qtbot: QtBot
) -> None:
    _, dialog = asked
    typed(dialog, "limits.power", "0.05 MW")
    dialog.find_button.click()
    qtbot.waitUntil(lambda: not dialog.search.busy)
    assert dialog.panel.headline.text() == "No design keeps all limits"
    assert "what stands in the way" in dialog.panel.why.text()
    first = next(iter(dialog.panel.uses.values()))
    first.click()
    qtbot.waitUntil(lambda: not dialog.search.busy)
    assert dialog.search.found, dialog.panel.why.text()
    assert dialog.draft.value("limits.power") != "0.05 MW"
    assert dialog.form.rows["limits.power"].text == dialog.draft.value("limits.power")


def test_what_is_wrong_stands_at_its_field(asked: tuple[MainWindow, NeedDialog]) -> None:
    _, dialog = asked
    rows = dialog.form.rows
    typed(dialog, "workloads[0].tokens", "many")
    assert "'many' is not a number" in rows["workloads[0].tokens"].told.text()
    typed(dialog, "limits.budget_usd", "-5")
    assert not rows["limits.budget_usd"].told.isHidden()
    typed(dialog, "limits.budget_usd", "25M")
    assert rows["limits.budget_usd"].told.isHidden()
    assert dialog.draft.value("limits.budget_usd") == 25e6
    dialog.find_button.click()
    assert not dialog.search.busy, "tokens are still wrong"
    assert dialog.focusWidget() is rows["workloads[0].tokens"].field
    typed(dialog, "workloads[0].tokens", "2T")
    assert dialog.form.first_fault is None
    typed(dialog, "workloads[0].deadline", "")
    assert "needs a workload with a deadline" in dialog.form.told.text() + str(
        [row.told.text() for row in rows.values()]
    )


def test_a_file_keeps_its_comments(
    asked: tuple[MainWindow, NeedDialog], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, dialog = asked
    path = tmp_path / "mine.twin-need.yaml"
    path.write_text(shipped_needs()["lab-16-to-256"].read_text())
    assert window.files.open(path), "a need that is dropped on the window"
    assert dialog.form.rows["stages[1].gpus"].text == "256"
    typed(dialog, "stages[1].gpus", "512")
    assert dialog.isWindowModified()
    assert dialog.save()
    text = path.read_text()
    assert text.startswith("# A laboratory that begins")
    assert "{date: 2029-04, gpus: 512}" in text
    assert load_need(path).need.stages[1].gpus == 512
    other = tmp_path / "other"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(other), ""))
    dialog.new()
    assert dialog.save()
    assert load_need(tmp_path / "other.twin-need.yaml").need.title == "A cluster of our own"
    wrong = tmp_path / "wrong.twin-need.yaml"
    wrong.write_text("format: twin/need\nworkloads: [")
    assert not dialog.open_file(wrong)
    assert "cannot be opened" in window.notifications.notes[-1].trouble.title


def test_workloads_and_stages_come_and_go(
    asked: tuple[MainWindow, NeedDialog], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, dialog = asked
    dialog.form.buttons["workloads"].click()
    dialog.form.buttons["stages"].click()
    assert dialog.form.first_fault is None
    kind = dialog.form.rows["workloads[1].kind"].field
    kind.setCurrentIndex(kind.findData("vision"))
    kind.activated.emit(kind.currentIndex())
    assert dialog.draft.value("workloads[1].kind") == "vision"
    assert dialog.draft.value("dataset.size") == "1 PB"
    kind = dialog.form.rows["workloads[0].kind"].field
    kind.setCurrentIndex(kind.findData("config"))
    kind.activated.emit(kind.currentIndex())
    assert "no folder to read it from" in dialog.form.rows["workloads[0].config"].told.text()
    config = tmp_path / "config.json"
    config.write_text(
        '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": 32, "hidden_size": 4096, "vocab_size": 128256,'
        ' "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,'
        ' "max_position_embeddings": 8192}'
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(config), ""))
    dialog.form.buttons["workloads[0].config"].click()
    assert dialog.form.first_fault is None
    dialog.draft = dialog.draft.without_item("workloads", 1)
    assert dialog.draft.value("workloads[1]") is None


def test_what_was_not_saved_is_there_again(asked: tuple[MainWindow, NeedDialog]) -> None:
    window, dialog = asked
    typed(dialog, "title", "Twelve racks")
    window.needs.close()
    assert "Twelve racks" in window.settings.kept("unsaved_need")[0]
    dialog.new()
    dialog.restore(window.settings.kept("unsaved_need")[0])
    assert dialog.draft.title == "Twelve racks"
    assert dialog.draft.dirty
    dialog.new()
    window.needs.close()
    assert window.settings.kept("unsaved_need") == []


def test_words_lead_there(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    entries = {entry.title: entry for entry in window.menus.entries()}
    entry = entries["New from a need\N{HORIZONTAL ELLIPSIS}"]
    for word in ("need", "requirement", "size a cluster", "budget", "deadline"):
        assert word in entry.words
    window.show_welcome()
    window.welcome.need_button.click()
    assert window.needs.dialog is not None
    assert window.needs.dialog.isVisible()
    window.needs.dialog.close()
    window.show_hall()
