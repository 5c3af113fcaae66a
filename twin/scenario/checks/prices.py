"""Checks of the prices of a scene: each is one of the catalogue, in its currency, rising, and possible."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, CausePart, TechnologyPart
from twin.catalog.contents import contents, price_with
from twin.catalog.machine_failure import MachineFailurePart
from twin.catalog.price_parts import PricePart
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.prices import ScenePrice
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_NOT_BOUGHT = (CausePart, MachineFailurePart, TechnologyPart)
_NOUNS = {"share": "share", "years": "number of years", "carbon_kg": "mass in kg"}
MOST_SHARE = 1.0
MOST_FACTOR = 100.0
"""Of the price of energy over that of the scene."""
LEAST_YEARS, MOST_YEARS = 0.5, 100.0


def prices(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what is wrong with the prices of a scene."""
    yield from _too_little(scenario, catalog)
    for name, price in scenario.prices.items():
        at: Path = ("prices", name)
        part = catalog.part(name) if name in catalog else None
        if part is None or isinstance(part, _NOT_BOUGHT):
            known = [entry.id for entry in catalog if not isinstance(entry, _NOT_BOUGHT)]
            near = nearest(name, known)
            hint = (
                f"did you mean {near!r}?"
                if near
                else "twin catalog list prices shows what has one beside parts"
            )
            yield at, "is no part and no price of the catalogue", hint
            continue
        yield from _range(at, price)
        key = part.value_key if isinstance(part, PricePart) else "price_usd"
        if key == "price_usd":
            if price.currency is None:
                yield at, "has no currency", "write currency: USD, or the figure as 250000 USD"
        elif price.currency is not None:
            noun = _NOUNS[key]
            yield (*at, "currency"), f"does not fit: {name} is a {noun}", "leave it out"
        elif key == "share":
            yield from _share(at, name, price)
        elif key == "years" and (
            not LEAST_YEARS
            <= (price.low or price.likely)
            <= max(price.likely, price.high or 0.0)
            <= MOST_YEARS
        ):
            yield at, f"is no number of years from {LEAST_YEARS:g} to {MOST_YEARS:g}", ""


def _too_little(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield nodes and racks of which the scene gives a price that is less than that of what is in them."""
    own = {name: price.likely for name, price in scenario.prices.items()}
    for name, whole in own.items():
        inside = contents(catalog.part(name)) if name in catalog else {}
        within = sum(price_with(catalog, part, own) * count for part, count in inside.items())
        if within > whole:
            reason = f"is less than what is in it costs, {within:,.0f} USD"
            yield ("prices", name), reason, f"a price of {name} is with {' and '.join(sorted(inside))}"


def _range(at: Path, price: ScenePrice) -> Iterator[Wrong]:
    low = price.likely if price.low is None else price.low
    high = price.likely if price.high is None else price.high
    if not low <= price.likely <= high:
        yield (
            at,
            f"does not rise: low {low:g}, likely {price.likely:g}, high {high:g}",
            "low <= likely <= high",
        )


def _share(at: Path, name: str, price: ScenePrice) -> Iterator[Wrong]:
    highest = max(price.likely, price.high or 0.0)
    if name.startswith("residual") and highest > MOST_SHARE:
        yield at, f"is above the capital: {100 * highest:g} % of it", "give 0 to 100 %"
    elif highest > (MOST_FACTOR if name == "energy-price" else MOST_SHARE):
        yield at, f"is out of range: {100 * highest:g} %", "give 0 to 100 %"
