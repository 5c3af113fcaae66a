"""`twin verify` at the command line: words, JSON, exit codes."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture
def lab(twin, tmp_path: Path) -> Path:
    path = tmp_path / "lab.twinrun"
    twin(
        "run",
        "lab-16",
        "--seed",
        "3",
        "--until",
        "12 h",
        "--inject",
        "1 h power_cap all value=500W",
        "--out",
        path,
    )
    return path


def alter(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement)


def test_the_same_run_ends_with_0(twin, lab: Path) -> None:
    text = twin("verify", lab).stdout
    assert f"{lab}: the same, up to 12 h" in text
    said = json.loads(twin("verify", lab, "--json").stdout)
    assert said["clean"] is True
    assert said["simulated_s"] == 43200.0
    assert said["divergence"] is None
    assert said["causes"] == []


def test_a_divergence_ends_with_1_and_names_both_events(twin, lab: Path) -> None:
    alter(lab, "UPDATE events SET t = t + 1 WHERE row = 4")
    text = twin("verify", lab, code=1).stdout
    assert "first divergence" in text
    assert "row 4" in text
    assert "event 4 differs: time" in text
    assert "in the file:" in text
    assert "simulated now:" in text
    assert "the file was altered" in text
    said = json.loads(twin("verify", lab, "--json", code=1).stdout)
    one = said["divergence"]
    assert one["row"] == 4
    assert one["expected"]["t_s"] == pytest.approx(one["found"]["t_s"] + 1)


def test_what_is_no_whole_run_file_ends_with_2_in_one_sentence(twin, lab: Path, tmp_path: Path) -> None:
    whole = lab.read_bytes()
    for content, reason in (
        (b"halls: []\n", "this is not a run file"),
        (whole[: len(whole) // 2], "truncated"),
        (whole[:5000] + bytes(3000) + whole[8000:], ""),
    ):
        path = tmp_path / "other.twinrun"
        path.write_bytes(content)
        told = twin("verify", path, code=2)
        assert reason in told.stderr
        assert told.stderr.startswith("error: ")
        assert told.stderr.count("\n") == 1
        assert told.stdout == ""
    assert "there is no such run file" in twin("verify", tmp_path / "none.twinrun", code=2).stderr


def test_a_run_of_a_part_that_is_gone_ends_with_2(twin, lab: Path) -> None:
    alter(lab, "UPDATE header SET value = replace(value, 'DGX-H100', 'DGX-H101') WHERE key = 'scenario'")
    assert "DGX-H101" in twin("verify", lab, code=2).stderr


def test_a_simulation_that_breaks_ends_with_3(twin, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no flow")

    monkeypatch.setattr("twin.sim.engine.engine.Engine.advance", broken)
    assert "breaks here: ZeroDivisionError: no flow" in twin("verify", lab, code=3).stderr


def test_ctrl_c_ends_with_130(tmp_path: Path, lab: Path) -> None:
    code = (
        "import os, signal\n"
        "from twin.sim.engine.engine import Engine\n"
        "advance = Engine.advance\n"
        "Engine.advance = lambda *a: (os.kill(os.getpid(), signal.SIGINT), advance(*a))[1]\n"
        "from twin.cli.app import main\n"
        "main()\n"
    )
    words = [sys.executable, "-c", code, "verify", str(lab)]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
