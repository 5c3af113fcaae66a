"""Power besides the GPUs: the rest of the nodes, switches and stores, converters, shelves, pumps and fans.

All of it is heat of the network of loops and halls while it is constant; `Overhead.follow` says when it has moved.
"""

from __future__ import annotations

from operator import is_not
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import AnyInts, Floats, IntP
from twin.physics.flow_laws import EASY_C, NodePower
from twin.physics.thermal_crossing import Band
from twin.physics.thermal_network import ThermalState
from twin.plant.tables import LoopKind, Plant
from twin.sim.core.slot_fields import Column, Stretch
from twin.sim.core.state import Derived, Fields, Row, StateField, Stateful
from twin.sim.jobs.work import Work
from twin.sim.meters.node_sums import NodeSums
from twin.sim.power.system import PowerSystem
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.gpu_groups import OFF, stepping
from twin.sim.thermal.job_groups import WorkFigures
from twin.sim.thermal.thermal_build import Body

ROOM_TRIP_C, ROOM_RESET_C = 50.0, 35.0
"""A hall loses its power above the first temperature of its air and may come back below the second [est]."""
FEW = 0.25
"""Where more of the nodes than this share draw another power, all are worked out: that takes less [-]."""
MOVED = 1e-3
"""Heat of machines and supplies is followed when it has moved by this share of IT power."""
_NOBODY = np.zeros(0, np.intp)


class _ByTrace:
    """Power of nodes besides their GPUs by the trace that drives them: worked out once for all nodes that are alike."""

    def __init__(self, body: Body) -> None:
        power, bare = body.node_power, body.node_power.without_fans()
        idle_w, fans_w = np.asarray(bare.idle_w), np.asarray(power.fans_w)
        swings_w = np.asarray(bare.full_w - idle_w), np.asarray(bare.peak_w - idle_w)
        alike = (
            idle_w,
            *swings_w,
            fans_w,
            np.asarray(power.idle_share),
            body.inlet_c,
            np.asarray(power.peak_w),
        )
        kinds, kind = np.unique(np.stack(alike), axis=1, return_inverse=True)
        self._kind = kind.reshape(-1).astype(np.intp)
        (
            self._idle_w,
            self._swing_w,
            self._peak_swing_w,
            self._fans_w,
            self._idle_share,
            self._inlet_c,
            self._most_w,
        ) = kinds[:, :, None]
        self._warm = bool((fans_w > 0).any() and (body.inlet_c > EASY_C).any())
        # How hard each trace drives a node, whether at its peak, and what nodes of each kind draw at that.
        self.share, self._peak = np.zeros((2, 0))
        self._node_w, self._at = np.zeros((kinds.shape[1], 0)), self._kind

    def renew(self, share: Floats, peak: Floats) -> None:
        """Let traces drive nodes so hard, and at their peak where that is 1, shapes (traces,)."""
        self.share, self._peak = share, peak
        self._node_w, self._at = np.empty((len(self._idle_w), len(share))), self._kind * len(share)
        self._work_out(np.arange(len(share)))

    def drive(self, traces: IntP, share: Floats, peak: Floats) -> IntP:
        """Let some traces drive nodes so hard, and at their peak where that is 1; return those that did not, (S,)."""
        moved = ((share != self.share[traces]) | (peak != self._peak[traces])).nonzero()[0]
        others: IntP = traces[moved]
        if moved.size:
            self.share[others], self._peak[others] = share[moved], peak[moved]
            self._work_out(others)
        return others

    def _work_out(self, traces: IntP) -> None:
        share = self.share[traces]
        node_w = share * np.where(self._peak[traces] > 0, self._peak_swing_w, self._swing_w) + self._idle_w
        fans = NodePower(0.0, 0.0, 0.0, self._fans_w, self._idle_share)
        node_w += fans.fan_power_w(share, self._inlet_c)
        self._node_w[:, traces] = np.minimum(node_w, self._most_w) if self._warm else node_w

    def power_w(self, trace: IntP, nodes: IntP | None = None) -> Floats:
        """Return the power of some nodes in their traces, shape of `nodes`; of all where none are named (N,) [W]."""
        at = trace
        if len(self._idle_w) > 1:
            at = trace + (self._at if nodes is None else self._at[nodes])
        power_w: Floats = self._node_w.ravel().take(at)
        return power_w


class _Driven(NamedTuple):
    """What nodes were last asked to do, and what came of it.

    Parameters
    ----------
    wanted
        Trace of each node (N,).
    node_w
        Power besides their GPUs (N,) [W].
    loop_w, hall_w
        The heat of that into each loop and into the air of each hall [W].
    """

    wanted: IntP
    node_w: Floats
    loop_w: Floats
    hall_w: Floats


class Overhead(Stateful):
    """Powers of nodes besides their GPUs and of what else stands in the racks, and where all that heat goes.

    Attributes
    ----------
    node_w, static_w
        Of each node besides its GPUs; of switches and stores in each rack [W].
    loop_heat_w, hall_heat_w
        Heat into each loop and into the air of each hall, machines and supplies included [W].
    machines_w, supplies_w
        What pumps and fans, and what shelves and converters, have in those sums [W].
    total_w
        Sum of all that heat [W].
    rest_w
        Power of all nodes besides their GPUs [W].
    band
        Temperatures between which no hall trips or comes back, as `ThermalState.upper` [C].
    """

    def __init__(self, power: PowerSystem, cooling: CoolingSystem, body: Body, plant: Plant) -> None:
        self.power, self.cooling, self.body, self.plant = power, cooling, body, plant
        self.node_w = np.zeros(len(plant.nodes.ids))
        shape = body.network.shape
        self._loops, self._halls = shape.n_loops, shape.n_halls
        self._own_loop_w, self._own_hall_w = np.zeros(self._loops), np.zeros(self._halls)
        self.loop_heat_w, self.hall_heat_w = np.zeros(self._loops), np.zeros(self._halls)
        self._extra_loop_w, self._extra_hall_w = np.zeros(self._loops), np.zeros(self._halls)
        nodes, racks = plant.nodes, plant.racks
        loop, shelf_loop = self._places()
        self._statics = _in_loops(loop, racks.hall)
        self._shelves = _in_loops(shelf_loop, racks.hall)
        self._by_loop = NodeSums(np.maximum(nodes.loop, 0).astype(np.intp), self._loops)
        self._by_hall = NodeSums(np.asarray(racks.hall[nodes.rack], np.intp), self._halls)
        self.node_rack = np.asarray(nodes.rack, np.intp)
        self._housed = np.bincount(self.node_rack[nodes.present], minlength=len(racks.ids)) > 0
        self._inlets = inlets = np.flatnonzero(
            (plant.loops.kind == LoopKind.AIR) & (body.network.loop_flow_w_k > 0)
        )
        # Air that gear breathes: that of the halls, and what is blown to nodes; place in `ThermalState.upper`; hall.
        self._air_at = np.concatenate([2 * self._loops + np.arange(self._halls), self._loops + inlets])
        self._air_hall = np.concatenate([np.arange(self._halls), shape.loop_hall[inlets]])
        self._unknowns = shape.n_upper
        self.hall_tripped = np.zeros(self._halls, bool)  # switches and stores are off: the room is too hot
        self._warm = np.zeros(len(self._air_at), bool)  # above the reset of its hall, when last looked at
        self._set_band()
        self.static_w = body.rack_static_w
        self._any_to_air = bool(body.overhead_to_air.any())
        self._by_trace = _ByTrace(body)
        self._drives: tuple[tuple[int, int], WorkFigures] | None = None  # of which plans and models, by job
        self.converter_w = np.zeros(len(plant.nodes.ids))  # loss of each node's converters
        self.shelf_w = np.zeros(len(plant.racks.ids))  # loss of each rack's shelves, as it is in those sums
        self.converted_w = self.converter_w  # and of each node's converters
        self.machines_w, self.supplies_w, self.total_w = 0.0, 0.0, 0.0
        self.rest_w = 0.0
        self._lit = np.zeros(len(plant.nodes.ids), bool)  # nodes that draw anything
        self._driven: _Driven | None = None  # none: all of them are to be worked out
        self._powered: tuple[NDArray[np.bool_], ...] | None = None  # halls and racks at that time
        self._static: tuple[Floats, tuple[Floats, Floats]] | None = (
            None  # power of switches and stores, and its heat
        )
        # Power of the movers when their heat was worked out, and that.
        self._movers: tuple[Floats, tuple[Floats, Floats, float]] | None = None

    def set(self, wanted: NDArray[np.intp], clocks: Clocks) -> None:
        """Work out the power of nodes besides their GPUs for the wanted traces (N,), and where its heat goes."""
        jobs, by_trace = stepping(len(clocks.jobs.rows)), self._by_trace
        if len(by_trace.share) != jobs + 2 * len(clocks.mixed):
            share, peak = np.zeros((2, jobs + 2 * len(clocks.mixed)))
            share[jobs::2] = [work.node_load for work in clocks.mixed]
            peak[jobs::2] = [work.node_at_peak for work in clocks.mixed]
            by_trace.renew(share, peak)
            self._driven = None
        self._drive(wanted, self._moved_drives(clocks))
        static_loop_w, static_hall_w = self._static_heat()
        assert self._driven is not None
        self._own_loop_w = self._driven.loop_w + static_loop_w
        self._own_hall_w = self._driven.hall_w + static_hall_w
        self._take_extras()

    def _moved_drives(self, clocks: Clocks) -> IntP:
        """Let the traces of jobs that step alone drive nodes as these do, of others nobody asks; return who did not."""
        jobs, apart, by_trace = clocks.jobs, clocks.apart, self._by_trace
        if not apart:
            return _NOBODY
        plans = jobs.replanned, len(clocks.models)
        if self._drives is None or self._drives[0] != plans:

            def drives(job: int, work: Work) -> tuple[float, float]:
                return clocks.load_share(job), float(work.node_at_peak)

            self._drives = plans, WorkFigures(2, drives)
        numbers = np.array(apart, np.intp)
        share, peak = self._drives[1].columns(numbers, list(map(jobs.work.__getitem__, apart)))
        return by_trace.drive(stepping(numbers), share, peak)

    def _drive(self, wanted: IntP, moved: IntP) -> None:
        """Work out the power of nodes that are in another trace, or in one that drives them otherwise (`moved`)."""
        known = self._driven
        nodes = None if known is None else self._others(wanted, known.wanted, moved)
        if known is None or nodes is None:
            lit = self.plant.nodes.present & (wanted != OFF)
            if not np.count_nonzero(lit != self._lit):
                lit = self._lit
            self.node_w = self._by_trace.power_w(wanted)
            self.node_w *= lit
            loop_w, hall_w = self._by_loop_and_hall(self.node_w)
        else:
            lit, loop_w, hall_w = self._lit, known.loop_w, known.hall_w
            if nodes.size:
                here, trace = self.plant.nodes.present[nodes], wanted[nodes]
                lights = here & (trace != OFF)
                if np.count_nonzero(lights != lit[nodes]):
                    lit = lit.copy()
                    lit[nodes] = lights
                self.node_w = self.node_w.copy()
                self.node_w[nodes] = self._by_trace.power_w(trace, nodes) * lights
                loop_w, hall_w = self._renewed_by_loop_and_hall(nodes, loop_w, hall_w)
        self.rest_w = float(np.add.reduce(self.node_w))
        self._follow_static(lit)
        self._driven = _Driven(wanted, self.node_w, loop_w, hall_w)

    def _others(self, wanted: IntP, known: IntP, moved: IntP) -> IntP | None:
        """Return the nodes that draw another power than in the traces `known` (N,); None: so many that all do."""
        others = wanted != known
        if moved.size:
            drives = np.zeros(len(self._by_trace.share), bool)
            drives[moved] = True
            others |= drives.take(wanted)
        nodes = others.nonzero()[0]
        return None if len(nodes) > FEW * len(wanted) else nodes

    def _renewed_by_loop_and_hall(self, nodes: IntP, loop_w: Floats, hall_w: Floats) -> tuple[Floats, Floats]:
        """Return the sums of `_by_loop_and_hall` where some nodes draw another power than in `loop_w`, `hall_w`."""
        loops, members = self._by_loop.touched(nodes)
        node_w = self.node_w[members]
        if not self._any_to_air:
            return self._by_loop.renewed(loop_w, loops, members, node_w), hall_w
        to_air = self.body.overhead_to_air
        loop_w = self._by_loop.renewed(loop_w, loops, members, node_w - node_w * to_air[members])
        halls, members = self._by_hall.touched(nodes)
        return loop_w, self._by_hall.renewed(hall_w, halls, members, self.node_w[members] * to_air[members])

    def _by_loop_and_hall(self, node_w: Floats) -> tuple[Floats, Floats]:
        """Return the heat of a power of the nodes (N,) into loops (L,) and into the air of halls (H,) [W]."""
        if not self._any_to_air:
            return self._by_loop.of(node_w), np.zeros(self._halls)
        air_w = node_w * self.body.overhead_to_air
        return self._by_loop.of(node_w - air_w), self._by_hall.of(air_w)

    def _places(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the loops that take the heat of switches and stores, and of shelves, of each rack; -1 the room.

        Switches share the loop that cools GPUs. Shelves stand in the air of the room wherever it is cooled.
        """
        racks, flow = self.plant.racks, self.body.network.loop_flow_w_k
        loop = np.where(racks.loop >= 0, racks.loop, racks.air_loop)
        static = np.where((loop >= 0) & (np.append(flow, 0.0)[loop] > 0), loop, -1)
        room = (racks.loop >= 0) & (racks.air_loop >= 0)
        return static, np.where(room, -1, static)

    def _follow_static(self, lit: NDArray[np.bool_]) -> None:
        """Work out the power of switches and stores where what they depend on has changed."""
        powered = self.hall_tripped, self.power.supplies.rack_dark
        known = self._powered
        if lit is not self._lit or known is None or any(map(is_not, known, powered)):
            self.static_w = self._static_now(lit)
            self._lit, self._powered = lit, powered

    def _static_heat(self) -> tuple[Floats, Floats]:
        """Return the heat of switches and stores into loops (L,) and halls (H,) [W]."""
        known = self._static
        if known is None or known[0] is not self.static_w:
            (in_loop, loop), (in_hall, hall) = self._statics
            loop_w = np.bincount(loop, self.static_w[in_loop], minlength=self._loops)
            hall_w = np.bincount(hall, self.static_w[in_hall], minlength=self._halls)
            self._static = known = self.static_w, (loop_w.astype(float), hall_w.astype(float))
        return known[1]

    def _static_now(self, lit: NDArray[np.bool_]) -> Floats:
        """Return the power of switches and stores of each rack (R,) [W]: none where all is off, dark or too hot."""
        racks, housed, at_work = self.plant.racks, self._housed, np.zeros(len(self._housed), bool)
        at_work[self.node_rack[lit]] = True
        off = housed & ~at_work
        off |= (~housed & self.hall_tripped[racks.hall]) | self.power.supplies.rack_dark
        result: Floats = np.where(off, 0.0, self.body.rack_static_w)
        return result

    def _extras(self) -> tuple[Floats, Floats, float, float]:
        """Return heat of machines and supplies into loops (L,) and halls (H,) now, and the sums of the two [W]."""
        loop_w, hall_w, machines_w = self._machines()
        supplies = self.power.supplies
        if supplies.any_shelves:
            loss_w = self.power.supply_loss_w
            (in_loop, loop), (in_hall, hall) = self._shelves
            loop_w = loop_w + np.bincount(loop, loss_w[in_loop], minlength=self._loops)
            hall_w = hall_w + np.bincount(hall, loss_w[in_hall], minlength=self._halls)
        if supplies.any_converters:
            by_loop, by_hall = self._by_loop_and_hall(self.converter_w)
            loop_w, hall_w = loop_w + by_loop, hall_w + by_hall
        if not (supplies.any_shelves or supplies.any_converters):
            return loop_w, hall_w, machines_w, 0.0
        return loop_w, hall_w, machines_w, float(np.add.reduce(loop_w) + np.add.reduce(hall_w)) - machines_w

    def _machines(self) -> tuple[Floats, Floats, float]:
        """Return heat of pumps and fans into loops (L,) and halls (H,) now, and the sum of it [W]."""
        now, known = self.power.timers.now_s, self._movers
        power_w = self.cooling.loop_power_w(now)  # replaced when it changes
        if known is None or known[0] is not power_w:
            loop_w, hall_w = np.zeros(self._loops), np.zeros(self._halls)
            for total, part in (
                (loop_w, self.cooling.loop_heat_w(now)),
                (hall_w, self.cooling.hall_heat_w(now)),
            ):
                total[: len(part)] += part
            machines_w = float(np.add.reduce(loop_w) + np.add.reduce(hall_w))
            self._movers = known = power_w, (loop_w, hall_w, machines_w)
        return known[1]

    def _take_extras(self) -> None:
        if self.power.supplies.any_shelves:
            self.shelf_w = self.power.supply_loss_w
        self.converted_w = self.converter_w
        self._extra_loop_w, self._extra_hall_w, self.machines_w, self.supplies_w = self._extras()
        self.loop_heat_w = self._own_loop_w + self._extra_loop_w
        self.hall_heat_w = self._own_hall_w + self._extra_hall_w
        self.total_w = float(np.add.reduce(self.loop_heat_w) + np.add.reduce(self.hall_heat_w))

    @property
    def drives_moved(self) -> bool:
        """Whether pumps and fans draw another power than that whose heat was taken: they go in stages."""
        return self._machines()[2] != self.machines_w

    def follow(self, it_w: float) -> bool:
        """Take the present heat of machines and supplies when it has moved beside `it_w` [W]; return whether it has."""
        loop_w, hall_w, _, _ = self._extras()
        if loop_w is self._extra_loop_w:
            return False
        moved = np.add.reduce(np.abs(loop_w - self._extra_loop_w))
        moved += np.add.reduce(np.abs(hall_w - self._extra_hall_w))
        if moved <= MOVED * max(it_w, 1.0) and not self.drives_moved:
            return False
        self._take_extras()
        return True

    def trips(self, state: ThermalState) -> list[tuple[int, bool]]:
        """Return (hall, too hot) of each hall whose air has become too hot for its equipment, or cool again."""
        upper = state.upper
        if np.maximum.reduce(upper) <= ROOM_TRIP_C and not np.count_nonzero(self.hall_tripped):
            return []  # no water or air of the site is that warm
        air_c = np.full(self._halls, -np.inf)
        np.maximum.at(air_c, self._air_hall, upper[self._air_at])
        after = np.where(self.hall_tripped, air_c > ROOM_RESET_C, air_c > ROOM_TRIP_C)
        changed = [(int(hall), bool(after[hall])) for hall in np.flatnonzero(after != self.hall_tripped)]
        self.hall_tripped, self._warm = after, upper[self._air_at] > ROOM_RESET_C
        self._set_band()
        return changed

    def _set_band(self) -> None:
        """Set the temperatures between which no hall trips, and none that has tripped comes nearer to its reset."""
        high_c, low_c = np.full(self._unknowns, np.inf), np.full(self._unknowns, -np.inf)
        tripped, warm = self.hall_tripped[self._air_hall], self._warm
        high_c[self._air_at] = np.where(tripped, np.where(warm, np.inf, ROOM_RESET_C), ROOM_TRIP_C)
        low_c[self._air_at] = np.where(tripped & warm, ROOM_RESET_C, -np.inf)
        self.band = Band(low_c, high_c)

    def on_restored(self) -> None:
        """Work out what follows of temperatures and powers."""
        self._set_band()
        self.rest_w, self._powered, self._driven = float(self.node_w.sum()), None, None

    def _warm_loops(self) -> list[bool]:
        warm: list[bool] = np.isin(np.arange(self._loops), self._inlets[self._warm[self._halls :]]).tolist()
        return warm

    def _take_warm_loops(self, saved: list[bool]) -> None:
        self._warm = np.append(self._warm[: self._halls], np.array(saved, bool)[self._inlets])

    STATE = Fields(
        *Column.each("node_w", "converter_w", "converted_w", table="nodes", dtype=float),
        *Column.each("static_w", "shelf_w", table="racks", dtype=float),
        Column("_own_loop_w", "loops", float, key="_own_loop_w"),
        Column("_extra_loop_w", "loops", float, key="_extra_loop_w"),
        Column("loop_heat_w", "loops", float),
        Column("_own_hall_w", "halls", float, key="_own_hall_w"),
        Column("_extra_hall_w", "halls", float, key="_extra_hall_w"),
        Column("hall_heat_w", "halls", float),
        Column("hall_tripped", "halls", bool),
        Stretch("_warm", "halls", bool, lambda part: slice(part._halls), key="warm_halls"),
        Derived("warm_loops", _warm_loops, _take_warm_loops, table="loops"),
        Row("sums", *StateField.each("machines_w", "supplies_w", "total_w", load=float)),
    )


def _in_loops(loop: AnyInts, hall: AnyInts) -> tuple[tuple[IntP, IntP], tuple[IntP, IntP]]:
    """Return the racks whose heat goes into a loop, with that loop, and the others, with their hall.

    `loop`: of each rack (R,), -1: its heat goes into the air of its `hall` (R,).
    """
    in_loop, in_hall = (loop >= 0).nonzero()[0], (loop < 0).nonzero()[0]
    return (in_loop, loop[in_loop].astype(np.intp)), (in_hall, hall[in_hall].astype(np.intp))
