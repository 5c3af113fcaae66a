"""Goodput so far on screen is that of the summary, also of jobs that were put back in the queue."""

from __future__ import annotations

import pytest

from twin.record.frame import Frame
from twin.scenario import loads
from twin.sim.engine.engine import Engine

_SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:shared-cluster
title: Put back
duration: 4 day
scheduler: {policy: fifo}
"""


@pytest.mark.slow
def test_time_goes_on_for_a_job_that_was_put_back() -> None:
    engine = Engine(loads(_SCENE, "put-back.twin.yaml").scenario)
    frame = Frame.empty(engine.layout)
    waited = 0
    for hour in range(6, 97, 6):
        engine.advance(hour * 3600.0)
        engine.fill(frame)
        summary = engine.summary()
        back = [job for job in summary["jobs"] if job["state"] == "queued" and job["start_s"] is not None]
        waited += len(back)
        assert frame.values["site.goodput"][0] == pytest.approx(100 * summary["goodput"], abs=1e-4)
        for place, job in enumerate(summary["jobs"]):
            if job["goodput"] is not None:
                assert frame.values["job.goodput"][place] == pytest.approx(100 * job["goodput"], abs=1e-3)
    assert waited > 1
