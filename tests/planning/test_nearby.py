"""Where nothing can run, the sizes named nearby can."""

from __future__ import annotations

import pytest

from twin.planning.profile.profiles import load_calibrated
from twin.planning.search.nearest_feasible import Nearby, nearby
from twin.planning.search.search import search


@pytest.mark.parametrize(("gpus", "batch"), [(240, 512), (250, 7), (256, 100)])
def test_what_is_named_runs_and_is_near(gpus: int, batch: int) -> None:
    h100 = load_calibrated("h100")
    near = nearby("llama3-70b", gpus, batch, h100, node_gpus=8, scene_gpus=512, gpu_bytes=80e9, domain_gpus=8)
    assert near.batch is not None
    assert near.gpus
    assert search("llama3-70b", gpus, near.batch, h100).best
    assert list(near.gpus) == sorted(near.gpus, key=lambda count: abs(count - gpus))
    for count in near.gpus:
        assert search("llama3-70b", count, batch, h100).best
        assert count % 8 == 0
        assert count <= 512
    assert str(near.batch) in near.words
    assert near.words.endswith("GPUs would work")


def test_more_gpus_are_named_up_to_those_of_the_scene() -> None:
    h100 = load_calibrated("h100")

    def near(scene_gpus: int) -> Nearby:
        return nearby(
            "llama3-70b", 240, 512, h100, node_gpus=8, scene_gpus=scene_gpus, gpu_bytes=80e9, domain_gpus=8
        )

    assert near(256).gpus == (256, 160)
    assert near(256).words == "a batch of 540, or 256 or 160 GPUs would work"
    assert near(248).gpus == (160,)
    assert near(248).words == "a batch of 540 or 160 GPUs would work"


def test_large_sizes_that_divide_are_found_between_many_that_do_not() -> None:
    h100 = load_calibrated("h100")
    near = nearby(
        "llama3-405b", 15_000, 2048, h100, node_gpus=8, scene_gpus=17_152, gpu_bytes=80e9, domain_gpus=8
    )
    assert near.gpus == (14_336, 16_384)


def test_nothing_near_says_nothing() -> None:
    h100 = load_calibrated("h100")
    near = nearby("llama3-405b", 8, 1, h100, node_gpus=8, scene_gpus=8, gpu_bytes=80e9, domain_gpus=8)
    assert near == Nearby(None, ())
    assert near.words == ""
