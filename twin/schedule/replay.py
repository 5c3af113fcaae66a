"""A light simulation of a queue without failures, for tests, benchmarks and long traces."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, IntP, Ints64
from twin.schedule.planner import Planner
from twin.schedule.queue import NOBODY, SEVERAL, SLICES, YEAR_S, HeldParts, Holding, SiteView, Start


@dataclass(frozen=True)
class Replayed:
    """Result of each job, shape (J,); nan for jobs that never started.

    Attributes
    ----------
    start_s, end_s
        When its last start was and when it ended [s].
    nodes
        What it ran on.
    """

    submit_s: Floats
    start_s: Floats
    end_s: Floats
    nodes: list[IntP]
    preemptions: int

    @property
    def wait_s(self) -> Floats:
        """Time from submission to the last start [s]."""
        return self.start_s - self.submit_s


def replay(
    planner: Planner, run_s: Sequence[float] | Floats, gpus: Ints64, until_s: float = np.inf
) -> Replayed:
    """Return the result of the jobs of `planner` on empty nodes.

    Parameters
    ----------
    run_s
        How long each job runs [s], shape (J,). One that gives way runs again in full.
    gpus
        Of every node.
    """
    return _Replay(planner, np.asarray(run_s, float), np.asarray(gpus, np.int64)).run(until_s)


class _Replay:
    def __init__(self, planner: Planner, run_s: Floats, gpus: Ints64) -> None:
        self.planner, self.requests, self.run_s, self.gpus = planner, planner.requests, run_s, gpus
        count, nodes = len(run_s), len(gpus)
        self.submit_s = self.requests.queued_s.copy()
        self.start_s, self.end_s = np.full((2, count), np.nan)
        self.nodes: list[IntP] = [np.zeros(0, np.intp)] * count
        self.held: dict[int, float] = {}  # running job: when it ends
        self.parts: dict[int, dict[int, list[tuple[int, int]]]] = {}  # node: job: (GPU, slices)
        largest = int(gpus.max(initial=1))
        self.slices = np.where(np.arange(largest) < gpus[:, None], SLICES, 0).astype(np.int8)
        self.site = SiteView(
            now_s=0.0,
            free=gpus >= 0,
            end_s=np.full(nodes, -np.inf),
            gpus=gpus,
            free_gpus=gpus.copy(),
            tenant=np.full(nodes, NOBODY, np.int64),
            used=np.zeros(len(planner.shares.due)),
            slices=self.slices if self.requests.any_slices else None,
            holdings=self._holdings,
            parts=self._parts,
        )

    def _holdings(self) -> list[Holding]:
        estimate = self.requests.estimate_s
        return [
            Holding(job, self.nodes[job].tolist(), self.start_s[job], self.start_s[job] + estimate[job])
            for job in sorted(self.held)
        ]

    def _parts(self) -> HeldParts:
        rows = [
            (node, gpu, slices, job)
            for node, held in self.parts.items()
            for job, held_nodes in held.items()
            for gpu, slices in held_nodes
        ]
        node, gpu, slices, job = np.array(rows, np.int64).reshape(-1, 4).T
        end_s = self.start_s[job] + np.minimum(self.requests.estimate_s[job], YEAR_S)
        return HeldParts(node, gpu, slices, self.requests.tenant[job], end_s)

    def run(self, until_s: float) -> Replayed:
        order = np.argsort(self.submit_s, kind="stable").tolist()
        submit_s, queue = self.submit_s.tolist(), list[int]()
        ends: list[tuple[float, int]] = []
        site, at, count, look_s, preempted = self.site, 0, len(self.run_s), np.inf, 0
        in_order = (
            self.planner.policy.prompt and not self.requests.any_partial
        )  # a full site needs no decision
        yielded: set[int] = set()  # who gave way to a job that has not had its turn since
        while True:
            next_s = ends[0][0] if ends else np.inf
            if at < count:
                next_s = min(next_s, submit_s[order[at]])
            now_s = min(next_s, look_s)
            if now_s > until_s or now_s == np.inf:
                break
            look_s = np.inf
            self.planner.shares.advance(now_s, site.used)
            site.now_s = now_s
            while ends and ends[0][0] == now_s:  # all that ends, then all that comes, then one decision
                _, job = heapq.heappop(ends)
                if self.held.get(job) == now_s:
                    self._release(job)
                    self.end_s[job] = now_s
            while at < count and submit_s[order[at]] == now_s:
                queue.append(order[at])
                at += 1
            again = bool(queue) and (not in_order or bool(site.free.any()))
            while again:
                held_back, in_line = yielded, [job for job in queue if job not in yielded]
                decision = self.planner.decide(in_line, site)
                yielded = set(decision.preempt)
                for start in decision.starts:
                    queue.remove(start.job)
                    self._take(start)
                    heapq.heappush(ends, (self.held[start.job], start.job))
                for job in decision.preempt:
                    self._release(job)
                    self.start_s[job] = np.nan
                    self.requests.queued_s[job] = now_s
                    queue.append(job)
                    preempted += 1
                again = bool(decision.preempt) or len(held_back) > 0
                look_s = decision.look_again_s
        return Replayed(self.submit_s, self.start_s, self.end_s, self.nodes, preempted)

    def _take(self, start: Start) -> None:
        job, nodes = start.job, start.nodes
        site, requests, now_s = self.site, self.requests, self.site.now_s
        until_s = now_s + min(float(requests.estimate_s[job]), YEAR_S)
        tenant = int(requests.tenant[job])
        site.free[nodes] = False
        whole = nodes[: int(requests.whole[job])]
        site.end_s[whole] = until_s
        site.free_gpus[whole] = 0
        site.tenant[whole] = tenant
        site.used[tenant] += requests.gpus[job]
        site.power_w += float(requests.power_w[job])
        self.slices[whole] = 0
        self.nodes[job], self.start_s[job] = nodes, now_s
        self.held[job] = now_s + float(self.run_s[job])
        if requests.partial[job]:
            self._part(int(nodes[-1]), start)

    def _part(self, node: int, start: Start) -> None:
        job, left = start.job, self.slices[node]
        row = self.requests.rows[job]
        chosen = list(start.gpus or np.flatnonzero(left == SLICES)[: row.rest].tolist())
        each = row.slices or SLICES
        self.parts.setdefault(node, {})[job] = [(gpu, each) for gpu in chosen]
        left[chosen] -= each
        self._tell(node)

    def _release(self, job: int) -> None:
        site, requests, nodes = self.site, self.requests, self.nodes[job]
        del self.held[job]
        whole = nodes[: int(requests.whole[job])]
        site.free[whole] = True
        site.end_s[whole] = -np.inf
        site.free_gpus[whole] = self.gpus[whole]
        site.tenant[whole] = NOBODY
        site.used[requests.tenant[job]] -= requests.gpus[job]
        site.power_w -= float(requests.power_w[job])
        self.slices[whole] = np.where(np.arange(self.slices.shape[1]) < self.gpus[whole, None], SLICES, 0)
        if requests.partial[job]:
            node = int(nodes[-1])
            for gpu, slices in self.parts[node].pop(job):
                self.slices[node, gpu] += slices
            self._tell(node)

    def _tell(self, node: int) -> None:
        """Let the site know who holds parts of `node`."""
        site, jobs = self.site, list(self.parts[node])
        tenants = set(self.requests.tenant[jobs].tolist())
        estimate_s = np.minimum(self.requests.estimate_s[jobs], YEAR_S)
        site.free[node] = not jobs
        site.end_s[node] = float((self.start_s[jobs] + estimate_s).max(initial=-np.inf))
        site.tenant[node] = NOBODY if not jobs else tenants.pop() if len(tenants) == 1 else SEVERAL
        site.free_gpus[node] = np.count_nonzero(self.slices[node] == SLICES)
