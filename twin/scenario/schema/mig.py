"""Parts that a GPU can be cut into by MIG: which profiles each GPU has."""

from __future__ import annotations

from typing import Literal

MigProfile = Literal[
    "1g.5gb", "1g.10gb", "1g.12gb", "1g.18gb", "1g.20gb", "1g.23gb", "1g.24gb", "1g.34gb", "1g.35gb", "1g.45gb",
    "1g.47gb", "1g.67gb", "1g.70gb", "2g.10gb", "2g.20gb", "2g.24gb", "2g.35gb", "2g.45gb", "2g.47gb", "2g.67gb",
    "2g.70gb", "3g.20gb", "3g.40gb", "3g.48gb", "3g.71gb", "3g.90gb", "3g.93gb", "3g.135gb", "3g.139gb", "4g.20gb",
    "4g.40gb", "4g.48gb", "4g.71gb", "4g.90gb", "4g.93gb", "4g.135gb", "4g.139gb", "7g.40gb", "7g.80gb", "7g.96gb",
    "7g.141gb", "7g.180gb", "7g.186gb", "7g.269gb", "7g.278gb",
]  # fmt: skip
"""Parts of one GPU: compute slices of seven, and memory. Seven slices are one whole GPU."""

PROFILES: dict[str, tuple[MigProfile, ...]] = {
    "A100-SXM-40": ("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
    "A100-SXM-80": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
    "H100-SXM": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
    "H800-SXM": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
    "H200-SXM": ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
    "GH200-900W": ("1g.12gb", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"),
    "B200-SXM": ("1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"),
    "GB200-GPU": ("1g.23gb", "1g.47gb", "2g.47gb", "3g.93gb", "4g.93gb", "7g.186gb"),
    "B300-SXM": ("1g.34gb", "1g.67gb", "2g.67gb", "3g.135gb", "4g.135gb", "7g.269gb"),
    "GB300-GPU": ("1g.35gb", "1g.70gb", "2g.70gb", "3g.139gb", "4g.139gb", "7g.278gb"),
}
"""Profiles of each part of the catalogue that has MIG, from small to large.

NVIDIA MIG user guide, "Supported MIG profiles" (A100 to GB200), and the default configuration of NVIDIA mig-parted and
the GPU Operator (GH200, B300, GB300). Profiles with media engines (+me) hold the same compute and memory.
"""


def profile_wrong(profile: str, gpu: str) -> tuple[str, str]:
    """Return why a GPU part has no such profile, and what would be right; two empty texts where it has it.

    >>> profile_wrong("3g.40gb", "A100-SXM-40")
    ('is no MIG profile of A100-SXM-40', 'it has 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb')
    >>> profile_wrong("3g.40gb", "H100-SXM")
    ('', '')
    """
    known = PROFILES.get(gpu)
    if known is None:
        return f"needs MIG, which {gpu} does not have", "ask for gpus instead"
    if profile in known:
        return "", ""
    return f"is no MIG profile of {gpu}", f"it has {', '.join(known)}"
