"""Small halls with a fabric: language models that talk between nodes."""

from __future__ import annotations

from typing import Any

from sim_scenes import air_cooling, causes, job, tiny

from twin.scenario.schema.document import Scenario

LEAF_SPINE = {
    "id": "ib",
    "kind": "leaf-spine",
    "unit_nodes": 4,
    "leaf": {"part": "QM9700"},
    "spine": {"part": "QM9700"},
}


def model(
    id: str, nodes: int, batch: int = 64, name: str = "llama3-8b", **parallelism: int
) -> dict[str, Any]:
    """Return a language model that checkpoints every 600 s, its gradients not hidden behind compute."""
    return job(
        nodes,
        id,
        workload={
            "kind": "llm",
            "model": name,
            "global_batch": batch,
            "parallelism": parallelism,
            "stack": {"data_overlap": False},
        },
    )


def hall(
    *jobs: dict[str, Any], nodes: int = 16, fabric: dict[str, Any] | None = None, **more: Any
) -> Scenario:
    """Return a hall of nodes in racks of four, on one leaf-spine fabric; nothing fails by itself."""
    rows = {
        "id": "gpu",
        "racks": {"count": nodes // 4, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]},
    }
    cooling = air_cooling(["gpu"], units=min(500, max(1, nodes // 4)), supply="20 degC")
    document = {
        "halls": [{"id": "hall", "rows": [rows]}],
        "cooling": cooling,
        "fabrics": [LEAF_SPINE | (fabric or {})],
        "failures": {"repair_constant": "2 h", "causes": causes(0.0)},
    }
    return tiny(jobs=jobs, **(document | more))
