"""The `config.json` that models are published with, as a shape: of known architectures, bounded, nothing executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from twin.physics.training_inputs import Experts, Model

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
_MOST = {
    "layers": 1000,
    "hidden": 1_000_000,
    "heads": 4096,
    "vocab": 10_000_000,
    "seq": 10_000_000,
    "ffn": 4_000_000,
}


class ConfigError(ValueError):
    """A `config.json` that cannot be read as a model: one sentence for people."""


def model_of_config(name: str, folder: Path | None, sequence: int | None) -> Model:
    """Return the shape of a model.

    Parameters
    ----------
    name
        Of the file, in `folder` or below it.
    folder
        The one of the need.
    sequence
        Tokens of one sequence; None: the longest that the model takes.

    Raises
    ------
    ConfigError
        When there is no such file, or it is not of a known architecture.
    """
    return model_of(_read(name, folder), sequence)


def model_of(config: dict[str, Any], sequence: int | None = None) -> Model:
    """Return the shape that a `config.json` says; raises as `model_of_config`."""
    named = config.get("architectures")
    names = named if isinstance(named, list) else []
    name = next((text for text in names if isinstance(text, str) and text in ARCHITECTURES), None)
    if name is None:
        given = ", ".join(str(text)[:60] for text in names[:3]) or "none"
        raise ConfigError(f"its architectures are {given}; known are {', '.join(ARCHITECTURES)}")
    found = {key: _count(config, _NAMES[key], key) for key in _NAMES}
    ffn = _count(config, ("intermediate_size", "n_inner"), "ffn", 4 * found["hidden"])
    kv_heads = _count(config, ("num_key_value_heads",), "heads", found["heads"])
    if found["heads"] % kv_heads:
        raise ConfigError(f"{kv_heads} key-value heads do not divide {found['heads']} attention heads")
    head = _count(config, ("head_dim",), "hidden", 0) or None
    experts = None
    if name == "MixtralForCausalLM":
        experts = Experts(
            count=_count(config, ("num_local_experts",), "heads"),
            per_token=_count(config, ("num_experts_per_tok",), "heads"),
            ffn=ffn,
        )
    return Model(
        found["layers"],
        found["hidden"],
        ffn,
        found["heads"],
        kv_heads,
        found["vocab"],
        ARCHITECTURES[name],
        sequence or found["seq"],
        experts=experts,
        head_size=head,
    )


def _count(config: dict[str, Any], names: tuple[str, ...], key: str, default: int | None = None) -> int:
    for name in names:
        value = config.get(name)
        if value is None:
            continue
        if type(value) is not int or not 1 <= value <= _MOST[key]:
            raise ConfigError(
                f"{name} is {str(value)[:40]}; it must be a whole number from 1 to {_MOST[key]:,}"
            )
        return value
    if default is None:
        raise ConfigError(f"it lacks {' or '.join(names)}")
    return default


def _read(name: str, folder: Path | None) -> dict[str, Any]:
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
        config = json.loads(place.read_text(encoding="utf-8"))
    except ConfigError:
        raise
    except (OSError, ValueError, RecursionError) as wrong:
        raise ConfigError(f"it cannot be read: {type(wrong).__name__}") from None
    if not isinstance(config, dict):
        raise ConfigError("it is no mapping")
    return config
