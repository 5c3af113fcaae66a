"""The `config.json` that models are published with, as a shape: of known architectures, bounded, nothing executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MOST_BYTES = 1_000_000
ARCHITECTURES = {
    "LlamaForCausalLM": True,
    "MistralForCausalLM": True,
    "Qwen2ForCausalLM": True,
    "Qwen3ForCausalLM": True,
    "MixtralForCausalLM": True,
    "GPT2LMHeadModel": False,
    "GPTNeoXForCausalLM": False,
}
"""Architectures that are read, and whether their feed-forward network has a gate."""
_NAMES = {
    "layers": ("num_hidden_layers", "n_layer"),
    "hidden": ("hidden_size", "n_embd"),
    "heads": ("num_attention_heads", "n_head"),
    "vocab": ("vocab_size",),
    "seq": ("max_position_embeddings", "n_positions"),
}
MOST = {
    "layers": 1000,
    "hidden": 1_000_000,
    "heads": 4096,
    "vocab": 10_000_000,
    "seq": 10_000_000,
    "ffn": 4_000_000,
}


class ConfigError(ValueError):
    """A `config.json` that cannot be read as a model: one sentence for people."""


def shape_in_file(name: str, folder: Path | None) -> dict[str, Any]:
    """Return the shape of a model, as `shape_of` does.

    Parameters
    ----------
    name
        Of the file, in `folder` or below it.
    folder
        The one of the need.

    Raises
    ------
    ConfigError
        When there is no such file, or it is not of a known architecture.
    """
    return shape_in_text(_read(name, folder))


def shape_in_text(text: str) -> dict[str, Any]:
    """Return the shape that the text of a `config.json` says; raises as `shape_of`."""
    if len(text) > MOST_BYTES:
        raise ConfigError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise ConfigError(f"it cannot be read: {type(wrong).__name__}") from None
    if not isinstance(config, dict):
        raise ConfigError("it is no mapping")
    return shape_of(config)


def shape_of(config: dict[str, Any]) -> dict[str, Any]:
    """Return what a `config.json` says, by the keys of `assets/profiles/models.yaml`: layers, hidden, ...

    `seq` is the longest sequence that the model takes.

    Raises
    ------
    ConfigError
        When it is not of a known architecture, or a number of it is missing or out of range.
    """
    named = config.get("architectures")
    names = named if isinstance(named, list) else []
    name = next((text for text in names if isinstance(text, str) and text in ARCHITECTURES), None)
    if name is None:
        given = ", ".join(str(text)[:60] for text in names[:3]) or "none"
        raise ConfigError(f"its architectures are {given}; known are {', '.join(ARCHITECTURES)}")
    shape: dict[str, Any] = {key: _count(config, _NAMES[key], key) for key in _NAMES}
    shape["ffn"] = _count(config, ("intermediate_size", "n_inner"), "ffn", 4 * shape["hidden"])
    shape["kv_heads"] = _count(config, ("num_key_value_heads",), "heads", shape["heads"])
    if shape["heads"] % shape["kv_heads"]:
        raise ConfigError(
            f"{shape['kv_heads']} key-value heads do not divide {shape['heads']} attention heads"
        )
    head = _count(config, ("head_dim",), "hidden", 0)
    if head:
        shape["head_size"] = head
    if name == "MixtralForCausalLM":
        shape["experts"] = {
            "count": _count(config, ("num_local_experts",), "heads"),
            "per_token": _count(config, ("num_experts_per_tok",), "heads"),
            "ffn": shape["ffn"],
        }
    return {**shape, "gated": ARCHITECTURES[name]}


def _count(config: dict[str, Any], names: tuple[str, ...], key: str, default: int | None = None) -> int:
    for name in names:
        value = config.get(name)
        if value is None:
            continue
        if type(value) is not int or not 1 <= value <= MOST[key]:
            raise ConfigError(
                f"{name} is {str(value)[:40]}; it must be a whole number from 1 to {MOST[key]:,}"
            )
        return value
    if default is None:
        raise ConfigError(f"it lacks {' or '.join(names)}")
    return default


def _read(name: str, folder: Path | None) -> str:
    if folder is None:
        raise ConfigError("the need has no folder to read it from")
    place = (folder / name).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise ConfigError("it must lie in the folder of the need")
    try:
        if not place.is_file():
            raise ConfigError("there is no such file")
        if place.stat().st_size > MOST_BYTES:
            raise ConfigError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise ConfigError(f"it cannot be read: {type(wrong).__name__}") from None
