"""A profile carried over to hardware that none was made for: own GPUs, and nodes with other scale-up domains.

The name of such a profile says all that is other: "h100@TOY-GPU;peak_flops_s=4.5e+14;domain_gpus=4". So it is the same
wherever it is asked for by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from twin.language import tr
from twin.planning.profile.calibrated_profile import CalibratedProfile
from twin.planning.profile.figures import ProfileError, ProfileFigure

MARK = "@"
_WHOLE = ("domain_gpus", "scale_up_peers")
_FIGURES = ("peak_flops_s", "peak8_flops_s", "hbm_bytes_s", "hbm_bytes", "scale_up_bytes_s", *_WHOLE)
"""Figures of the hardware that a GPU part or node part says; what was fitted stays as it is."""


def adapted_name(base: str, label: str, figures: Mapping[str, float]) -> str:
    """Return the name of a profile with figures of other hardware (`label`: its part)."""
    return MARK.join((base, ";".join((label, *(f"{key}={value!r}" for key, value in figures.items())))))


def base_name(name: str) -> str:
    """Return the shipped profile behind a name."""
    return name.partition(MARK)[0]


def short_name(name: str) -> str:
    """Return a name without its figures: "h100@TOY-GPU"."""
    return name.partition(";")[0]


def adapted(base: CalibratedProfile, name: str) -> CalibratedProfile:
    """Return the profile that a name with figures describes.

    Raises
    ------
    ProfileError
        When it is no such name.
    """
    label, *pairs = name.partition(MARK)[2].split(";")
    given: dict[str, Any] = {}
    for pair in pairs:
        key, _, text = pair.partition("=")
        try:
            given[key] = int(float(text)) if key in _WHOLE else float(text)
        except ValueError:
            given[key] = -1
        if key not in _FIGURES or given[key] < 0:
            raise ProfileError(
                "profiles", short_name(name), tr("{pair!r} is no figure of hardware", pair=pair)
            )
    source = f"{label}, in the catalogue of the scene"
    figures = {
        key: ProfileFigure(float(value), f"{value:g}", source, "derived") for key, value in given.items()
    }
    is_borrowed = "peak_flops_s" in given
    return replace(
        base,
        name=name,
        title=tr("{part} by the fit of {title}", part=label, title=base.title),
        profile=replace(base.profile, **given),
        confidence="uncalibrated" if is_borrowed else "derived",
        gpus=(label,) if is_borrowed else base.gpus,
        also=(),
        extends=base.name,
        variant=False,
        figures={**base.figures, **figures},
        software=(),
        own_error=None,
        borrowed=tr(
            "No calibration profile is for {part}: step times are those of {base}, "
            "scaled by peak FLOP/s and bandwidth.",
            part=label,
            base=", ".join(base.gpus),
        )
        if is_borrowed
        else tr(
            "{part} joins another number of GPUs than the profile {base} was fitted on.",
            part=label,
            base=base.name,
        ),
    )
