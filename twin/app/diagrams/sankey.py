"""A sankey diagram on pixels: nodes in columns, bands as wide as what flows. No widgets.

Whatever flows into a node flows out of it; the figures of `twin.app.diagrams.sankey_flows` see to that, and
`unbalanced` tells of those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from twin.app.diagrams.diagram_layout import Rectangle

NODE_PX = 9.0
FEW = 3
"""So many nodes of a column have room for names on two lines."""
_GAP_PX, _WIDE_GAP_PX, _LEAST_PX, _PAD_PX = 12.5, 27.0, 1.0, 7.0
_PLACES = (0.0, 0.155, 0.31, 0.45, 0.8, 1.0)
_PLACES_OF_ONE = (0.0, 0.0, 0.155, 0.315, 0.785, 1.0)
"""Of the columns, with several sources and with one, which needs no column of its own; names of uses are long."""


@dataclass(frozen=True)
class SankeyNode:
    """A bar of the diagram.

    Parameters
    ----------
    key
        Unique, known to the colours of `twin.app.diagrams.sankey_view`.
    column
        From the left, 0 to 5.
    thing
        Id that a click selects; "": none.
    top_of
        Key of an earlier node beside whose upper end it begins; "": its column stands in the middle.
    said
        What it is, for those who do not know the name.
    """

    key: str
    title: str
    column: int
    thing: str = ""
    top_of: str = ""
    said: str = ""


@dataclass(frozen=True)
class Flow:
    """Power from one node to another [W], never negative."""

    source: str
    target: str
    power_w: float


@dataclass(frozen=True)
class SankeyBand:
    """A flow on pixels: where it leaves its source and meets its target (left end, right end), and its width."""

    flow: Flow
    x0: float
    y0: float
    x1: float
    y1: float
    width: float


@dataclass(frozen=True)
class Sankey:
    """Nodes with their bars, and bands."""

    bars: dict[str, Rectangle]
    bands: tuple[SankeyBand, ...]
    px_w: float


def through(nodes: tuple[SankeyNode, ...], flows: tuple[Flow, ...]) -> dict[str, float]:
    """Return what goes through each node [W]: what comes in, or what leaves where nothing comes in."""
    into = {node.key: 0.0 for node in nodes}
    out = dict(into)
    for flow in flows:
        into[flow.target] += flow.power_w
        out[flow.source] += flow.power_w
    return {key: max(into[key], out[key]) for key in into}


def unbalanced(
    nodes: tuple[SankeyNode, ...], flows: tuple[Flow, ...], tolerance_w: float = 1.0
) -> dict[str, float]:
    """Return the inner nodes into which more flows than out of them, by how much [W]."""
    into = {node.key: 0.0 for node in nodes}
    out = dict(into)
    for flow in flows:
        into[flow.target] += flow.power_w
        out[flow.source] += flow.power_w
    inner = [key for key in into if into[key] > 0 and out[key] > 0]
    return {key: into[key] - out[key] for key in inner if abs(into[key] - out[key]) > tolerance_w}


def lay_out(
    nodes: tuple[SankeyNode, ...],
    flows: tuple[Flow, ...],
    width: float,
    height: float,
    tail: float,
    names_px: Mapping[int, float] = MappingProxyType({}),
    text_scale: float = 1.0,
) -> Sankey:
    """Return nodes and bands on a surface.

    Parameters
    ----------
    width, height
        Of the surface [px].
    tail
        Room kept at the right for the names of the last column [px].
    names_px
        Room that the names right of a column need, by column [px]: the next one does not begin before.
    text_scale
        Size of text beside the usual one: names below each other keep apart.
    """
    flows = tuple(flow for flow in flows if flow.power_w > 0)
    amounts = through(nodes, flows)
    shown = [node for node in nodes if amounts[node.key] > 0]
    columns = sorted({node.column for node in shown})
    if not columns:
        return Sankey({}, (), 0.0)
    members = {column: [node for node in shown if node.column == column] for column in columns}
    gaps = {column: text_scale * _gap(len(group)) for column, group in members.items()}
    px_w = min(
        (height - 2 * _PAD_PX - gaps[column] * (len(group) - 1))
        / max(sum(amounts[n.key] for n in group), 1e-9)
        for column, group in members.items()
    )
    px_w = max(px_w, 0.0)
    room = width - 2 * _PAD_PX - tail - NODE_PX
    bars: dict[str, Rectangle] = {}
    places = _PLACES if 0 in members else _PLACES_OF_ONE
    x, least_x = {}, 0.0
    for column in columns:
        x[column] = min(max(places[column] * room, least_x), room)
        least_x = x[column] + NODE_PX + names_px.get(column, 0.0)
    for column, group in members.items():
        heights = [max(amounts[node.key] * px_w, _LEAST_PX) for node in group]
        gap = gaps[column]
        y = _PAD_PX + (height - 2 * _PAD_PX - sum(heights) - gap * (len(group) - 1)) / 2
        for node, high in zip(group, heights, strict=True):
            y = bars[node.top_of].y if node.top_of in bars else y
            bars[node.key] = Rectangle(_PAD_PX + x[column], max(y, 0.0), NODE_PX, high)
            y += high + gap
    return Sankey(bars, _bands(flows, bars, px_w), px_w)


def _gap(count: int) -> float:
    """Return the room between the nodes of a column: for names on two lines where they are few."""
    return _WIDE_GAP_PX if count <= FEW else _GAP_PX


def _bands(flows: tuple[Flow, ...], bars: dict[str, Rectangle], px_w: float) -> tuple[SankeyBand, ...]:
    """Return the bands, stacked at both ends in the order of the nodes they go to or come from."""
    leaving = {key: spot.y for key, spot in bars.items()}
    arriving = dict(leaving)
    starts: dict[int, float] = {}
    ends: dict[int, float] = {}
    for k in sorted(range(len(flows)), key=lambda k: bars[flows[k].target].y):
        starts[k] = leaving[flows[k].source]
        leaving[flows[k].source] += flows[k].power_w * px_w
    for k in sorted(range(len(flows)), key=lambda k: bars[flows[k].source].y):
        ends[k] = arriving[flows[k].target]
        arriving[flows[k].target] += flows[k].power_w * px_w
    return tuple(
        SankeyBand(
            flow,
            bars[flow.source].x + NODE_PX,
            starts[k],
            bars[flow.target].x,
            ends[k],
            max(flow.power_w * px_w, _LEAST_PX),
        )
        for k, flow in enumerate(flows)
    )
