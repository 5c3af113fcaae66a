"""A scene with parts and models of its own, for tests: a toy GPU in toy nodes, a toy model and a `config.json`."""

from __future__ import annotations

import json
from pathlib import Path

from twin.catalog import load_catalog
from twin.catalog.part_text import copy_of

GPU, NODE, MODEL = "TOY-GPU", "TOY-NODE", "toy-1b"
NODE_TEXT = """
  {id}:
    title: Toy node of {gpus} GPUs
    vendor: Toys
    height_u: {{value: 6, source: toy, status: unverified}}
    depth: {{value: 0.9 m, source: toy, status: unverified}}
    weight: {{value: 99 kg, source: toy, status: unverified}}
    gpu: {gpu}
    n_gpu: {{value: {gpus}, source: toy, status: published}}
    cpu: Xeon-8480C
    n_cpu: {{value: 2, source: toy, status: unverified}}
    nics:
      - {{part: CX-7-400G, count: {nics}, use: compute, source: toy, status: published}}
    scale_up_gpus: {{value: {gpus}, source: toy, status: published}}
    max: {{value: {max_w} W, source: toy, status: published}}
    idle: {{value: {idle_w} W, source: toy, status: published}}
    overhead_idle: {{value: 632 W, source: toy, status: unverified}}
    overhead_full: {{value: 1400 W, source: toy, status: unverified}}
    memory: {{value: 1 TB, source: toy, status: unverified}}
    nvme: {{value: 15 TB, source: toy, status: unverified}}
    nvme_read: {{value: 27 GB/s, source: toy, status: unverified}}
    nvme_write: {{value: 16 GB/s, source: toy, status: unverified}}
    power_entry: psu
    psu_count: {{value: 8, source: toy, status: unverified}}
    psu_needed: {{value: 6, source: toy, status: unverified}}
    psu_capacity: {{value: 3300 W, source: toy, status: unverified}}
    cooling: air
    liquid_fraction: {{value: 0 %, source: toy, status: unverified}}
    airflow: {{value: 1000 CFM, source: toy, status: unverified}}
    inlet_min: {{value: 5 degC, source: toy, status: unverified}}
    inlet_max: {{value: 30 degC, source: toy, status: unverified}}
    price: {{value: {price} USD, low: {low} USD, high: {high} USD, date: "2026-11", source: toy, status: unverified}}
"""
MODEL_TEXT = """models:
  toy-1b:
    title: Toy 1B
    layers: 16
    hidden: 2048
    ffn: 8192
    heads: 32
    kv_heads: 8
    vocab: 32000
    gated: true
    seq: 4096
    source: "made up for tests"
    status: estimated
"""
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "num_hidden_layers": 16,
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
}
SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: A hall of toys
duration: 2 h
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {{count: 2, nodes: [{{part: {node}, count: {each}}}]}}
fabrics:
  - {{id: ib, kind: rail-optimised, rows: [gpu], leaf: {{part: QM9700}}, spine: {{part: QM9700}}}}
cooling:
  plants: [{{id: water, kind: dry-cooler, supply: 14 degC}}]
  loops: [{{id: crah, kind: air, part: CRAH-chilled, plant: water, supply: 22 degC, serves: [gpu]}}]
storage:
  - {{id: disk, read: 100 GB/s, write: 100 GB/s}}
jobs:
  - id: train
    nodes: {nodes}
    storage: disk
    workload: {{kind: llm, model: {model}, global_batch: 64, parallelism: {{tensor: {tensor}}}}}
"""


def gpu_text(tdp_w: float = 600.0, peak: float = 500.0) -> str:
    """Return a catalogue file with the toy GPU: a copy of an H100 with half the peak."""
    text = copy_of(load_catalog(), "H100-SXM", GPU)
    text = text.replace("H100 SXM 80 GB (own)", "Toy GPU").replace("vendor: NVIDIA", "vendor: Toys")
    text = text.replace("value: 989 TFLOP/s", f"value: {peak:g} TFLOP/s").replace("1979", f"{2 * peak:g}")
    return text.replace("tdp: {value: 700 W", f"tdp: {{value: {tdp_w:g} W").replace("3350 GB/s", "2000 GB/s")


def node_text(gpus: int = 8, gpu: str = GPU, id: str = NODE, price: float = 400_000.0) -> str:
    """Return an entry of `node:` with so many GPUs."""
    return NODE_TEXT.format(
        id=id,
        gpus=gpus,
        gpu=gpu,
        nics=gpus,
        max_w=700 * gpus + 2000,
        idle_w=92 * gpus + 632,
        price=price,
        low=0.7 * price,
        high=1.5 * price,
    )


def parts_text(gpus: int = 8, gpu: str = GPU) -> str:
    """Return a catalogue file with the toy node."""
    head = 'format: twin/catalog\nversion: 1\nsources:\n  toy: "made up for tests"\nnode:'
    return head + node_text(gpus, gpu)


def scene_text(
    node: str = NODE, each: int = 2, nodes: int = 4, model: str = MODEL, tensor: int = 1, more: str = ""
) -> str:
    """Return the text of the scene."""
    return SCENE.format(node=node, each=each, nodes=nodes, model=model, tensor=tensor) + more


def write(folder: Path, gpus: int = 8, gpu: str = GPU, **scene: object) -> Path:
    """Write the scene with its parts and models into a folder, and return its path."""
    for name, text in (
        ("parts/gpu.yaml", gpu_text()),
        ("parts/node.yaml", parts_text(gpus, gpu)),
        ("models/toy.yaml", MODEL_TEXT),
        ("models/Toy-Llama/config.json", json.dumps(CONFIG)),
        ("toys.twin.yaml", scene_text(**scene)),  # type: ignore[arg-type]
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "toys.twin.yaml"
