"""Tiles with the figures one looks at first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from twin.app.look import Look, label, tool_button
from twin.app.text import MISSING, split_quantity
from twin.record.channels import BY_ID
from twin.record.frame import Frame


@dataclass(frozen=True)
class Kpi:
    """One tile: which channel, and from where on it is worrying."""

    channel: str
    title: str
    icon: str
    digits: int = 3
    warn_above: float = math.inf


_TILE_PX, _GAP_PX = 126, 6

KPIS: tuple[Kpi, ...] = (
    Kpi("site.goodput", "Goodput", "target"),
    Kpi("site.it_w", "IT power", "bolt"),
    Kpi("site.pue", "PUE", "gauge", 4),
    Kpi("site.gpu_max_c", "Hottest GPU", "thermometer", warn_above=85.0),
    Kpi("site.interruptions", "Interruptions", "alarm", 1),
    Kpi("site.spares", "Spare nodes", "spare", 1),
    Kpi("site.wue", "WUE", "loop", 2),
)


class KpiTile(QFrame):
    """Icon, title and figure of one channel."""

    def __init__(self, look: Look, kpi: Kpi) -> None:
        super().__init__()
        self._look, self._kpi = look, kpi
        self._worried = False
        self.setProperty("role", "tile")
        self.setToolTip(BY_ID[kpi.channel].title)
        self._mark = self._make_mark()
        self._value: QLabel = label(MISSING, "kpi")
        layout = QGridLayout(self)
        layout.setContentsMargins(8, 4, 10, 4)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(0)
        layout.addWidget(self._mark, 0, 0, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(label(kpi.title, "faint"), 0, 1)
        layout.addWidget(self._value, 1, 1)
        self.setFixedWidth(_TILE_PX)

    @property
    def value_text(self) -> str:
        """Return the figure as shown, with its unit."""
        return self._value.property("plain") or MISSING

    def show_value(self, value: float) -> None:
        """Show a value of the channel, in its unit."""
        number, unit = split_quantity(value, BY_ID[self._kpi.channel].unit, self._kpi.digits)
        plain = f"{number} {unit}".rstrip()
        if plain != self._value.property("plain"):
            self._value.setProperty("plain", plain)
            muted = self._look.theme.muted
            self._value.setText(f"{number}<span style='font-size:11px;color:{muted}'> {unit}</span>")
        worried = value > self._kpi.warn_above
        if worried != self._worried:
            self._worried = worried
            icon, colour = ("warning", "warning") if worried else (self._kpi.icon, "accent")
            self._look.dress(self._mark, icon, colour)

    def _make_mark(self) -> QToolButton:
        mark = tool_button(self._look, self._kpi.icon, self._kpi.title, colour="accent")
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return mark


class KpiStrip(QWidget):
    """The tiles side by side, from the right; as many as there is room for, the first ones first."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.tiles = {kpi.channel: KpiTile(look, kpi) for kpi in KPIS}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP_PX)
        layout.addStretch(1)
        for tile in self.tiles.values():
            layout.addWidget(tile)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the last tiles where there is no room for them."""
        super().resizeEvent(event)
        room = self.width() + _GAP_PX
        for tile in self.tiles.values():
            room -= _TILE_PX + _GAP_PX
            tile.setVisible(room >= 0)

    def show_frame(self, frame: Frame | None) -> None:
        """Show the figures of a frame; dashes without one."""
        for channel, tile in self.tiles.items():
            tile.show_value(math.nan if frame is None else float(frame.values[channel][0]))
