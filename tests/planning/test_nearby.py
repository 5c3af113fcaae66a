"""Where nothing can run, the sizes named nearby can."""

from __future__ import annotations

import pytest

from twin.planning.nearby import nearby
from twin.planning.profiles import load_calibrated
from twin.planning.search import search


@pytest.mark.parametrize(("gpus", "batch"), [(240, 512), (250, 7), (256, 100)])
def test_what_is_named_runs_and_is_near(gpus: int, batch: int) -> None:
    h100 = load_calibrated("h100")
    near = nearby("llama3-70b", gpus, batch, h100, node_gpus=8, gpu_bytes=80e9, domain_gpus=8)
    assert near.batch is not None
    assert near.gpus is not None
    assert search("llama3-70b", gpus, near.batch, h100).best
    assert search("llama3-70b", near.gpus, batch, h100).best
    assert near.gpus <= gpus
    assert near.gpus % 8 == 0
    assert f"a batch of {near.batch:,} or {near.gpus:,} GPUs would do" == near.words


def test_nothing_near_says_nothing() -> None:
    near = nearby("llama3-405b", 8, 1, load_calibrated("h100"), node_gpus=8, gpu_bytes=80e9, domain_gpus=8)
    assert near.words == ""
