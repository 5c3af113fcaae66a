"""A site small enough to be reckoned by hand, and its books."""

from __future__ import annotations

from functools import lru_cache

from twin.api.cost import of_scene
from twin.catalog import load_catalog
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario import Scenario, loads

SITE = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: Two racks of four nodes
site:
  grid: {price: 0.10 USD/kWh}
halls:
  - id: hall
    rows:
      - {id: gpu, racks: {count: 2, part: EIA-42U, nodes: [{part: DGX-H100, count: 2}]}}
fabrics:
  - {id: ib, kind: single-switch, rows: [gpu], leaf: {part: QM9700, racks: gpu}}
power:
  - {id: utility, kind: utility, capacity: 100 kW}
  - {id: ups, kind: ups, part: UPS-double-conversion-100, from: utility, feeds: [gpu], units: 2, needed: 1}
storage:
  - {id: pfs, part: NVMe-U2-gen4, count: 3}
  - {id: own, read: 20 GB/s, write: 10 GB/s}
  - {id: local, kind: nvme, read: 20 GB/s, write: 10 GB/s}
"""
PRICES = """
prices:
  H100-SXM: 30000 USD
  DGX-H100: 300000 USD
  Xeon-8480C: 5000 USD
  CX-7-400G: 2000 USD
  BF3-400G: 3000 USD
"""
ALL_RACKS = """
  EIA-42U: 4000 USD
  QM9700: 40000 USD
  MMF-400G-SR4: 1000 USD
  fibre: 0 USD
  NVMe-U2-gen4: 500 USD
  store-gb-s: 6000 USD
  UPS-double-conversion-100: 30000 USD
  substation: 200 USD
  grid-connection: 100 USD
  land: 10 USD
  shell: 2000 USD
  site-works: 0 USD
  white-space: 0 USD
  other-construction: 0 USD
  installation: 50 %
  it-installation: 2 %
  soft-cost: 10 %
  contingency: 5 %
  interest: 10 %
  life-it: 5
  life-mep: 15
  life-shell: 30
  residual-it: 0
  residual-mep: 0
  residual-shell: 0
  it-support: 3 %
  mep-maintenance: 2 %
  insurance: 1 %
  tax: 0
  staff: 100000 USD
  energy-price: 100 %
  demand-charge: 10 USD
  water: 0 USD
  rent: 2 USD
  sold: 100 %
"""


def scene(more: str = PRICES, site: str = SITE) -> Scenario:
    """Return the site with prices of its own."""
    return loads(site + more).scenario


@lru_cache(maxsize=8)
def books(
    more: str = PRICES + ALL_RACKS, samples: int = 200, years: int = 5, colocated: bool = False
) -> SiteBooks:
    """Return the books of the site."""
    return of_scene(scene(more), Plan(years, colocated=colocated, load=0.5), samples, 1)


def plant_of(scenario: Scenario) -> Plant:
    """Return the plant of a site."""
    return build(scenario, load_catalog())
