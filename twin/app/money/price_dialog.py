"""A price of one's own: low, likely and high, written into the scene as an edit."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLocale
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.form.lines import add_line, line_grid
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.theme import scaled
from twin.commands.place.properties import SetProperty
from twin.economics.price_book import PriceRange
from twin.language import tr

_WIDTH_PX = 420
STANDING_WORDS = {
    "published": tr("published"),
    "derived": tr("derived"),
    "fitted": tr("fitted"),
    "recalled": tr("from memory"),
    "estimated": tr("estimate"),
    "unverified": tr("unverified"),
    "scene": tr("own price"),
}


def price_text(price: float) -> str:
    """Return a price as it is typed.

    >>> price_text(27000.0), price_text(0.0825)
    ('27000', '0.0825')
    """
    return f"{price:.10g}"


def price_yaml(low: float, likely: float, high: float, unit: str) -> str:
    """Return a price as the file of a scene writes it.

    >>> price_yaml(1.0, 2.0, 3.0, "USD"), price_yaml(0.08, 0.08, 0.08, "")
    ('{low: 1, likely: 2, high: 3, currency: USD}', '{likely: 0.08}')
    """
    keys = [f"likely: {price_text(likely)}"]
    if low < likely or high > likely:
        keys = [f"low: {price_text(low)}", *keys, f"high: {price_text(high)}"]
    return "{" + ", ".join([*keys, *([f"currency: {unit}"] if unit else [])]) + "}"


class PriceDialog(QDialog):
    """Asks for a price; what is wrong stands below the fields, and nothing is done.

    Parameters
    ----------
    price
        As it is, with all that is in it.
    do
        Does an edit; returns whether it was done or is on its way.
    """

    def __init__(self, price: PriceRange, do: Callable[[SetProperty], bool], parent: QWidget) -> None:
        super().__init__(parent)
        self._price, self._do = price, do
        self.setWindowTitle(tr("Price"))
        self.setMinimumWidth(scaled(_WIDTH_PX))
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(label(price.title, "title", wrap=True))
        column.addWidget(label(_about(price), "muted", wrap=True))
        grid = line_grid()
        unit = price.unit or tr("share or years")
        self.fields = {key: QLineEdit(price_text(getattr(price, key))) for key in ("low", "likely", "high")}
        titles = {"low": tr("Low"), "likely": tr("Likely"), "high": tr("High")}
        tip = tr("In {unit}; all three alike: the price is certain", unit=unit)
        for key, field in self.fields.items():
            check = QDoubleValidator(0.0, 1e12, 12, field)
            check.setLocale(QLocale.c())
            field.setValidator(check)
            add_line(grid, f"{titles[key]} [{unit}]", field, tip)
        nest(column, grid)
        self.words = label("", "looking", wrap=True)
        self.words.hide()
        column.addWidget(self.words)
        buttons = QHBoxLayout()
        self.reset = QPushButton(tr("Back to the catalogue"))
        self.reset.setVisible(price.standing == "scene")
        self.reset.setAutoDefault(False)
        self.cancel, self.set_button = QPushButton(tr("Cancel")), QPushButton(tr("Set price"))
        self.cancel.setAutoDefault(False)
        self.set_button.setDefault(True)
        self.set_button.setProperty("role", "primary")
        buttons.addWidget(self.reset)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.set_button)
        nest(column, buttons)
        self.reset.clicked.connect(lambda: self._write(None))
        self.cancel.clicked.connect(self.reject)
        self.set_button.clicked.connect(self._set)
        self.fields["likely"].selectAll()
        self.fields["likely"].setFocus()

    def _set(self) -> None:
        try:
            low, likely, high = (float(field.text().replace(",", "")) for field in self.fields.values())
        except ValueError:
            self._refuse(tr("Give a number in each field, such as 27000."))
            return
        if not 0.0 <= low <= likely <= high:
            self._refuse(tr("Low, likely and high must rise from 0."))
            return
        self._write(price_yaml(low, likely, high, self._price.unit))

    def _write(self, value: str | None) -> None:
        if self._do(SetProperty(("",), f"prices[{self._price.id}]", value)):
            self.accept()
        else:
            self._refuse(tr("The scene cannot have this price; the status bar says why."))

    def _refuse(self, words: str) -> None:
        self.words.setText(words)
        self.words.show()


def _about(price: PriceRange) -> str:
    """Return where a price is from."""
    found = STANDING_WORDS.get(price.standing, price.standing)
    source = ", ".join(
        part for part in (price.source if price.standing != "scene" else "", price.date) if part
    )
    sentences = [f"{found[:1].upper()}{found[1:]}" + (f": {source}." if source else "."), price.note]
    return " ".join(sentence for sentence in sentences if sentence)
