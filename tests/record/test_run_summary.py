"""What is read from a run file is what belongs there: figures are finite, texts are texts, nothing is missing."""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from small_run import SUMMARY, write

from twin.record.reader import Reader
from twin.record.run_summary import Misshapen, strict_json, summary_of
from twin.record.runfile import APPLICATION_ID, RunFileError
from twin.runtime.inline import run
from twin.scenario import load


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement, values)


@pytest.mark.parametrize("name", ["lab-16", "hybrid-burst", "shared-cluster", "pump-trip"])
def test_summaries_of_runs_are_what_they_must_be(name: str) -> None:
    summary = run(load(f"builtin:{name}").scenario, until_s=1800.0).engine.summary()
    assert summary_of(json.dumps(summary, default=float))["scene"] == summary["scene"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ledger_gpu_s", None, "ledger_gpu_s is no table"),
        ("goodput", "0.9", "goodput is no number"),
        ("gpus", -1, "gpus is no count"),
        ("gpus", 1.5, "gpus is no count"),
        ("gpus", True, "gpus is no number"),
        ("simulated_s", 1e300, "simulated_s is no figure of a run"),
        ("jobs", [{"id": "a"}], "jobs[0].state is missing"),
        (
            "interruptions",
            {"unexpected": 0, "planned": 0, "by_cause": {"x": "y"}},
            "by_cause[x] is no number",
        ),
        ("scene", ["x"], "scene is no text"),
        ("queue", 5, "queue is no table"),
    ],
)
def test_what_does_not_belong_is_named(key: str, value: object, said: str) -> None:
    with pytest.raises(Misshapen) as wrong:
        summary_of(json.dumps({**SUMMARY, key: value}))
    assert said in str(wrong.value)


def test_what_is_missing_is_named() -> None:
    for key in SUMMARY:
        with pytest.raises(Misshapen, match=f"{key} is missing"):
            summary_of(json.dumps({name: value for name, value in SUMMARY.items() if name != key}))


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "9" * 400, "{", "[" * 5000]
)
def test_json_of_run_files_has_finite_numbers_only(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        strict_json(text)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE progress SET events = 9e999", "the progress of this run file is damaged"),
        ("UPDATE progress SET events = -3", "the progress of this run file is damaged"),
        ("UPDATE progress SET t = -1.0", "the progress of this run file is damaged"),
        ("UPDATE progress SET t = 'soon'", "the progress of this run file is damaged"),
        ("UPDATE progress SET summary = x'00ff'", "the progress of this run file is damaged"),
        (
            "UPDATE progress SET summary = '{\"gpus\": Infinity}'",
            "summary of this run file is damaged: Infinity",
        ),
        ("UPDATE progress SET summary = json_remove(summary, '$.ledger_gpu_s')", "ledger_gpu_s is missing"),
        ("UPDATE events SET t = 9e999 WHERE row = 3", "an event of this run file is damaged"),
        (
            'UPDATE header SET value = \'{"counts": {"gpu": 1e999}, "epoch": 1}\' WHERE key = \'layout\'',
            "header",
        ),
        ("UPDATE header SET value = 'NaN' WHERE key = 'end_s'", "header"),
        ("UPDATE header SET value = '[1]' WHERE key = 'versions'", "header"),
        ("UPDATE header SET value = '-3' WHERE key = 'seed'", "header"),
        ("INSERT OR REPLACE INTO header VALUES ('redraws', '[[60, -3]]')", "header"),
    ],
)
def test_a_damaged_value_is_one_sentence(tmp_path: Path, statement: str, said: str) -> None:
    path = tmp_path / "small.twinrun"
    write(path)
    change(path, statement)
    with pytest.raises(RunFileError, match="damaged") as wrong, Reader(path) as reader:
        _ = reader.header, reader.summary, reader.all_events(), reader.t_end_s
    assert str(path) in str(wrong.value)
    assert said in str(wrong.value)


def other_log(folder: Path) -> Path:
    """Return the log of a run that is being recorded, of another scene."""
    other = folder / "other.twinrun"
    writer = write(other, seconds=40, close=False)
    log = folder / "kept-wal"
    shutil.copy(f"{other}-wal", log)
    writer.close()
    return log


def test_a_log_beside_a_finished_run_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "small.twinrun"
    write(path)
    with Reader(path) as reader:
        events, end_s = len(reader.all_events()), reader.t_end_s
    shutil.copy(other_log(tmp_path), f"{path}-wal")
    with Reader(path) as reader:
        assert (len(reader.all_events()), reader.t_end_s) == (events, end_s)


def test_a_log_of_another_run_beside_an_unfinished_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.twinrun"
    writer = write(path, seconds=100, close=False)
    kept = tmp_path / "left.twinrun"
    shutil.copy(path, kept)
    shutil.copy(f"{path}-wal", f"{kept}-wal")
    with Reader(kept) as reader:  # as a killed process leaves it
        assert reader.t_end_s == 99.0
    other = tmp_path / "other.twinrun"
    late = write(other, seconds=40, close=False)
    change(other, "UPDATE header SET value = '8' WHERE key = 'seed'")
    shutil.copy(f"{other}-wal", f"{kept}-wal")
    Path(f"{kept}-shm").unlink(missing_ok=True)
    with pytest.raises(RunFileError, match=r"the log left.twinrun-wal beside it belongs to another run"):
        Reader(kept)
    writer.close()
    late.close()


def test_a_run_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.twinrun"

    def stop(*_what: object) -> None:
        raise OSError(5, "stopped")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stop)
        with pytest.raises(RunFileError, match="stopped"):
            write(path)
    assert not path.exists()
    assert list(tmp_path.iterdir()) == []
    write(path)
    with Reader(path) as reader:
        assert reader.header.seed is not None


@pytest.mark.parametrize("stub", ["empty", "untouched", "tables"])
def test_what_a_killed_recording_left_is_replaced(tmp_path: Path, stub: str) -> None:
    path = tmp_path / "small.twinrun"
    if stub == "empty":
        path.touch()
    else:
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA journal_mode=WAL")
            if stub == "tables":
                file.execute(f"PRAGMA application_id={APPLICATION_ID}")
    (tmp_path / ".small.twinrun.part").write_bytes(b"left by a killed one")
    write(path)
    with Reader(path) as reader:
        assert reader.summary == SUMMARY
    assert [file.name for file in tmp_path.iterdir()] == ["small.twinrun"]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_recordings_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "small.twinrun"
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_figures_are_finite() -> None:
    assert math.isfinite(summary_of(json.dumps(SUMMARY))["simulated_s"])
