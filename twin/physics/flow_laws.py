"""Power of fans and pumps over the flow that is asked of them: a cube law with a floor, a held pressure and a drive.

Pure functions, of arrays or of one figure. Flows are shares of the rated flow, powers shares of the rated power.

Fans of nodes are a part of what a node draws besides its GPUs (`NodePower`). What a catalogue gives of that is
measured in air: with no job, with all GPUs at their rating, and at the nameplate. Fans go with the cube of the air,
and want more of it where it comes in warm; nodes without fans, and those that hang in a tank, have none. The rest,
processors, memory, network cards, switches and the loss of the power supplies, follows the load of the GPUs on a
straight line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats


@dataclass(frozen=True, slots=True)
class FlowLaw:
    """How fans or pumps with variable drives follow a flow: P = s + (1 - s) (h V + (1 - h) V^3), V never below least.

    Pressure is h + (1 - h) V^2: a part of it is held at any flow, as filters, plenums and controls at constant
    difference want it, the rest goes with the square of the flow. Motor and drive take s whatever the flow.

    Attributes
    ----------
    least : float or ndarray
        Flow below which the drive does not go, over rated [-].
    standing : float or ndarray
        Power of motor and drive at any flow, over rated [-].
    held : float or ndarray
        Pressure held at any flow, over rated [-].
    """

    least: float | Floats
    standing: float | Floats
    held: float | Floats

    def flow_share(self, asked: ArrayLike) -> Floats:
        """Return the flow that is moved where a flow is asked for, over rated: from the least to 1 [-]."""
        result: Floats = np.minimum(np.maximum(asked, self.least), 1.0)
        return result

    def power_share(self, flow: ArrayLike) -> Floats:
        """Return the power at a flow, over rated [-]: 1 at rated flow; pumps that make up for others go above it."""
        return self._power(np.maximum(flow, self.least))

    def cycled_share(self, flow: float) -> float:
        """Return the mean power at one flow, over rated, of many fans that take turns below the least flow [-]."""
        least = float(self.least)
        return float(self._power(max(flow, least))) * min(flow / least, 1.0)

    def _power(self, flow: Floats | float) -> Floats:
        result = self.standing + (1.0 - self.standing) * (self.held * flow + (1.0 - self.held) * flow**3)
        return cast(Floats, result)


ROOM_FANS = FlowLaw(least=0.3, standing=0.047, held=0.05)
"""Fans of air handlers and rear doors.

Standing and held parts reproduce, within 0.1 % of rated power from 20 to 100 % flow, the curve that building codes use
for fans on variable drives whose pressure set point is reset (ASHRAE 90.1, as in openstudio-standards of NREL:
0.04076 + 0.0881 V - 0.0729 V^2 + 0.9437 V^3). The least flow is an estimate, 20 to 40 % [est].
"""
HELD_PUMPS = FlowLaw(least=0.3, standing=0.025, held=0.415)
"""Pumps of CDUs, tanks and facility water, which hold a difference of pressure.

Standing and held parts reproduce, within 0.4 % of rated power from 20 to 100 % flow, the curve for pumps on variable
drives without reset of their pressure (openstudio-standards of NREL, 0.5726 V - 0.301 V^2 + 0.7347 V^3). The least flow
is an estimate: drives go to 20 to 40 % [est].
"""
OUTDOOR_FANS = FlowLaw(least=0.2, standing=0.027, held=0.0)
"""Fans of towers, coolers and condensers, which blow into the open.

Standing part as of the curve for single fans without ducts, met within 0.4 % (openstudio-standards of NREL, 0.027828 +
0.026583 V - 0.087069 V^2 + 1.030920 V^3). Below the least flow they take turns [est].
"""
LEAST_AIR = 0.3
"""Fans of a node blow no less while it runs, over its rated air flow [-] [est, 0.25-0.4]."""
LEAST_WATER = 0.4
"""Facility water never flows slower: chillers want so much through their evaporators [-] [est, 0.3-0.5]."""


def staged_flow(present: Floats, asked: ArrayLike, stage: float = 0.05) -> Floats:
    """Return flows that follow what is asked in stages, never below it: they stay while they are little above it [-].

    A flow comes down once it is one and a quarter stages too high: what is asked may waver about a stage. Where all
    of them stay, `present` itself is returned.

    Parameters
    ----------
    present : ndarray
        Flows now, over design [-].
    asked : array_like
        What is asked for, over design [-].
    stage : float
        Size of the stages [-].
    """
    wanted = np.asarray(asked, np.float64)
    above, most = asked_of_stage(present, stage=stage)
    stays = (wanted > above) & (wanted <= most)
    if np.count_nonzero(stays) == stays.size:
        return present
    result: Floats = np.where(stays, present, np.minimum(np.ceil(wanted / stage - 1e-9) * stage, 1.0))
    return result


def asked_of_stage(
    present: Floats, least: Floats | float = 0.0, *, stage: float = 0.05
) -> tuple[Floats, Floats]:
    """Return above what, and up to what flow that is asked for, flows in stages stay as they are [-].

    Nothing below the least flow brings a flow down further, and nothing above the rated one up.
    """
    above, most = present - 1.25 * stage, present + 1e-9
    return np.where(above < least, -np.inf, above), np.where(most >= 1.0, np.inf, most)


HELD_C, EASY_C, WARM_EXPONENT = 75.0, 25.0, 1.6
"""Fans hold a part at the first temperature; air below the second asks no more of them [C]; exponent of the margin [-].

Air that a network card of 75 C wants from 25 to 50 C inlet, 1.4 to 4.6 CFM, is met within 8 % (AMD Alveo X3522, DS1002,
inlet temperature against airflow).
"""


CPU_SHARE = 0.5
"""Hosts' processors, of the way from idle to their limit, while GPUs work at their rating [-] [est, 0.2-1]."""


class HostParts(NamedTuple):
    """Powers of parts of a node besides GPUs and fans, all of a kind together; 0: no figure [W]."""

    cpu_idle_w: float
    cpu_full_w: float
    cards_w: float


class PartPower(NamedTuple):
    """Power of a node besides its GPUs by part; they add up to it [W].

    Parameters
    ----------
    cpus_w, cards_w, fans_w
        Processors, network cards, fans.
    rest_w
        What is left: memory, drives, switches inside the node, losses of its supplies, and parts without a figure.
    """

    cpus_w: Floats
    cards_w: Floats
    fans_w: Floats
    rest_w: Floats


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

    def by_part(
        self, host: HostParts, driven: ArrayLike, inlet_c: ArrayLike = EASY_C, at_peak: bool = False
    ) -> PartPower:
        """Split `power_w` by part.

        Cards draw the same at any load; no part takes more than the node has without its fans, with no job and of
        what a load adds. So no part is negative, and none falls as the load rises. Fans give way at the nameplate.

        Parameters
        ----------
        host
            What the catalogue has of processors and cards.
        driven, inlet_c, at_peak
            As for `power_w`; at the nameplate processors draw their limit, else `CPU_SHARE` of the way to it.
        """
        load = np.asarray(driven, np.float64)
        bare = self.without_fans()
        idle_w = np.asarray(bare.idle_w)
        swing_w = np.asarray(bare.peak_w if at_peak else bare.full_w) - idle_w
        cpu_idle_w = np.minimum(host.cpu_idle_w, idle_w)
        spread_w = (1.0 if at_peak else CPU_SHARE) * (host.cpu_full_w - host.cpu_idle_w)
        cards_idle_w = np.minimum(host.cards_w, idle_w - cpu_idle_w)
        cpu_swing_w = np.minimum(spread_w, swing_w)
        cards_swing_w = np.minimum(host.cards_w - cards_idle_w, swing_w - cpu_swing_w)
        rest_w = idle_w - cpu_idle_w - cards_idle_w + load * (swing_w - cpu_swing_w - cards_swing_w)
        return PartPower(
            cpu_idle_w + load * cpu_swing_w,
            cards_idle_w + load * cards_swing_w,
            np.asarray(self.power_w(driven, inlet_c, at_peak) - (idle_w + load * swing_w)),
            rest_w,
        )


def warm_air(inlet_c: ArrayLike) -> Floats:
    """Return how much more air fans move than in air of 25 C, so that what they cool gets no warmer [-].

    A heat sink in an air stream has a resistance that falls with the air; the less the parts are above the inlet,
    the more air they want. Validity: up to 55 C. Below 25 C fans follow the load alone [est].
    """
    margin_k = HELD_C - np.clip(np.asarray(inlet_c, np.float64), EASY_C, 55.0)
    result: Floats = ((HELD_C - EASY_C) / margin_k) ** WARM_EXPONENT
    return result
