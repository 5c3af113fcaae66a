"""Profiles and presets: values with provenance, and errors that say where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twin.planning import figures
from twin.planning.figures import STATUSES, ProfileError, read_figure
from twin.planning.models import load_model, model_presets
from twin.planning.profiles import load_calibrated, load_profile, profile_for_gpu, profile_names


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
    assert names == {"a100", "h100", "gb200"}


def test_derived_profile_takes_the_rest_from_its_base():
    h100, h200 = load_profile("h100"), load_profile("h200")
    assert h200 == replace(h100, hbm_bytes_s=h200.hbm_bytes_s, hbm_bytes=141e9)
    assert load_calibrated("h200").stack == load_calibrated("h100").stack


def test_profile_by_gpu_of_the_catalogue():
    assert profile_for_gpu("H100-SXM").name == "h100"
    assert profile_for_gpu("gb200-gpu").name == "gb200"
    with pytest.raises(ProfileError, match="no profile serves 'V100'"):
        profile_for_gpu("V100")


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
    with pytest.raises(ProfileError, match="no such model; known are gpt3-175b"):
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
        (profile_text(extends="h200"), "extends"),
        (profile_text(confidence="high"), "confidence"),
        (profile_text(gpus="X"), "gpus"),
        (profile_text(title=""), "title"),
        (profile_text(figures="[1]"), "figures"),
        (profile_text(figures="{speed: 1}"), "figures.speed"),
        (profile_text(extends=""), "figures.peak_flops_s"),
        (profile_text(stack="{grad_bytes: two}"), "stack.grad_bytes"),
        (profile_text(stack="{recompute: some}"), "stack.recompute"),
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
    shipped = figures.folder("assets") / "profiles"
    for name in ("h100", "h200"):
        (folder / f"{name}.yaml").write_text((shipped / f"{name}.yaml").read_text())
    (folder / "x.yaml").write_text(text)
    monkeypatch.setattr("twin.planning.figures.folder", lambda _: tmp_path)
    monkeypatch.setattr("twin.planning.profiles.folder", lambda _: tmp_path)
    caches = (figures.read_document, load_calibrated, profile_names)
    for cached in caches:
        cached.cache_clear()
    try:
        with pytest.raises(ProfileError) as caught:
            load_calibrated("x")
    finally:
        for cached in caches:
            cached.cache_clear()
    assert (caught.value.file, caught.value.key) == ("profiles/x.yaml", key)
