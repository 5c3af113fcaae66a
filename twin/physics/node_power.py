"""Power of a node besides its GPUs: what follows their load, and fans, which follow it by their cube law and the air.

What a catalogue gives is measured in air: with no job, with all GPUs at their rating, and at the nameplate. Fans are a
part of it that goes with the cube of the air, and grows where the air comes in warm; nodes on busbars without fans, and
those that hang in a tank, have none. The rest, processors, memory, network cards, switches and the loss of the power
supplies, follows the load of the GPUs on a straight line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.flow_laws import LEAST_AIR, ROOM_FANS

HELD_C, EASY_C, WARM_EXPONENT = 75.0, 25.0, 1.6
"""Fans hold a part at the first temperature; air below the second asks no more of them [C]; exponent of the margin [-].

Air that a network card of 75 C wants from 25 to 50 C inlet, 1.4 to 4.6 CFM, is met within 8 % (AMD Alveo X3522, DS1002,
inlet temperature against airflow).
"""


class NodePower(NamedTuple):
    """Powers of nodes besides their GPUs, of one node or of arrays of them [W].

    Parameters
    ----------
    idle_w, full_w, peak_w
        With no job, with all GPUs at their rating, and what the nameplate leaves, in air of 25 C, fans included.
    fans_w
        Of the fans at rated flow; 0: there are none.
    idle_share
        Power of an idle GPU over its rating [-]: what the air follows.
    """

    idle_w: Floats | float
    full_w: Floats | float
    peak_w: Floats | float
    fans_w: Floats | float
    idle_share: Floats | float

    def of(self, node: int) -> NodePower:
        """Return the powers of one node of arrays."""
        return NodePower(*(float(column[node]) for column in map(np.asarray, self)))

    @property
    def fans_idle_w(self) -> Floats:
        """Power of the fans with no job [W]."""
        return np.asarray(self.fans_w * ROOM_FANS.power_share(self.air(0.0)))

    def air(self, driven: ArrayLike) -> Floats:
        """Return the air through nodes whose GPUs are so hard driven, 0..1, over rated, in air of 25 C [-]."""
        share = self.idle_share + (1.0 - np.asarray(self.idle_share)) * np.asarray(driven, np.float64)
        result: Floats = np.minimum(np.maximum(share, LEAST_AIR), 1.0)
        return result

    def without_fans(self) -> NodePower:
        """Return the same nodes in a tank: their fans are taken out."""
        return NodePower(
            self.idle_w - self.fans_idle_w,
            self.full_w - np.asarray(self.fans_w),
            self.peak_w - np.asarray(self.fans_w),
            0.0 * np.asarray(self.fans_w),
            self.idle_share,
        )

    def fan_power_w(self, driven: ArrayLike, inlet_c: ArrayLike = EASY_C) -> Floats:
        """Return the power of the fans of nodes whose GPUs are so hard driven [W]."""
        return np.asarray(self.fans_w * ROOM_FANS.power_share(self.air(driven) * warm_air(inlet_c)))

    def power_w(self, driven: ArrayLike, inlet_c: ArrayLike = EASY_C, at_peak: bool = False) -> Floats:
        """Return the power besides the GPUs, at most what the nameplate leaves [W].

        Parameters
        ----------
        driven
            How hard the node is driven: dynamic power of its GPUs over that at their rating, 0..1 [-].
        inlet_c
            Air that the node breathes [C].
        at_peak
            Whether it runs up to its nameplate.
        """
        bare = self.without_fans()
        top_w = bare.peak_w if at_peak else bare.full_w
        rest_w = bare.idle_w + np.asarray(driven, np.float64) * (top_w - bare.idle_w)
        return np.minimum(rest_w + self.fan_power_w(driven, inlet_c), self.peak_w)


def warm_air(inlet_c: ArrayLike) -> Floats:
    """Return how much more air fans move than in air of 25 C, so that what they cool gets no warmer [-].

    A heat sink in an air stream has a resistance that falls with the air; the less the parts are above the inlet,
    the more air they want. Validity: up to 55 C. Below 25 C fans follow the load alone [est].
    """
    margin_k = HELD_C - np.clip(np.asarray(inlet_c, np.float64), EASY_C, 55.0)
    result: Floats = ((HELD_C - EASY_C) / margin_k) ** WARM_EXPONENT
    return result
