"""The shipped catalogue is plausible; each known piece of bad data of the web is not."""

import re

import pytest

from twin import resources
from twin.catalog import CatalogFinding, catalog_from_texts, check, check_rows, load_catalog


def _findings(part: str, wrong: str) -> list[CatalogFinding]:
    """Check the shipped catalogue with some lines of one part replaced by the lines of `wrong`."""
    texts = {}
    seen = False
    for one in (resources.folder("assets") / "catalog").iterdir():
        text = one.read_text(encoding="utf-8")
        block = re.search(rf"^  {re.escape(part)}:\n(?:    .*\n)+", text, re.MULTILINE)
        if block:
            seen = True
            changed = block[0]
            for line in wrong.strip().splitlines():
                key, value = line.strip().split(":", 1)
                pattern = rf"^    {key}:.*\n"
                fresh = f"    {key}:{value}\n"
                if re.search(pattern, changed, re.MULTILINE):
                    changed = re.sub(pattern, lambda _, fresh=fresh: fresh, changed, flags=re.MULTILINE)
                else:
                    changed += fresh
            text = text.replace(block[0], changed)
        texts[one.name] = text
    assert seen, part
    return [finding for finding in check(catalog_from_texts(texts)) if finding.part == part]


def _errors(part: str, wrong: str) -> set[str]:
    return {finding.key for finding in _findings(part, wrong) if finding.severity == "error"}


def test_shipped_catalogue_has_no_error() -> None:
    findings = check(load_catalog())
    assert [finding for finding in findings if finding.severity == "error"] == []
    # The reference architecture itself gives 56 kW for four nodes of 14.5 kW.
    assert [(finding.part, finding.key) for finding in findings] == [("SU-B300-rack-PSU", "max_w")]
    assert check_rows(load_catalog())[0]["severity"] == "warning"


# Bad data found on the web, with what must be found in each.
WEB = {
    "DGX H100, 4U with 4 x 3.0 kW": (
        "DGX-H100",
        """
        height_u: {value: 4, source: mem, status: recalled}
        psu_count: {value: 4, source: mem, status: recalled}
        psu_needed: null
        psu_capacity: {value: 3.0 kW, source: mem, status: recalled}
        """,
        {"height_u", "psu_count", "psu_capacity_w"},
    ),
    "H200, dense FP8 3.94 PFLOP/s": (
        "H200-SXM",
        "peak_fp8: {value: 3.94 PFLOP/s, source: mem, status: recalled}",
        {"peak_fp8_flops_s"},
    ),
    "MI300X, BF16 330 TFLOP/s": (
        "MI300X",
        "peak_bf16: {value: 330 TFLOP/s, source: mem, status: recalled}",
        {"peak_bf16_flops_s", "peak_fp8_flops_s"},
    ),
    "QM9700, 62 ports": (
        "QM9700",
        "ports: {value: 62, source: netbox, status: published}",
        {"ports"},
    ),
    "DGX A100, 2 x 1,071 W inlets for 6.5 kW": (
        "DGX-A100",
        """
        psu_count: {value: 2, source: mem, status: recalled}
        psu_needed: {value: 2, source: mem, status: recalled}
        psu_capacity: {value: 1071 W, source: mem, status: recalled}
        """,
        {"psu_capacity_w", "psu_count"},
    ),
    "B200 needs liquid": (
        "DGX-B200",
        """
        cooling: liquid
        liquid_fraction: {value: 85 %, source: mem, status: recalled}
        coolant_flow: {value: 18 lpm, source: mem, status: recalled}
        """,
        {"cooling"},
    ),
}


@pytest.mark.parametrize("name", WEB)
def test_bad_data_of_the_web_is_found(name: str) -> None:
    part, wrong, keys = WEB[name]
    assert keys <= _errors(part, wrong)


def test_bad_data_is_found_by_physics_even_under_an_unknown_name() -> None:
    """The rules alone, without the table of known models, when the id does not give the model away."""
    renamed = {
        "height_u": ("HGX-H100-8-OEM", "height_u: {value: 4, source: mem, status: recalled}"),
        "psu_capacity_w": (
            "HGX-H100-8-OEM",
            "psu_capacity: {value: 1071 W, source: mem, status: recalled}",
        ),
        "ports": ("TH5-64x800G", "ports: {value: 62, source: mem, status: recalled}"),
        "peak_fp8_flops_s": ("MI325X", "peak_fp8: {value: 5230 TFLOP/s, source: mem, status: recalled}"),
    }
    for key, (part, wrong) in renamed.items():
        assert key in _errors(part, wrong)
    liquid = WEB["B200 needs liquid"][1]
    warned = [one.message for one in _findings("DGX-B200", liquid) if one.severity == "warning"]
    assert any("airflow alone carries all its heat" in message for message in warned)


@pytest.mark.parametrize(
    ("part", "wrong", "key"),
    [
        ("H100-SXM", "idle: {value: 700 W, source: mem, status: recalled}", "idle_w"),
        ("H100-SXM", "slowdown: {value: 86 degC, source: mem, status: recalled}", "slowdown_c"),
        ("H100-SXM", "shutdown: {value: 80 degC, source: mem, status: recalled}", "slowdown_c"),
        ("H100-SXM", "r_ja: {value: 0.2 K/W, source: mem, status: recalled}", "r_ja_k_w"),
        ("H100-SXM", "gemm_clock: {value: 2.4 GHz, source: mem, status: recalled}", "gemm_clock_hz"),
        ("B200-SXM", "peak_fp4: {value: 18 PFLOP/s, source: mem, status: recalled}", "peak_fp4_flops_s"),
        ("DGX-H100", "max: {value: 5 kW, source: mem, status: recalled}", "max_w"),
        ("DGX-H100", "overhead_full: {value: 5 kW, source: mem, status: recalled}", "overhead_full_w"),
        ("DGX-H100", "airflow: {value: 400 CFM, source: mem, status: recalled}", "airflow_m3_s"),
        ("DGX-H100", "liquid_fraction: {value: 50 %, source: mem, status: recalled}", "liquid_fraction"),
        ("DGX-H100", "inlet_max: {value: 49 degC, source: mem, status: recalled}", "inlet_max_c"),
        ("DGX-H100", "gpu: GB200-GPU", "cooling"),
        ("HGX-H100-DLC", "coolant_flow: {value: 90 lpm, source: mem, status: recalled}", "coolant_flow_m3_s"),
        ("GB200-NVL72", "n_gpu: {value: 64, source: mem, status: recalled}", "n_gpu"),
        ("GB200-NVL72", "max: {value: 100 kW, source: mem, status: recalled}", "max_w"),
        ("GB200-NVL72", "height_u: {value: 36, source: mem, status: recalled}", "height_u"),
        ("GB200-NVL72", "shelves_needed: {value: 3, source: mem, status: recalled}", "shelves_needed"),
        ("DAC-800G", "max_reach: {value: 30 m, source: mem, status: recalled}", "max_reach_m"),
        ("power-shelf-33kW", "efficiency: {value: 103 %, source: mem, status: recalled}", "efficiency"),
        ("power-shelf-33kW", "psu_count: {value: 4, source: mem, status: recalled}", "capacity_w"),
        ("rPDU-415V-60A-3ph", "capacity: {value: 60 kW, source: mem, status: recalled}", "capacity_w"),
        ("CDU-inrow-1350", "flow: {value: 150 lpm, source: mem, status: recalled}", "flow_m3_s"),
        ("CRAH-chilled", "airflow: {value: 2400 CFM, source: mem, status: recalled}", "airflow_m3_s"),
        ("chiller-air-cooled", "cop: {value: 9, source: mem, status: recalled}", "cop"),
        ("cooling-tower", "water: {value: 0.5 L/kWh, source: mem, status: recalled}", "water_m3_j"),
    ],
)
def test_impossible_figure_is_an_error(part: str, wrong: str, key: str) -> None:
    assert key in _errors(part, wrong)


def test_an_idle_node_draws_no_less_than_its_idle_parts() -> None:
    """4 GPUs of 200 W, 2 processors of 50 W, cards of 4 x 25 W and 2 x 100 W: 1.2 kW, 400 W of it besides the GPUs."""

    def tray(idle_w: int, overhead_w: int) -> str:
        figures = {"idle": idle_w, "overhead_idle": overhead_w}
        return "\n".join(
            f"{key}: {{value: {watts} W, source: est, status: estimated}}" for key, watts in figures.items()
        )

    found = {finding.key: finding.message for finding in _findings("GB200-compute-tray", tray(1000, 200))}
    assert found["overhead_idle_w"] == "200 W is less than its idle processors and cards draw, 400 W"
    assert found["idle_w"] == "1 kW is less than its idle GPUs, processors and cards draw, 1.2 kW"
    assert not _errors("GB200-compute-tray", tray(1200, 400))
