"""Scale-up domains: nodes of 8 GPUs alone, trays of a rack together."""

from __future__ import annotations

import numpy as np
import pytest
from demo_scenes import nvl72_rows, scene, superpod

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.domains import scale_up_domains, scale_up_kind


def test_a_node_on_an_nvswitch_is_a_domain() -> None:
    plant = build(superpod(1))
    assert scale_up_domains(plant).tolist() == list(range(32))


def test_the_trays_of_an_nvl72_rack_are_one() -> None:
    plant = build(nvl72_rows(2, 4))
    domain = scale_up_domains(plant)
    np.testing.assert_array_equal(domain, plant.nodes.rack)
    gpus = np.bincount(domain, plant.nodes.gpu_count)
    assert set(gpus.tolist()) == {72}


def test_kinds_of_one_rack_are_domains_of_their_own() -> None:
    nodes = [{"part": "GB200-compute-tray", "count": 20}, {"part": "MI300X-8", "count": 2}]
    plant = build(
        scene(halls=[{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": 2, "nodes": nodes}}]}])
    )
    assert np.bincount(scale_up_domains(plant)).tolist() == [18, 2, 1, 1] * 2


def test_no_node_no_domain() -> None:
    assert len(scale_up_domains(build(scene(halls=[{"id": "hall"}])))) == 0


@pytest.mark.parametrize("part", load_catalog().ids("node"))
def test_every_node_of_the_catalogue_has_a_kind(part: str) -> None:
    node, kind = load_catalog().node(part), scale_up_kind(part)
    assert (kind == "NVL72") == (node.scale_up_gpus == 72)
    assert (kind == "xGMI mesh") == node.gpu.startswith("MI")
