"""Checks of stores and their jobs: chains without cycles, data sets that fit."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, NodePart
from twin.scenario.checks.largest_jobs import asked
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import rendered
from twin.scenario.schema.systems import Storage
from twin.scenario.schema.work import Input, LlmTraining, VisionTraining
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def chains(scenario: Scenario) -> Iterator[Wrong]:
    """Yield stores that fill themselves in a circle, and stores that two others fill."""
    backs = {store.id: store.backs for store in scenario.storage}
    fillers: dict[str, str] = {}
    for i, store in enumerate(scenario.storage):
        at: Path = ("storage", i, "backs")
        if store.backs is None:
            continue
        if store.backs in fillers:
            yield (
                at,
                f"fills {store.backs}, which {fillers[store.backs]} fills already",
                "only one storage system can",
            )
        fillers.setdefault(store.backs, store.id)
        chain = [store.id]
        while (to := backs.get(chain[-1])) is not None and to not in chain:
            chain.append(to)
        if to == store.id:
            yield at, "forms a cycle: the storage system backs itself", ""


def unmet(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield data sets that do not fit, caches without drives or memory, and caches without effect."""
    stores = {store.id: store for store in scenario.storage}
    filled = {store.backs for store in scenario.storage}
    for ask in asked(scenario, catalog):
        job, workload, at = ask.job, ask.job.workload, ask.workload
        if not isinstance(workload, Input):
            continue
        dataset_bytes = workload.dataset_bytes
        yield from (((*at, key), reason, hint) for key, reason, hint in _sample(workload))
        store = stores.get(job.storage or "")
        if dataset_bytes is not None and store is not None and store.id not in filled:
            room_bytes = _capacity_bytes(store, catalog)
            if room_bytes is not None and dataset_bytes > room_bytes:
                reason = f"does not fit in {store.id}, which holds {rendered(room_bytes, 'data')}"
                yield (
                    (*at, "dataset"),
                    reason,
                    "give it capacity, more boxes, or a storage system that backs it",
                )
        yield from (
            ((*at, key), reason, hint) for key, reason, hint in _caches(job.nodes, ask.node, workload)
        )


def _sample(workload: Input) -> Iterator[tuple[str, str, str]]:
    """Yield a sample that is larger than the data set it is from."""
    key, sample_bytes = "", 0.0
    if isinstance(workload, VisionTraining):
        key, sample_bytes = "sample", workload.sample_bytes
    elif isinstance(workload, LlmTraining) and workload.sequence is not None:
        key, sample_bytes = "sequence", workload.sequence * workload.token_bytes
    whole_bytes = workload.dataset_bytes
    if whole_bytes is not None and sample_bytes > whole_bytes:
        reason = f"is larger than the data set of {rendered(whole_bytes, 'data')}"
        yield key, reason, "use a smaller one, or a larger dataset"


def _caches(nodes: int, node: NodePart | None, workload: Input) -> Iterator[tuple[str, str, str]]:
    for key, cache_bytes, has_bytes, noun in (
        ("node_cache", workload.cache_bytes, node.nvme_bytes if node else None, "NVMe"),
        ("host_cache", workload.host_cache_bytes, node.memory_bytes if node else None, "memory"),
    ):
        if cache_bytes and node is not None and cache_bytes > (has_bytes or 0.0):
            has = rendered(has_bytes, "data") if has_bytes else "none known"
            yield key, f"is more than the {noun} of a {node.id}: {has}", ""
        whole = workload.dataset_bytes
        if cache_bytes and whole is None:
            yield (
                key,
                "has no effect: without a data set nothing is read twice",
                "give the size under dataset",
            )
        elif cache_bytes and whole is not None and workload.shuffle == "none" and cache_bytes * nodes < whole:
            reason = (
                f"has no effect: {rendered(cache_bytes * nodes, 'data')} in all is less than the data set, and read in "
                "order a cache has always just dropped what comes next"
            )
            yield key, reason, f"{rendered(whole / nodes, 'data')} would hold it, or shuffle: shards"


def _capacity_bytes(store: Storage, catalog: Catalog) -> float | None:
    part = catalog.storage(store.part) if store.part is not None else None
    sample_bytes = store.capacity_bytes or (part.capacity_bytes if part is not None else None)
    return sample_bytes * store.count if sample_bytes else None
