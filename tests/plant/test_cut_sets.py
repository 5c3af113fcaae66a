"""Cut sets against hand cases, and against what `dependencies` says of every pair of failures."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from test_blast import TWO_N, fed

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.cut_sets import COMMON_GRID, COMMON_START, CutSet, cuts_of, minimal, together
from twin.plant.dependencies import _supply, house_supply, live_items
from twin.plant.facility_machines import FacilityMachine, facility_machines, without_rate
from twin.plant.tables import Plant
from twin.scenario import read_scenario


def named(plant: Plant, machines: list[FacilityMachine], cut: CutSet) -> frozenset[str]:
    """Return the members of a set as words: what fails, and of which item."""
    common = {COMMON_START: "starts", COMMON_GRID: "grids"}
    tables = {"power": plant.power.ids, "loop": plant.loops.ids, "plant": plant.plants.ids}
    return frozenset(
        common[place]
        if place < 0
        else f"{machines[place].rate} {tables[machines[place].kind][machines[place].slot]}"
        for place in cut.members
    )
