"""Lists of nodes as one short text, in order: ``"0-31,40"``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.arrays import IntP

FEW = 64
"""Lists up to this long are gone through one by one: making an array of them takes longer."""


def node_list(nodes: Sequence[int] | IntP) -> str:
    """Return nodes as text; runs of neighbours are one range.

    Examples
    --------
    >>> node_list([4, 5, 6, 9, 2])
    '4-6,9,2'
    """
    if len(nodes) > FEW:
        many = np.asarray(nodes, np.intp)
        breaks = np.flatnonzero(many[1:] != many[:-1] + 1)
        ranges = zip(many[[0, *(breaks + 1)]].tolist(), many[[*breaks, -1]].tolist(), strict=True)
        return ",".join([f"{first}" if first == last else f"{first}-{last}" for first, last in ranges])
    parts: list[str] = []
    first = last = None
    for node in nodes:
        if last is not None and node == last + 1:
            last = node
            continue
        if first is not None:
            parts.append(f"{first}" if first == last else f"{first}-{last}")
        first = last = int(node)
    if first is not None:
        parts.append(f"{first}" if first == last else f"{first}-{last}")
    return ",".join(parts)


def node_ranges(text: str) -> list[tuple[int, int]]:
    """Return the ranges of a text as (first, last), both inside; the empty text has none.

    Raises
    ------
    ValueError
        When the text is no list of nodes.

    Examples
    --------
    >>> node_ranges("4-6,9")
    [(4, 6), (9, 9)]
    """
    ranges = []
    for part in text.split(",") if text else ():
        first, dash, last = part.partition("-")
        ranges.append((int(first), int(last) if dash else int(first)))
    return ranges
