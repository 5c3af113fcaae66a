"""Owning beside renting: what a useful GPU-hour costs over utilisation, and where both are equal."""

from __future__ import annotations

from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from twin.analysis.money_words import QUANTILES, WAY_TITLES, use_words
from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats
from twin.economics.own_or_rent import UTILISATIONS, OwnOrRent, RentOffer
from twin.economics.rent import RECLAIMED_WAYS
from twin.language import tr

_HIGH_PX, _LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 220, 44.0, 14.0, 22.0, 34.0
_HEADROOM, _DOT_PX, _TEXT_PX, _NAME_PX = 1.25, 3.5, 11, 15.0
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


def offer_title(offer: RentOffer) -> str:
    """Return whose shape it is."""
    return f"{offer.vendor} {offer.title}"


def even_words(offer: RentOffer, way: str = "") -> str:
    """Return from which utilisation owning is cheaper than by a way, or the first by the hour, with its range."""
    found = offer.owned_from(way)
    if found is None:
        return ""
    low, middle, high = map(use_words, found)
    return tr("{middle} ({low} to {high})", low=low, middle=middle, high=high)


class RentChart(PaintedChart):
    """An own GPU-hour as a curve with its band, hours on demand and on spot as level lines, dots where they cross.

    Attributes
    ----------
    found
        What is shown; None: nothing.
    """

    empty = tr("No cloud of the catalogue has this GPU")

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            tr("Owning beside renting"),
            hint=(380, scaled(_HIGH_PX)),
            least=(150, scaled(_HIGH_PX)),
            tall=False,
            keys=True,
        )
        self.found: OwnOrRent | None = None

    def show_rent(self, found: OwnOrRent) -> None:
        """Show other curves."""
        self.found = found
        self.setAccessibleDescription(
            "; ".join(
                f"{offer_title(offer)}, {WAY_TITLES[way]}: {even_words(offer, way)}"
                for offer in found.offers
                for way in offer.break_even
            )
        )
        self.refresh()

    def refresh(self) -> None:
        """Take the height of the size of text, and repaint."""
        self.setFixedHeight(scaled(_HIGH_PX))
        super().refresh()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to compare."""
        return self.found is None or not self.found.offers

    def colour(self, place: int) -> str:
        """Return the colour of the line of an offer."""
        return self.theme.series[1:][place % 3]

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return the curves as cells: utilisation, own hours, and hours on demand [USD]."""
        found = self.found
        if found is None:
            return []
        heads = ("utilisation", "own P5 [USD]", "own P50 [USD]", "own P95 [USD]")
        rows = [
            (f"{use:.2f}", *(f"{usd:.4f}" for usd in np.quantile(own, QUANTILES).tolist()))
            for use, own in zip(UTILISATIONS, found.owned_usd_gpu_h, strict=True)
        ]
        both = [(offer, way) for offer in found.offers for way in offer.break_even]
        asked = [f"{_asked(offer, way):.4f}" for offer, way in both]
        names = [f"{offer_title(offer)} {way.replace('_', ' ')} P50 [USD]" for offer, way in both]
        return [(*heads, *names), *((*row, *asked) for row in rows)]

    def items(self) -> list[ChartItem]:
        """Return the crossings."""
        return [
            ChartItem(
                QRectF(x - 8, y - 8, 16, 16),
                f"<b>{escape(offer_title(offer))}, {escape(WAY_TITLES[way])}</b><br>"
                + escape(tr("Owning is cheaper from a utilisation of {use}", use=even_words(offer, way))),
                f"{offer.id} {way}",
                tr(
                    "{offer}, {way}: owning is cheaper from {use}",
                    offer=offer_title(offer),
                    way=WAY_TITLES[way],
                    use=even_words(offer, way),
                ),
            )
            for offer, way, x, y in self.crossings()
        ]

    def paint(self, painter: ChartPainter) -> None:
        """Paint axes, the own hour, and what clouds ask."""
        found, theme = self.found, painter.theme
        assert found is not None
        across, up = self.axes()
        room = QRectF(across.begin, up.end, across.end - across.begin, up.begin - up.end)
        painter.font_in(_TEXT_PX)
        step = round_step((up.high - up.low) / 4)
        marks = [(value, f"{value:g}") for value in np.arange(0.0, up.high + 1e-9, step).tolist()]
        painter.value_marks(up, marks, room, grid=True)
        painter.write(
            QRectF(4, 0, self.width() - 8, scaled(_TOP_PX)), tr("USD a useful GPU-hour"), theme.muted
        )
        self._foot(painter, across, room)
        painter.save()
        painter.setClipRect(room)
        low, middle, high = np.quantile(found.owned_usd_gpu_h, QUANTILES, axis=1)
        x = across.px(UTILISATIONS)
        painter.fill_in(theme.accent, alpha=0.22)
        painter.area(x, up.px(high), up.px(low))
        painter.line_in(theme.accent, 2.0)
        painter.curve(x, up.px(middle))
        for place, offer in enumerate(found.offers):
            for way in offer.break_even:
                y, width_px = up.px(_asked(offer, way)), 1.0 if way in RECLAIMED_WAYS else 1.6
                dashes = (
                    _DASHES[2]
                    if way in RECLAIMED_WAYS
                    else _DASHES[place % 4]
                    if theme.dashes
                    else _DASHES[0]
                )
                painter.line_in(self.colour(place), width_px, dashes)
                painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
        painter.restore()
        self._names(painter, across, up, float(middle[-1]))
        current = self.current
        place_of = {offer.id: place for place, offer in enumerate(found.offers)}
        for offer, way, cross_x, cross_y in self.crossings():
            on = self.hasFocus() and current is not None and current.key == f"{offer.id} {way}"
            painter.fill_in(theme.text if on else self.colour(place_of[offer.id]))
            painter.drawEllipse(QPointF(cross_x, cross_y), _DOT_PX + on, _DOT_PX + on)

    def _names(self, painter: ChartPainter, across: Axis, up: Axis, own_usd: float) -> None:
        """Write whose line is which, off the curve: above it, or below those that are cheaper; near ones together."""
        high, last_px = scaled(_NAME_PX), -1e9
        lines = sorted(
            (
                (
                    _asked(offer, way),
                    place,
                    offer.vendor + (f" ({WAY_TITLES[way]})" if way in RECLAIMED_WAYS else ""),
                )
                for place, offer in enumerate(self.found.offers if self.found else ())
                for way in offer.break_even
            ),
            key=lambda line: line[0],
        )
        groups: list[tuple[float, list[int], list[str]]] = []
        for usd, place, name in lines:
            y = up.px(usd)
            if abs(y - last_px) < high:
                groups[-1][1].append(place)
                groups[-1][2].append(name)
            else:
                groups.append((y, [place], [name]))
                last_px = y
        for y, places, vendors in groups:
            is_below = up.value(y) < own_usd
            spot = QRectF(across.begin, y + 1 if is_below else y - high - 1, across.end - across.begin, high)
            painter.write(spot, ", ".join(vendors), self.colour(max(places)), _TEXT_PX, to=RIGHT, elided=True)

    def _foot(self, painter: ChartPainter, across: Axis, room: QRectF) -> None:
        theme, high = painter.theme, scaled(_BOTTOM_PX) / 2
        for use in (0.2, 0.4, 0.6, 0.8, 1.0):
            spot = QRectF(across.px(use) - 30, room.bottom() + 1, 60, high)
            if use == 1.0:
                spot.setRight(self.width() - 2.0)
            painter.write(spot, f"{100 * use:.0f} %", theme.muted, to=RIGHT if use == 1.0 else CENTRE)
        foot = QRectF(room.left(), room.bottom() + high, room.width(), high)
        painter.write(foot, tr("Utilisation"), theme.muted, to=CENTRE)

    def axes(self) -> tuple[Axis, Axis]:
        """Return where utilisation and cost stand."""
        assert self.found is not None
        asked = [_asked(offer, way) for offer in self.found.offers for way in offer.break_even]
        own = np.median(self.found.owned_usd_gpu_h, axis=1)
        most = max(_HEADROOM * max(asked, default=1.0), 2.0 * float(own[-1]))
        return (
            Axis(0.0, 1.0, scaled(_LEFT_PX), self.width() - scaled(_RIGHT_PX)),
            Axis(0.0, most, self.height() - scaled(_BOTTOM_PX), scaled(_TOP_PX)),
        )

    def crossings(self) -> list[tuple[RentOffer, str, float, float]]:
        """Return the offers and ways whose hours cost as much as own ones somewhere, and where [px]."""
        if self.found is None or not self.found.offers:
            return []
        across, up = self.axes()
        return [
            (offer, way, across.px(use), up.px(_asked(offer, way)))
            for offer in self.found.offers
            for way in offer.break_even
            if (use := (offer.owned_from(way) or (np.inf,) * 3)[1]) <= 1.0
        ]


def _asked(offer: RentOffer, way: str) -> float:
    """Return what a useful hour costs to rent [USD]."""
    usd: Floats = offer.usd_gpu_h[way][-1]
    return float(np.median(usd))
