"""*File > Lists* in the real window: rows as the commands have them, filtered, saved, and the way to the thing."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from twin.app.documents.lists_dialog import ListsDialog
from twin.lists.site_lists import LISTS


def opened(window) -> ListsDialog:
    window.menus.execute("file.lists")
    (dialog,) = window.findChildren(ListsDialog)
    return dialog


def test_lists_are_read_filtered_and_lead_to_the_thing(use_window, qtbot, lab: Path) -> None:
    window = use_window(lab)
    dialog = opened(window)
    for place, name in enumerate(LISTS):
        dialog.kind.setCurrentIndex(place)
        assert dialog.name == name
        assert dialog.model.rowCount() == len(dialog.list_of(name).rows) > 0
    dialog.kind.setCurrentIndex(list(LISTS).index("cables"))
    QTest.keyClicks(dialog.search, "gpu/0/1 ib-016")
    assert [dialog.model.data(dialog.model.index(row, 0)) for row in range(dialog.model.rowCount())] == [
        "ib-016"
    ]
    assert dialog.words.text().startswith("1 row")
    spot = dialog.table.visualRect(dialog.model.index(0, 4)).center()
    QTest.mouseClick(dialog.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    QTest.mouseDClick(dialog.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert list(window.hall.state.selection) == ["ib/0/0"]
    dialog.close()


def test_a_list_is_saved_as_csv_and_all_as_a_workbook(
    use_window, qtbot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = opened(use_window(lab))
    dialog.kind.setCurrentIndex(list(LISTS).index("racks"))
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "racks"), "Tables (*.csv)")
    )
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    with (tmp_path / "racks.csv").open(newline="") as file:
        assert [row["Rack"] for row in csv.DictReader(file)] == ["gpu/0/0", "gpu/0/1"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "all.xlsx"), ""))
    QTest.mouseClick(dialog.save_all_button, Qt.MouseButton.LeftButton)
    assert (tmp_path / "all.xlsx").read_bytes()[:2] == b"PK"
    assert dialog.words.text() == f"Saved: {tmp_path / 'all.xlsx'}"
    dialog.save(("racks",), tmp_path / "nowhere" / "racks.csv")
    assert "is not written: No such file" in dialog.words.text()
    dialog.close()


def test_the_palette_finds_lists_by_the_words_of_their_users(use_window, lab: Path) -> None:
    words = use_window(lab).menus.model.registered_actions["file.lists"].words
    assert {"BOM", "cables", "ports", "Excel", "order"} <= set(words.split())
