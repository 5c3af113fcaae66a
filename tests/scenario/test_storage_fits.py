"""Stores that back one another, and data sets and caches that find no room: said where they stand."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.scenario import ScenarioError, load, loads
from twin.scenario.file.warnings import doubts

VIDEO = load("builtin:video-ingest").text
STORE = "{id: gpfs, part: GPFS-ESS3500, racks: store, capacity: 4 PB}"
LAKE = "{id: lake, part: Object-store-node, count: 60, backs: gpfs}"


def with_stores(*stores: str) -> str:
    assert VIDEO.count(f"  - {STORE}\n") == 1
    return VIDEO.replace(f"  - {STORE}\n", "".join(f"  - {one}\n" for one in stores))


def problem(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        loads(text, "video")
    (one,) = caught.value.problems
    return f"{one.key}: {one.reason}; {one.hint}"


def doubted(text: str) -> list[str]:
    return [f"{one.key}: {one.reason}" for one in doubts(loads(text, "video"), load_catalog())]


def test_a_store_may_be_filled_from_another() -> None:
    assert loads(with_stores(STORE, LAKE)).scenario.storage[1].backs == "gpfs"


def test_a_store_that_backs_nothing_known_is_refused() -> None:
    said = problem(with_stores(STORE, LAKE.replace("backs: gpfs", "backs: gpsf")))
    assert said == "storage[lake].backs: unknown store; did you mean 'gpfs'?"


def test_stores_that_fill_one_another_are_refused() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(with_stores(STORE.replace("racks", "backs: lake, racks"), LAKE))
    assert [one.reason for one in caught.value.problems] == [
        "forms a cycle: the storage system backs itself"
    ] * 2


def test_a_store_is_filled_from_one_other() -> None:
    assert "fills gpfs, which lake fills already" in problem(
        with_stores(STORE, LAKE, LAKE.replace("lake", "pond"))
    )


def test_the_shipped_scene_leaves_no_doubt() -> None:
    assert doubted(VIDEO) == []


def test_a_data_set_needs_room_or_something_behind() -> None:
    small = STORE.replace(", capacity: 4 PB", "")
    (said,) = doubted(with_stores(small))
    assert said == "jobs[perception].workload.dataset: does not fit in gpfs, which holds 400 TB"
    assert doubted(with_stores(small, LAKE)) == []


def test_a_cache_beyond_the_drives_of_a_node_is_doubted() -> None:
    (said,) = doubted(VIDEO.replace("node_cache: 20 TB", "node_cache: 40 TB"))
    assert said == "jobs[perception].workload.node_cache: is more than the NVMe of a DGX-A100: 30.72 TB"


def test_a_cache_that_serves_nothing_is_doubted() -> None:
    (said,) = doubted(VIDEO.replace("node_cache: 20 TB", "node_cache: 20 TB\n      shuffle: none"))
    assert "has no effect: 1.2 PB in all is less than the data set" in said


def test_data_of_a_stream_need_room_too() -> None:
    stream = """
streams:
  - id: many
    arrivals: {gap: 1 h}
    lengths: {mean: 1 h}
    sizes: {gpus: [8]}
    storage: gpfs
    workload:
      kind: vision
      model: any
      sample_flop: 1.0e+12
      parameters: 1.0e+9
      batch_per_gpu: 4
      sample: 100 kB
      dataset: 9 PB
      node_cache: 40 TB
"""
    assert doubted(VIDEO + stream) == [
        "streams[many].workload.dataset: does not fit in gpfs, which holds 4 PB",
        "streams[many].workload.node_cache: is more than the NVMe of a DGX-A100: 30.72 TB",
    ]
