"""The widget that draws energy flows, and its dock."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainterPath, QResizeEvent
from PySide6.QtWidgets import QMainWindow

from twin.app.diagrams.diagram_dock import LiveDock
from twin.app.diagrams.diagram_paint import rectangle
from twin.app.diagrams.sankey import FEW, Sankey, SankeyBand, SankeyNode, lay_out, through
from twin.app.diagrams.sankey_flows import CARRIERS, ENDS, EnergyFlows, energy_flows
from twin.app.session.session import Session
from twin.app.toolkit import text
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.toolkit.theme import Theme, font, scaled
from twin.app.world.rows import World
from twin.language import tr

_TAIL_PX, _NAME_EDGES_PX, _LINE_PX = 72.0, 8.0, 13
_GROUND_ALPHA = 150
_ARROW = "\N{RIGHTWARDS ARROW}"


class SankeyView(PaintedChart):
    """Bands as wide as what flows; arrow keys go from node to node."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Energy flow diagram"), hint=(520, 200), keys=True)
        self.shown = EnergyFlows()
        self.sankey: Sankey = lay_out((), (), 10, 10, 0)
        look.changed.connect(self._fit)
        self._amounts: dict[str, float] = {}
        self._nodes: dict[str, SankeyNode] = {}

    def show_flows(self, flows: EnergyFlows) -> None:
        """Draw other flows; nothing happens when they are the same."""
        if flows == self.shown:
            return
        self.shown = flows
        self._nodes = {node.key: node for node in flows.nodes}
        self._amounts = through(flows.nodes, flows.flows)
        words = [
            tr(
                "{title} to {node} {power}",
                title=self._nodes[flow.source].title,
                node=self._nodes[flow.target].title,
                power=text.quantity(flow.power_w, "W"),
            )
            for flow in flows.flows
        ]
        self.setAccessibleDescription(". ".join([*words, flows.balance]))
        self._fit()

    def node_words(self, key: str) -> str:
        """Return name and power of a node."""
        return f"{self._nodes[key].title} {text.quantity(self._amounts[key], 'W')}"

    def _fit(self, *_theme: object) -> None:
        metrics, names_px = QFontMetricsF(font(10, bold=True)), dict[int, float]()
        for node in self.shown.nodes:
            if self._amounts[node.key] > 0 and node.column < CARRIERS:
                value = text.quantity(self._amounts[node.key], "W")
                wide_px = max(map(metrics.horizontalAdvance, (node.title, value))) + _NAME_EDGES_PX
                names_px[node.column] = max(names_px.get(node.column, 0.0), wide_px)
        ends = [node.title for node in self.shown.nodes if node.column == ENDS]
        tail_px = max(map(metrics.horizontalAdvance, ends), default=0.0) + _NAME_EDGES_PX
        nodes, flows, tail_px = self.shown.nodes, self.shown.flows, max(tail_px, _TAIL_PX)
        self.sankey = lay_out(nodes, flows, self.width(), self.height(), tail_px, names_px, scaled(100) / 100)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self._fit()

    # -- painting ----

    def paint(self, painter: ChartPainter) -> None:
        """Paint bands, bars, names."""
        theme = painter.theme
        for band in self.sankey.bands:
            painter.fillPath(_shape(band), self._shade(theme, band))
        for key, spot in self.sankey.bars.items():
            painter.fillRect(rectangle(spot), node_colour(theme, key))
            if self.hasFocus() and key == self._current:
                painter.line_in(theme.accent, 1.6, Qt.PenStyle.DotLine)
                painter.drawRect(rectangle(spot).adjusted(-3, -3, 3, 3))
        for key in self.sankey.bars:
            self._paint_name(painter, key)

    def _shade(self, theme: Theme, band: SankeyBand) -> QLinearGradient:
        shade = QLinearGradient(QPointF(band.x0, 0), QPointF(band.x1, 0))
        for at, key in ((0.0, band.flow.source), (1.0, band.flow.target)):
            tint = node_colour(theme, key)
            lit = self._current in (band.flow.source, band.flow.target) and self.hasFocus()
            tint.setAlpha(190 if lit else 105 if theme.is_dark else 120)
            shade.setColorAt(at, tint)
        return shade

    def _paint_name(self, painter: ChartPainter, key: str) -> None:
        theme, spot, node = painter.theme, self.sankey.bars[key], self._nodes[key]
        last = float(self.width()) if node.column == ENDS else self._next_x(node.column)
        x, room, high = spot.x + spot.width + 5, last - spot.x - spot.width - 6, float(scaled(_LINE_PX))
        y = spot.y + spot.height / 2
        value = text.quantity(self._amounts[key], "W")
        beside = [node_beside.key for node_beside in self.shown.nodes if node_beside.column == node.column]
        if sum(key_beside in self.sankey.bars for key_beside in beside) <= FEW or spot.height > 28:
            upper, lower = QRectF(x, y - high, room, high), QRectF(x, y, room, high)
        else:
            painter.font_in(10, bold=True)
            title_px = min(painter.wide(node.title) + 5.0, max(room - painter.wide(value), 20.0))
            upper = QRectF(x, y - high / 2, title_px, high)
            lower = QRectF(x + title_px, y - high / 2, room - title_px, high)
            ground, wide_px = QColor(theme.surface), min(title_px + painter.wide(value) + 4.0, room)
            ground.setAlpha(_GROUND_ALPHA)  # bands that pass below do not strike the words through
            painter.fillRect(QRectF(x - 2.0, y - high / 2 + 1.0, wide_px, high - 2.0), ground)
        painter.write(upper, node.title, theme.text, 10, bold=True, elided=True)
        painter.write(lower, value, theme.muted, 10, elided=True)

    def _next_x(self, column: int) -> float:
        """Return where the next column begins."""
        later = [
            self.sankey.bars[n.key].x
            for n in self.shown.nodes
            if n.key in self.sankey.bars and n.column > column
        ]
        return min(later, default=float(self.width()))

    # -- pointer and keys ----

    def items(self) -> list[ChartItem]:
        """Return the nodes, which the keys go through, and the bands."""
        return [
            *(self._node_item(node) for node in self.shown.nodes if node.key in self.sankey.bars),
            *(self._band_item(band) for band in self.sankey.bands),
        ]

    def _node_item(self, node: SankeyNode) -> ChartItem:
        words = self.node_words(node.key)
        tip = f"<b>{escape(words)}</b>" + (f"<br>{escape(node.said)}" if node.said else "")
        spot = rectangle(self.sankey.bars[node.key]).adjusted(-2, -3, 2, 3)
        return ChartItem(spot, tip, node.key, words)

    def _band_item(self, band: SankeyBand) -> ChartItem:
        source, target = (self._nodes[key].title for key in (band.flow.source, band.flow.target))
        power, shape = text.quantity(band.flow.power_w, "W"), _shape(band)
        tip = f"{escape(source)} {_ARROW} {escape(target)}<br><b>{power}</b>"
        return ChartItem(shape.boundingRect(), tip, shape=shape)


class EnergyDock(LiveDock):
    """Energy flows of the site, and their balance in words."""

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, session, "energy", tr("Energy"), "flow", parent)
        self.view = SankeyView(look)
        self.balance = ElidedLabel("muted")
        self.lead.addWidget(self.balance)
        self.body.addWidget(self.view, 1)

    def refresh(self, world: World) -> None:
        """Draw a moment."""
        flows = energy_flows(world)
        self.view.show_flows(flows)
        words = flows.balance[:1].upper() + flows.balance[1:]
        if self.balance.text() != words:
            self.balance.setText(words)
            self.balance.setToolTip(plain_tip(words))


def node_colour(theme: Theme, key: str) -> QColor:
    """Return the colour of a node."""
    blue, green, orange, violet = theme.series
    named = {
        "grid": blue,
        "supply": blue,
        "solar": theme.warning,
        "battery": violet,
        "charging": violet,
        "generator": theme.warning,
        "gas": theme.warning,
        "smr": violet,
        "gpus": green,
        "it": green,
        "shelf": "#4f8f7d" if theme.is_dark else "#3a7a66",
        "rest": "#5aa9a0" if theme.is_dark else "#3f8f88",
        "pumps": "#7f93b2",
        "plants": "#7f93b2",
        "liquid": "#35b5d6" if theme.is_dark else "#1489aa",
        "air": orange,
        "sky": "#8d9bb5" if theme.is_dark else "#8290a8",
        "stored": violet,
        "released": violet,
    }
    if key.startswith("loss"):
        return QColor(theme.alarm)
    return QColor(named.get(key, theme.faint))


def _shape(band: SankeyBand) -> QPainterPath:
    middle = (band.x0 + band.x1) / 2
    path = QPainterPath(QPointF(band.x0, band.y0))
    path.cubicTo(QPointF(middle, band.y0), QPointF(middle, band.y1), QPointF(band.x1, band.y1))
    path.lineTo(band.x1, band.y1 + band.width)
    path.cubicTo(
        QPointF(middle, band.y1 + band.width),
        QPointF(middle, band.y0 + band.width),
        QPointF(band.x0, band.y0 + band.width),
    )
    path.closeSubpath()
    return path
