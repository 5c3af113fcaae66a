"""`twin report` and `twin compare --html` at the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from twin.cli import display
from twin.cli.errors import Failure


def figures(text: str) -> dict[str, float]:
    found = re.findall(r'<data value="([^"]*)" data-figure="([^"]*)">', text)
    return {name: float(value) for value, name in found}


@pytest.mark.gl
def test_the_report_of_a_scene_has_the_figures_of_the_run_and_pictures(twin, qapp, tmp_path: Path) -> None:
    out = tmp_path / "lab.html"
    assert twin("report", "lab-16", "--seed", "3", "-o", out).stdout.strip() == str(out)
    text = out.read_text(encoding="utf-8")
    summary = json.loads(twin("run", "lab-16", "--seed", "3", "--no-record", "--json").stdout)
    said = figures(text)
    for name, value in (
        ("goodput", summary["goodput"]),
        ("ettr", summary["ettr"]),
        ("pue", summary["pue"]),
        ("energy_j", summary["energy"]["facility_j"]),
        ("power_max_w", summary["power"]["facility_max_w"]),
        ("gpu_max_c", summary["thermal"]["gpu_max_c"]),
        ("cost_usd", summary["facility"]["cost_usd"]),
        ("interruptions", summary["interruptions"]["unexpected"]),
        ("ledger.productive", summary["ledger_gpu_s"]["productive"]),
        ("seed", 3),
    ):
        assert said[name] == value, name
    assert summary["event_hash"] in text
    assert text.count('src="data:image/png;base64,') == 3


def test_a_recorded_run_is_reported_without_pictures_where_none_are_wanted(twin, tmp_path: Path) -> None:
    twin("run", "lab-16", "--until", "2 h", "--out", tmp_path / "a.twinrun", "--json")
    twin("report", tmp_path / "a.twinrun", "--no-pictures", "-o", tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "No pictures were asked for." in text
    assert "<img" not in text
    assert "--seed" in twin("report", tmp_path / "a.twinrun", "--seed", "2", code=2).stderr


def test_where_nothing_can_be_drawn_a_sentence_stands_for_the_pictures(
    twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_words: object) -> int:
        raise Failure("there is no display here and no Xvfb to make one")

    monkeypatch.setattr(display, "has_display", lambda: False)
    monkeypatch.setattr(display, "in_virtual_display", refuse)
    twin("report", "lab-16", "--until", "1 h", "-o", tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Without pictures of the hall: there is no display here and no Xvfb to make one." in text


def test_without_a_name_the_report_lies_here(twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert twin("report", "lab-16", "--until", "1 h", "--no-pictures").stdout.strip() == "lab-16.html"
    assert (tmp_path / "lab-16.html").is_file()


def test_two_designs_are_compared_in_a_file(twin, tmp_path: Path) -> None:
    out = tmp_path / "c.html"
    words = ("--set-b", "jobs[llama3].checkpoint.interval='10 min'", "--until", "3 h")
    said = json.loads(twin("compare", "lab-16", "lab-16", *words, "--html", out, "--json").stdout)
    text = out.read_text(encoding="utf-8")
    found = figures(text)
    for key in ("goodput", "pue", "energy_j"):
        assert found[f"{key}.a"] == said["figures"][key]["a"]
        assert found[f"{key}.difference"] == said["figures"][key]["difference"]
    text = text.replace("\xa0", " ")
    head = text.partition("<h1>")[2].partition("</h1>")[0]
    assert head == "A laboratory with 16 GPUs: A beside B"
    assert "Job llama3, checkpoint interval: 30 min \N{RIGHTWARDS ARROW} 10 min" in text
    assert re.search(r"<b>B</b> \([^:]*\): Job llama3, checkpoint interval: 30 min", text), "over the figures"
