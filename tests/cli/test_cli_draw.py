"""`twin draw`: one PDF with all sheets, an SVG for each, refusals that leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Twin = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("qapp")  # a second kind of application would break tests of the window


def test_a_scene_is_drawn_as_pdf_and_as_svg(twin: Twin, tmp_path: Path) -> None:
    said = twin("draw", "lab-16", "-o", tmp_path / "lab.pdf", "--paper", "a2")
    assert "(P1, E1, L1, H1, N1)" in said.stdout
    assert (tmp_path / "lab.pdf").read_bytes().startswith(b"%PDF")
    twin("draw", "lab-16", "-o", tmp_path / "lab.svg", "--sheet", "plan")
    assert "<svg" in (tmp_path / "lab.svg").read_text()
    twin("draw", "lab-16", "-o", tmp_path / "two.svg", "--sheet", "plan", "--sheet", "network")
    assert {path.name for path in tmp_path.glob("two*")} == {"two-P1.svg", "two-N1.svg"}


def test_it_says_that_later_edits_are_not_drawn(twin: Twin, tmp_path: Path) -> None:
    scene = tmp_path / "hall.twin.yaml"
    walls = "{walls: {at: {x: -4.8 m, y: -3.6 m}, width: 10.2 m, depth: 8.4 m}}"
    later = f"  - {{id: w, at: 1 h, changes: [{{path: 'halls[lab].building', value: '{walls}'}}]}}"
    text = twin("show", "lab-16").stdout
    scene.write_text(f"{text.rstrip()}\nedits:\n{later}\n", encoding="utf-8")
    said = twin("draw", scene, "-o", tmp_path / "hall.pdf", "--sheet", "plan").stdout
    assert "note: drawn as the scene begins, without its 1 later edit\n" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("-o", "lab.dwg"), "-o must end in .pdf, not .dwg: lab.dwg"),
        (("-o", "lab.pdf", "--paper", "A7"), "'A7' is not one of"),
        (("-o", "lab.pdf", "--hall", "attic"), "hall attic is not there; there are lab"),
        (("-o", "there.pdf"), "-o: there.pdf exists already"),
        (("-o", "nowhere/lab.pdf"), "-o: no folder nowhere; create it first"),
    ],
)
def test_refusals(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.pdf").write_text("mine")
    said = twin("draw", "lab-16", *words, code=2).stderr
    assert reason in " ".join(said.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there.pdf"]


def test_a_revision_is_drawn_with_marks(twin: Twin, tmp_path: Path) -> None:
    more = tmp_path / "more.twin.yaml"
    more.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\ntitle: More\n'
    )
    said = twin("diff", "lab-16", more, "-o", tmp_path / "changes.pdf", "--paper", "A4", code=1)
    assert "changes.pdf" in said.stdout
    assert (tmp_path / "changes.pdf").read_bytes().startswith(b"%PDF")
    assert "must end in .pdf" in twin("diff", "lab-16", more, "-o", tmp_path / "c.svg", code=2).stderr
    assert "exists already" in twin("diff", "lab-16", more, "-o", tmp_path / "changes.pdf", code=2).stderr
