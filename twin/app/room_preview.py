"""The plan of a room before it is built: racks, aisles, machines and power gear to scale, beside what stands there."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from twin.app import theme as themes
from twin.app.look import Look
from twin.commands.footprint import Boxes, standing
from twin.plant.tables import LoopKind, Plant, RackKind
from twin.view3d.site_plan import GEAR_M

_MARGIN_PX, _BAR_M, _FRONT = 18.0, (1.0, 2.0, 5.0, 10.0, 20.0, 50.0), 0.12


class RoomPreview(QWidget):
    """Draws the plant of a room; what is in the hall already stays pale."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._plant: Plant | None = None
        self._there: Boxes | None = None
        self._stale = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(360, 260)
        self.setAccessibleName("Plan of the room")
        look.changed.connect(self._on_look)

    def sizeHint(self) -> QSize:
        """Return a size that shows two rows well."""
        return QSize(560, 400)

    def show_room(self, plant: Plant, there: Boxes | None) -> None:
        """Show a room, and what stands beside it, in the coordinates of the room."""
        self._plant, self._there, self._stale = plant, there, False
        racks = int(plant.racks.present.sum())
        self.setAccessibleDescription(f"{racks:,} racks and {len(plant.machines.loop):,} machines")
        self.update()

    def show_stale(self) -> None:
        """Let the last room fade: what is asked for now cannot be."""
        self._stale = True
        self.update()

    def _on_look(self, _: object) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the plan, low y at the bottom."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        painter.setPen(QColor(theme.border))
        painter.setBrush(QColor(theme.ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        if self._plant is None:
            return
        if self._stale:
            painter.setOpacity(0.3)
        groups = self._groups(self._plant)
        low = np.min([boxes[:, :2].min(axis=0) for boxes, _, _ in groups if len(boxes)], axis=0)
        high = np.max([boxes[:, 2:].max(axis=0) for boxes, _, _ in groups if len(boxes)], axis=0)
        room = QRectF(self.rect()).adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, -_MARGIN_PX - 18)
        scale = min(room.width() / max(high[0] - low[0], 1.0), room.height() / max(high[1] - low[1], 1.0))
        middle, centre = (low + high) / 2, room.center()
        for boxes, fill, line in groups:
            painter.setBrush(fill)
            painter.setPen(line if scale > 6 else Qt.PenStyle.NoPen)
            for x0, y0, x1, y1 in boxes.tolist():
                corner = QPointF(centre.x() + (x0 - middle[0]) * scale, centre.y() - (y1 - middle[1]) * scale)
                painter.drawRect(QRectF(corner.x(), corner.y(), (x1 - x0) * scale, (y1 - y0) * scale))
        self._paint_bar(painter, scale)

    def _groups(self, plant: Plant) -> list[tuple[np.ndarray, QColor, QColor]]:
        """Return boxes (x0, y0, x1, y1) [m] with fill and line, lowest first."""
        theme = self._look.theme
        racks, machines, loops, power = plant.racks, plant.machines, plant.loops, plant.power
        line = QColor(theme.ground)
        pale = QColor(theme.faint)
        pale.setAlpha(60)
        found: list[tuple[np.ndarray, QColor, QColor]] = []
        if self._there is not None:
            one = self._there
            found.append((_boxes(one.x_m, one.y_m, one.width_m, one.depth_m), pale, pale))
        rack = _boxes(racks.x_m, racks.y_m, racks.width_m, racks.depth_m)
        kinds = {
            RackKind.COMPUTE: QColor(theme.muted),
            RackKind.NETWORK: QColor(theme.series[3]),
            RackKind.STORAGE: QColor(theme.series[1]),
        }
        for kind, colour in kinds.items():
            mine = racks.present & (racks.kind == kind)
            found.append((rack[mine], colour, line))
        front = np.where(racks.facing > 0, rack[:, 3] - _FRONT, rack[:, 1])
        strip = np.stack([rack[:, 0], front, rack[:, 2], front + _FRONT], axis=1)[racks.present]
        found.append((strip, QColor(theme.text), QColor(theme.text)))
        stands = loops.kind[machines.loop] != LoopKind.REAR_DOOR
        machine = _boxes(machines.x_m, machines.y_m, machines.width_m, machines.depth_m)
        wet = loops.kind[machines.loop] == LoopKind.LIQUID
        found.append((machine[stands & wet], QColor(theme.series[0]), line))
        found.append((machine[stands & ~wet], QColor(theme.series[0]).darker(150), line))
        pdu = np.array([kind == "pdu" for kind in power.kind], np.bool_) & np.isfinite(power.x_m)
        size = np.array([GEAR_M["pdu"][:2]] * len(power.kind)).reshape(-1, 2)
        gear = _boxes(power.x_m, power.y_m, size[:, 0], size[:, 1])
        found.append((gear[pdu], QColor(theme.warning), line))
        return found

    def _paint_bar(self, painter: QPainter, scale: float) -> None:
        """Draw a bar of a round length, and what the colours mean."""
        theme = self._look.theme
        length_m = max((one for one in _BAR_M if one * scale < 0.25 * self.width()), default=_BAR_M[0])
        y = self.height() - 16.0
        painter.setOpacity(1.0)
        painter.setPen(QColor(theme.muted))
        painter.drawLine(QPointF(_MARGIN_PX, y), QPointF(_MARGIN_PX + length_m * scale, y))
        for x in (_MARGIN_PX, _MARGIN_PX + length_m * scale):
            painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 3))
        painter.setFont(themes.font(10))
        x = _MARGIN_PX + length_m * scale + 6
        words = (
            (f"{length_m:g} m", theme.muted),
            ("nodes", theme.muted),
            ("network", theme.series[3]),
            ("storage", theme.series[1]),
            ("coolers", theme.series[0]),
            ("PDUs", theme.warning),
        )
        for word, colour in words:
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(x, y + 4), word)
            x += painter.fontMetrics().horizontalAdvance(word) + 10


def beside(plant: Plant | None, hall: int, corner: tuple[float, float]) -> Boxes | None:
    """Return what stands in a hall, in the coordinates of a room whose corner is there; None when nothing does."""
    if plant is None:
        return None
    boxes = standing(plant)
    here = boxes.hall == hall
    return boxes.moved(here, -corner[0], -corner[1]) if here.any() else None


def _boxes(x_m: np.ndarray, y_m: np.ndarray, width_m: np.ndarray, depth_m: np.ndarray) -> np.ndarray:
    half = np.stack([width_m, depth_m], axis=1).reshape(-1, 2) / 2
    middle = np.stack([x_m, y_m], axis=1).reshape(-1, 2)
    return np.concatenate([middle - half, middle + half], axis=1)
