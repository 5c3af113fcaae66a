"""The profile of hardware in a scene: of the GPU, or of the shipped one that is nearest to an own GPU."""

from __future__ import annotations

import math
from functools import lru_cache

from twin.catalog import Catalog, GpuPart, load_catalog
from twin.planning.profile.adapted import adapted_name
from twin.planning.profile.profiles import (
    CalibratedProfile,
    load_calibrated,
    profile_for_gpu,
    profile_names,
)


@lru_cache(maxsize=256)  # every estimate asks for one of a few
def profile_on(gpu: str, catalog: Catalog | None = None, node: str = "") -> CalibratedProfile:
    """Return the profile that step times on a GPU are estimated with.

    An own GPU has the fitted shares of the nearest shipped one, by peak and memory bandwidth and of its maker where
    there is any, on its own peaks and bandwidths. An own node with another scale-up domain has that.

    Parameters
    ----------
    gpu
        Part of the catalogue.
    catalog
        With the own parts of the scene; none: the shipped one.
    node
        Part of the node that it is in; empty: as the profile has it.

    Raises
    ------
    ProfileError
        When no profile serves it, and it is no own part.
    """
    own = () if catalog is None else catalog.own_parts
    domain = {}
    if catalog is not None and node in own:
        domain = {"domain_gpus": catalog.node(node).scale_up_gpus}
    if catalog is None or gpu not in own:
        found = profile_for_gpu(gpu)
        if not domain or domain["domain_gpus"] == found.profile.domain_gpus:
            return found
        return load_calibrated(adapted_name(found.name, node, _joined(found, domain)))
    part = catalog.gpu(gpu)
    base = nearest_profile(part)
    figures = {
        "peak_flops_s": part.peak_bf16_flops_s,
        "peak8_flops_s": part.peak_fp8_flops_s or part.peak_bf16_flops_s,
        "hbm_bytes_s": part.memory_bandwidth_bytes_s,
        "hbm_bytes": part.memory_bytes,
        "scale_up_bytes_s": part.link_bandwidth_bytes_s,
    }
    return load_calibrated(adapted_name(base.name, gpu, figures | _joined(base, domain)))


def nearest_profile(part: GpuPart) -> CalibratedProfile:
    """Return the profile of the shipped GPU that is most like a GPU, of its maker where there is any."""
    shipped = load_catalog()
    known = [
        (shipped.gpu(gpu), profile)
        for profile in map(load_calibrated, profile_names())
        if not profile.variant
        for gpu in profile.gpus
        if gpu in shipped
    ]
    same = [pair for pair in known if pair[0].vendor.casefold() == part.vendor.casefold()]

    def apart(pair: tuple[GpuPart, CalibratedProfile]) -> float:
        return math.hypot(
            math.log(part.peak_bf16_flops_s / pair[0].peak_bf16_flops_s),
            math.log(part.memory_bandwidth_bytes_s / pair[0].memory_bandwidth_bytes_s),
        )

    return min(same or known, key=apart)[1]


def _joined(base: CalibratedProfile, domain: dict[str, int]) -> dict[str, int]:
    """Return the figures of a scale-up domain; without a switch each GPU has links to all others of it."""
    if domain and base.profile.scale_up_peers:
        return {**domain, "scale_up_peers": domain["domain_gpus"] - 1}
    return domain
