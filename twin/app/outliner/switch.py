"""The switch of the outliner: how its tree is sorted, in whole words where they fit and in shorter ones where not."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from twin.app.form.segment_switch import SegmentSwitch
from twin.app.outliner.tree import MODES
from twin.app.toolkit import theme
from twin.app.toolkit.look import Look
from twin.language import tr

_SHORT: dict[str, str] = {"network": tr("Net"), "coolant": tr("Cool")}
_ROUND_PX = 8
"""What stands round the word of a segment: border and padding of the stylesheet."""
_EDGE_PX = 1


class OutlinerSwitch(SegmentSwitch):
    """A segment for each way to sort, as wide as its word asks; it is never narrower than the short words."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            tr("Sort the outliner by"),
            {mode: (title, f"{title}: {tip[0].lower()}{tip[1:]}") for mode, (title, tip) in MODES.items()},
        )
        self._row.setSpacing(0)
        for mode, (title, _) in MODES.items():
            button = self.buttons[mode]
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.setAccessibleName(tr("Sort by {title}", title=title.lower()))
            button.toggled.connect(self._fit)
        look.changed.connect(self._fit)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the words that there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self, *_: object) -> None:
        plain, bold = (QFontMetrics(theme.font(bold=is_bold)) for is_bold in (False, True))
        whole: dict[str, str] = {mode: title for mode, (title, _) in MODES.items()}
        short = {mode: _SHORT.get(mode, title) for mode, title in whole.items()}
        room_px = self.contentsRect().width()
        words = whole if _needed_px([*whole.values()], plain, bold) <= room_px else short
        # Where large text leaves no room even for the short words they are smaller, and whole.
        shrunk = min(room_px / _needed_px([*words.values()], plain, bold), 1.0) if self.isVisible() else 1.0
        size = f" font-size: {int(shrunk * theme.scaled(theme.BASE_PX))}px;" if shrunk < 1.0 else ""
        for place, (mode, button) in enumerate(self.buttons.items()):
            metrics = bold if button.isChecked() else plain
            button.setText(words[mode])
            button.setStyleSheet(f"padding: 1px 3px;{size}")
            button.setMinimumWidth(int(shrunk * (metrics.horizontalAdvance(short[mode]) + _ROUND_PX)))
            self._row.setStretch(place, metrics.horizontalAdvance(words[mode]) + _ROUND_PX)


def _needed_px(words: list[str], plain: QFontMetrics, bold: QFontMetrics) -> int:
    """Return how wide the switch is whichever of its words is the bold one [px]."""
    widths = [plain.horizontalAdvance(word) for word in words]
    more = max(bold.horizontalAdvance(word) - width for word, width in zip(words, widths, strict=True))
    return sum(widths) + more + len(words) * _ROUND_PX + 2 * _EDGE_PX
