"""What each tenant and each partition has, as rows of figures. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from twin.app.queue.gantt_model import rows_mask
from twin.app.queue.history import NOBODY, Account, JobHistory
from twin.language import tr
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Partition
from twin.scenario.schema.work import Tenant


@dataclass(frozen=True)
class TenantLine:
    """One tenant: GPUs it may have, has and waits for, and what keeps it apart.

    Parameters
    ----------
    number
        Its colour in pictures.
    held_gpus, waiting_gpus
        Now.
    quota_gpus
        None: no limit.
    share
        Of all GPUs installed, now, 0..1.
    fair_share
        Its weight among all tenants, 0..1.
    wait_mean_s
        Of the starts so far; nan before the first.
    """

    number: int
    id: str
    title: str
    held_gpus: float
    quota_gpus: int | None
    share: float
    fair_share: float
    running_jobs: int
    waiting_jobs: int
    waiting_gpus: float
    wait_mean_s: float
    isolation: str
    network: str
    encrypted: bool


@dataclass(frozen=True)
class PartitionLine:
    """One partition: its rows and nodes, who may use it, and what runs and waits there."""

    number: int
    id: str
    title: str
    rows: str
    nodes: int
    gpus: int
    held_gpus: float
    waiting_jobs: int
    tenants: str
    limit_s: float
    network: str
    exclusive: bool


def tenant_lines(scenario: Scenario, history: JobHistory) -> list[TenantLine]:
    """Return a line for each tenant, in the order of the scene; jobs of nobody come last.

    A tenant that an edit brought, of whom the run does not know yet, has nothing so far.
    """
    specs = {tenant.id: tenant for tenant in scenario.tenants}
    installed = max(int(history.plant.gpus.present.sum()), 1)
    known = dict(zip(history.tenants, history.accounts, strict=True))
    accounts = known | {id: Account() for id in specs if id not in known}
    weights = [specs[id].share if id in specs else 1.0 for id in accounts]
    lines = []
    for number, (id_, account) in enumerate(accounts.items()):
        spec = specs.get(id_) or Tenant(id=id_ or "nobody", title="" if id_ else tr("no tenant"))
        lines.append(
            TenantLine(
                number,
                id_,
                spec.title or id_ or NOBODY,
                account.held.now,
                spec.quota,
                account.held.now / installed,
                weights[number] / sum(weights),
                account.running_jobs,
                account.waiting_jobs,
                account.waiting.now,
                account.waited_s / account.starts if account.starts else float("nan"),
                spec.isolation,
                spec.network or "",
                spec.encrypted,
            )
        )
    return lines


class Partitions:
    """The partitions of a scene; what of them does not change is looked up once."""

    def __init__(self, scenario: Scenario, history: JobHistory) -> None:
        self._history = history
        self._fixed: list[tuple[Partition, int, int, list[tuple[float, float]]]] = []
        nodes = history.plant.nodes
        for partition in scenario.partitions:
            mask = rows_mask(history.plant, partition.rows) & nodes.present
            gpus = nodes.gpu_count[mask]
            first = nodes.gpu_first[mask]
            spans = [(float(a), float(a + n)) for a, n in zip(first.tolist(), gpus.tolist(), strict=True)]
            self._fixed.append((partition, int(mask.sum()), int(gpus.sum()), _joined(spans)))

    def lines(self) -> list[PartitionLine]:
        """Return a line for each partition, as things stand now."""
        history = self._history
        held = [span for job in history.started_s for span in history.holds(job)]
        waiting: dict[str, int] = {}
        for job in history.waiting:
            name = history.partition_of(job)
            waiting[name] = waiting.get(name, 0) + 1
        return [
            PartitionLine(
                number,
                tenant.id,
                tenant.title or tenant.id,
                ", ".join(tenant.rows),
                nodes,
                gpus,
                sum(max(min(b, d) - max(a, c), 0.0) for a, b in held for c, d in spans),
                waiting.get(tenant.id, 0),
                ", ".join(tenant.tenants) or "everybody",
                tenant.limit_s or float("nan"),
                tenant.network or "",
                tenant.exclusive,
            )
            for number, (tenant, nodes, gpus, spans) in enumerate(self._fixed)
        ]


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    for low, high in spans:
        if out and out[-1][1] == low:
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return out
