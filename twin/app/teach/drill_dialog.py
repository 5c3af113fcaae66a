"""Asks which drill: scene, level, length, and the seed of its faults."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSpinBox, QVBoxLayout, QWidget

from twin import units
from twin.app.form.lines import add_line, beside, line_grid
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.lessons.drill import LENGTHS_S, LEVELS

MOST_SEED = 999_999
_WIDTH_PX = 480
_ABOUT = tr(
    "You run the hall as its operator. Faults come by chance, and nobody tells you which: you see alarms and "
    "instruments. You may send technicians, move work, limit power and change set points. At the end you see what "
    "happened, and what your response saved against doing nothing."
)


@dataclass(frozen=True)
class DrillWish:
    """A drill that is wanted.

    Parameters
    ----------
    path
        Of the scene.
    level, seed, length_s
        See `twin.lessons.drill.drill_of`.
    """

    path: Path
    level: str
    seed: int
    length_s: float


class DrillDialog(QDialog):
    """Asks for a drill.

    Parameters
    ----------
    scenes
        File and title of each scene on offer.
    chosen
        The one that is offered first.
    """

    wanted = Signal(object)  # DrillWish

    def __init__(
        self, look: Look, scenes: Sequence[tuple[Path, str]], chosen: Path | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("drill")
        self.setWindowTitle(tr("Start a drill"))
        self.setMinimumWidth(_WIDTH_PX)
        self._scenes = list(scenes)
        self.scene_box, self.level_box, self.length_box = DropDown(), DropDown(), DropDown()
        self.scene_box.addItems([title for _, title in self._scenes])
        self.scene_box.setCurrentIndex(next((at for at, (path, _) in enumerate(scenes) if path == chosen), 0))
        for level in LEVELS.values():
            self.level_box.addItem(tr("{level}: {words}", level=tr(level.id.capitalize()), words=level.title))
        self.level_box.setCurrentIndex(1)
        self.length_box.addItems([units.spoken(length_s) for length_s in LENGTHS_S])
        self.length_box.setCurrentIndex(1)
        self.seed_box = QSpinBox()
        self.seed_box.setRange(0, MOST_SEED)
        self.surprise_button = QPushButton(tr("Surprise me"))
        self.surprise_button.setProperty("role", "flat")
        self.surprise_button.setToolTip(tr("Draws a seed, so that you do not know the faults"))
        self.surprise_button.clicked.connect(self.surprise)
        self.surprise()
        self._lay_out(look)

    @property
    def wish(self) -> DrillWish | None:
        """Return what is chosen; None: there is no scene."""
        at = self.scene_box.currentIndex()
        if not 0 <= at < len(self._scenes):
            return None
        level = list(LEVELS)[self.level_box.currentIndex()]
        length_s = LENGTHS_S[self.length_box.currentIndex()]
        return DrillWish(self._scenes[at][0], level, self.seed_box.value(), length_s)

    def surprise(self) -> None:
        """Draw a seed."""
        self.seed_box.setValue(random.SystemRandom().randint(1, MOST_SEED))

    def _lay_out(self, look: Look) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addWidget(label(_ABOUT, "muted", wrap=True))
        grid = line_grid()
        add_line(grid, tr("Scene"), self.scene_box)
        add_line(grid, tr("Level"), self.level_box)
        add_line(grid, tr("Length"), self.length_box, tr("Of the run; you choose its speed"))
        seed = beside(self.seed_box, self.surprise_button, stretch=(1, 0))
        tip = tr("The same seed gives the same faults at the same times: for comparing people")
        add_line(grid, tr("Seed"), seed, tip)
        self.seed_box.setAccessibleName(tr("Seed"))
        nest(column, grid)
        row = QHBoxLayout()
        row.addStretch(1)
        cancel, self.start_button = QPushButton(tr("Cancel")), QPushButton(tr("Start the drill"))
        self.start_button.setProperty("role", "primary")
        self.start_button.setDefault(True)
        self.start_button.setToolTip(tr("Opens the hall and begins (Enter)"))
        cancel.setToolTip(tr("Close without a drill (Esc)"))
        cancel.clicked.connect(self.reject)
        self.start_button.clicked.connect(self.accept)
        row.addWidget(cancel)
        row.addWidget(self.start_button)
        nest(column, row)

    def accept(self) -> None:
        """Start it."""
        wish = self.wish
        if wish is not None:
            super().accept()
            self.wanted.emit(wish)
