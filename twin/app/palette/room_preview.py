"""The plan of a room before it is built: racks, aisles, machines and power gear to scale, beside what stands there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics

from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.look import Look
from twin.commands.place.footprint import FloorFootprints, standing
from twin.language import counted, tr
from twin.plant.tables import LoopKind, Plant, RackKind
from twin.view3d.place.site_plan import GEAR_M

_MARGIN_PX, _BAR_M, _FRONT = 18.0, (1.0, 2.0, 5.0, 10.0, 20.0, 50.0), 0.12
_SWATCH_PX, _GAP_PX, _LINE_PX = 9.0, 12.0, 16.0
_ROUND = 0.25
"""What part of its size is shown round a room where something stands already."""


THERE = tr("already there")


class _Group(NamedTuple):
    """Boxes of one kind: (x0, y0, x1, y1) [m], how they are painted, and what they are called."""

    boxes: NDArray[np.float64]
    fill: QColor
    line: QColor
    name: str


class RoomPreview(PaintedChart):
    """Draws the plant of a room; what is in the hall already stays pale."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Plan of the room"), hint=(560, 400), least=(360, 200))
        self._plant: Plant | None = None
        self._there: FloorFootprints | None = None
        self._stale = False

    def show_room(self, plant: Plant, there: FloorFootprints | None) -> None:
        """Show a room, and what stands beside it, in the coordinates of the room."""
        self._plant, self._there, self._stale = plant, there, False
        racks = int(plant.racks.present.sum())
        self.setAccessibleDescription(
            tr(
                "{racks} and {machines}",
                racks=counted(racks, "rack"),
                machines=counted(len(plant.machines.loop), "machine"),
            )
        )
        self.update()

    def show_stale(self) -> None:
        """Let the last room fade: what is asked for now cannot be."""
        self._stale = True
        self.update()

    def legend(self) -> dict[str, QColor]:
        """Return what the colours of the plan mean: of what is there, and nothing else."""
        return {} if self._plant is None else {group.name: group.fill for group in self._groups(self._plant)}

    def paint(self, painter: ChartPainter) -> None:
        """Draw the plan, low y at the bottom."""
        painter.line_in(painter.theme.border)
        painter.setBrush(QColor(painter.theme.ground))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, 8, 8)
        if self._plant is None:
            return
        groups = self._groups(self._plant)
        painter.font_in(10)
        legend = _flow(groups, painter.fontMetrics(), self.width() - 2 * _MARGIN_PX)
        meaning_y = self.height() - 14 - _LINE_PX * legend[-1][0].y()
        bar_y = meaning_y - _LINE_PX
        room = frame.adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, 0)
        room.setBottom(bar_y - _MARGIN_PX)
        low, high = _shown_m(groups)
        scale = min(room.width() / (high[0] - low[0]), room.height() / (high[1] - low[1]))
        painter.save()
        painter.setClipRect(QRectF(1, 1, self.width() - 2, bar_y - 10))
        painter.setOpacity(0.3 if self._stale else 1.0)
        middle, centre = (low + high) / 2, room.center()
        for boxes, fill, line, _ in groups:
            painter.setBrush(fill)
            painter.setPen(line if scale > 6 else Qt.PenStyle.NoPen)
            for x0, y0, x1, y1 in boxes.tolist():
                corner = QPointF(centre.x() + (x0 - middle[0]) * scale, centre.y() - (y1 - middle[1]) * scale)
                painter.drawRect(QRectF(corner.x(), corner.y(), (x1 - x0) * scale, (y1 - y0) * scale))
        painter.restore()
        self._paint_bar(painter, scale, bar_y, 0.25 * self.width())
        for place, group in legend:
            self._paint_meaning(painter, group, _MARGIN_PX + place.x(), meaning_y + _LINE_PX * place.y())

    def _groups(self, plant: Plant) -> list[_Group]:
        """Return what is drawn, lowest first; groups without a box are none."""
        theme = self.theme
        racks, machines, loops, power = plant.racks, plant.machines, plant.loops, plant.power
        line = QColor(theme.ground)
        pale = QColor(theme.faint)
        pale.setAlpha(60)
        found: list[_Group] = []
        if self._there is not None:
            group = self._there
            found.append(
                _Group(_boxes(group.x_m, group.y_m, group.width_m, group.depth_m), pale, pale, THERE)
            )
        rack = _boxes(racks.x_m, racks.y_m, racks.width_m, racks.depth_m)
        kinds = {
            RackKind.COMPUTE: ("nodes", _half(theme.muted, theme.ground)),  # apart from fronts in every theme
            RackKind.NETWORK: ("network", QColor(theme.series[3])),
            RackKind.STORAGE: ("storage", QColor(theme.series[1])),
        }
        for kind, (name, colour) in kinds.items():
            found.append(_Group(rack[racks.present & (racks.kind == kind)], colour, line, name))
        front = np.where(racks.facing > 0, rack[:, 3] - _FRONT, rack[:, 1])
        strip = np.stack([rack[:, 0], front, rack[:, 2], front + _FRONT], axis=1)[racks.present]
        found.append(_Group(strip, QColor(theme.text), QColor(theme.text), "fronts"))
        stands = loops.kind[machines.loop] != LoopKind.REAR_DOOR
        machine = _boxes(machines.x_m, machines.y_m, machines.width_m, machines.depth_m)
        wet = loops.kind[machines.loop] == LoopKind.LIQUID
        cool = QColor(theme.series[0])
        found.append(_Group(machine[stands & wet], cool, line, "CDUs"))
        found.append(_Group(machine[stands & ~wet], cool.darker(150), line, tr("air handlers")))
        pdu = np.array([kind == "pdu" for kind in power.kind], np.bool_) & np.isfinite(power.x_m)
        size = np.array([GEAR_M["pdu"][:2]] * len(power.kind)).reshape(-1, 2)
        gear = _boxes(power.x_m, power.y_m, size[:, 0], size[:, 1])
        found.append(_Group(gear[pdu], QColor(theme.warning), line, "PDUs"))
        return [group for group in found if len(group.boxes)]

    @staticmethod
    def _paint_bar(painter: ChartPainter, scale: float, y: float, room_px: float) -> None:
        """Draw a bar of a round length."""
        length_m = max((length_m for length_m in _BAR_M if length_m * scale < room_px), default=_BAR_M[0])
        end = _MARGIN_PX + length_m * scale
        painter.line_in(painter.theme.muted)
        painter.drawLine(QPointF(_MARGIN_PX, y), QPointF(end, y))
        for x in (_MARGIN_PX, end):
            painter.upright(x, y - 3, y + 3)
        painter.drawText(QPointF(end + 6, y + 4), f"{length_m:g} m")

    @staticmethod
    def _paint_meaning(painter: ChartPainter, group: _Group, x: float, y: float) -> None:
        """Draw a swatch and what it stands for."""
        swatch = QRectF(x, y - _SWATCH_PX / 2, _SWATCH_PX, _SWATCH_PX)
        painter.fillRect(swatch, group.fill)
        painter.setPen(QColor(painter.theme.muted))
        painter.drawText(QPointF(swatch.right() + 5, y + 4), group.name)


def _flow(groups: list[_Group], metrics: QFontMetrics, width_px: float) -> list[tuple[QPointF, _Group]]:
    """Return where the meaning of each group stands: x [px], and the line as y."""
    x, line = 0.0, 0
    found = []
    for group in groups:
        wide = _SWATCH_PX + 5 + metrics.horizontalAdvance(group.name)
        if x and x + wide > width_px:
            x, line = 0.0, line + 1
        found.append((QPointF(x, line), group))
        x += wide + _GAP_PX
    return found


def _shown_m(groups: list[_Group]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lowest and highest place that is shown [m]: of the room, and a little of what it stands beside."""
    new_boxes = np.concatenate([group.boxes for group in groups if group.name != THERE])
    low, high = new_boxes[:, :2].min(axis=0), new_boxes[:, 2:].max(axis=0)
    if any(group.name == THERE for group in groups):
        more = _ROUND * (high - low).max()
        low, high = low - more, high + more
    return low, np.maximum(high, low + 1.0)


def beside(plant: Plant | None, hall: int, corner: tuple[float, float]) -> FloorFootprints | None:
    """Return what stands in a hall, in the coordinates of a room whose corner is there; None when nothing does."""
    if plant is None:
        return None
    boxes = standing(plant)
    here = boxes.hall == hall
    return boxes.moved(here, -corner[0], -corner[1]) if here.any() else None


def _half(colour: str, ground: str) -> QColor:
    """Return the colour half-way to the ground."""
    a, b = QColor(colour), QColor(ground)
    return QColor((a.red() + b.red()) // 2, (a.green() + b.green()) // 2, (a.blue() + b.blue()) // 2)


def _boxes(x_m: np.ndarray, y_m: np.ndarray, width_m: np.ndarray, depth_m: np.ndarray) -> NDArray[np.float64]:
    half = np.stack([width_m, depth_m], axis=1).reshape(-1, 2) / 2
    middle = np.stack([x_m, y_m], axis=1).reshape(-1, 2)
    return np.concatenate([middle - half, middle + half], axis=1)
