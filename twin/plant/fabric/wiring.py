"""The cables of one fabric, by number: nodes from 0 in their order, switches from 0 through leaves, spines, cores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Ints
from twin.scenario.checks.fabric_size import Ports

Numbers = NDArray[np.signedinteger[Any]]
"""Whole numbers of any width, as numpy's arithmetic leaves them."""


def none() -> Ints:
    """Return an empty column."""
    return np.zeros(0, np.int32)


@dataclass(frozen=True)
class FabricTier:
    """Switches of one tier of a fabric."""

    level: int
    ports: Ports
    unit: Ints  # unit, pod or group each serves, -1: all
    rail: Ints  # rail each serves alone, -1 otherwise
    plane: Ints  # of dual-homed cards, -1 where cards have one cable

    def __len__(self) -> int:
        return len(self.unit)


@dataclass(frozen=True)
class CardCables:
    """One cable from a network card to a switch each."""

    node: Ints
    nic: Ints
    plane: Ints
    switch: Ints


@dataclass(frozen=True)
class SwitchCables:
    """Cables between pairs of switches."""

    lower: Ints
    upper: Ints
    cables: Ints


@dataclass(frozen=True)
class PeerCables:
    """Cables between pairs of nodes."""

    axis: Ints
    a: Ints
    b: Ints
    cables: Ints


@dataclass(frozen=True)
class Wiring:
    """All cables of one fabric."""

    unit: Ints  # of each node
    tiers: tuple[FabricTier, ...] = ()
    cards: CardCables = field(default_factory=lambda: CardCables(none(), none(), none(), none()))
    switches: SwitchCables = field(default_factory=lambda: SwitchCables(none(), none(), none()))
    peers: PeerCables = field(default_factory=lambda: PeerCables(none(), none(), none(), none()))


def tier(
    level: int, ports: Ports, unit: Numbers, rail: Numbers | None = None, plane: Numbers | None = None
) -> FabricTier:
    """Return a tier; without rail or plane its switches serve all of them."""
    nobody = np.full(len(unit), -1, np.int32)
    return FabricTier(
        level,
        ports,
        unit.astype(np.int32),
        nobody if rail is None else rail.astype(np.int32),
        nobody if plane is None else plane.astype(np.int32),
    )


def counted(lower: Numbers, upper: Numbers) -> SwitchCables:
    """Return single cables as pairs of switches with their numbers of cables."""
    if not len(lower):
        return SwitchCables(none(), none(), none())
    many = int(upper.max()) + 1
    pair, cables = np.unique(lower.astype(np.int64) * many + upper, return_counts=True)
    return SwitchCables(
        (pair // many).astype(np.int32), (pair % many).astype(np.int32), cables.astype(np.int32)
    )


def joined(*parts: SwitchCables) -> SwitchCables:
    """Return the cables of all parts."""
    return SwitchCables(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("lower", "upper", "cables"))
    )
