"""How each item of the power tree stands: faults, switches, charge, engines. All of it goes into a snapshot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import Fields, Stateful
from twin.sim.power.circuit import Circuit

FULL = 1.0
SMOOTHING_CHARGE = 0.8
"""Charge that a battery which limits ramps starts with and returns to: room for a load that falls [estimated]."""


class GeneratorPhase(IntEnum):
    """What an engine does."""

    STANDBY = 0
    STARTING = 1
    RUNNING = 2
    FAILED = (
        3  # it did not start, broke or stalled; tries again once repaired, or when the grid has been back
    )


@dataclass
class Condition(Stateful):
    """Arrays of one entry per item; times are [s], infinite where nothing is due."""

    lost: IntP  # units lost
    held_open: Bools  # breaker, by a fault
    opened: Bools  # breaker, by itself
    reclose_s: Floats
    heat: Floats  # of breakers, 1 trips
    emptied: Bools  # battery, by a fault
    no_start: IntP  # machines that will not start
    unstarted: IntP  # machines that did not, the last time
    charge_j: Floats
    on_spare: Bools
    transfer_s: Floats  # the switch at the input arrives at its spare
    phase: IntP
    since_s: Floats  # engine: start is over (starting), or runs since (running)
    base_w: Floats  # output of an engine at `since_s`, which it has at once
    island: Bools  # bus lives by its own sources
    unbroken: Bools  # and has done so since the grid went, as an event says
    short_s: Floats  # an overloaded island breaks down
    too_much: Bools  # bus that is dark because its running engines are too small
    live: Bools  # output
    fed: Bools  # input
    on_battery: Bools
    battery_w: Floats  # of battery storage at its terminals, positive: it gives
    charging_w: Floats  # more input of a UPS to charge its battery
    overloaded: Bools
    told_together: Bools  # overloads that one event was about

    @classmethod
    def fresh(cls, circuit: Circuit) -> Condition:
        """Return everything sound, charged and closed."""
        n = circuit.count
        items = circuit.items
        target = target_charge(circuit)
        gas = np.isin(np.array(circuit.kind, dtype=object), ("gas", "smr")) & circuit.is_source
        whole, none, never = np.zeros(n, np.intp), np.zeros(n, bool), np.full(n, np.inf)
        output_w = np.nan_to_num(items.capacity_w * items.output)
        return cls(
            lost=whole.copy(),
            held_open=none.copy(),
            opened=none.copy(),
            reclose_s=never.copy(),
            heat=np.zeros(n),
            emptied=none.copy(),
            no_start=whole.copy(),
            unstarted=whole.copy(),
            charge_j=circuit.energy_j * target,
            on_spare=none.copy(),
            transfer_s=never.copy(),
            phase=np.where(gas, GeneratorPhase.RUNNING, GeneratorPhase.STANDBY).astype(np.intp),
            since_s=never.copy(),
            base_w=np.where(gas, output_w, 0.0),
            island=none.copy(),
            unbroken=none.copy(),
            short_s=never.copy(),
            too_much=none.copy(),
            live=np.ones(n, bool),
            fed=np.ones(n, bool),
            on_battery=none.copy(),
            battery_w=np.zeros(n),
            charging_w=np.zeros(n),
            overloaded=none.copy(),
            told_together=none.copy(),
        )

    def open(self) -> Bools:
        """Return which breakers are open."""
        return self.held_open | self.opened


_TYPES = {"IntP": np.intp, "Bools": np.bool_, "Floats": np.float64}
Condition.STATE = Fields(
    *(Column(field.name, "power", _TYPES[str(field.type)]) for field in fields(Condition))
)


def target_charge(circuit: Circuit) -> Floats:
    """Return the share of its energy that each battery starts with and returns to."""
    smooths = circuit.is_battery & np.isfinite(circuit.items.ramp_w_s)
    result: Floats = np.where(smooths, SMOOTHING_CHARGE, FULL)
    return result
