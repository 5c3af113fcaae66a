"""Writes a run file until it is killed; prints how many events are committed."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from small_run import IDS, LAYOUT, event, sample, small_scenario

from twin.record.writer import Writer

writer = Writer(Path(sys.argv[1]), small_scenario(), 7, LAYOUT, 1e9, IDS)
for t in count():
    writer.add_events([event(t)])
    writer.add_sample(float(t), sample(t))
    if t % 50 == 0:
        writer.add_snapshot(float(t), t + 1, "h", bytes(10_000))
    if t % 7 == 0:
        writer.commit(float(t), t + 1, "h")
        print(t + 1, flush=True)
