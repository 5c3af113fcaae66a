"""What a person should know of when something does not go as it should."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from twin.language import tr

CANNOT_START = tr("The run cannot start")
"""Title of the trouble that goes as soon as its cause is gone."""
NOT_PERMITTED = tr("Not now")
"""Title of the trouble when an action is not allowed now."""


@dataclass(frozen=True)
class Trouble:
    """Something a person should know of: one sentence, details on demand, whether the run can be resumed."""

    title: str
    text: str = ""
    detail: str = ""
    resumable: bool = False


@dataclass(frozen=True)
class Unplayable:
    """A scene that reads well and of which the worker could make no run; the scene before it is back."""

    path: Path
    reason: str
