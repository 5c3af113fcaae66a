"""Design rules of the work: jobs without spares or a place for their state, and keys that can never act."""

from __future__ import annotations

from collections.abc import Iterator

from twin.arrays import Bools
from twin.rules.finding import Found, number
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.checks import hardware, recovery, storage, workload
from twin.scenario.checks.horizon import past_the_end
from twin.scenario.checks.tenancy import work_of
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.work import Inference, Load, MonteCarlo


def _spares(case: RuleContext) -> Iterator[Found]:
    """Yield jobs that go on with spares and take all the nodes there are."""
    nodes = case.plant.nodes
    for i, job in enumerate(case.scenario.jobs):
        if job.recovery.policy != "spare" or job.gpus is not None or job.mig is not None:
            continue
        rows = rows_of(case.scenario, job)
        mine: Bools = nodes.present & ~nodes.drained & (nodes.gpu_count > 0)
        if rows:
            mine = mine & case.racks_of(rows)[nodes.rack]
        left = int(mine.sum()) - job.nodes
        if left < 1 and case.scenario.failures.enabled:
            where = f"rows {', '.join(rows)}" if rows else "the halls"
            reason = f"take all {job.nodes:,} that {where} have: after a failure it waits for the repair"
            fix = "fewer nodes, more racks, or recovery policy shrink"
            ids = (job.id,)
            one = number(1, "spare")
            at = ("jobs", i, "nodes")
            yield Found(
                at=at, reason=reason, fix=fix, ids=ids, value=number(max(0, left), "spare"), limit=one
            )


def _checkpoint_targets(case: RuleContext) -> Iterator[Found]:
    """Yield work that writes checkpoints to nowhere."""
    for at, work in work_of(case.scenario):
        said = work.checkpoint
        if isinstance(work.workload, Inference | Load | MonteCarlo) or said.interval == "none":
            continue
        if said.storage is None and not said.tiers:
            reason = "names no storage: checkpoints cost their pause, but go to no store that could be full or slow"
            yield Found(
                at=(*at, "checkpoint"), reason=reason, fix="storage: a store, or tiers", ids=(work.id,)
            )


def _never(case: RuleContext) -> Iterator[Found]:
    """Yield what is asked for at a time that the run never reaches."""
    for at, id, reason in past_the_end(case.scenario):
        yield Found(at=at, reason=reason, fix="an earlier time, or a longer duration", ids=(id,))


_SCENE = "the scene itself"

RULES = (
    Rule(
        "spares",
        "No spare node",
        "work",
        "warning",
        "Nodes left over for each job that takes spares after a failure.",
        "one at least; fleets keep 1 to 4 %",
        _spares,
    ),
    Rule(
        "after-the-end",
        "After the end of the run",
        "work",
        "warning",
        "Interventions, edits and reservations that begin when the run is over.",
        _SCENE,
        _never,
    ),
    Rule(
        "checkpoint-target",
        "Checkpoints go nowhere",
        "work",
        "warning",
        "Work that writes checkpoints, without a store or tier that takes them.",
        _SCENE,
        _checkpoint_targets,
    ),
    Rule(
        "fabric-missing",
        "Network not modelled",
        "work",
        "warning",
        "Jobs over several scale-up domains in a scene without a fabric.",
        _SCENE,
        written(hardware.unlinked),
    ),
    Rule(
        "tensor-group",
        "Tensor group over the network",
        "work",
        "warning",
        "Degree of tensor parallelism, against the GPUs of a scale-up domain.",
        "scale_up_gpus of the node part",
        written(hardware.split_tensors),
    ),
    Rule(
        "data-room",
        "Data without room",
        "work",
        "warning",
        "Data sets and caches, against the stores, drives and memory that hold them.",
        "capacity of the parts",
        written(storage.unmet),
    ),
    Rule(
        "trace-left-out",
        "Jobs of a trace left out",
        "work",
        "warning",
        "Jobs of traces that ask for more GPUs than there are.",
        _SCENE,
        written(workload.left_out),
    ),
    Rule(
        "window-shut",
        "Job that may never start",
        "work",
        "warning",
        "Length of each job, against the time between windows of a reservation that comes again and again.",
        _SCENE,
        written(workload.shut_out),
    ),
    Rule(
        "recovery-idle",
        "Recovery that never acts",
        "work",
        "warning",
        "What a job says of recovery and checkpoints and can never do.",
        _SCENE,
        written(recovery.idle_recovery),
    ),
)
