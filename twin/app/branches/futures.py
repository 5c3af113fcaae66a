"""Over how many futures a what-if is answered: the one of the run, or as many as are drawn of its past."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_USUAL, _LEAST, _MOST = 20, 2, 1000


class FuturesField(QWidget):
    """A box to tick, and a number of seeds."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Number of futures"))
        self.box = QCheckBox(tr("over"))
        self.box.setAccessibleName(tr("Over several futures"))
        tip = tr(
            "Each seed gives other random draws after the branch time, the same for both; each difference then has a "
            "confidence interval"
        )
        self.count = CountBox(_LEAST, _MOST, doubles=False)
        self.count.setValue(_USUAL)
        self.count.setSuffix(tr(" seeds"))
        self.count.setAccessibleName(tr("Number of seeds"))
        self.count.setEnabled(False)
        self.box.toggled.connect(self.count.setEnabled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.box, self.count):
            widget.setToolTip(plain_tip(tip))
            row.addWidget(widget)
        row.addStretch(1)

    @property
    def seeds(self) -> int:
        """Return how many futures; 1: the one of the run."""
        return self.count.value() if self.box.isChecked() else 1
