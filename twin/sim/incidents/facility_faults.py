"""Faults of the facility, and their repair: supplies, breakers, pumps, fans, valves, filters, leaks, chillers, plates.

Each fault acts on one thing and lasts until its repair. Several may act on one thing at once: what is in force is
always worked out from all of them, so that the end of one leaves the others standing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twin import units
from twin.catalog import Catalog
from twin.physics import reliability
from twin.physics.hydraulics import restricted_flow
from twin.physics.normal import normal_quantile
from twin.plant.find import find
from twin.plant.tables import LoopKind, Plant
from twin.record.events import Severity
from twin.scenario.checks.interventions import value_of, wrong
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import PLACES, FaultEvents, TargetKind
from twin.scenario.schema.faults import Intervention
from twin.sim.core.draws import Draws
from twin.sim.core.log import Log
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Weather
from twin.sim.power.system import PowerSystem
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.power_caps import PowerCaps
from twin.sim.thermal.thermal_faults import Oddities, fan_share

FANS_OF_NODE = 6
"""Fan modules of a node: no part of the catalogue says how many [est]."""
EVERY = 500
"""More than there are of anything: a fault without a count takes all."""
WORST_FLOW = 1e-3
"""Share of the coolant that valves leave a rack they shut off [-]."""


class FaultOutcome(NamedTuple):
    """How things stand after a fault began or ended: for people, and its figures by name."""

    words: str
    figures: dict[str, float] = {}  # noqa: RUF012


Act = Callable[["FacilityFaults", Intervention], FaultOutcome]
"""Brings a machine to where the faults in force have it; returns how things stand then."""
ACTS: dict[str, Act] = {}
"""By kind of fault: methods of `FacilityFaults` marked with `acts`."""


def acts(kind: str) -> Callable[[Act], Act]:
    """Return what marks the method that does the faults of a kind."""

    def marked(act: Act) -> Act:
        ACTS[kind] = act
        return act

    return marked


def _down(down: int, machines: int, words: str) -> FaultOutcome:
    return FaultOutcome(words, {"down": int(down), "of": int(machines)})


def _standing(down: int, machines: int, noun: str) -> FaultOutcome:
    """Return how many of some machines are stopped: "1 of 2 pumps stopped", "both pumps running"."""
    if machines == 1:
        words = f"{noun} {'stopped' if down else 'running'}"
    elif down:
        words = f"{down} of {machines} {noun}s stopped"
    else:
        words = f"{'both' if machines == 2 else f'all {machines}'} {noun}s running"
    return _down(down, machines, words)


class FacilityFaults:
    """Faults of power and cooling in force, and what they do to the machines."""

    def __init__(
        self,
        timers: Timers,
        log: Log,
        plant: Plant,
        power: PowerSystem,
        cooling: CoolingSystem,
        oddities: Oddities,
        caps: PowerCaps,
        weather: Weather,
        scenario: Scenario,
        catalog: Catalog,
        draws: Draws,
    ) -> None:
        self.timers, self.log, self.plant, self.draws = timers, log, plant, draws
        self.scenario, self.catalog = scenario, catalog
        self.power, self.cooling, self.oddities, self.caps, self.weather = (
            power,
            cooling,
            oddities,
            caps,
            weather,
        )
        self.shut_leaks = scenario.cooling.shut_leaks
        self.acting: list[Intervention] = []
        self.tell_site: Callable[[bool], None] = lambda lost: None  # who else has to know

    def repair_s(self, i: Intervention, index: int) -> float | None:
        """Return how long a fault lasts [s]: as told, else drawn from its kind; None: until somebody ends it."""
        if i.duration_s is not None:
            return i.duration_s
        spread = KINDS[i.kind].repair_s
        if spread is None:
            return None
        key = reliability.component_keys([i.target])
        uniform = reliability.hash_uniform(self.draws.seed, key, i.kind, index)
        return float(spread[0] * np.exp(spread[1] * normal_quantile(uniform))[0])

    def refusal(self, i: Intervention) -> str | None:
        """Return why a fault cannot act here, None when it can."""
        for key, reason, hint in wrong(self.scenario, i, self.no_place, self.catalog):
            subject = i.target if key == "target" else key or i.kind
            # Of a subject the reason is said ("cdu/0 is a loop", "value must be"), but "unknown job" is not.
            colon = ":" if reason.startswith("unknown ") else ""
            return f"{subject}{colon} {reason}" + (f"; {hint}" if hint else "")
        return None

    def no_place(self, target: str) -> str:
        """Return why an id names no row, rack, node or GPU that stands here; empty when it does."""
        found = find(self.plant, target)
        if found is not None and found[0] in PLACES:
            return ""
        near = nearest(target, self.plant.slots)
        return "names no row, rack, node or GPU of this hall" + (f", did you mean {near!r}?" if near else "")

    def begin(self, i: Intervention, lasts_s: float | None, act: Act) -> None:
        """Let a fault begin, by what brings its machines to where the faults in force have them."""
        self.acting.append(i)
        what, figures = act(self, i)
        lasts = "" if lasts_s is None else f" for {units.spoken(lasts_s)}"
        severity = Severity[KINDS[i.kind].severity.upper()]
        self._say(self._events(i).begins, i.target, what + lasts, severity, lasts_s=lasts_s, **figures)

    def end(self, i: Intervention, act: Act) -> None:
        """Let a fault be over."""
        self.acting.remove(i)
        (what, figures), events = act(self, i), self._events(i)
        if self._in_force(i):  # what another fault still holds down remains an alarm
            self._say(events.begins, i.target, f"partly repaired: {what}", Severity.WARNING, **figures)
        else:
            self._say(events.clears, i.target, what, Severity.NOTICE, **figures)

    def _events(self, i: Intervention) -> FaultEvents:
        """Return the events that tell of it."""
        return KINDS[i.kind].events_of(self._kind(i))

    def leaking(self, i: Intervention) -> list[int]:
        """Return the nodes that a leak takes out of service: their valves are shut."""
        if i not in self.acting or not (self.shut_leaks and self._kind(i) == "rack"):
            return []
        nodes, kinds = self.plant.nodes, self.plant.loops.kind
        wet = np.isin(kinds, (LoopKind.LIQUID, LoopKind.IMMERSION))[nodes.loop]
        return np.flatnonzero(nodes.present & wet & (nodes.rack == self._slot(i))).tolist()

    # --- what each kind does, begun or over (`twin.sim.incidents.fault_handlers`); returns how things stand then

    def _in_force(self, i: Intervention) -> list[Intervention]:
        return [fault for fault in self.acting if (fault.kind, fault.target) == (i.kind, i.target)]

    def supply(self, i: Intervention) -> FaultOutcome:
        """Let units of a power item fail or work."""
        item, in_force = self._slot(i), self._in_force(i)
        units_ = int(self.plant.power.units[item])
        lost = min(units_, sum(fault.count or units_ for fault in in_force))
        self.power.fail(item, lost)
        what = self._item_kind(i)
        words = f"{what} failed" if lost == units_ else f"{lost} of {units_} units of the {what} failed"
        return _down(lost, units_, words if lost else f"{what} restored")

    @acts("trip")
    def breaker(self, i: Intervention) -> FaultOutcome:
        """Open or close a breaker."""
        if self._in_force(i):
            self.power.trip(self._slot(i))
            return FaultOutcome("breaker opened")
        self.power.close(self._slot(i))
        return FaultOutcome("breaker closed")

    @acts("battery_empty")
    def battery(self, i: Intervention) -> FaultOutcome:
        """Empty a battery or let it charge."""
        if self._in_force(i):
            self.power.empty(self._slot(i))
            return FaultOutcome("battery empty")
        self.power.refill(self._slot(i))
        return FaultOutcome("battery recharging")

    @acts("no_start")
    def generator(self, i: Intervention) -> FaultOutcome:
        """Keep machines of a generator from starting."""
        item, units_ = self._slot(i), int(self.plant.power.units[self._slot(i)])
        stuck = min(units_, sum(fault.count or units_ for fault in self._in_force(i)))
        self.power.no_start(item, stuck)
        some = f"{stuck} of {units_} generators " if 0 < stuck < units_ else ""
        return _down(stuck, units_, f"{some}will not start" if stuck else "ready to start")

    @acts("psu_loss")
    def supplies(self, i: Intervention) -> FaultOutcome:
        """Take power supplies of a node or shelves of a rack."""
        kind, slot = self._kind(i), self._slot(i)
        lost = sum(fault.count or EVERY for fault in self._in_force(i))
        total = self.power.lose_supplies(kind or "", slot, lost)
        noun = "power supplies" if kind == "node" else "power shelves"
        lost = min(lost, total)
        return _down(
            lost, total, f"{lost} of {total} {noun} failed" if lost else f"all {total} {noun} restored"
        )

    @acts("pump_stop")
    def pumps(self, i: Intervention) -> FaultOutcome:
        """Stop pumps of a loop or plant."""
        slot, now = self._slot(i), self.timers.now_s
        table: Any = self.plant.loops if self._kind(i) == "loop" else self.plant.plants
        pumps = int(table.pumps[slot])
        down = self._still(i, pumps)
        if self._kind(i) == "loop":
            self.cooling.set_pumps_down(now, slot, down)
        else:
            self.cooling.set_plant_pumps_down(now, slot, down)
        return _standing(down, pumps, "pump")

    @acts("fan_stop")
    def fans(self, i: Intervention) -> FaultOutcome:
        """Stop fans of a node, loop or plant."""
        kind, slot = self._kind(i), self._slot(i)
        in_force = self._in_force(i)
        if kind == "node":
            fans = FANS_OF_NODE
            down = min(fans, sum(fault.count or fans for fault in in_force))
            self._odd(i, "fans", fan_share(down, fans))
        else:
            table: Any = self.plant.loops if kind == "loop" else self.plant.plants
            fans = int(table.pumps[slot] if kind == "loop" else table.units[slot])
            down = self._still(i, fans)
            self.cooling.set_fans_down(self.timers.now_s, kind or "", slot, down)
        return _standing(down, fans, "fan")

    def _still(self, i: Intervention, machines: int) -> int:
        """Return how many pumps or fans stand: those of an air loop are the same machines under both names."""
        stopped = [
            o for o in self.acting if o.target == i.target and KINDS[o.kind].counted in ("pumps", "fans")
        ]
        if self._kind(i) != "loop":
            stopped = [other for other in stopped if other.kind == i.kind]
        return min(machines, sum(fault.count or machines for fault in stopped))

    @acts("valve_stuck")
    def valve(self, i: Intervention) -> FaultOutcome:
        """Hold the valve of a loop."""
        in_force = self._in_force(i)
        opening = value_of(in_force[-1]) if in_force else None
        self.cooling.set_valve(self._slot(i), opening)
        if opening is None:
            return FaultOutcome("valve repaired")
        return FaultOutcome(f"valve stuck at {100 * opening:.0f} %", {"opening": opening})

    @acts("filter_clogged")
    @acts("air_filter_clogged")
    def filter(self, i: Intervention) -> FaultOutcome:
        """Clog the filter of a loop; what several faults put in the way is in series."""
        left = 1.0
        for fault in self._in_force(i):
            left = float(restricted_flow(left, value_of(fault)))
        slot = self._slot(i)
        self.cooling.pumps.filtered[slot] = left
        self.cooling.move_loop(self.timers.now_s, slot)
        fluid = "air" if self.plant.loops.kind[slot] == LoopKind.AIR else "coolant"
        words = f"clogged: {100 * left:.0f} % of the flow left" if left < 1 else "clean"
        return FaultOutcome(f"{fluid} filter {words}", {"left": left})

    def leak(self, i: Intervention) -> FaultOutcome:
        """Shut what leaks."""
        leaks, now, slot = bool(self._in_force(i)), self.timers.now_s, self._slot(i)
        if self._kind(i) == "loop" or not self.shut_leaks:
            loop = self._leaking_loop(i)
            shut = any(self._leaking_loop(leak) == loop for leak in self.acting if leak.kind == i.kind)
            if loop >= 0:
                self.cooling.set_shut(now, loop, shut)
            if leaks:
                return FaultOutcome("leak: loop isolated")
            loop_now = "loop still isolated (second leak)" if shut else "coolant flowing"
            return FaultOutcome(f"leak repaired; {loop_now}")
        if leaks:
            self.oddities.set(self._key(i), self._nodes(i), None, flow=WORST_FLOW)
        else:
            self.oddities.clear(self._key(i))
        self._share_flow(int(self.plant.racks.loop[slot]), i.kind)
        return FaultOutcome(
            "leak: rack isolated, nodes shut down" if leaks else "leak repaired; rack valves open"
        )

    def _leaking_loop(self, i: Intervention) -> int:
        """Return the loop that a leak stops as a whole, -1: it only shuts the valves of its rack."""
        if self._kind(i) == "loop":
            return self._slot(i)
        return -1 if self.shut_leaks else int(self.plant.racks.loop[self._slot(i)])

    def _share_flow(self, loop: int, leak: str) -> None:
        """Let the racks of a coolant loop that leaks left open share what its pumps deliver."""
        if loop < 0:
            return
        racks = self.plant.racks
        of_loop = np.flatnonzero((racks.loop == loop) & racks.present)
        shut = {
            self._slot(fault) for fault in self.acting if fault.kind == leak and self._kind(fault) == "rack"
        }
        self.cooling.set_branches(self.timers.now_s, loop, len(shut & set(of_loop.tolist())), len(of_loop))

    @acts("chiller_trip")
    def chillers(self, i: Intervention) -> FaultOutcome:
        """Stop chillers of a plant."""
        slot = self._slot(i)
        total = int(self.plant.plants.units[slot])
        down = min(total, sum(fault.count or total for fault in self._in_force(i)))
        self.cooling.set_units_down(self.timers.now_s, slot, down)
        noun = self.plant.plants.kind[slot].replace("-", " ") + "s"
        words = f"{down} of {total} {noun} tripped" if down else f"all {total} {noun} cleared to restart"
        return _down(down, total, words)

    @acts("heat_rejection_loss")
    def rejection(self, i: Intervention) -> FaultOutcome:
        """Keep a plant from giving heat to the sky."""
        lost = bool(self._in_force(i))
        self.cooling.set_rejecting(self._slot(i), 0.0 if lost else 1.0)
        return FaultOutcome("heat rejection lost" if lost else "heat rejection restored")

    @acts("site_loss")
    def site(self, i: Intervention) -> FaultOutcome:
        """Lose the whole site."""
        lost = bool(self._in_force(i))
        self.power.lose_site(lost)
        self.tell_site(lost)
        words = "site outage: no power" if lost else "site restored: nodes booting"
        return FaultOutcome(words)

    @acts("heat_wave")
    def heat_wave(self, i: Intervention) -> FaultOutcome:
        """Warm the weather."""
        self.weather.heat_wave_k = sum(value_of(fault) for fault in self._in_force(i))
        hotter_k = self.weather.heat_wave_k
        words = f"heat wave: +{hotter_k:.0f} K" if hotter_k else "heat wave ended"
        return FaultOutcome(words, {"hotter_k": float(hotter_k)})

    @acts("blocked_plate")
    def plate(self, i: Intervention) -> FaultOutcome:
        """Narrow cold plates."""
        share = float(np.prod([value_of(fault) for fault in self._in_force(i)]))
        self._odd(i, "flow", share)
        words = f"cold-plate flow reduced to {100 * share:.0f} %" if share < 1 else "cold-plate flow restored"
        return FaultOutcome(words, {"left": share})

    @acts("bad_contact")
    def contact(self, i: Intervention) -> FaultOutcome:
        """Worsen the contact between dies and plates."""
        factor = float(np.prod([value_of(fault) for fault in self._in_force(i)]))
        self._odd(i, "contact", factor)
        words = (
            f"thermal interface degraded ({factor:.3g}x thermal resistance)"
            if factor > 1
            else "thermal interface repaired"
        )
        return FaultOutcome(words, {"resistance": factor})

    def _odd(self, i: Intervention, what: str, share: float) -> None:
        if not self._in_force(i):
            self.oddities.clear(self._key(i))
            return
        if self._kind(i) == "gpu":
            self.oddities.set(self._key(i), None, self._slot(i), **{what: share})
        else:
            self.oddities.set(self._key(i), self._nodes(i), None, **{what: share})

    def cap(self, i: Intervention) -> FaultOutcome:
        """Cap the power of a place or power item."""
        in_force = self._in_force(i)
        if not in_force:
            self.caps.clear(self._key(i))
            return FaultOutcome("power cap removed")
        limit_w = value_of(in_force[-1])
        self.caps.set(self._key(i), i.target, limit_w, "proportional")
        return FaultOutcome(f"power cap {units.render(limit_w, 'power', digits=4)}", {"limit_w": limit_w})

    # --- targets

    def _key(self, i: Intervention) -> str:
        return f"{i.kind} {i.target}"

    def _kind(self, i: Intervention) -> TargetKind | None:
        if i.target == "site":
            return "site"
        found = find(self.plant, i.target)
        return None if found is None else found[0]  # type: ignore[return-value]

    def _slot(self, i: Intervention) -> int:
        found = find(self.plant, i.target)
        return -1 if found is None else found[1]

    def _item_kind(self, i: Intervention) -> str:
        return self.plant.power.kind[self._slot(i)]

    def _nodes(self, i: Intervention) -> list[int]:
        nodes, kind, slot = self.plant.nodes, self._kind(i), self._slot(i)
        chosen = nodes.rack == slot if kind == "rack" else np.arange(len(nodes.ids)) == slot
        return np.flatnonzero(chosen & nodes.present).tolist()

    def _say(self, kind: str, subject: str, text: str, severity: Severity, **figures: float | None) -> None:
        self.log.add(self.timers.now_s, kind, subject, text, severity, where="", **figures)
