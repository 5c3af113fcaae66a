"""The desktop bundle: what it is made from is whole. `packaging/bundle/check.sh` installs and uses it."""

from __future__ import annotations

import runpy
import sys
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from configparser import ConfigParser
from importlib.metadata import distribution
from pathlib import Path
from subprocess import run

import pytest
from packaging.requirements import Requirement

TOP = Path(__file__).parents[2]
BUNDLE = TOP / "packaging" / "bundle"


@pytest.fixture
def desktop_entry() -> ConfigParser:
    """The desktop file, with the case of its keys."""
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(BUNDLE / "gpu-twin.desktop", encoding="utf-8")
    return parser


def test_the_desktop_file_opens_the_types_that_are_declared(desktop_entry: ConfigParser) -> None:
    entry = desktop_entry["Desktop Entry"]
    space = {"": "http://www.freedesktop.org/standards/shared-mime-info"}
    types = ET.parse(BUNDLE / "gpu-twin.xml").findall("mime-type", space)
    assert [word for word in entry["MimeType"].split(";") if word] == [kind.attrib["type"] for kind in types]
    globs = {glob.attrib["pattern"] for kind in types for glob in kind.findall("glob", space)}
    assert globs == {"*.twin.yaml", "*.twinrun", "*.twin-lesson.yaml"}
    assert entry["Exec"] == "twin open %f"
    assert (BUNDLE / f"{entry['Icon']}.svg").exists()


def test_a_bundle_runs_modules_of_its_own_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without another Python, the program starts itself again with ``-m twin...``; other modules are no command."""
    monkeypatch.setattr(sys, "argv", ["twin", "-m", "twin.cli", "--version"])
    monkeypatch.delitem(sys.modules, "twin.cli.__main__", raising=False)
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(BUNDLE / "start.py"), run_name="__main__")
    assert left.value.code in (0, None)
    assert capsys.readouterr().out.strip() == distribution("gpu-twin").version
    monkeypatch.setattr(sys, "argv", ["twin", "-m", "http.server"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(BUNDLE / "start.py"), run_name="__main__")
    assert left.value.code == 2


def test_every_package_the_program_needs_has_a_text_of_its_licence(tmp_path: Path) -> None:
    sys.path.insert(0, str(BUNDLE))
    try:
        from licences import write_licences
    finally:
        sys.path.remove(str(BUNDLE))
    needs = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = [Requirement(need).name for need in needs]
    modules = {
        "app-model": "app_model",
        "PyOpenGL": "OpenGL",
        "PySide6-Essentials": "PySide6",
        "ruamel.yaml": "ruamel",
    }
    folder = write_licences([modules.get(name, name) for name in names], [], tmp_path / "licences")
    table = (folder / "README.md").read_text(encoding="utf-8")
    for name in names:
        part = distribution(name)
        assert f"{part.name} | {part.version} | " in table
        assert any(path.is_file() for path in (folder / part.name).iterdir())


@pytest.mark.slow
def test_wheel_and_sdist_hold_everything(tmp_path: Path) -> None:
    run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)],
        cwd=TOP,
        check=True,
        capture_output=True,
    )
    tracked = run(["git", "ls-files"], cwd=TOP, check=True, capture_output=True, text=True).stdout.split("\n")
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        inside = set(wheel.namelist())
    for path in tracked:
        if path.startswith(("assets/", "scenes/")):
            assert f"twin/{path}" in inside
        elif path.startswith("tests/reference/"):
            assert path.replace("tests/", "twin/", 1) in inside
        elif path.startswith("twin/"):
            assert path in inside
    listing = run(
        ["tar", "-tzf", str(next(tmp_path.glob("*.tar.gz")))], check=True, capture_output=True, text=True
    )
    packed = {line.partition("/")[2] for line in listing.stdout.splitlines()}
    missing = [path for path in tracked if path and path not in packed and not path.startswith(".git")]
    assert missing == [] or missing == [".pre-commit-config.yaml"]
