"""A job on a fabric: what it sends wherever it sits, and what it demands of the links from its present nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.physics.training_inputs import Network, Profile
from twin.planning.placement import Placement
from twin.planning.traffic import Exchange

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Talk:
    """What a job sends, wherever it sits."""

    fabric: int | None
    exchanges: tuple[Exchange, ...]
    profile: Profile | None
    gpus: int
    gpu_part: str


@dataclass(frozen=True)
class Under:
    """A job on its nodes under some faults: what it has, and which links carry it, as bits; None: torn apart."""

    network: Network | None
    touched: NDArray[np.uint8] | None


@dataclass
class Seat:
    """A job on its latest nodes."""

    nodes: list[int]
    placement: Placement
    network: Network  # what it has alone on the fabric
    communicates: float  # share of a step
    step_s: float
    stepping: bool = False
    summed: bool = False  # its demand is in the sums
    slow: Floats | None = None  # by kind, for what others take; None: nobody takes anything
    contention_s: float = 0.0

    @cached_property
    def dlink(self) -> Longs:
        """Directed links behind the cards that it uses."""
        return self.placement.spread.dlink

    @cached_property
    def peak(self) -> Longs:
        """Highest demand on each of them [B/s]."""
        return self.placement.spread.peak_bytes_s.astype(np.int64)

    @cached_property
    def mean_bytes_s(self) -> Floats:
        """Mean rate on every directed link [B/s]."""
        placement, flows = self.placement, self.placement.flows
        total = placement.router.card_load(flows, flows.weight * placement.step_bytes[flows.group])
        total += placement.router.carried(flows, placement.step_bytes)
        return total / self.step_s
