"""The line of the point that is chosen: what it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr

_MOST_SEEDS = 1000


class PointStrip(QWidget):
    """Words of a point, its seeds, and buttons: open its run, save it as a scene."""

    open_wanted = Signal(int)  # seed
    save_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "docktitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = ElidedLabel("value")
        self.seed_box = DropDown()
        self.seed_box.setAccessibleName(tr("Seed of the run"))
        self.seed_box.setToolTip(tr("With which seed the run of this point is opened"))
        self.open_button, self.save_button = (
            QPushButton(tr("Open run")),
            QPushButton(tr("Save as scene\N{HORIZONTAL ELLIPSIS}")),
        )
        self.open_button.setProperty("role", "primary")
        self.open_button.setToolTip(
            tr("Open the scene of this point in the main window, and run it with this seed")
        )
        self.save_button.setToolTip(tr("Save the scene with the values of this point"))
        self._tips = {button: button.toolTip() for button in (self.open_button, self.save_button)}
        self.open_button.clicked.connect(lambda: self.open_wanted.emit(self.seed))
        self.save_button.clicked.connect(lambda: self.save_wanted.emit())
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 12, 9)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        self._seed_name = label(tr("Seed"), "muted")
        for widget in (self._seed_name, self.seed_box, self.save_button, self.open_button):
            row.addWidget(widget)
        for button in (self.open_button, self.save_button):
            button.setAutoDefault(False)
        self.show_none()

    @property
    def seed(self) -> int:
        """Return the seed that is chosen."""
        return int(self.seed_box.currentData() or 0)

    def show_none(self) -> None:
        """Say that no point is chosen."""
        self.words.setText(tr("Click a point: its values, its run, its scene"))
        self._enable(False, "")

    def show_point(self, number: int, words: str, seeds: Sequence[int], why_not: str) -> None:
        """Show a point; `why_not`: why its run cannot be opened."""
        head = tr("Point {number}", number=number)
        self.words.setText(f"{head}: {words}" + (f" \N{MIDDLE DOT} {why_not}" if why_not else ""))
        listed = [int(self.seed_box.itemData(row)) for row in range(self.seed_box.count())]
        if listed != list(seeds[:_MOST_SEEDS]):
            self.seed_box.clear()
            for seed in seeds[:_MOST_SEEDS]:
                self.seed_box.addItem(str(seed), seed)
        self._enable(not why_not, why_not)

    def _enable(self, on: bool, why_not: str) -> None:
        for button in (self.open_button, self.save_button):
            button.setEnabled(on)
            button.setToolTip(plain_tip(why_not or self._tips[button]))
        self.seed_box.setEnabled(on)
        for widget in (self.seed_box, self._seed_name):
            widget.setVisible(self.seed_box.count() > 1)
        self.words.setAlignment(Qt.AlignmentFlag.AlignVCenter)
