"""What fails when: a clock per component and law, whose thresholds are hashed from (seed, component id, count).

A node's clock runs while it is up, whatever it does and whoever holds it, so its whole history depends on nothing
but the seed and its own id: an intervention, a move or another rack leaves every other node's failures alone. Where
the scenario says that heat wears, it runs faster while the node's dies are hot; what it counts up to stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.arrays import Floats, UInts64
from twin.physics import reliability
from twin.physics.reliability import MAINTENANCE_S, REPAIR_CLASS
from twin.plant.failure_components import components_of
from twin.plant.node_contents import counts_of_nodes
from twin.plant.tables import Plant
from twin.scenario.schema.fault_kinds.kind import Component
from twin.scenario.schema.faults import Cause, Failures
from twin.sim.core.draws import Draws
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import ArrayField, Derived, Fields, Items
from twin.sim.hazard.fleet_rates import bursts_scale, lemons_scale
from twin.sim.hazard.hazard_clocks import ClockSet

_MAIN = ("node", None, "node")
"""The law of most causes: of a node as a whole, at a constant rate."""
WORN_SHARE = 0.02
"""Change of a node's failure rate by heat that is taken note of [-]."""


@dataclass(frozen=True)
class Strike:
    """One failure.

    Parameters
    ----------
    on, slot
        Sort of component, and its place in its table.
    cause
        What strikes it.
    repair_s
        How long it is away; 0: a restart is enough [s].
    gpu
        GPU of the node that is hit, from 0.
    number
        Failures that component had before by this law, for further draws.
    clocks, place
        Its clock, and its place in that set.
    """

    on: Component
    slot: int
    cause: Cause
    repair_s: float
    gpu: int
    number: int
    clocks: ClockSet
    place: int


class FailureClocks(ClockSet):
    """Clocks of nodes that fail at constant rates; `others` are those of other components and laws.

    Parameters
    ----------
    plant
        With its nodes.
    failures
        Causes and what they depend on.
    draws
        Seeds of the run.
    first
        The plant as the run began, by whose domains rates are scaled; None: it is the same.
    """

    def __init__(
        self,
        plant: Plant,
        failures: Failures,
        draws: Draws,
        first: Plant | None = None,
    ) -> None:
        self.known = {
            cause.id: cause for cause in failures.causes
        }  # by hand they strike even where nothing fails by itself
        self.active = failures.acting
        self.constant_repair_s = failures.repair_constant_s
        self.arrhenius = failures.arrhenius
        self.gpu_count = plant.nodes.gpu_count
        self.lemons = failures.lemons and bool(self.active)
        keys = reliability.component_keys(plant.nodes.ids)
        self.generation = np.zeros(len(keys), np.int64)
        self.replaced_by: dict[int, int] = {}  # seed of the quality of nodes that came after a redraw
        self.draws, self.scale = draws, np.ones(len(keys))
        if failures.bursts is not None:
            self.scale *= bursts_scale(plant, failures.bursts, first)
        if self.lemons:
            on_nodes = [c for c in self.active if c.on == "node"]
            there = plant.nodes.present
            means = {
                c.each: float(counts_of_nodes(plant, c.each)[there].mean()) for c in on_nodes if there.any()
            }
            rates = [c.per_node_s * means.get(c.each, 1.0) for c in on_nodes]
            self.scale *= lemons_scale(rates, [self.mean_repair_s(c) for c in on_nodes])
        quality = np.where(plant.nodes.present, self._lemons(keys, draws.own) * self.scale, 0.0)
        main = tuple(c for c in self.active if (c.on, c.shape, c.each) == _MAIN)
        super().__init__(keys, main, draws, "", quality)
        self.up = plant.nodes.present.copy()
        self.due_s = self.due(np.arange(len(keys)))
        self.others: list[tuple[Component, NDArray[np.int64], ClockSet]] = []
        self.counts: dict[str, Floats] = {}  # what each node has of `each`, by name of the set
        for law in dict.fromkeys((c.on, c.shape, c.each) for c in self.active):
            on, shape, each = law
            if law == _MAIN:
                continue
            components = tuple(c for c in self.active if (c.on, c.shape, c.each) == law)
            name = (
                f" {on}" + ("" if shape is None else f" {shape!r}") + ("" if each == "node" else f" {each}")
            )
            counts = counts_of_nodes(plant, each)
            if on == "node":
                self.counts[name] = counts
                slots, own_keys, weight = np.arange(len(keys)), keys, quality * counts
            else:
                found = components_of(plant, on)
                slots, own_keys, weight = found.slots, found.keys, found.weight
                if on == "nvlink":
                    weight = weight * counts[slots]
            self.others.append((on, slots, ClockSet(own_keys, components, draws, name, weight)))

    def _lemons(self, keys: UInts64, seed: int) -> Floats:
        return reliability.lemon_factor(seed, keys) if self.lemons else np.ones(len(keys))

    @property
    def per_node_s(self) -> float:
        """Return how often jobs are stopped, per node they hold, by all that can fail [1/s]."""
        total = self.rate
        nodes = max(1, int((self.quality > 0).sum()))
        for on, _, clocks in self.others:
            if on == "node":
                counts = self.counts[clocks.name][self.quality > 0]
                total += clocks.rate * (float(counts.mean()) if counts.size else 1.0)
            else:
                total += clocks.rate * float(clocks.quality.sum()) / nodes
        return total

    def mean_repair_s(self, cause: Cause) -> float:
        """Return the mean repair time of `cause` [s]."""
        if cause.repair == "restart":
            return 0.0
        if self.constant_repair_s is not None:
            return self.constant_repair_s
        if cause.repair == "maintenance":
            return MAINTENANCE_S
        return reliability.REPAIR_CLASSES[REPAIR_CLASS[cause.repair]].repair.mean_s

    def earliest_s(self) -> float:
        """Return when the next failure of anything is due [s]; infinity when nothing fails."""
        return min([self.next()[0], *(clocks.next()[0] for _, _, clocks in self.others)])

    def take(self, t_s: float) -> Strike:
        """Take the earliest failure, which is due at `t_s`."""
        due_s, place = self.next()
        found: tuple[Component, int, ClockSet] = ("node", place, self)
        for on, slots, clocks in self.others:
            due, at = clocks.next()
            if due < due_s:
                due_s, place, found = due, at, (on, int(slots[at]), clocks)
        on, slot, clocks = found
        return self._struck(on, slot, clocks, place, t_s)

    def _struck(self, on: Component, slot: int, clocks: ClockSet, place: int, t_s: float) -> Strike:
        number, name = int(clocks.count[place]), clocks.name
        cause = clocks.cause_of(clocks.draw(place, f"cause{name}"))
        gpu = int(clocks.draw(place, f"gpu{name}") * int(self.gpu_count[slot])) if on == "node" else -1
        repair_s = self.repair_s(cause, clocks.draw(place, f"repair{name}"))
        clocks.begin_anew(place, t_s)
        return Strike(on, slot, cause, repair_s, gpu, number, clocks, place)

    def strike(self, node: int, t_s: float) -> tuple[Cause, float, int]:
        """Take the failure of `node` at `t_s`; return its cause, its repair time [s] and the GPU of the node hit."""
        struck = self._struck("node", node, self, node, t_s)
        return struck.cause, struck.repair_s, struck.gpu

    def drawn_repair_s(self, node: int, cause: Cause | None) -> float:
        """Return the repair time of an injected failure of `node` [s]; no cause: that of a GPU.

        The draw is its own, so the failures that come by themselves stay where they are.
        """
        u = self.draw(node, "injected")
        if cause is None:
            return self.constant_repair_s or float(
                reliability.repair_time_s(reliability.REPAIR_CLASSES["gpu"].repair, u)
            )
        return self.repair_s(cause, u)

    def repair_s(self, cause: Cause, uniform: float) -> float:
        """Return the repair time of `cause` at quantile `uniform` [s]; 0: a restart is enough."""
        return float(self.repair_times_s(cause, uniform))

    def repair_times_s(self, cause: Cause, uniform: ArrayLike) -> Floats:
        """Return the repair times of `cause` at quantiles `uniform` [s]."""
        constant_s = self.constant_repair_s
        if cause.repair == "restart":
            constant_s = 0.0
        elif constant_s is None and cause.repair == "maintenance":
            constant_s = MAINTENANCE_S
        if constant_s is not None:
            return np.full(np.shape(uniform), constant_s)
        quantiles = reliability.REPAIR_CLASSES[REPAIR_CLASS[cause.repair]].repair
        return reliability.repair_time_s(quantiles, uniform)

    def set_up(self, node: int, t_s: float, up: bool) -> None:
        """Stop (node is down) or let continue (it is up) the clocks of `node`."""
        super().set_up(node, t_s, up)
        for on, _, clocks in self.others:
            if on == "node":
                clocks.set_up(node, t_s, up)

    def set_component(self, on: Component, slot: int, t_s: float, up: bool) -> None:
        """Stop or let continue the clocks of a component that is no node."""
        for sort, slots, clocks in self.others:
            if sort == on:
                clocks.set_up(int(np.searchsorted(slots, slot)), t_s, up)

    def renew(self, node: int, t_s: float) -> None:
        """Let another node stand in place of `node` from `t_s` on: new, and of a quality of its own."""
        self.generation[node] += 1
        if self.seed != self.draws.own:
            self.replaced_by[node] = self.seed
        self._requalify(np.array([node]), self.seed)
        self.restart(node, t_s)
        for on, _, clocks in self.others:
            if on == "node":
                clocks.restart(node, t_s)

    def _requalify(self, nodes: NDArray[np.int64], seed: int) -> None:
        """Draw the quality of nodes that were replaced, each by its id and how often that was."""
        if not self.lemons:
            return
        keys = reliability.hash_u64(seed, self.keys[nodes], "replaced", self.generation[nodes])
        quality = self._lemons(keys, seed) * self.scale[nodes]
        self.quality[nodes] = quality
        for on, _, clocks in self.others:
            if on == "node":
                clocks.quality[nodes] = quality * self.counts[clocks.name][nodes]

    def redraw(self, t_s: float) -> None:
        """Redraw how far the clock of each component still has to go from `t_s` on."""
        super().redraw(t_s)
        for _, _, clocks in self.others:
            clocks.redraw(t_s)

    def heat(self, node_die_c: Floats, t_s: float) -> bool:
        """Let the clocks of nodes run as their mean dies have it from `t_s` on; return whether any changed its rate.

        Parameters
        ----------
        node_die_c
            Mean die temperature of each node, shape (N,) [C].
        t_s
            Now [s].
        """
        if self.arrhenius is None:
            return False
        wear = reliability.arrhenius_factor(
            node_die_c, self.arrhenius.reference_c, self.arrhenius.activation_ev
        )
        moved = np.flatnonzero(np.abs(wear - self.wear) > WORN_SHARE * self.wear)
        if not moved.size:
            return False
        self.hasten(wear[moved], moved, t_s)
        for on, _, clocks in self.others:
            if on == "node":
                clocks.hasten(wear[moved], moved, t_s)
        return True

    def on_restored(self) -> None:
        """Give nodes that were replaced their quality, and work out what is due."""
        self._requalify(np.flatnonzero(self.generation), self.draws.own)
        for node, seed in self.replaced_by.items():
            self._requalify(np.array([node]), seed)
        super().on_restored()

    def _take_others(self, saved: list[dict[str, Any]]) -> None:
        for (_, _, clocks), state in zip(self.others, saved, strict=True):
            clocks.restore(state)

    STATE = Fields(
        *ClockSet.STATE.first,
        ArrayField("generation", np.int64),
        Items("replaced_by", int, sort=True, missing=[], spare=True),
        last=[Derived("others", lambda part: [clocks.state() for _, _, clocks in part.others], _take_others)],
    )

    def carried(self, old: FailureClocks, edit: EditedPair) -> dict[str, Any]:
        """Return what these clocks take over: each component keeps its own, by its key."""
        there, here = edit.kept["nodes"].there, edit.kept["nodes"].here
        gone = np.setdiff1d(np.arange(len(old.count)), there)  # should they come back, their clocks continue
        gone = gone[~np.isin(gone, here)]
        there, here = np.append(there, gone), np.append(here, gone)
        generation = np.zeros(len(self.count), np.int64)
        generation[here] = old.generation[there]
        place = dict(zip(there.tolist(), here.tolist(), strict=True))
        laws = {clocks.name: clocks for _, _, clocks in old.others}
        kept_clocks = []
        for on, _, clocks in self.others:
            before, had, has = laws[clocks.name], there, here
            if on != "node":
                _, had, has = np.intersect1d(before.keys, clocks.keys, return_indices=True)
            kept_clocks.append(clocks.kept(before, had, has, edit.at_s))
        return self.kept(old, there, here, edit.at_s) | {
            "generation": generation.tolist(),
            "replaced_by": [(place[node], seed) for node, seed in old.replaced_by.items()],
            "others": kept_clocks,
        }
