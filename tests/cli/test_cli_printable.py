"""Nothing of a document acts on the terminal, in a report or in a spreadsheet."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from twin.analysis.export import _gpu_labels
from twin.cli.tables import PrintableConsole
from twin.planning.table.case_file import write_csv
from twin.scenario import load, loads
from twin.shown_text import in_cell, in_json, printable

FINDINGS = Path(__file__).parents[1] / "findings"
ESC, ID_ESC = FINDINGS / "esc.twin.yaml", FINDINGS / "id-esc.twin.yaml"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
STYLE = re.compile("\x1b\\[[0-9;]*m")
Twin = Callable[..., Result]


_END = b"\0end of a command\0"
_SCRIPT = f"""
import os, sys
from twin.cli import main
for line in sys.argv[1].split("\\n"):
    sys.argv = ["twin", *line.split("\\t")]
    try:
        main()
    except SystemExit:
        pass
    sys.stderr.flush()
    os.write(1, {_END!r})
"""


def commands(folder: Path, *lines: tuple[object, ...], **more: str) -> list[str]:
    """Run command lines, as a person does but in one process for all; return what each says."""
    given = "\n".join("\t".join(map(str, words)) for words in lines)
    environment = {**os.environ, "TWIN_STATE_DIR": str(folder / "state"), "PYTHONUTF8": "1", **more}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, given],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=folder,
        check=True,
    )
    *said, rest = (text.decode() for text in done.stdout.split(_END))
    assert rest == ""
    return said


def clean(folder: Path, *lines: tuple[object, ...]) -> list[str]:
    """Run command lines of which nothing may act on the terminal; return what each says."""
    said = commands(folder, *lines)
    for text in said:
        assert_harmless(text)
    return said


def assert_harmless(text: str) -> None:
    assert not ACTS.findall(text), text
    assert "Traceback" not in text


def test_titles_and_ids_reach_neither_terminal_nor_report(tmp_path: Path) -> None:
    title = load(ESC).scenario.title
    assert "\x1b" in title
    assert "\u202e" in title
    run, found, shown, _, _, _, _, missing = clean(
        tmp_path,
        ("run", ESC, "--until", "1 h", "--out", "esc.twinrun"),
        ("show", "esc.twinrun", "--json"),
        ("show", ESC),
        ("report", "esc.twinrun", "--no-pictures", "-o", "esc.html"),
        ("diff", ESC, "lab-16"),
        ("check", ID_ESC),
        ("check", ID_ESC, "--json"),
        ("check", "no\x1b[31m-such\u202e-file"),
    )
    assert "\\x1b]0;PWNED\\x1b[31mRED <script>alert(1)</script> [red]x[/red] =1+1 \\u202egnp" in run
    assert json.loads(found)["scene"] == title
    assert loads(shown).scenario.title == title
    assert "-such\\u202e-file" in missing
    html = (tmp_path / "esc.html").read_text()
    assert not ACTS.findall(html)
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html
    assert "'\\x1b[31m" not in html


def test_styles_of_ours_are_all_that_a_terminal_gets(tmp_path: Path) -> None:
    (said,) = commands(tmp_path, ("diff", ESC, "lab-16"), FORCE_COLOR="1", TERM="xterm-256color")
    assert STYLE.findall(said)
    assert not ACTS.findall(STYLE.sub("", said))
    assert "\\x1b[31mRED" in said.replace("\n", "")
    assert "[red]x[/red]" in said


def test_markup_of_rich_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    PrintableConsole(width=100).print("[red]x[/red] :smile: \x9b31m \u2067y")
    assert capsys.readouterr().out == "[red]x[/red] :smile: \\x9b31m \\u2067y\n"


@pytest.mark.parametrize(
    "code", [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
def test_every_character_that_acts_is_escaped(code: int) -> None:
    text = f"a{chr(code)}b"
    kept = chr(code) in "\n\t"
    assert (printable(text) == text) is kept
    assert json.loads(in_json(json.dumps(text, ensure_ascii=False))) == text
    assert kept or not ACTS.findall(in_json(json.dumps(text, ensure_ascii=False)))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("http://evil/","x")', '\'=HYPERLINK("http://evil/","x")'),
        ("+1+cmd", "'+1+cmd"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\\x0d=1"),
        ("a\x1b[31m\u202eb", "a\\x1b[31m\\u202eb"),
        ("-12.5", "-12.5"),
        ("+3e4", "+3e4"),
        ("lab-16", "lab-16"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(text: str, cell: str) -> None:
    assert in_cell(text) == cell


def test_exported_tables_hold_no_formula(twin: Twin, tmp_path: Path) -> None:
    run, table = tmp_path / "c.twinrun", tmp_path / "c.csv"
    assert_harmless(twin("run", FINDINGS / "csv2.twin.yaml", "--until", "1 h", "--out", run).output)
    assert_harmless(twin("export", run, "--channel", "site.facility_w", "-o", table).output)
    with table.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1][3].startswith("'=HYPERLINK(")
    write_csv(tmp_path / "cases.csv", ["name", "=x"], [{"name": "=1+1", "=x": "-3"}])
    assert (tmp_path / "cases.csv").read_text() == "name,'=x\n'=1+1,-3\n"


def test_exported_traces_hold_nothing_that_acts(twin: Twin, tmp_path: Path) -> None:
    """What was done to a run stands in its events by the title that somebody gave it."""
    edit = '{id: e, at: 10 min, title: "\\e[31mred \\u202egnp \\x9bm", changes: [{path: title, value: x}]}'
    head = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\n'
    (tmp_path / "e.twin.yaml").write_text(f"{head}title: t\nedits:\n  - {edit}\n")
    run, trace = tmp_path / "e.twinrun", tmp_path / "e.json"
    assert_harmless(twin("run", tmp_path / "e.twin.yaml", "--until", "1 h", "--out", run).output)
    assert_harmless(twin("export", run, "--format", "perfetto", "-o", trace).output)
    text = trace.read_text()
    assert "red \\u202egnp" in text
    assert not ACTS.findall(text)
    json.loads(text)
    assert not ACTS.findall(_gpu_labels("a\u202eb", 0, "\x9bm"))
