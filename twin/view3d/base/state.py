"""What is looked at: a few evented fields, never part of the scenario and never undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from psygnal import SignalGroupDescriptor

from twin.view3d.base.dimension import HallDimension

Theme = Literal["dark", "light", "contrast"]
CablesBy = Literal["rail", "load"]
TilesBy = Literal["mean", "worst"]

LAYERS: tuple[str, ...] = (
    "racks",
    "trays",
    "cables",
    "collective",
    "pipes",
    "air",
    "labels",
    "power",
    "building",
)
"""Layers of the picture, in the order a menu lists them."""

SHOWN_AT_FIRST: frozenset[str] = frozenset(LAYERS) - {"collective", "power"}

CABLES_BY: tuple[CablesBy, ...] = ("rail", "load")
"""What can colour the cables."""

TILES_BY: tuple[TilesBy, ...] = ("mean", "worst")
"""What racks, rows and halls show as one tile each."""


@dataclass(frozen=True)
class CameraPose:
    """Where a turntable camera stands.

    Parameters
    ----------
    centre_m
        Point looked at (x, y, z) [m].
    distance_m
        From that point to the eye [m].
    azimuth_deg
        Direction of the eye seen from the centre, anticlockwise from +x [degree].
    elevation_deg
        Height of the eye above the horizon [degree].
    fov_deg
        Vertical field of view [degree].
    flat_m
        Of a drawing, whose lines of sight are parallel: how far before its centre begins what it shows [m]. 0: it is
        none.
    """

    centre_m: tuple[float, float, float]
    distance_m: float
    azimuth_deg: float
    elevation_deg: float
    fov_deg: float = 35.0
    flat_m: float = 0.0

    @property
    def flat(self) -> bool:
        """Return whether it is a drawing."""
        return self.flat_m > 0


@dataclass
class ViewState:
    """The view's fields; `events.<field>.connect(callback)` tells of a change as (new, old)."""

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    colour_by: str = "gpu.temp_c"
    cables_by: CablesBy = "rail"
    tiles_by: TilesBy = "mean"  # what racks, rows and halls show from afar
    traffic: str = "data"  # kind of communication of the collective layer
    layers: frozenset[str] = SHOWN_AT_FIRST
    selection: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()  # ids of things that are not drawn
    only: frozenset[str] = frozenset()  # ids of the only things drawn; none: all
    locked: frozenset[str] = frozenset()  # ids of things that edits leave alone
    dimensions: tuple[HallDimension, ...] = ()
    dimension_chosen: int = -1  # its place among them; -1: none
    rulers: bool = False  # whether drawings have a grid, and rulers where there is room for them
    hovered: str | None = None
    focus_job: int | None = None  # the job that stands out among the GPUs
    theme: Theme = "dark"
    still: bool = False  # reduced motion: the camera does not fly, coolant and traffic do not flow
    label_scale: float = 1.0  # size of labels beside the usual one
    camera: CameraPose | None = None
