"""The plate beside the pointer while something is placed: what it is, what it asks of the site, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from twin.app.hall.overlay import Plate
from twin.app.placing.plate_position import beside
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import quantity
from twin.commands.budget.budget import Budget
from twin.commands.budget.part_load import PartLoad, together
from twin.commands.budget.power_room import Fullest
from twin.commands.wiring.new_switches import NewSwitches
from twin.language import counted, tr

_PAD, _LINE = 12.0, 17.0
_BAR = 64.0
_MOST_OF_WIDTH, _MOST_OF_HEIGHT = 0.62, 0.45
"""Of the hall: longer words go on in the next line, and of more lines only those with a limit are written."""
_BETWEEN_KEYS, _AFTER_WORDS = "   ", 14.0
NO_SWITCHES = NewSwitches()


@dataclass(frozen=True)
class BudgetLine:
    """What a thing adds, as words, and the share of the limit in use before and after; None without a limit.

    `of` is whose limit it is, where it is that of one thing.
    """

    label: str
    added: str
    before: float | None = None
    after: float | None = None
    of: str = ""

    @property
    def share(self) -> str:
        """Return the share after it as words."""
        return f"{self.of} {self.after:.0%}".strip() if self.after is not None else ""

    @property
    def over(self) -> bool:
        """Return whether the limit does not hold it."""
        return self.after is not None and self.after > 1.0


def budget_lines(
    load: PartLoad, budget: Budget, fullest: Fullest | None, switches: NewSwitches = NO_SWITCHES
) -> tuple[BudgetLine, ...]:
    """Return power, cooling, ports, weight and cost of what is added; what it does not touch is left out.

    Parameters
    ----------
    budget
        Of the scene without it.
    fullest
        What binds on the way of its power; None without a limit.
    switches
        That come with it.
    """
    found = []
    if load.power_w:
        binds = (fullest.before, fullest.after, fullest.id) if fullest is not None else ()
        found.append(
            BudgetLine(tr("Power"), tr("+{power} design load", power=quantity(load.power_w, "W")), *binds)
        )
    if load.gives_w:
        after = budget.heat_w / (budget.cooling_w + load.gives_w)
        found.append(
            BudgetLine(
                tr("Cooling"),
                tr("removes {gives_power}", gives_power=quantity(load.gives_w, "W")),
                None,
                after,
            )
        )
    elif load.heat_w:
        shares = _shares(budget.heat_w, load.heat_w, budget.cooling_w)
        found.append(
            BudgetLine(
                tr("Cooling"), tr("+{heat_power} of heat", heat_power=quantity(load.heat_w, "W")), *shares
            )
        )
    if load.ports:
        used, ports = sum(line.used for line in budget.ports), sum(line.ports for line in budget.ports)
        if switches.count:  # its ports are theirs: nothing stands in the way
            brings = tr(
                "{plural}, {power} more",
                plural=counted(switches.count, tr("new switch")),
                power=quantity(switches.load.power_w, "W"),
            )
            found += [BudgetLine(tr("Ports"), f"+{load.ports:,}"), BudgetLine(tr("Adds"), brings)]
        else:
            found.append(BudgetLine(tr("Ports"), f"+{load.ports:,}", *_shares(used, load.ports, ports)))
    whole = together(load, switches.load)
    if whole.weight_kg:
        found.append(BudgetLine(tr("Weight"), tr("+{weight_kg:,.0f} kg", weight_kg=whole.weight_kg)))
    if whole.cost_usd:
        found.append(BudgetLine(tr("Cost"), f"+{_money(whole.cost_usd)}{_without(whole.unpriced)}"))
    elif whole.unpriced:
        found.append(BudgetLine(tr("Cost"), tr("not known{without}", without=_without(whole.unpriced))))
    return tuple(found)


def _shares(used: float, added: float, limit: float) -> tuple[float | None, float | None]:
    return (used / limit, (used + added) / limit) if limit and isfinite(limit) else (None, None)


def _money(usd: float) -> str:
    return f"${usd / 1e6:,.3g} M" if usd >= 1e6 else f"${usd:,.0f}"


def _without(parts: Sequence[str]) -> str:
    """Return which parts a cost leaves out, as words that go on."""
    more = tr(" and {parts} more", parts=len(parts) - 1) if len(parts) > 1 else ""
    return tr("; without a price: {parts}{more}", parts=parts[0], more=more) if parts else ""


@dataclass(frozen=True)
class _Written:
    """What of a plate is written: lines of the budget, reason and keys line by line."""

    lines: tuple[BudgetLine, ...]
    reason: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Return how many lines these are."""
        return len(self.lines) + len(self.reason) + len(self.keys)


def folded(words: str, between: str, room_px: float, metrics: QFontMetricsF) -> tuple[str, ...]:
    """Return words as lines that are no wider than the room, broken where `between` stands."""
    lines: list[str] = []
    for word in filter(None, words.split(between)):
        longer = f"{lines[-1]}{between}{word}" if lines else word
        if lines and metrics.horizontalAdvance(longer) <= room_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return tuple(lines)


class PlacingPlate(Plate):
    """Title and place, budget, reason, keys."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._bold, self._plain = themes.font(12, bold=True, as_is=True), themes.font(11, as_is=True)
        self.title, self.where, self.reason, self.keys = "", "", "", ""
        self.refused = False
        self.lines: tuple[BudgetLine, ...] = ()
        self._host_px = QSize()
        self._bar_px = _BAR
        self._written: _Written = _Written((), (), ())
        self.hide()

    def show_placing(
        self, title: str, where: str, lines: Sequence[BudgetLine], reason: str, refused: bool, keys: str
    ) -> None:
        """Say what is being placed; `move_to` follows."""
        content = (title, where, tuple(lines), reason, refused, keys)
        shown = (self.title, self.where, self.lines, self.reason, self.refused, self.keys)
        if content == shown and self._host_px == self.host.size():
            self.show()
            return
        self._host_px = self.host.size()
        self.title, self.where, self.lines, self.reason, self.refused, self.keys = content
        self._lay_out()
        self.setAccessibleName(f"{title} {where}. {reason}")
        self.show()
        self.update()

    @property
    def written_keys(self) -> str:
        """Return the keys that are written."""
        return _BETWEEN_KEYS.join(self._written.keys)

    def _lay_out(self) -> None:
        """Fold long words, and leave out what can be done without, so that most of the hall is seen.

        Limits that hold go before the keys; of these the last remain, which place, turn and cancel.
        """
        bold, plain = QFontMetricsF(self._bold), QFontMetricsF(self._plain)
        most_px = _MOST_OF_WIDTH * self._host_px.width() / self.scale - 2 * _PAD
        most_rows = int((_MOST_OF_HEIGHT * self._host_px.height() / self.scale - 2 * _PAD - 16) // _LINE)
        head = bold.horizontalAdvance(self.title) + plain.horizontalAdvance(self.where) + 10

        def wide(lines: Sequence[BudgetLine]) -> float:
            needs = [plain.horizontalAdvance(line.added) + 78 + self._room_px(line) for line in lines]
            return max([head, *needs])

        self._bar_px = _BAR
        if wide(self.lines) > most_px:
            self._bar_px = 0.0
        limits = tuple(line for line in self.lines if line.after is not None)
        over = tuple(line for line in limits if line.over)
        for lines in (self.lines, limits, over):
            room = max(wide(lines), most_px) - _AFTER_WORDS
            reason = folded(self.reason, " ", room, plain)
            self._written = _Written(lines, reason, folded(self.keys, _BETWEEN_KEYS, room, plain))
            if self._written.rows <= most_rows:
                break
        else:
            left = max(most_rows - len(over) - len(reason), 1)
            self._written = _Written(over, reason, self._written.keys[-left:])
        words = (*self._written.reason, *self._written.keys)
        needs = max(
            [wide(self._written.lines), *(plain.horizontalAdvance(line) + _AFTER_WORDS for line in words)]
        )
        rows = self._written.rows
        self.fit(needs + 2 * _PAD, 2 * _PAD + 12 + _LINE * rows + (4 if rows else 0))

    def _room_px(self, line: BudgetLine) -> float:
        """Return how much room bar and share of a line take on its right."""
        if line.after is None:
            return 0.0
        return self._bar_px + 12 + max(40.0, QFontMetricsF(self._plain).horizontalAdvance(line.share) + 10)

    def move_to(self, at: QPoint, room: QRect, ghost: QRect, clear: Sequence[QRect]) -> None:
        """Stand beside a place of the parent and the ghost there, inside a room, and cover as little as can be."""
        self.move(beside(at, self.size(), room, ghost, clear))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the plate."""
        painter = QPainter(self)
        self.paint_plate(painter)
        painter.setFont(self._bold)
        painter.setPen(self.text_colour)
        y = _PAD + 9
        painter.drawText(QPointF(_PAD, y), self.title)
        left = _PAD + QFontMetricsF(self._bold).horizontalAdvance(self.title) + 8
        painter.setFont(self._plain)
        painter.setPen(self.muted_colour)
        painter.drawText(QPointF(left, y), self.where)
        y += 4
        theme = self.look.theme
        for line in self._written.lines:
            y += _LINE
            self._paint_line(painter, line, y)
        for words, ink in (
            (self._written.reason, theme.alarm if self.refused else theme.warning),
            (self._written.keys, theme.muted),
        ):
            painter.setPen(QColor(ink))
            for each in words:
                y += _LINE
                painter.drawText(QPointF(_PAD, y), each)
        painter.end()

    def _paint_line(self, painter: QPainter, line: BudgetLine, y: float) -> None:
        theme = self.look.theme
        painter.setPen(self.muted_colour)
        painter.drawText(QPointF(_PAD, y), line.label)
        painter.setPen(self.text_colour)
        painter.drawText(QPointF(_PAD + 58, y), line.added)
        if line.after is None:
            return
        right = self.room.width() - _PAD
        bar = QRectF(right - self._room_px(line) + 12, y - 7.5, self._bar_px, 6.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.hover))
        painter.drawRoundedRect(bar, 3, 3)
        for share, colour in (
            (line.after, theme.alarm if line.over else theme.ok),
            (0.0 if line.over else line.before or 0.0, theme.muted),
        ):
            filled = QRectF(bar.left(), bar.top(), bar.width() * min(share, 1.0), bar.height())
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(filled, 3, 3)
        painter.setPen(QColor(theme.alarm) if line.over else self.text_colour)
        words = line.share
        wide = QFontMetricsF(self._plain).horizontalAdvance(words)
        painter.drawText(QPointF(right - wide, y), words)
