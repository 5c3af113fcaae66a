"""Time of matrix products and memory traffic on one GPU: the two rates everything else is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

from twin.physics.training_inputs import Precision, Profile

OPERAND_BYTES = 2
"""Of one element of an operand; 8-bit products too keep theirs at 16 bit in memory."""


class BusyTime(NamedTuple):
    """Busy time of a piece of the step: matrix products, memory-bound operations [s]."""

    gemm_s: float
    memory_s: float

    @property
    def total_s(self) -> float:
        """Both [s]."""
        return self.gemm_s + self.memory_s


def product_rate(profile: Profile, precision: Precision) -> float:
    """Return the rate of very large products in a precision [FLOP/s]."""
    if precision == "bf16":
        return profile.peak_flops_s * profile.gemm_efficiency
    rate = profile.peak8_flops_s * profile.fp8_efficiency * profile.gemm_efficiency
    if precision == "fp8":
        return rate
    return rate * (profile.mxfp8_efficiency if precision == "mxfp8" else profile.nvfp4_efficiency)


def memory_rate(profile: Profile) -> float:
    """Return the achieved bandwidth between GPU and its memory [B/s]."""
    return profile.hbm_bytes_s * profile.hbm_efficiency


def product(m: float, n: float, k: float, flops_s: float, profile: Profile) -> BusyTime:
    """Return the time of an (m, k) x (k, n) product: the slower of arithmetic and 16-bit operand traffic.

    Parameters
    ----------
    m, n, k
        Shape; the rate falls with the work, eff = e / (1 + sqrt(F0 / 2mnk)).
    flops_s
        Rate of a very large product, `product_rate` [FLOP/s].
    profile
        Fitted numbers of the hardware.
    """
    flop = 2.0 * m * n * k
    arithmetic_s = flop * (1.0 + math.sqrt(profile.gemm_ramp_flop / flop)) / flops_s
    traffic_s = OPERAND_BYTES * (m * k + k * n + m * n) / (profile.hbm_bytes_s * profile.hbm_efficiency)
    return BusyTime(arithmetic_s, 0.0) if arithmetic_s >= traffic_s else BusyTime(0.0, traffic_s)
