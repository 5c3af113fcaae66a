"""A badge of how sure a figure is: a mark, a word and a colour of the theme; its tip says why."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QResizeEvent

from twin.app.toolkit.look import with_role
from twin.app.toolkit.plain_text import PlainLabel, plain_tip
from twin.language import tr
from twin.planning.profile.standing import Standing

_ANYWHERE = QRect(0, 0, 2000, 2000)
DOUBT_COLOURS = ("ok", "notice", "warning")
"""Colours of the theme by how doubtful a figure is; mark and word tell it as well."""


def badge_text(standing: Standing) -> str:
    """Return mark and word."""
    return f"{standing.mark} {standing.shown}"


class StandingBadge(PlainLabel):
    """Hidden where nothing is to be said; where its word has no room, its mark stands alone.

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
            self.standing = standing
            self._choose_words()
            self.setProperty("doubt", DOUBT_COLOURS[standing.doubt])
            with_role(self, "badge")
            self.updateGeometry()
        self.standing = standing
        self.setToolTip(plain_tip(tip))
        if standing is not None:
            self.setAccessibleName(tr("How sure: {word}. {tip}", word=standing.shown, tip=tip))
        self.setVisible(standing is not None)

    def sizeHint(self) -> QSize:
        """Return the size of mark and word."""
        return self._size_of(badge_text(self.standing) if self.standing is not None else "")

    def minimumSizeHint(self) -> QSize:
        """Return the size of the mark."""
        return self._size_of(self.standing.mark if self.standing is not None else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the word where it has room."""
        super().resizeEvent(event)
        self._choose_words()

    def _choose_words(self) -> None:
        if self.standing is None:
            return
        roomy = self.width() >= self.sizeHint().width()
        words = badge_text(self.standing) if roomy else self.standing.mark
        if words != self.text():
            self.setText(words)

    def _size_of(self, words: str) -> QSize:
        size = super().sizeHint()
        size.setWidth(size.width() + self._wide(words) - self._wide(self.text()))
        return size

    def _wide(self, words: str) -> int:
        return self.fontMetrics().boundingRect(_ANYWHERE, int(self.alignment()), words).width()
