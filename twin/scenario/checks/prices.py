"""Checks of the prices of a scene: each is one of the catalogue, in its currency, rising, and possible."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, CausePart, Part, TechnologyPart
from twin.catalog.contents import contents
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
    yield from too_little(scenario, catalog)
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


def too_little(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield nodes and racks of a scene that cost less than what is in them, at its own prices."""
    own = {name: price.likely for name, price in scenario.prices.items()}
    if not own:
        return

    def likely(name: str) -> float | None:
        return own.get(name, catalog.part(name).price_usd)

    for part in _holders(scenario, catalog):
        whole, inside = likely(part.id), contents(part)
        to_blame = [name for name in (part.id, *inside) if name in own]
        within = sum((likely(name) or 0.0) * count for name, count in inside.items())
        if whole is not None and to_blame and within > whole:
            reason = f"makes {part.id} cost less than what is in it: {whole:,.0f} of {within:,.0f} USD"
            dearest = max(to_blame, key=lambda name: own[name] * max(1, inside[name]))
            yield ("prices", dearest), reason, f"give a price of {part.id} with its contents too"


def _holders(scenario: Scenario, catalog: Catalog) -> list[Part]:
    """Return the nodes and racks of a scene."""
    named: set[str] = set()
    for hall in scenario.halls:
        for rows in hall.rows:
            named |= {group.part for group in rows.racks.nodes} | {rows.racks.part or ""}
        named |= {override.part or "" for override in hall.overrides.values()}
    parts = [catalog.part(name) for name in sorted(named - {""})]
    inner = [catalog.part(name) for part in parts for name in contents(part) if contents(catalog.part(name))]
    return list(dict.fromkeys([*parts, *inner]))


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
