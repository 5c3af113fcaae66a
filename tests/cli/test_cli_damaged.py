"""Runs of which a block or the summary cannot be read, or beside which a stranger's log lies: one sentence each.

It says of what and when, whichever command reads the run.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import Result

from twin.runtime.inline import InlineClient, run
from twin.scenario import load

Twin = Callable[..., Result]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A run with a flipped bit in the power of racks, and in the ledger."""
    path = tmp_path / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=path, until_s=3600.0)
    with closing(sqlite3.connect(path)) as file, file:
        for channel in ("rack.power_w", "ledger", "bookings", "detail.job"):
            where = "WHERE block = 1 AND channel = ?"
            (data,) = file.execute(f"SELECT data FROM series {where}", (channel,)).fetchone()
            broken = data[:-1] + bytes([data[-1] ^ 1])
            file.execute(f"UPDATE series SET data = ? {where}", (broken, channel))
    return path


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("verify",), "the ledger"),
        (("explain",), "the ledger"),
        (("export", "--channel", "rack.power_w", "-o", "{}/out.csv"), "rack.power_w"),
        (("export", "--channel", "gpu", "-o", "{}/out.csv"), "rack.power_w"),
        (("report", "--no-pictures", "-o", "{}/out.html"), "the ledger"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    twin: Twin, damaged: Path, tmp_path: Path, words: tuple[str, ...], part: str
) -> None:
    command, *options = (word.format(tmp_path) for word in words)
    said = twin(command, damaged, *options, code=2)
    assert said.stderr.count("error: ") == 1
    assert f"error: {damaged}: of what was recorded from 0 s to 1 h, {part} cannot be read" in said.stderr
    assert not list(tmp_path.glob("*out.*"))


def test_what_is_not_damaged_is_still_read(twin: Twin, damaged: Path, tmp_path: Path) -> None:
    assert "Goodput" in twin("show", damaged).stdout
    twin("export", damaged, "--channel", "site.facility_w", "-o", tmp_path / "out.csv")


def summary_changed(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"UPDATE progress SET summary = {change}")


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An hour of the laboratory."""
    path = tmp_path_factory.mktemp("hour") / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=path, until_s=3600.0)
    return path


ALL = (
    ("show",),
    ("show", "--json"),
    ("explain",),
    ("export", "--channel", "site", "-o", "{}/out.csv"),
    ("export", "--format", "perfetto", "-o", "{}/out.json"),
    ("report", "--no-pictures", "-o", "{}/out.html"),
    ("shot", "--at", "30 min", "-o", "{}/out.png"),
    ("verify",),
    ("compare", "{}/lab.twinrun"),
    ("branch", "--at", "30 min", "-o", "{}/out.twin.yaml"),
)


@pytest.mark.parametrize("words", ALL, ids=" ".join)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("json_remove(summary, '$.ledger_gpu_s')", "ledger_gpu_s is missing"),
        (
            """replace(summary, '"events":', '"progress": {"events": Infinity}, "events":')""",
            "Infinity is no number",
        ),
        ("""replace(summary, '"events":', '"events": Infinity, "was":')""", "Infinity is no number"),
    ],
    ids=["no ledger", "infinite progress", "infinite events"],
)
def test_a_damaged_summary_is_one_sentence_where_it_is_needed_and_else_in_no_ones_way(
    twin: Twin, hour: Path, tmp_path: Path, words: tuple[str, ...], change: str, said: str
) -> None:
    """Explanations, curves and pictures are of the other tables, and are whole."""
    path = tmp_path / "lab.twinrun"
    shutil.copy(hour, path)
    summary_changed(path, change)
    command, *options = (word.format(tmp_path) for word in words)
    result = twin(command, path, *options, code=None)
    if command in ("explain", "export", "shot"):
        assert (result.exit_code, result.stderr) == (0, "")
        return
    assert result.exit_code == 2
    (line,) = result.stderr.strip().splitlines()
    assert line == f"error: {path}: the summary of this run file is damaged: {said}"
    assert not list(tmp_path.glob("*out.*"))


def test_the_tree_tells_of_a_run_that_cannot_be_read(twin: Twin, hour: Path, tmp_path: Path) -> None:
    path = tmp_path / "lab.twinrun"
    shutil.copy(hour, path)
    twin("branch", path, "--at", "30 min", "-o", tmp_path / "cut.twin.yaml")
    summary_changed(path, "json_remove(summary, '$.ledger_gpu_s')")
    lines = twin("branch", "--tree", tmp_path).stdout.splitlines()
    assert f"{path}: the summary of this run file is damaged: ledger_gpu_s is missing" in lines
    path.write_bytes(path.read_bytes()[:5000])
    assert any(
        "this run file is truncated" in line
        for line in twin("branch", "--tree", tmp_path).stdout.splitlines()
    )


def being_recorded(path: Path, seed: int, until_s: float) -> InlineClient:
    """Record the laboratory up to a time; what it has to say lies in the log beside its file."""
    client = InlineClient()
    client.load(load("builtin:lab-16").scenario, seed=seed, run_file=path)
    client.play()
    while (frame := client.latest_frame()) is None or frame.t_s < until_s:
        client.pump(0.005)
    client.pause()
    client.pump(0.005)
    assert Path(f"{path}-wal").stat().st_size > 0
    return client


def test_the_log_of_another_run_makes_no_other_run_of_a_file(twin: Twin, hour: Path, tmp_path: Path) -> None:
    """It would show the events and the times of the other, and verify without a finding."""
    path, killed, other = (tmp_path / f"{name}.twinrun" for name in ("lab", "killed", "other"))
    clients = [being_recorded(tmp_path / "one.twinrun", 1, 1200.0), being_recorded(other, 7, 1800.0)]
    shutil.copy(hour, path)  # over and folded
    shutil.copy(tmp_path / "one.twinrun", killed)
    log = Path(f"{killed}-wal")
    shutil.copy(tmp_path / "one.twinrun-wal", log)
    assert "where the file ends: the run was not over" in twin("verify", killed).stdout
    for each in (path, killed):
        shutil.copy(f"{other}-wal", f"{each}-wal")
    for client in clients:
        client.close()
    assert " \N{MIDDLE DOT} seed 1 \N{MIDDLE DOT} " in twin("show", path).stdout
    assert "the same, up to 1 h" in twin("verify", path).stdout
    for command in ("show", "verify", "explain"):
        (line,) = twin(command, killed, code=2).stderr.strip().splitlines()
        assert line == (
            f"error: {killed}: the log {log.name} beside it belongs to another run; move it away to read this one"
        )
    log.unlink()
    assert "this run ended at 0 s of 1 d" in twin("show", killed, code=2).stderr
