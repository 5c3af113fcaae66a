"""Where the time of a job went, painted: one line for the whole, one for each loss, one for what is left."""

from __future__ import annotations

from html import escape

from twin.app.jobs.waterfall import REST, Waterfall
from twin.app.toolkit import text
from twin.app.toolkit.account_colours import AccountShare, colour
from twin.app.toolkit.charts.waterfall import WaterfallChart, WaterfallRow
from twin.app.toolkit.look import Look
from twin.language import tr

_WHOLE = "whole"
_HATCHED = (REST, "pipeline_bubble", "idle_no_load")


class WaterfallView(WaterfallChart):
    """Shows where the time of one job went; a tool tip says what a line means."""

    empty = tr("Not submitted yet")
    alone_words = (tr("The losses alone:"), tr("Losses alone:"), tr("Losses:"), "")

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Time of the job by account"), hint=(460, 250), least=(220, 120))
        self.shown: Waterfall | None = None

    def show_waterfall(self, shown: Waterfall | None) -> None:
        """Show another moment; None: nothing yet."""
        if shown != self.shown:
            self.shown = shown
            self.describe()

    def make_rows(self) -> list[WaterfallRow]:
        """Return the whole, what is taken away from it, and what is left."""
        shown = self.shown
        if shown is None or shown.whole_s <= 0:
            return []
        hint = tr("Time from submission until now or the job's end")
        pieces = (AccountShare(_WHOLE, tr("Since submission"), shown.whole_s, hint), *shown.pieces)
        found, left_s = [], shown.whole_s
        for piece in pieces:
            begin_s = 0.0 if piece.account == _WHOLE else max(left_s - piece.value, 0.0)
            left_s = shown.whole_s if piece.account == _WHOLE else begin_s
            figures = text.duration(piece.value), f"{100 * shown.share(piece.value):.1f} %"
            found.append(
                WaterfallRow(
                    piece.title,
                    figures,
                    f"<b>{escape(piece.title)}</b> {'  '.join(figures)}<br>{escape(piece.hint)}",
                    begin_s,
                    begin_s + piece.value,
                    left_s,
                    self.theme.hover if piece.account == _WHOLE else colour(self.theme, piece.account),
                    is_end=piece in (pieces[0], pieces[-1]),
                    hatched=piece.account in _HATCHED,
                )
            )
        return found
