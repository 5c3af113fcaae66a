from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin.planning.profile.standing import WORTH_OF_EXPERTS

HEAD = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ntitle: Mine\n"


def test_best_plans_with_parts_memory_and_constraints(twin) -> None:
    said = json.loads(
        twin(
            "plan", "superpod-h100", "--model", "Llama 3.1 70B", "--gpus", 64, "--batch", 128, "--json"
        ).stdout
    )
    assert (said["model"], said["gpu"], said["gpus"], said["profile"]) == (
        "llama3-70b",
        "H100-SXM",
        64,
        "h100",
    )
    assert len(said["plans"]) == 5
    steps = [plan["step_s"] for plan in said["plans"]]
    assert steps == sorted(steps)
    for plan in said["plans"]:
        assert plan["tensor"] * plan["pipeline"] * plan["context"] * plan["data"] == 64
        assert sum(plan["memory"].values()) == pytest.approx(plan["memory_bytes"])
        assert plan["nodes"] == 8
        assert plan["network"]["data"] == 1
    assert said["plans"][0]["slower_because"] is None
    assert said["plans"][1]["slower_because"]
    assert said["refused"]["does not fit in memory"] > 0
    assert said["tried"] > 100
    assert "5-10 %" in said["worth"]


def test_the_snippet_can_be_pasted_into_a_scene(twin, tmp_path: Path) -> None:
    words = ("plan", "lab-16", "--model", "llama3-8b", "--gpus", 16, "--batch", 128)
    said = json.loads(twin(*words, "--json").stdout)
    best = said["plans"][0]
    assert twin(*words).stdout.endswith(best["yaml"])
    inside = "".join(f"      {line}\n" for line in best["yaml"].splitlines())
    scene = tmp_path / "mine.twin.yaml"
    scene.write_text(
        f"{HEAD}jobs:\n  - id: llama3\n    nodes: 2\n    workload:\n      kind: llm\n      model: llama3-8b\n"
        f"      global_batch: 128\n{inside}"
    )
    assert "nothing found" in twin("check", scene).stdout


def test_gpus_and_batch_of_the_scene_are_the_default(twin) -> None:
    said = json.loads(twin("plan", "llama3-16k", "--model", "llama3-405b", "--top", 2, "--json").stdout)
    assert said["gpus"] == 16384
    assert len(said["plans"]) == 2
    assert said["search_s"] > 0


def test_fp8_is_faster_and_experts_are_low_confidence(twin) -> None:
    def best(*more: object) -> dict:
        words = ("plan", "superpod-h100", "--gpus", 64, "--batch", 128, "--json", *more)
        return json.loads(twin(*words).stdout)

    slow, fast = best("--model", "llama3-8b"), best("--model", "llama3-8b", "--precision", "fp8")
    assert fast["plans"][0]["step_s"] < slow["plans"][0]["step_s"]
    assert slow["confidence"] == "calibrated"
    mixture = best("--model", "mixtral-8x7b")
    assert mixture["confidence"] == "low"
    assert mixture["worth"].startswith(f"{WORTH_OF_EXPERTS}; step times 90 % within ")
    sharded = best("--model", "llama3-8b", "--sharding", "weights")
    assert {plan["sharding"] for plan in sharded["plans"]} == {"weights"}


def test_the_stack_is_said_and_can_be_changed(twin, tmp_path: Path) -> None:
    words = ("plan", "video-ingest", "--model", "llama3-70b", "--gpus", 256, "--batch", 512)
    text = twin(*words).stdout
    assert "stack: unfused attention, no sequence parallelism, no overlap, nothing sharded, 2-byte" in text
    assert "other stacks on this GPU: --profile a100-deepspeed, a100-fsdp, a100-modern" in text

    old = json.loads(twin(*words, "--json").stdout)
    new = json.loads(twin(*words, "--profile", "a100-modern", "--json").stdout)
    assert new["plans"][0]["step_s"] < old["plans"][0]["step_s"]
    assert (old["confidence"], new["confidence"]) == ("calibrated", "derived")
    assert new["plans"][0]["yaml"].startswith("profile: a100-modern\n")

    options = (
        "--flash",
        "--seq-parallel",
        "--tp-overlap",
        "--dp-overlap",
        "--p2p-overlap",
        "--grad-bytes",
        4,
    )
    own = json.loads(twin(*words, *options, "--json").stdout)
    assert own["stack"]["flash"]
    assert own["stack"]["grad_bytes"] == 4
    assert not old["stack"]["flash"]
    inside = "".join(f"      {line}\n" for line in own["plans"][0]["yaml"].splitlines())
    for line in ("seq_parallel: true", "flash: true", "tensor_overlap: true", "gradient_bytes: 4"):
        assert f"        {line}\n" in inside
    scene = tmp_path / "mine.twin.yaml"
    scene.write_text(
        f"{HEAD.replace('lab-16', 'video-ingest')}jobs:\n  - id: llama\n    nodes: 32\n"
        "    checkpoint: {interval: none}\n    workload:\n"
        f"      kind: llm\n      model: llama3-70b\n      global_batch: 512\n{inside}"
    )
    assert "error" not in twin("check", scene).stdout
    assert "--grad-bytes: 3 is neither 2 nor 4" in twin(*words, "--grad-bytes", 3, code=2).stderr


def test_more_gpus_of_the_scene_are_named_too(twin) -> None:
    words = ("plan", "superpod-h100", "--model", "llama3-70b", "--gpus", 240, "--batch", 512)
    assert "a batch of 540, or 256 or 160 GPUs would work" in twin(*words, code=1).stdout


def test_what_fits_nowhere_says_what_would(twin) -> None:
    result = twin("plan", "lab-16", "--model", "llama3-405b", "--batch", 16, code=1)
    assert "no configuration can run; 128 GPUs would do" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "llama9"), "no such model; known are"),
        (("--model", "vit-22b"), "vision.vit-22b: trained sample by sample"),
        (("--model", "llama3-8b", "--gpus", 4096), "4096 GPUs are more than the 16 x H100-SXM"),
        (("--model", "llama3-8b", "--precision", "int4"), "none of bf16, fp8, mxfp8, nvfp4"),
        (("--model", "llama3-8b", "--sharding", "some"), "none of none, optimizer"),
        (("--model", "llama3-8b", "--profile", "h101"), "no such profile"),
    ],
)
def test_what_cannot_be_planned_is_exit_code_2(twin, words: tuple[object, ...], said: str) -> None:
    assert said in twin("plan", "lab-16", *words, code=2).stderr


def test_days_and_energy_of_a_whole_training(twin) -> None:
    words = ("plan", "lab-16", "--model", "llama3-8b", "--batch", 128)
    training = json.loads(twin(*words, "--tokens", "100 B", "--json").stdout)["training"]
    assert (training["tokens"], training["tokens_source"]) == (1e11, "typed")
    assert training["time_s"] == pytest.approx(1e11 / training["tokens_per_day"] * 86_400)
    energy_j = training["nodes_w"] * training["pue"] * training["time_s"]
    assert training["energy_j"] == pytest.approx(energy_j)
    assert "100 B tokens take" in " ".join(twin(*words, "--tokens", "100B").stdout.split())
    assert "give --tokens" in twin(*words).stdout
    assert "is no number of tokens" in twin(*words, "--tokens", "many", code=2).stderr
