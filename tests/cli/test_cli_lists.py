"""`twin bom`, `cables`, `ports`, `racks`: tables for people, files for programs, refusals with a way out."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Twin = Callable[..., Result]


def test_lists_are_printed_and_written(twin: Twin, tmp_path: Path) -> None:
    assert "ib-016" in twin("cables", "lab-16").stdout
    bom = twin("bom", "lab-16")
    assert "DGX-H100" in bom.stdout
    to = tmp_path / "ports.csv"
    assert "80 rows" in twin("ports", "lab-16", "-o", to).stdout
    with to.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len([row for row in rows if row["State"] == "free"]) == 48
    twin("racks", "lab-16", "-o", tmp_path / "racks.xlsx")
    assert (tmp_path / "racks.xlsx").read_bytes()[:2] == b"PK"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("bom", "lab-16", "-o", "bom.pdf"), "-o must end in .csv, not .pdf: bom.pdf"),
        (("bom", "lab-16", "-o", "there.csv"), "-o: there.csv exists already"),
        (("cables", "lab-16", "-o", "nowhere/cables.csv"), "-o: no folder nowhere; create it first"),
        (("bom", "lab-16", "--set", "prices[DGX-H100]=1 USD"), "is less than what is in it costs"),
        (("ports", "no-such-hall"), "no-such-hall"),
    ],
)
def test_refusals(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.csv").write_text("mine")
    assert reason in twin(*words, code=2).stderr
    assert Path("there.csv").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there.csv"]
