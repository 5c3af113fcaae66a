"""Provenance of a run: hashes of its inputs, versions of the software."""

from __future__ import annotations

import json
import platform
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np

from twin.record.scenario_json import to_json
from twin.resources import folder
from twin.scenario.schema.document import Scenario

_DATA = ("catalog", "profiles", "weather")
MODEL_REVISION = 5
"""Raised when the same scene comes to other figures; assets/help/why-figures-changed.md says which and why."""

STATE_REVISION = 1
"""Raised when a snapshot of a run holds its state in another form."""


_latest: list[tuple[Scenario, dict[str, str]]] = []  # of the last scenario asked about: runs ask often


def input_hashes(scenario: Scenario) -> dict[str, str]:
    """Return a hash of the effective scenario, of each shipped data file a run can read, and of files of own parts."""
    for known, hashes in _latest:
        if known is scenario:  # frozen, so the same object is the same document
            return dict(hashes)
    told = (
        scenario.model_copy(update={"chapters": ()}) if scenario.chapters else scenario
    )  # they change no run
    own = {file.file: digest(file.text.encode()) for file in scenario.own_files}
    hashes = {"scenario": digest(to_json(told).encode()), **_shipped(), **own}
    _latest[:] = [(scenario, hashes)]
    return dict(hashes)


def scene_hash(text: str) -> str:
    """Return the hash that a scene has among the inputs, from its JSON; its chapters change no run."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        plain = None
    if isinstance(plain, dict) and plain.get("chapters"):
        told = {**plain, "chapters": []}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest(text.encode())


def forget() -> None:
    """Keep the last scenario asked about no longer."""
    _latest.clear()


def inputs_hash(scenario: Scenario) -> str:
    """Return one hash over all of `input_hashes`, 32 hexadecimal digits; the seed of the run is not in it."""
    return digest(json.dumps(input_hashes(scenario), sort_keys=True).encode())


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return the versions on which "same run" depends, and where it ran."""
    return {
        "twin": app_version(),
        "model": str(MODEL_REVISION),
        "state": str(STATE_REVISION),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
    }


@lru_cache(maxsize=1)
def app_version() -> str:
    """Return the version of this program, "0" when it runs from a bare folder."""
    try:
        return version("gpu-twin")
    except PackageNotFoundError:
        return "0"


def is_older(versions: Mapping[str, str]) -> bool:
    """Return whether a run was made with an older model than this program's, by the versions in its header."""
    return not versions.get("model", "").isdecimal() or int(versions["model"]) < MODEL_REVISION


def can_continue(versions: Mapping[str, str]) -> bool:
    """Return whether this program can continue from the snapshots of a run, by the versions in its header.

    A run of another model, or with its state in another form, is simulated again from its start.
    """
    state = versions.get("state", "1")  # runs before it was told have the first form
    return versions.get("model") == str(MODEL_REVISION) and state == str(STATE_REVISION)


def _cpu() -> str:
    """Return the CPU's family as the system names it."""
    table = Path("/proc/cpuinfo")
    if table.is_file():
        for line in table.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@lru_cache(maxsize=1)
def _shipped() -> dict[str, str]:
    try:
        assets = folder("assets")
    except FileNotFoundError:
        return {}
    found: dict[str, str] = {}
    for name in _DATA:
        if (assets / name).is_dir():
            _collect(assets / name, name, found)
    return dict(sorted(found.items()))


def _collect(place: Traversable, prefix: str, found: dict[str, str]) -> None:
    for item in place.iterdir():
        if item.is_dir():
            _collect(item, f"{prefix}/{item.name}", found)
        else:
            found[f"{prefix}/{item.name}"] = digest(item.read_bytes())


def digest(data: bytes) -> str:
    """Return the hash of an input, 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()
