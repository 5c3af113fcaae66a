"""Where the selection is in the hall: its row, rack, node and GPU as buttons, each a step back up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import clear
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.plant.find import find, holders, row_name
from twin.plant.tables import Plant

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
        self.setAccessibleName(tr("Where the selection is"))
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
        clear(self._row)
        for number, id in enumerate(ids):
            if number:
                self._row.addWidget(label(_BETWEEN, "muted"))
            assert plant is not None
            self._row.addWidget(self._button(_title(plant, ids[number - 1] if number else "", id), id))

    def _button(self, title: str, id: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setText(title)
        button.setAccessibleName(tr("Select {id}", id=id))
        button.setToolTip(plain_tip(tr("Selects {id} and flies there", id=id)))
        button.clicked.connect(partial(self._go, id))
        return button


def _title(plant: Plant, outer: str, id: str) -> str:
    """Return what a step of the way is called, without what stands before it."""
    kind, slot = find(plant, id) or ("", -1)
    if kind == "row":
        return row_name(plant, slot)
    return f"{'GPU' if kind == 'gpu' else kind} {id.removeprefix(f'{outer}/')}"
