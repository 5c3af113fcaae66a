"""Simulates a small hall for years and records it until it is killed; prints how far it is and when."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic

from twin.record.recorder import Recorder
from twin.scenario import load
from twin.sim.engine.engine import Engine

SCENE = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"

scenario = load(SCENE).scenario.model_copy(update={"duration_s": 10 * 365 * 86400.0})
engine = Engine(scenario)
recorder = Recorder(engine, Path(sys.argv[1]))
while True:
    print(
        monotonic(), engine.now_s, flush=True
    )  # before: what was simulated by then, and seen by the recorder
    begin_s = engine.now_s
    while engine.now_s < begin_s + 3600.0:
        engine.advance(min(begin_s + 3600.0, recorder.next_s), None, recorder.alert)
        recorder.observe()
