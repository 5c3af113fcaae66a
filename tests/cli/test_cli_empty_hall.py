"""An empty hall, the text of a new scene, is a scene: it is checked, run, drawn and compared. So are racks alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from twin.cli.app import app
from twin.record.reader import Reader

EMPTY = str(Path(__file__).parents[1] / "findings" / "empty.twin.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ["check", EMPTY],
        ["run", EMPTY, "--until", "6 h"],
        ["show", EMPTY],
        ["compare", EMPTY, EMPTY, "--until", "1 h"],
        pytest.param(["report", EMPTY, "--until", "6 h", "-o", "empty.html"], marks=pytest.mark.slow),
    ],
)
def test_an_empty_hall_is_a_scene(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.exit_code == 0, done.output


def test_a_run_of_an_empty_hall_is_kept_and_verified(tmp_path: Path) -> None:
    run = str(tmp_path / "empty.twinrun")
    assert CliRunner().invoke(app, ["run", EMPTY, "--until", "2 h", "--out", run]).exit_code == 0
    assert CliRunner().invoke(app, ["verify", run]).exit_code == 0
    assert CliRunner().invoke(app, ["explain", run]).exit_code == 0
    with Reader(run) as reader:
        values = reader.frame(3600.0).values
    assert math.isnan(values["site.gpu_max_c"][0])  # no GPU is at 0 degrees
    assert math.isnan(values["site.gpu_mean_c"][0])


@pytest.mark.parametrize("command", ["check", "run", "show", "report"])
def test_racks_without_nodes_need_no_cooling(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first racks of a new hall may be those of the network."""
    monkeypatch.chdir(tmp_path)
    rows = "    rows: [{id: net, count: 2, racks: {count: 3, role: network}}]\n"
    Path("racks.twin.yaml").write_text(Path(EMPTY).read_text() + rows)
    more = {"run": ["--until", "1 h"], "report": ["--until", "1 h", "-o", "racks.html"]}.get(command, [])
    done = CliRunner().invoke(app, [command, "racks.twin.yaml", *more])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.exit_code == 0, done.output
