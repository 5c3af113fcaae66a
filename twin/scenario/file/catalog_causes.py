"""Causes of failure that a scene takes from the catalogue, as its own: runs and run files need no catalogue."""

from __future__ import annotations

from functools import lru_cache

from twin.catalog import Catalog, CausePart, load_catalog
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause

STANDINGS = {
    "published": "published count",
    "derived": "calculated from a published count",
    "recalled": "recalled, to be checked",
    "estimated": "estimated",
}
"""What the standing of a rate says to people."""


def with_catalog_causes(scenario: Scenario) -> Scenario:
    """Return the scene with the causes of the catalogue after its own; one of its own with the same id replaces it."""
    failures = scenario.failures
    if failures.rates != "catalog":
        return scenario
    own = {cause.id for cause in failures.causes}
    taken = tuple(cause for cause in catalog_causes() if cause.id not in own)
    if not taken:
        return scenario
    changed = failures.model_copy(update={"causes": (*failures.causes, *taken)})
    return scenario.model_copy(update={"failures": changed})


def with_rates_switched(before: Scenario, after: Scenario) -> Scenario:
    """Return a scenario without text whose `failures.rates` may have been changed, with the causes that go with it."""
    if before.failures.rates == "catalog" != after.failures.rates:
        own = tuple(cause for cause in after.failures.causes if cause not in catalog_causes())
        return after.model_copy(update={"failures": after.failures.model_copy(update={"causes": own})})
    return with_catalog_causes(after)


def catalog_causes() -> tuple[Cause, ...]:
    """Return the causes of the shipped catalogue."""
    return _causes_of(load_catalog())


@lru_cache(maxsize=2)
def _causes_of(catalog: Catalog) -> tuple[Cause, ...]:
    return tuple(_cause(part, catalog) for part in catalog.causes)


def _cause(part: CausePart, catalog: Catalog) -> Cause:
    figure = catalog.provenance(part.id, "rate_per_s")
    return Cause.model_validate(
        {
            "id": part.id,
            "rate": part.rate_per_s,
            "on": part.on,
            "each": part.each,
            "repair": part.repair,
            "detection": part.detection,
            "effect": part.effect,
            "planned": part.planned,
            "source": f"{part.title}: {STANDINGS[figure.status]}; {figure.citation}",
        }
    )
