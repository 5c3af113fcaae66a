"""CONTRIBUTING.md leads to what is there: each file, folder, test and module exists, each room is named."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HOUSE = TEXT.partition("## The house")[2].partition("## ")[0]
ADDING = TEXT.partition("## To add ...")[2].partition("\n## ")[0]
ROOMS = ("app", "sim", "scenario", "view3d", "commands", "planning")
_IN = {"sources.yaml": "assets/catalog", "__init__.py": "twin/*"}
"""Files that are named without their folder, and that folder."""


def named_paths() -> set[str]:
    """Return every path that the text names, as code, in a command or as a link."""
    words = re.findall(r"(?<![\w./:-])((?:[\w.-]+/)+(?:[\w.*-]*[\w*])?)", TEXT)
    files = re.findall(r"`([\w.-]+\.(?:ya?ml|toml|lock|md|py))`", TEXT)
    return {word.rstrip(".") for word in words} | {*files}


def test_every_path_exists() -> None:
    assert len(named_paths()) > 60
    missing = []
    for path in sorted(named_paths()):
        if path.startswith((".venv/", "tmp/")):
            continue
        if not any(ROOT.glob(f"{_IN.get(path, '.')}/{path}".rstrip("/"))):
            missing.append(path)
    assert missing == []


def test_every_module_of_a_command_exists() -> None:
    modules = re.findall(r"python -m\s+([\w.]+)", TEXT)
    assert modules
    assert [module for module in modules if not (ROOT / (module.replace(".", "/") + ".py")).exists()] == []


def test_the_layers_are_the_packages() -> None:
    layers = HOUSE.partition("Large packages have rooms")[0]
    told = re.findall(r"^    (\w+(?: \| \w+)*)", layers, re.MULTILINE)
    packages = {path.parent.name for path in (ROOT / "twin").glob("*/__init__.py")}
    assert set(" | ".join(told).split(" | ")) == packages


def test_every_room_is_a_package_and_named() -> None:
    rooms_of = HOUSE.partition("Large packages have rooms")[2]
    for package in ROOMS:
        rooms = {path.parent.name for path in (ROOT / "twin" / package).glob("*/__init__.py")}
        told = re.search(rf"^    {package} {{4,}}(\w.*(?:\n {{16}}.*)*)", rooms_of, re.MULTILINE)
        assert told is not None, package
        assert set(re.findall(r"\w+", told[1])) == rooms


def test_each_thing_to_add_names_where() -> None:
    items = re.split(r"\n- ", ADDING)[1:]
    assert len(items) > 20
    nowhere = [item for item in items if not re.search(r"`[\w./*]+[/.]\w*`|only the scene", item)]
    assert nowhere == []


def test_what_takes_one_entry_has_a_test_that_adds_a_toy() -> None:
    items = re.split(r"\n- ", ADDING)[1:9]
    assert [item for item in items if not re.search(r"`tests/\w+/test_(app_)?(toy|new)_\w+\.py`", item)] == []
