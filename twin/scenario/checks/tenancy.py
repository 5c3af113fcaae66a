"""Checks of tenancy: tenants, users, partitions, stores and clouds exist, and jobs keep to their rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from twin.catalog import Catalog
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.streams import JobStream
from twin.scenario.schema.work import Job, Tenant
from twin.scenario.text.parse import Path
from twin.scenario.text.problem import shown

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

Work = Job | JobStream


def work_of(scenario: Scenario) -> Iterator[tuple[Path, Work]]:
    """Yield every job and stream that the file writes, with its path."""
    for i, job in enumerate(scenario.jobs):
        yield ("jobs", i), job
    for i, stream in enumerate(scenario.streams):
        yield ("streams", i), stream


def references(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield unknown names in partitions, stores, clouds and jobs."""
    tenants = [tenant.id for tenant in scenario.tenants]
    rows = [row.id for hall in scenario.halls for row in hall.rows]
    partitions = [partition.id for partition in scenario.partitions]
    jobs = [job.id for job in scenario.jobs]
    for i, part in enumerate(scenario.partitions):
        yield from _unknown(part.rows, rows, "row generator", ("partitions", i, "rows"))
        yield from _unknown(part.tenants, tenants, "tenant", ("partitions", i, "tenants"))
    for i, store in enumerate(scenario.storage):
        yield from _unknown(store.tenants, tenants, "tenant", ("storage", i, "tenants"))
    for i, cloud in enumerate(scenario.clouds):
        if cloud.gpu not in catalog.ids("gpu"):
            near = nearest(cloud.gpu, catalog.ids("gpu"))
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(catalog.ids('gpu')[:8])}"
            yield ("clouds", i, "gpu"), "is not a GPU of the catalogue", hint
        if cloud.replication is not None:
            yield from _unknown(cloud.replication.jobs, jobs, "job", ("clouds", i, "replication", "jobs"))
    for at, work in work_of(scenario):
        named = () if work.partition is None else (work.partition,)
        yield from _unknown(named, partitions, "partition", (*at, "partition"))


def _unknown(names: Iterable[str], known: list[str], noun: str, at: Path) -> Iterator[Wrong]:
    for i, name in enumerate(names):
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known[:8]) or 'none'}"
            path = at if at[-1] == "partition" else (*at, i)
            yield path, f"unknown {noun}: {shown(name)}", hint


def trespasses(scenario: Scenario) -> Iterator[Wrong]:
    """Yield jobs and streams that their tenant, partition or store does not admit; needs valid references."""
    tenants = {tenant.id: tenant for tenant in scenario.tenants}
    partitions = {partition.id: partition for partition in scenario.partitions}
    stores = {store.id: store for store in scenario.storage}
    for at, work in work_of(scenario):
        tenant = tenants.get(work.tenant or "")
        yield from _role(at, work, tenant)
        part = partitions.get(work.partition or "")
        if part is not None and part.tenants and work.tenant not in part.tenants:
            subject = f"tenant {work.tenant}" if work.tenant else "work without a tenant"
            hint = f"it admits {', '.join(part.tenants)}; add the tenant there, or submit elsewhere"
            yield (*at, "partition"), f"does not admit {subject}", hint
        if part is not None and work.rows and not set(work.rows) & set(part.rows):
            reason = f"are outside partition {part.id}, which has {', '.join(part.rows)}"
            yield (*at, "rows"), reason, "name rows of the partition, or none"
        for key, name in stores_of(work):
            store = stores.get(name)
            if store is not None and store.tenants and work.tenant not in store.tenants:
                subject = f"tenant {work.tenant}" if work.tenant else "work without a tenant"
                hint = f"{name} is mounted only by {', '.join(store.tenants)}"
                yield (*at, *key), f"may not be mounted by {subject}", hint


def _role(at: Path, work: Work, tenant: Tenant | None) -> Iterator[Wrong]:
    if tenant is not None and tenant.users and work.user is not None and work.user not in tenant.users:
        near = nearest(work.user, tenant.users)
        hint = f"did you mean {near!r}?" if near else f"its users are {', '.join(tenant.users[:8])}"
        yield (*at, "user"), f"may not act for tenant {tenant.id}", hint


def stores_of(work: Work) -> Iterator[tuple[Path, str]]:
    """Yield every store that a job or stream names, with the rest of the path to its key."""
    if work.storage is not None:
        yield ("storage",), work.storage
    if work.checkpoint.storage is not None:
        yield ("checkpoint", "storage"), work.checkpoint.storage
    for i, tier in enumerate(work.checkpoint.tiers):
        if tier.storage is not None:
            yield ("checkpoint", "tiers", i, "storage"), tier.storage
