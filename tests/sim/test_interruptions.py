"""An interruption stops a job that is on its way; what strikes one that stands already is a failure."""

from __future__ import annotations

import pytest
from sim_scenes import causes, events, finding, inject, job, tiny

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine


def test_failures_of_a_job_that_waits_for_nodes_interrupt_nobody() -> None:
    engine = Engine(finding("int"))
    engine.advance(engine.end_s)
    figures = engine.summary()
    assert figures["interruptions"] == {"unexpected": 1, "planned": 0, "by_cause": {"gpu": 1}}
    assert figures["failures"]["by_cause"] == {"gpu": 3}
    assert [one["interruptions"] for one in figures["jobs"]] == [1]
    assert len(events(engine, "job_interrupted")) == 1


def test_what_strikes_while_a_failure_is_not_noticed_is_part_of_it() -> None:
    engine = inject(Engine(tiny(), 1), "2000 s fail gpu/0/1/0 cause=bug", "2005 s fail gpu/0/0/0 cause=bug")
    engine.advance(2007.0)
    assert engine.jobs.rows[0].state == JobState.DETECTING
    assert engine.summary()["interruptions"]["unexpected"] == 1
    assert engine.jobs.rows[0].interruptions == 1


def test_the_figure_of_the_site_is_that_of_the_summary() -> None:
    scene = tiny(3, (job(3),), failures={"causes": causes(0.5)}, duration="20 day")
    engine = Engine(scene, 2)
    engine.advance(engine.end_s)
    figures = engine.summary()
    struck = sum(figures["failures"]["by_cause"].values())
    stopped = figures["interruptions"]["unexpected"] + figures["interruptions"]["planned"]
    assert 0 < stopped < struck  # without a spare it often waits
    assert figures["jobs"][0]["interruptions"] == stopped
    assert len(events(engine, "job_interrupted")) == stopped


@pytest.mark.parametrize("second", ["drain", "fail"])
def test_who_stands_is_not_stopped_by_a_person_either(second: str) -> None:
    engine = inject(
        Engine(tiny(2), 1), "2000 s fail gpu/0/0/0 for=2h cause=bug", f"3000 s {second} gpu/0/1/0 for=1h"
    )
    engine.advance(4000.0)
    assert engine.jobs.rows[0].state == JobState.WAITING
    assert engine.summary()["interruptions"]["planned"] == 0
    assert engine.summary()["interruptions"]["unexpected"] == 1
