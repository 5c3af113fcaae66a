"""Nodes of the run: who holds each, and where its GPU-seconds go while no job does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant
from twin.sim.ledger import Ledger

Ints = NDArray[np.int32]

FREE, DOWN, DRAINED, OFF, CUT, DARK = 0, 1, 2, 3, 4, 5
"""Condition of a node: usable, in repair, cordoned by people, shut down, cut off from its fabric, without power."""
UNLIT = (DOWN, OFF, DARK)
"""Conditions in which a node draws nothing."""

_ACCOUNT = {
    DOWN: "idle_in_repair",
    DRAINED: "idle_drained",
    OFF: "idle_in_repair",
    CUT: "idle_in_repair",
    DARK: "idle_no_power",
}


class Nodes:
    """Condition and holder of every node slot; keeps the ledger's resting counts true."""

    def __init__(self, plant: Plant, ledger: Ledger) -> None:
        self.plant = plant
        self.ledger = ledger
        self.cordoned = plant.nodes.drained.copy()  # people want no work on it, whatever else it goes through
        self.cut = np.zeros(len(plant.nodes.ids), bool)  # a card of it has no way to the others
        self.dark = np.zeros(len(plant.nodes.ids), bool)  # nothing supplies it, or it has not booted since
        self.condition = np.where(self.cordoned, DRAINED, FREE).astype(np.int32)
        self.job = np.full(len(plant.nodes.ids), -1, np.int32)
        self.wanted = np.zeros(len(plant.nodes.ids), bool)  # a live job could use it: it rests as a spare
        self.gpus = np.where(plant.nodes.present, plant.nodes.gpu_count, 0).astype(np.int64)
        for account, mask in self._resting():
            ledger.move(0.0, int(self.gpus[mask].sum()), None, account)

    def _resting(self, nodes: NDArray[np.intp] | slice = slice(None)) -> list[tuple[str, NDArray[np.bool_]]]:
        rest, condition, wanted = self.job[nodes] < 0, self.condition[nodes], self.wanted[nodes]
        return [
            ("idle_no_job", rest & (condition == FREE) & ~wanted),
            ("idle_spare", rest & (condition == FREE) & wanted),
            ("idle_drained", rest & (condition == DRAINED)),
            ("idle_in_repair", rest & ((condition == DOWN) | (condition == OFF) | (condition == CUT))),
            ("idle_no_power", rest & (condition == DARK)),
        ]

    def _counts(self, nodes: NDArray[np.intp]) -> list[tuple[str, int]]:
        """Return how many GPUs of `nodes` rest in each account."""
        gpus = self.gpus[nodes]
        return [(account, int(gpus[mask].sum())) for account, mask in self._resting(nodes)]

    def account(self, node: int) -> str | None:
        """Return the account `node` rests in, None while a job holds it."""
        if self.job[node] >= 0:
            return None
        return _ACCOUNT.get(int(self.condition[node]), "idle_spare" if self.wanted[node] else "idle_no_job")

    def set_condition(self, t_s: float, node: int, condition: int) -> None:
        """Give `node` another condition at `t_s`."""
        before = self.account(node)
        self.condition[node] = condition
        self._moved(t_s, node, before)

    def cordon(self, t_s: float, node: int, cordoned: bool) -> None:
        """Give `node` no more work, or work again; one that is down or off stays so until it comes back."""
        self.cordoned[node] = cordoned
        if self.condition[node] in (FREE, DRAINED, CUT):
            self.bring_back(t_s, node)

    def cut_off(self, t_s: float, node: int, cut: bool) -> None:
        """Take `node` off its fabric or put it back; one that is down or off stays so until it comes back."""
        self.cut[node] = cut
        if self.condition[node] in (FREE, DRAINED, CUT):
            self.bring_back(t_s, node)

    def lose_power(self, t_s: float, node: int) -> None:
        """Leave `node` without power; one in repair stays so, one that heat shut off is dark from now on."""
        self.dark[node] = True
        if self.condition[node] != DOWN:
            self.set_condition(t_s, node, DARK)

    def bring_back(self, t_s: float, node: int) -> None:
        """Let `node` be usable at `t_s`, unless it is cordoned or cut off."""
        resting = CUT if self.cut[node] else DRAINED if self.cordoned[node] else FREE
        self.set_condition(t_s, node, DARK if self.dark[node] else resting)

    def assign(self, t_s: float, node: int, job: int) -> None:
        """Put `node` into the hands of `job` (-1: of nobody) at `t_s`."""
        before = self.account(node)
        self.job[node] = job
        self._moved(t_s, node, before)

    def assign_all(self, t_s: float, nodes: Sequence[int] | NDArray[np.intp], job: int) -> None:
        """Put `nodes` into the hands of `job` (-1: of nobody) at `t_s`."""
        slots = np.asarray(nodes, np.intp)
        if slots.size:
            before = self._counts(slots)
            self.job[slots] = job
            self._all_moved(t_s, slots, before)

    def want(self, t_s: float, mask: NDArray[np.bool_]) -> None:
        """Mark the nodes that live jobs may use."""
        slots = np.flatnonzero(mask != self.wanted)
        if slots.size:
            before = self._counts(slots)
            self.wanted[slots] = mask[slots]
            self._all_moved(t_s, slots, before)

    def _all_moved(self, t_s: float, nodes: NDArray[np.intp], before: list[tuple[str, int]]) -> None:
        for (account, had), (_, has) in zip(before, self._counts(nodes), strict=True):
            if had != has:
                self.ledger.move(t_s, has - had, None, account)

    def _moved(self, t_s: float, node: int, before: str | None) -> None:
        after = self.account(node)
        if before != after:
            self.ledger.move(t_s, int(self.gpus[node]), before, after)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which nodes are usable and nobody holds."""
        result: NDArray[np.bool_] = (self.condition == FREE) & (self.job < 0) & self.plant.nodes.present
        return result

    def free(self, allowed: NDArray[np.bool_]) -> Ints:
        """Return the usable nodes of `allowed` that nobody holds, lowest slot first."""
        return np.flatnonzero(allowed & self.usable).astype(np.int32)

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        return {
            "condition": self.condition.tolist(),
            "cordoned": self.cordoned.tolist(),
            "cut": np.flatnonzero(self.cut).tolist(),
            "dark": np.flatnonzero(self.dark).tolist(),
            "job": self.job.tolist(),
            "wanted": self.wanted.tolist(),
        }

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.condition = np.array(state["condition"], np.int32)
        self.cordoned = np.array(state["cordoned"], bool)
        self.cut[np.array(state["cut"], int)] = True
        self.dark[np.array(state["dark"], int)] = True
        self.job = np.array(state["job"], np.int32)
        self.wanted = np.array(state["wanted"], bool)
