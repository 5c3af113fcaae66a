"""Names that were there before, read from `kept_names.yaml`, and what of them is no longer there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

KEPT: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def gone(kind: str, names: Iterable[str]) -> list[str]:
    """Return what was there of a kind of names and is not among those of today."""
    return sorted(set(KEPT[kind].split()) - set(names))
