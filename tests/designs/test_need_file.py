"""Need files: what is wrong is told with file, line, key and reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin import resources
from twin.catalog.config_json import ARCHITECTURES
from twin.designs.need_file import FILE_NAME, json_schema, load_need, need_from, shipped_needs
from twin.planning.profile.models import load_model
from twin.scenario.text.problem import ScenarioError

NEED = """format: twin/need
version: 1
workloads:
  - kind: llm
    model: llama3-8b
    tokens: 1.0e+11
    global_batch: 128
    deadline: 30 day
"""
LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
}


def with_config(folder: Path, config: object, name: str = "config.json") -> ScenarioError | None:
    """Return what is wrong with a need whose model is of this config.json; None: nothing."""
    (folder / "config.json").write_text(json.dumps(config))
    text = NEED.replace("model: llama3-8b", f"config: {name}")
    try:
        found = need_from(text, "a.twin-need.yaml", folder)
    except ScenarioError as wrong:
        return wrong
    assert found.models[0] == load_model("llama3-8b").model
    return None


def test_a_need_is_read_with_its_defaults() -> None:
    found = need_from(NEED)
    assert found.models[0] == load_model("llama3-8b").model
    assert (found.need.redundancy, found.need.climate, found.need.limits.power_w) == ("N", "frankfurt", None)


@pytest.mark.parametrize("name", shipped_needs())
def test_shipped_needs_have_sources(name: str) -> None:
    assert load_need(name).need.sources


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("model: llama3-8b", "model: llama3-9b", ":5: workloads[0].model"),
        ("tokens: 1.0e+11", "tokens: -1", ":6: workloads[0].tokens"),
        ("deadline: 30 day", "deadline: 30", ":8: workloads[0].deadline"),
        ("deadline: 30 day", "budget: 30", ":8: workloads[0].budget"),
        ("version: 1", "version: 2", ":2: version"),
        ("version: 1", "version: 1\nclimate: atlantis", ":3: climate"),
        ("version: 1", "version: 1\nlimits: {power: 10 m}", ":3: limits.power"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(before: str, after: str, said: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        need_from(NEED.replace(before, after), "a.twin-need.yaml")
    assert f"a.twin-need.yaml{said}" in str(wrong.value)


def test_a_need_says_how_much(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="deadline, a stage with its GPUs, or a trace"):
        need_from(NEED.replace("    deadline: 30 day\n", ""))


@pytest.mark.parametrize("dataset", ["", "dataset: {size: 0 B, read: 10 GB/s}\n"])
def test_a_vision_workload_needs_its_data(dataset: str) -> None:
    work = "{kind: vision, sample_flop: 3.0e+13, parameters: 1.2e+9, sample: 160 MB, deadline: 14 day}"
    head = NEED.partition("workloads")[0]
    with pytest.raises(ScenarioError, match="a vision workload needs a dataset with a size"):
        need_from(f"{head}{dataset}workloads:\n  - {work}\n")


def test_a_config_json_of_a_known_architecture_is_a_model(tmp_path: Path) -> None:
    assert with_config(tmp_path, LLAMA) is None


def test_another_architecture_is_refused_with_those_known(tmp_path: Path) -> None:
    wrong = str(with_config(tmp_path, LLAMA | {"architectures": ["MambaForCausalLM"]}))
    assert "a.twin-need.yaml:5: workloads[0].config" in wrong
    assert "MambaForCausalLM" in wrong
    assert all(name in wrong for name in ARCHITECTURES)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({"hidden_size": "4096"}, "hidden_size"),
        ({"num_key_value_heads": 7}, "do not divide"),
        ({"vocab_size": None}, "lacks vocab_size"),
    ],
)
def test_figures_of_a_config_json_are_bounded(tmp_path: Path, change: dict[str, object], said: str) -> None:
    assert said in str(with_config(tmp_path, LLAMA | change))


def test_a_config_json_lies_in_the_folder_of_the_need(tmp_path: Path) -> None:
    assert "must lie in the folder" in str(with_config(tmp_path, LLAMA, "../config.json"))
    assert "no such file" in str(with_config(tmp_path, LLAMA, "other.json"))


@pytest.mark.parametrize("text", [b'{"a": ' + b"1" * 5000 + b"}", b"[" * 200_000, b"{", b"\xff"])
def test_a_config_json_that_cannot_be_read_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "config.json").write_bytes(text)
    with pytest.raises(ScenarioError, match=r"workloads\[0\].config .*it cannot be read"):
        need_from(NEED.replace("model: llama3-8b", "config: config.json"), "need", tmp_path)


def test_the_schema_is_the_one_committed() -> None:
    path = Path(str(resources.folder("assets"))) / "schema" / FILE_NAME
    assert json.loads(path.read_text(encoding="utf-8")) == json_schema()
