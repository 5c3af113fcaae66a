"""MIG: profiles are those of a GPU, and a profile of seven slices is the whole of it."""

from __future__ import annotations

from typing import get_args

import pytest

from twin.catalog import load_catalog
from twin.scenario.schema.mig import PROFILES, MigProfile, profile_wrong


def test_every_profile_belongs_to_a_part_and_every_part_is_in_the_catalogue() -> None:
    assert {one for profiles in PROFILES.values() for one in profiles} == set(get_args(MigProfile))
    catalog = load_catalog()
    for part in PROFILES:
        assert catalog.gpu(part).vendor == "NVIDIA"


@pytest.mark.parametrize("part", PROFILES)
def test_parts_of_a_gpu_fit_into_it(part: str) -> None:
    """An eighth of the memory for each slice, a quarter or a half above; all seven take what the driver shows."""
    memory_gb = load_catalog().gpu(part).memory_bytes / 1e9
    for profile in PROFILES[part]:
        slices, said_gb = int(profile[0]), float(profile.split(".")[1].removesuffix("gb"))
        assert said_gb <= memory_gb
        assert said_gb >= 0.93 * memory_gb * slices / 8
        assert (slices == 7) == (said_gb > 0.9 * memory_gb)


def test_other_gpus_have_none() -> None:
    assert profile_wrong("1g.10gb", "MI300X") == (
        "needs MIG, which MI300X does not have",
        "ask for gpus instead",
    )
    assert profile_wrong("3g.71gb", "H200-SXM") == ("", "")
    assert profile_wrong("3g.40gb", "H200-SXM")[0] == "is no MIG profile of H200-SXM"
