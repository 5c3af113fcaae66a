"""Technologies of scale-out networks: what the shipped ones say, and what makes no sense."""

from __future__ import annotations

import pytest

from twin import resources
from twin.catalog import (
    CatalogError,
    CatalogFinding,
    UnknownPart,
    catalog_from_texts,
    check,
    load_catalog,
    show_rows,
)


def shipped_with(old: str, new: str) -> dict[str, str]:
    """Return the shipped catalogue with one text replaced in its network file."""
    folder = resources.folder("assets") / "catalog"
    texts = {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir()}
    assert old in texts["network.yaml"]
    return texts | {"network.yaml": texts["network.yaml"].replace(old, new, 1)}


def found(old: str, new: str) -> set[tuple[str, str]]:
    """Return part and key of the errors in the changed catalogue."""
    findings: list[CatalogFinding] = check(catalog_from_texts(shipped_with(old, new)))
    return {(one.part, one.key) for one in findings if one.severity == "error"}


def test_the_technologies_of_the_scenes_are_there() -> None:
    assert set(load_catalog().ids("technology")) == {
        "InfiniBand-HDR",
        "InfiniBand-NDR",
        "InfiniBand-XDR",
        "RoCE-400",
        "RoCE-800",
        "Ethernet-TCP",
    }


def test_infiniband_is_the_reference() -> None:
    catalog = load_catalog()
    for name in ("InfiniBand-HDR", "InfiniBand-NDR", "InfiniBand-XDR"):
        one = catalog.technology(name)
        assert (one.efficiency, one.hop_extra_s, one.rdma, one.routing) == (1.0, 0.0, True, "adaptive")


def test_plain_ethernet_is_slower_in_every_way_and_says_from_what_it_is_derived() -> None:
    catalog = load_catalog()
    tcp, roce = catalog.technology("Ethernet-TCP"), catalog.technology("RoCE-400")
    assert tcp.rdma is False
    assert tcp.efficiency < 0.5 < 0.9 < roce.efficiency <= 1
    assert tcp.hop_extra_s > 10 * roce.hop_extra_s > 0
    assert tcp.line_rate_bytes_s is None
    figure = catalog.provenance("Ethernet-TCP", "efficiency")
    assert figure.status == "derived"
    assert "issue 450" in figure.citation


def test_roce_efficiency_is_the_share_of_payload_in_a_frame() -> None:
    infiniband = 4096 / (4096 + 8 + 12 + 4 + 2)
    roce = 4096 / (4096 + 12 + 4 + 8 + 20 + 18 + 20)
    assert load_catalog().technology("RoCE-800").efficiency == pytest.approx(roce / infiniband, abs=5e-4)


def test_every_scale_out_switch_names_a_technology_of_its_speed() -> None:
    catalog = load_catalog()
    for part_id in catalog.ids("switch"):
        switch = catalog.switch(part_id)
        assert bool(switch.technology) == (switch.fabric == "scale-out"), part_id
        if switch.technology:
            line_rate = catalog.technology(switch.technology).line_rate_bytes_s
            assert line_rate is None or switch.port_bandwidth_bytes_s <= line_rate
    assert catalog.switch("QM9700").technology == "InfiniBand-NDR"


def test_rdma_is_shown_as_a_word() -> None:
    rows = {row["key"]: row["value"] for row in show_rows(load_catalog(), "Ethernet-TCP")}
    assert (rows["rdma"], rows["routing"]) == ("false", "ecmp")


def test_unknown_technology_offers_the_nearest() -> None:
    with pytest.raises(UnknownPart, match="did you mean 'InfiniBand-NDR'"):
        load_catalog().technology("Infiniband-NDR")
    with pytest.raises(CatalogError, match="is no technology; did you mean 'InfiniBand-NDR'"):
        catalog_from_texts(shipped_with("technology: InfiniBand-NDR", "technology: Infiniband-NDR"))


def test_rdma_is_true_or_false() -> None:
    with pytest.raises(CatalogError, match="it must be true or false"):
        catalog_from_texts(shipped_with("rdma: false", "rdma: perhaps"))


@pytest.mark.parametrize(
    ("old", "new", "part", "key"),
    [
        ("technology: InfiniBand-NDR", "technology: InfiniBand-HDR", "QM9700", "technology"),
        ("fabric: scale-up", "fabric: scale-up\n    technology: RoCE-800", "NVL5-switch-tray", "technology"),
        (
            "efficiency: {value: 0.44, low: 0.2, high: 0.67",
            "efficiency: {value: 4.4",
            "Ethernet-TCP",
            "efficiency",
        ),
        (
            "hop_extra: {value: 20 us, low: 16 us, high: 23 us",
            "hop_extra: {value: 1 us",
            "Ethernet-TCP",
            "hop_extra_s",
        ),
        ("rdma: true", "rdma: false", "InfiniBand-HDR", "rdma"),
    ],
)
def test_a_technology_that_cannot_be_is_an_error(old: str, new: str, part: str, key: str) -> None:
    assert (part, key) in found(old, new)
