"""Lists as files: what is written is what is read back, no cell is a formula, nothing is half written."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook

from twin.lists import list_file
from twin.lists.list_file import NoWorkbook, shown, write_lists
from twin.lists.table import SiteColumn, SiteList

PARTS = SiteList(
    "bom",
    "Bill of materials",
    (
        SiteColumn("part", "Part"),
        SiteColumn("count", "Count"),
        SiteColumn("usd", "Total", "USD", 0),
        SiteColumn("kg", "Weight", "kg", 1),
    ),
    (("=1+1", 2, 1234.56, None), ("@SUM(A1)", 3, 2.0, 7.25), ("\x1b[31mred", 0, 0.0, 1.0)),
    ("=HYPERLINK(1) has no price",),
    ("usd",),
)


def test_csv_holds_the_rows_and_no_formula(tmp_path: Path) -> None:
    write_lists([PARTS], to := tmp_path / "parts.csv")
    with to.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["Part", "Count", "Total [USD]", "Weight [kg]"]
    assert rows == [
        ["'=1+1", "2", "1234.6", ""],
        ["'@SUM(A1)", "3", "2", "7.25"],
        ["\\x1b[31mred", "0", "0", "1"],
    ]


def test_a_workbook_has_a_sheet_for_each_list_with_sums_and_notes(tmp_path: Path) -> None:
    racks = SiteList("racks", "Rack loads", (SiteColumn("rack", "Rack"),), (("gpu/0/0",),))
    write_lists([PARTS, racks], to := tmp_path / "lists.xlsx")
    book = load_workbook(to)
    assert book.sheetnames == ["Bill of materials", "Rack loads"]
    rows = [[cell.value for cell in row] for row in book["Bill of materials"].rows]
    assert rows[1] == ["'=1+1", 2, 1234.6, None]
    assert rows[4] == ["all", None, 1236.6, None]
    assert rows[5][0] == "'=HYPERLINK(1) has no price"
    assert all(cell.data_type != "f" for sheet in book for row in sheet.rows for cell in row)
    assert [cell.value for cell in book["Rack loads"]["A"]] == ["Rack", "gpu/0/0"]


def test_a_sheet_with_too_many_rows_is_refused_before_the_file_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_file, "MOST_ROWS", 3)
    to = tmp_path / "parts.xlsx"
    to.write_bytes(b"before")
    with pytest.raises(NoWorkbook, match=r"holds 2 rows, and there are 3; write it as \.csv"):
        write_lists([PARTS], to)
    assert to.read_bytes() == b"before"


def test_without_openpyxl_the_way_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(NoWorkbook, match=r"pip install 'gpu-twin\[lists\]'; \.csv needs nothing"):
        list_file.must_be_writable(tmp_path / "parts.xlsx")
    list_file.must_be_writable(tmp_path / "parts.csv")


def test_people_read_rounded_numbers() -> None:
    usd, kg = PARTS.columns[2:]
    assert [shown(1234.56, usd), shown(7.25, kg), shown(7.0, kg), shown(None, kg), shown("x", usd)] == [
        "1,235",
        "7.2",
        "7",
        "\N{EN DASH}",
        "x",
    ]
