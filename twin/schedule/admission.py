"""Admission: refuses jobs that could never run."""

from __future__ import annotations

import math

import numpy as np

from twin import units
from twin.scenario.schema.scheduling import Green, Partition
from twin.schedule.gates import SLACK, Quotas
from twin.schedule.queue import Place, Request


def refusal(
    request: Request,
    place: Place,
    quotas: Quotas,
    green: Green,
    partition: Partition | None = None,
    tenant: str | None = None,
    asked_s: float | None = None,
    idle_w: float = 0.0,
) -> str:
    """Return why a job can never run, with a remedy; "" when it can.

    Parameters
    ----------
    partition, tenant
        Where it is submitted, and by whom.
    asked_s
        Wall time it asks for itself [s]; None: none.
    idle_w
        IT power when nothing runs [W].
    """
    if partition is not None:
        if partition.tenants and tenant not in partition.tenants:
            admitted = ", ".join(partition.tenants)
            return f"{tenant or 'a job without a tenant'} may not submit to {partition.id}; {admitted} may"
        if partition.limit_s is not None and asked_s is not None and asked_s > partition.limit_s:
            longest = units.spoken(partition.limit_s)
            return f"asks for a time limit of {units.spoken(asked_s)}; {partition.id} allows {longest}"
    most = max((int(np.count_nonzero(group)) for group in place), default=0)
    if request.nodes > most:
        return f"asks for {request.nodes} nodes; at most {most} that work together are available"
    quota = float(quotas.gpus[request.tenant])
    if math.isfinite(quota) and not quotas.borrow[request.tenant] and request.gpus > quota * (1 + SLACK):
        return f"asks for {request.gpus:g} GPUs; the quota of {tenant} is {quota:g} and it may not borrow"
    limit_w = green.power_limit_w
    if limit_w is not None and idle_w + request.power_w > limit_w * (1 + SLACK):
        more, idle, limit = (f"{watts / 1e3:,.1f} kW" for watts in (request.power_w, idle_w, limit_w))
        return f"needs {more} on top of {idle} of idle nodes; starts may take IT power up to {limit}"
    return ""
