"""The row that asks for a climate: what is typed is a city, a state or a country, what comes of it a climate."""

from __future__ import annotations

from psygnal import Signal

from twin.app.form.field import Field, FieldState
from twin.app.form.places import PLACE_KEY, place_named
from twin.app.form.row import FieldRow
from twin.app.toolkit.look import Look
from twin.commands.edit.command import CommandError
from twin.language import tr

WHERE_IT_STANDS = Field(
    PLACE_KEY,
    tr("Where it stands"),
    tr("Climate of the scene: a city, state or country; its weather, time zone and typical year follow"),
    kind="place",
    optional=True,
)


class PlaceRow(FieldRow):
    """Refuses words that mean no place or several, and tells of the climate that is meant; "" is none."""

    chosen = Signal(str)
    refused = Signal()

    def __init__(self, look: Look, of: Field = WHERE_IT_STANDS) -> None:
        super().__init__(look, of)
        self.entered.connect(self._on_entered)

    def _on_entered(self, words: str | None) -> None:
        try:
            name = place_named(words) if words else ""
        except CommandError as wrong:
            self.refuse(str(wrong))
            self.refused.emit()
            return
        self.settle()
        self.show(FieldState(name, resettable=bool(name)))
        self.chosen.emit(name)
