"""Workloads that cannot be cut over their GPUs are refused at the key that is invalid."""

from __future__ import annotations

import pytest

from twin.scenario import ScenarioError, load, loads
from twin.scenario.file.effective_text import show
from twin.scenario.schema.work import Hpc, Inference, Reinforcement

MIXED = load("builtin:mixed-workloads").text
TUTOR, CHAT, GRID = "jobs[tutor].workload", "jobs[chat].workload", "jobs[forecast].workload"
WRONG = [
    ("samples: 8\n", "samples: 8\n      rollout_nodes: 4\n", f"{TUTOR}.rollout_nodes", "at most 3"),
    (
        "samples: 8\n",
        "samples: 8\n      rollout_tensor: 5\n",
        f"{TUTOR}.rollout_tensor",
        "32 GPUs that generate",
    ),
    (
        "prompts: 256\n      samples: 8",
        "prompts: 3\n      samples: 3",
        f"{TUTOR}.prompts",
        "9 is no multiple of",
    ),
    ("prompts: 256\n", "prompts: 0\n", f"{TUTOR}.prompts", "at least 1"),
    ("parallelism: {tensor: 4}", "parallelism: {tensor: 3}", f"{TUTOR}.parallelism.tensor", "tensor 3"),
    ("parallelism: {tensor: 4}", "parallelism: {expert: 8}", f"{TUTOR}.parallelism.expert", "has no experts"),
    ("tensor: 4\n    checkpoint", "tensor: 6\n    checkpoint", f"{CHAT}.tensor", "16 GPUs of the job"),
    ("requests: 12 /s", "requests: 12", f"{CHAT}.requests", "a rate of events"),
    ("model: llama3-70b", "model: llama3-70", f"{CHAT}.model", "did you mean 'llama3-70b'?"),
    ("model: llama3-70b", "model: llama3-70b\n      profile: h10", f"{CHAT}.profile", "'h100'"),
    ("kind: stencil", "kind: stensil", f"{GRID}.problem.kind", "did you mean 'stencil'?"),
    ("[1536, 1280, 80]", "[1536, 1280]", f"{GRID}.problem.cells", ""),
    ("[1536, 1280, 80]", "[1536, 1280, 0]", f"{GRID}.problem.cells[2]", "at least 1"),
    ("cell_flop: 6000", "cell_flops: 6000", f"{GRID}.problem.cell_flops", "did you mean 'cell_flop'?"),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), WRONG)
def test_what_cannot_be_cut_is_refused_where_it_stands(old: str, new: str, key: str, said: str) -> None:
    assert MIXED.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        loads(MIXED.replace(old, new), "mixed")
    found = caught.value.problems[0]
    assert found.key == key
    assert said in f"{found.reason}; {found.hint}"


def test_every_kind_is_shown_as_it_is_read() -> None:
    document = load("builtin:mixed-workloads")
    kinds = [type(job.workload) for job in document.scenario.jobs]
    assert kinds[1:4] == [Reinforcement, Inference, Hpc]
    again = loads(show(document), "shown").scenario
    assert again.jobs == document.scenario.jobs
