"""Calibration profiles: effective numbers of a GPU generation with its software stack, with provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal, cast

from twin.language import tr
from twin.physics.training_inputs import Profile, SoftwareStack
from twin.planning.profile.figures import (
    ProfileError,
    ProfileFigure,
    read_document,
    read_figure,
    refuse_unknown_keys,
    section,
)
from twin.resources import folder

Confidence = Literal["own runs", "calibrated", "derived", "uncalibrated"]
CONFIDENCES: tuple[Confidence, ...] = ("own runs", "calibrated", "derived", "uncalibrated")

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
MAY_BE_ZERO = frozenset(("gemm_ramp_flop", "tensor_exposed", "jitter_per_doubling", "fixed_s"))
_KEYS = frozenset(("title", "extends", "confidence", "gpus", "also", "software", "notes", "figures", "stack"))
_STACK_TYPES: Mapping[str, type] = {
    "recompute": str,
    "seq_parallel": bool,
    "flash": bool,
    "sharding": str,
    "tp_overlap": bool,
    "dp_overlap": bool,
    "p2p_overlap": bool,
    "ep_overlap": bool,
    "grad_bytes": int,
    "deferred_head": bool,
}


@dataclass(frozen=True, slots=True)
class CalibratedProfile:
    """A profile with its confidence, its GPUs and its software stack.

    Attributes
    ----------
    name, title
        File name without ending, and the name for people.
    profile
        The numbers.
    stack
        What the software does where a job does not say.
    confidence
        "own runs": fitted to measured runs of its user; "calibrated": held against published runs of this
        generation; "derived": another generation's fit on this one's hardware; "uncalibrated": nothing published
        to hold it against.
    gpus, also
        Catalogue names it serves, and what else people call them.
    extends
        Profile that the rest is taken from; empty when there is none.
    variant
        Another software stack on the GPUs of the profile it extends: never chosen unless asked for by name or by its
        software.
    software
        What people call its software stack, where a table names one; empty: only its own name chooses a variant.
    figures
        Each number with unit, source and status, by field of `Profile`.
    notes
        What it was held against, for people.
    """

    name: str
    title: str
    profile: Profile
    stack: SoftwareStack
    confidence: Confidence
    gpus: tuple[str, ...]
    also: tuple[str, ...]
    extends: str
    variant: bool
    figures: Mapping[str, ProfileFigure]
    notes: str
    software: tuple[str, ...] = ()


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
    base = document.get("extends")
    if base == name or (
        isinstance(base, str) and base in names and "extends" in read_document(f"profiles/{base}.yaml")
    ):
        raise ProfileError(file, "extends", f"{base!r} itself extends another profile; one level only")
    return profile_from(document, name, file)


def profile_from(document: Mapping[str, Any], name: str, file: str) -> CalibratedProfile:
    """Return the profile that a document describes.

    Parameters
    ----------
    document
        Keys as the shipped files have them; `extends` names a shipped profile.
    name
        What to call it.
    file
        For messages.

    Raises
    ------
    ProfileError
        With file and key.
    """
    refuse_unknown_keys(document, _KEYS, file, "")
    base = _base(document, file)
    figures = _figures(document, base, file)
    values = {key: figure.value for key, figure in figures.items()}
    numbers: dict[str, Any] = {**values, "domain_gpus": round(values["domain_gpus"])}
    # Without GPUs of its own it is another stack on those of its base.
    variant = base is not None and "gpus" not in document
    return CalibratedProfile(
        name=name,
        title=_text(document, "title", file),
        profile=Profile(**numbers),
        stack=_stack(document, base, file),
        confidence=_confidence(document, file),
        gpus=base.gpus if base is not None and variant else _names(document, "gpus", file),
        also=_names(document, "also", file) if "also" in document else (),
        extends=base.name if base else "",
        variant=variant,
        figures=figures,
        notes=_text(document, "notes", file).strip() if "notes" in document else "",
        software=_names(document, "software", file) if "software" in document else (),
    )


@cache
def profile_names() -> tuple[str, ...]:
    """Return the names of all shipped profiles, sorted."""
    files = (entry.name for entry in (folder("assets") / "profiles").iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in files if n.endswith(".yaml") and n != "models.yaml"))


@cache
def profile_for_gpu(gpu: str) -> CalibratedProfile:
    """Return the profile that serves a GPU, by its name in the catalogue or in a published table.

    Upper and lower case, the maker's name, the form factor ("SXM5") and, where no profile asks for it, the size of
    the memory ("80GB") make no difference. Variants of a stack are never chosen.

    Raises
    ------
    ProfileError
        When no profile serves it; the message names those that are served.
    """
    served = _served()
    wanted = _spelling(gpu)
    for spelling in (wanted, _MEMORY_SIZE.sub("", wanted)):
        if spelling in served:
            return load_calibrated(served[spelling])
    known = sorted({gpu for name in profile_names() for gpu in load_calibrated(name).gpus})
    raise ProfileError("profiles", "gpus", f"no profile serves {gpu!r}; served are {', '.join(known)}")


def variant_for_software(profile: CalibratedProfile, text: str) -> CalibratedProfile:
    """Return the profile of the software that a text names, on the GPUs of `profile`; else `profile` itself.

    Examples
    --------
    >>> h100 = load_calibrated("h100")
    >>> variant_for_software(h100, "Megatron-LM README").name, variant_for_software(h100, "nemo_megatron/").name
    ('h100-megatron', 'h100')
    """
    for variant in (load_calibrated(name) for name in profile_names()):
        if (
            variant.variant
            and variant.extends == profile.name
            and any(_says(text, word) for word in variant.software)
        ):
            return variant
    return profile


def _says(text: str, name: str) -> bool:
    """Return whether a text names some software, with any separators between the words of its name."""
    spelled = r"[\s_-]?".join(re.escape(word) for word in re.split(r"[\s_-]+", name.lower()))
    return re.search(rf"(?<![a-z0-9]){spelled}(?![a-z0-9])", text.lower()) is not None


def other_stacks(profile: CalibratedProfile) -> tuple[CalibratedProfile, ...]:
    """Return the shipped profiles of other software on the same GPUs."""
    shipped = (load_calibrated(name) for name in profile_names())
    base = profile.extends if profile.variant else profile.name
    return tuple(
        candidate
        for candidate in shipped
        if candidate.name != profile.name
        and (candidate.name == base or (candidate.variant and candidate.extends == base))
    )


WORTH_OF_EXPERTS = (
    "Mixtures of experts are modelled, not calibrated: 8 % mean error on 22 published H100 runs (worst 19 %), "
    "27 % on 9 GB200 runs (worst 60 %, where the CPU holds the GPUs up)"
)
"""What step times of mixtures of experts are worth, as `twin validate experts-h100 experts-gb200` finds it."""


def worth(profile: CalibratedProfile) -> str:
    """Return a sentence on the accuracy of step times by this profile."""
    match profile.confidence:
        case "own runs":
            return tr("calibrated on your own run: expect 1-4 % on other sizes and layouts")
        case "calibrated":
            return tr(
                "calibrated on published runs of this GPU: expect 5-10 % on your own system, "
                "1-4 % once calibrated on one run of it"
            )
        case "derived" if profile.variant:
            return tr(
                "derived: the GPU of {base} with software fitted on another, no published run of the two "
                "together: expect 5-10 % or more, 1-4 % once calibrated on one run of your own",
                base=profile.extends,
            )
        case "derived":
            return tr(
                "derived from the fit of {base}, no published run of this GPU: expect 5-10 % or more, "
                "1-4 % once calibrated on one run of your own",
                base=profile.extends,
            )
        case "uncalibrated":
            return tr(
                "uncalibrated, no published run backs it: expect more than 5-10 %, "
                "1-4 % once calibrated on one run of your own"
            )


_MEMORY_SIZE = re.compile(r"-\d+(gb)?$")
_SAY_NOTHING = re.compile(r"^(nvidia|amd|instinct|tensor|core|gpu|nvl72|nvl36|sxm\d?|oam|hbm\d?e?)$")


@cache
def _served() -> Mapping[str, str]:
    """Return the profile by each spelling; the catalogue's name of a GPU takes precedence over other names."""
    served: dict[str, str] = {}
    profiles = [p for p in (load_calibrated(name) for name in profile_names()) if not p.variant]
    for profile in profiles:
        for gpu in profile.gpus:
            served.setdefault(_spelling(gpu), profile.name)
    for profile in profiles:
        for gpu in profile.also:
            served.setdefault(_spelling(gpu), profile.name)
    return served


def _spelling(gpu: str) -> str:
    """Return a GPU's name normalised for comparison: without the parts that all of a kind share."""
    words = re.split(r"[\s_/-]+", gpu.strip().lower())
    kept = (word.removesuffix("gb") for word in words if not _SAY_NOTHING.match(word))
    return "-".join(word for word in kept if word)


def stack_keys() -> tuple[str, ...]:
    """Return the keys that a profile may set for its stack, by field of `SoftwareStack`."""
    return tuple(_STACK_TYPES)


def _base(document: Mapping[str, Any], file: str) -> CalibratedProfile | None:
    extends = document.get("extends")
    if extends is None:
        return None
    if not isinstance(extends, str) or extends not in profile_names():
        raise ProfileError(
            file, "extends", f"{extends!r} is no other profile of {', '.join(profile_names())}"
        )
    return load_calibrated(extends)


def _figures(
    document: Mapping[str, Any], base: CalibratedProfile | None, file: str
) -> dict[str, ProfileFigure]:
    given = section(document, file, "figures") if base is None or "figures" in document else {}
    refuse_unknown_keys(given, frozenset(DIMENSION_OF), file, "figures")
    figures = dict(base.figures) if base else {}
    for field in fields(Profile):
        key = f"figures.{field.name}"
        if field.name in given:
            figure = read_figure(given[field.name], DIMENSION_OF[field.name], file, key)
            if figure.value < 0:
                raise ProfileError(file, f"{key}.value", f"{figure.text} is negative")
            if figure.value == 0 and field.name not in MAY_BE_ZERO:
                raise ProfileError(file, f"{key}.value", "must be above 0")
            if field.name == "domain_gpus" and (figure.value < 1 or not figure.value.is_integer()):
                raise ProfileError(file, f"{key}.value", f"{figure.text} must be a whole number from 1")
            figures[field.name] = figure
        elif field.name not in figures:
            raise ProfileError(file, key, "missing")
    return figures


def _stack(document: Mapping[str, Any], base: CalibratedProfile | None, file: str) -> SoftwareStack:
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
    if given.get("grad_bytes", 2) not in (2, 4):
        raise ProfileError(file, "stack.grad_bytes", f"{given['grad_bytes']!r} must be 2 or 4")
    return replace(base.stack, **given) if base is not None else SoftwareStack(**given)


def _confidence(document: Mapping[str, Any], file: str) -> Confidence:
    found = document.get("confidence")
    if found not in CONFIDENCES:
        raise ProfileError(file, "confidence", f"{found!r} is none of {', '.join(CONFIDENCES)}")
    return cast(Confidence, found)


_LISTS = {
    "gpus": "GPU names of the catalogue",
    "also": "what people call these GPUs",
    "software": "what people call this software",
}


def _names(document: Mapping[str, Any], key: str, file: str) -> tuple[str, ...]:
    found = document.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(gpu, str) for gpu in found):
        raise ProfileError(file, key, f"must be a list of {_LISTS[key]}")
    return tuple(found)


def _text(document: Mapping[str, Any], key: str, file: str) -> str:
    found = document.get(key)
    if not isinstance(found, str) or not found:
        raise ProfileError(file, key, "must be a text")
    return found
