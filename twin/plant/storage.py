"""Stores, and the boxes they put into storage racks."""

from __future__ import annotations

import math

import numpy as np

from twin.catalog import Catalog
from twin.plant.error import PlantError
from twin.plant.layout import Layout
from twin.plant.tables import FixtureKind, Fixtures, Stores
from twin.scenario.document import Scenario

FIRST_U = 4
"""Lowest unit of the lowest storage box of a rack."""


def connect_storage(scenario: Scenario, catalog: Catalog, layout: Layout) -> Stores:
    """Return the stores, and add their boxes to the fixtures of their racks, in place.

    Raises
    ------
    PlantError
        When a store names a row generator that does not exist.
    UnknownPart
        When the catalogue lacks a part.
    """
    racks, units, heights = [layout.fixtures.rack], [layout.fixtures.u], [layout.fixtures.height_u]
    kinds = [layout.fixtures.kind]
    reads, writes, first_racks = [], [], []
    for store in scenario.storage:
        part = catalog.storage(store.part) if store.part is not None else None
        reads.append((store.read_bytes_s or (part.read_bytes_s if part else math.nan)) * store.count)
        writes.append((store.write_bytes_s or (part.write_bytes_s if part else math.nan)) * store.count)
        first_racks.append(-1)
        if store.racks is None:
            continue
        home = layout.generator_racks.get(store.racks)
        if home is None:
            raise PlantError(f"store {store.id!r}: no row generator is called {store.racks!r}")
        first_racks[-1] = int(home[0])
        height_u = max(1, round(part.height_u or 2)) if part is not None else 2
        rack = home[np.arange(store.count) * len(home) // store.count]
        nth = np.arange(store.count) - np.searchsorted(rack, rack)
        u = FIRST_U + nth * height_u
        fits = u + height_u - 1 <= layout.racks.units_u[rack]
        racks.append(rack[fits])
        units.append(u[fits].astype(np.int32))
        heights.append(np.full(int(fits.sum()), height_u, np.int32))
        kinds.append(np.full(int(fits.sum()), FixtureKind.STORAGE, np.int32))
    layout.fixtures = Fixtures(
        np.concatenate(racks).astype(np.int32),
        np.concatenate(units).astype(np.int32),
        np.concatenate(heights).astype(np.int32),
        np.concatenate(kinds).astype(np.int32),
    )
    return Stores(
        ids=[store.id for store in scenario.storage],
        part=[store.part or "" for store in scenario.storage],
        count=np.array([store.count for store in scenario.storage], np.int32),
        read_bytes_s=np.array(reads, np.float64),
        write_bytes_s=np.array(writes, np.float64),
        rack=np.array(first_racks, np.int32),
    )
