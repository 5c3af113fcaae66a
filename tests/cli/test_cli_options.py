"""Options never eat options, and files are not written over unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("options") / "lab.twinrun"
    run(load("builtin:lab-16").scenario, until_s=3600.0, record=path)
    return path


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("branch", "lab.twinrun", "--run", "--json"),
            "--run lacks its value: --json is an option itself",
        ),
        (("run", "lab-16", "--out", "--no-record"), "--out lacks its value: --no-record"),
        (("run", "lab-16", "--set", "--until=1 h"), "--set lacks its value: --until=1 h"),
        (("compare", "lab-16", "lab-16", "--until", "--seeds", "3"), "--until lacks its value: --seeds"),
        (("catalog", "list", "--kind", "--json"), "--kind lacks its value: --json"),
        (("export", "lab.twinrun", "-o", "--every", "1h"), "-o lacks its value: --every"),
    ],
)
def test_an_option_is_no_value(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told in " ".join(twin(*words, code=2).stderr.split())
    assert not list(tmp_path.glob("-*"))


def test_a_value_that_looks_like_an_option_is_given_with_equals(
    twin: Twin, lab: Path, tmp_path: Path
) -> None:
    said = twin("branch", lab, "--at", "30 min", "--title=--json", "-o", tmp_path / "b.twin.yaml", "--json")
    assert '"title": "--json"' in said.stdout


def test_reports_and_exports_are_not_written_over_unasked(twin: Twin, lab: Path, tmp_path: Path) -> None:
    for words, name in ((("report", lab, "--no-pictures"), "a.html"), (("export", lab), "a.csv")):
        out = tmp_path / name
        out.write_text("mine")
        told = twin(*words, "-o", out, code=2).stderr
        assert f"{name} exists already; name another file, or give --replace to overwrite it" in told
        assert out.read_text() == "mine"
        twin(*words, "-o", out, "--replace")
        assert out.read_text() != "mine"
