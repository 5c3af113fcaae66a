"""What is inside a part, and in its price."""

from __future__ import annotations

from collections import Counter

from twin.catalog.compute_parts import NodePart, RackPart
from twin.catalog.part import Part


def contents(part: Part) -> Counter[str]:
    """Return the parts inside another, which its price contains: GPUs, CPUs and NICs of a node, all in a rack."""
    inside: Counter[str] = Counter()
    if isinstance(part, NodePart):
        inside[part.gpu] += part.n_gpu
        inside[part.cpu] += part.n_cpu
        for group in part.nics:
            inside[group.part] += group.count
    elif isinstance(part, RackPart):
        for group in part.layout:
            inside[group.part] += group.count
    return inside
