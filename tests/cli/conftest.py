from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from coarse_recordings import coarse_recordings
from ready_processes import ready_processes
from typer.main import get_command
from typer.testing import CliRunner, Result

from twin.cli.app import app, with_command

Twin = Callable[..., Result]


@pytest.fixture(scope="module", autouse=True)
def _ready_processes() -> Iterator[None]:
    with ready_processes():
        yield


@pytest.fixture(scope="module", autouse=True)
def recordings() -> Iterator[None]:
    """What is recorded in this process has few samples; modules that look at them closely have a fixture instead."""
    with coarse_recordings():
        yield


@pytest.fixture(scope="session", autouse=True)
def _commands_made_once() -> Iterator[None]:
    """Let command lines share their parser: the program makes one for each, of which a test would see little else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture(scope="session")
def twin() -> Twin:
    """Run a command line in this process; bugs raise."""

    def run(*words: str, code: int | None = 0) -> Result:
        result = CliRunner().invoke(app, with_command([str(word) for word in words]), catch_exceptions=False)
        assert code is None or result.exit_code == code, result.output
        return result

    return run


@pytest.fixture(scope="session")
def help_page() -> Callable[[str], str]:
    """Return a page of the help by its name."""
    folder = Path(__file__).parents[2] / "assets" / "help"
    return lambda name: (folder / f"{name}.md").read_text(encoding="utf-8")
