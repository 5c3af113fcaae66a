"""Design rules of the jobs: no spare nodes, no checkpoint target, and keys without effect."""

from __future__ import annotations

from collections.abc import Iterator

from twin.arrays import Bools
from twin.language import tr
from twin.planning.risk.failure_table import fails
from twin.rules.finding import Found, number
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.checks import hardware, recovery, storage, workload
from twin.scenario.checks.horizon import past_the_end
from twin.scenario.checks.tenancy import work_of
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.work import Inference, Load, MonteCarlo


def _spares(case: RuleContext) -> Iterator[Found]:
    """Yield jobs that replace failed nodes with spares and leave no node spare."""
    nodes = case.plant.nodes
    for i, job in enumerate(case.scenario.jobs):
        if job.recovery.policy != "spare" or job.gpus is not None or job.mig is not None:
            continue
        rows = rows_of(case.scenario, job)
        usable: Bools = nodes.present & ~nodes.drained & (nodes.gpu_count > 0)
        if rows:
            usable = usable & case.racks_of(rows)[nodes.rack]
        count = int(usable.sum())
        left = count - job.nodes
        if left < 1 and case.scenario.failures.enabled:
            where = tr("rows {rows}", rows=", ".join(rows)) if rows else tr("the halls")
            reason = tr(
                "leave no spare node: the job takes {nodes:,} of the {count:,} in {where}; after a "
                "failure it waits for the repair",
                nodes=job.nodes,
                count=count,
                where=where,
            )
            fix = tr("fewer nodes, more racks, or recovery policy shrink")
            spares, least = number(max(0, left), "spare"), number(1, "spare")
            at = ("jobs", i, "nodes")
            yield Found(at=at, reason=reason, fix=fix, ids=(job.id,), value=spares, limit=least)


def _checkpoint_targets(case: RuleContext) -> Iterator[Found]:
    """Yield jobs whose checkpoints have no storage."""
    for at, work in work_of(case.scenario):
        checkpoint = work.checkpoint
        if isinstance(work.workload, Inference | Load | MonteCarlo) or checkpoint.interval == "none":
            continue
        if checkpoint.storage is None and not checkpoint.tiers:
            reason = tr(
                "names no storage: the checkpoint stall is modelled, a full or slow storage system is not"
            )
            fix = tr("storage: the id of a storage system, or tiers")
            yield Found(at=(*at, "checkpoint"), reason=reason, fix=fix, ids=(work.id,))


def _no_failures(case: RuleContext) -> Iterator[Found]:
    """Yield the scene if nothing fails in it, and it does not say that this is meant."""
    if case.scenario.failures.enabled and not fails(case.scenario) and case.plant.nodes.present.any():
        reason = tr(
            "say nothing: no node ever fails, so interruptions and spares are none, whatever is built"
        )
        fix = "failures: {rates: catalog} takes the published rates; {enabled: false} says that it is meant"
        yield Found(at=("failures",), reason=reason, fix=fix)


def _never(case: RuleContext) -> Iterator[Found]:
    """Yield interventions, edits, reservations and chapters after the end of the run."""
    for at, id, reason in past_the_end(case.scenario):
        yield Found(at=at, reason=reason, fix=tr("an earlier time, or a longer duration"), ids=(id,))


_SCENE = tr("the scene itself")

RULES = (
    Rule(
        "spares",
        tr("No spare node"),
        "work",
        "warning",
        tr("Unallocated nodes for each job whose recovery policy is spare."),
        tr("at least one; fleets keep 1 to 4 %"),
        _spares,
    ),
    Rule(
        "after-the-end",
        tr("After the end of the run"),
        "work",
        "warning",
        tr("Interventions, edits, reservations and chapters that begin after the run ends."),
        _SCENE,
        _never,
    ),
    Rule(
        "no-failures",
        tr("Nothing fails"),
        "work",
        "notice",
        "Scenes with nodes in which nothing fails by itself, unless they say so (failures: {enabled: false}).",
        tr("fleets count 2 to 7 failures in 1000 node-days (Llama 3, RSC-1, RSC-2)"),
        _no_failures,
    ),
    Rule(
        "checkpoint-target",
        tr("No checkpoint target"),
        "work",
        "warning",
        tr("Jobs that write checkpoints without a storage system or tier."),
        _SCENE,
        _checkpoint_targets,
    ),
    Rule(
        "fabric-missing",
        tr("Network not modelled"),
        "work",
        "warning",
        tr("Jobs over several scale-up domains in a scene without a fabric."),
        _SCENE,
        written(hardware.unlinked),
    ),
    Rule(
        "tensor-group",
        tr("Tensor-parallel group over the network"),
        "work",
        "warning",
        tr("Tensor-parallel degree, against the GPUs of a scale-up domain."),
        tr("scale_up_gpus of the node part"),
        written(hardware.split_tensors),
    ),
    Rule(
        "data-room",
        tr("Data set does not fit"),
        "work",
        "warning",
        tr("Data sets and caches, against the storage systems, drives and memory that hold them."),
        tr("capacity of the parts"),
        written(storage.unmet),
    ),
    Rule(
        "trace-left-out",
        tr("Jobs of a trace left out"),
        "work",
        "warning",
        tr("Jobs of traces that request more GPUs than the halls have."),
        _SCENE,
        written(workload.left_out),
    ),
    Rule(
        "window-shut",
        tr("Job that may never start"),
        "work",
        "warning",
        tr("Length of each job, against the time between windows of a recurring reservation."),
        _SCENE,
        written(workload.shut_out),
    ),
    Rule(
        "recovery-idle",
        tr("Recovery without effect"),
        "work",
        "warning",
        tr("Recovery and checkpoint keys of a job that can have no effect."),
        _SCENE,
        written(recovery.idle_recovery),
    ),
)
