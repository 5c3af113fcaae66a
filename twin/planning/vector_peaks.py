"""Peaks of 64-bit and 32-bit arithmetic, which no language model needs and simulations live from."""

from __future__ import annotations

from functools import cache
from typing import Literal

from twin.planning.figures import ProfileError, read_document, read_figure, section
from twin.planning.profiles import load_profile

FILE = "vector_peaks.yaml"
Arithmetic = Literal["fp64", "fp32", "bf16"]


@cache
def vector_peak_flops_s(profile: str, precision: Arithmetic) -> float:
    """Return the dense peak of a GPU in a precision [FLOP/s]; bf16 is that of the matrix units.

    Raises
    ------
    ProfileError
        When nobody has said it for this profile.
    """
    if precision == "bf16":
        return load_profile(profile).peak_flops_s
    peaks = section(read_document(FILE), FILE, "peaks")
    if profile not in peaks:
        known = ", ".join(sorted(peaks))
        raise ProfileError(FILE, f"peaks.{profile}", f"no {precision} peak; known are {known}")
    entry = section(peaks, FILE, profile)
    return read_figure(entry.get(precision), "compute", FILE, f"peaks.{profile}.{precision}").value
