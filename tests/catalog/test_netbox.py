"""Device types of NetBox as own parts: figures of the file are unverified, and what is missing is told."""

from __future__ import annotations

import pytest

from twin.catalog import CatalogError, UnknownPart, load_catalog
from twin.catalog.catalog import Catalog, with_own
from twin.catalog.netbox import ImportedPart, imported
from twin.catalog.own_texts import OwnText

SWITCH = """---
manufacturer: Acme
model: AX-64 "big" switch
slug: acme-ax64
u_height: 2
is_full_depth: true
airflow: front-to-rear
weight: 30
weight_unit: lb
comments: |
  many words
power-ports:
  - {name: psu0, type: iec-60320-c20, maximum_draw: 900, allocated_draw: 500}
  - {name: psu1, type: iec-60320-c20, maximum_draw: 900, allocated_draw: 500}
interfaces:
  - {name: e1, type: 800gbase-x-osfp}
  - {name: e2, type: 800gbase-x-osfp}
  - {name: e3, type: 400gbase-x-osfp}
  - {name: odd, type: 1.2.3gbase-x}
  - {name: mgmt, type: 1000base-t, mgmt_only: true}
"""
NEEDED = {"fabric", "ports", "port_bandwidth", "capacity", "typical", "max", "cooling", "height_u"}


def read(text: str = SWITCH, like: str = "QM9700") -> tuple[ImportedPart, Catalog]:
    made = imported(text, "ax64.yaml", like, load_catalog())
    return made, with_own((OwnText("parts/ax64.yaml", "parts", made.text),))


def test_a_switch_has_what_its_file_says_as_unverified_figures() -> None:
    made, catalog = read()
    switch = catalog.switch("acme-ax64")
    assert (switch.title, switch.vendor, switch.height_u) == ('AX-64 "big" switch', "Acme", 2.0)
    assert switch.weight_kg == pytest.approx(13.608)
    assert (switch.max_w, switch.typical_w) == (1800.0, 1000.0)
    assert (switch.ports, switch.port_bandwidth_bytes_s, switch.cooling) == (2, 100e9, "air")
    assert {figure.status for figure in catalog.figures("acme-ax64")} == {"unverified"}
    origins = {figure.key: figure.origin for figure in made.figures}
    assert {key for key, origin in origins.items() if origin == "missing"} >= {"price", "depth", "latency"}
    assert origins["fabric"] == "like"
    assert set(origins) >= NEEDED


def test_what_a_file_lacks_is_an_estimate_and_says_of_what() -> None:
    bare = SWITCH[: SWITCH.index("power-ports")]
    made, catalog = read(bare)
    switch, like = catalog.switch("acme-ax64"), load_catalog().switch("QM9700")
    assert (switch.ports, switch.max_w) == (like.ports, like.max_w)
    figure = catalog.provenance("acme-ax64", "max_w")
    assert (figure.status, figure.citation) == ("estimated", "as QM9700 of the catalogue")
    assert {figure.origin for figure in made.figures if figure.key in ("ports", "max")} == {"like"}


@pytest.mark.parametrize(
    "like", ["DGX-H100", "rPDU-415V-60A-3ph", "UPS-double-conversion", "NVMe-U2-gen4", "CRAH-chilled"]
)
def test_any_kind_of_machine_can_be_imported(like: str) -> None:
    made, catalog = read(like=like)
    assert catalog.part(made.id).KIND == load_catalog().part(like).KIND


def test_a_node_takes_gpus_and_cards_of_the_part_it_is_like() -> None:
    node = read(like="DGX-H100")[1].node("acme-ax64")
    like = load_catalog().node("DGX-H100")
    assert (node.gpu, node.n_gpu, node.nics) == (like.gpu, like.n_gpu, like.nics)
    assert (node.max_w, node.psu_count) == (1800.0, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("slug: acme-ax64\n", ""), "ax64.yaml:1: slug: is missing; a device type of NetBox has it"),
        (("slug: acme-ax64", "slug: ../etc"), "ax64.yaml:4: slug: is '../etc'"),
        (("u_height: 2", "u_height: two"), "ax64.yaml:5: u_height: is 'two'; it must be a number"),
        (("u_height: 2", "u_height: -2"), "u_height: is '-2'"),
        (("u_height: 2", "u_height: nan"), "u_height: is 'nan'"),
        (("maximum_draw: 900", "maximum_draw: 1e99"), "maximum_draw: is '1e99'"),
        (("weight_unit: lb", "weight_unit: stone"), "ax64.yaml:9: weight_unit: is 'stone'; known are kg"),
        (("manufacturer: Acme", "manufacturer: [Acme]"), "manufacturer: must be one plain value"),
        (("slug: acme-ax64", "slug: &a acme-ax64\nb: *a"), "alias"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_line_and_key(change: tuple[str, str], said: str) -> None:
    with pytest.raises(CatalogError) as refused:
        read(SWITCH.replace(*change, 1))
    assert said in str(refused.value)


def test_the_part_it_is_like_must_exist() -> None:
    with pytest.raises(UnknownPart, match="QM9701"):
        read(like="QM9701")


def test_text_of_strangers_stays_text() -> None:
    odd = SWITCH.replace("Acme", '"Ac\\u0007me: {evil}"').replace('AX-64 "big" switch', "'# x: - y'")
    switch = read(odd)[1].switch("acme-ax64")
    assert (switch.vendor, switch.title) == ("Acme: {evil}", "# x: - y")
