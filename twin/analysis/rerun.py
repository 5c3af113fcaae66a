"""What people did during a run, read from its file; and the run again: its engine near a time, moments of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from twin.language import tr
from twin.plant.tables import Plant
from twin.record.contents import UNDONE, Marker
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.record.run_summary import strict_json
from twin.record.runfile import RunFileError
from twin.runtime.loading import begun, engine_type, gone_on
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

OUT = "withdrawn"
"""Kind of the markers of what was taken out again before its time."""
T = TypeVar("T", Intervention, Edit)


@dataclass(frozen=True)
class RequestedAct:
    """An intervention or edit of a person, or its removal (`out`), and the time of the request [s]."""

    at_s: float
    marker: Marker
    done: Intervention | Edit
    out: bool = False


@dataclass(frozen=True)
class Settled:
    """The interventions and edits of people in force at a time of a run.

    Attributes
    ----------
    asked
        Requests that were not removed again.
    out_of_scene
        Interventions and edits of the scene that were removed.
    spans
        Time from the request to the removal of each removed one [s]; for those of the scene from 0.
    """

    asked: tuple[RequestedAct, ...]
    out_of_scene: tuple[Intervention | Edit, ...]
    spans: tuple[tuple[float, float], ...]

    def scene(self, scenario: Scenario) -> Scenario:
        """Return the scene of the run without the removed interventions and edits."""
        return scenario.model_copy(
            update={
                "interventions": _without(scenario.interventions, self.out_of_scene),
                "edits": _without(scenario.edits, self.out_of_scene),
            }
        )


def settled(reader: Reader, until_s: float = math.inf) -> Settled:
    """Return the interventions and edits in force at a time [s]; raises `RunFileError` as `acts_of`."""
    asked: list[RequestedAct] = []
    scene: list[Intervention | Edit] = []
    spans: list[tuple[float, float]] = []
    for request in acts_of(reader):
        if request.at_s > until_s:
            continue
        if not request.out:
            asked.append(request)
            continue
        same = [place for place, request_before in enumerate(asked) if _is(request_before.done, request.done)]
        if same:
            spans.append((asked.pop(same[-1]).at_s, request.at_s))
        else:
            scene.append(request.done)
            spans.append((0.0, request.at_s))
    return Settled(tuple(asked), tuple(scene), tuple(spans))


def acts_of(reader: Reader) -> Iterator[RequestedAct]:
    """Yield all interventions and edits of people, and their removals, in order.

    Raises
    ------
    RunFileError
        When the file is damaged there.
    """
    for marker in reader.markers():
        if marker.kind not in ("intervention", "edit", OUT):
            continue
        try:
            data = strict_json(marker.data)
            key = marker.kind if marker.kind != OUT else "edit" if "edit" in data else "intervention"
            kind: type[Intervention] | type[Edit] = Edit if key == "edit" else Intervention
            asked_s = float(data.get("asked_s", marker.t_s))  # files of before have no such time
            if not math.isfinite(asked_s):
                raise ValueError("no time")
            done = kind.model_validate_json(json.dumps(data[key]))
            yield RequestedAct(asked_s, marker, done, marker.kind == OUT)
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RunFileError(
                tr("{path}: what was done at {time:g} s is damaged", path=reader.path, time=marker.t_s)
            ) from error


def undone_edits(reader: Reader) -> set[str]:
    """Return the ids of edits that were undone where they were done, and of which the run has nothing."""
    found = (strict_json(marker.data).get("edit") for marker in reader.markers(UNDONE))
    return {str(edit["id"]) for edit in found if edit}


def asked_of(reader: Reader, until_s: float = math.inf) -> tuple[RequestedAct, ...]:
    """Return the interventions and edits of people by a time [s], without removed ones, in order.

    Raises
    ------
    RunFileError
        When the file is damaged there.
    """
    return settled(reader, until_s).asked


def scenario_of_run(reader: Reader) -> Scenario:
    """Return the scene of a run with the interventions and edits of people added."""
    found = settled(reader)
    scenario, done = found.scene(reader.header.scenario), [request.done for request in found.asked]
    interventions = tuple(act for act in done if isinstance(act, Intervention))
    edits = tuple(act for act in done if isinstance(act, Edit))
    return scenario.model_copy(
        update={
            "interventions": (*scenario.interventions, *interventions),
            "edits": (*scenario.edits, *edits),
        }
    )


def _is(first: Intervention | Edit, second: Intervention | Edit) -> bool:
    """Return whether two are the same: edits by id, interventions by value."""
    if isinstance(first, Edit) and isinstance(second, Edit):
        return first.id == second.id
    return first == second


def _without(items: tuple[T, ...], gone: Iterable[Intervention | Edit]) -> tuple[T, ...]:
    left = list(items)
    for out in gone:
        place = next((place for place, item in enumerate(left) if _is(item, out)), None)
        if place is not None:
            del left[place]
    return tuple(left)


_WORTH_S = 1.0
"""A snapshot so much nearer than where the engine stands is worth restoring [s]."""


def engine_near(reader: Reader, at_s: float) -> RunEngine:
    """Return the engine at the last snapshot before `at_s` [s], or at the start with all that was done to the run."""
    make, header, found = engine_type(ENGINE), reader.header, settled(reader)
    snapshot = None if found.asked or found.spans else reader.nearest_snapshot(at_s)
    if snapshot is not None:
        return gone_on(make, header.scenario, snapshot.data, header.redraws)
    engine = begun(make, found.scene(header.scenario), header.seed, header.redraws)
    for request in found.asked:
        engine.intervene(request.done.model_copy(update={"at_s": request.marker.t_s}))
    return engine


class RerunMoments:
    """Moments of a recorded run, exactly at the times asked for; cheap where they follow one another.

    Parameters
    ----------
    reader
        Of its file, written by this program's own model.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._engine: RunEngine | None = None

    def at(self, t_s: float) -> tuple[Scenario, Plant, Frame]:
        """Return scene, hall and figures at a time [s]."""
        engine = self._engine
        snapshot = self._reader.nearest_snapshot(t_s) if engine is not None else None
        nearer = snapshot is not None and engine is not None and snapshot.t_s > engine.now_s + _WORTH_S
        if engine is None or t_s < engine.now_s or nearer:
            engine = self._engine = engine_near(self._reader, t_s)
        engine.advance(t_s)
        frame = Frame.empty(engine.layout)
        engine.fill(frame)
        return engine.scenario, engine.plant, frame
