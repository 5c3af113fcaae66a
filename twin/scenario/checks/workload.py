"""Checks of jobs, streams, traces and reservations: names, keys that exclude each other, sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from twin.catalog import Catalog
from twin.scenario.checks import parallelism
from twin.scenario.checks.targets import is_named
from twin.scenario.generators.allowed_rows import RowNodes, rows_of, rows_within, split
from twin.scenario.generators.job_traces import TOO_LARGE, gpus_of, mapped, partitions_of, table_of
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.mig import profile_wrong
from twin.scenario.schema.quantity import rendered
from twin.scenario.schema.streams import JobStream, JobTrace
from twin.scenario.schema.work import CheckpointTier, Job
from twin.scenario.text.parse import Path
from twin.scenario.text.problem import shown

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_STORED = ("store", "object")
_HOURS = 24
MAX_WINDOWS = 10_000
"""Windows of all reservations of a scene: one an hour for more than a year."""


def references(scenario: Scenario) -> Iterator[Wrong]:
    """Yield unknown names, and keys that exclude each other; needs unique ids."""
    stores = [store.id for store in scenario.storage]
    tenants = [tenant.id for tenant in scenario.tenants]
    partitions = [partition.id for partition in scenario.partitions]
    rows = [row.id for hall in scenario.halls for row in hall.rows]
    for i, job in enumerate(scenario.jobs):
        at: Path = ("jobs", i)
        yield from _tiers(job.checkpoint.tiers, stores, (*at, "checkpoint", "tiers"))
        yield from _exclusive(job, at)
        yield from _taken(scenario, job, at)
    for i, stream in enumerate(scenario.streams):
        at = ("streams", i)
        yield from _known(stream.tenant, tenants, "tenant", (*at, "tenant"))
        yield from _all_known(stream.rows, rows, "row generator", (*at, "rows"))
        yield from _known(stream.storage, stores, "store", (*at, "storage"))
        yield from _known(stream.checkpoint.storage, stores, "store", (*at, "checkpoint", "storage"))
        yield from _tiers(stream.checkpoint.tiers, stores, (*at, "checkpoint", "tiers"))
        yield from _stream(stream, at)
    for i, trace in enumerate(scenario.traces):
        at = ("traces", i)
        yield from _known(trace.map.partition, partitions, "partition", (*at, "map", "partition"))
        yield from _all_known(trace.map.rows, rows, "row generator", (*at, "map", "rows"))
        try:
            table_of(trace)
        except ValueError as wrong:
            yield (*at, "rows"), str(wrong), ""
    yield from _windows(scenario)
    for i, reservation in enumerate(scenario.reservations):
        at = ("reservations", i)
        yield from _all_known(reservation.rows, rows, "row generator", (*at, "rows"))
        yield from _all_known(reservation.tenants, tenants, "tenant", (*at, "tenants"))
        for n, name in enumerate(reservation.jobs):
            if not is_named(scenario, "job", name):
                near = nearest(name, [job.id for job in scenario.jobs])
                yield (
                    (*at, "jobs", n),
                    f"unknown job: {shown(name)}",
                    f"did you mean {near!r}?" if near else "",
                )
        if reservation.nodes is not None and reservation.share is not None:
            yield (
                (*at, "share"),
                "conflicts with nodes: only one can give the number",
                "remove one of them",
            )
        if reservation.every_s is not None and reservation.every_s <= reservation.duration_s:
            yield (*at, "every"), "repeats before it is over", "use a longer every, or a shorter for"


def fits(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield jobs that cannot run on the hardware they may use; needs valid references.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    hardware = RowNodes(scenario, catalog)
    for i, job in enumerate(scenario.jobs):
        yield from _sized(job, hardware, ("jobs", i))
    for i, stream in enumerate(scenario.streams):
        yield from _sizes(stream, hardware, ("streams", i))
    for i, trace in enumerate(scenario.traces):
        yield from _mapped(trace, hardware, ("traces", i))
    for i, reservation in enumerate(scenario.reservations):
        nodes = sum(hardware.kinds(reservation.rows).values())
        if reservation.nodes is not None and reservation.nodes > nodes:
            yield ("reservations", i, "nodes"), f"exceeds the {nodes} nodes of these rows", ""


def _exclusive(job: Job, at: Path) -> Iterator[Wrong]:
    if job.gpus is not None and job.mig is not None:
        yield (
            (*at, "mig"),
            "conflicts with gpus: this is a part of one GPU",
            "remove one of them",
        )
    if job.steps is not None and job.run_s is not None:
        yield (*at, "run"), "conflicts with steps: only one can end the job", "remove one of them"
    if job.mig is not None and job.nodes > 1:
        yield (*at, "nodes"), "must be 1: a part of one GPU is on one node", "remove it"
    if job.deadline_s is not None and job.deadline_s <= job.submit_s:
        yield (*at, "deadline"), "is before the job is submitted", ""


def _taken(scenario: Scenario, job: Job, at: Path) -> Iterator[Wrong]:
    """Yield a job whose id is one that a stream gives to its jobs."""
    stem, _, number = job.id.rpartition("-")
    if number.isdecimal() and any(stream.id == stem for stream in scenario.streams):
        yield (*at, "id"), f"may be the name of a job of stream {stem!r}", "use another name"


def _tiers(tiers: Sequence[CheckpointTier], stores: list[str], at: Path) -> Iterator[Wrong]:
    for n, tier in enumerate(tiers):
        yield from _known(tier.storage, stores, "store", (*at, n, "storage"))
        if tier.storage is not None and tier.to not in _STORED:
            yield (*at, n, "storage"), f"does not apply to {tier.to}", "remove it, or write to: store"
        if tier.storage is None and tier.to == "store":
            yield (*at, n, "to"), "needs storage: the store it goes to", ""


def _stream(stream: JobStream, at: Path) -> Iterator[Wrong]:
    sizes, hours = stream.sizes, stream.arrivals.hours
    if sizes.weights and len(sizes.weights) != len(sizes.gpus):
        reason = f"are {len(sizes.weights)} for {len(sizes.gpus)} sizes"
        yield (*at, "sizes", "weights"), reason, "one for each of gpus"
    if hours and len(hours) != _HOURS:
        yield (*at, "arrivals", "hours"), f"are {len(hours)} weights", f"one for each of {_HOURS} hours"
    elif hours and stream.arrivals.kind != "daily":
        yield (*at, "arrivals", "hours"), f"do not apply to {stream.arrivals.kind}", "write kind: daily"
    if stream.lengths.longest_s is not None and stream.lengths.longest_s < stream.lengths.mean_s:
        yield (*at, "lengths", "longest"), "is shorter than the mean", ""


def _windows(scenario: Scenario) -> Iterator[Wrong]:
    """Yield the reservation whose windows are too many, with those of the ones before it."""
    so_far = 0.0
    for i, reservation in enumerate(scenario.reservations):
        left_s = max(scenario.duration_s - reservation.at_s, 0.0)
        so_far += 1 if reservation.every_s is None else math.ceil(left_s / reservation.every_s)
        if so_far > MAX_WINDOWS:
            reason = f"creates {so_far:,.0f} windows until the end of the scene; at most {MAX_WINDOWS:,} can be in one"
            key = "at" if reservation.every_s is None else "every"
            yield ("reservations", i, key), reason, "use a longer every, or a shorter duration"
            return


def _sized(job: Job, hardware: RowNodes, at: Path) -> Iterator[Wrong]:
    """Yield why a written job cannot run on the nodes it may use."""
    names = list(parallelism.names(job, hardware.catalog))
    yield from ((((*at, "workload", key)), reason, hint) for key, reason, hint in names)
    rows = rows_of(hardware.scenario, job)
    kinds = hardware.kinds(rows)
    nodes_there = sum(kinds.values())
    if nodes_there < job.nodes:
        where = f"rows {', '.join(rows)} have" if rows else "the halls have"
        yield (*at, "nodes"), f"is too many: {where} {nodes_there} nodes", ""
        return
    if len(kinds) > 1:
        yield _mixed(kinds, (*at, "rows"))
        return
    part, per_node = next(iter(kinds))
    if job.gpus is not None and not (job.nodes - 1) * per_node < job.gpus <= job.nodes * per_node:
        nodes, _ = split(job.gpus, per_node)
        reason = f"do not fill {job.nodes} nodes of {per_node} GPUs, the last one in part"
        yield (*at, "gpus"), reason, f"{job.gpus} GPUs take nodes: {nodes}"
    if job.mig is not None:
        yield from _profile(job.mig, part, hardware.catalog, (*at, "mig"))
    if job.gpus is None or job.gpus == job.nodes * per_node:
        for key, reason, hint in parallelism.wrong(
            job, per_node, hardware.catalog.node(part).gpu, bool(names), hardware.catalog
        ):
            yield (*at, *key.split(".")), reason, hint


def _sizes(stream: JobStream, hardware: RowNodes, at: Path) -> Iterator[Wrong]:
    """Yield why jobs of a stream cannot run: size, several kinds of node, a model without a layout."""
    rows = rows_within(hardware.scenario, stream.rows, stream.partition)
    kinds = hardware.kinds(rows)
    if len(kinds) != 1:
        yield _mixed(kinds, (*at, "rows"))
        return
    (part, per_node), nodes_there = next(iter(kinds.items()))
    probe = Job(id=stream.id, workload=stream.workload)
    names = list(parallelism.names(probe, hardware.catalog))
    yield from ((((*at, "workload", key)), reason, hint) for key, reason, hint in names)
    if stream.mig is not None:
        yield from _profile(stream.mig, part, hardware.catalog, (*at, "mig"))
        return
    for n, gpus in enumerate(stream.sizes.gpus):
        nodes, _ = split(gpus, per_node)
        if nodes > nodes_there:
            yield (*at, "sizes", "gpus", n), f"is too many: there are {nodes_there * per_node} GPUs", ""
            continue
        for _, reason, hint in _uncut(probe, gpus, per_node, part, hardware.catalog, bool(names)):
            yield (*at, "workload"), f"cannot run on {gpus} GPUs: {reason}", hint


def _mapped(trace: JobTrace, hardware: RowNodes, at: Path) -> Iterator[Wrong]:
    """Yield why the jobs of a trace cannot run; those larger than the scene are left out, not refused."""
    for partition in partitions_of(trace, hardware.scenario):
        kinds = hardware.kinds(rows_within(hardware.scenario, trace.map.rows, partition))
        if len(kinds) != 1:
            yield _mixed(kinds, (*at, "map", "rows"))
            return
    if trace.map.workload is None:
        return
    (part, per_node), nodes_there = next(iter(kinds.items()))
    probe = Job(id="probe", workload=trace.map.workload)
    names = list(parallelism.names(probe, hardware.catalog))
    yield from ((((*at, "map", "workload", key)), reason, hint) for key, reason, hint in names)
    for gpus in sorted({gpus_of(row, trace.map) for row in table_of(trace).rows}):
        nodes, _ = split(gpus, per_node)
        found = next(_uncut(probe, gpus, per_node, part, hardware.catalog, bool(names)), None)
        if nodes <= nodes_there and found is not None:
            hint = found[2] or "remove it, then GPUs draw by map.utilisation"
            yield (*at, "map", "workload"), f"cannot run on {gpus} GPUs: {found[1]}", hint
            return


def left_out(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield traces of which jobs are too large for the scene: the rest runs without them."""
    for i, trace in enumerate(scenario.traces):
        made = mapped(trace, scenario)
        if made.left_out[TOO_LARGE]:
            many = f"{made.left_out[TOO_LARGE]:,} of {len(made.jobs) + made.left_out[TOO_LARGE]:,}"
            reason = f"leaves out {many} jobs, which need more GPUs than the scene has"
            yield ("traces", i, "map"), reason, "scale them down by map.size, or use a larger scene"


def shut_out(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield jobs that the scheduler can start between no two windows of a reservation that comes again and again."""
    del catalog  # all doubts are asked alike
    everywhere = {row.id for hall in scenario.halls for row in hall.rows}
    windows = [
        reservation
        for reservation in scenario.reservations
        if reservation.every_s is not None and reservation.nodes is None
    ]
    for i, job in enumerate(scenario.jobs):
        part = next((part for part in scenario.partitions if part.id == job.partition), None)
        limit_s = job.limit_s or (part and (part.default_limit_s or part.limit_s))
        takes_s = job.estimate_s or limit_s or job.run_s or (math.inf if job.steps is None else 0.0)
        rows = set(rows_of(scenario, job)) or everywhere
        for window in windows:
            gap_s = (window.every_s or math.inf) - window.duration_s
            held = window.share in (None, 1.0) and rows <= (set(window.rows) or everywhere)
            lets = window.kind == "reservation" and (job.id in window.jobs or job.tenant in window.tenants)
            if held and not lets and takes_s > gap_s and job.submit_s + takes_s > window.at_s:
                long = "has no end" if math.isinf(takes_s) else f"takes {rendered(takes_s, 'duration')}"
                reason = f"{long}, and windows of {window.id} leave {rendered(gap_s, 'duration')}: it may never start"
                yield (
                    ("jobs", i, "id"),
                    reason,
                    "use a shorter limit, other rows, or fewer nodes in the window",
                )


def _uncut(
    job: Job, gpus: int, per_node: int, node: str, catalog: Catalog, nameless: bool
) -> Iterator[parallelism.Found]:
    """Yield why a workload has no layout on some number of GPUs, on whole nodes of a part or a piece of one."""
    gpu = catalog.node(node).gpu
    if gpus <= per_node:
        yield from parallelism.wrong(job, gpus, gpu, nameless, catalog)
    elif gpus % per_node == 0:
        whole = job.model_copy(update={"nodes": gpus // per_node})
        yield from parallelism.wrong(whole, per_node, gpu, nameless, catalog)


def _profile(profile: str, part: str, catalog: Catalog, at: Path) -> Iterator[Wrong]:
    """Yield a MIG profile that the GPUs of a node do not have."""
    reason, hint = profile_wrong(profile, catalog.node(part).gpu)
    if reason:
        yield at, reason, hint


def _mixed(kinds: dict[tuple[str, int], int], at: Path) -> Wrong:
    if not kinds:
        return at, "leave no nodes", "name rows with nodes, or none"
    parts = ", ".join(sorted(part for part, _ in kinds))
    return at, f"leaves nodes of several kinds: {parts}", "name rows of one kind under rows"


def _all_known(names: Iterable[str], known: list[str], noun: str, at: Path) -> Iterator[Wrong]:
    for n, name in enumerate(names):
        yield from _known(name, known, noun, (*at, n))


def _known(name: str | None, known: list[str], noun: str, at: Path) -> Iterator[Wrong]:
    if name is not None and name not in known:
        near = nearest(name, known)
        hint = (
            f"did you mean {near!r}?" if near else f"known: {', '.join(known[:8])}" if known else "none exist"
        )
        yield at, f"unknown {noun}: {shown(name)}", hint
