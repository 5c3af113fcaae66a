"""A badge of how sure a figure is: a mark, a word and a colour of the theme; its tip says why."""

from __future__ import annotations

from twin.app.toolkit.look import with_role
from twin.app.toolkit.plain_text import PlainLabel, plain_tip
from twin.language import tr
from twin.planning.profile.standing import Standing

DOUBT_COLOURS = ("ok", "notice", "warning")
"""Colours of the theme by how doubtful a figure is; mark and word tell it as well."""


def badge_text(standing: Standing) -> str:
    """Return mark and word."""
    return f"{standing.mark} {standing.shown}"


class StandingBadge(PlainLabel):
    """Hidden where nothing is to be said.

    Attributes
    ----------
    standing
        What it shows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.standing: Standing | None = None
        with_role(self, "badge")
        self.hide()

    def show_standing(self, standing: Standing | None, tip: str = "") -> None:
        """Show how sure a figure is; None: hide."""
        if standing is not None and standing != self.standing:
            self.setText(badge_text(standing))
            self.setProperty("doubt", DOUBT_COLOURS[standing.doubt])
            with_role(self, "badge")
            self.updateGeometry()
        self.standing = standing
        self.setToolTip(plain_tip(tip))
        if standing is not None:
            self.setAccessibleName(tr("How sure: {word}. {tip}", word=standing.shown, tip=tip))
        self.setVisible(standing is not None)
