"""A job trace and the isolation of tenants in the form of a need: set, searched, saved, opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog
from pytestqt.qtbot import QtBot
from test_app_need import typed

from twin.app.needs.need_dialog import NeedDialog
from twin.app.shell.main_window import MainWindow
from twin.designs.need_file import load_need

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl
SWF = """; UnixStartTime: 0
1 0 0 36000 24 -1 -1 24 -1 -1 1 1 1 1 1 1 -1 -1
2 18000 0 36000 16 -1 -1 16 -1 -1 1 1 1 1 1 1 -1 -1
"""


@pytest.fixture
def dialog(use_window: UseWindow, lab: Path) -> Iterator[NeedDialog]:
    window = use_window(lab)
    window.menus.execute("file.need")
    asked = window.needs.dialog
    assert asked is not None
    asked.new()
    asked.candidates.setValue(8)
    yield asked
    asked.search.close()
    asked.close()


def chosen(dialog: NeedDialog, key: str, value: str) -> None:
    """Choose a value in a field of the need."""
    box = dialog.form.rows[key].field
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_a_trace_says_the_gpus_and_stays_in_the_file(
    dialog: NeedDialog, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "jobs.swf"
    path.write_text(SWF)
    rows = dialog.form.rows
    assert "trace.utilisation" not in rows, "no trace yet"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    dialog.form.buttons["trace.file"].click()
    assert dialog.form.first_fault is None
    dialog.show_draft(dialog.draft.without_item("workloads", 0))
    rows = dialog.form.rows
    assert rows["trace.file"].text == "jobs.swf"
    typed(dialog, "trace.utilisation", "50 %")
    typed(dialog, "trace.map.size", "2")
    typed(dialog, "tenants", "red, blue")
    chosen(dialog, "isolation", "racks")
    assert dialog.form.first_fault is None
    assert dialog.form.told.isHidden(), dialog.form.told.text()
    dialog.find_button.click()
    qtbot.waitUntil(lambda: not dialog.search.busy)
    assert dialog.search.answer is not None
    assert dialog.search.answer.file.trace is not None
    assert dialog.search.answer.file.trace.gpus == 80, "the peak of 2 x (24 + 16)"
    assert {one.design.choice.gpus for one in dialog.search.found} == {80}, dialog.panel.why.text()
    other = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(other), ""))
    assert dialog.save()
    need = load_need(tmp_path / "mine.twin-need.yaml").need
    assert need.trace is not None
    assert (need.trace.file, need.trace.utilisation, need.trace.map.size) == ("jobs.swf", 0.5, 2.0)
    assert (need.tenants, need.isolation) == (("red", "blue"), "racks")
    dialog.new()
    assert "trace.utilisation" not in dialog.form.rows
    assert dialog.open_file(tmp_path / "mine.twin-need.yaml")
    rows = dialog.form.rows
    assert (rows["trace.file"].text, rows["trace.utilisation"].text) == ("jobs.swf", "0.5")
    assert (rows["tenants"].text, rows["isolation"].text) == ("red, blue", "racks")
    typed(dialog, "trace.map.size", "")
    typed(dialog, "trace.utilisation", "")
    typed(dialog, "trace.file", "")
    assert dialog.draft.value("trace") is None, "an empty group goes"


def test_what_is_wrong_with_trace_and_isolation_stands_at_its_field(
    dialog: NeedDialog, tmp_path: Path
) -> None:
    (tmp_path / "jobs.swf").write_text(SWF)
    (tmp_path / "torn.swf").write_text("; UnixStartTime: 0\n1 0 0 many 24\n2 0 0 more 24\n")
    dialog.candidates.setValue(1)
    chosen(dialog, "isolation", "leafs")
    assert "two tenants or more" in dialog.form.rows["isolation"].told.text()
    dialog.find_button.click()
    assert not dialog.search.busy
    typed(dialog, "tenants", "Red, blue")
    assert not dialog.form.rows["tenants"].told.isHidden()
    typed(dialog, "tenants", "red, blue")
    assert dialog.form.first_fault is None
    saved = dialog.draft.saved_at(tmp_path / "mine.twin-need.yaml")
    dialog.show_draft(saved)
    for name, said in (
        ("job.swf", "did you mean 'jobs.swf'"),
        ("../jobs.swf", "copy the file into it"),
        ("torn.swf", "Line 2: run: is not a number"),
    ):
        typed(dialog, "trace.file", name)
        assert said in dialog.form.rows["trace.file"].told.text()
        assert dialog.form.told.isHidden()
    typed(dialog, "trace.file", "jobs.swf")
    assert dialog.form.first_fault is None
    typed(dialog, "trace.utilisation", "120 %")
    assert "at most 1" in dialog.form.rows["trace.utilisation"].told.text()
    typed(dialog, "trace.utilisation", "0.7")
    typed(dialog, "trace.map.skip", "2")
    assert "has 2 jobs" in dialog.form.rows["trace.map.skip"].told.text()
    dialog.find_button.click()
    assert not dialog.search.busy
    assert dialog.form.rows["trace.map.skip"].field.hasFocus()
    typed(dialog, "trace.map.skip", "1")
    assert dialog.form.first_fault is None
