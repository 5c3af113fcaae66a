"""Temperatures and groups of a run onto an edited hall: what stands keeps its heat, newcomers are as warm as the air.

Heat goes with the machines that hold it. What comes and goes is counted from the air of the hall, so a machine that is
carried in brings none. It is booked as heat that left, or came back, so energy in, out and stored stay closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.arrays import Floats, IntP
from twin.physics.thermal import AcceptedStep, EnergyTerms
from twin.physics.thermal_network import Groups, ThermalNetwork, ThermalState
from twin.sim.thermal.gpu_groups import IDLE
from twin.sim.thermal.heat import HeatTotals

if TYPE_CHECKING:
    from twin.sim.core.slot_map import EditedPair
    from twin.sim.run.parts import RunParts


NEW = -1
"""Instead of the group that GPUs come from: they were not there."""


def graft_heat(old: RunParts, new: RunParts, edit: EditedPair) -> None:
    """Give `new`, whose other parts have their state, the groups and temperatures of `old`, booked up to now."""
    now_s, before = old.timers.now_s, old.heat.integrator.state
    air_c = before.hall_air_c(old.heat.network.shape)
    reference_c = float(air_c.mean())
    source = _regroup(old, new, edit)
    upper = _upper(old, new, edit, before)
    chain = np.zeros((len(source), 4, 2))
    there = source >= 0
    chain[there] = before.chain[source[there]]
    chain[~there, :, 0] = reference_c
    after = ThermalState(chain, upper)
    _clocks(old, new, source)
    new.lifetime.above_s |= old.lifetime.above_s
    new.lifetime.any = old.lifetime.any
    heat, totals = new.heat, old.heat.totals
    heat.hottest_c = old.heat.hottest_c
    kept = edit.kept["loops"].there
    heat.totals = HeatTotals(**vars(totals))
    for name, none in (("loop_max_c", -np.inf), ("loop_throttle_gpu_s", 0.0)):
        values = np.full(len(new.plant.loops.ids), none)
        values[kept] = getattr(totals, name)[kept]
        setattr(heat.totals, name, values)
    nothing = EnergyTerms(0.0, 0.0, 0.0)
    step = AcceptedStep(now_s, now_s, after, after, 0.0, nothing, old.heat.integrator.rungs)
    sink_c = new.cooling.sink_c(now_s)
    powers = [new.meter.loop_heat_w.tolist(), new.meter.hall_heat_w.tolist()]
    sink = [sink_c.tolist(), now_s]
    heat.resume(step, sink, powers, old.heat.integrator.dt_cap_s)
    heat.pending, heat.fresh = False, True
    came_j = _stored_j(heat.network, new.traces.groups, after, reference_c)
    came_j -= _stored_j(old.heat.network, old.traces.groups, before, reference_c)
    heat.totals.stored_j += came_j
    heat.totals.out_j -= came_j


def _regroup(old: RunParts, new: RunParts, edit: EditedPair) -> IntP:
    """Give every slot of `new` a group; return the group of `old` that each comes from."""
    was, now = old.traces, new.traces
    there, here = edit.kept["nodes"].there, edit.kept["nodes"].here
    stays = edit.kept["nodes"].number
    numbers = edit.numbers
    alone = [gpu for gpu in was.alone if int(was.dies.node[gpu]) in stays]
    now.set_alone([numbers.gpu(gpu) for gpu in alone])
    now._leaving = {numbers.gpu(gpu) for gpu in alone if gpu in was._leaving}
    source = np.full(len(now.slot_group), NEW, np.intp)
    source[here] = was.slot_group[there]
    before = np.full(len(source), -1, np.intp)  # the node that each slot was of
    before[here] = there
    for slot, gpu in enumerate(alone, now.nodes):
        source[slot] = was.slot_group[was.nodes + was.alone.index(gpu)]
        before[slot] = was.dies.node[gpu]
    part = _parts(old, new, source, before)
    now.slot_part, now.slot_limit = part, new.limits.node_class[now.owner]
    trace = np.full(len(source), IDLE, np.intp)
    trace[source >= 0] = was.trace[source[source >= 0]]
    trace[trace >= old.clocks.first_mixed] += new.clocks.first_mixed - old.clocks.first_mixed
    live = now.slot_gpus > 0
    keys = np.stack([source, now.slot_loop, part, trace, now.slot_limit])[:, live]
    groups, which = np.unique(keys, axis=1, return_inverse=True)
    which = which.reshape(-1)
    now.slot_group = np.full(len(live), -1, np.intp)
    now.slot_group[live] = which
    size = groups.shape[1]
    now.groups = Groups.of(
        groups[1],
        groups[2],
        np.bincount(which, now.slot_gpus[live], minlength=size),
        np.bincount(which, now.slot_sum_s[live], minlength=size),
    )
    now.trace, now.limit = groups[3].copy(), groups[4].copy()
    now.splits.clear()
    now._measure()
    source_of: IntP = groups[0]
    return source_of


def _parts(old: RunParts, new: RunParts, source: IntP, before: IntP) -> IntP:
    """Return the thermal part of each slot: that of its fault, where what cools it is as before.

    `before` is the node that the slot was of.
    """
    place = {key: number for number, key in enumerate(new.body.keys)}
    same = {number: place[key] for number, key in enumerate(old.body.keys) if key in place}
    renamed = np.full(len(old.heat.network.parts), -1, np.intp)
    for number, to in same.items():
        renamed[number] = to
    for (base, flow, contact), number in old.oddities._variants.items():
        if base in same:
            renamed[number] = new.oddities.part_of(same[base], flow, contact)
    usual = new.oddities._base_part[new.traces.owner]
    was_usual, was = np.full((2, len(source)), -1, np.intp)
    known = source >= 0
    was_usual[known] = renamed[old.oddities._base_part[before[known]]]
    was[known] = renamed[old.traces.groups.part[source[known]]]
    parts: IntP = np.where((was_usual == usual) & (was >= 0), was, usual)
    return parts


def _upper(old: RunParts, new: RunParts, edit: EditedPair, before: ThermalState) -> Floats:
    """Return temperatures of loops, halls and plants: new ones as warm as the air, water as its plant holds it."""
    was, now = old.heat.network.shape, new.body.network.shape
    air_c = before.hall_air_c(was)
    reference_c = float(air_c.mean())
    loops, halls, plants = (edit.kept[name].there for name in ("loops", "halls", "plants"))
    held_c = np.asarray(new.cooling.rejection.held_c, float)
    out: list[Floats] = []
    upper, at = before.upper, 0
    for count, size, kept, fresh in (
        (was.n_loops, now.n_loops, loops, np.full(now.n_loops, reference_c)),
        (was.n_loops, now.n_loops, loops, np.full(now.n_loops, reference_c)),
        (was.n_halls, now.n_halls, halls, np.full(now.n_halls, reference_c)),
        (was.n_plants, now.n_plants, plants, held_c),
        (was.n_plants, now.n_plants, plants, held_c),
    ):
        part, held = fresh[:size].copy(), upper[at : at + count]
        kept = kept if len(kept) or count > size else np.arange(min(count, size))  # a stand-in stays one
        kept = kept[kept < min(count, size)]  # loops of the site that no water runs in have no temperature
        part[kept] = held[kept]
        out.append(part)
        at += count
    return np.concatenate(out)


def _clocks(old: RunParts, new: RunParts, source: IntP) -> None:
    """Let heat continue holding the clocks down that it holds down."""
    was, now = old.clocks, new.clocks
    there = source >= 0
    clocks, own = (was, now), (was.own, now.own)
    for (before, after), name, none in (
        (clocks, "walk", 1.0),
        (clocks, "pace", 1.0),
        (clocks, "hbm_slow", False),
        (clocks, "base_w", 0.0),
        (clocks, "dyn_w", 0.0),
        (clocks, "leak_w_k", 0.0),
        (clocks, "clock_ghz", 0.0),
        (clocks, "capped_ghz", 0.0),
        (own, "common_ghz", 0.0),
        (own, "slope_ghz", 0.0),
        (own, "waits_ghz", 0.0),
    ):
        values = getattr(before, name)
        grown = np.full(len(source), none, values.dtype)
        grown[there] = values[source[there]]
        setattr(after, name, grown)
    now._seen_c = np.full(len(source), np.inf)
    now.cap_w, now.job_clock = dict(was.cap_w), dict(was.job_clock)
    now.holding, now.hot_gpus = was.holding, was.hot_gpus
    now.throttling = bool((now.walk < 1).any() or now.hbm_slow.any())
    now.walked = True


def _stored_j(network: ThermalNetwork, groups: Groups, state: ThermalState, reference_c: float) -> float:
    """Return the heat in everything above a temperature [J]."""
    capacity = network.chain_capacity_j_k[groups.part]
    common, spread = state.chain[:, :, 0] - reference_c, state.chain[:, :, 1]
    chains = capacity * (groups.n[:, None] * common + groups.sum_s[:, None] * spread)
    return float(chains.sum() + network.upper_capacity_j_k @ (state.upper - reference_c))
