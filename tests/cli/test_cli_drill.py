"""`twin drill` ranks responses to hidden faults, records one, and works out the score of somebody's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin.cli.teach.drill import _record
from twin.lessons.drill import drill_of
from twin.lessons.drill_result import DrillResult, write_drill
from twin.lessons.drill_run import Ranked, Ranking
from twin.lessons.drill_score import Score
from twin.record.reader import Reader
from twin.scenario import load
from twin.scenario.schema.faults import Intervention

LAB = ("drill", "lab-16", "--level", "light", "--length", "30min", "--seed", "2")


@pytest.mark.slow
def test_it_ranks_a_response_records_it_and_tells_what_was_hidden(twin, tmp_path: Path) -> None:
    out = tmp_path / "drill.twinrun"
    shown = twin(*LAB, "--by", "nothing", "--out", out).stdout
    assert "nothing" in shown
    assert "score, GPU h" in shown
    drill = drill_of(load("builtin:lab-16"), "light", 2, 1800.0)
    assert all(fault.target in shown for fault in drill.faults)
    with Reader(out) as reader:
        assert reader.header.scenario.interventions == drill.faults
    assert "--replace" in twin(*LAB, "--by", "nothing", "--out", out, code=2).stderr
    assert "--by" in twin(*LAB, "--out", tmp_path / "other.twinrun", code=2).stderr


def test_a_run_that_is_replaced_stays_until_the_other_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = drill_of(load("builtin:lab-16"), "light", 2, 1800.0)
    nobody = Ranked("nothing", Score(0.0, {}, 0, 0.0), ())
    out = tmp_path / "drill.twinrun"
    out.write_bytes(b"the run before")
    with monkeypatch.context() as full:
        full.setattr("twin.runtime.inline.run", _no_space)
        with pytest.raises(OSError, match="no space"):
            _record(one, Ranking(nobody, nobody), out, 900.0)
    assert out.read_bytes() == b"the run before"
    _record(one, Ranking(nobody, nobody), out, 900.0)
    with Reader(out) as reader:
        assert reader.t_end_s == 900.0
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def _no_space(*_: object, record: Path, **__: object) -> None:
    record.write_bytes(b"half of it")
    raise OSError("no space left on device")


@pytest.mark.slow
def test_the_file_of_somebody_is_run_again(twin, tmp_path: Path) -> None:
    drill = drill_of(load("builtin:lab-16"), "light", 2, 1800.0)
    acts = (Intervention(at=700.0, kind="requeue", target="llama3"),)
    file = tmp_path / "ben.twin-drill.json"
    write_drill(DrillResult.of(drill, acts, 1500.0, "ben"), file)
    out = tmp_path / "ben.twinrun"
    said = json.loads(twin("drill", file, "--json", "--out", out).stdout)
    assert said["until_s"] == 1500.0
    yours = next(way for way in said["ranking"] if way["who"] == "yours")
    assert [act["words"] for act in yours["acts"]] == ["Goes back to the queue: llama3"]
    assert said["person"] == "ben"
    with Reader(out) as reader:
        assert reader.t_end_s == 1500.0
        assert reader.header.scenario.interventions[-1].kind == "requeue"
    options = {"--seed": "3", "--level": "light", "--length": "1h", "--by": "nothing"}
    refused = twin("drill", file, *(word for pair in options.items() for word in pair), code=2).stderr
    assert all(option in refused for option in options)
    file.write_text(file.read_text().replace('"light"', '"lightest"'))
    assert "no level of drills" in twin("drill", file, code=2).stderr


def test_what_it_knows_is_listed_and_what_it_cannot_do_is_said(twin) -> None:
    listed = twin("drill", "--list").stdout
    for word in ("light", "medium", "heavy", "repair", "drain", "harm"):
        assert word in listed
    assert "lasts" in twin("drill", "lab-16", "--length", "5min", code=2).stderr
    assert "--list" in twin("drill", code=2).stderr
