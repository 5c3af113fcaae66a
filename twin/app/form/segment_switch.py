"""A switch of segments side by side, of which one is on."""

from __future__ import annotations

from collections.abc import Mapping

from psygnal import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QToolButton

from twin.app.toolkit.plain_text import plain_tip


class SegmentSwitch(QFrame):
    """Tells which segment was clicked; who hears of it marks the one that is on.

    Parameters
    ----------
    name
        What is chosen, for readers of the screen.
    choices
        Title of each segment and what it is for, by its key.

    Attributes
    ----------
    buttons
        The segments by their keys.
    """

    chosen = Signal(str)  # key of a segment

    def __init__(self, name: str, choices: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self.setProperty("role", "segments")
        self.setAccessibleName(name)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(1, 1, 1, 1)
        self._row.setSpacing(2)
        group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        for key, (title, tip) in choices.items():
            button = QToolButton()
            button.setProperty("role", "segment")
            button.setText(title)
            button.setToolTip(plain_tip(tip))
            button.setAccessibleName(f"{title}: {tip}")
            button.setCheckable(True)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            group.addButton(button)
            self._row.addWidget(button)
            self.buttons[key] = button
