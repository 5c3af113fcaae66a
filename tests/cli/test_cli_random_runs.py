"""Random mutations of a run file: every command that reads one refuses it in a sentence, or reads what is whole."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from twin.analysis.branch_tree import outcome_of
from twin.cli.app import app
from twin.record.runfile import SCHEMA
from twin.runtime.inline import run
from twin.scenario import load

SEED = 20261123
COUNT, SHORT = 2000, 12
STRANGE = (
    None,
    -1,
    0,
    1e300,
    9e999,
    -9e999,
    10**15,
    "",
    "x",
    "nan",
    "\0",
    "\ud7ff\u202e",
    b"",
    b"\x00\xff",
    "{}",
    "[]",
)
JSON = (
    "null",
    "NaN",
    "Infinity",
    "-1",
    "1e999",
    "9" * 60,
    '""',
    '"x"',
    "[]",
    "{}",
    "true",
    "[[[]]]",
    '{"a": 1}',
)
TABLES = [statement.split("(")[0].split()[-1] for statement in SCHEMA]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=path, until_s=36_000.0)
    return path


def mutate(path: Path, draw: random.Random) -> None:
    """Change one thing in a run file: a byte, a value, a row, a number in one of its texts."""
    way = draw.randrange(8)
    if way == 0:
        data = bytearray(path.read_bytes())
        for _ in range(draw.randrange(1, 5)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data[: draw.choice((len(data), len(data), draw.randrange(len(data))))])
        return
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("PRAGMA ignore_check_constraints=ON")
        table = draw.choice(TABLES if way < 4 else ["progress", "header", "events"])
        columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        rows = [row[0] for row in file.execute(f"SELECT rowid FROM {table} LIMIT 2000")]
        if not rows:
            return
        row, column = draw.choice(rows), draw.choice(columns)
        if way == 1:
            file.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        elif way in (2, 3):
            try:
                file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (draw.choice(STRANGE), row))
            except (sqlite3.IntegrityError, OverflowError, sqlite3.OperationalError):
                return
        else:
            column = {"progress": "summary", "header": "value", "events": "data"}[table]
            ((text,),) = file.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,))
            file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (_other_json(text, draw), row))


def _other_json(text: str | None, draw: random.Random) -> str:
    """Return a JSON text with one value of it changed, taken away, or put in another place."""
    try:
        said = json.loads(text or "{}")
    except ValueError:
        return draw.choice(JSON)
    at, key, above = said, None, None
    while isinstance(at, dict | list) and at and (key is None or draw.random() < 0.75):
        above, key = at, draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
        at = above[key]
    if above is None or key is None:
        return draw.choice(JSON)
    if draw.random() < 0.3:
        del above[key]
        return json.dumps(said)
    above[key] = "@@"
    return json.dumps(said).replace('"@@"', draw.choice(JSON), 1)


def read(path: Path, draw: random.Random, folder: Path) -> str:
    """Let some commands read a run file; nothing may come but an exit code and words."""
    outcome_of(path)
    out = str(folder / "out")
    commands = (
        ["show", str(path)],
        ["show", str(path), "--json"],
        ["explain", str(path)],
        ["explain", str(path), "--json"],
        ["report", str(path), "--no-pictures", "-o", f"{out}.html"],
        ["export", str(path), "--channel", "all", "-o", f"{out}.csv"],
        ["export", str(path), "--format", "perfetto", "-o", f"{out}.json"],
        ["branch", str(path), "--at", "9 h", "-o", f"{out}.twin.yaml"],
        ["compare", str(path), str(path), "--json"],
    )
    codes = ""
    for words in draw.sample(commands, 2):
        for left in folder.glob("out*"):
            left.unlink()
        done = CliRunner().invoke(app, words, catch_exceptions=False)
        assert done.exit_code in (0, 1, 2, 3), (words, done.output)
        codes += str(done.exit_code)
    return codes


def take(count: int, whole: Path, folder: Path) -> None:
    data = whole.read_bytes()
    path = folder / "mutated.twinrun"
    for number in range(count):
        draw = random.Random(SEED * 100_000 + number)
        path.write_bytes(data)
        mutate(path, draw)
        try:
            read(path, draw, folder)
        except BaseException:
            print(f"run {number}")
            raise


def test_mutated_runs_are_refused_or_read(whole: Path, tmp_path: Path) -> None:
    take(SHORT, whole, tmp_path)


@pytest.mark.slow
def test_many_mutated_runs_are_refused_or_read(whole: Path, tmp_path: Path) -> None:
    take(COUNT, whole, tmp_path)
