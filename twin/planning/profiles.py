"""Calibration profiles: effective numbers of a GPU generation with its software stack, with provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, cast

from twin.physics.training_inputs import Profile, Stack
from twin.planning.figures import (
    Figure,
    ProfileError,
    read_document,
    read_figure,
    refuse_unknown_keys,
    section,
)
from twin.resources import folder

Confidence = Literal["calibrated", "derived", "uncalibrated"]
CONFIDENCES: tuple[Confidence, ...] = ("calibrated", "derived", "uncalibrated")

DIMENSION_OF: Mapping[str, str] = {
    "peak_flops_s": "compute",
    "peak8_flops_s": "compute",
    "hbm_bytes_s": "bandwidth",
    "hbm_bytes": "data",
    "scale_up_bytes_s": "bandwidth",
    "scale_out_bytes_s": "bandwidth",
    "domain_gpus": "number",
    "scale_up_efficiency": "number",
    "scale_out_efficiency": "number",
    "gemm_efficiency": "number",
    "gemm_ramp_flop": "flop",
    "hbm_efficiency": "number",
    "attention_efficiency": "number",
    "tensor_exposed": "number",
    "jitter_per_doubling": "number",
    "fixed_s": "duration",
    "p2p_factor": "number",
    "fp8_efficiency": "number",
}
_KEYS = frozenset(("title", "extends", "confidence", "gpus", "notes", "figures", "stack"))
_STACK_TYPES: Mapping[str, type] = {
    "recompute": str,
    "seq_parallel": bool,
    "flash": bool,
    "sharding": str,
    "tp_overlap": bool,
    "dp_overlap": bool,
    "p2p_overlap": bool,
    "grad_bytes": int,
    "deferred_head": bool,
}


@dataclass(frozen=True, slots=True)
class CalibratedProfile:
    """A profile with what it stands on.

    Attributes
    ----------
    name, title
        File name without ending, and the name for people.
    profile
        The numbers.
    stack
        What the software does where a job does not say.
    confidence
        "calibrated": fitted to published runs of this generation; "derived": another generation's fit on this
        one's hardware; "uncalibrated": nothing published to hold it against.
    gpus
        Catalogue names it serves.
    figures
        Each number with unit, source and status, by field of `Profile`.
    """

    name: str
    title: str
    profile: Profile
    stack: Stack
    confidence: Confidence
    gpus: tuple[str, ...]
    figures: Mapping[str, Figure]


def load_profile(name: str) -> Profile:
    """Return the numbers of a shipped profile, such as "h100".

    Raises
    ------
    ProfileError
        When there is none of this name, or its file is wrong (with file and key).
    """
    return load_calibrated(name).profile


@cache
def load_calibrated(name: str) -> CalibratedProfile:
    """Return a shipped profile with its provenance; errors as in `load_profile`."""
    names = profile_names()
    if name not in names:
        raise ProfileError(f"profiles/{name}.yaml", "", f"no such profile; shipped are {', '.join(names)}")
    file = f"profiles/{name}.yaml"
    document = read_document(file)
    refuse_unknown_keys(document, _KEYS, file, "")
    base = _base(document, name, file)
    figures = _figures(document, base, file)
    values = {key: figure.value for key, figure in figures.items()}
    numbers: dict[str, Any] = {**values, "domain_gpus": round(values["domain_gpus"])}
    return CalibratedProfile(
        name=name,
        title=_text(document, "title", file),
        profile=Profile(**numbers),
        stack=_stack(document, base, file),
        confidence=_confidence(document, file),
        gpus=_gpus(document, file),
        figures=figures,
    )


@cache
def profile_names() -> tuple[str, ...]:
    """Return the names of all shipped profiles, sorted."""
    files = (entry.name for entry in (folder("assets") / "profiles").iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in files if n.endswith(".yaml") and n != "models.yaml"))


@cache
def profile_for_gpu(gpu: str) -> CalibratedProfile:
    """Return the profile that serves a GPU of the catalogue, upper and lower case alike.

    Raises
    ------
    ProfileError
        When no profile lists it; the message names those that are served.
    """
    served: dict[str, str] = {}
    for name in profile_names():
        for listed in load_calibrated(name).gpus:
            served[listed.lower()] = name
    if gpu.lower() not in served:
        raise ProfileError(
            "profiles", "gpus", f"no profile serves {gpu!r}; served are {', '.join(sorted(served))}"
        )
    return load_calibrated(served[gpu.lower()])


def _base(document: Mapping[str, Any], name: str, file: str) -> CalibratedProfile | None:
    extends = document.get("extends")
    if extends is None:
        return None
    if not isinstance(extends, str) or extends not in profile_names() or extends == name:
        raise ProfileError(
            file, "extends", f"{extends!r} is no other profile of {', '.join(profile_names())}"
        )
    if "extends" in read_document(f"profiles/{extends}.yaml"):
        raise ProfileError(file, "extends", f"{extends!r} extends another itself; one level only")
    return load_calibrated(extends)


def _figures(document: Mapping[str, Any], base: CalibratedProfile | None, file: str) -> dict[str, Figure]:
    given = section(document, file, "figures")
    refuse_unknown_keys(given, frozenset(DIMENSION_OF), file, "figures")
    figures = dict(base.figures) if base else {}
    for field in fields(Profile):
        key = f"figures.{field.name}"
        if field.name in given:
            figure = read_figure(given[field.name], DIMENSION_OF[field.name], file, key)
            if figure.value < 0:
                raise ProfileError(file, f"{key}.value", f"{figure.text} is negative")
            figures[field.name] = figure
        elif field.name not in figures:
            raise ProfileError(file, key, "missing")
    return figures


def _stack(document: Mapping[str, Any], base: CalibratedProfile | None, file: str) -> Stack:
    if "stack" not in document and base is not None:
        return base.stack
    given = section(document, file, "stack")
    refuse_unknown_keys(given, frozenset(_STACK_TYPES), file, "stack")
    for key, value in given.items():
        if type(value) is not _STACK_TYPES[key]:
            raise ProfileError(file, f"stack.{key}", f"{value!r} must be a {_STACK_TYPES[key].__name__}")
    if given.get("recompute", "none") not in ("none", "selective", "full"):
        raise ProfileError(file, "stack.recompute", "must be none, selective or full")
    if given.get("sharding", "none") not in ("none", "optimizer", "gradients", "weights"):
        raise ProfileError(file, "stack.sharding", "must be none, optimizer, gradients or weights")
    return Stack(**given)


def _confidence(document: Mapping[str, Any], file: str) -> Confidence:
    found = document.get("confidence")
    if found not in CONFIDENCES:
        raise ProfileError(file, "confidence", f"{found!r} is none of {', '.join(CONFIDENCES)}")
    return cast(Confidence, found)


def _gpus(document: Mapping[str, Any], file: str) -> tuple[str, ...]:
    found = document.get("gpus")
    if not isinstance(found, list) or not found or not all(isinstance(gpu, str) for gpu in found):
        raise ProfileError(file, "gpus", "must be a list of GPU names of the catalogue")
    return tuple(found)


def _text(document: Mapping[str, Any], key: str, file: str) -> str:
    found = document.get(key)
    if not isinstance(found, str) or not found:
        raise ProfileError(file, key, "must be a text")
    return found
