"""Rented nodes in a scene: what is refused, with file, line, key and reason; series of prices beside the scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin import scenario
from twin.catalog import load_catalog
from twin.scenario.generators.rented import series_of, shapes_of, terms_of
from twin.scenario.text.problem import ScenarioError

SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: rented
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {count: 4, nodes: [{part: DGX-H100, count: 1}]}
rentals:
  - id: spot
"""


def scene(tmp_path: Path, rental: str) -> scenario.Document:
    path = tmp_path / "rented.twin.yaml"
    path.write_text(SCENE + "".join(f"    {line}\n" for line in rental.splitlines()))
    return scenario.load(path)


@pytest.mark.parametrize(
    ("rental", "key", "words"),
    [
        ("terms: spot\nshape: aws-p6", "rentals[spot].shape", "is no shape of a cloud"),
        (
            "terms: spot\nshape: aws-p5\nreclaim: 1 /min\nnotice: 2 min",
            "rentals[spot].notice",
            "is longer than the mean time between reclaims",
        ),
        ("price: -2 USD/h", "rentals[spot].price", "at least 0"),
        ("host_prices: [2 USD/h, -1 USD/h]", "rentals[spot].host_prices", "must not be negative"),
        ("price: 2", "rentals[spot].price", "needed"),
        ("members: [gpu/9]\nprice: 2 USD/h", "rentals[spot].members[0]", "does not exist"),
        ("shape: neocloud-b200", "rentals[spot].shape", "has B200-SXM, the nodes have H100-SXM"),
        ("terms: spot\nprice: 2 USD/h", "rentals[spot]", "no rate of reclaims"),
        ("title: hosts", "rentals[spot]", "neither a shape nor a price"),
        ("notice: 30 s\nprice: 2 USD/h", "rentals[spot]", "only spot and marketplace are reclaimed"),
        ("terms: spot\nprice: 2 USD/h\nup: 1 day\nreclaim: 1 /day", "rentals[spot]", "say the same"),
        ("file: none.csv", "rentals[spot].file", ""),
    ],
)
def test_bad_input_is_refused_at_its_line(tmp_path: Path, rental: str, key: str, words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        scene(tmp_path, rental)
    problem = refused.value.problems[0]
    assert problem.key == key
    assert words in problem.reason + problem.hint
    assert problem.file.endswith("rented.twin.yaml")
    assert problem.line > SCENE.count("\n") - 1


def test_a_node_is_rented_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.twin.yaml"
    more = "    price: 2 USD/h\n  - id: more\n    members: [gpu/0/1]\n    price: 1 USD/h\n"
    path.write_text(SCENE + more)
    with pytest.raises(ScenarioError, match="which spot rents already"):
        scenario.load(path)


def test_shapes_are_whole() -> None:
    assert shapes_of([8, 8, 8], 8) == [0, 1, 2]
    assert shapes_of([4] * 36, 72) == [0] * 18 + [1] * 18
    assert shapes_of([8, 4], None) == [0, 1]


def test_terms_come_from_the_catalogue_unless_the_scene_says_them(tmp_path: Path) -> None:
    catalog = load_catalog()
    listed = scene(tmp_path, "terms: spot\nshape: aws-p5").scenario.rentals[0]
    terms = terms_of(listed, 4, catalog)
    assert terms.price_usd_s * 3600 == pytest.approx(55.04 / 8 * 0.3)
    assert terms.notice_s == 120.0
    assert terms.reclaim_per_s == pytest.approx(0.1 / 86400)
    assert terms.low < 1.0 < terms.high
    gang = scene(tmp_path, "terms: spot\nshape: aws-p5\nreclaim: 4 /day\nper: gang").scenario.rentals[0]
    assert terms_of(gang, 4, catalog).reclaim_per_s == pytest.approx(1.0 / 86400)
    host = scene(tmp_path, "terms: marketplace\nup: 3 day\naway: 6 h\nprice: 1.9 USD/h").scenario.rentals[0]
    assert terms_of(host, 4, catalog).reclaim_per_s == pytest.approx(1.0 / (3 * 86400))


def test_a_price_by_the_hour_is_read_from_a_file_beside_the_scene(tmp_path: Path) -> None:
    hours = 1.0 + 0.001 * np.arange(8760)
    (tmp_path / "spot.csv").write_text("price [USD/h]\n" + "\n".join(f"{price:.3f}" for price in hours))
    rental = scene(tmp_path, "file: spot.csv").scenario.rentals[0]
    read = series_of(rental)
    assert read is not None
    np.testing.assert_allclose(read * 3600, hours, atol=1e-5)
    (tmp_path / "spot.csv").write_text("price [USD/h]\n" + "-1\n" * 8760)
    with pytest.raises(ScenarioError, match=r"spot\.csv.*must be from"):
        scene(tmp_path, "file: spot.csv")
