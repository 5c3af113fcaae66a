"""Jobs of a trace of another cluster in this scene, by the mapping rules of the scene."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from twin.scenario.formats.trace_rows import TraceRow, TraceTable, unpack
from twin.scenario.generators.allowed_rows import node_kinds, rows_within, split
from twin.scenario.generators.job_streams import longest_limit_s
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.streams import JobTrace, TraceMap
from twin.scenario.schema.work import Checkpointing, Job, Recovery
from twin.scenario.schema.workload import Load

LONGEST_ID = 40
TOO_LARGE = "larger than the scene"
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")


@dataclass
class TraceJobs:
    """The jobs of a trace, and the numbers left out by reason."""

    jobs: list[Job] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def trace_jobs(trace: JobTrace, scenario: Scenario, taken: Collection[str]) -> list[Job]:
    """Return the jobs of one trace, in order of submission; ids in `taken` are those of other jobs."""
    return mapped(trace, scenario, taken).jobs


def mapped(trace: JobTrace, scenario: Scenario, taken: Collection[str] = ()) -> TraceJobs:
    """Return the jobs of one trace and the numbers left out of it.

    Raises
    ------
    ValueError
        When `trace.rows` holds no rows as the program keeps them; `check` has said so before.
    """
    table = table_of(trace)
    rules = trace.map
    last = math.inf if rules.first is None else rules.skip + rules.first
    rows = [row for row in table.rows if rules.skip <= row.number < last]
    made = TraceJobs(left_out=Counter(table.left_out))
    if not rows:
        return made
    catalog, tenants = catalog_of(scenario), {tenant.id for tenant in scenario.tenants}
    partitions = {partition.id for partition in scenario.partitions}
    hardware: dict[str | None, tuple[int, int]] = {}
    first_s, names = rows[0].submit_s, set(taken)
    template = _template(rules)
    for row in rows:
        partition = rules.partition or _known(row.partition, "partition", partitions)
        if partition not in hardware:
            kinds = node_kinds(scenario, catalog, rows_within(scenario, rules.rows, partition))
            hardware[partition] = max((n for _, n in kinds), default=1), sum(kinds.values())
        per_node, nodes_there = hardware[partition]
        nodes, gpus = split(gpus_of(row, rules), per_node)
        if nodes > nodes_there:
            made.left_out[TOO_LARGE] += 1
            continue
        run_s, asked_s = row.run_s * rules.time, None
        if row.limit_s is not None:
            asked_s = min(row.limit_s * rules.time, longest_limit_s(scenario, partition))
        owner = {"user": row.user, "group": row.group, "none": ""}[rules.tenants]
        change = {
            "id": _id(trace.id, row, names),
            "title": row.title,
            "tenant": _known(owner, rules.tenants, tenants),
            "user": cleaned(row.user, "user") or None,
            "partition": partition,
            "submit_s": (row.submit_s - first_s) * rules.gaps,
            "nodes": nodes,
            "gpus": gpus,
            "run_s": run_s,
            "limit_s": asked_s if rules.limits else None,
            "estimate_s": run_s if rules.estimate == "exact" else asked_s,
        }
        names.add(str(change["id"]))
        made.jobs.append(template.model_copy(update=change))
    return made


def table_of(trace: JobTrace) -> TraceTable:
    """Return the rows that a trace carries; raises as `mapped`."""
    return _unpacked(trace.rows) if trace.rows else TraceTable(trace.format or "", ())


def partitions_of(trace: JobTrace, scenario: Scenario) -> list[str | None]:
    """Return the partitions that jobs of a trace are submitted to; None: none. Raises as `mapped`."""
    if trace.map.partition is not None:
        return [trace.map.partition]
    partitions = {partition.id for partition in scenario.partitions}
    names = {_known(row.partition, "partition", partitions) for row in table_of(trace).rows}
    return sorted(names, key=lambda name: name or "")


def gpus_of(row: TraceRow, rules: TraceMap) -> int:
    """Return how many GPUs a job of a trace asks for here."""
    asked = row.gpus if row.gpus is not None else row.processors * rules.gpus_per_processor
    return max(1, math.ceil(asked * rules.size - 1e-9))


def cleaned(name: str, prefix: str) -> str:
    """Return a name of a trace as an id of a scene, "" for none.

    Examples
    --------
    >>> cleaned("Anna.Berg", "user"), cleaned("17", "user"), cleaned("", "user")
    ('anna-berg', 'user-17', '')
    """
    plain = _NOT_IN_IDS.sub("-", name.lower()).strip("-")
    if plain and not plain[0].isalpha():
        plain = f"{prefix}-{plain}"
    return plain[:LONGEST_ID].rstrip("-")


def _template(rules: TraceMap) -> Job:
    return Job(
        id="trace",
        rows=rules.rows,
        workload=rules.workload or Load(kind="load", gpu=rules.utilisation),
        checkpoint=Checkpointing(interval="none", pause=0.0),
        recovery=Recovery(constant=0.0),
    )


def _known(name: str, prefix: str, known: set[str]) -> str | None:
    """Return the id of the scene that a name of the trace means; None when it has none of that name."""
    plain = cleaned(name, prefix)
    return plain if plain in known else None


def _id(trace: str, row: TraceRow, taken: set[str]) -> str:
    """Return the id of a job: by its name in the trace where that is short and free, else by its place."""
    plain = _NOT_IN_IDS.sub("-", row.name.lower()).strip("-")
    made = f"{trace}-{plain}"
    if plain and len(made) <= LONGEST_ID and made not in taken:
        return made
    made, again = f"{trace[:26]}-n{row.number}", 0
    while made in taken:
        again += 1
        made = f"{trace[:20]}-n{row.number}-{again}"
    return made


@lru_cache(maxsize=4)
def _unpacked(rows: str) -> TraceTable:
    return unpack(rows)
