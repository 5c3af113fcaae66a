"""Sources at the buses of the power tree: engines that start, islands that they carry, who gives how much.

A bus that loses its upstream continues without a break when what already runs there (gas, SMR, solar, batteries) can
carry its load at once. Otherwise it is dark until its engines run and accept that load; then they close on it. Reactors
that went dark with their bus come back with the grid. An island that is asked for more than it can give holds it for
`STALL_S` and breaks down.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from twin.arrays import Floats
from twin.physics.on_site import OVERLOAD, acceptance_at_s, dispatched_w
from twin.record.events import Severity
from twin.scenario.schema.electricity import BUS_SURVIVES
from twin.sim.core.log import Log
from twin.sim.power.circuit import Circuit
from twin.sim.power.item_state import Condition, GeneratorPhase

STALL_S = 5.0
"""Time for which overloaded engines hold on before undervoltage trips them [s] [estimated]."""
RUNNING, STARTING, STANDBY, FAILED = (
    int(p)
    for p in (GeneratorPhase.RUNNING, GeneratorPhase.STARTING, GeneratorPhase.STANDBY, GeneratorPhase.FAILED)
)
ORDER = ("smr", "solar", "gas", "generator")
"""In which sources of a bus are asked."""
JUST = 1e-9
"""Relative slack of sums that should be equal."""


class Sources:
    """Engines and batteries beside the tree; their condition is the tree's.

    Parameters
    ----------
    asked
        Is told of each engine that begins to start.

    Attributes
    ----------
    sun
        What panels give of their rating now, 0..1 [-].
    output_w
        What each source gives now, batteries aside (I,) [W].
    accept_s
        How long each engine takes to accept its rated load (I,) [s].
    """

    def __init__(
        self, circuit: Circuit, condition: Condition, log: Log, asked: Callable[[int], None]
    ) -> None:
        self.circuit, self.log, self.asked = circuit, log, asked
        self.condition = condition
        self.sun = 0.0
        items = circuit.items
        self._start_s, at = items.start_s, circuit.by_bus
        self._carbon, self._efficiency = items.carbon_kg_j[at], circuit.engine_efficiency[at]
        ramp_s = np.where(np.isfinite(items.ramp_w_s), items.capacity_w / items.ramp_w_s, 0.0)
        gas = np.array([kind == "gas" for kind in circuit.kind], bool)
        self.accept_s: Floats = np.where(gas, np.maximum(items.accept_s, ramp_s), items.accept_s)
        self.output_w = np.zeros(circuit.count)
        # What engines give beside the grid, by the scene.
        self._told_w: list[float] = np.nan_to_num(items.capacity_w * items.output).tolist()
        # What each of these offers beside the grid, by bus, until something is switched or the sun is another.
        self._offers_w: tuple[list[list[float]], Floats] | None = None  # and the sums of it
        # Batteries and others at each bus; these in the order in which they are asked.
        self._at_bus = [
            (
                [i for i in sources if circuit.is_battery[i]],
                sorted(
                    [i for i in sources if not circuit.is_battery[i]],
                    key=lambda i: ORDER.index(circuit.kind[i]),
                ),
            )
            for sources in circuit.sources_at.values()
        ]
        # Engines for outages alone give nothing beside the grid; batteries are never passed over.
        self._always = any(circuit.kind[i] != "generator" for i in circuit.sources)

    def at_work(self) -> bool:
        """Return whether a source may give anything now."""
        return self._always or bool(self.condition.island.any())

    def rest(self) -> None:
        """Give nothing."""
        self.output_w = np.zeros(self.circuit.count)

    def healthy(self, i: int) -> bool:
        """Return whether a source is in order and its breaker closed."""
        k = self.condition
        return bool(k.lost[i] < self.circuit.units[i] and not k.held_open[i] and not k.opened[i])

    def rated_w(self, i: int) -> float:
        """Return what the units of a source that are left can give [W]."""
        return float(self.circuit.unit_w[i] * min(self._left(i), int(self.circuit.items.needed[i])))

    def _left(self, i: int) -> int:
        """Return how many units of a source are in order and did not refuse to start."""
        k = self.condition
        return max(0, int(self.circuit.units[i] - k.lost[i] - k.unstarted[i]))

    def _charged(self, i: int) -> bool:
        return bool(self.condition.charge_j[i] > JUST * self.circuit.energy_j[i])

    def limit_w(self, i: int, t_s: float) -> float:
        """Return the most that a source can give an island now [W]."""
        c, k = self.circuit, self.condition
        if not self.healthy(i):
            return 0.0
        if c.is_battery[i]:
            return self.rated_w(i) if self._charged(i) else 0.0
        if c.is_solar[i]:
            return self.rated_w(i) * self.sun
        if k.phase[i] != RUNNING:
            return 0.0
        rated = self.rated_w(i)
        if c.kind[i] == "smr":
            return min(rated, float(k.base_w[i]))
        if math.isinf(k.since_s[i]):  # gas beside the grid: it has ramped for as long as it likes
            return float(k.base_w[i]) if self.accept_s[i] > 0 else rated
        since_s, accept_s = t_s - float(k.since_s[i]), float(self.accept_s[i])
        share = 1.0 if accept_s <= 0 else min(since_s / accept_s, 1.0)
        return min(rated, float(k.base_w[i]) + (rated * share if since_s >= 0 else 0.0))

    def _forms(self, i: int, t_s: float) -> bool:
        """Return whether a source can build up a dead bus now."""
        if self.circuit.starts[i]:
            return self.healthy(i) and bool(self.condition.phase[i] == RUNNING)
        return bool(self.circuit.is_battery[i]) and self.limit_w(i, t_s) > 0

    def beside_grid_w(self, i: int) -> float:
        """Return what a source offers while the grid is there, batteries aside [W]."""
        c, k = self.circuit, self.condition
        if not self.healthy(i) or c.kind[i] in ("generator", "battery"):
            return 0.0
        if c.is_solar[i]:
            return self.rated_w(i) * self.sun
        if k.phase[i] != RUNNING:
            return 0.0
        return min(self.rated_w(i), self._told_w[i])

    def look_again(self) -> None:
        """Take note that something was switched, or that the sun is another."""
        self._offers_w = None

    def _offered_w(self) -> tuple[list[list[float]], Floats]:
        if self._offers_w is None:
            offers_w = [[self.beside_grid_w(i) for i in producers] for _, producers in self._at_bus]
            self._offers_w = offers_w, np.array([sum(at_bus) for at_bus in offers_w], float)
        return self._offers_w

    def beside_w(self) -> Floats:
        """Return what sources at each bus offer while the grid is there, batteries aside, shape (buses,) [W]."""
        return self._offered_w()[1]

    def from_batteries_w(self) -> Floats:
        """Return what the batteries at each bus give, negative when they charge, shape (buses,) [W]."""
        c = self.circuit
        given_w = np.bincount(c.bus_place, self.condition.battery_w[c.by_bus], minlength=len(c.buses))
        result: Floats = given_w.astype(float, copy=False)
        return result

    # --- a bus with or without its upstream

    def with_upstream(self, bus: int, t_s: float) -> None:
        """Let engines at a bus rest: its upstream is there."""
        c, k = self.circuit, self.condition
        self._island_over(bus, t_s, "utility restored")
        self.relieved(bus, t_s, "utility restored")
        self._enough(bus, t_s, "utility restored")
        for i in c.sources_at[bus]:
            if c.kind[i] == "generator" and k.phase[i] != STANDBY:
                self._say(t_s, "generator_off", i, "utility restored; generator on standby")
            if c.kind[i] in ("gas", "smr"):
                k.phase[i] = RUNNING
                k.base_w[i] = self._told_w[i]
            elif c.kind[i] == "generator":
                k.phase[i] = STANDBY
            k.since_s[i], k.unstarted[i] = math.inf, 0

    def without_upstream(self, bus: int, t_s: float, need_w: float, *, was_live: bool) -> bool:
        """Return whether the sources at a bus carry it now; engines start."""
        c, k = self.circuit, self.condition
        sound = c.kind[bus] in BUS_SURVIVES or k.lost[bus] < c.units[bus]
        sources = c.sources_at[bus]
        if not sound:
            for i in sources:
                k.phase[i], k.since_s[i] = STANDBY, math.inf
            self._island_over(bus, t_s, "bus out of service")
            return False
        for i in sources:
            self._engine(i, t_s, was_live=was_live)
        limit_w = sum(self.limit_w(i, t_s) for i in sources)
        if k.island[bus]:
            held = limit_w > 0 or any(self._forms(i, t_s) for i in sources)
            if t_s >= k.short_s[bus] - JUST or not held:
                self._break_down(bus, t_s, need_w, limit_w)
        elif was_live and limit_w >= need_w * (1 - JUST) and limit_w > 0:
            k.island[bus] = k.unbroken[bus] = True
            self._say(t_s, "island_on", bus, "utility lost: on-site sources carry the load without a break")
        else:
            if was_live:
                self._go_dark(bus)
                for i in sources:
                    self._engine(i, t_s, was_live=False)
            forming = [i for i in sources if self._forms(i, t_s)]
            self._tell_short(bus, t_s, need_w)
            if forming and sum(self.limit_w(i, t_s) for i in forming) >= need_w * (1 - JUST):
                k.island[bus] = True
                for i in sources:
                    if c.kind[i] == "generator" and k.phase[i] == RUNNING:
                        self._say(t_s, "generator_on", i, "carrying the load")
        return bool(k.island[bus])

    def _tell_short(self, bus: int, t_s: float, need_w: float) -> None:
        """Say when the engines of a dark bus all run and cannot take its load, and when they can after all."""
        c, k = self.circuit, self.condition
        sources = c.sources_at[bus]
        engines = [i for i in sources if c.starts[i] and k.phase[i] == RUNNING]
        most_w = sum(self.rated_w(i) if i in engines else self.limit_w(i, t_s) for i in sources)
        starting = any(k.phase[i] == STARTING for i in sources)
        short = bool(engines) and not starting and most_w < need_w * (1 - JUST)
        if short and not k.too_much[bus]:
            text = f"on-site sources supply {most_w / 1e3:.0f} kW of {need_w / 1e3:.0f} kW: waiting for less load"
            self._say(
                t_s, "overload", bus, text, Severity.ALARM, given_w=float(most_w), asked_w=float(need_w)
            )
            k.too_much[bus] = True
        elif not short and not starting:
            self._enough(bus, t_s, "on-site sources cover the load")

    def _enough(self, bus: int, t_s: float, text: str) -> None:
        if self.condition.too_much[bus]:
            self._say(t_s, "overload_end", bus, text)
            self.condition.too_much[bus] = False

    def _engine(self, i: int, t_s: float, *, was_live: bool) -> None:
        """Let an engine of a bus without upstream start, or arrive at the end of its start."""
        c, k = self.circuit, self.condition
        if not c.starts[i]:
            return
        if k.phase[i] in (STARTING, RUNNING) and not (self.healthy(i) and self._left(i)):
            self._stop(i, t_s)
        if c.kind[i] == "gas" and k.phase[i] == RUNNING and math.isinf(k.since_s[i]):
            if was_live:
                k.since_s[i] = t_s  # it follows the load from here on
            else:
                k.phase[i] = STANDBY
        if k.phase[i] == STANDBY and self.healthy(i):
            k.phase[i], k.since_s[i], k.base_w[i] = STARTING, t_s + self._start_s[i], 0.0
            k.unstarted[i] = 0
            start_s = float(self._start_s[i])
            self._say(t_s, "generator_start", i, f"starting ({start_s:.0f} s)", start_s=start_s)
            self.asked(i)
        if k.phase[i] == STARTING and t_s >= k.since_s[i] - JUST:
            self._arrive(i, t_s)

    def _stop(self, i: int, t_s: float) -> None:
        """Stop an engine that broke, or whose breaker opened; it starts again once repaired."""
        k = self.condition
        if math.isfinite(k.since_s[i]):  # else it stood beside the grid, and nobody asked for it yet
            what = "failed" if k.lost[i] >= self.circuit.units[i] else "breaker opened"
            what = "no unit left" if self.healthy(i) else what
            doing = "starting" if k.phase[i] == STARTING else "running"
            self._say(t_s, "generator_failed", i, f"{what} while {doing}")
        k.phase[i], k.since_s[i], k.base_w[i], k.unstarted[i] = FAILED, math.inf, 0.0, 0

    def _arrive(self, i: int, t_s: float) -> None:
        """Let an engine be at the end of its start: as many of its machines run as will."""
        c, k = self.circuit, self.condition
        k.unstarted[i] = k.no_start[i]
        if not self._left(i):
            k.phase[i], k.since_s[i] = FAILED, math.inf
            self._say(t_s, "generator_failed", i, "failed to start", failed_units=int(c.units[i]))
            return
        k.phase[i] = RUNNING
        if k.no_start[i]:
            text = f"{k.no_start[i]} of {c.units[i]} units failed to start"
            failed, units = int(k.no_start[i]), int(c.units[i])
            self._say(t_s, "generator_failed", i, text, Severity.WARNING, failed_units=failed, of_units=units)
        if k.island[c.bus[i]]:
            self._say(t_s, "generator_on", i, "sharing the load")

    def _go_dark(self, bus: int) -> None:
        c, k = self.circuit, self.condition
        for i in c.sources_at[bus]:
            if c.kind[i] == "smr":
                k.phase[i] = STANDBY
            elif c.kind[i] == "gas" and k.phase[i] == RUNNING:
                k.phase[i], k.since_s[i], k.base_w[i] = STANDBY, math.inf, 0.0

    def _island_over(self, bus: int, t_s: float, text: str) -> None:
        k = self.condition
        k.island[bus] = False
        if k.unbroken[bus]:
            k.unbroken[bus] = False
            self._say(t_s, "island_off", bus, text)

    def _break_down(self, bus: int, t_s: float, need_w: float, limit_w: float) -> None:
        c, k = self.circuit, self.condition
        self._island_over(bus, t_s, "on-site sources tripped")
        self.relieved(bus, t_s, "on-site sources tripped: bus de-energised")
        for i in c.sources_at[bus]:
            if c.starts[i] and k.phase[i] == RUNNING:
                k.phase[i], k.since_s[i] = FAILED, math.inf
                text = f"tripped on overload: {need_w / 1e3:.0f} kW demand on {limit_w / 1e3:.0f} kW of on-site sources"
                self._say(t_s, "generator_failed", i, text, asked_w=float(need_w), given_w=float(limit_w))
        self._go_dark(bus)

    # --- who gives what

    def share(self, own_w: Floats, t_s: float) -> None:
        """Share out what the sources of each bus give together, `own_w` (I,) [W]; batteries beside the grid are set.

        `output_w`, and the power of batteries on islands, follow.
        """
        c, k = self.circuit, self.condition
        self.output_w = np.zeros(c.count)
        on_island = k.island[c.buses].tolist()
        figures = own_w[c.buses].tolist(), self.from_batteries_w().tolist(), self._offered_w()[0], on_island
        for (batteries, producers), need, from_batteries, offered_w, alone in zip(
            self._at_bus, *figures, strict=True
        ):
            if not alone:
                if from_batteries > need:  # nothing flows back up the tree
                    k.battery_w[batteries] *= need / from_batteries
                    from_batteries = float(k.battery_w[batteries].sum())
                if producers:
                    self.output_w[producers] = dispatched_w(need - from_batteries, offered_w)
                continue
            limits = [self.limit_w(i, t_s) for i in producers]
            engines = [i for i, most_w in zip(producers, limits, strict=True) if c.starts[i] and most_w > 0]
            firm = dispatched_w(need, limits)
            left = need - sum(firm)
            k.battery_w[batteries] = _in_proportion(left, [self.limit_w(i, t_s) for i in batteries])
            left -= float(k.battery_w[batteries].sum())
            self.output_w[producers] = firm
            if engines:  # of one kind share by their rating; what is too much is theirs as well
                together = float(self.output_w[engines].sum()) + left
                rated = [self.limit_w(i, t_s) for i in engines]
                self.output_w[engines] = _in_proportion(together, rated, all_of_it=left > 0)
            elif left > 0:  # what nobody can give is given for the seconds until it breaks down
                able = [i for i in batteries if self._charged(i) and self.healthy(i)]
                first = (able or producers or batteries)[0]
                given_w = k.battery_w if c.is_battery[first] else self.output_w
                given_w[first] += left

    def overload(self, bus: int, own_w: float, t_s: float) -> bool:
        """Return whether an island is asked for more than its sources can give before engines would stall."""
        return own_w > self.most_w(bus, t_s) * (1 + JUST)

    def most_w(self, bus: int, t_s: float) -> float:
        """Return what the sources of an island can give, with what its engines take up before they would stall [W]."""
        c = self.circuit
        return sum(
            self.limit_w(i, t_s + STALL_S) * OVERLOAD if c.starts[i] else self.limit_w(i, t_s)
            for i in c.sources_at[bus]
        )

    def relieved(self, bus: int, t_s: float, text: str) -> None:
        """Take note that nobody asks an island for too much any longer, whether it was so before or not."""
        if math.isfinite(self.condition.short_s[bus]):
            self._say(t_s, "overload_end", bus, text)
        self.condition.short_s[bus] = math.inf

    def accepts_at_s(self, bus: int, need_w: float) -> float:
        """Return when the engines of a dark bus can carry its load [s]; inf: not with those that run."""
        c, k = self.circuit, self.condition
        engines = [i for i in c.sources_at[bus] if c.starts[i] and k.phase[i] == RUNNING and self.healthy(i)]
        if not engines:
            return math.inf
        batteries = [i for i in c.sources_at[bus] if c.is_battery[i]]
        return acceptance_at_s(
            need_w,
            sum(self.limit_w(i, 0.0) for i in batteries),
            [self.rated_w(i) for i in engines],
            self.accept_s[engines],
            k.since_s[engines],
        )

    def next_start_s(self, mine: list[int]) -> float:
        """Return when the next of some engines has started [s]."""
        k = self.condition
        return min((float(k.since_s[i]) for i in mine if k.phase[i] == STARTING), default=math.inf)

    def repaired(self, i: int, t_s: float, before_w: float) -> None:
        """Let an engine that failed try again, and machines of it that stood still start beside those that run.

        Parameters
        ----------
        i, t_s
            The engine, and the time [s].
        before_w
            What it could give just before it was repaired [W].
        """
        c, k = self.circuit, self.condition
        if not c.starts[i] or not self.healthy(i):
            return
        if k.phase[i] == FAILED and k.no_start[i] < c.units[i] - k.lost[i]:
            k.phase[i] = STANDBY
        if k.phase[i] != RUNNING or math.isinf(k.since_s[i]):
            return
        k.unstarted[i] = min(k.unstarted[i], k.no_start[i])
        settled = t_s >= k.since_s[i] + self.accept_s[i]
        if settled and self.rated_w(i) > before_w * (1 + JUST):  # else they take up load with the others
            k.base_w[i], k.since_s[i] = before_w, t_s + self._start_s[i]
            start_s = float(self._start_s[i])
            self._say(t_s, "generator_start", i, f"starting more units ({start_s:.0f} s)", start_s=start_s)

    def settling(self, bus: int, t_s: float) -> bool:
        """Return whether engines of an island still take up load that batteries give, or that nobody can give."""
        c, k = self.circuit, self.condition
        sources = c.sources_at[bus]
        if math.isinf(k.short_s[bus]) and not c.is_battery[sources].any():
            return False
        return any(
            c.starts[i] and k.phase[i] == RUNNING and t_s < k.since_s[i] + self.accept_s[i] for i in sources
        )

    def given(self) -> tuple[float, float, float]:
        """Return what all of them give together, batteries aside, the heat of its fuel [W] and its carbon [kg/s]."""
        given_w = self.output_w[self.circuit.by_bus]
        fuel_w = np.add.reduce(given_w / self._efficiency)
        return float(np.add.reduce(given_w)), float(fuel_w), float(given_w @ self._carbon)

    def _say(
        self, t_s: float, kind: str, i: int, text: str, severity: Severity | None = None, **figures: float
    ) -> None:
        self.log.add(t_s, kind, self.circuit.items.ids[i], text, severity, where="", **figures)


def _in_proportion(total_w: float, limits_w: list[float], *, all_of_it: bool = False) -> list[float]:
    """Share a load out in proportion to limits, none above its own unless all of it has to be carried [W]."""
    together = sum(limits_w)
    if together <= 0 or total_w <= 0:
        return [0.0] * len(limits_w)
    share = total_w / together if all_of_it else min(1.0, total_w / together)
    return [share * limit_w for limit_w in limits_w]
