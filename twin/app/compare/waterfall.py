"""Where the GPU time went from one run to another, painted: from the productive hours of A to those of B."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QSize

from twin.analysis.account_words import INSTALLED, MEANINGS, step_title
from twin.analysis.compare import DesignWaterfall, WaterfallStep
from twin.app.toolkit.charts.waterfall import WaterfallChart, WaterfallRow
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import significant
from twin.app.toolkit.theme import scaled
from twin.language import counted, tr
from twin.record.account_titles import ACCOUNT_TITLES

_MOST_STEPS = 9
_LEAST = 0.0005
"""Share of the largest step below which steps are told together."""
_NOTHING = 1e-6
"""Share of the largest step below which the rest is no step, but how sums round."""
REST = "rest"


@dataclass(frozen=True)
class WaterfallLine:
    """One line: an end of the way, or a step of it.

    Parameters
    ----------
    account
        Of the ledger; "": an end.
    from_h, to_h
        Where its bar begins and ends [GPU h].
    """

    account: str
    title: str
    from_h: float
    to_h: float


def lines_of(way: DesignWaterfall) -> list[WaterfallLine]:
    """Return the ends and the steps between them; the least steps together."""
    largest = max((abs(step.gpu_h) for step in way.steps), default=0.0)
    shown = [step for step in way.steps if abs(step.gpu_h) >= _LEAST * largest][:_MOST_STEPS]
    rest_h = math.fsum(step.gpu_h for step in way.steps) - math.fsum(step.gpu_h for step in shown)
    steps = [(step.account, _title(step), step.gpu_h) for step in shown]
    rested = len(way.steps) - len(shown)
    if rested and abs(rest_h) > _NOTHING * largest:
        steps.append((REST, counted(rested, "smaller one"), rest_h))
    at_h = way.a_gpu_h
    lines = [WaterfallLine("", tr("Productive in A"), 0.0, at_h)]
    for account, title, gpu_h in steps:
        lines.append(WaterfallLine(account, title, at_h, at_h + gpu_h))
        at_h += gpu_h
    return [*lines, WaterfallLine("", tr("Productive in B"), 0.0, way.b_gpu_h)]


class CompareWaterfall(WaterfallChart):
    """Shows the way from A to B; a tool tip says what a line means.

    Attributes
    ----------
    lines
        What is shown.
    """

    empty = tr("The ledger of one run is empty")
    alone_words = (tr("Changes alone:"),)
    name_px, figure_px, line_px, line_min_px = 168.0, 96.0, 23.0, 14.0
    bar_share, text_px = 0.64, 12

    def __init__(self, look: Look) -> None:
        least = scaled(340), scaled(120)
        super().__init__(look, tr("Where the GPU time went, from A to B"), least=least)
        self.lines: list[WaterfallLine] = []

    def sizeHint(self) -> QSize:
        """Return room for some lines."""
        return QSize(scaled(460), scaled(250))

    def show_way(self, way: DesignWaterfall | None) -> None:
        """Show another way; None: there is none."""
        self.lines = [] if way is None else lines_of(way)
        self.setMinimumHeight(scaled(max(120.0, len(self.lines) * self.line_min_px + 8)))
        self.describe()

    def make_rows(self) -> list[WaterfallRow]:
        """Return the ends and the steps between them."""
        return [self._row(line) for line in self.lines]

    def _row(self, line: WaterfallLine) -> WaterfallRow:
        hours, is_end = line.to_h - line.from_h, not line.account
        gains = hours >= 0
        sign = "" if is_end else "+" if gains else "\N{MINUS SIGN}"
        figure = f"{sign}{significant(abs(hours), 4)}"
        compares = line.account not in ("", INSTALLED, REST)
        way = tr(": {word} of it in B", word="less" if gains else "more") if compares else ""
        hint = MEANINGS.get(line.account or "productive", "")
        tip = tr(
            "<b>{title}</b> {figure} GPU-hours{way}<br>{hint}",
            title=escape(line.title),
            figure=figure,
            way=way,
            hint=escape(hint),
        )
        tint = self.theme.accent if is_end else self.theme.ok if gains else self.theme.warning
        low, high = sorted((line.from_h, line.to_h))
        return WaterfallRow(line.title, (figure,), tip, low, high, line.to_h, tint, is_end=is_end)


def _title(step: WaterfallStep) -> str:
    title = step_title(step.account, step.gpu_h)
    if step.account.startswith(
        "exposed_"
    ):  # what tells them apart comes first: long names are cut at their end
        title = tr("{brief} communication", brief=ACCOUNT_TITLES[step.account].brief)
    return title[:1].upper() + title[1:]
