"""Profiles and presets: values with provenance, and errors that say where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from twin import resources
from twin.catalog import load_catalog
from twin.physics.gemm import product_rate
from twin.planning.profile import figures
from twin.planning.profile.figures import STATUSES, ProfileError, read_figure
from twin.planning.profile.models import load_model, model_presets
from twin.planning.profile.profiles import (
    load_calibrated,
    load_profile,
    other_stacks,
    profile_for_gpu,
    profile_names,
)
from twin.planning.profile.standing import worth

REFERENCE = YAML(typ="safe", pure=True).load(
    (Path(__file__).resolve().parents[1] / "reference/mamf_gemm.yaml").read_text()
)


def test_profile_is_read_into_si_units():
    h100 = load_profile("h100")
    assert h100.peak_flops_s == pytest.approx(989e12)
    assert h100.hbm_bytes_s == pytest.approx(3.35e12)
    assert h100.scale_out_bytes_s == pytest.approx(50e9)
    assert h100.gemm_ramp_flop == pytest.approx(38.6e9)
    assert h100.domain_gpus == 8
    assert load_profile("gb200").domain_gpus == 64


@pytest.mark.parametrize("name", profile_names())
def test_every_number_has_source_and_status(name):
    calibrated = load_calibrated(name)
    assert set(calibrated.figures) == set(type(calibrated.profile).__dataclass_fields__)
    for figure in calibrated.figures.values():
        assert figure.source
        assert figure.status in STATUSES


def test_only_generations_with_published_runs_call_themselves_calibrated():
    names = {name for name in profile_names() if load_calibrated(name).confidence == "calibrated"}
    assert names == {
        *("a100", "a100-deepspeed", "a100-zero3", "b200", "b200-nemo-25", "gb200", "gb200-bridge", "gb300"),
        *("h100", "h100-fsdp", "h100-megatron", "h100-nemo-24", "mi325x"),
    }


def test_derived_profile_takes_the_rest_from_its_base():
    h100, h200 = load_profile("h100"), load_profile("h200")
    own = {"hbm_bytes_s": 4.8e12, "hbm_bytes": 141e9, "fp8_efficiency": h200.fp8_efficiency}
    assert h200 == replace(h100, **own)
    assert load_calibrated("h200").stack == load_calibrated("h100").stack
    assert load_calibrated("h200").extends == "h100"


def test_gemm_rates_of_derived_profiles_follow_the_published_best_ones():
    best = {(gpu, dtype): rate for gpu, dtype, rate, *_ in REFERENCE["rows"]}
    for name, gpu, base, base_gpu in (
        ("b200-nemo-25", "B200", "gb200", "GB200"),
        ("gh200", "GH200", "h100", "H100-SXM"),
        ("a100-modern", "A100-SXM", "h100", "H100-SXM"),
        ("mi300x", "MI300X", "mi325x", "MI325X"),
        ("mi355x", "MI355X", "mi325x", "MI325X"),
    ):
        own, fitted = load_profile(name), load_profile(base)
        rate = own.peak_flops_s * own.gemm_efficiency / (fitted.peak_flops_s * fitted.gemm_efficiency)
        assert rate == pytest.approx(best[gpu, "BF16"] / best[base_gpu, "BF16"], rel=1e-3), name
        assert load_calibrated(name).figures["gemm_efficiency"].status == "derived"
        if (gpu, "FP8") in best and load_calibrated(name).figures["fp8_efficiency"].status == "derived":
            rate8 = product_rate(own, "fp8") / product_rate(fitted, "fp8")
            assert rate8 == pytest.approx(best[gpu, "FP8"] / best[base_gpu, "FP8"], rel=1e-3), name


@pytest.mark.parametrize(("variant", "base"), [("h100-megatron", "h100"), ("a100-deepspeed", "a100")])
def test_stack_variant_inherits_every_fitted_figure_and_is_never_chosen(variant, base):
    own, fitted = load_calibrated(variant), load_calibrated(base)
    changed = {key for key in own.figures if own.figures[key] != fitted.figures[key]}
    assert own.variant
    assert own.gpus == fitted.gpus
    assert changed <= {"scale_out_bytes_s", "p2p_factor"}
    assert profile_for_gpu(own.gpus[0]).name == base
    assert own.stack == (replace(fitted.stack, grad_bytes=4) if variant == "h100-megatron" else fitted.stack)


def test_present_day_stack_on_a100_is_that_of_h100_and_never_chosen():
    own, fitted, h100 = (load_calibrated(name) for name in ("a100-modern", "a100", "h100"))
    changed = {key for key in own.figures if own.figures[key] != fitted.figures[key]}
    assert own.stack == h100.stack
    assert changed == {"gemm_efficiency", "tensor_exposed", "p2p_factor"}
    assert {own.figures[key].status for key in changed} == {"derived"}
    assert (own.variant, own.confidence, own.software) == (True, "derived", ())
    assert "no published run of the two together" in worth(own)
    others = {"a100-deepspeed", "a100-fsdp", "a100-zero3"}
    assert {other.name for other in other_stacks(fitted)} == {*others, "a100-modern"}
    assert {other.name for other in other_stacks(own)} == {*others, "a100"}
    assert profile_for_gpu("A100").name == "a100"


def test_profile_by_gpu_of_the_catalogue():
    for gpu in load_catalog().ids("gpu"):
        assert gpu in profile_for_gpu(gpu).gpus
    assert profile_for_gpu("gb200-gpu").name == "gb200"
    with pytest.raises(ProfileError, match="no profile serves 'V100'; served are A100-SXM-40, A100-SXM-80"):
        profile_for_gpu("V100")


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("H100-80GB", "h100"),
        ("H100", "h100"),
        ("H100-SXM5-80GB", "h100"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("h100_sxm", "h100"),
        ("A100-80GB", "a100"),
        ("A100", "a100"),
        ("A100-SXM4-40GB", "a100-40"),
        ("H200-141GB", "h200"),
        ("GB200", "gb200"),
        ("GB300-NVL72", "gb300"),
        ("B200", "b200"),
        ("GH200", "gh200"),
        ("MI300X", "mi300x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("L40S", "l40s"),
    ],
)
def test_profile_by_the_spellings_of_published_tables(spelling, name):
    assert profile_for_gpu(spelling).name == name


def test_another_part_of_the_same_name_is_not_taken_for_it():
    with pytest.raises(ProfileError, match="no profile serves 'H100-PCIe'"):
        profile_for_gpu("H100-PCIe")


@pytest.mark.parametrize("name", profile_names())
def test_worth_says_what_an_estimate_is_good_for(name):
    words = worth(load_calibrated(name))
    assert "5-10 %" in words
    assert "1-8 %" in words
    assert words == worth(profile_for_gpu(load_calibrated(name).gpus[0])) or load_calibrated(name).variant


@pytest.mark.parametrize("name", profile_names())
def test_8_bit_products_are_never_slower_than_16_bit_ones(name):
    profile = load_profile(name)
    assert product_rate(profile, "fp8") >= product_rate(profile, "bf16")


def test_unknown_profile_names_the_shipped_ones():
    with pytest.raises(ProfileError, match=r"profiles/h101\.yaml: no such profile; shipped are a100"):
        load_profile("h101")


def test_presets_have_the_published_number_of_weights():
    billions = {name: preset.model.parameters / 1e9 for name, preset in model_presets().items()}
    assert billions["llama3-8b"] == pytest.approx(8.03, rel=0.002)
    assert billions["llama3-70b"] == pytest.approx(70.55, rel=0.002)
    assert billions["llama3-405b"] == pytest.approx(405.85, rel=0.001)
    assert billions["gpt3-175b"] == pytest.approx(175, rel=0.01)
    assert billions["nemotron4-340b"] == pytest.approx(340, rel=0.01)
    assert all(preset.source and preset.status in STATUSES for preset in model_presets().values())


def test_unknown_model_names_the_known_ones():
    with pytest.raises(ProfileError, match="no such model; known are deepseek-v3, gpt-oss-120b"):
        load_model("llama9")


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        (989, "peak"),
        ({"value": 989, "unit": "TFLOP/s", "source": "x"}, "peak.status"),
        ({"value": 989, "unit": "TFLOP/s", "source": "x", "status": "guess"}, "peak.status"),
        ({"value": 989, "unit": "kW", "source": "x", "status": "published"}, "peak.unit"),
        ({"value": "much", "unit": "TFLOP/s", "source": "x", "status": "published"}, "peak.value"),
        ({"value": True, "unit": "TFLOP/s", "source": "x", "status": "published"}, "peak.value"),
        ({"value": 989, "unit": "TFLOP/s", "source": " ", "status": "published"}, "peak.source"),
        ({"value": 989, "unit": "TFLOP/s", "source": "x", "status": "published", "u": 1}, "peak.u"),
    ],
)
def test_bad_figure_is_refused_with_file_and_key(entry, key):
    with pytest.raises(ProfileError) as caught:
        read_figure(entry, "compute", "profiles/x.yaml", "peak")
    assert (caught.value.file, caught.value.key) == ("profiles/x.yaml", key)


def profile_text(**changes: str) -> str:
    keys = {
        "title": "X",
        "extends": "h100",
        "confidence": "derived",
        "gpus": "[X]",
        "figures": "{}",
    } | changes
    return "\n".join(f"{key}: {value}" for key, value in keys.items() if value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (profile_text(colour="red"), "colour"),
        (profile_text(extends="x"), "extends"),
        (profile_text(confidence="high"), "confidence"),
        (profile_text(gpus="X"), "gpus"),
        (profile_text(title=""), "title"),
        (profile_text(figures="[1]"), "figures"),
        (profile_text(figures="{speed: 1}"), "figures.speed"),
        (profile_text(extends=""), "figures.peak_flops_s"),
        (profile_text(stack="{grad_bytes: two}"), "stack.grad_bytes"),
        (profile_text(stack="{grad_bytes: 3}"), "stack.grad_bytes"),
        (profile_text(stack="{recompute: some}"), "stack.recompute"),
        (profile_text(stack="{sharding: zero9}"), "stack.sharding"),
        (profile_text(also="[]"), "also"),
        (profile_text(notes="[]"), "notes"),
        (
            profile_text(figures="{peak_flops_s: {value: 0, unit: TFLOP/s, source: s, status: derived}}"),
            "figures.peak_flops_s.value",
        ),
        (
            profile_text(figures="{domain_gpus: {value: 1.5, unit: '1', source: s, status: derived}}"),
            "figures.domain_gpus.value",
        ),
        (
            profile_text(figures="{fixed_s: {value: .inf, unit: s, source: s, status: derived}}"),
            "figures.fixed_s.value",
        ),
        (
            profile_text(figures="{hbm_bytes: {value: -1, unit: GB, source: s, status: derived}}"),
            "figures.hbm_bytes.value",
        ),
        ("title: [", ""),
        ("- a", ""),
    ],
)
def test_bad_profile_is_refused_with_file_and_key(tmp_path, monkeypatch, text, key):
    folder = tmp_path / "profiles"
    folder.mkdir()
    shipped = resources.folder("assets") / "profiles"
    for name in ("h100", "h200"):
        (folder / f"{name}.yaml").write_text((shipped / f"{name}.yaml").read_text())
    (folder / "x.yaml").write_text(text)
    monkeypatch.setattr("twin.resources.folder", lambda _: tmp_path)
    monkeypatch.setattr("twin.planning.profile.profiles.folder", lambda _: tmp_path)
    caches = (figures.read_document, load_calibrated, profile_names)
    for cached in caches:
        cached.cache_clear()
    try:
        with pytest.raises(ProfileError) as caught:
            load_calibrated("x")
    finally:
        for cached in caches:
            cached.cache_clear()
    assert (caught.value.file, caught.value.key) == ("assets/profiles/x.yaml", key)
