"""Peaks of 64-bit and 32-bit arithmetic, which no language model needs and simulations live from."""

from __future__ import annotations

from functools import cache
from typing import Literal

from twin.planning.profile.figures import ProfileError, read_document, read_figure, section

FILE = "assets/vector_peaks.yaml"


@cache
def vector_peak_flops_s(gpu: str, precision: Literal["fp64", "fp32"]) -> float:
    """Return the dense peak of a GPU of the catalogue in a precision [FLOP/s].

    Raises
    ------
    ProfileError
        When nobody has said it for this GPU.
    """
    file = read_document(FILE)
    peaks = section(file, FILE, "peaks")
    if gpu not in peaks:
        raise ProfileError(FILE, f"peaks.{gpu}", f"no {precision} peak; known are {', '.join(sorted(peaks))}")
    entry = section(peaks, FILE, gpu)
    return read_figure(entry.get(precision), "compute", FILE, f"peaks.{gpu}.{precision}").value
