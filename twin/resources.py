"""Where the shipped data files are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

_IN_CHECKOUT = {"reference": "tests/reference"}
"""Where a folder lies in a checkout when not at its top."""


def folder(name: str) -> Traversable:
    """Return the shipped folder `name` ("assets", "scenes" or "reference").

    Raises
    ------
    FileNotFoundError
        When the installation lacks the folder.
    """
    inside = files("twin") / name
    if inside.is_dir():
        return inside
    beside = Path(str(files("twin"))).parent / _IN_CHECKOUT.get(name, name)
    if beside.is_dir():
        return beside
    raise FileNotFoundError(f"this installation of gpu-twin has no folder {name!r}; install it again")


@lru_cache(maxsize=64)
def parse_yaml(text: str) -> Any:
    """Return what a YAML text says, nothing of it run; the same text is parsed once, so leave the result as it is.

    Profiles and presets are read by the scenario's checks and by the planner, and parsing them takes a tenth of a
    second.

    Raises
    ------
    ruamel.yaml.error.YAMLError
        When it is no YAML.
    """
    from ruamel.yaml import YAML  # scenes can be listed without it

    return YAML(typ="safe", pure=True).load(text)
