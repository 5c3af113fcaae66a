"""Power of nodes by part: it adds up to what the node draws, grows with the load, and tanks have no fans."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.physics.flow_laws import HostParts, NodePower
from twin.planning.job.job_power import besides_gpus, power_by_part

CATALOG = load_catalog()
NODES = CATALOG.ids("node")
BARE = NodePower(idle_w=200.0, full_w=600.0, peak_w=900.0, fans_w=0.0, idle_share=0.1)


@pytest.mark.parametrize("name", NODES)
@pytest.mark.parametrize("at_peak", [False, True])
@pytest.mark.parametrize("in_tank", [False, True])
def test_the_parts_add_up_and_none_falls_with_the_load(name: str, at_peak: bool, in_tank: bool) -> None:
    node = CATALOG.node(name)
    whole = besides_gpus(node, CATALOG.gpu(node.gpu))
    whole = whole.without_fans() if in_tank else whole
    for inlet_c in (20.0, 40.0, 55.0):
        before = dict.fromkeys(("gpus", "cpus", "cards", "rest"), 0.0)
        for driven in (0.0, 0.3, 0.7, 1.0):
            shares = power_by_part(CATALOG, node, driven, inlet_c=inlet_c, at_peak=at_peak, in_tank=in_tank)
            power_w = {share.part: share.power_w for share in shares}
            gpus_w = power_w["gpus"]
            assert sum(power_w.values()) - gpus_w == pytest.approx(
                float(whole.power_w(driven, inlet_c, at_peak)), abs=1e-6
            )
            assert min(power_w.values()) >= -1e-9
            assert all(power_w[part] >= before[part] - 1e-9 for part in before)
            assert power_w["fans"] == pytest.approx(0.0, abs=1e-9) or (node.fans_w and not in_tank)
            before = {part: power_w[part] for part in before}


def test_processors_go_half_the_way_cards_stay_and_the_rest_is_what_is_left() -> None:
    host = HostParts(cpu_idle_w=50.0, cpu_full_w=250.0, cards_w=100.0)
    assert [float(part) for part in BARE.by_part(host, 0.0)] == [50.0, 100.0, 0.0, 50.0]
    assert [float(part) for part in BARE.by_part(host, 1.0)] == [150.0, 100.0, 0.0, 350.0]
    assert [float(part) for part in BARE.by_part(host, 1.0, at_peak=True)] == [250.0, 100.0, 0.0, 550.0]


def test_parts_take_no_more_than_the_node_has() -> None:
    host = HostParts(cpu_idle_w=150.0, cpu_full_w=1150.0, cards_w=300.0)
    assert [float(part) for part in BARE.by_part(host, 0.0)] == [150.0, 50.0, 0.0, 0.0]
    assert [float(part) for part in BARE.by_part(host, 1.0)] == [550.0, 50.0, 0.0, 0.0]


def test_a_part_without_a_figure_is_in_the_rest() -> None:
    assert [float(part) for part in BARE.by_part(HostParts(0.0, 0.0, 0.0), 0.5)] == [0.0, 0.0, 0.0, 400.0]


def test_fans_give_way_at_the_nameplate() -> None:
    node = NodePower(idle_w=1264.0, full_w=2800.0, peak_w=4600.0, fans_w=1250.0, idle_share=92 / 700)
    parts = node.by_part(HostParts(200.0, 700.0, 400.0), 1.0, 50.0, at_peak=True)
    assert float(sum(parts)) == pytest.approx(4600.0)
    assert float(parts.fans_w) == pytest.approx(1250.0)


def test_a_dgx_h100_at_full_load_is_within_what_was_measured_in_training() -> None:
    shares = power_by_part(CATALOG, CATALOG.node("DGX-H100"), 1.0)
    assert {share.part: round(share.power_w) for share in shares} == {
        "gpus": 5600, "cpus": 450, "cards": 400, "fans": 1250, "rest": 700
    }  # fmt: skip
    assert (
        6000 <= sum(share.power_w for share in shares) <= 8500
    )  # tests/reference/facility.yaml, Latif et al.
    assert sum(
        share.power_w for share in power_by_part(CATALOG, CATALOG.node("DGX-H100"), 1.0, at_peak=True)
    ) == (pytest.approx(10200.0))
    assert {share.part: share.status for share in shares}["cpus"] == "estimated"
