"""JSON alone on standard output."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from twin.cli.json_formats import JsonFormat
from twin.shown_text import in_json


def print_json(format: JsonFormat, value: Mapping[str, Any]) -> None:
    """Print `value` as JSON below its format; no finite number is unknown, hence null."""
    value = {"format": format.id, "version": format.version, **value}
    print(in_json(json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False)))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
