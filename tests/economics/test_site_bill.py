"""What the bill of a site lists, and that nothing is on it twice."""

from __future__ import annotations

import numpy as np
import pytest

from tests.economics.hand_case import SITE, plant_of, scene
from twin.catalog import load_catalog
from twin.catalog.contents import price_with
from twin.economics.bill import Bill
from twin.economics.price_book import PriceBook, PriceError
from twin.economics.site_bill import bill_of, prices_of
from twin.scenario import Scenario, load, loads
from twin.scenario.schema.prices import ScenePrice

CATALOG = load_catalog()


def bill(scenario: Scenario) -> Bill:
    return bill_of(scenario, plant_of(scenario), CATALOG)


def test_each_piece_of_a_node_is_listed_once_with_its_own_price() -> None:
    found = bill(scene())
    counts = found.counts()
    assert counts["H100-SXM"] == 32
    assert (
        counts["DGX-H100"]
        == counts["Xeon-8480C"] / 2
        == counts["CX-7-400G"] / 8
        == counts["BF3-400G"] / 2
        == 4
    )
    assert counts["EIA-42U"] == 2
    assert counts["QM9700"] == 1
    assert counts["MMF-400G-SR4"] == 32
    assert counts["UPS-double-conversion-100"] == 2
    assert (counts["substation"], counts["grid-connection"]) == (100.0, 100.0)
    assert (counts["NVMe-U2-gen4"], counts["store-gb-s"]) == (3, 20)
    book = PriceBook(CATALOG, scene().prices)
    assert book.own("DGX-H100").likely == 300_000 - 8 * 30_000 - 2 * 5_000 - 8 * 2_000 - 2 * 3_000
    nodes = sum(
        book.own(entry).likely * counts[entry]
        for entry in ("H100-SXM", "DGX-H100", "Xeon-8480C", "CX-7-400G", "BF3-400G")
    )
    assert nodes == 4 * 300_000


def test_a_rack_sold_whole_costs_its_price_with_all_that_is_in_it() -> None:
    scenario = loads(
        """
format: twin/scenario
version: 3
catalog: "2026.11"
title: One NVL72
halls: [{id: hall, rows: [{id: gpu, racks: {count: 1, part: GB200-NVL72}}]}]
"""
    ).scenario
    found = bill(scenario)
    prices = {price.id: price.likely for price in prices_of(scenario, found, CATALOG)}
    whole = sum(prices[line.entry] * line.count for line in found.lines if line.group != "building")
    assert whole == pytest.approx(2_800_000, rel=1e-12)
    assert found.gpus == {"GB200-GPU": 72}
    assert "The scene has no power tree: its power chain and substation count as nothing." in found.notes


def test_contents_dearer_than_the_whole_are_refused() -> None:
    with pytest.raises(
        PriceError, match=r"DGX-H100 costs 100,000 USD.*259,800 USD; its price is with BF3-400G and"
    ):
        PriceBook(CATALOG, {"DGX-H100": ScenePrice(likely=100_000, currency="USD")}).own("DGX-H100")


def test_a_price_of_the_gpus_alone_changes_what_all_their_nodes_cost() -> None:
    listed, cheap = (
        PriceBook(CATALOG),
        PriceBook(CATALOG, {"H100-SXM": ScenePrice(likely=20_000, currency="USD")}),
    )
    assert cheap.own("DGX-H100") == listed.own("DGX-H100")
    assert cheap.own("H100-SXM").likely == 20_000
    node = PriceBook(CATALOG, {"DGX-H100": ScenePrice(likely=400_000, currency="USD")}).own("DGX-H100")
    assert node.likely == listed.own("DGX-H100").likely + 70_000
    rack = {"GB200-GPU": 30_000.0}
    assert price_with(CATALOG, "GB200-NVL72", rack) == 2_800_000 + 72 * 2_000


def test_absent_things_and_cables_split_among_ports_are_counted_as_they_are() -> None:
    whole = bill(scene())
    without = SITE.replace("rows:", "overrides: {gpu/0/1/0: {absent: true}}\n    rows:", 1)
    assert bill(scene(site=without)).gpu_count == 24
    assert whole.gpu_count == 32
    llama = load("builtin:llama3-16k").scenario
    plant, found = plant_of(llama), bill(llama).counts("cables")
    runs = plant.bundles.cables.sum()  # two of 400G in a cable of 800G, and a whole cable for an odd one
    assert runs // 2 < found["SMF-800G-2xDR4"] == 17_344
    odd = plant.bundles.cables % 2
    assert found["SMF-800G-2xDR4"] == runs // 2 + odd.sum() // 2
    whole_m = float(((plant.bundles.cables + odd) // 2 * plant.bundles.length_m).sum())
    assert found["fibre"] == pytest.approx(whole_m)


def test_lines_of_all_shipped_scenes_are_priced() -> None:
    for name in ("frontier", "hybrid-burst", "nvl72-row", "superpod-h100", "video-ingest"):
        scenario = load(f"builtin:{name}").scenario
        found = bill(scenario)
        prices = {price.id: price for price in prices_of(scenario, found, CATALOG)}
        assert all(line.count > 0 and line.entry in prices for line in found.lines)
        assert np.isfinite([line.count for line in found.lines]).all()
