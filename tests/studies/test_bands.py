"""Bands over seeds of a run: in its summary, as text and as JSON, and in its report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from twin.analysis.seeds import samples
from twin.cli.app import app
from twin.record.reader import Reader
from twin.report.run_report import run_report
from twin.runtime.inline import run
from twin.scenario import load
from twin.studies.bands import band_of, bands_beside, bands_of

LAB = load("builtin:lab-16")
UNTIL_S = 3600.0


def test_bands_are_those_of_the_runs() -> None:
    runs = samples([LAB.scenario], range(1, 6), UNTIL_S, workers=1)[0]
    found = bands_of(runs, range(1, 6))
    mfu = [each.figures["mfu"] for each in runs]
    assert found.bands["mfu"] == band_of(mfu)
    assert found.bands["mfu"].p5 == np.quantile(np.array(mfu), 0.05)
    assert all(band.p5 <= band.p50 <= band.p95 for band in found.bands.values())
    first = run(LAB.scenario, 1, UNTIL_S).engine.summary()
    assert bands_beside(first, LAB.scenario, 1, 5, UNTIL_S, workers=1) == found
    assert band_of([None, None]) is None


def test_summary_and_report_of_a_run_have_them(tmp_path: Path) -> None:
    path = tmp_path / "lab.twinrun"
    words = ["run", "lab-16", "--until", "1 h", "--seeds", "2", "-o", str(path)]
    told = json.loads(CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False).stdout)
    bands = told["bands"]
    assert bands["seeds"] == [1, 2]
    runs = samples([LAB.scenario], (1, 2), UNTIL_S, workers=1)[0]
    assert bands == bands_of(runs, (1, 2)).as_json()
    shown = CliRunner().invoke(app, [*words, "--replace"], catch_exceptions=False).stdout
    assert "Over 2 seeds, 1 to 2" in shown
    with Reader(path) as reader:
        plain, banded = run_report(reader), run_report(reader, bands=bands_of(runs, (1, 2)))
    assert "P5, P50 and P95 over 2 seeds, 1 to 2." in banded.replace("\xa0", " ")
    assert "P5, P50 and P95 over" not in plain
    page = tmp_path / "lab.html"
    asked = ["report", str(path), "--seeds", "2", "--no-pictures", "-o", str(page)]
    assert CliRunner().invoke(app, asked, catch_exceptions=False).exit_code == 0
    assert "P5, P50 and P95 over 2 seeds, 1 to 2." in page.read_text().replace("\xa0", " ")
