"""Stores, and the boxes they put into storage racks."""

from __future__ import annotations

import math

import numpy as np

from twin.catalog import Catalog
from twin.plant.error import PlantError
from twin.plant.layout import Layout
from twin.plant.tables import FixtureKind, Fixtures, Stores
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.systems import Storage

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
    first_racks = []
    for store in scenario.storage:
        part = catalog.storage(store.part) if store.part is not None else None
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
    return _stores(scenario, catalog, first_racks)


def _stores(scenario: Scenario, catalog: Catalog, racks: list[int]) -> Stores:
    """Return the table of stores: figures of the scenario before those of its part."""
    ids = [store.id for store in scenario.storage]
    filled_from = {store.backs: store.id for store in scenario.storage if store.backs is not None}
    tiers, rows = [], []
    for store in scenario.storage:
        part = catalog.storage(store.part) if store.part is not None else None
        tiers.append(store.kind or (part.tier if part else "parallel"))
        left = 1.0 - store.encryption_cost if store.encrypted else 1.0  # what ciphers leave of the bandwidth
        read = left * (store.read_bytes_s or (part.read_bytes_s if part else math.nan))
        write = left * (store.write_bytes_s or (part.write_bytes_s if part else math.nan))
        operations = store.operations_s or (part.random_read_per_s if part else None) or math.inf
        capacity = store.capacity_bytes or (part.capacity_bytes if part else None) or math.inf
        rows.append([figure * store.count for figure in (read, write, operations, capacity)])
    figures = np.array(rows, np.float64).reshape(-1, 4)
    return Stores(
        ids=ids,
        part=[store.part or "" for store in scenario.storage],
        tier=tiers,
        count=np.array([store.count for store in scenario.storage], np.int32),
        read_bytes_s=figures[:, 0],
        write_bytes_s=figures[:, 1],
        operations_s=figures[:, 2],
        capacity_bytes=figures[:, 3],
        first_byte_s=np.array([_first_byte_s(store, catalog) for store in scenario.storage], np.float64),
        behind=np.array([ids.index(filled_from[id]) if id in filled_from else -1 for id in ids], np.int32),
        rack=np.array(racks, np.int32),
    )


def _first_byte_s(store: Storage, catalog: Catalog) -> float:
    if store.first_byte_s is not None:
        return store.first_byte_s
    return (catalog.storage(store.part).first_byte_s if store.part is not None else None) or 0.0
