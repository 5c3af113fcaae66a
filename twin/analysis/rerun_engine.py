"""The engine of a recorded run near a time of it, and moments of the run simulated again, between its samples too."""

from __future__ import annotations

from twin.analysis.rerun import settled
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.runtime.loading import begun, engine_type, gone_on
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario.schema.document import Scenario

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
