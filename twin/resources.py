"""Where the shipped data files are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

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
