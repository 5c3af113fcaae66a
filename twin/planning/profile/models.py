"""Model presets: published shapes of transformers, and vision and video models, under the names people use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

from twin.catalog import Catalog
from twin.catalog.own_models import OwnModel
from twin.physics.training_inputs import AttentionWindow, Experts, Latent, Model, StateSpace
from twin.planning.profile.figures import (
    ProfileError,
    ProfileFigure,
    read_document,
    read_figure,
    refuse_unknown_keys,
    section,
)

FILE = "assets/profiles/models.yaml"
_COUNTS = ("layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq")
_PARTS = {"experts": Experts, "latent": Latent, "window": AttentionWindow, "state_space": StateSpace}
_NEEDED = frozenset((*_COUNTS, "gated", "title", "deferred_head", "source", "status"))
_KEYS = _NEEDED | {*_PARTS, "head_size", "predicted", "trained"}
_VISION_DIMENSION: Mapping[str, str] = {
    "sample_flop": "flop",
    "parameters": "number",
    "sample_bytes": "data",
    "batch_per_gpu": "number",
    "efficiency": "number",
    "sample_hbm_bytes": "data",
    "sample_activation_bytes": "data",
}


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
    trained_tokens, trained_source
        Tokens of the published training run, and where that is said; None where no count was published.
    """

    name: str
    title: str
    model: Model
    deferred_head: bool
    source: str
    status: str
    trained_tokens: float | None = None
    trained_source: str = ""


@dataclass(frozen=True, slots=True)
class VisionPreset:
    """A published vision or video model, as `VisionJob` asks for it.

    Attributes
    ----------
    name, title
        Key of the file, and the name for people.
    sample_flop
        Model FLOP of one sample, forward and backward [FLOP].
    parameters
        Weights of the model.
    sample_bytes
        Input read for one sample [B].
    batch_per_gpu
        Samples of one step on one GPU that fit a GPU of 80 GB, as a start.
    efficiency
        Achieved share of the 16-bit peak, 0..1.
    sample_hbm_bytes, sample_activation_bytes
        Traffic of one sample between GPU and memory, and what it keeps for its backward pass [B].
    figures
        Each number with unit, source and status.
    """

    name: str
    title: str
    sample_flop: float
    parameters: float
    sample_bytes: float
    batch_per_gpu: int
    efficiency: float
    sample_hbm_bytes: float
    sample_activation_bytes: float
    figures: Mapping[str, ProfileFigure]


@cache
def vision_presets() -> dict[str, VisionPreset]:
    """Return all shipped vision and video models by name; errors as in `model_presets`."""
    presets = section(read_document(FILE), FILE, "vision")
    return {name: _vision_preset(name, entry) for name, entry in presets.items()}


@cache
def model_presets() -> dict[str, ModelPreset]:
    """Return all shipped presets by name; `ProfileError` with file and key when the file is wrong."""
    return {name: model_preset(name) for name in section(read_document(FILE), FILE, "models")}


def presets_of(catalog: Catalog) -> dict[str, ModelPreset]:
    """Return the own models of a catalogue, then all shipped presets, by name."""
    return {name: own_preset(own) for name, own in catalog.own_models.items()} | model_presets()


def own_preset(own: OwnModel) -> ModelPreset:
    """Return an own model as a preset."""
    deferred = bool(own.shape.get("deferred_head", False))
    return ModelPreset(own.id, own.title, model_of(own.shape), deferred, own.source, own.status)


@cache
def model_preset(name: str) -> ModelPreset:
    """Return the shipped preset of this name."""
    return _preset(name, section(read_document(FILE), FILE, "models")[name])


def load_model(name: str, catalog: Catalog | None = None) -> ModelPreset:
    """Return one preset, such as "llama3-405b", or an own model of a catalogue.

    An unknown name raises `ProfileError`, which lists the known ones.
    """
    own = {} if catalog is None else catalog.own_models
    if name in own:
        return own_preset(own[name])
    presets = section(read_document(FILE), FILE, "models")
    if name in section(read_document(FILE), FILE, "vision"):
        raise ProfileError(
            FILE,
            f"vision.{name}",
            "trained sample by sample, with data parallelism only: it has no layers, hidden size or heads to split "
            "over GPUs",
        )
    if name not in presets:
        known = ", ".join((*own, *sorted(presets)))
        raise ProfileError(FILE, f"models.{name}", f"no such model; known are {known}")
    return model_preset(name)


def _preset(name: str, entry: Any) -> ModelPreset:
    key = f"models.{name}"
    if not isinstance(entry, Mapping):
        raise ProfileError(FILE, key, "must be a mapping")
    refuse_unknown_keys(entry, _KEYS, FILE, key)
    for needed in sorted(_NEEDED):
        if needed not in entry:
            raise ProfileError(FILE, f"{key}.{needed}", "missing")
    for count in _COUNTS:
        _refuse_uncounted(entry[count], f"{key}.{count}")
    for switch in ("gated", "deferred_head"):
        if type(entry[switch]) is not bool:
            raise ProfileError(FILE, f"{key}.{switch}", f"{entry[switch]!r} must be true or false")
    for count in ("head_size", "predicted"):
        if count in entry:
            _refuse_uncounted(entry[count], f"{key}.{count}")
    for part, kind in _PARTS.items():
        if part in entry:
            _refuse_uncounted_part(kind, entry[part], f"{key}.{part}")
    trained = section(entry, FILE, "trained") if "trained" in entry else {}
    return ModelPreset(
        name=name,
        title=str(entry["title"]),
        model=model_of(entry),
        deferred_head=entry["deferred_head"],
        source=str(entry["source"]),
        status=str(entry["status"]),
        trained_tokens=float(trained["tokens"]) if trained else None,
        trained_source=str(trained["source"]) if trained else "",
    )


def model_of(shape: Mapping[str, Any]) -> Model:
    """Return the model of a shape by the keys of the presets, which was checked already."""
    counts = {key: shape[key] for key in (*_COUNTS, "gated", "head_size", "predicted") if key in shape}
    parts: dict[str, Any] = {part: kind(**shape[part]) for part, kind in _PARTS.items() if part in shape}
    return Model(**counts, **parts)


def _refuse_uncounted_part(kind: type, entry: Any, key: str) -> None:
    """Raise `ProfileError` unless a part of a model is a mapping of whole numbers."""
    if not isinstance(entry, Mapping):
        raise ProfileError(FILE, key, "must be a mapping")
    refuse_unknown_keys(entry, frozenset(field.name for field in fields(kind)), FILE, key)
    for field in fields(kind):
        if field.name in entry:
            _refuse_uncounted(entry[field.name], f"{key}.{field.name}", least=0 if field.default == 0 else 1)
        elif field.default is MISSING:
            raise ProfileError(FILE, f"{key}.{field.name}", "missing")


def _refuse_uncounted(value: object, key: str, least: int = 1) -> None:
    if type(value) is not int or value < least:
        raise ProfileError(FILE, key, f"{value!r} must be a whole number from {least}")


def _vision_preset(name: str, entry: Any) -> VisionPreset:
    key = f"vision.{name}"
    if not isinstance(entry, Mapping):
        raise ProfileError(FILE, key, "must be a mapping")
    refuse_unknown_keys(entry, frozenset((*_VISION_DIMENSION, "title")), FILE, key)
    figures = {}
    for field, dimension in _VISION_DIMENSION.items():
        if field not in entry:
            raise ProfileError(FILE, f"{key}.{field}", "missing")
        figures[field] = read_figure(entry[field], dimension, FILE, f"{key}.{field}")
    values: dict[str, Any] = {field: figure.value for field, figure in figures.items()}
    values["batch_per_gpu"] = round(values["batch_per_gpu"])
    return VisionPreset(name=name, title=str(entry.get("title", name)), figures=figures, **values)
