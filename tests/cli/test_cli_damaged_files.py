"""A file of the installation that is damaged or gone is one sentence that names it, whatever reads it first."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from twin import resources
from twin.planning.profile import figures, models
from twin.scenario.checks import parallelism
from twin.scenario.formats import climates

Twin = Callable[..., Result]
MODELS, PLACES = "assets/profiles/models.yaml", "assets/weather/places.yaml"


def forget() -> None:
    """Forget what was read of shipped files."""
    for module in (parallelism, climates, figures, models):
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation whose files may be damaged; what was read of another is forgotten before and after."""
    (tmp_path / "scenes").symlink_to(str(resources.folder("scenes")))
    assets = Path(str(resources.folder("assets")))
    (tmp_path / "assets").mkdir()
    for path in assets.iterdir():
        if path.name in ("profiles", "weather"):
            shutil.copytree(path, tmp_path / "assets" / path.name)
        else:
            (tmp_path / "assets" / path.name).symlink_to(path)
    with monkeypatch.context() as patch:
        patch.setattr("twin.resources.files", lambda package: tmp_path / package)
        forget()
        yield tmp_path
    forget()


def is_told(twin: Twin, sentence: str) -> None:
    (line,) = twin("check", "lab-16", code=2).stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert sentence in line


@pytest.mark.parametrize("text", ["", "- 1\n", "42\n"])
@pytest.mark.parametrize("path", [MODELS, "assets/profiles/h100.yaml", PLACES])
def test_a_file_that_is_no_mapping_is_named(twin: Twin, installed: Path, path: str, text: str) -> None:
    (installed / path).write_text(text)
    is_told(twin, f"{path}: must be a mapping of keys to values")


@pytest.mark.parametrize("path", [MODELS, "assets/profiles/h100.yaml", PLACES])
def test_what_is_no_yaml_is_named_with_its_line(twin: Twin, installed: Path, path: str) -> None:
    (installed / path).write_text("a: [1\nb: {2\n")
    is_told(twin, f"{path}:2: not readable as YAML")
    (installed / path).write_bytes(b"\xff")
    is_told(twin, f"{path}: is no UTF-8 text")


@pytest.mark.parametrize(
    ("path", "old", "new", "sentence"),
    [
        (MODELS, "\nmodels:", "\nmodles:", f"{MODELS}: models: missing or no mapping"),
        (MODELS, "    heads:", "    haeds:", "heads: must be a whole number"),
        (PLACES, "\nplaces:", "\npalces:", f"{PLACES}: must begin with schema: twin/places"),
        (PLACES, "    normals:", "    nromals:", "frankfurt: needs the group 'normals'"),
    ],
)
def test_a_group_that_is_missing_is_named(
    twin: Twin, installed: Path, path: str, old: str, new: str, sentence: str
) -> None:
    text = (installed / path).read_text(encoding="utf-8")
    assert old in text
    (installed / path).write_text(text.replace(old, new), encoding="utf-8")
    is_told(twin, sentence)


@pytest.mark.parametrize("path", [MODELS, PLACES])
def test_a_file_that_is_gone_is_named(twin: Twin, installed: Path, path: str) -> None:
    (installed / path).unlink()
    is_told(twin, f"{path}: no such file")


def test_the_whole_ones_are_in_no_ones_way(twin: Twin, installed: Path) -> None:
    twin("check", "lab-16")
