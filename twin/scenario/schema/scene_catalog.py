"""The catalogue of a scene: shipped parts, and the own ones of its folder."""

from __future__ import annotations

from twin.catalog import Catalog
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.own_files import catalog_with


def catalog_of(scenario: Scenario) -> Catalog:
    """Return the catalogue of a scene; the shipped one, always the same, where it has no parts of its own."""
    return catalog_with(scenario.own_files)
