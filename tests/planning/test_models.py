"""Model presets: shapes that give the published numbers of weights and work."""

from __future__ import annotations

import pytest

from twin.planning.job.job import LlmJob, PlanError, VisionJob, cut, estimate
from twin.planning.profile import figures, models
from twin.planning.profile.figures import STATUSES, ProfileError
from twin.planning.profile.models import load_model, model_presets, vision_presets


@pytest.mark.parametrize(
    ("name", "total_billions", "active_billions"),
    [
        ("mixtral-8x7b", 46.7, 12.9),  # mistral.ai/news/mixtral-of-experts
        ("mixtral-8x22b", 141, 39),  # mistral.ai/news/mixtral-8x22b
        ("grok-1", 314 + 1.6, 84.5),  # its embedding is tied, ours counts twice; about a quarter is active
        ("deepseek-v3", 671, 37.55),  # 36.6 with one of its two embeddings, its README_WEIGHTS
        ("qwen3-30b-a3b", 30.5, 3.34),  # huggingface.co/Qwen/Qwen3-30B-A3B: 30.5 B and 3.3 B
        ("qwen3-235b-a22b", 235, 22.2),  # huggingface.co/Qwen/Qwen3-235B-A22B: 235 B and 22 B
        (
            "gpt-oss-120b",
            117,
            5.7,
        ),  # openai.com/index/introducing-gpt-oss: 117 B; 5.1 B with one of its embeddings
        ("gpt-oss-20b", 20.9, 4.2),  # the same: 21 B; 3.6 B with one of its embeddings
        ("nemotron-3-nano", 31.6, 3.58),  # 31.6 B, 3.6 B with both embeddings, its model card; recalled
    ],
)
def test_mixtures_of_experts_have_the_published_weights(name, total_billions, active_billions):
    model = load_model(name).model
    assert model.parameters / 1e9 == pytest.approx(total_billions, rel=0.005)
    assert model.active_parameters / 1e9 == pytest.approx(active_billions, rel=0.005)


def test_deepseek_v3_by_hand():
    model = load_model("deepseek-v3").model
    attention = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168
    expert = 3 * 7168 * 2048
    assert model.attention_parameters == attention
    layers = 61 * (attention + 4 * 7168) + 3 * 3 * 7168 * 18432 + 58 * (257 * expert + 256 * 7168)
    assert model.parameters == pytest.approx(layers + 2 * 129280 * 7168, rel=1e-12)
    one_embedding = 129280 * 7168
    assert (model.active_parameters - one_embedding) / 1e9 == pytest.approx(36.6, rel=0.002)


def test_dense_models_see_all_their_weights():
    for preset in model_presets().values():
        if preset.model.experts is None:
            assert preset.model.active_parameters == preset.model.parameters
            assert preset.model.expert_layer_parameters == 0


def test_work_of_a_step_is_six_times_the_active_weights_and_tokens():
    # Embedding once, attention on top: 6 N B s holds to some percent at short sequences.
    for name in ("llama3-70b", "mixtral-8x7b", "deepseek-v3"):
        model = load_model(name).model
        seen = model.active_parameters - model.vocab * model.hidden
        attention = 12 * model.blocks * model.seq**2 * model.attention_width
        seen += model.predicted * (model.active_layer_parameters + model.vocab * model.hidden)
        assert model.step_flop(1) == pytest.approx(6 * seen * model.seq + attention, rel=0.001)


def test_estimate_of_experts_is_marked_and_illegal_cuts_refused():
    job = LlmJob("mixtral-8x7b", cut(64, 256, ep=8), "h100")
    result = estimate(job)
    assert result.confidence == "uncalibrated"
    assert result.parts.exposed_expert_s > 0
    with pytest.raises(PlanError, match="expert parallel 3 does not divide 8 experts"):
        estimate(LlmJob("mixtral-8x7b", cut(64, 256, ep=3), "h100"))
    with pytest.raises(PlanError, match="expert parallel 8 x 1 GPUs for each expert does not divide"):
        estimate(LlmJob("mixtral-8x7b", cut(4, 256, ep=8), "h100"))
    one_gpu_each = cut(64, 256, tp=2, ep=64, etp=1)
    assert estimate(LlmJob("deepseek-v3", one_gpu_each, "h100")).parts.exposed_expert_s > 0
    with pytest.raises(PlanError, match="expert tensor parallel 3 does not divide tensor parallel 2"):
        estimate(LlmJob("deepseek-v3", cut(64, 256, tp=2, ep=32, etp=3), "h100"))
    with pytest.raises(
        PlanError, match="expert parallel 64 x 2 GPUs for each expert does not divide tensor 2"
    ):
        estimate(LlmJob("deepseek-v3", cut(64, 256, tp=2, ep=64), "h100"))
    with pytest.raises(PlanError, match="expert parallel 2 needs a model with experts; use 1"):
        estimate(LlmJob("llama3-8b", cut(4, 256, ep=2), "h100"))


def test_vision_presets_have_sources_and_run():
    presets = vision_presets()
    assert {"vit-l16", "vit-h14", "vit-22b", "videomae-l"} <= set(presets)
    for preset in presets.values():
        assert all(figure.source and figure.status in STATUSES for figure in preset.figures.values())
        assert set(preset.figures) < set(type(preset).__dataclass_fields__)
        result = estimate(
            VisionJob(
                gpus=16,
                profile="h100",
                sample_flop=preset.sample_flop,
                sample_bytes=preset.sample_bytes,
                parameters=preset.parameters,
                batch_per_gpu=preset.batch_per_gpu,
                efficiency=preset.efficiency,
                sample_hbm_bytes=preset.sample_hbm_bytes,
                sample_activation_bytes=preset.sample_activation_bytes,
            )
        )
        assert result.fits == (preset.name != "vit-22b")  # its weights alone ask for more than one GPU
        assert result.parts.gemm_s > 0


@pytest.mark.parametrize(
    ("name", "tokens", "width", "layers"),
    [
        ("vit-l16", 197, 1024, 24),
        ("vit-h14", 257, 1280, 32),
        ("vit-22b", 256, 6144, 48),
        ("videomae-l", 1568, 1024, 24),
    ],
)
def test_work_of_a_sample_follows_from_the_shape(name, tokens, width, layers):
    products = 12 * width**2 * layers * tokens + 2 * tokens**2 * width * layers
    assert vision_presets()[name].sample_flop == pytest.approx(6 * products, rel=0.007)


GOOD = """{title: T, layers: 2, hidden: 8, ffn: 8, heads: 2, kv_heads: 2, vocab: 8, seq: 8, gated: true,
deferred_head: false, source: s, status: recalled"""


@pytest.mark.parametrize(
    ("model", "key"),
    [
        (GOOD + ", experts: 8}", "models.m.experts"),
        (GOOD + ", experts: {count: 8, per_token: 2}}", "models.m.experts.ffn"),
        (GOOD + ", experts: {count: 8, per_token: 0, ffn: 8}}", "models.m.experts.per_token"),
        (GOOD + ", experts: {count: 8, per_token: 2, ffn: 8, shared: -1}}", "models.m.experts.shared"),
        (GOOD + ", latent: {rank: 8}}", "models.m.latent.rank"),
        (GOOD.replace("layers: 2", "layers: 0") + "}", "models.m.layers"),
        (GOOD.replace("gated: true", "gated: 1") + "}", "models.m.gated"),
        (GOOD.replace("source: s, ", "") + "}", "models.m.source"),
        (GOOD + ", colour: red}", "models.m.colour"),
    ],
)
def test_bad_preset_is_refused_with_key(tmp_path, monkeypatch, model, key):
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "models.yaml").write_text(f"models:\n  m: {model}\nvision: {{v: {{title: V}}}}\n")
    monkeypatch.setattr("twin.resources.folder", lambda _: tmp_path)
    caches = (figures.read_document, models.model_presets, models.model_preset, models.vision_presets)
    for cached in caches:
        cached.cache_clear()
    try:
        with pytest.raises(ProfileError) as caught:
            model_presets()
        with pytest.raises(ProfileError, match=r"vision\.v\.sample_flop: missing"):
            vision_presets()
    finally:
        for cached in caches:
            cached.cache_clear()
    assert (caught.value.file, caught.value.key) == ("assets/profiles/models.yaml", key)
