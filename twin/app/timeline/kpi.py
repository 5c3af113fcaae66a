"""Tiles with the figures one looks at first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
)

from twin.app.session.over_seeds import OverSeeds
from twin.app.session.plot_pages import PUE_RUN, WUE_RUN
from twin.app.session.site_curves import RunCurves
from twin.app.toolkit.look import Look, label, markup_label, tool_button
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import MISSING, significant, split_quantity
from twin.app.toolkit.theme import font, scaled
from twin.language import tr
from twin.record.channels import BY_ID
from twin.record.frame import Frame

if TYPE_CHECKING:
    from twin.studies.seed_curves import SeedCurves


@dataclass(frozen=True)
class Kpi:
    """One tile: which channel, from where on it is worrying, which curve tells what the run has come to, what it is."""

    channel: str
    title: str
    icon: str
    digits: int = 3
    warn_above: float = math.inf
    run: str = ""
    hint: str = ""

    def width_px(self, *, narrow: bool) -> int:
        """Return how wide its tile is, its title whole; a narrow one has its icon only when it is worrying."""
        title_px = QFontMetrics(font()).horizontalAdvance(self.title)
        icon_px = max(_ICON_PX, scaled(_ICON_PX)) if not narrow or math.isfinite(self.warn_above) else 0
        return max(scaled(84 if not self.run else 122), title_px, self._figures_px()) + _EDGES_PX + icon_px

    def _figures_px(self) -> int:
        """Return how wide its figures may come to be, that of the run in the words of the language."""
        if not self.run:
            return 0
        number, unit = split_quantity(1.0, BY_ID[self.channel].unit, self.digits)
        unit = unit if unit not in self.title else ""
        small = f" {unit}" + tr(" &nbsp;run {so_far}", so_far=number).replace("&nbsp;", " ")
        small_font = font(11)
        return QFontMetrics(font(_FIGURE_PX, bold=True)).horizontalAdvance(number) + QFontMetrics(
            small_font
        ).horizontalAdvance(small)


_GAP_PX, _MORE_PX, _ICON_PX, _EDGES_PX, _FIGURE_PX = 6, 38, 30, 20, 17

_GOODPUT = tr(
    "Useful steps / steps of an ideal run (reference clock, nothing lost). Stopped and requeued jobs count as 0."
)
_UNEXPECTED = tr(
    "Interruptions of jobs by failures. Those by drains and maintenance are planned: the Events have them."
)
KPIS: tuple[Kpi, ...] = (
    Kpi("site.goodput_now", tr("Goodput now"), "target", run="site.goodput", hint=_GOODPUT),
    Kpi("site.it_w", tr("IT power"), "bolt"),
    Kpi("site.pue", tr("PUE now"), "gauge", 4, run=PUE_RUN),
    Kpi("site.gpu_max_c", tr("Hottest GPU"), "thermometer", warn_above=85.0),
    Kpi("site.interruptions", tr("Unexpected stops"), "alarm", 1, hint=_UNEXPECTED),
    Kpi("site.spares", tr("Spare nodes"), "spare", 1),
    Kpi("site.wue", tr("WUE now, L/kWh"), "loop", 2, run=WUE_RUN),
)


class KpiTile(QFrame):
    """Icon, title and figure of one channel; beside it, small, what the run has come to."""

    clicked = Signal()

    def __init__(self, look: Look, kpi: Kpi) -> None:
        super().__init__()
        self._look, self.kpi = look, kpi
        self._worried, self._narrow = False, False
        self._none = ""
        self.note = ""  # added to its tool tip
        self.setProperty("role", "tile")
        self._mark = self._make_mark()
        self._value = markup_label("kpi")
        self._value.setText(MISSING)
        layout = QGridLayout(self)
        layout.setContentsMargins(8, 4, 6, 4)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(0)
        layout.addWidget(self._mark, 0, 0, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(label(kpi.title, "muted"), 0, 1)
        layout.addWidget(self._value, 1, 1)
        self.band = label("", "faint")
        self.band.hide()
        layout.addWidget(self.band, 2, 1)
        layout.setColumnStretch(1, 1)
        self._text, self._leads = (MISSING, ""), ""  # and where a click leads
        self.show_value(math.nan, math.nan)
        self.make_narrow(False)
        look.changed.connect(self._write)

    def leads(self, words: str) -> None:
        """Show that a click leads on, and where to."""
        self._leads = words
        self.kpi = replace(self.kpi, hint=f"{self.kpi.hint}\n{words}".strip())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(f"{self.kpi.title}: {words}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Lead on."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lead on by Enter or Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    @property
    def value_text(self) -> str:
        """Return the figure of now as shown, with its unit."""
        return str(self._value.property("plain") or MISSING)

    def make_narrow(self, narrow: bool) -> None:
        """Leave out the icon unless it warns, or show it."""
        self._narrow = narrow
        self._mark.setVisible(not narrow or self._worried)
        self.setFixedWidth(self.kpi.width_px(narrow=narrow))

    def say_none(self, why: str) -> None:
        """Show no figure in place of 0, and why; "": the figure means something."""
        if why != self._none:
            self._none = why
            self._value.setProperty("plain", None)  # else the words stay

    def show_value(self, value: float, run: float) -> None:
        """Show the value of now and that of the run so far, in the channel's unit."""
        channel = BY_ID[self.kpi.channel]
        if self._none and not value > 0:
            value = math.nan
        number, unit = split_quantity(value, channel.unit, self.kpi.digits)
        plain = f"{number} {unit}".rstrip()
        so_far = significant(run, self.kpi.digits) if self.kpi.run else ""
        if (plain, so_far) != (self._value.property("plain"), self._value.property("run")):
            self._value.setProperty("plain", plain)
            self._value.setProperty("run", so_far)
            shown_unit = unit if unit not in self.kpi.title else ""
            self._text = (
                number,
                f" {shown_unit}" + (tr(" &nbsp;run {so_far}", so_far=so_far) if so_far else ""),
            )
            self._write()
            self.setToolTip(plain_tip("\n".join(filter(None, (self.words, self.kpi.hint, self.note)))))
        worried = value > self.kpi.warn_above
        if worried != self._worried:
            self._worried = worried
            icon, colour = ("warning", "warning") if worried else (self.kpi.icon, "accent")
            self._look.dress(self._mark, icon, colour)
            self._mark.setVisible(not self._narrow or worried)

    def show_band(self, found: SeedCurves | None, t_s: float) -> None:
        """Show P5 to P95 of the figure over seeds below it, and that of the run so far in its tip; None: no seeds."""
        band = None if found is None else found.at(self.kpi.channel, t_s)
        words = tip = ""
        if found is not None and band is not None:
            low, middle, high = map(self.figure, band)
            words = tr("P5 {low} \N{EN DASH} P95 {high}", low=low, high=high)
            tip = tr(
                "{seeds} seeds: P5 {low}, P50 {middle}, P95 {high}",
                seeds=found.count,
                low=low,
                middle=middle,
                high=high,
            )
            so_far = found.at(self.kpi.run, t_s) if self.kpi.run else None
            if so_far is not None:
                p5, p50, p95 = map(self.figure, so_far)
                tip += "\n" + tr(
                    "Run so far: P5 {low}, P50 {middle}, P95 {high}", low=p5, middle=p50, high=p95
                )
            if self.band.fontMetrics().horizontalAdvance(words) > self.width() - _EDGES_PX:
                words = f"{low} \N{EN DASH} {high}"
        if (words, tip) != (self.band.text(), self.band.accessibleName()):
            self.band.setText(words)
            self.band.setToolTip(plain_tip(tip))
            self.band.setAccessibleName(tip)
            self.band.setVisible(bool(words))

    def figure(self, value: float) -> str:
        """Return a value as the tile shows it, without unit."""
        return split_quantity(value, BY_ID[self.kpi.channel].unit, self.kpi.digits)[0]

    def _write(self) -> None:
        """Write the figure in colours and size of text of the look in force."""
        number, small = self._text
        size_px, muted = scaled(11), self._look.theme.muted
        if self._leads:
            self.setAccessibleName(f"{self.words}. {self._leads}")
        self._value.setText(
            f"{number}<span style='font-size:{size_px}px;font-weight:400;color:{muted}'>{small}</span>"
        )

    @property
    def words(self) -> str:
        """Return title and figures as one line."""
        if self._none and self.value_text == MISSING:
            return f"{self.kpi.title}: {self._none}"
        title = BY_ID[self.kpi.channel].title
        so_far = (
            tr("; the run so far: {property}", property=self._value.property("run")) if self.kpi.run else ""
        )
        return f"{title[:1].upper()}{title[1:]}: {self.value_text}{so_far}"

    def _make_mark(self) -> QToolButton:
        mark = tool_button(self._look, self.kpi.icon, self.kpi.title, colour="accent")
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return mark


class KpiStrip(QWidget):
    """The tiles side by side, from the right; where there is no room for the last ones, a button tells them."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.tiles = {kpi.channel: KpiTile(look, kpi) for kpi in KPIS}
        self.over_seeds: OverSeeds | None = None
        self.more_button = QToolButton()
        self.more_button.setProperty("role", "chip")
        self.more_button.clicked.connect(self._tell_more)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP_PX)
        layout.addStretch(1)
        self.age = label("", "muted")
        self.age.setToolTip(tr("Picture and figures are of the last sample before this time"))
        self.age.hide()
        layout.addWidget(self.age)
        for tile in self.tiles.values():
            layout.addWidget(tile)
        layout.addWidget(self.more_button)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        look.changed.connect(self._make_room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out icons, then the last tiles where there is no room for them."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        room = self.width() + _GAP_PX
        if not self.age.isHidden():
            room -= self.age.sizeHint().width() + _GAP_PX
        widths_px = {narrow: [kpi.width_px(narrow=narrow) for kpi in KPIS] for narrow in (False, True)}
        narrow = sum(widths_px[False]) + _GAP_PX * len(KPIS) > room
        if sum(widths_px[narrow]) + _GAP_PX * len(KPIS) > room:
            room -= scaled(_MORE_PX) + _GAP_PX
        for tile, width_px in zip(self.tiles.values(), widths_px[narrow], strict=True):
            tile.make_narrow(narrow)
            room -= width_px + _GAP_PX
            tile.setVisible(room >= 0)
        self.more_button.setFixedWidth(scaled(_MORE_PX))
        self._count_more()

    def say_no_failures(self, why: str) -> None:
        """Show no interruptions in place of 0 where nothing can fail, and why; "": they are counted."""
        self.tiles["site.interruptions"].say_none(why)
        self.tiles["site.goodput_now"].note = why[:1].upper() + why[1:]

    def show_figures(self, frame: Frame | None, curves: RunCurves, age: str = "") -> None:
        """Show the figures of a frame and of the run so far; dashes without one. `age` says of when they are."""
        if age != self.age.text():
            self.age.setText(age)
            self.age.setVisible(bool(age))
            self._make_room()
        for channel, tile in self.tiles.items():
            run = curves.at(tile.kpi.run, frame.t_s) if tile.kpi.run and frame is not None else math.nan
            tile.show_value(math.nan if frame is None else float(frame.values[channel][0]), run)
            found = self.over_seeds.found if self.over_seeds is not None else None
            tile.show_band(found, math.nan if frame is None else frame.t_s)
        self._count_more()

    def _count_more(self) -> None:
        hidden = [tile for tile in self.tiles.values() if tile.isHidden()]
        self.more_button.setVisible(bool(hidden))
        self.more_button.setText(f"+{len(hidden)}")
        words = "\n".join(tile.words for tile in hidden)
        self.more_button.setToolTip(plain_tip(words))
        self.more_button.setAccessibleName(tr("More figures: {words}", words=words))

    def _tell_more(self) -> None:
        button = self.more_button
        QToolTip.showText(button.mapToGlobal(button.rect().bottomLeft()), button.toolTip(), button)
