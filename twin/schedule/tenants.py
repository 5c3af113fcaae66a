"""Tenants as the scheduler sees them: quota, share and isolation, by number; 0 is nobody in particular."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.scenario.schema.work import Tenant
from twin.schedule.gates import Quotas
from twin.schedule.queue import NodeLabels, Requests
from twin.schedule.zones import LEVELS, Isolation


@dataclass(frozen=True)
class Tenants:
    """Columns of all tenants, shape (tenants,)."""

    quotas: Quotas
    share: Floats
    level: Ints64

    @classmethod
    def of(cls, tenants: Sequence[Tenant]) -> Tenants:
        """Return those of a scenario, numbered from 1 in its order."""
        quota = [np.inf, *(np.inf if tenant.quota is None else tenant.quota for tenant in tenants)]
        return cls(
            Quotas(np.array(quota, float), np.array([True, *(tenant.borrow for tenant in tenants)], bool)),
            np.array([1.0, *(tenant.share for tenant in tenants)]),
            np.array([0, *(LEVELS.index(tenant.isolation) for tenant in tenants)], np.int64),
        )

    def shares_of(self, requests: Requests) -> Floats:
        """Return the weight of each in the fair share: nobody's counts only where jobs are nobody's."""
        shares = self.share.copy()
        if len(shares) > 1 and not (requests.tenant == 0).any():
            shares[0] = 0.0
        return shares

    @classmethod
    def nobody(cls) -> Tenants:
        """Return a site without tenants."""
        return cls.of(())

    def isolated(self, labels: NodeLabels, alone: Bools) -> Isolation | None:
        """Return the isolation of tenants; None: there is none."""
        if not (self.level.any() or alone.any()):
            return None
        return Isolation(self.level, alone, labels)
