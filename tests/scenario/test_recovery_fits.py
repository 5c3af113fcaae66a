"""What a job says of its recovery and can never do is found by `twin check`, where it stands."""

from __future__ import annotations

import pytest
from usual_cases import but_largest

from twin.catalog import load_catalog
from twin.scenario import load, loads
from twin.scenario.file.warnings import doubts
from twin.scenario.reading.extend import builtin_names

LAB = load("builtin:lab-16").text
RECOVERY = "    recovery: {detect: 30 s, load: 10 GB/s}\n"
CHECKPOINT = "{interval: 30 min, pause: 20 s, storage: nas}"
IDLE = [
    (RECOVERY, "    recovery: {patience: 1 h}\n", "recovery.patience", "only a job that may shrink"),
    (RECOVERY, "    recovery: {policy: shrink}\n    gpus: 12\n", "recovery.policy", "on part of a node"),
    (CHECKPOINT, "{interval: none, tiers: [{to: nvme}]}", "checkpoint.interval", "have no effect"),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), IDLE)
def test_idle_answers_are_found(old: str, new: str, key: str, said: str) -> None:
    assert LAB.count(old) == 1
    found = doubts(loads(LAB.replace(old, new), "lab"), load_catalog())
    mine = [one for one in found if "recovery" in one.key or "checkpoint" in one.key]
    assert [(one.key, said in one.reason) for one in mine] == [(f"jobs[llama3].{key}", True)]


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_no_shipped_scene_says_what_it_cannot_do(name: str) -> None:
    found = doubts(load(f"builtin:{name}"), load_catalog())
    assert [one for one in found if "recovery" in one.key or "checkpoint" in one.key] == []
