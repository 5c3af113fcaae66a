"""Where the selection is in the hall: its row, rack, node and GPU as buttons, each a step back up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from twin.app.toolkit.look import label
from twin.plant.find import find, holders
from twin.plant.tables import Plant

_KINDS = {"row": "Row", "gpu": "GPU"}
_BETWEEN = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


class Crumbs(QWidget):
    """The way down to what is selected; a click selects what is on it.

    Parameters
    ----------
    go
        Selects and shows a thing.
    """

    def __init__(self, go: Callable[[str], None]) -> None:
        super().__init__()
        self._go = go
        self._shown: tuple[str, ...] = ()
        self.setAccessibleName("Where the selection is")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(5)

    @property
    def ids(self) -> tuple[str, ...]:
        """Return what stands on the way, the outermost first."""
        return self._shown

    def show_way(self, plant: Plant | None, selection: tuple[str, ...]) -> None:
        """Show the way to a single thing; nothing for several, or for what nothing holds."""
        ids: tuple[str, ...] = ()
        if plant is not None and len(selection) == 1 and find(plant, selection[0]) is not None:
            outer = holders(plant, selection[0])
            ids = (*outer, selection[0]) if outer else ()
        if ids == self._shown:
            return
        self._shown = ids
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, id in enumerate(ids):
            if number:
                self._row.addWidget(label(_BETWEEN, "muted"))
            kind = (find(plant, id) or ("", 0))[0] if plant is not None else ""
            self._row.addWidget(self._button(_KINDS.get(kind, kind), ids[number - 1] if number else "", id))

    def _button(self, kind: str, outer: str, id: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setText(f"{kind} {id.removeprefix(f'{outer}/') if outer else id}")
        button.setAccessibleName(f"Select {id}")
        button.setToolTip(f"Selects {id} and flies there")
        button.clicked.connect(partial(self._go, id))
        return button
