"""Calibration profiles: effective numbers of a GPU generation with its software stack, with provenance."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, cast

from twin.language import tr
from twin.physics.training_inputs import Profile, SoftwareStack
from twin.planning.profile.adapted import MARK, adapted, base_name
from twin.planning.profile.calibrated_profile import CONFIDENCES
from twin.planning.profile.calibrated_profile import CalibratedProfile as CalibratedProfile
from twin.planning.profile.calibrated_profile import Confidence as Confidence
from twin.planning.profile.calibrated_profile import OwnError as OwnError
from twin.planning.profile.figures import (
    ProfileError,
    ProfileFigure,
    read_document,
    read_figure,
    refuse_unknown_keys,
    section,
)
from twin.resources import folder

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
    "scale_up_peers": "number",
    "mxfp8_efficiency": "number",
    "nvfp4_efficiency": "number",
    "cast_bytes": "number",
    "flash2_efficiency": "number",
    "attention_softmax_width": "number",
    "loss_bytes": "number",
    "gather_exposed": "number",
    "gather_efficiency": "number",
    "attention8_rate": "number",
}
MAY_BE_ZERO = frozenset(
    (
        "gemm_ramp_flop",
        "tensor_exposed",
        "jitter_per_doubling",
        "fixed_s",
        "scale_up_peers",
        "cast_bytes",
        "attention_softmax_width",
        "gather_exposed",
    )
)
_MOST_LEVELS = 2
"""From a stack to its GPU, and from that to the GPU whose fit it takes."""
_WHOLE: Mapping[str, int] = {"domain_gpus": 1, "scale_up_peers": 0}
"""Figures that count, and the least of each."""
_KEYS = frozenset(
    ("title", "extends", "confidence", "gpus", "also", "software", "notes", "figures", "stack", "own_runs")
)
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
    "compiled": bool,
    "flash2": bool,
    "chunk_overlap": bool,
    "attention8": bool,
    "offload": bool,
}


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
    """Return a shipped profile, or one carried over to other hardware, with its provenance; errors as there."""
    if MARK in name:
        return adapted(load_calibrated(base_name(name)), name)
    names = profile_names()
    if name not in names:
        raise ProfileError(
            f"assets/profiles/{name}.yaml",
            "",
            tr("no such profile; shipped are {names}", names=", ".join(names)),
        )
    file = f"assets/profiles/{name}.yaml"
    document = read_document(file)
    base, levels = document.get("extends"), 1
    while isinstance(base, str) and base in names:
        if base == name or levels > _MOST_LEVELS:
            raise ProfileError(
                file,
                "extends",
                tr(
                    "{base!r} itself extends others; {most_levels} levels at most",
                    base=base,
                    most_levels=_MOST_LEVELS,
                ),
            )
        base, levels = read_document(f"assets/profiles/{base}.yaml").get("extends"), levels + 1
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
    numbers: dict[str, Any] = {key: round(value) if key in _WHOLE else value for key, value in values.items()}
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
        own_error=_own_error(document["own_runs"], file) if "own_runs" in document else None,
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
    raise ProfileError(
        "profiles",
        "gpus",
        tr("no profile serves {gpu!r}; served are {known}", gpu=gpu, known=", ".join(known)),
    )


def variant_for_software(profile: CalibratedProfile, text: str) -> CalibratedProfile:
    """Return the profile of the software that a text names, on the GPUs of `profile`; else `profile` itself.

    Examples
    --------
    >>> h100 = load_calibrated("h100")
    >>> variant_for_software(h100, "Megatron-LM README").name, variant_for_software(h100, "nemo_megatron/").name
    ('h100-megatron', 'h100')
    """
    variants = (load_calibrated(name) for name in profile_names())
    named = [
        (len(word), variant)
        for variant in variants
        if variant.variant and variant.extends == profile.name
        for word in variant.software
        if _says(text, word)
    ]
    return max(named, key=lambda pair: pair[0], default=(0, profile))[
        1
    ]  # "DeepSpeed ZeRO-3" is not "DeepSpeed"


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


_MEMORY_SIZE = re.compile(r"-\d+(gb)?$")
_SAY_NOTHING = re.compile(r"^(nvidia|amd|instinct|tensor|core|gpu|nvl72|nvl36|sxm\d?|oam|hbm\d?e?)$")


@cache
def _served() -> Mapping[str, str]:
    """Return the profile by each spelling; the catalogue's name of a GPU takes precedence over other names."""
    served: dict[str, str] = {}
    documents = {name: read_document(f"assets/profiles/{name}.yaml") for name in profile_names()}
    for key in ("gpus", "also"):
        for name, document in documents.items():
            if key in document and "gpus" in document:  # else it is a variant
                for gpu in _names(document, key, f"assets/profiles/{name}.yaml"):
                    served.setdefault(_spelling(gpu), name)
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
            file,
            "extends",
            tr(
                "{extends!r} is no other profile of {profile_names}",
                extends=extends,
                profile_names=", ".join(profile_names()),
            ),
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
                raise ProfileError(file, f"{key}.value", tr("{figure} is negative", figure=figure.text))
            if figure.value == 0 and field.name not in MAY_BE_ZERO:
                raise ProfileError(file, f"{key}.value", tr("must be above 0"))
            least = _WHOLE.get(field.name)
            if least is not None and (figure.value < least or not figure.value.is_integer()):
                raise ProfileError(
                    file,
                    f"{key}.value",
                    tr("{figure} must be a whole number from {least}", figure=figure.text, least=least),
                )
            figures[field.name] = figure
        elif field.name not in figures and field.default is MISSING:
            raise ProfileError(file, key, "missing")
    return figures


def _stack(document: Mapping[str, Any], base: CalibratedProfile | None, file: str) -> SoftwareStack:
    if "stack" not in document and base is not None:
        return base.stack
    given = section(document, file, "stack")
    refuse_unknown_keys(given, frozenset(_STACK_TYPES), file, "stack")
    for key, value in given.items():
        if type(value) is not _STACK_TYPES[key]:
            raise ProfileError(
                file,
                f"stack.{key}",
                tr("{value!r} must be a {name}", value=value, name=_STACK_TYPES[key].__name__),
            )
    if given.get("recompute", "none") not in ("none", "selective", "full"):
        raise ProfileError(file, "stack.recompute", tr("must be none, selective or full"))
    if given.get("sharding", "none") not in ("none", "optimizer", "gradients", "weights"):
        raise ProfileError(file, "stack.sharding", tr("must be none, optimizer, gradients or weights"))
    if given.get("grad_bytes", 2) not in (2, 4):
        raise ProfileError(
            file, "stack.grad_bytes", tr("{given!r} must be 2 or 4", given=given["grad_bytes"])
        )
    return replace(base.stack, **given) if base is not None else SoftwareStack(**given)


def _confidence(document: Mapping[str, Any], file: str) -> Confidence:
    found = document.get("confidence")
    if found not in CONFIDENCES:
        raise ProfileError(
            file,
            "confidence",
            tr("{found!r} is none of {confidences}", found=found, confidences=", ".join(CONFIDENCES)),
        )
    return cast(Confidence, found)


def _own_error(given: Any, file: str) -> OwnError:
    counts, percents = ("rows", "most_gpus"), ("mean_pct", "p90_pct")
    if not isinstance(given, Mapping):
        raise ProfileError(
            file, "own_runs", tr("must be a mapping with {value}", value=", ".join((*counts, *percents)))
        )
    refuse_unknown_keys(given, frozenset((*counts, *percents)), file, "own_runs")
    for key in (*counts, *percents):
        value, kinds = given.get(key), (int,) if key in counts else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < math.inf:
            what = tr("a whole number") if key in counts else tr("a number")
            raise ProfileError(
                file, f"own_runs.{key}", tr("{value!r} must be {what} above 0", value=value, what=what)
            )
    return OwnError(
        given["rows"], given["most_gpus"], float(given["mean_pct"]), math.log1p(given["p90_pct"] / 100)
    )


_LISTS = {
    "gpus": tr("GPU names of the catalogue"),
    "also": tr("what people call these GPUs"),
    "software": tr("what people call this software"),
}


def _names(document: Mapping[str, Any], key: str, file: str) -> tuple[str, ...]:
    found = document.get(key)
    if not isinstance(found, list) or not found or not all(isinstance(gpu, str) for gpu in found):
        raise ProfileError(file, key, tr("must be a list of {lists}", lists=_LISTS[key]))
    return tuple(found)


def _text(document: Mapping[str, Any], key: str, file: str) -> str:
    found = document.get(key)
    if not isinstance(found, str) or not found:
        raise ProfileError(file, key, tr("must be a text"))
    return found
