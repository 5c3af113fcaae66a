"""Colours of data: codes, look-up table and legend agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.plant.tables import Plant
from twin.record.channels import BY_ID, COLOUR_BY, State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.ownership import NO_GROUPS
from twin.view3d.colour.legend import legend_for
from twin.view3d.colour.value_codes import gpu_codes, throttle_places


@pytest.mark.parametrize("colour_by", ["gpu.temp_c", "gpu.power_w", "gpu.clock_mhz", "gpu.util"])
def test_codes_run_over_the_fixed_range(hall: Plant, frame: Frame, colour_by: str) -> None:
    channel = BY_ID[colour_by]
    frame.values[colour_by][:3] = (channel.low, (channel.low + channel.high) / 2, channel.high * 2)
    codes = gpu_codes(colour_by, hall, frame)
    assert codes[:3] == pytest.approx([0, (palette.RAMP - 1) / 2, palette.RAMP - 1], abs=0.01)


def test_dead_and_off_show_in_every_colouring(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.state"][:2] = (State.FAILED, State.OFF)
    for colour_by in COLOUR_BY:
        table = palette.look_up_table(BY_ID[colour_by].colormap)[0]
        codes = gpu_codes(colour_by, hall, frame)
        assert tuple(table[int(codes[0])]) == tuple(np.rint(np.array(palette.DEAD_RGB) * 255))
        assert tuple(table[int(codes[1])]) == tuple(np.rint(np.array(palette.OFF_RGB) * 255))


def test_no_frame_is_all_off(hall: Plant) -> None:
    assert set(gpu_codes("gpu.temp_c", hall, None)) == {palette.OFF}


def test_unknown_values_do_not_break_the_table(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.temp_c"][0] = np.nan
    assert gpu_codes("gpu.temp_c", hall, frame)[0] == 0


def test_legend_of_a_ramp_has_its_range_and_the_dead(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.state"][:5] = State.FAILED
    legend = legend_for("gpu.temp_c", hall, frame)
    assert (legend.unit, legend.low, legend.high) == ("°C", 25, 95)
    assert [legend.stops[0][0], legend.stops[-1][0]] == [25, 95]
    assert [(c.label, c.count) for c in legend.categories] == [("failed", 5), ("off", 0)]


def test_legend_of_states_counts_every_gpu_once(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.state"][:7] = State.SPARE
    legend = legend_for("gpu.state", hall, frame)
    assert not legend.stops
    assert {c.label: c.count for c in legend.categories} == {
        "spare": 7,
        "running": len(hall.gpus.present) - 7,
    }


def test_legend_of_jobs_names_them(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.job"][:9] = 1
    frame.values["gpu.job"][9:12] = -1
    legend = legend_for("gpu.job", hall, frame, replace(NO_GROUPS, jobs=("llama",)))
    counts = {c.label: c.count for c in legend.categories}
    assert counts == {"llama": len(hall.gpus.present) - 12, "job 1": 9, "no job": 3, "failed": 0, "off": 0}


def test_states_differ_in_colour_and_icon() -> None:
    assert len(set(palette.STATE_RGB.values())) == len(State)
    assert len(set(palette.STATE_ICON.values())) == len(State)


def test_gpus_that_are_cut_off_are_not_shown_as_failed(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.state"][:4] = State.CUT_OFF
    frame.values["gpu.job"][:4] = -1
    rgb = np.array(palette.STATE_RGB[State.CUT_OFF])
    for colour_by in ("gpu.state", "gpu.job"):
        table = palette.look_up_table(BY_ID[colour_by].colormap)[0]
        code = int(gpu_codes(colour_by, hall, frame)[0])
        assert tuple(table[code]) == tuple(np.rint(rgb * 255))
        counts = {c.label: c.count for c in legend_for(colour_by, hall, frame).categories}
        assert counts["cut off"] == 4
        assert sum(counts.values()) == len(hall.gpus.present)
    others = [np.array(rgb) for state, rgb in palette.STATE_RGB.items() if state != State.CUT_OFF]
    assert min(np.linalg.norm(other - rgb) for other in others) > 0.3
    # Temperatures and powers stay what they are: the GPU is sound.
    frame.values["gpu.temp_c"][0] = 25
    assert gpu_codes("gpu.temp_c", hall, frame)[0] == 0


def test_ramps_get_lighter_or_warmer_without_reaching_crimson() -> None:
    for name in ("viridis", "cividis", "turbo"):
        colours = palette.ramp(name, np.linspace(0, 1, 64))
        assert ((colours >= 0) & (colours <= 1)).all()
        assert np.linalg.norm(colours - np.array(palette.DEAD_RGB), axis=1).min() > 0.3
    assert (np.diff(palette.ramp("viridis", np.linspace(0, 1, 64)) @ [0.2126, 0.7152, 0.0722]) > -1e-3).all()


def test_the_throttle_reason_that_counts_most_gives_the_colour() -> None:
    words = [reason[1] for reason in palette.THROTTLE]
    bits = np.array([0x00, 0x01, 0x04, 0x8004, 0x04 | 0x20, 0x40, 0x80 | 0x08, 0x08])
    assert [words[k] for k in throttle_places(bits)] == [
        "none",
        "idle",
        "at its power limit (TDP), normal",
        "power cap",
        "heat",
        "heat",
        "power brake",
        "other",
    ]


def test_gpus_have_the_colour_of_the_tenant_of_their_job(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.job"][:] = -1
    frame.values["gpu.job"][:6] = (0, 1, 2, 20_000, -1, 2)
    groups = replace(
        NO_GROUPS, tenants=("uni", "bank"), tenant_of_job=np.array([1, 0, -1] + [1] * 19_998, np.int32)
    )
    codes = gpu_codes("gpu.tenant", hall, frame, groups)
    nobody = palette.NO_JOB
    expected = [palette.JOB_BASE + 1, palette.JOB_BASE, nobody, palette.JOB_BASE + 1, nobody, nobody]
    assert codes[:6].tolist() == expected
    counts = {c.label: c.count for c in legend_for("gpu.tenant", hall, frame, groups).categories}
    assert (counts["uni"], counts["bank"]) == (1, 2)
    assert sum(counts.values()) == len(hall.gpus.present)


def test_the_job_in_focus_stands_out_in_every_colouring(hall: Plant, frame: Frame) -> None:
    frame.values["gpu.job"][:] = 3
    frame.values["gpu.job"][:2] = 7
    for colour_by in COLOUR_BY:
        plain = gpu_codes(colour_by, hall, frame)
        codes = gpu_codes(colour_by, hall, frame, focus_job=7)
        assert codes[:2].tolist() == plain[:2].tolist()
        assert set(codes[2:][hall.gpus.present[2:]].tolist()) == {palette.UNTOUCHED}


def test_what_failed_is_seen_beside_the_job_in_focus(hall: Plant, frame: Frame) -> None:
    """The node that stopped the job is no longer the job's."""
    frame.values["gpu.job"][:] = 7
    frame.values["gpu.job"][:2] = -1
    frame.values["gpu.state"][1] = State.FAILED
    codes = gpu_codes("gpu.temp_c", hall, frame, focus_job=7)
    assert codes[:2].tolist() == [palette.UNTOUCHED, palette.DEAD]


def test_a_legend_of_very_many_jobs_names_the_largest_and_counts_all(hall: Plant, frame: Frame) -> None:
    count = len(hall.gpus.present)
    frame.values["gpu.job"][:] = np.arange(count) // 2
    frame.values["gpu.job"][:5] = 4_321
    frame.values["gpu.job"][5:7] = -1
    categories = legend_for("gpu.job", hall, frame).categories
    assert categories[0].label == "job 4321"
    assert [c.label for c in categories[7:9]] == [
        f"{len(set(frame.values['gpu.job'])) - 1 - 7} more",
        "no job",
    ]
    assert sum(c.count for c in categories) == count
