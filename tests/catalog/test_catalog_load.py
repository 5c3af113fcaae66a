import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.catalog import (
    Catalog,
    CatalogError,
    Figure,
    UnknownPart,
    catalog_from_texts,
    list_rows,
    load_catalog,
    show_rows,
)
from twin.catalog.catalog import shipped_texts
from twin.catalog.document import _read_plain, read_any_yaml, read_document
from twin.catalog.kinds import PART_FIELDS, PART_TYPES

MY_NIC = """\
format: twin/catalog
version: 1
sources:
  my_lab: "Measured in our lab, 2026-11"
nic:
  my-nic:
    title: Our adapter
    bandwidth: {value: 100 Gb/s, source: my_lab, status: published}
    power: {value: 20 W, source: my_lab mem, status: derived, low: 15 W, high: 25 W, note: "idle 15, busy 25"}
"""


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_shipped_catalogue_has_the_parts_the_scenes_need() -> None:
    catalog = load_catalog()
    wanted = {
        "gpu": "A100-SXM-80 H100-SXM H200-SXM B200-SXM GB200-GPU GB300-GPU MI300X",
        "node": "DGX-A100 DGX-H100 DGX-H200 DGX-B200 GrandTeton-H100 HGX-H100-DLC GB200-compute-tray "
        "GB300-compute-tray MI300X-8",
        "rack": "SU-H100-rack SU-B200-rack GrandTeton-rack GB200-NVL72 GB300-NVL72",
        "switch": "QM8700 QM9700 Q3400-RA SN5600 Minipack2 NVL5-switch-tray",
        "nic": "CX-6-200G CX-7-400G CX-8-800G BF3-400G",
    }
    for kind, names in wanted.items():
        assert set(names.split()) <= set(catalog.ids(kind))
    for kind in PART_TYPES:
        assert catalog.ids(kind), kind
    assert catalog.version == "2026.11"
    assert load_catalog() is catalog


def test_h100_figures_are_si_with_provenance() -> None:
    catalog = load_catalog()
    h100 = catalog.gpu("H100-SXM")
    assert (h100.tdp_w, h100.memory_bytes, h100.link_bandwidth_bytes_s) == (700.0, 80e9, 450e9)
    assert (h100.max_op_c, h100.slowdown_c, h100.shutdown_c) == (87.0, 89.0, 95.0)
    assert h100.peak_fp8_flops_s == 1979e12
    figure = catalog.provenance("H100-SXM", "idle_w")
    assert (figure.value, figure.unit, figure.text, figure.status) == (92.0, "W", "92 W", "published")
    assert (figure.low, figure.high) == (83.0, 101.0)
    assert "nvidia-smi" in figure.citation


def test_published_sums_come_out() -> None:
    catalog = load_catalog()
    # PHYSICS 5: 32 nodes of an SU are 326 kW, 40.8 kW a rack; 10,000 H100 are 7.0 MW.
    assert 32 * catalog.node("DGX-H100").max_w == pytest.approx(326e3, rel=2e-3)
    assert catalog.rack("SU-H100-rack").max_w == 40.8e3
    assert 10_000 * catalog.gpu("H100-SXM").tdp_w == 7.0e6
    # PHYSICS 3: 14.3 kW at 1,550 CFM warm by 16.3 K.
    b200 = catalog.node("DGX-B200")
    assert b200.max_w / (1.19 * 1006 * b200.airflow_m3_s) == pytest.approx(16.3, abs=0.1)
    nvl72 = catalog.rack("GB200-NVL72")
    trays = sum(group.count for group in nvl72.layout if group.part == "GB200-compute-tray")
    assert (trays, nvl72.n_gpu) == (18, 72)


def test_every_number_has_unit_source_and_status() -> None:
    catalog = load_catalog()
    for part in catalog:
        held = {figure.key for figure in catalog.figures(part.id)}
        for spec in PART_FIELDS[part.KIND]:
            number = spec.shape in ("quantity", "number", "count", "efficiency")
            if number and getattr(part, spec.name) is not None:
                assert spec.name in held, (part.id, spec.name)
        for figure in catalog.figures(part.id):
            assert isinstance(figure, Figure)
            assert figure.source
            assert figure.citation


def test_parts_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load_catalog().gpu("H100-SXM").tdp_w = 1.0  # type: ignore[misc]


def test_sizes_for_placing() -> None:
    catalog = load_catalog()
    assert catalog.node("DGX-H100").size_m == pytest.approx((0.4826, 0.897, 8 * 0.04445))
    assert catalog.rack("GB200-NVL72").size_m == pytest.approx((0.6, 1.068, 2.27))
    assert catalog.gpu("H100-SXM").size_m is None
    floor = ("cdu", "crah", "ups", "transformer", "chiller", "dry_cooler", "cooling_tower", "rdhx", "battery")
    for kind in floor:
        for part_id in catalog.ids(kind):
            assert catalog.part(part_id).size_m is not None, part_id


def test_unknown_names_offer_the_nearest() -> None:
    catalog = load_catalog()
    with pytest.raises(UnknownPart, match="did you mean 'H100-SXM'"):
        catalog.gpu("h100-sxm")
    with pytest.raises(UnknownPart, match="DGX-H100") as caught:
        catalog.node("DGX-H10")
    assert "DGX-H100" in caught.value.nearest
    with pytest.raises(UnknownPart, match="no gpu 'DGX-H100'"):
        catalog.gpu("DGX-H100")
    with pytest.raises(UnknownPart, match="did you mean 'tdp_w'"):
        catalog.provenance("H100-SXM", "tdp")
    with pytest.raises(UnknownPart, match="kind of part"):
        catalog.ids("gpus")


def test_extra_file_adds_parts_and_cites_shipped_sources(tmp_path: Path) -> None:
    catalog = load_catalog([_file(tmp_path, MY_NIC)])
    assert catalog.nic("my-nic").bandwidth_bytes_s == 12.5e9
    assert "our lab" in catalog.provenance("my-nic", "power_w").citation
    assert "recalled" in catalog.provenance("my-nic", "power_w").citation
    assert "my-nic" not in load_catalog()
    assert catalog.digest != load_catalog().digest
    assert catalog.version == load_catalog().version


@pytest.mark.parametrize(
    ("old", "new", "line", "parts"),
    [
        ("100 Gb/s", "100 W", 8, ["my-nic.bandwidth.value", "is a power", "'400 Gb/s'"]),
        ("100 Gb/s", "100 Gbs", 8, ["did you mean 'Gbps'"]),
        ("100 Gb/s", "100", 8, ["has no unit"]),
        ("100 Gb/s", "-100 Gb/s", 8, ["not above zero"]),
        ("status: published", "status: read", 8, ["published, derived, recalled, estimated"]),
        ("source: my_lab,", "source: my_lap,", 8, ["did you mean 'my_lab'"]),
        (", status: published", "", 8, ["my-nic.bandwidth_bytes_s.status", "is missing"]),
        ("value: 100 Gb/s, ", "", 8, ["my-nic.bandwidth.value", "is missing"]),
        (
            "{value: 100 Gb/s, source: my_lab, status: published}",
            "100 Gb/s",
            8,
            ["{value: ..., source: ...", "from"],
        ),
        ("    power:", "    powr:", 9, ["my-nic.powr", "did you mean 'power'"]),
        ("    title: Our adapter\n", "", 6, ["my-nic.title", "is missing"]),
        ("low: 15 W", "low: 21 W", 9, ["must rise"]),
        ("nic:\n", "nics:\n", 5, ["no kind of part", "'nic'"]),
        ("my-nic:", "CX-7-400G:", 6, ["already at network.yaml:"]),
        ("version: 1", "version: 2", 2, ["version: 1"]),
        ("format: twin/catalog\n", "", 1, ["format"]),
        ('  my_lab: "M', '  mem: "M', 4, ["sources.mem", "given twice"]),
        ("nic:\n", "nic: &a\n", 6, []),
        ("    title: Our adapter\n", "    title: A\n    title: B\n", 8, ["given twice"]),
        ("    title: Our adapter\n", "   title: A\n", 8, ["no YAML"]),
        ("    title: Our adapter\n", "    title: [a, b]\n", 7, ["one plain value"]),
        ("nic:\n", "nic: 5\nswitch:\n", 5, ["must be a table"]),
    ],
)
def test_error_names_file_line_key_and_reason(
    tmp_path: Path, old: str, new: str, line: int, parts: list[str]
) -> None:
    assert old in MY_NIC
    path = _file(tmp_path, MY_NIC.replace(old, new, 1))
    if not parts:  # an unused anchor is legal YAML and read by the full reader
        assert "my-nic" in load_catalog([path])
        return
    with pytest.raises(CatalogError) as caught:
        load_catalog([path])
    assert caught.value.file == str(path)
    assert caught.value.line == line
    for part in parts:
        assert part in str(caught.value)


def test_wrong_reference_is_named(tmp_path: Path) -> None:
    nodes = shipped_texts()["nodes.yaml"]
    texts = {**shipped_texts(), "nodes.yaml": nodes.replace("gpu: H100-SXM", "gpu: H100-SMX", 1)}
    with pytest.raises(CatalogError, match=r"DGX-H100.gpu: 'H100-SMX' is no gpu; did you mean 'H100-SXM'"):
        catalog_from_texts(texts)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\xfe binary",
        b"",
        b"[1, 2]",
        b"a: &x [*x]",
        b"a: b: c",
        b"{" * 700,
        b"- " * 3000,
        b"'open",
        b"? [a]\n: b",
    ],
)
def test_no_file_gives_a_traceback(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(data)
    with pytest.raises(CatalogError):
        load_catalog([path])


def test_missing_file_and_alias_bomb_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog([tmp_path / "none.yaml"])
    bomb = "format: twin/catalog\nversion: 1\nsources:\n  a: &a x\n  b: *a\n"
    with pytest.raises(CatalogError, match="alias"):
        load_catalog([_file(tmp_path, bomb)])


def test_fast_reader_reads_the_shipped_files_as_ruamel_does() -> None:
    for name, text in shipped_texts().items():
        quick = _read_plain(text)
        assert quick is not None, f"{name} left the plain style; start-up becomes slow"
        assert quick == read_any_yaml(text, name)


_WORD = st.text(alphabet="abz09 .:#'\"{}[],&*!|>%@`-?/", min_size=0, max_size=8)


@given(first=_WORD, second=_WORD, indent=st.integers(0, 4), flow=st.booleans())
def test_fast_reader_agrees_with_ruamel_or_stands_back(
    first: str, second: str, indent: int, flow: bool
) -> None:
    value = f"{{x: {first}, y: {second}}}" if flow else first
    text = f"a:\n  b: {value}\n{' ' * indent}c: {second}\n"
    quick = _read_plain(text)
    if quick is not None:
        assert quick == read_any_yaml(text, "t")
    else:
        try:
            assert read_document(text, "t").table is not None
        except CatalogError as error:
            assert error.file == "t"  # noqa: PT017


def test_listing_rows_are_plain_data() -> None:
    catalog: Catalog = load_catalog()
    rows = list_rows(catalog)
    assert len(rows) == len(catalog)
    assert sum(row["published"] for row in list_rows(catalog, "gpu")) > 20
    shown = {row["key"]: row for row in show_rows(catalog, "DGX-H100")}
    assert shown["max_w"]["value"] == 10200.0
    assert shown["max_w"]["unit"] == "W"
    assert shown["gpu"]["value"] == "H100-SXM"
    assert shown["nics[0]"]["text"] == "8 x CX-7-400G"


def test_loading_speed(benchmark) -> None:  # type: ignore[no-untyped-def]
    texts = shipped_texts()
    benchmark(lambda: catalog_from_texts(texts))


def test_every_shipped_source_is_cited() -> None:
    catalog = load_catalog()
    cited = {key for part in catalog for figure in catalog.figures(part.id) for key in figure.source.split()}
    listed = set(read_document(shipped_texts()["sources.yaml"], "sources.yaml").table["sources"].table)  # type: ignore[index, arg-type]
    assert cited == listed
