"""An empty hall, the text of a new scene, is a scene: it is checked, run, drawn and compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from twin.cli.app import app

EMPTY = str(Path(__file__).parents[1] / "findings" / "empty.twin.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ["check", EMPTY],
        ["run", EMPTY, "--until", "2 day"],
        ["show", EMPTY],
        ["compare", EMPTY, EMPTY],
        ["report", EMPTY, "-o", "empty.html"],
    ],
)
def test_an_empty_hall_is_a_scene(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.exit_code == 0, done.output


def test_a_run_of_an_empty_hall_is_kept_and_verified(tmp_path: Path) -> None:
    run = str(tmp_path / "empty.twinrun")
    assert CliRunner().invoke(app, ["run", EMPTY, "--until", "1 day", "--out", run]).exit_code == 0
    assert CliRunner().invoke(app, ["verify", run]).exit_code == 0
    assert CliRunner().invoke(app, ["explain", run]).exit_code == 0
