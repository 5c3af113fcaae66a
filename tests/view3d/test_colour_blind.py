"""Colours that mean something stay apart for people with each kind of colour blindness, as simulated.

Source of the simulation: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15(6), 2009, matrices of severity 1.0 on linear RGB. Distances: CIE 1976 L*a*b*, D65.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from twin.view3d.base import palette

SEEN_AS = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
JUST_SEEN = 2.3
"""A difference in L*a*b* that is just noticed (Mahy et al. 1994)."""


def lab(rgb: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """Return colours as they are seen, in L*a*b*."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(SEEN_AS[kind]).T, 0, 1)
    ratio = seen @ XYZ.T / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.stack(
        [116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1
    )


def closest(colours: dict[str, tuple[float, float, float]], kind: str) -> tuple[float, str, str]:
    """Return the two colours that are most alike, and how far apart they are."""
    seen = {name: lab(np.array(rgb), kind) for name, rgb in colours.items()}
    return min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))


def test_the_simulation_knows_the_colours_that_are_mixed_up() -> None:
    red, green = np.array([0.78, 0.38, 0.10]), np.array([0.45, 0.55, 0.10])
    plain = np.linalg.norm(lab(red, "tritanopia") - lab(green, "tritanopia"))
    assert np.linalg.norm(lab(red, "deuteranopia") - lab(green, "deuteranopia")) < plain / 2


@pytest.mark.parametrize("kind", SEEN_AS)
def test_states_stay_apart(kind: str) -> None:
    distance, *_ = closest({state.name: rgb for state, rgb in palette.STATE_RGB.items()}, kind)
    assert distance > 5 * JUST_SEEN


@pytest.mark.parametrize("kind", SEEN_AS)
def test_reasons_of_a_low_clock_stay_apart(kind: str) -> None:
    distance, *_ = closest({words: rgb for _, words, rgb, _ in palette.THROTTLE}, kind)
    assert distance > 4 * JUST_SEEN


def test_each_state_and_reason_has_a_mark_of_its_own_beside_its_colour() -> None:
    assert len(set(palette.STATE_ICON.values())) == len(palette.STATE_RGB)
    assert len({icon for *_, icon in palette.THROTTLE}) == len(palette.THROTTLE)


@pytest.mark.parametrize("kind", SEEN_AS)
@pytest.mark.parametrize("name", ["viridis", "cividis", "turbo", "difference"])
def test_values_a_quarter_of_the_range_apart_have_other_colours(name: str, kind: str) -> None:
    seen = lab(palette.ramp(name, np.linspace(0, 1, 41)), kind)
    distance = np.linalg.norm(seen[:, None] - seen[None], axis=-1)
    apart = np.abs(np.subtract.outer(np.arange(41), np.arange(41))) >= 10
    assert distance[apart].min() > 6 * JUST_SEEN
