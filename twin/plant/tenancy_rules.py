"""Design rules of a shared cluster: where one tenant could meet another, its data, or the machines' management.

Each rule belongs to a control as people who do compliance name them; `review` gives all controls with what was found.
That nothing is found is no certificate: the rules know only what the scene says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from twin.arrays import Bools
from twin.plant.tables import Plant
from twin.scenario.checks.tenancy import Work, stores_of, work_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Partition
from twin.scenario.schema.work import Job, Tenant
from twin.scenario.text.parse import Path

Severity = Literal["high", "medium", "low"]


@dataclass(frozen=True)
class TenancyFinding:
    """One finding: severity, id concerned, key of the scene, reason, and remedy."""

    severity: Severity
    subject: str
    at: Path
    reason: str
    hint: str


@dataclass(frozen=True)
class Control:
    """One control of the checklist; `asked` returns how many items of the scene it applies to, 0: none."""

    id: str
    title: str
    asked: int
    leaks: tuple[TenancyFinding, ...]

    @property
    def status(self) -> Literal["pass", "fail", "not applicable"]:
        """Return the status of the scene."""
        if self.leaks:
            return "fail"
        return "pass" if self.asked else "not applicable"


def review(scenario: Scenario, plant: Plant) -> list[Control]:
    """Return all controls with their findings, in the order of the checklist."""
    tenancy = _Review(scenario, plant)
    return [Control(id, title, asked(tenancy), tuple(rule(tenancy))) for id, title, asked, rule in _CONTROLS]


class _Review:
    """A scene and its plant, with the lookups that the rules need."""

    def __init__(self, scenario: Scenario, plant: Plant) -> None:
        self.scenario, self.plant = scenario, plant
        self.tenants = {tenant.id: tenant for tenant in scenario.tenants}
        self.index = {tenant.id: i for i, tenant in enumerate(scenario.tenants)}
        self.work = list(work_of(scenario))
        nodes = plant.nodes
        row_of = np.array([name.split("/", 1)[0] for name in plant.rows.ids])
        self.generator = row_of[plant.racks.row[nodes.rack]]
        self.reach = {tenant.id: self._reach(tenant) for tenant in scenario.tenants}
        self._domains: dict[tuple[str, str], Bools] = {}
        self._fabrics: dict[str, set[int]] = {}

    def nodes_of(self, rows: tuple[str, ...]) -> Bools:
        """Return the nodes of some row generators."""
        return np.asarray(self.plant.nodes.present & np.isin(self.generator, rows), np.bool_)

    def partitions_of(self, tenant: str) -> list[tuple[int, Partition]]:
        """Return the partitions a tenant may submit to, with their places in the file."""
        parts = enumerate(self.scenario.partitions)
        return [(i, part) for i, part in parts if not part.tenants or tenant in part.tenants]

    def _reach(self, tenant: Tenant) -> Bools:
        """Return the nodes its jobs may run on: of its partitions, else of the rows its jobs name."""
        if self.scenario.partitions:
            reached = np.zeros(len(self.generator), np.bool_)
            for _, part in self.partitions_of(tenant.id):
                reached |= self.nodes_of(part.rows)
            return reached
        rows = [work.rows for _, work in self.work if work.tenant == tenant.id]
        if not rows or not all(rows):
            return np.asarray(self.plant.nodes.present, np.bool_)
        return self.nodes_of(tuple(name for some in rows for name in some))

    def nodes_for(self, work: Work) -> Bools:
        """Return the nodes that work may run on: of its partition, else of all that its tenant reaches."""
        part = next(
            (partition for partition in self.scenario.partitions if partition.id == work.partition), None
        )
        if part is not None:
            return self.nodes_of(part.rows)
        reach = self.reach.get(work.tenant or "")
        return np.asarray(self.plant.nodes.present, np.bool_) if reach is None else reach

    def isolated(self) -> list[Tenant]:
        return [tenant for tenant in self.scenario.tenants if tenant.isolation != "none"]

    def other_tenants(self, tenant: Tenant) -> list[Tenant]:
        return [other for other in self.scenario.tenants if other.id != tenant.id]

    def networked(self) -> list[Tenant]:
        return [tenant for tenant in self.scenario.tenants if tenant.network is not None]

    def encrypted(self) -> list[Tenant]:
        return [tenant for tenant in self.scenario.tenants if tenant.encrypted]

    def guarded(self, tenant: str | None) -> bool:
        """Return whether a tenant asks for any protection."""
        found = self.tenants.get(tenant or "")
        return found is not None and (
            found.isolation != "none" or found.encrypted or found.network is not None
        )

    def domains_of(self, tenant: str, isolation: str) -> Bools:
        """Return the racks or leaf switches of a tenant's nodes; for any other isolation, the nodes."""
        known = self._domains.get((tenant, isolation))
        if known is not None:
            return known
        reach, made = self.reach[tenant], self.reach[tenant]
        if isolation == "rack":
            made = np.zeros(len(self.plant.racks.ids), np.bool_)
            made[self.plant.nodes.rack[reach]] = True
        elif isolation == "leaf":
            links = self.plant.node_links
            made = np.zeros(len(self.plant.switches.ids), np.bool_)
            made[links.leaf[reach[links.node]]] = True
        self._domains[tenant, isolation] = made
        return made

    def fabrics_of(self, tenant: str) -> set[int]:
        """Return the fabrics of the nodes of a tenant."""
        if tenant not in self._fabrics:
            self._fabrics[tenant] = self.fabrics(self.reach[tenant])
        return self._fabrics[tenant]

    def fabrics(self, nodes: Bools) -> set[int]:
        """Return the fabrics of some nodes."""
        down, peers = self.plant.node_links, self.plant.peer_links
        return set(down.fabric[nodes[down.node]].tolist()) | set(peers.fabric[nodes[peers.a]].tolist())

    def parts_of_nodes(self, work: Work) -> bool:
        """Return whether jobs share nodes: a slice of a GPU, or fewer GPUs than the last node has."""
        if work.mig is not None:
            return True
        per_node = int(self.plant.nodes.gpu_count.max(initial=1))
        sizes = (work.gpus,) if isinstance(work, Job) else work.sizes.gpus
        return any(size is not None and size % per_node for size in sizes)

    def used(self, tenant: str) -> Iterator[tuple[Path, str]]:
        """Yield the stores that work of a tenant names, and those behind them, with the key that leads there."""
        backs = {store.backs: store.id for store in self.scenario.storage if store.backs is not None}
        for at, work in self.work:
            if work.tenant != tenant:
                continue
            for key, name in stores_of(work):
                seen: set[str] = set()
                while name not in seen:
                    seen.add(name)
                    yield (*at, *key), name
                    name = backs.get(name, name)


# --- the rules, one of each control or two


def _compute(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Tenants that ask for nodes, leaves or racks of their own, and others that may use them at other times."""
    for tenant in tenancy.isolated():
        own_nodes = tenancy.domains_of(tenant.id, tenant.isolation)
        meets = [
            other.id
            for other in tenancy.other_tenants(tenant)
            if (own_nodes & tenancy.domains_of(other.id, tenant.isolation)).any()
        ]
        closed = all(part.tenants for _, part in tenancy.partitions_of(tenant.id))
        if not meets or (tenancy.scenario.partitions and not closed):
            continue  # an open partition is a finding of its own
        noun = {"node": "nodes", "leaf": "leaf switches", "rack": "racks"}[tenant.isolation]
        reason = (
            f"asks for {noun} of its own, but {', '.join(meets)} may use the same: the scheduler separates them "
            "only in time, so data left there is exposed"
        )
        hint = f"give it a partition of its own, on rows whose {noun} no other partition has"
        yield TenancyFinding(
            "medium", tenant.id, ("tenants", tenancy.index[tenant.id], "isolation"), reason, hint
        )


def _access(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Partitions open to everybody on nodes of a tenant that wants to be alone."""
    for i, part in enumerate(tenancy.scenario.partitions):
        if part.tenants:
            continue
        nodes = tenancy.nodes_of(part.rows)
        for tenant in tenancy.isolated():
            own = [
                partition
                for _, partition in tenancy.partitions_of(tenant.id)
                if tenant.id in partition.tenants
            ]
            if not own or any((tenancy.nodes_of(partition.rows) & nodes).any() for partition in own):
                reason = f"is open to everybody, on nodes of {tenant.id}, which asks for isolation"
                hint = "list its tenants, or give it other rows"
                yield TenancyFinding("high", part.id, ("partitions", i, "tenants"), reason, hint)
                break


def _network(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Tenants with a VLAN or P-Key of their own whose nodes share a fabric that does not keep them apart."""
    for tenant in tenancy.networked():
        at: Path = ("tenants", tenancy.index[tenant.id], "network")
        fabrics = tenancy.fabrics_of(tenant.id)
        beside = [
            neighbour
            for neighbour in tenancy.other_tenants(tenant)
            if fabrics & tenancy.fabrics_of(neighbour.id)
        ]
        same = [
            neighbour.id for neighbour in tenancy.other_tenants(tenant) if neighbour.network == tenant.network
        ]
        if same:
            reason = f"is also the network of {', '.join(same)}: they see each other's traffic"
            yield TenancyFinding("high", tenant.id, at, reason, "one VLAN or P-Key for each tenant")
        if not beside:
            continue
        if not tenancy.scenario.partitions:
            reason = "is not enforced: no partition carries it, and all nodes share a fabric"
            yield TenancyFinding(
                "high", tenant.id, at, reason, "partitions with their network, one for each tenant"
            )
        for i, part in tenancy.partitions_of(tenant.id):
            if part.tenants and part.network != tenant.network:
                carries = f"carries {part.network}" if part.network else "carries no VLAN or P-Key"
                reason = (
                    f"{carries}, while jobs of {tenant.id} belong into {tenant.network}: a path across network "
                    "partitions"
                )
                where: Path = ("partitions", i, "network")
                yield TenancyFinding(
                    "high", part.id, where, reason, f"network: {tenant.network}, for this tenant alone"
                )


def _stores(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Stores that tenants with a network of their own use, and that other networks reach."""
    for i, store in enumerate(tenancy.scenario.storage):
        uses = [
            tenant
            for tenant in tenancy.networked()
            if any(name == store.id for _, name in tenancy.used(tenant.id))
        ]
        uses += [
            tenant for tenant in tenancy.networked() if tenant.id in store.tenants and tenant not in uses
        ]
        if uses and store.network is None:
            reason = f"is reached from every network, and {uses[0].id} keeps data there"
            hint = f"network: {uses[0].network}, and a store for each network"
            yield TenancyFinding("high", store.id, ("storage", i, "network"), reason, hint)
        for tenant in uses:
            if store.network is not None and store.network != tenant.network:
                reason = (
                    f"is {store.network}, and {tenant.id} comes from {tenant.network}: a path across networks"
                )
                hint = "a store in the tenant's own network, or a gateway that checks who reads"
                yield TenancyFinding("high", store.id, ("storage", i, "network"), reason, hint)
        guests = [
            tenant for tenant in tenancy.scenario.tenants if _wants_own_store(tenancy, tenant, store.id)
        ]
        if guests and not store.tenants and len(tenancy.tenants) > 1:
            reason = f"may be mounted by everybody, and {guests[0].id} keeps data there"
            yield TenancyFinding(
                "medium", store.id, ("storage", i, "tenants"), reason, "list who may mount it"
            )


def _wants_own_store(tenancy: _Review, tenant: Tenant, store: str) -> bool:
    return tenancy.guarded(tenant.id) and any(name == store for _, name in tenancy.used(tenant.id))


def _at_rest(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Stores that are not encrypted, used by tenants whose data must be."""
    kinds = {store.id: store for store in tenancy.scenario.storage}
    for tenant in tenancy.encrypted():
        reported: set[str] = set()
        for at, name in tenancy.used(tenant.id):
            if name in reported or kinds[name].encrypted or _off_site(tenancy, at):
                continue
            reported.add(name)
            reason = f"is not encrypted, and data of {tenant.id} must be encrypted everywhere"
            hint = f"{name}: encrypted: true (it costs {100 * kinds[name].encryption_cost:.0f} % of its bandwidth)"
            yield TenancyFinding(
                "high", name, at, reason if at[-1] == "storage" else f"{name} {reason}", hint
            )


def _off_site(tenancy: _Review, at: Path) -> bool:
    """Return whether a key names the store of a tier on another site."""
    if "tiers" not in at:
        return False
    work = dict(tenancy.work)[at[:2]]
    return work.checkpoint.tiers[int(at[at.index("tiers") + 1])].to == "object"


def _away(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Data of tenants that must be encrypted, on their way to other sites: clouds, replicas, object tiers."""
    kinds = {store.id: store for store in tenancy.scenario.storage}
    secret = {tenant.id for tenant in tenancy.encrypted()}
    for i, cloud in enumerate(tenancy.scenario.clouds):
        goes = [work for _, work in tenancy.work if work.tenant in secret and work.cloud]
        if cloud.replication is not None:
            named = cloud.replication.jobs
            goes += [
                work for _, work in tenancy.work if work.tenant in secret and (not named or work.id in named)
            ]
        if goes and not cloud.encrypted and (cloud.burst or cloud.replication):
            reason = f"is not encrypted, and {goes[0].id} of {goes[0].tenant} may go there"
            hint = "encrypted: true, or cloud: false for jobs of that tenant and no replica of them"
            yield TenancyFinding("high", cloud.id, ("clouds", i, "encrypted"), reason, hint)
    for at, work in tenancy.work:
        for t, tier in enumerate(work.checkpoint.tiers):
            store = kinds.get(tier.storage or "")
            if work.tenant in secret and tier.to == "object" and not (store and store.encrypted):
                reason = f"takes checkpoints of {work.tenant} off site, not encrypted"
                where: Path = (*at, "checkpoint", "tiers", t, "storage" if store else "to")
                hint = "name an object store with encrypted: true"
                yield TenancyFinding("high", work.id, where, reason, hint)


def _management(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Jobs that reach the management network."""
    for tenant in tenancy.scenario.tenants:
        if tenant.management:
            reason = "lets jobs reach the management network: BMCs, switches, power and cooling controls of everybody"
            hint = "management: false; staff reach it through a jump host"
            yield TenancyFinding(
                "high", tenant.id, ("tenants", tenancy.index[tenant.id], "management"), reason, hint
            )


def _roles(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Work that nobody answers for, or somebody of another tenant."""
    owners: dict[str, list[str]] = {}
    for tenant in tenancy.scenario.tenants:
        for user in tenant.users:
            owners.setdefault(user, []).append(tenant.id)
    for at, work in tenancy.work:
        own = tenancy.tenants.get(work.tenant or "")
        if own is not None and own.users and work.user is None:
            reason = f"has no user, while {own.id} lists who may act for it"
            yield TenancyFinding(
                "low", work.id, (*at, "tenant"), reason, f"user: one of {', '.join(own.users[:8])}"
            )
        elif work.user is not None and owners and work.user not in owners:
            reason = "is a user of no tenant"
            yield TenancyFinding(
                "medium", work.id, (*at, "user"), reason, "list the user under users of the tenant"
            )
        elif work.user is not None and work.user in owners and work.tenant not in owners[work.user]:
            whose = f"for {work.tenant}" if work.tenant else "for no tenant"
            reason = f"is a user of {', '.join(owners[work.user])}, and submits {whose}"
            yield TenancyFinding(
                "high", work.id, (*at, "user"), reason, "a user of the tenant whose work it is"
            )


def _quotas(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Tenants without a quota where the others have one."""
    limited = [neighbour for neighbour in tenancy.scenario.tenants if neighbour.quota is not None]
    for tenant in tenancy.scenario.tenants:
        shares = [
            neighbour.id
            for neighbour in limited
            if (tenancy.reach[neighbour.id] & tenancy.reach[tenant.id]).any()
        ]
        if tenant.quota is None and shares:
            reason = f"has no quota on nodes it shares with {', '.join(shares)}, which have one"
            hint = "quota: GPUs at a time; with borrow it may still use what nobody wants"
            yield TenancyFinding("low", tenant.id, ("tenants", tenancy.index[tenant.id], "id"), reason, hint)


def _slices(tenancy: _Review) -> Iterator[TenancyFinding]:
    """Nodes or GPUs in parts, of tenants that ask for protection but for no nodes of their own."""
    shared = [(at, work) for at, work in tenancy.work if tenancy.parts_of_nodes(work)]
    for at, work in shared:
        tenant = tenancy.tenants.get(work.tenant or "")
        if tenant is None or tenant.isolation != "none" or not tenancy.guarded(tenant.id):
            continue
        strangers = sorted(
            {
                str(neighbour.tenant)
                for _, neighbour in shared
                if neighbour.tenant != work.tenant and _may_meet(tenancy, work, neighbour)
            }
        )
        if strangers:
            key = "mig" if work.mig is not None else "gpus" if isinstance(work, Job) else "sizes"
            noun = "a node" if work.mig is None or work.mig.startswith("7g") else "a GPU"
            reason = f"shares {noun} with work of {', '.join(strangers)}: they share memory and caches"
            hint = "exclusive: true on the partition, or isolation: node for the tenant"
            yield TenancyFinding("medium", work.id, (*at, key), reason, hint)


def _may_meet(tenancy: _Review, first: Work, second: Work) -> bool:
    """Return whether two pieces of work may run on one node in parts."""
    owners = [tenancy.tenants[work.tenant] for work in (first, second) if work.tenant is not None]
    reach = tenancy.nodes_for(first) & tenancy.nodes_for(second)
    for part in tenancy.scenario.partitions:
        if part.exclusive:
            reach = reach & ~tenancy.nodes_of(part.rows)
    return bool(reach.any()) and all(owner.isolation == "none" for owner in owners)


Rule = Callable[[_Review], Iterator[TenancyFinding]]
_CONTROLS: tuple[tuple[str, str, Callable[[_Review], int], Rule], ...] = (
    (
        "compute-isolation",
        "Tenant isolation of compute (dedicated hosts)",
        lambda r: len(r.isolated()),
        _compute,
    ),
    (
        "partition-access",
        "Access lists of partitions",
        lambda r: len(r.scenario.partitions) if r.isolated() else 0,
        _access,
    ),
    (
        "network-segmentation",
        "Network segmentation (VLAN, InfiniBand P-Key)",
        lambda r: len(r.networked()),
        _network,
    ),
    (
        "storage-access",
        "Storage access by tenant and network",
        lambda r: sum(r.guarded(tenant) for tenant in r.tenants) if r.scenario.storage else 0,
        _stores,
    ),
    ("encryption-at-rest", "Encryption at rest", lambda r: len(r.encrypted()), _at_rest),
    (
        "encryption-off-site",
        "Encryption off site (cloud, replicas, object tiers)",
        lambda r: (
            len(r.encrypted()) if r.scenario.clouds or any(w.checkpoint.tiers for _, w in r.work) else 0
        ),
        _away,
    ),
    ("management-plane", "Management network out of reach of jobs", lambda r: len(r.tenants), _management),
    (
        "access-control",
        "Users and roles (who submits for whom)",
        lambda r: sum(bool(tenant.users) for tenant in r.scenario.tenants),
        _roles,
    ),
    (
        "resource-quotas",
        "Quotas against noisy neighbours",
        lambda r: sum(tenant.quota is not None for tenant in r.scenario.tenants),
        _quotas,
    ),
    (
        "gpu-partitioning",
        "GPUs and nodes in parts (MIG) across tenants",
        lambda r: sum(r.parts_of_nodes(w) and r.guarded(w.tenant) for _, w in r.work),
        _slices,
    ),
)
"""Id and title of each control, to how many things it applies, and its rule."""

TITLES: dict[str, str] = {id: title for id, title, _, _ in _CONTROLS}
"""Title of each control by its id, in the order of the checklist."""
