"""Figures of single GPUs, from few figures of the group of each and its deviation within the group.

GPUs that draw power alike and are cooled alike form a group. A die differs from the others of its group by its power
spread and by whether it stands in the exhaust of another; both stay what they are. So temperature, power, clock and
throttle of 16,384 GPUs follow from some dozens of groups: pictures of a live run and of a recorded one are made here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP
from twin.physics.gpu_power import RELEASE_K, GpuPowerModel, ThrottleReason, leak_w, own_clock

DARK, RESTING, WORKING = 0, 1, 2
"""What the GPUs of a group do: they have no power, nobody works on them, a job does."""
QUANTUM_K = 1 / 64
"""Temperatures are rounded to this before clocks and throttles are made of them, so that a record of them gives the
same bits [K]."""


@dataclass(frozen=True)
class GroupFigures:
    """Figures of each group, shape (G,). A die of spread s has `x + s x_slope`; what has no slope is the same for all.

    Attributes
    ----------
    die_c, die_slope_k, hbm_c, hbm_slope_k : ndarray
        Temperatures [C].
    behind_k, behind_slope_k : ndarray
        What a die has over that in the exhaust of another [K].
    power_w, power_slope_w : ndarray
        Power [W].
    model, doing : ndarray
        Number of the power model; `DARK`, `RESTING` or `WORKING`.
    cap_w, activity : ndarray
        Power limit in force [W], and activity that it regulates [W/(V^2 GHz)].
    products, waits_ghz : ndarray
        What matrix products bring to that [W/(V^2 GHz)], and the clock of the slowest die that the others wait for,
        layer by layer [GHz]; 0: for nobody.
    leaks : ndarray
        Share of the leakage that is not in the measured power [-]; 0: the spread is in it as well.
    clock_share, reason : ndarray
        Clock that limits leave of what the cap allows [-], and their throttle bits.
    walk, slow_hbm_c : ndarray
        Share of the top clock that heat leaves [-]; HBM from this on is slow [C], infinity: none is.
    util : ndarray
        Share of time that compute units are active [%].
    """

    die_c: Floats
    die_slope_k: Floats
    hbm_c: Floats
    hbm_slope_k: Floats
    behind_k: Floats
    behind_slope_k: Floats
    power_w: Floats
    power_slope_w: Floats
    model: Floats
    doing: Floats
    cap_w: Floats
    activity: Floats
    leaks: Floats
    clock_share: Floats
    reason: Floats
    walk: Floats
    slow_hbm_c: Floats
    util: Floats
    products: Floats
    waits_ghz: Floats

    def rounded(self) -> GroupFigures:
        """Return them with temperatures to `QUANTUM_K` and the rest in single precision, as a record keeps them."""
        return GroupFigures(
            *(
                np.rint(values / QUANTUM_K) * QUANTUM_K
                if name in TEMPERATURES
                else values.astype(np.float32).astype(np.float64)
                for name, values in ((field, getattr(self, field)) for field in FIELDS)
            )
        )


FIELDS: tuple[str, ...] = tuple(field.name for field in fields(GroupFigures))
ADDED = ("products", "waits_ghz")
"""Those that older records lack: there, no die waits for others layer by layer."""
TEMPERATURES = ("die_c", "die_slope_k", "hbm_c", "hbm_slope_k", "behind_k", "behind_slope_k")


@dataclass(frozen=True)
class GpuTraits:
    """Permanent differences between GPUs, shape (GPUs,).

    Parameters
    ----------
    node
        Node each is in.
    index
        Place there: every second one of an air-cooled node stands in the exhaust of another.
    spread
        Power spread factor [-].
    present
        Whether it is there.
    models, idle_ghz
        Power models that groups refer to by number, and the idle clock of each [GHz].
    """

    node: IntP
    index: IntP
    spread: Floats
    present: NDArray[np.bool_]
    models: tuple[GpuPowerModel, ...]
    idle_ghz: tuple[float, ...]

    @cached_property
    def odd(self) -> Floats:
        """Return 1 where a die stands behind another, in nodes cooled by air."""
        return (self.index % 2).astype(np.float64)

    @cached_property
    def absent(self) -> IntP:
        """Return the GPUs that are not there."""
        return np.flatnonzero(~self.present)


_PAINTED = ("temp_c", "hbm_c", "power_w", "clock_mhz", "throttle", "util")


def paint(
    into: dict[str, NDArray[np.generic]], groups: GroupFigures, of: NDArray[np.integer], dies: GpuTraits
) -> None:
    """Write the channels of GPUs that follow from their groups into the arrays of a frame.

    Parameters
    ----------
    into
        Arrays by channel id.
    groups
        Figures of all groups.
    of
        Group of each GPU; negative: not there.
    dies
        The GPUs.
    """
    if not groups.die_c.size:  # every GPU was carried away
        for name in _PAINTED:
            into[f"gpu.{name}"][...] = 0
        return
    group_of, spread = np.maximum(of, 0), dies.spread
    into["gpu.temp_c"][...] = _die_c(groups, group_of, dies)
    into["gpu.hbm_c"][...] = groups.hbm_c[group_of] + spread * groups.hbm_slope_k[group_of]
    into["gpu.power_w"][...] = groups.power_w[group_of] + spread * groups.power_slope_w[group_of]
    into["gpu.util"][...] = groups.util[group_of]
    clock_ghz, throttle = _clocks(groups.rounded(), group_of, dies)
    into["gpu.clock_mhz"][...] = clock_ghz * 1e3
    into["gpu.throttle"][...] = throttle
    if dies.absent.size:
        for name in _PAINTED:
            into[f"gpu.{name}"][dies.absent] = 0


def _die_c(groups: GroupFigures, group_of: IntP, dies: GpuTraits) -> Floats:
    """Return the temperature of each die [C]."""
    die_c: Floats = groups.die_c[group_of] + dies.spread * groups.die_slope_k[group_of]
    if np.count_nonzero(groups.behind_k) or np.count_nonzero(groups.behind_slope_k):
        die_c += dies.odd * (groups.behind_k[group_of] + dies.spread * groups.behind_slope_k[group_of])
    return die_c


def _clocks(groups: GroupFigures, group_of: IntP, dies: GpuTraits) -> tuple[Floats, NDArray[np.int64]]:
    """Return the clock of each die while it computes [GHz] and its throttle bits: a leaky die clocks lower."""
    clock, bits = np.zeros(len(group_of)), np.zeros(len(group_of), np.int64)
    doing, model_of = groups.doing[group_of], groups.model[group_of]
    die_c = _die_c(groups, group_of, dies)
    for number, model in enumerate(dies.models):
        own = model_of == number
        resting = own & (doing == RESTING)
        clock[resting] = dies.idle_ghz[number]
        bits[resting] = int(ThrottleReason.IDLE)
        busy = np.flatnonzero(own & (doing == WORKING))
        if not busy.size:
            continue
        group, spread, temp_c = group_of[busy], dies.spread[busy], die_c[busy]
        leaks, cap_w = groups.leaks[group], groups.cap_w[group]
        leakage_w = leak_w(model, temp_c, leaks)
        weight = np.where(leaks > 0, spread, 1.0)  # measured power knows no spread
        allowed = own_clock(
            model,
            cap_w,
            weight,
            groups.activity[group],
            leakage_w,
            groups.products[group],
            groups.waits_ghz[group],
        )
        capped = allowed < model.f_max_ghz - 1e-6
        allowed = np.maximum(model.f_min_ghz, allowed * groups.clock_share[group])
        walk = groups.walk[group]
        hot = (walk < 1) & (temp_c >= model.max_op_c - RELEASE_K)
        walked = np.maximum(model.f_min_ghz, np.minimum(allowed, walk * model.f_max_ghz))
        clock[busy] = np.where(hot, walked, allowed)
        found = np.where(capped, int(ThrottleReason.SW_POWER_CAP), 0) | groups.reason[group].astype(np.int64)
        lowered = capped & (cap_w < model.cap_w - 1.0)
        found |= np.where(lowered, int(ThrottleReason.LOWERED_CAP), 0)
        slow_c = groups.slow_hbm_c[group]
        if np.isfinite(slow_c).any():
            hot |= groups.hbm_c[group] + spread * groups.hbm_slope_k[group] >= slow_c
        found |= np.where(hot, int(ThrottleReason.SW_THERMAL), 0)
        slowed = int(ThrottleReason.HW_THERMAL | ThrottleReason.HW_SLOWDOWN)
        bits[busy] = found | np.where(temp_c >= model.slowdown_c, slowed, 0)
    return clock, bits
