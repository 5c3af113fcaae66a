"""Colours of everything that is not data, by theme: quiet, so that only data is saturated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.view3d.base.palette import Rgb
from twin.view3d.base.state import Theme


@dataclass(frozen=True)
class Colours:
    """Colours and light of a theme (0..1)."""

    ground: Rgb  # clear colour, and what fog fades to
    floor: Rgb
    outside: float  # brightness of the floor outside the hall
    grid: Rgb
    grid_major: Rgb
    cold: Rgb  # light of the cold aisle on the floor
    hot: Rgb
    shadow: float  # darkness of contact shadows, 0..1
    gloss: float  # how much the floor mirrors when looked along
    zenith: Rgb  # sky far above the horizon
    body: Rgb
    body_top: Rgb
    edge: Rgb  # seams and posts of cabinets
    recess: Rgb  # behind the trays
    machine: Rgb
    steel: Rgb
    tray_base: Rgb
    glass: tuple[float, float, float, float]
    sky: float  # hemisphere light from above
    bounce: float  # and from below
    sun: float
    label: Rgb
    label_back: tuple[float, float, float, float]
    outline: Rgb
    hover: Rgb
    tile_gain: float


DARK = Colours(
    ground=(0.030, 0.040, 0.062),
    floor=(0.072, 0.084, 0.108),
    outside=0.78,
    grid=(0.150, 0.178, 0.225),
    grid_major=(0.21, 0.27, 0.36),
    cold=(0.05, 0.24, 0.52),
    hot=(0.46, 0.17, 0.05),
    shadow=0.92,
    gloss=0.55,
    zenith=(0.014, 0.019, 0.032),
    body=(0.190, 0.212, 0.248),
    body_top=(0.150, 0.168, 0.200),
    edge=(0.36, 0.41, 0.48),
    recess=(0.042, 0.050, 0.066),
    machine=(0.225, 0.250, 0.290),
    steel=(0.40, 0.44, 0.50),
    tray_base=(0.085, 0.098, 0.120),
    glass=(1.0, 0.44, 0.20, 0.11),
    sky=0.78,
    bounce=0.34,
    sun=0.55,
    label=(0.93, 0.96, 1.0),
    label_back=(0.03, 0.045, 0.07, 0.72),
    outline=(1.0, 1.0, 1.0),
    hover=(0.55, 0.80, 1.0),
    tile_gain=1.0,
)

LIGHT = Colours(
    ground=(0.885, 0.905, 0.930),
    floor=(0.815, 0.840, 0.870),
    outside=0.97,
    grid=(0.735, 0.765, 0.805),
    grid_major=(0.62, 0.665, 0.725),
    cold=(-0.22, -0.06, 0.08),
    hot=(0.10, -0.08, -0.20),
    shadow=0.55,
    gloss=0.30,
    zenith=(0.80, 0.845, 0.90),
    body=(0.50, 0.53, 0.575),
    body_top=(0.56, 0.59, 0.635),
    edge=(0.30, 0.335, 0.385),
    recess=(0.085, 0.098, 0.120),
    machine=(0.60, 0.635, 0.68),
    steel=(0.46, 0.50, 0.55),
    tray_base=(0.40, 0.43, 0.47),
    glass=(0.98, 0.58, 0.34, 0.17),
    sky=0.92,
    bounce=0.62,
    sun=0.30,
    label=(0.07, 0.10, 0.15),
    label_back=(0.98, 0.985, 1.0, 0.82),
    outline=(0.02, 0.05, 0.12),
    hover=(0.05, 0.35, 0.75),
    tile_gain=0.97,
)


CONTRAST = replace(
    DARK,
    ground=(0.0, 0.0, 0.0),
    floor=(0.016, 0.018, 0.022),
    outside=0.60,
    grid=(0.17, 0.20, 0.25),
    grid_major=(0.36, 0.42, 0.52),
    shadow=0.60,
    gloss=0.15,
    zenith=(0.0, 0.0, 0.0),
    body=(0.115, 0.128, 0.150),
    body_top=(0.085, 0.095, 0.112),
    edge=(0.86, 0.90, 0.96),
    recess=(0.0, 0.0, 0.0),
    machine=(0.150, 0.168, 0.195),
    steel=(0.62, 0.67, 0.74),
    tray_base=(0.035, 0.040, 0.050),
    label=(1.0, 1.0, 1.0),
    label_back=(0.0, 0.0, 0.0, 0.92),
    hover=(0.54, 0.80, 1.0),
    tile_gain=1.12,
)
"""High contrast: black, with light seams, so that what carries data stands out the most."""

_THEMES: dict[Theme, Colours] = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}


def colours_of(theme: Theme) -> Colours:
    """Return the colours of a theme."""
    return _THEMES[theme]
