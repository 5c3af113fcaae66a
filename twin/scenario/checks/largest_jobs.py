"""One job of each kind in a scene: every written job, and the largest of each stream and trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart
from twin.scenario.generators.allowed_rows import RowNodes, rows_of, rows_within, split
from twin.scenario.generators.job_traces import gpus_of, partitions_of, table_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job
from twin.scenario.text.parse import Path


@dataclass(frozen=True)
class LargestJob:
    """A job that stands for all of its kind.

    Parameters
    ----------
    job, node
        The job, and the part it runs on; None where its rows have no nodes, or several kinds.
    size, workload
        The keys that say how large it is, and what it does.
    """

    job: Job
    node: NodePart | None
    size: Path
    workload: Path


def asked(scenario: Scenario, catalog: Catalog) -> Iterator[LargestJob]:
    """Yield one job of each kind in a scene.

    Traces that draw by their utilisation alone have nothing to doubt and are left out, as are jobs larger than the
    scene.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    hardware = RowNodes(scenario, catalog)

    def node_of(rows: tuple[str, ...]) -> NodePart | None:
        parts = {part for part, _ in hardware.kinds(rows)}
        return catalog.node(parts.pop()) if len(parts) == 1 else None

    for i, job in enumerate(scenario.jobs):
        at: Path = ("jobs", i)
        yield LargestJob(job, node_of(rows_of(scenario, job)), (*at, "nodes"), (*at, "workload"))
    for i, stream in enumerate(scenario.streams):
        at = ("streams", i)
        rows = rows_within(scenario, stream.rows, stream.partition)
        most = max(stream.sizes.gpus)
        nodes, gpus = (1, None) if stream.mig else split(most, hardware.per_node(rows))
        job = Job(id=stream.id, nodes=nodes, gpus=gpus, workload=stream.workload, storage=stream.storage)
        size = (*at, "sizes", "gpus", stream.sizes.gpus.index(most))
        yield LargestJob(job, node_of(rows), size, (*at, "workload"))
    for i, trace in enumerate(scenario.traces):
        if trace.map.workload is None:
            continue
        at = ("traces", i, "map", "workload")
        sizes = {gpus_of(row, trace.map) for row in table_of(trace).rows}
        for partition in partitions_of(trace, scenario)[:1]:
            rows = rows_within(scenario, trace.map.rows, partition)
            per_node = hardware.per_node(rows)
            room = per_node * sum(hardware.kinds(rows).values())
            nodes, gpus = split(max((size for size in sizes if size <= room), default=1), per_node)
            job = Job(id=trace.id, nodes=nodes, gpus=gpus, workload=trace.map.workload)
            yield LargestJob(job, node_of(rows), at, at)
