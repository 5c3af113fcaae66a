"""The figure of a tile in a few words: a value with its unit, or the largest share of a state."""

from __future__ import annotations

import numpy as np

from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.view3d.base import palette
from twin.view3d.base.ownership import GROUPED
from twin.view3d.base.state import TilesBy
from twin.view3d.base.tile_levels import TileLevel, TilePlaces
from twin.view3d.colour.tile_values import TileValues

BETWEEN_FIGURES = "   "
"""Between the figures of a hall on one line."""


def hall_figures(
    plant: Plant, places: TilePlaces, values: TileValues, colour_by: str, by: TilesBy
) -> list[str]:
    """Return what is written of each hall slot: its figure, and how many GPUs have failed.

    Where it is not a channel that colours the GPUs, `colour_by` is "", and there is no figure.
    """
    out = [""] * len(plant.halls.ids)
    for tile in places.at(TileLevel.HALL).tolist():
        shown = figure(colour_by, values, tile, by) if colour_by else ""
        failed = f"✖ {values.failed[tile]:,}" if values.failed[tile] else ""
        out[int(places.slot[tile])] = BETWEEN_FIGURES.join(part for part in (shown, failed) if part)
    return out


def figure(colour_by: str, values: TileValues, tile: int, by: TilesBy) -> str:
    """Return what a tile says beside its colour; "" where there is nothing to say in a word."""
    if not values.gpus[tile] or colour_by in GROUPED:
        return ""
    value = values.value[tile]
    if not np.isnan(value):
        text = f"{value:,.0f} {BY_ID[colour_by].unit}"
        if by == "mean":
            return text
        return tr("min. {value}", value=text) if values.ramp.low_is_worse else tr("max. {value}", value=text)
    kind, share = (column[tile] for column in values.leading())
    return tr("{share:.0f} % {state}", share=100 * share, state=_words(int(kind)))


def _words(code: int) -> str:
    if palette.THROTTLE_BASE <= code < palette.THROTTLE_BASE + len(palette.THROTTLE):
        return palette.THROTTLE[code - palette.THROTTLE_BASE][1]
    if palette.STATE_BASE <= code < palette.STATE_BASE + len(State):
        return State(code - palette.STATE_BASE).words
    return {palette.DEAD: State.FAILED, palette.OFF: State.OFF}.get(code, State.ABSENT).words
