"""Prices of one scene: those of the catalogue, its own before them, and what a part costs without its contents.

The price of a node contains its GPUs, CPUs and NICs, that of a rack sold whole its trays, switches and shelves. A line
of the bill is one piece of them, so a part that holds others has its price less theirs: its chassis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from twin.catalog import Catalog, Part, RackPart
from twin.catalog.contents import contents, price_with
from twin.catalog.price_parts import PricePart
from twin.scenario.schema.prices import ScenePrice

CABINET = "EIA-48U"
"""Part that a rack without a part, or one that nobody sells whole, is priced as."""
_MOVES_WITH = {
    "gpu": "compute",
    "cpu": "compute",
    "node": "compute",
    "rack": "compute",
    "nic": "network",
    "switch": "network",
    "cable": "network",
    "storage": "storage",
    "cdu": "cooling",
    "crah": "cooling",
    "rdhx": "cooling",
    "tank": "cooling",
    "chiller": "cooling",
    "dry_cooler": "cooling",
    "cooling_tower": "cooling",
}
"""Prices of parts that rise and fall together; all others are of power."""


class PriceError(ValueError):
    """Prices that cannot be: one sentence that says which, and what would be right."""


@dataclass(frozen=True)
class PriceRange:
    """One price of the books.

    Parameters
    ----------
    id
        Of a part, or of an entry of the catalogue's prices.
    title
        For people.
    moves_with
        Group of prices that rise and fall together.
    low, likely, high
        In `unit`, rising.
    unit
        "USD", or "" for a share or a number of years.
    date
        Year and month it holds for; "": of a scene.
    standing
        published, derived, recalled, estimated, or scene: its owner says so.
    source, note
        Where it is from, and its reasoning.
    """

    id: str
    title: str
    moves_with: str
    low: float
    likely: float
    high: float
    unit: str
    date: str
    standing: str
    source: str
    note: str = ""

    @property
    def is_estimate(self) -> bool:
        """Return whether nobody has published it."""
        return self.standing in ("recalled", "estimated", "unverified")

    def scaled_to(self, likely: float, title: str) -> PriceRange:
        """Return the price of a piece of it, as wide as the whole in proportion."""
        factor = likely / self.likely if self.likely else 0.0
        return replace(self, title=title, low=self.low * factor, likely=likely, high=self.high * factor)


class PriceBook:
    """Prices by id.

    Parameters
    ----------
    catalog
        Parts and prices with their ranges.
    own
        What the scene says itself.
    """

    def __init__(self, catalog: Catalog, own: Mapping[str, ScenePrice] | None = None) -> None:
        self._catalog = catalog
        self._own = own or {}
        self._likely = {name: price.likely for name, price in self._own.items()}

    def __contains__(self, id: object) -> bool:
        return (
            isinstance(id, str) and id in self._catalog and (id in self._own or self._listed(id) is not None)
        )

    def whole(self, id: str) -> PriceRange:
        """Return the price of something with its contents.

        Raises
        ------
        PriceError
            When neither catalogue nor scene has one.
        UnknownPart
            When the catalogue has no such part.
        """
        listed, own = self._listed(id), self._own.get(id)
        part = self._catalog.part(id)
        if own is None:
            if listed is None:
                raise PriceError(f"{id} has no price; give one in the scene: prices: {{{id}: 1000 USD}}")
            return listed
        return PriceRange(
            id,
            part.title,
            _moves_with(part),
            own.likely if own.low is None else own.low,
            own.likely,
            own.likely if own.high is None else own.high,
            own.currency or "",
            "",
            "scene",
            "the scene",
        )

    def own(self, id: str) -> PriceRange:
        """Return the price of something without what the bill lists by itself.

        What the scene says of the contents alone changes nothing of it: the whole costs more or less with them.

        Raises
        ------
        PriceError
            As `whole`, and when its contents cost more than it does.
        """
        part = self._catalog.part(id)
        whole, inside = self.whole(id), contents(part)
        if not inside:
            return whole
        told = self._likely if id in self._own else {}
        within = sum(price_with(self._catalog, name, told) * count for name, count in inside.items())
        if within > whole.likely:
            raise PriceError(
                f"prices: {id} costs {whole.likely:,.0f} USD, and what is in it {within:,.0f} USD; "
                f"its price is with {' and '.join(sorted(inside))}"
            )
        return whole.scaled_to(whole.likely - within, f"{part.title}, without what is listed by itself")

    def _listed(self, id: str) -> PriceRange | None:
        """Return the price of the catalogue; None without one."""
        part = self._catalog.part(id)
        key = part.value_key if isinstance(part, PricePart) else "price_usd"
        if getattr(part, key) is None:
            return None
        figure = self._catalog.provenance(id, key)
        low = figure.value if figure.low is None else figure.low
        high = figure.value if figure.high is None else figure.high
        unit = "USD" if key == "price_usd" else ""
        return PriceRange(
            id,
            part.title,
            _moves_with(part),
            low,
            figure.value,
            high,
            unit,
            figure.date,
            figure.status,
            figure.citation,
            figure.note,
        )


def sold_whole(book: PriceBook, part: RackPart) -> bool:
    """Return whether a rack has a price with all that is in it."""
    return bool(part.layout) and part.id in book


def _moves_with(part: Part) -> str:
    return part.moves_with if isinstance(part, PricePart) else _MOVES_WITH.get(part.KIND, "power")
