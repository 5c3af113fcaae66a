"""What it takes to go back to a scene that was open, or on with its run after a crash."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from twin.commands.edit.draft import Draft
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.reader import Reader
from twin.record.runfile import RunFileError


@dataclass(frozen=True)
class OpenScene:
    """What it takes to go back to a scene: its run, as far as it had come, lies in a file."""

    path: Path
    draft: Draft
    plant: Plant
    seed: int
    run_file: Path | None
    events: list[Event]


def last_snapshot(run_file: Path | None) -> bytes | None:
    """Return the last state of a run; None without a snapshot: it starts again."""
    if run_file is None:
        return None
    try:
        with Reader(run_file) as reader:
            snapshot = reader.nearest_snapshot(math.inf)
    except RunFileError:
        return None
    return snapshot.data if snapshot is not None else None
