"""The scheduler without a clock: a pure function from queue and site to a decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.arrays import Bools, Ints64
from twin.schedule.backfill import BACKFILLS, EVERYBODY
from twin.schedule.gates import waits_for_clean
from twin.schedule.orders import ORDERS, QueueStanding, ordered
from twin.schedule.placement import PLACEMENTS
from twin.schedule.policies import Policy
from twin.schedule.preemption import victims
from twin.schedule.profile import classes_of
from twin.schedule.queue import Decision, NodeLabels, Place, Requests, SiteView, Why
from twin.schedule.rules import Rules
from twin.schedule.shares import FairShare
from twin.schedule.tenants import Tenants
from twin.schedule.trial import Trial
from twin.schedule.windows import Window

EXPLAINED = 20
"""Jobs in front of the queue that are told why they wait."""


class Planner:
    """One policy for one set of jobs on one set of nodes.

    Parameters
    ----------
    policy
        What orders, fills, places, preempts and waits for clean energy.
    requests
        All jobs of the run.
    places
        Groups of nodes in which jobs can run, by `Request.place`.
    labels
        Where nodes stand.
    tenants
        Quotas, shares and isolation; number 0 is nobody.
    windows
        Times set aside.
    gpus
        Of every node.
    alone
        Nodes that two tenants never share.

    Attributes
    ----------
    shares : FairShare
        Kept up to date by whoever has a clock.
    """

    def __init__(
        self,
        policy: Policy,
        requests: Requests,
        places: Sequence[Place],
        labels: NodeLabels,
        tenants: Tenants | None = None,
        windows: Sequence[Window] = (),
        gpus: Ints64 | None = None,
        alone: Bools | None = None,
    ) -> None:
        self.policy, self.requests, self.windows = policy, requests, tuple(windows)
        nodes = len(labels.rack)
        tenants = tenants or Tenants.nobody()
        masks = [group for place in places for group in place] + [window.nodes for window in windows]
        node_class = classes_of(masks, nodes)
        classes = int(node_class.max(initial=0)) + 1

        def member(mask: Bools) -> Bools:
            return np.bincount(node_class[mask], minlength=classes) > 0

        self.rules = Rules(
            requests=requests,
            places=tuple(places),
            labels=labels,
            windows=self.windows,
            isolation=tenants.isolated(labels, np.zeros(nodes, bool) if alone is None else alone),
            quotas=tenants.quotas,
            green=policy.green,
            placement=PLACEMENTS[policy.placement],
            node_class=node_class,
            member=tuple(tuple(member(group) for group in place) for place in places),
            of_window=np.array([member(window.nodes) for window in windows], bool).reshape(-1, classes),
            depth=policy.depth,
        )
        self.shares = FairShare(tenants.shares_of(requests), policy.weights.half_life_s)
        self._gpus = max(1.0, float(gpus.sum()) if gpus is not None else float(nodes))
        self._plain = not (policy.green.carbon_limit_kg_j or policy.green.price_limit_usd_j)

    def decide(self, queue: Sequence[int], site: SiteView) -> Decision:
        """Return the starts, the preemptions, and when to decide again.

        Parameters
        ----------
        queue
            Numbers of the waiting jobs, those who came first in front.
        """
        trial = Trial(self.rules, site)
        if not len(queue):
            return trial.decision
        decision = trial.decision
        jobs, decision.look_again_s = self._in_turn(queue, trial, site)
        if self.rules.quotas.any:
            waiting = self._within_then_beyond(jobs, trial, site)
        else:
            waiting = BACKFILLS[self.policy.backfill](trial, jobs, jobs[:0])
        for job in waiting[:EXPLAINED].tolist():
            decision.reasons[job] = trial.why(job)
        if self.policy.preemption.enabled and len(waiting):
            decision.claimant = int(waiting[0])
            decision.preempt, ready_s = victims(decision.claimant, trial, site, self.policy.preemption)
            decision.look_again_s = min(decision.look_again_s, ready_s)
        if self.windows and len(decision.starts) < len(queue):
            decision.look_again_s = min(decision.look_again_s, self.rules.calendar.turn_s(site.now_s))
        return decision

    def _within_then_beyond(self, jobs: Ints64, trial: Trial, site: SiteView) -> Ints64:
        """Start jobs within the quotas of their tenants, then those that borrow; return the jobs that wait.

        A job borrows too when another of its tenant fills the quota in this very decision.
        """
        quotas, backfill = self.rules.quotas, BACKFILLS[self.policy.backfill]
        within, beyond = quotas.sorted_out(jobs, self.requests, site.used)
        waiting = backfill(trial, within, jobs[:0])
        late = np.concatenate([beyond, np.array(trial.passed, np.int64)])
        borrow = jobs[np.isin(jobs, late) & quotas.borrow[self.requests.tenant[jobs]]]
        bound = jobs[~np.isin(jobs, np.concatenate([within, borrow])) | np.isin(jobs, trial.passed)]
        trial.decision.reasons.update(dict.fromkeys(bound.tolist(), Why.QUOTA))
        trial.borrowing.update(borrow.tolist())
        return backfill(trial, borrow, waiting)

    def _most(self, site: SiteView) -> int:
        """Return how many jobs in order to consider: those that can start, and those that may pass others."""
        if not self._plain or self.rules.quotas.any or self.requests.any_slices:
            return EVERYBODY  # who waits for other reasons is passed by any number
        startable = int(site.free_gpus.sum()) + int(np.count_nonzero(site.free))  # each takes a GPU or a node
        return self.policy.depth + startable + 1

    def _in_turn(self, queue: Sequence[int], trial: Trial, site: SiteView) -> tuple[Ints64, float]:
        """Return the jobs that may start, in order, and the time at which others may."""
        jobs = np.asarray(queue, np.int64)
        most = EVERYBODY if len(jobs) <= self.policy.depth else self._most(site)
        if self.policy.order != "submit":
            standing = QueueStanding(site.now_s, self.policy.weights, self.shares, self._gpus)
            jobs = ordered(
                jobs, ORDERS[self.policy.order](jobs, self.requests, standing), self.requests, most
            )
        jobs = jobs[:most]
        if self._plain:
            return jobs, np.inf
        waits, look_s = waits_for_clean(jobs, self.requests, self.policy.green, site)
        trial.decision.reasons.update(dict.fromkeys(jobs[waits].tolist(), Why.GREEN))
        return jobs[~waits], look_s
