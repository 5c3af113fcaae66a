"""Rulers along the top and the left edge of a drawing, in metres of the hall, with where the pointer is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.language import tr
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.place.drawing_scale import DrawingAxis, drawing_axes, grid_pitch, ticks
from twin.view3d.view.hall_view import HallView
from twin.view3d.view.measure_point import measure_point

THICK_PX = 20
_APART_PX = 46
"""Numbers are at least so far apart [px at the usual size of text]."""
_FONT_PX = 10


class RulerStrip(QWidget):
    """One ruler, which lets the pointer through: level over the picture, or upright beside it."""

    def __init__(self, look: Look, parent: QWidget, *, upright: bool) -> None:
        super().__init__(parent)
        self._look, self._upright = look, upright
        self.axis: DrawingAxis | None = None
        self.px_per_m, self.step_m, self.first_m, self.numbers_m = 1.0, 1.0, 0.0, 1.0
        self.pointed_m: float | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.hide()

    def show_scale(
        self, axis: DrawingAxis, px_per_m: float, first_m: float, step_m: float, every: int
    ) -> None:
        """Take what lies along it: pixels of a metre, the place at its left or upper end, the pitch of the grid."""
        self.axis, self.px_per_m, self.first_m, self.step_m = axis, px_per_m, first_m, step_m
        least_m = _APART_PX * themes.scaled(100) / 100 / px_per_m
        multiples = (step_m * many for many in (1, every, 2 * every, 4 * every, 10 * every))
        self.numbers_m = next((each for each in multiples if each >= least_m), step_m * 20 * every)
        self.setAccessibleName(tr("Ruler along {axis} in metres", axis=axis.name))
        self.update()

    def point(self, at_m: float | None) -> None:
        """Mark where the pointer is [m]; None: it is elsewhere."""
        if at_m != self.pointed_m:
            self.pointed_m = at_m
            self.update()

    def place_px(self, at_m: float) -> float:
        """Return where a place of the hall is along it [px]."""
        assert self.axis is not None
        growing = self.axis.sign * (-1 if self._upright else 1)
        return (at_m - self.first_m) * growing * self.px_per_m

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint lines, numbers and the mark of the pointer."""
        axis = self.axis
        if axis is None:
            return
        theme, painter = self._look.theme, QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.ground))
        painter.setFont(themes.font(_FONT_PX))
        long, thick = (self.height(), self.width()) if self._upright else (self.width(), self.height())
        growing = axis.sign * (-1 if self._upright else 1)
        last_m = self.first_m + long / self.px_per_m * growing
        painter.setPen(QPen(QColor(theme.border), 1.0))
        self._line(painter, 0.0, long, thick - 0.5)
        painter.setPen(QPen(QColor(theme.faint), 1.0))
        for at_m in ticks(self.first_m, last_m, self.step_m):
            numbered = abs(at_m / self.numbers_m - round(at_m / self.numbers_m)) < 1e-6
            self._tick(painter, round(self.place_px(at_m)) + 0.5, thick * (0.3 if numbered else 0.75), thick)
        painter.setPen(QColor(theme.muted))
        for at_m in ticks(self.first_m, last_m, self.numbers_m):
            text = metres(at_m, self.numbers_m)
            wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2
            at = self.place_px(at_m) + (-3 - wide if self._upright else 3)
            if at >= 0 and at + wide <= long:
                self._write(painter, text, at, wide, thick * 0.72)
        if self.pointed_m is not None:
            self._paint_pointer(painter, self.pointed_m, long, thick)
        painter.end()

    def _line(self, painter: QPainter, start: float, stop: float, across: float) -> None:
        ends = ((across, start), (across, stop)) if self._upright else ((start, across), (stop, across))
        painter.drawLine(*(QPointF(*end) for end in ends))

    def _tick(self, painter: QPainter, at: float, start: float, stop: float) -> None:
        ends = ((start, at), (stop, at)) if self._upright else ((at, start), (at, stop))
        painter.drawLine(*(QPointF(*end) for end in ends))

    def _write(
        self, painter: QPainter, text: str, at: float, wide: float, high: float, plate: QColor | None = None
    ) -> None:
        """Write along the ruler from a place on, from below on an upright one, on a plate if it is to have one."""
        painter.save()
        if self._upright:
            painter.translate(0.0, at + wide)
            painter.rotate(-90.0)
            at = 0.0
        place = QRectF(at, 0.0, wide, high)
        if plate is not None:
            painter.fillRect(place, plate)
        align = Qt.AlignmentFlag.AlignLeft if plate is None else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(place, align | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _paint_pointer(self, painter: QPainter, at_m: float, long: float, thick: float) -> None:
        theme, at = self._look.theme, round(self.place_px(at_m)) + 0.5
        text = f"{at_m:,.2f}"
        wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 8
        painter.setPen(QColor(theme.on_accent))
        left = at - wide if (at - wide >= 0 if self._upright else at + wide > long) else at
        self._write(painter, text, left, wide, thick - 1.0, QColor(theme.accent))
        painter.setPen(QPen(QColor(theme.accent), 1.0))
        self._tick(painter, at, 0.0, thick)


class Rulers:
    """The two rulers of a view; shown while it is a drawing and rulers are wanted.

    Parameters
    ----------
    host
        The panel that shows the view.
    """

    def __init__(self, look: Look, view: HallView, host: QWidget) -> None:
        self._view, self._host = view, host
        self.level, self.upright = (RulerStrip(look, host, upright=upright) for upright in (False, True))
        self.strips = (self.level, self.upright)
        self._shown_for: tuple[object, ...] = ()
        look.changed.connect(self._on_look)

    @property
    def thick_px(self) -> int:
        """Return how much of the picture each covers along its edge; 0 while they are hidden."""
        return themes.scaled(THICK_PX) if self.level.isVisibleTo(self._host) else 0

    @property
    def areas(self) -> list[QRect]:
        """Return what they cover, in their host."""
        return [strip.geometry() for strip in self.strips] if self.thick_px else []

    def follow(self) -> bool:
        """Show what the camera sees now; return whether they have come or gone."""
        view = self._view
        axes = drawing_axes(view.pose) if view.state.rulers and view.flies_to is None else None
        came = (axes is not None) != bool(self.thick_px)
        if axes is None:
            for strip in self.strips if came else ():
                strip.hide()
            self._shown_for = ()
            return came
        key = (view.pose, view.native.geometry(), themes.scaled(100))
        if key != self._shown_for:
            self._shown_for = key
            self._lay_out(axes, view.pose)
        return came

    def point(self, x: float, y: float) -> None:
        """Mark a place of the picture [logical px], drawn to corners and lines that are near."""
        if self.thick_px:
            found = measure_point(self._view, x, y)
            if found is not None:
                place = self._place(x, y) if found.whole else found.at_m
                for strip in self.strips:
                    if strip.axis is not None:
                        strip.point(place[strip.axis.axis])

    def point_nowhere(self) -> None:
        """Mark no place any more."""
        for strip in self.strips:
            strip.point(None)

    def _place(self, x: float, y: float) -> tuple[float, float, float]:
        place = camera.ray(self._view.pose, x, y, *self._view.size())[0]
        return float(place[0]), float(place[1]), float(place[2])

    def _lay_out(self, axes: tuple[DrawingAxis, DrawingAxis], pose: CameraPose) -> None:
        picture, thick = self._view.native.geometry(), themes.scaled(THICK_PX)
        px_per_m = camera.px_per_m(pose, 0.0, self._view.size()[1])
        pitch = grid_pitch(px_per_m, axes)
        self.level.setGeometry(picture.left(), picture.top(), picture.width(), thick)
        self.upright.setGeometry(picture.left(), picture.top() + thick, thick, picture.height() - thick)
        for strip, axis, at in zip(self.strips, axes, ((0.0, 0.0), (0.0, float(thick))), strict=True):
            first_m = self._place(*at)[axis.axis]
            strip.show_scale(axis, px_per_m, first_m, pitch.step_m, pitch.every)
            strip.show()

    def _on_look(self) -> None:
        self._shown_for = ()


def metres(at_m: float, step_m: float) -> str:
    """Return a place with the digits that tell it from the next one.

    >>> metres(3.0, 3.0), metres(-0.6, 0.6), metres(1200.0, 100.0)
    ('3', '-0.6', '1,200')
    """
    places = next((n for n in range(3) if abs(step_m * 10**n - round(step_m * 10**n)) < 1e-6), 3)
    return f"{at_m:,.{places}f}"
