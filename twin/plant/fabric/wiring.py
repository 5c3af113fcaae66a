"""The cables of one fabric, by number: nodes from 0 in their order, switches from 0 through leaves, spines, cores."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from twin.arrays import AnyInts, Ints32
from twin.scenario.checks.fabric_size import Ports

"""Whole numbers of any width, as numpy's arithmetic leaves them."""


def none() -> Ints32:
    """Return an empty column."""
    return np.zeros(0, np.int32)


@dataclass(frozen=True)
class FabricTier:
    """Switches of one tier of a fabric."""

    level: int
    ports: Ports
    unit: Ints32  # unit, pod or group each serves, -1: all
    rail: Ints32  # rail each serves alone, -1 otherwise
    plane: Ints32  # of dual-homed cards, -1 where cards have one cable

    def __len__(self) -> int:
        return len(self.unit)


@dataclass(frozen=True)
class CardCables:
    """One cable from a network card to a switch each."""

    node: Ints32
    nic: Ints32
    plane: Ints32
    switch: Ints32


@dataclass(frozen=True)
class SwitchCables:
    """Cables between pairs of switches."""

    lower: Ints32
    upper: Ints32
    cables: Ints32


@dataclass(frozen=True)
class PeerCables:
    """Cables between pairs of nodes."""

    axis: Ints32
    a: Ints32
    b: Ints32
    cables: Ints32


@dataclass(frozen=True)
class Wiring:
    """All cables of one fabric."""

    unit: Ints32  # of each node
    tiers: tuple[FabricTier, ...] = ()
    cards: CardCables = field(default_factory=lambda: CardCables(none(), none(), none(), none()))
    switches: SwitchCables = field(default_factory=lambda: SwitchCables(none(), none(), none()))
    peers: PeerCables = field(default_factory=lambda: PeerCables(none(), none(), none(), none()))


def tier(
    level: int, ports: Ports, unit: AnyInts, rail: AnyInts | None = None, plane: AnyInts | None = None
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


def counted(lower: AnyInts, upper: AnyInts) -> SwitchCables:
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
