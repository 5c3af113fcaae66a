"""Losses of the electrical chain: each stage draws P_in = a + b P_out + c P_out^2.

a is the no-load loss, b the linear, c the I^2 R part, so how load is shared between redundant units shows in
the losses. Stage figures: PHYSICS.md section 5 and reference/hardware.yaml.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StageCurve:
    """Input power of one unit of a stage over its output power.

    Attributes
    ----------
    rated_w : float
        Rated output [W].
    no_load_w : float
        a: drawn at no output [W].
    linear : float
        b [-].
    per_w : float
        c [1/W].
    """

    rated_w: float
    no_load_w: float
    linear: float
    per_w: float

    def input_w(self, output_w: ArrayLike) -> Floats:
        """Input power for an output power [W]."""
        out = np.asarray(output_w, dtype=np.float64)
        result: Floats = self.no_load_w + self.linear * out + self.per_w * out**2
        return result

    def loss_w(self, output_w: ArrayLike) -> Floats:
        """Loss at an output power [W]."""
        result: Floats = self.input_w(output_w) - np.asarray(output_w, dtype=np.float64)
        return result

    def efficiency(self, output_w: ArrayLike) -> Floats:
        """Output over input power [-]."""
        result: Floats = np.asarray(output_w, dtype=np.float64) / self.input_w(output_w)
        return result

    def shared_input_w(self, output_w: ArrayLike, units: ArrayLike) -> Floats:
        """Input power of several equal units that share an output evenly [W].

        Parameters
        ----------
        output_w : array_like
            Output of all units together [W].
        units : array_like
            Units that are on; 0 gives zero and is legal for zero output only.
        """
        count = np.asarray(units, dtype=np.float64)
        each = np.asarray(output_w, dtype=np.float64) / np.maximum(count, 1.0)
        result: Floats = count * self.input_w(each)
        return result


def fit_stage_curve(
    rated_w: float, load_fraction: Sequence[float], efficiency: Sequence[float]
) -> StageCurve:
    """Stage curve through published efficiencies, least squares of relative input power, a, b, c >= 0.

    Parameters
    ----------
    rated_w : float
        Rated output [W].
    load_fraction : sequence of float
        Output over rated output [-], three points at least.
    efficiency : sequence of float
        Output over input there [-].

    Raises
    ------
    ValueError
        When there are fewer than three points or an efficiency is not in (0, 1].
    """
    load, eta = np.asarray(load_fraction, dtype=np.float64), np.asarray(efficiency, dtype=np.float64)
    if load.size < 3 or load.shape != eta.shape or np.any(eta <= 0.0) or np.any(eta > 1.0):
        raise ValueError("a stage curve needs three or more efficiencies in (0, 1]")
    per_unit_in = load / eta
    columns = np.stack([np.ones_like(load), load, load**2], axis=1) / per_unit_in[:, None]
    keep = [0, 1, 2]
    fitted = np.zeros(3)
    while keep:
        solution, *_ = np.linalg.lstsq(columns[:, keep], np.ones_like(load), rcond=None)
        if np.all(solution >= 0.0):
            fitted[keep] = solution
            break
        keep.pop(int(np.argmin(solution)))
    return StageCurve(rated_w, float(fitted[0]) * rated_w, float(fitted[1]), float(fitted[2]) / rated_w)


def constant_efficiency(rated_w: float, efficiency: float) -> StageCurve:
    """Stage of one efficiency at every load."""
    return StageCurve(rated_w, 0.0, 1.0 / efficiency, 0.0)


def full_load_efficiency(rated_w: float, efficiency: float, no_load_share: float) -> StageCurve:
    """Stage with a no-load loss and the rest of its full-load loss as I^2 R.

    Parameters
    ----------
    rated_w : float
        Rated output [W].
    efficiency : float
        At rated output [-].
    no_load_share : float
        No-load loss over rated output [-].
    """
    copper = 1.0 / efficiency - 1.0 - no_load_share
    return StageCurve(rated_w, no_load_share * rated_w, 1.0, copper / rated_w)


def titanium_psu(rated_w: float) -> StageCurve:
    """80 PLUS Titanium power supply: .90 / .94 / .96 / .91 at 10 / 20 / 50 / 100 %."""
    return fit_stage_curve(rated_w, (0.1, 0.2, 0.5, 1.0), (0.90, 0.94, 0.96, 0.91))


def power_shelf(rated_w: float = 33e3) -> StageCurve:
    """Rack power shelf of 6 x 5.5 kW, .975 [recalled]."""
    return full_load_efficiency(rated_w, 0.975, 0.004)


def ups_double_conversion(rated_w: float) -> StageCurve:
    """UPS in double conversion: .88 / .94 / .965 / .96 at 10 / 25 / 50 / 100 % [recalled]."""
    return fit_stage_curve(rated_w, (0.1, 0.25, 0.5, 1.0), (0.88, 0.94, 0.965, 0.96))


def ups_eco(rated_w: float) -> StageCurve:
    """UPS in eco mode, .99 [recalled]."""
    return constant_efficiency(rated_w, 0.99)


def transformer(rated_w: float) -> StageCurve:
    """Medium to low voltage transformer: .99 at full load, no-load loss 0.2 % [recalled]."""
    return full_load_efficiency(rated_w, 0.99, 0.002)


def switchgear(rated_w: float) -> StageCurve:
    """Low-voltage switchgear: .997 at full load, all of it I^2 R."""
    return full_load_efficiency(rated_w, 0.997, 0.0)


def floor_pdu(rated_w: float) -> StageCurve:
    """Floor PDU with transformer: .985 at full load, no-load loss 0.4 % [recalled, split estimated]."""
    return full_load_efficiency(rated_w, 0.985, 0.004)


def busbar(rated_w: float) -> StageCurve:
    """Busbar or rack PDU: .995 at full load, all of it I^2 R."""
    return full_load_efficiency(rated_w, 0.995, 0.0)


def chain_input_w(stages: Sequence[tuple[StageCurve, float]], output_w: ArrayLike) -> list[Floats]:
    """Power at the input of each stage of a series chain.

    Parameters
    ----------
    stages : sequence of (StageCurve, units)
        From the load upwards; units share evenly.
    output_w : array_like
        Load [W].

    Returns
    -------
    list of ndarray
        Input power of each stage, load side first [W]; the last is drawn from the utility.
    """
    inputs: list[Floats] = []
    power = np.asarray(output_w, dtype=np.float64)
    for curve, units in stages:
        power = curve.shared_input_w(power, units)
        inputs.append(power)
    return inputs
