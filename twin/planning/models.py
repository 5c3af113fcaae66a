"""Model presets: published shapes of transformers under the names people use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from twin.physics.training_inputs import Model
from twin.planning.figures import ProfileError, read_document, refuse_unknown_keys, section

FILE = "profiles/models.yaml"
_COUNTS = ("layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq")
_KEYS = frozenset((*_COUNTS, "gated", "title", "deferred_head", "source", "status"))


@dataclass(frozen=True, slots=True)
class ModelPreset:
    """A published model.

    Attributes
    ----------
    name, title
        Key of the file, and the name for people.
    model
        Its shape, with the sequence length it was trained at.
    deferred_head
        Whether published stacks take its embedding weight gradient out of the pipeline.
    source, status
        Where the shape comes from, and how sure that is.
    """

    name: str
    title: str
    model: Model
    deferred_head: bool
    source: str
    status: str


@cache
def model_presets() -> dict[str, ModelPreset]:
    """Return all shipped presets by name; `ProfileError` with file and key when the file is wrong."""
    models = section(read_document(FILE), FILE, "models")
    return {name: _preset(name, entry) for name, entry in models.items()}


def load_model(name: str) -> ModelPreset:
    """Return one preset, such as "llama3-405b"; `ProfileError` names the known ones when there is none."""
    presets = model_presets()
    if name not in presets:
        raise ProfileError(FILE, f"models.{name}", f"no such model; known are {', '.join(sorted(presets))}")
    return presets[name]


def _preset(name: str, entry: Any) -> ModelPreset:
    key = f"models.{name}"
    if not isinstance(entry, dict):
        raise ProfileError(FILE, key, "must be a mapping")
    refuse_unknown_keys(entry, _KEYS, FILE, key)
    for needed in sorted(_KEYS):
        if needed not in entry:
            raise ProfileError(FILE, f"{key}.{needed}", "missing")
    for count in _COUNTS:
        if type(entry[count]) is not int or entry[count] < 1:
            raise ProfileError(FILE, f"{key}.{count}", f"{entry[count]!r} must be a whole number from 1")
    for switch in ("gated", "deferred_head"):
        if type(entry[switch]) is not bool:
            raise ProfileError(FILE, f"{key}.{switch}", f"{entry[switch]!r} must be true or false")
    shape = {count: entry[count] for count in _COUNTS}
    return ModelPreset(
        name=name,
        title=str(entry["title"]),
        model=Model(gated=entry["gated"], **shape),
        deferred_head=entry["deferred_head"],
        source=str(entry["source"]),
        status=str(entry["status"]),
    )
