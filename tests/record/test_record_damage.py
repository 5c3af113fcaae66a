"""Damaged, foreign and malicious run files give one sentence; a killed writer leaves a readable file."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from small_run import write
from usual_cases import usually

from twin.physics.gpu_picture import FIELDS
from twin.record.events import Severity
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

HUGE = '{"counts":{"rack":1e12},"epoch":0}'


def read_all(path: Path) -> int:
    """Read everything there is; return the number of events."""
    with Reader(path) as reader:
        assert reader.header.scenario.title
        count = len(reader.events())
        for channel in ("rack.power_w", "job.step", "site.pue"):
            reader.series(0, channel)
        reader.nearest_snapshot(math.inf)
        reader.ledger()
        reader.ledger_range(3.0, 400.0)
        reader.events_where(kinds=["failure"], least=Severity.WARNING, t1_s=500.0)
        reader.samples(("rack.power_w", "job.step"), 20.0, 2, reader.header.layout)
        for t_s in (0.0, 299.0, 599.0):
            assert reader.frame(t_s).values["gpu.temp_c"].shape == (64,)
        reader.sample_times()
        reader.markers()
        assert reader.summary is not None
        return count


def change(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(statement, values)
        file.commit()


def one_sentence(path: Path) -> str:
    with pytest.raises(RunFileError) as caught:
        read_all(path)
    text = str(caught.value)
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def test_missing(tmp_path: Path) -> None:
    assert "no such run file" in one_sentence(tmp_path / "none.twinrun")
    assert "no such run file" in one_sentence(tmp_path)


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\x00", b"hello " * 10_000, bytes(100_000)])
def test_something_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.twinrun"
    path.write_bytes(content)
    assert str(path) in one_sentence(path)


def test_another_database(tmp_path: Path) -> None:
    path = tmp_path / "x.twinrun"
    change(path, "CREATE TABLE events(row INTEGER)")
    assert "not a run file" in one_sentence(path)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
        "CREATE VIEW v AS SELECT * FROM events",
        "CREATE TABLE more(x)",
        "DROP TABLE series",
        "ALTER TABLE events ADD COLUMN x",
    ],
)
def test_other_tables_are_refused(run_file: Path, statement: str) -> None:
    change(run_file, statement)
    assert "its tables are not those" in one_sentence(run_file)


def test_newer_version_names_both(run_file: Path) -> None:
    change(run_file, "PRAGMA user_version=3")
    assert "version 3" in one_sentence(run_file)
    assert "reads versions 1 to 2" in one_sentence(run_file)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM header WHERE key = 'seed'", "header"),
        ("UPDATE header SET value = '[]' WHERE key = 'layout'", "header"),
        (f"UPDATE header SET value = '{HUGE}' WHERE key = 'layout'", "header"),
        ("UPDATE header SET value = '{}' WHERE key = 'scenario'", "file is wrong at format"),
        ("UPDATE header SET value = 'no json' WHERE key = 'scenario'", "scenario"),
        ("UPDATE events SET severity = 77 WHERE row = 5", "event"),
        ("UPDATE events SET data = '{' WHERE row = 5", "text in this run file is damaged"),
        ("UPDATE series SET data = x'00'", "block is truncated"),
        ("UPDATE blocks SET samples = 1000000000", "block"),
        ("UPDATE blocks SET samples = 10", "block"),
        ("UPDATE blocks SET times = x'FFFF'", "damaged"),
        ("UPDATE snapshots SET data = 5", "damaged"),
        ("DELETE FROM progress", "has no run"),
        ("UPDATE progress SET summary = '[1]'", "summary"),
    ],
)
def test_wrong_content(run_file: Path, statement: str, said: str) -> None:
    change(run_file, statement)
    assert said in one_sentence(run_file)


def test_a_bomb_in_a_block_is_not_unpacked(run_file: Path) -> None:
    change(run_file, "UPDATE series SET data = ?", values=(zlib.compress(bytes(2**28), 9),))
    assert "block" in one_sentence(run_file)


def test_truncated_anywhere(run_file: Path) -> None:
    whole = run_file.read_bytes()
    for size in np.linspace(1, len(whole) - 1, 25).astype(int):
        run_file.write_bytes(whole[:size])
        one_sentence(run_file)


def test_a_damaged_run_file_may_be_replaced(run_file: Path) -> None:
    run_file.write_bytes(run_file.read_bytes()[:20_000])
    one_sentence(run_file)
    write(run_file)
    assert read_all(run_file) == 300


def test_flipped_bytes_are_read_or_refused(run_file: Path) -> None:
    whole = run_file.read_bytes()
    rng = np.random.default_rng(5)
    refused = 0
    for place in rng.integers(0, len(whole), 150):
        broken = bytearray(whole)
        broken[place : place + 4] = rng.bytes(4)
        run_file.write_bytes(broken[: len(whole)])
        try:
            read_all(run_file)
        except RunFileError:
            refused += 1
    assert refused > 10


def test_flipped_and_cut_parts_of_blocks_are_read_or_refused(run_file: Path) -> None:
    rng = np.random.default_rng(8)
    with closing(sqlite3.connect(run_file)) as file:
        rows = file.execute("SELECT rowid, channel, data FROM series WHERE block = 1").fetchall()
        rows = [
            *rows,
            *file.execute("SELECT rowid, '', data FROM series WHERE channel LIKE 'detail%' AND block = 1"),
        ]
        refused = 0
        for rowid, _, data in (rows[k] for k in rng.integers(0, len(rows), 40)):
            broken = bytearray(data)
            place = int(rng.integers(0, len(broken)))
            if rng.random() < 0.3:
                del broken[place:]
            else:
                broken[place : place + 3] = rng.bytes(3)
            file.execute("UPDATE series SET data = ? WHERE rowid = ?", (bytes(broken), rowid))
            file.commit()
            try:
                read_all(run_file)
            except RunFileError:
                refused += 1
            file.execute("UPDATE series SET data = ? WHERE rowid = ?", (data, rowid))
            file.commit()
    assert refused > 20
    assert read_all(run_file) == 300


def test_other_numbers_in_whole_columns_are_shown_or_refused(run_file: Path) -> None:
    rng = np.random.default_rng(9)
    with closing(sqlite3.connect(run_file)) as file:
        rows = file.execute(
            "SELECT rowid, data FROM series WHERE block = 1 AND channel LIKE 'detail.%'"
        ).fetchall()
        for rowid, data in (rows[k] for k in rng.integers(0, len(rows), 60)):
            end = 5 + int.from_bytes(data[1:5], "little")
            first, rest = (bytearray(zlib.decompress(part)) for part in (data[5:end], data[end:]))
            for part in (first, rest):
                places = rng.integers(0, len(part), 5)
                for place in places:
                    part[place] = int(rng.integers(0, 256))
            begin = zlib.compress(bytes(first))
            broken = b"\0" + len(begin).to_bytes(4, "little") + begin + zlib.compress(bytes(rest))
            file.execute("UPDATE series SET data = ? WHERE rowid = ?", (broken, rowid))
            file.commit()
            with Reader(run_file) as reader, suppress(RunFileError):
                for t_s in (0.0, 30.0, 60.0):
                    reader.frame(t_s)
            file.execute("UPDATE series SET data = ? WHERE rowid = ?", (data, rowid))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("detail", {"fields": ["die_c"], "room": 32}),
        ("detail", {"fields": list(FIELDS), "room": 10**9}),
        ("detail", {"fields": list(FIELDS), "room": 1}),
        ("detail", [1]),
        ("detail", None),
        ("dies", {"gpus": 10**9}),
        ("dies", {"gpus": 64, "models": [{"idle_w": 1}], "idle_ghz": [1]}),
        ("dies", {"gpus": 64, "models": [], "idle_ghz": [1]}),
        ("ledger", ["a"] * 5),
        ("events", 0),
    ],
)
def test_what_else_a_block_says_may_be_wrong(run_file: Path, name: str, data: object) -> None:
    text = json.dumps(data).encode()
    if name in ("dies", "ledger"):
        text = len(text).to_bytes(4, "little") + text + bytes(64 * 17)
    change(run_file, "UPDATE series SET data = ? WHERE channel = ?", values=(zlib.compress(text), name))
    one_sentence(run_file)


@pytest.mark.parametrize("leave", usually([3, 20, 60], [20]))
def test_kill_while_writing(tmp_path: Path, leave: int) -> None:
    path = tmp_path / "killed.twinrun"
    script = str(Path(__file__).with_name("endless_writer.py"))
    with subprocess.Popen([sys.executable, script, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        committed = [int(writer.stdout.readline()) for _ in range(leave)][-1]
        writer.kill()
    with Reader(path) as reader:
        events = reader.events()
        assert len(events) >= committed
        assert [e.row for e in events] == list(range(reader.event_count))
        assert len(reader.series(1, "rack.power_w", points=10**6).t_s) == len(events)
        snapshot = reader.nearest_snapshot(math.inf)
        assert snapshot is not None
        assert snapshot.events <= len(events)


def test_a_killed_file_in_a_folder_that_cannot_be_written(
    tmp_path: Path, read_only: Callable[[Path], None]
) -> None:
    path = tmp_path / "w" / "a.twinrun"
    path.parent.mkdir()
    write(path, seconds=50, close=False).file.close()
    read_only(path.parent)
    with Reader(path) as reader:
        assert len(reader.events()) == 25


@pytest.fixture
def read_only() -> Callable[[Path], None]:
    def lock(folder: Path) -> None:
        for item in folder.iterdir():
            item.chmod(0o444)
        folder.chmod(0o555)

    return lock
