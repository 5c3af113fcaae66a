"""Arguments of the public functions as the commands take them: times, changes, seeds."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from twin.api.changes import time_of
from twin.api.errors import BadInput

if TYPE_CHECKING:
    from twin.scenario import Scenario

Time = float | str
"""Seconds since the start of the run, or text such as "22 day 16 h"."""
Texts = str | Sequence[str]
"""One text, or several."""
Settings = Texts | Mapping[str, object]
"""``"PATH=VALUE"``, several of them, or values by path."""
MAX_SEED = 2**63 - 1


def seconds_of(value: Time, name: str, scenario: Scenario | None = None, end_s: float = math.inf) -> float:
    """Return the simulated time of an argument [s].

    Parameters
    ----------
    value
        Seconds, or text.
    name
        Of the argument, for the complaint.
    scenario, end_s
        As for `twin.api.changes.time_of`: with a scenario dates, times of day and "end" are understood too.

    Raises
    ------
    BadInput
        When it is no time, or lies before the start.
    """
    if isinstance(value, str):
        return time_of(value, name, scenario, end_s)
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: {value!r} is no time; give seconds, or text such as '1 day'") from None
    if not seconds >= 0 or math.isinf(seconds):
        raise BadInput(
            f"{name}: {value!r} is no time of a run; give seconds from 0 on, or text such as '1 day'"
        )
    return seconds


def texts_of(value: Texts | None, name: str) -> list[str]:
    """Return one text or several as a list; raises `BadInput` for any other type."""
    found = [value] if isinstance(value, str) else list(value or ())
    for text in found:
        if not isinstance(text, str):
            raise BadInput(f"{name}: {text!r} is no text; give one text, or a list of texts")
    return found


def settings_of(value: Settings | None, name: str = "set") -> list[str]:
    """Return changes as ``PATH=VALUE``; values of a mapping that are no text are written as YAML has them."""
    if not isinstance(value, Mapping):
        return texts_of(value, name)
    try:
        return [
            f"{path}={setting if isinstance(setting, str) else json.dumps(setting)}"
            for path, setting in value.items()
        ]
    except TypeError as error:
        raise BadInput(f"{name}: a scene cannot hold such a value: {error}") from None


def seed_of(value: int | None, name: str = "seed") -> int | None:
    """Return a seed as it is; raises `BadInput` where it is none."""
    if value is not None and not (hasattr(value, "__index__") and 0 <= int(value) <= MAX_SEED):
        raise BadInput(f"{name}: {value!r} is no seed; give a whole number from 0 to {MAX_SEED}")
    return None if value is None else int(value)


def count_of(value: int, name: str, least: int, most: int) -> int:
    """Return a whole number as it is; raises `BadInput` where it is none, or out of its range."""
    if not hasattr(value, "__index__") or not least <= int(value) <= most:
        raise BadInput(f"{name}: {value!r} must be a whole number from {least:,} to {most:,}")
    return int(value)


def path_of(value: str | os.PathLike[str], name: str) -> str:
    """Return the text of a path; raises `BadInput` where it is anything else."""
    try:
        return os.fspath(value)
    except TypeError:
        raise BadInput(f"{name}: {value!r} is no path and no name") from None
