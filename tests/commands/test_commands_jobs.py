"""A job put into a scene: where its checkpoints go, its name, and taking it back."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError
from twin.commands.edit.draft import Draft
from twin.commands.jobs import AddJob
from twin.commands.room.room import AddRoom, RoomRequest
from twin.plant.build import build
from twin.rules import check
from twin.scenario import loads

EMPTY = """format: twin/scenario
version: 3
catalog: "2026.11"
title: Hall
duration: 1 day
halls:
  - {id: hall, title: Hall}
"""
TRAINING = "nodes: 7 # all but one\nworkload:\n  kind: llm\n  model: llama3-8b\n  global_batch: 56\n"


def built(storage: int) -> Draft:
    draft = Draft(loads(EMPTY, "hall.twin.yaml"))
    draft.land(draft.propose(AddRoom(RoomRequest(rows=1, racks=2, storage=storage))))
    return draft


def test_a_job_goes_to_the_store_and_no_rule_is_broken() -> None:
    draft = built(storage=1)
    before = draft.file.text
    draft.land(draft.propose(AddJob(TRAINING, "Llama 3 8B")))
    (job,) = draft.file.scenario.jobs
    assert (job.id, job.title, job.nodes) == ("llama-3-8b", "Llama 3 8B", 7)
    assert job.checkpoint.storage == draft.file.scenario.storage[0].id
    assert job.checkpoint.interval == 1800.0
    scenario = draft.file.scenario
    found = check(scenario, build(scenario), load_catalog()).findings
    assert [one for one in found if one.severity in ("error", "warning")] == []
    draft.undo()
    assert draft.file.text == before


def test_without_a_store_state_goes_to_other_nodes_and_a_second_job_has_a_name_of_its_own() -> None:
    draft = built(storage=0)
    for _ in range(2):
        draft.land(draft.propose(AddJob(TRAINING.replace("7", "3", 1).replace("56", "24"), "Job")))
    jobs = draft.file.scenario.jobs
    assert [job.id for job in jobs] == ["job", "job-2"]
    assert [tier.to for job in jobs for tier in job.checkpoint.tiers] == ["peer", "peer"]


def test_an_empty_hall_takes_no_job() -> None:
    draft = Draft(loads(EMPTY, "hall.twin.yaml"))
    with pytest.raises(CommandError, match="hold no GPU"):
        draft.propose(AddJob(TRAINING))
