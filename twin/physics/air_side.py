"""Air through the room: fans, containment, rear doors; and tanks, which need none (PHYSICS.md sections 3 and 4)."""

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.flow_laws import ROOM_FANS, FlowLaw

DOOR_WITHOUT_FANS = 0.6
"""Air through a rear door whose own fans are stopped: the nodes' fans push the rest [-] [est]."""


def fan_power_w(rated_w: ArrayLike, flow_share: ArrayLike, law: FlowLaw = ROOM_FANS) -> Floats:
    """Power of fans at a share of their rated air flow, which drives bring down to its floor and no further [W]."""
    result: Floats = np.asarray(rated_w, dtype=np.float64) * law.power_share(np.minimum(flow_share, 1.0))
    return result


def inlet_over_supply_k(rise_k: ArrayLike, recirculation: ArrayLike) -> Floats:
    """Inlet air over the air handlers' supply, from the rise through the nodes [K]: r / (1 - r) of it."""
    share = np.asarray(recirculation, dtype=np.float64)
    result: Floats = np.asarray(rise_k, dtype=np.float64) * share / (1.0 - share)
    return result


def coil_share(effectiveness: ArrayLike, recirculation: ArrayLike) -> Floats:
    """Share of a coil's conductance between node exhaust and facility water that recirculation leaves [-].

    As much supply air as exhaust comes round passes by the nodes, so the coil sees air less warm than their exhaust:
    q = eps W (T_return - T_water) with T_return = T_exhaust - r/(1-r) q/W gives the factor 1 / (1 + eps r/(1-r)).

    Parameters
    ----------
    effectiveness : array_like
        Of the coil, over the nodes' air flow [-].
    recirculation : array_like
        Share of the inlet air that is exhaust, 0 <= r < 1 [-].
    """
    share = np.asarray(recirculation, dtype=np.float64)
    result: Floats = 1.0 / (1.0 + np.asarray(effectiveness, dtype=np.float64) * share / (1.0 - share))
    return result
