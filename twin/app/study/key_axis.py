"""Values of a key that varies as places of an axis: numbers in one unit, or one after the other. No widgets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from twin.app.study.key_words import key_words
from twin.app.toolkit.charts.axes import round_step
from twin.arrays import Floats
from twin.studies.sweep_records import KeyRecord
from twin.studies.varied_key import NUMBER
from twin.units import DIMENSIONS, UnitError, parse

_NUMBER = re.compile(rf"\s*({NUMBER})\s*(.*?)\s*")
_WORDS_PX = 7.0


@dataclass(frozen=True)
class KeyAxis:
    """A key of a study.

    Attributes
    ----------
    path
        Of the key.
    unit
        Of its numbers; "": none, or they are no numbers.
    places
        By value as it is written.
    is_number
        Whether places are numbers in the unit; else values stand one after the other.
    is_listed
        Whether few values come again and again, as of a list or a grid.
    is_alone
        Whether no other key of the study has its label.
    """

    path: str
    unit: str
    places: Mapping[str, float]
    is_number: bool
    is_listed: bool = False
    is_alone: bool = True

    @property
    def full(self) -> str:
        """Return its label with its thing: "Checkpoint interval (job pretrain)"."""
        return key_words(self.path).full

    @property
    def title(self) -> str:
        """Return the same with the unit of its numbers."""
        return f"{self.full} [{self.unit}]" if self.unit else self.full

    @property
    def name(self) -> str:
        """Return its label, with its thing where another key has the same label."""
        return key_words(self.path).label if self.is_alone else self.full

    @property
    def short(self) -> str:
        """Return the same with the unit of its numbers."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def place(self, text: str) -> float:
        """Return where a value is; NaN: nowhere."""
        return self.places.get(text, math.nan)

    def words(self, place: float) -> str:
        """Return the value at a place."""
        if self.is_number:
            return f"{place:.4g} {self.unit}".rstrip()
        return next((text for text, at in self.places.items() if at == place), "")


def key_axis(key: KeyRecord, texts: Iterable[str], standing: str = "", *, listed: bool = False) -> KeyAxis:
    """Return the axis of a key.

    Parameters
    ----------
    key
        With the list of values, in their order, or a range.
    texts
        Values that points have.
    standing
        The value in the scene as it stands; "": nobody knows.
    listed
        Whether few values come again and again.
    """
    values = dict.fromkeys((*key.texts, *texts, *((standing,) if standing else ())))
    found = _numbers(list(values))
    if found is not None:
        return KeyAxis(key.path, found[0], dict(zip(values, found[1], strict=True)), True, listed)
    return KeyAxis(key.path, "", {text: float(place) for place, text in enumerate(values)}, False, listed)


def _numbers(texts: list[str]) -> tuple[str, list[float]] | None:
    """Return values as numbers in one unit; None where they are not of one kind."""
    parts = [_NUMBER.fullmatch(text) for text in texts]
    if not texts or not all(parts):
        return None
    units = [part[2] for part in parts if part is not None]
    if len(set(units)) == 1:
        return units[0], [float(part[1]) for part in parts if part is not None]
    for name, dimension in DIMENSIONS.items():
        if units[0] not in dimension.factors:
            continue
        size, offset = dimension.factors[units[0]], dimension.offsets.get(units[0], 0.0)
        try:
            return units[0], [float(f"{(parse(text, name) - offset) / size:.12g}") for text in texts]
        except UnitError:
            continue
    return None


def number_marks(low: float, high: float, room_px: float) -> list[tuple[float, str]]:
    """Return round numbers of a range with their words, no more than there is room for."""
    if not high > low:
        return [(low, _shown(low, 1.0))]
    step = round_step((high - low) / max(room_px / (10 * _WORDS_PX), 1.0))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [(number * step, _shown(number * step, step)) for number in range(first, last + 1)]


def _shown(value: float, step: float) -> str:
    digits = max(-math.floor(math.log10(step) + 1e-9), 0)
    return f"{value:,.{digits}f}" if digits < 7 else f"{value:.3g}"


def widened(values: Floats, share: float = 0.06) -> tuple[float, float]:
    """Return the range of finite values with room beside them; 0 to 1 where there are none."""
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    edge = share * (high - low) or share * abs(low) or 1.0
    return low - edge, high + edge
