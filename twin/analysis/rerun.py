"""What people did while a run went on, read back from its file: to do it again, or to make it part of the scene."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from twin.record.contents import Marker
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.document import Scenario
from twin.scenario.edit import Edit
from twin.scenario.faults import Intervention


@dataclass(frozen=True)
class Asked:
    """What a person did, and when it was asked for [s]."""

    at_s: float
    marker: Marker
    done: Intervention | Edit


def asked_of(reader: Reader) -> Iterator[Asked]:
    """Yield all that people did, in the order they did it.

    Raises
    ------
    RunFileError
        When the file is damaged there.
    """
    for marker in reader.markers():
        if marker.kind not in ("intervention", "edit"):
            continue
        try:
            said = json.loads(marker.data)
            text = json.dumps(said[marker.kind])
            kind: type[Intervention] | type[Edit] = Edit if marker.kind == "edit" else Intervention
            asked_s = float(said.get("asked_s", marker.t_s))  # files of before have no such time
            if not math.isfinite(asked_s):
                raise ValueError("no time")
            yield Asked(asked_s, marker, kind.model_validate_json(text))
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RunFileError(f"{reader.path}: what was done at {marker.t_s:g} s is damaged") from error


def scenario_of_run(reader: Reader) -> Scenario:
    """Return the scene of a run with all that people did among its interventions and edits."""
    scenario = reader.header.scenario
    done = [one.done for one in asked_of(reader)]
    interventions = tuple(one for one in done if isinstance(one, Intervention))
    edits = tuple(one for one in done if isinstance(one, Edit))
    return scenario.model_copy(
        update={
            "interventions": (*scenario.interventions, *interventions),
            "edits": (*scenario.edits, *edits),
        }
    )
