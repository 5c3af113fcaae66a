"""Runs of which a block cannot be read: one sentence that says of what and when, whichever command reads it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import Result

from twin.runtime.inline import run
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
