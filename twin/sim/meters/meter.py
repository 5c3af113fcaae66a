"""The meters: power of nodes, racks and the whole site, energy, water, carbon and cost since the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics.thermal_network import ThermalState
from twin.plant.tables import Plant
from twin.sim.core.state import Child, Fields, Record, StateField, Stateful
from twin.sim.jobs.energy import JobEnergy
from twin.sim.meters.non_gpu_power import Overhead
from twin.sim.power.energy_totals import PowerTotals
from twin.sim.power.system import PowerSystem
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.cooling_wiring import Draw
from twin.sim.thermal.gpu_groups import Traces
from twin.sim.thermal.heat import Heat
from twin.sim.thermal.thermal_build import Body


@dataclass
class Meters:
    """Energies since the start [J], water [L], highest powers [W], and the time they are read up to [s].

    What came in, from the grid, from sources on site and out of batteries, is `PowerSystem.totals`.
    """

    at_s: float = 0.0
    it_j: float = 0.0  # input of the racks: nodes, switches, stores, shelves
    gpu_j: float = 0.0  # of that, the GPUs
    rest_j: float = 0.0  # of that, the rest of the nodes
    supply_j: float = 0.0  # of that, losses of shelves and converters
    cooling_j: float = 0.0
    inside_j: float = 0.0  # of that, pumps and fans whose heat goes into loops and halls
    water_l: float = 0.0
    it_max_w: float = 0.0
    facility_max_w: float = 0.0
    seen_j: float = 0.0  # heat into the network at the last reading
    load_seen_j: float = 0.0  # of the power system, at the last reading


@dataclass(frozen=True)
class MeterReading:
    """Energy up to one moment [J]: what came in, where it went, what is stored."""

    it_j: float
    gpu_j: float
    supply_j: float
    cooling_j: float
    water_l: float
    heat_j: float  # to the sky, out of loops and halls
    outside_j: float  # heat of compressors, towers and facility pumps, straight to the sky
    heat_stored_j: float
    battery_stored_j: float
    power: PowerTotals

    @property
    def facility_j(self) -> float:
        """Return what the site used: racks, cooling and losses of its power chain [J]."""
        return self.it_j + self.cooling_j + self.power.loss_j

    @property
    def totals(self) -> tuple[float, ...]:
        """Return it in the order of the columns of the hours."""
        return _totals(self.it_j, self.cooling_j, self.water_l, self.power)

    @property
    def residual(self) -> float:
        """Return energy in less energy out and stored, over energy in [-]."""
        in_j = self.power.grid_j + self.power.on_site_j
        out_j = self.heat_j + self.outside_j + self.power.loss_j + self.power.emptied_j
        stored_j = self.heat_stored_j + self.battery_stored_j
        return abs(in_j - out_j - stored_j) / max(self.facility_j, 1e-9)


class Meter(Stateful):
    """Adds up what flows, at each thermal step; what flows is constant in between.

    Attributes
    ----------
    it_w
        Power of all racks now [W].
    draw
        Of the cooling machines now: power [W] and water [L/s].
    charged_j
        What batteries held at the start [J].
    """

    def __init__(
        self, power: PowerSystem, cooling: CoolingSystem, body: Body, plant: Plant, job_energy: JobEnergy
    ) -> None:
        self.job_energy = job_energy
        self.power, self.cooling, self.body, self.plant = power, cooling, body, plant
        self.meters = Meters()
        self.overhead = Overhead(power, cooling, body, plant)
        self.it_w = 0.0
        self.draw = Draw(0.0, 0.0)
        self._outside_w = 0.0  # of the draw, what does not go into loops and halls
        self.charged_j = power.stored_j

    @property
    def overhead_w(self) -> Floats:
        """Power of each node besides its GPUs (N,) [W]."""
        return self.overhead.node_w

    @property
    def static_w(self) -> Floats:
        """Power of switches and stores of each rack (R,) [W]."""
        return self.overhead.static_w

    @property
    def loop_heat_w(self) -> Floats:
        """Heat into each loop besides the GPUs' (L,) [W]."""
        return self.overhead.loop_heat_w

    @property
    def hall_heat_w(self) -> Floats:
        """Heat into the air of each hall (H,) [W]."""
        return self.overhead.hall_heat_w

    @property
    def hall_tripped(self) -> NDArray[np.bool_]:
        """Halls that are too hot for their equipment (H,)."""
        return self.overhead.hall_tripped

    def set_overhead(self, wanted: NDArray[np.intp], clocks: Clocks) -> None:
        """Work out the power of nodes besides their GPUs for the wanted traces (N,), and where its heat goes."""
        self.overhead.set(wanted, clocks)

    def trips(self, state: ThermalState) -> list[tuple[int, bool]]:
        """Return (hall, too hot) of each hall whose air has become too hot for its equipment, or cool again."""
        return self.overhead.trips(state)

    def gpu_group_w(self, heat: Heat, clocks: Clocks) -> Floats:
        """Return base power of the GPUs of each group with leakage, as the present step takes it (G,) [W]."""
        stepper = heat.integrator.stepper
        return clocks.base_w + stepper.leak_w(heat.begun) if stepper.leaks else clocks.base_w

    def node_w(self, heat: Heat, traces: Traces, clocks: Clocks) -> Floats:
        """Return the power of each node now, without its voltage converters (N,) [W]."""
        node_w = traces.gpu_w(self.gpu_group_w(heat, clocks), clocks.dyn_w)
        node_w += self.overhead.node_w
        return node_w

    def rack_w(self, heat: Heat, traces: Traces, clocks: Clocks) -> Floats:
        """Return the power of each rack now behind its shelves: nodes, converters, switches, stores (R,) [W]."""
        return self._by_rack_w(self.node_w(heat, traces, clocks))

    def _by_rack_w(self, node_w: Floats) -> Floats:
        racks, supplies, by_node = len(self.plant.racks.ids), self.power.supplies, node_w
        if supplies.any_converters:
            by_node = by_node + supplies.converter_loss_w(by_node)
        return self.overhead.static_w + np.bincount(self.overhead.node_rack, by_node, minlength=racks)

    def rack_input_w(self, heat: Heat, traces: Traces, clocks: Clocks) -> Floats:
        """Return what each rack takes from its feeds now, shelves included (R,) [W]; together they are `it_w`."""
        over, racks = self.overhead, len(self.plant.racks.ids)
        by_node = self.node_w(heat, traces, clocks) + over.converted_w
        by_rack = np.bincount(self.plant.nodes.rack, by_node, minlength=racks)
        result: Floats = by_rack + over.static_w + over.shelf_w
        return result

    def measure(self, heat: Heat, traces: Traces, clocks: Clocks, now_s: float, *, force: bool) -> None:
        """Read the meters at `now_s`: what flowed since the last reading, and what flows from now on."""
        self.book(heat, now_s)
        self._look(heat, now_s)
        if not (force or self.overhead.drives_moved or self.power.stale(self.it_w, self.draw.power_w)):
            return
        node_w = self.node_w(heat, traces, clocks)
        if force:
            self.job_energy.share(node_w)
        lossy = self.power.supplies.any_shelves or self.power.supplies.any_converters
        for _ in range(2):  # heat of the supplies is part of IT power
            if lossy:
                self._update(node_w, now_s)
            if not self.overhead.follow(self.it_w):
                break
            heat.loop_heat_w, heat.hall_heat_w = self.overhead.loop_heat_w, self.overhead.hall_heat_w
            drawn = clocks.base_w
            heat.repower()
            self._look(heat, now_s)
            if drawn is not clocks.base_w:
                node_w = self.node_w(heat, traces, clocks)
        if not lossy:
            self._update(node_w, now_s)

    def book(self, heat: Heat, now_s: float) -> None:
        """Take note of what has flowed since the last reading, at the powers of then."""
        if now_s > self.meters.at_s:
            self._book(_in_j(heat, now_s), now_s)

    def _look(self, heat: Heat, now_s: float) -> None:
        """Take note of what flows from now on."""
        self.it_w = heat.integrator.stepper.power_w(heat.begun) - self.overhead.machines_w
        self.draw = self.cooling.draw(now_s)
        self._outside_w = self.draw.power_w - self.overhead.machines_w

    def _update(self, node_w: Floats, now_s: float) -> None:
        """Tell the power system what racks and machines take."""
        supplies, overhead = self.power.supplies, self.overhead
        if supplies.any_converters:
            overhead.converter_w = supplies.converter_loss_w(node_w)
        self.power.update(
            self._by_rack_w(node_w),
            self.cooling.loop_power_w(now_s),
            self.cooling.plant_power_w(now_s),
            now_s,
            self.it_w,
        )

    def _book(self, heat_in_j: float, now_s: float) -> None:
        m, over = self.meters, self.overhead
        dt = now_s - m.at_s
        self.power.advance(now_s)
        net_j = heat_in_j - m.seen_j
        inside_j = over.machines_w * dt
        it_j, cooling_j = net_j - inside_j, inside_j + self._outside_w * dt
        loads_j = self.power.totals.load_j
        extra_j = it_j + cooling_j - (loads_j - m.load_seen_j)
        self.power.correct(extra_j, self.power.totals, m.at_s, now_s)
        m.it_j += it_j
        gpu_j = net_j - self.overhead.total_w * dt
        m.gpu_j += gpu_j
        m.rest_j += over.rest_w * dt
        self.job_energy.book_to(m.gpu_j + m.rest_j)
        m.supply_j += over.supplies_w * dt
        m.cooling_j += cooling_j
        m.inside_j += inside_j
        m.water_l += self.draw.water_l_s * dt
        it_w = it_j / dt
        m.it_max_w = max(m.it_max_w, it_w)
        m.facility_max_w = max(m.facility_max_w, it_w + self.power.loss_w + self.draw.power_w)
        m.seen_j, m.load_seen_j, m.at_s = heat_in_j, loads_j, now_s

    @property
    def totals(self) -> tuple[float, ...]:
        """Return what has been booked, in the order of the columns of the hours."""
        m, power = self.meters, self.power.totals
        return _totals(m.it_j, m.cooling_j, m.water_l, power)

    @property
    def gpu_w(self) -> float:
        """Return the power of all GPUs now [W]."""
        return self.it_w + self.overhead.machines_w - self.overhead.total_w

    @property
    def cooling_w(self) -> float:
        """Return the power of all cooling machines now [W]."""
        return self.draw.power_w

    @property
    def facility_w(self) -> float:
        """Return what the site uses now: racks, cooling and losses of its power chain [W]."""
        return self.it_w + self.power.loss_w + self.draw.power_w

    def reading(self, heat: Heat, now_s: float) -> MeterReading:
        """Return energy up to `now_s`: what is booked, and what has flowed since; changes nothing."""
        m, step = self.meters, heat.ahead
        share, since = _share(heat, now_s), now_s - m.at_s
        gpu_j, in_j = self._gpu_j(heat, now_s)
        inside_j = self.overhead.machines_w * since
        it_j, cooling_j = in_j - inside_j, inside_j + self._outside_w * since
        totals = self.power.booked(now_s)
        self.power.correct(it_j + cooling_j - (totals.load_j - m.load_seen_j), totals, m.at_s, now_s)
        return MeterReading(
            it_j=m.it_j + it_j,
            gpu_j=gpu_j,
            supply_j=m.supply_j + self.overhead.supplies_w * since,
            cooling_j=m.cooling_j + cooling_j,
            water_l=m.water_l + self.draw.water_l_s * since,
            heat_j=heat.totals.out_j + share * step.energy.out_j,
            outside_j=m.cooling_j - m.inside_j + self._outside_w * since,
            heat_stored_j=heat.totals.stored_j + share * step.energy.stored_j,
            battery_stored_j=self.power.stored_at_j(now_s - self.power.at_s) - self.charged_j,
            power=totals,
        )

    def job_energy_j(self, heat: Heat, now_s: float) -> Floats:
        """Return the energy of each job up to `now_s` (J,) [J]; changes nothing."""
        return self.job_energy.reading(self._nodes_j(heat, now_s))

    def hand_over(self, heat: Heat, now_s: float) -> None:
        """Let jobs answer for the nodes they hold from now on, while all powers stay as they are."""
        self.job_energy.book_to(self._nodes_j(heat, now_s))
        self.job_energy.share()

    def _nodes_j(self, heat: Heat, now_s: float) -> float:
        """Return what all nodes have taken up to `now_s` [J]."""
        rest_j = self.meters.rest_j + self.overhead.rest_w * (now_s - self.meters.at_s)
        gpu_j, _ = self._gpu_j(heat, now_s)
        return gpu_j + rest_j

    def _gpu_j(self, heat: Heat, now_s: float) -> tuple[float, float]:
        """Return what GPUs have taken up to `now_s`, and the heat into the network since the last reading [J]."""
        m = self.meters
        in_j = _in_j(heat, now_s) - m.seen_j
        return m.gpu_j + in_j - self.overhead.total_w * (now_s - m.at_s), in_j

    STATE = Fields(
        Record("meters", Meters),
        Child("power"),
        Child("overhead"),
        *StateField.each("it_w", "_outside_w", "charged_j", load=float),
        StateField("draw", lambda saved: Draw(*saved), list),
    )


def _totals(it_j: float, cooling_j: float, water_l: float, power: PowerTotals) -> tuple[float, ...]:
    facility_j = it_j + cooling_j + power.loss_j
    return it_j, facility_j, power.loss_j, cooling_j, water_l, power.carbon_kg, power.cost_usd


def _in_j(heat: Heat, now_s: float) -> float:
    """Return the heat into the network up to now [J]."""
    return heat.totals.in_j + _share(heat, now_s) * heat.ahead.energy.in_j


def _share(heat: Heat, now_s: float) -> float:
    """Return how much of the step ahead counts: its power is constant, its heat and storage linear for observers."""
    step = heat.ahead
    return min(1.0, max(0.0, (now_s - step.t0_s) / (step.t1_s - step.t0_s))) if heat.pending else 0.0
