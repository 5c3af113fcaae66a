"""What the inspector says of jobs that are no training."""

from __future__ import annotations

from twin.app.planner.facts import plan_rows
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.scenario import load


def test_services_and_learning_in_phases_say_what_they_are_made_of() -> None:
    scenario = load("builtin:mixed-workloads").scenario
    world = World(scenario, build(scenario), load_catalog(), None)
    facts = {job.id: {row.label: row.value for row in plan_rows(world, job)} for job in scenario.jobs}
    assert facts["chat"]["Load"].endswith("requests/s")
    assert facts["chat"]["First token"].endswith(" s")
    assert " of " in facts["chat"]["Concurrent requests"]
    assert {"Generation", "Scoring", "Learning"} <= facts["tutor"].keys()
    assert facts["options"]["Throughput"].endswith("paths/s")
    assert facts["forecast"]["Throughput"].endswith("cells/s")
    assert "Load" not in facts["llama3"]
