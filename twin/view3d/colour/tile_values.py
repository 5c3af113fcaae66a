"""What a rack, a row or a hall shows as one tile: mean or worst of its GPUs, shares of states, failures counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, Channel, State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.ownership import GROUPED
from twin.view3d.base.state import TilesBy
from twin.view3d.base.tile_levels import TileLevel, TilePlaces

DEAD_CODES = (palette.DEAD, palette.STATE_BASE + int(State.FAILED), palette.LOST)
"""Codes of what has failed: it has a place of its own in a tile, however little it is."""
BANDS = 4
"""Colours of one tile at most: what has failed, then the largest shares."""
_GRAVEST: tuple[State, ...] = (
    State.UNPOWERED,
    State.OFF,
    State.CUT_OFF,
    State.WAITING,
    State.RESTARTING,
    State.DRAINED,
    State.CHECKPOINT,
    State.SPARE,
    State.IDLE,
    State.RUNNING,
    State.ABSENT,
)
_RAMP = -1  # among the kinds of a tile: all that is on the ramp


@dataclass(frozen=True)
class Ramp:
    """How quantities lie on a ramp: the value of its low end, how many codes a unit is, and which end is worse."""

    low: float
    per_unit: float
    low_is_worse: bool = False

    @classmethod
    def of(cls, channel: Channel) -> Ramp:
        """Return the ramp of a channel of GPUs."""
        return cls(channel.low, (palette.RAMP - 1) / (channel.high - channel.low), channel.low_is_worse)

    def codes(self, values: Floats) -> Floats:
        """Return the drawing codes of values."""
        return np.clip((values - self.low) * self.per_unit, 0.0, palette.RAMP - 1)


OF_CODES = Ramp(0.0, 1.0)
"""Of what has no other value than its code."""


def gpu_values(colour_by: str, plant: Plant, frame: Frame | None) -> tuple[NDArray[np.floating], Ramp] | None:
    """Return the values of every GPU slot and the ramp they lie on; None where the colouring has none."""
    if frame is None or colour_by in GROUPED or colour_by in ("gpu.state", "gpu.throttle"):
        return None
    shown = np.asarray(frame.values[colour_by], np.float32)
    values = np.zeros(len(plant.gpus.present), np.float32)
    count = min(len(values), len(shown))
    values[:count] = shown[:count]
    return np.nan_to_num(values), Ramp.of(BY_ID[colour_by])


@dataclass(frozen=True, eq=False)
class TileValues:
    """Values of all tiles, in the order of `TilePlaces`.

    Parameters
    ----------
    gpus, failed
        How many GPUs there are, and how many of them have failed.
    value
        Mean or worst of the GPUs that have a value, not a number where none has (n,).
    ramp
        How values become codes.
    shares
        Of each kind in the GPUs (n, kinds).
    kinds
        Drawing codes of the kinds; -1: those that have a value.
    """

    gpus: Ints64
    failed: Ints64
    value: Floats
    ramp: Ramp
    shares: Floats
    kinds: Ints64

    @property
    def dead_code(self) -> int:
        """Return the drawing code of what has failed, or of what a fault would take where its reach is shown."""
        return palette.LOST if palette.LOST in self.kinds else palette.DEAD

    def codes(self) -> Floats:
        """Return the drawing code of the value of each tile, 0 where it has none."""
        return np.nan_to_num(self.ramp.codes(self.value))

    def leading(self) -> tuple[Ints64, Floats]:
        """Return the kind that has most GPUs of each tile, and its share; -1: those that have a value."""
        if not len(self.kinds):
            return np.full(len(self.gpus), _RAMP), np.zeros(len(self.gpus))
        most = self.shares.argmax(axis=1)
        return self.kinds[most], self.shares[np.arange(len(most)), most]

    def bands(self) -> tuple[Floats, Floats]:
        """Return drawing codes and shares of the bands of each tile, both (n, BANDS); share 0: no band.

        The first is of what has failed; the others are the largest shares, in the order of their codes, and grow in
        proportion where there are more kinds than bands.
        """
        count = len(self.gpus)
        codes, shares = np.zeros((count, BANDS)), np.zeros((count, BANDS))
        dead = np.isin(self.kinds, DEAD_CODES)
        codes[:, 0] = self.dead_code
        shares[:, 0] = self.shares[:, dead].sum(axis=1)
        others, kinds = self.shares[:, ~dead], self.kinds[~dead]
        if not len(kinds):
            return codes, shares
        chosen = np.sort(np.argsort(-others, axis=1, kind="stable")[:, : BANDS - 1], axis=1)
        wide = chosen.shape[1]
        of_kind = kinds[chosen].astype(float)
        codes[:, 1 : 1 + wide] = np.where(of_kind == _RAMP, self.codes()[:, None], of_kind)
        shown = np.take_along_axis(others, chosen, axis=1)
        left = (1.0 - shares[:, 0]) / np.maximum(shown.sum(axis=1), 1e-12)
        shares[:, 1 : 1 + wide] = shown * np.where(shown.sum(axis=1) > 0, left, 0.0)[:, None]
        return codes, shares

    def rack_codes(self, places: TilePlaces, racks: int) -> NDArray[np.float32]:
        """Return one drawing code per rack slot: dead if any GPU is, else its value or its commonest category."""
        out = np.full(racks, palette.ABSENT, np.float32)
        of = places.at(TileLevel.RACK)
        kind = self.leading()[0][of]
        code = np.where(
            np.isnan(self.value[of]), np.where(kind == _RAMP, palette.ABSENT, kind), self.codes()[of]
        )
        dead = (self.failed[of] > 0) & (self.dead_code == palette.DEAD)
        out[places.slot[of]] = np.where(dead, palette.DEAD, code)
        return out


class TileSums:
    """Adds up the GPUs of each rack, row and hall of a plant; what does not change with time is kept.

    Parameters
    ----------
    plant, places
        The plant, and its tiles.
    """

    def __init__(self, plant: Plant, places: TilePlaces) -> None:
        self.places = places
        tile_of_rack = np.full(len(plant.racks.present), -1)
        racks = places.at(TileLevel.RACK)
        tile_of_rack[places.slot[racks]] = racks
        tile = tile_of_rack[plant.gpus.rack]
        gpus = np.flatnonzero(plant.gpus.present & (tile >= 0))
        order = np.argsort(tile[gpus], kind="stable")
        self._gpus = gpus[order]
        self._all_in_order = bool(len(gpus) == len(plant.gpus.present) and (np.diff(order) == 1).all())
        self._tile = tile[self._gpus]
        self._first = np.flatnonzero(np.diff(self._tile, prepend=-1))
        self._filled = self._tile[self._first]
        self._count = self._over(np.add, np.diff(np.append(self._first, len(self._tile))).astype(float))

    def of(
        self,
        codes: NDArray[np.float32],
        values: tuple[NDArray[np.floating], Ramp] | None,
        by: TilesBy,
    ) -> TileValues:
        """Return the values of all tiles.

        Parameters
        ----------
        codes
            Drawing codes of the GPU slots: beyond the ramp they say what has no value.
        values
            Of the GPU slots, and their ramp; None: the codes themselves.
        by
            Whether a tile shows the mean of its GPUs or the worst.
        """
        raw, ramp = values or (codes, OF_CODES)
        if not self._all_in_order:
            codes, raw = codes[self._gpus], raw[self._gpus]
        counted = self._count
        full = np.maximum(counted, 1.0)
        apart = codes >= palette.RAMP
        kinds, hist = np.zeros(0, np.int64), np.zeros((len(counted), 0))
        if apart.any():
            kinds, hist = self._categories(codes, apart)
        on_ramp = counted - hist.sum(axis=1)
        value = np.full(len(counted), np.nan)
        if len(self._first) and on_ramp.any():
            value[:] = self._value(raw, apart, ramp, by, on_ramp)
        if by == "worst":
            hist = _worst_kinds(kinds, hist)
        if on_ramp.any():
            kinds, hist = np.append(_RAMP, kinds), np.column_stack([on_ramp, hist])
        failed = hist[:, np.isin(kinds, DEAD_CODES)].sum(axis=1)
        return TileValues(
            counted.astype(np.int64), failed.astype(np.int64), value, ramp, hist / full[:, None], kinds
        )

    def _value(
        self, raw: NDArray[np.floating], apart: NDArray[np.bool_], ramp: Ramp, by: TilesBy, on_ramp: Floats
    ) -> Floats:
        worst = by == "worst"
        low = worst and ramp.low_is_worse
        none = 0.0 if not worst else np.inf if low else -np.inf
        function = np.add if not worst else np.minimum if low else np.maximum
        per_rack = function.reduceat(np.where(apart, none, raw), self._first, dtype=np.float64)
        out = self._over(function, per_rack, none)
        with np.errstate(invalid="ignore"):
            return np.where(on_ramp > 0, out if worst else out / np.maximum(on_ramp, 1.0), np.nan)

    def _categories(self, codes: NDArray[np.float32], apart: NDArray[np.bool_]) -> tuple[Ints64, Floats]:
        """Return the kinds that are not on the ramp, and how many GPUs of each tile are of each."""
        at = np.flatnonzero(apart)
        rounded = np.rint(codes[at]).astype(np.int64)
        kinds = np.flatnonzero(np.bincount(rounded, minlength=palette.LUT_SIZE))
        column = np.zeros(palette.LUT_SIZE, np.int64)
        column[kinds] = np.arange(len(kinds))
        size = len(self.places.level)
        cells = np.bincount(self._tile[at] * len(kinds) + column[rounded], minlength=size * len(kinds))
        return kinds, self._gather(np.add, cells.reshape(size, len(kinds)).astype(float))

    def _over(self, function: np.ufunc, per_rack: Floats, none: float = 0.0) -> Floats:
        out = np.full(len(self.places.level), none)
        out[self._filled] = per_rack
        return self._gather(function, out)

    def _gather(self, function: np.ufunc, out: Floats) -> Floats:
        """Let rows take what their racks have, and halls what their rows and lone racks have."""
        for level in (TileLevel.RACK, TileLevel.ROW):
            inner = self.places.at(level)
            inner = inner[self.places.parent[inner] >= 0]
            function.at(out, self.places.parent[inner], out[inner])
        return out


def _worst_kinds(kinds: Ints64, hist: Floats) -> Floats:
    """Let all GPUs of a tile that have no value and have not failed be of the gravest kind, where kinds have a rank."""
    order = [palette.STATE_BASE + int(state) for state in _GRAVEST]
    order += [palette.THROTTLE_BASE + place for place in range(len(palette.THROTTLE))]
    rank = {code: place for place, code in enumerate(order)}
    ranked = sorted((rank[kind], column) for column, kind in enumerate(kinds.tolist()) if kind in rank)
    columns = np.array([column for _, column in ranked], np.int64)
    out = hist.copy()
    if len(columns):
        there = hist[:, columns]
        out[:, columns] = 0.0
        worst = columns[(there > 0).argmax(axis=1)]
        np.put_along_axis(out, worst[:, None], there.sum(axis=1)[:, None], axis=1)
    return out
