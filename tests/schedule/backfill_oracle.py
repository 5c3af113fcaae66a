"""Backfill on shared nodes by plain sums over a list of holds: slow, and without anything of the program."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

OVERRUN_S = 60.0
"""A job that runs longer than was believed is believed to end so soon [s]."""
SLICES = 7
"""Of a GPU."""
Cell = tuple[int, int]
"""Node, and GPU of it; GPU 0 stands for all of a node whose GPUs are counted."""


@dataclass(frozen=True)
class Job:
    """GPUs, or slices of one GPU; how long it runs and is believed to run [s]."""

    submit_s: float
    gpus: int
    run_s: float
    estimate_s: float
    slices: int = 0


@dataclass
class Hold:
    """What one job has of each cell, from when to when [s]."""

    job: int
    from_s: float
    until_s: float
    ends_s: float = math.inf
    cells: dict[Cell, int] = field(default_factory=dict)


@dataclass
class Cluster:
    """Nodes of so many GPUs; GPUs are counted, or named where slices of them are asked for."""

    nodes: int
    gpus: int
    sliced: bool

    @property
    def cells(self) -> list[Cell]:
        """All of them, in order."""
        return [(node, gpu) for node in range(self.nodes) for gpu in range(self.gpus if self.sliced else 1)]

    @property
    def full(self) -> int:
        """What an empty cell holds."""
        return SLICES if self.sliced else self.gpus

    def room(self, holds: list[Hold], from_s: float, until_s: float) -> dict[Cell, int]:
        """Return what is left of each cell throughout a time."""
        instants = [from_s, *(hold.from_s for hold in holds if from_s < hold.from_s < until_s)]
        left = dict.fromkeys(self.cells, self.full)
        for instant in instants:
            used = dict.fromkeys(self.cells, 0)
            for hold in holds:
                if hold.from_s <= instant < hold.until_s:
                    for cell, amount in hold.cells.items():
                        used[cell] += amount
            left = {cell: min(left[cell], self.full - used[cell]) for cell in left}
        return left

    def fit(self, job: Job, holds: list[Hold], t_s: float, now_s: float) -> dict[Cell, int] | None:
        """Return the cells that `job` takes at `t_s`; None: it does not fit."""
        room = self.room(holds, t_s, t_s + job.estimate_s)
        of_node = {node: [room[cell] for cell in self.cells if cell[0] == node] for node in range(self.nodes)}
        empty = [node for node, left in of_node.items() if all(amount == self.full for amount in left)]
        if t_s > now_s:  # those that came free last
            empty.sort(key=lambda node: -self.free_since(node, holds, t_s))
        whole, rest = divmod(0 if job.slices else job.gpus, self.gpus)
        if not (rest or job.slices):
            return self.take_whole(empty[:whole]) if len(empty) >= whole else None

        def wholly(node: int) -> int:
            left = of_node[node]
            return left.count(SLICES) if self.sliced else left[0]

        def tightness(node: int) -> tuple[int, ...]:
            if job.slices:
                return min(amount for amount in of_node[node] if amount >= job.slices), wholly(node), node
            return wholly(node), node

        def holds_part(node: int) -> bool:
            return max(of_node[node]) >= job.slices if job.slices else wholly(node) >= rest

        shared = [node for node in of_node if node not in empty and holds_part(node)]
        if len(empty) < whole + (not shared):
            return None
        if shared:
            nodes, last = empty[:whole], min(shared, key=tightness)
        else:
            *nodes, last = sorted(empty[: whole + 1])
        return self.take_whole(nodes) | self.take_part(last, rest, job.slices, of_node[last])

    def free_since(self, node: int, holds: list[Hold], t_s: float) -> float:
        """Return when the last hold of a node before `t_s` ends."""
        there = [hold for hold in holds if any(cell[0] == node for cell in hold.cells)]
        return max((hold.until_s for hold in there if hold.until_s <= t_s), default=-math.inf)

    def take_whole(self, nodes: list[int]) -> dict[Cell, int]:
        """Return all cells of nodes."""
        return {cell: self.full for cell in self.cells if cell[0] in nodes}

    def take_part(self, node: int, rest: int, slices: int, left: list[int]) -> dict[Cell, int]:
        """Return the cells of a part of a node."""
        if slices:
            fits = [gpu for gpu, amount in enumerate(left) if amount >= slices]
            return {(node, min(fits, key=lambda gpu: (left[gpu], gpu))): slices}
        if self.sliced:
            return {
                (node, gpu): SLICES for gpu in [g for g, amount in enumerate(left) if amount == SLICES][:rest]
            }
        return {(node, 0): rest}


def start_times(
    jobs: list[Job], nodes: int, gpus: int, backfill: Literal["easy", "conservative"]
) -> list[float]:
    """Return when each job starts [s]; jobs come in the order of their submission."""
    cluster = Cluster(nodes, gpus, any(job.slices for job in jobs))
    found = [math.nan] * len(jobs)
    running: list[Hold] = []
    waiting: list[int] = []
    coming = list(range(len(jobs)))
    while coming or waiting or running:
        now_s = min([hold.ends_s for hold in running] + [jobs[number].submit_s for number in coming])
        running = [hold for hold in running if hold.ends_s > now_s]
        while coming and jobs[coming[0]].submit_s == now_s:
            waiting.append(coming.pop(0))
        for hold in running:
            hold.until_s = found[hold.job] + jobs[hold.job].estimate_s
            if hold.until_s <= now_s:
                hold.until_s = now_s + OVERRUN_S
        promises: list[Hold] = []
        for number in list(waiting):
            job = jobs[number]
            cells = cluster.fit(job, running + promises, now_s, now_s)
            if cells is not None:
                hold = Hold(number, now_s, now_s + job.estimate_s, now_s + job.run_s, cells)
                running.append(hold)
                waiting.remove(number)
                found[number] = now_s
            elif backfill == "conservative" or not promises:
                for t_s in sorted({hold.until_s for hold in running + promises}):
                    cells = cluster.fit(job, running + promises, t_s, now_s)
                    if cells is not None:
                        promises.append(Hold(number, t_s, t_s + job.estimate_s, cells=cells))
                        break
    return found
