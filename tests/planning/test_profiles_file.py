"""Profiles in a user's file: read with errors that say where, written whole and read back as they were."""

from __future__ import annotations

import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.planning.job.job import LlmJob, cut, default_stack, estimate
from twin.planning.profile.figures import ProfileError, ProfileFigure
from twin.planning.profile.profile_file import load_profile_file, write_profile
from twin.planning.profile.profiles import DIMENSION_OF, load_calibrated
from twin.planning.profile.standing import worth

MINE = """\
title: Mine
extends: h200
confidence: own runs
figures:
  gemm_efficiency:
    value: 0.7
    unit: "1"
    status: fitted
    source: run of 12 May
"""


def figure(value: float) -> ProfileFigure:
    return ProfileFigure(value, "", "own run", "fitted")


def test_own_file_changes_a_shipped_profile(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    mine, h200 = load_profile_file(file), load_calibrated("h200")
    assert mine.name == "mine"
    assert mine.profile.gemm_efficiency == 0.7
    assert mine.profile.hbm_bytes == h200.profile.hbm_bytes
    assert (mine.stack, mine.gpus) == (h200.stack, h200.gpus)
    assert worth(mine) == "calibrated on your own runs"


def test_estimate_takes_a_profile_from_a_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(MINE.replace("0.7\n", "0.372\n").replace("h200", "h100"))
    mine = load_profile_file(file)
    halved = estimate(LlmJob("llama3-8b", cut(8, 128, cp=2), mine))
    whole = estimate(LlmJob("llama3-8b", cut(8, 128, cp=2), "h100"))
    assert halved.confidence == "own runs"
    assert 1.5 < halved.step_s / whole.step_s < 2
    assert default_stack(mine, "llama3-8b") == default_stack("h100", "llama3-8b")


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("value: 0.7", "value: lots", 6, "figures.gemm_efficiency.value", "'lots' is not a number"),
        ('unit: "1"', "unit: kW", 7, "figures.gemm_efficiency.unit", "'kW' is none of 1"),
        ("status: fitted", "status: guess", 8, "figures.gemm_efficiency.status", "is none of published"),
        ("    source: run of 12 May\n", "", 5, "figures.gemm_efficiency.source", "missing"),
        ("extends: h200", "extends: h300", 2, "extends", "is no other profile of a100"),
        ("extends: h200", "extends: [h200]", 2, "extends", "is no other profile of a100"),
        ("confidence: own runs", "confidence: high", 3, "confidence", "is none of own runs"),
        ("title: Mine", "titel: Mine", 1, "titel", "unknown key; known are also, confidence"),
        ("figures:", "figures:\n  speed: 1", 5, "figures.speed", "unknown key"),
        ("title: Mine", "title: [", 3, "", "not readable as YAML"),
        ("title: Mine", "title: !!python/object/apply:os.system [ls]", 1, "", "not readable as YAML"),
        ("extends: h200\n", "", 3, "figures.peak_flops_s", "missing"),
    ],
)
def test_bad_file_is_refused_with_line_key_and_what_is_right(tmp_path, old, new, line, key, says):
    file = tmp_path / "mine.yaml"
    file.write_text(MINE.replace(old, new, 1))
    with pytest.raises(ProfileError) as caught:
        load_profile_file(file)
    assert (caught.value.file, caught.value.key) == (str(file), key)
    assert says in caught.value.reason
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe", "is no UTF-8 text"),
        (b"[" * 500, "nested too deeply"),
        (b"- 1", "must be a mapping"),
        (b"", "must be a mapping"),
        (b"#" * 300_000, "is larger than 256 kB"),
    ],
)
def test_what_is_no_profile_at_all_is_refused(tmp_path, content, says):
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    with pytest.raises(ProfileError, match=says):
        load_profile_file(file)


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(ProfileError, match="cannot be read: No such file"):
        load_profile_file(tmp_path / "none.yaml")
    with pytest.raises(ProfileError, match="cannot be read: Is a directory"):
        load_profile_file(tmp_path)


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(sorted(set(DIMENSION_OF) - {"domain_gpus", "scale_up_peers"})), st.floats(1e-3, 9e15)
    )
)
def test_written_profile_reads_back_as_it_was(tmp_path_factory, values):
    file = tmp_path_factory.mktemp("written") / "mine.yaml"
    written = write_profile(
        file, title="Mine", extends="h200", figures={key: figure(value) for key, value in values.items()}
    )
    assert load_profile_file(file) == written
    assert written.confidence == "own runs"
    for key, value in values.items():
        assert getattr(written.profile, key) == pytest.approx(value, rel=1e-11)
    others = set(DIMENSION_OF) - set(values)
    assert all(written.figures[key] == load_calibrated("h200").figures[key] for key in others)


def test_written_file_reads_as_people_write_it(tmp_path):
    file = tmp_path / "mine.yaml"
    stack = load_calibrated("a100").stack
    write_profile(
        file,
        title="Ours",
        extends="h100",
        gpus=("H100-SXM",),
        notes="Three runs: of May",
        stack=stack,
        figures={"scale_out_bytes_s": figure(50e9), "gemm_efficiency": figure(0.744)},
    )
    text = file.read_text()
    assert "    value: 50.0\n    unit: GB/s\n" in text
    assert "    value: 0.744\n" in text
    assert text.index("title") < text.index("extends") < text.index("figures")
    assert text.index("scale_out") < text.index("gemm_eff")  # in the order of the shipped files
    read = load_profile_file(file)
    assert (read.stack, read.notes, read.variant) == (stack, "Three runs: of May", False)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.yaml"]


def test_writing_replaces_whole_or_not_at_all(tmp_path):
    file = tmp_path / "mine.yaml"
    write_profile(file, title="One", extends="h100", figures={})
    before = file.read_text()
    with pytest.raises(ProfileError, match="unknown key; known are peak_flops_s"):
        write_profile(file, title="Two", extends="h100", figures={"speed": figure(1)})
    with pytest.raises(ProfileError, match="must be above 0"):
        write_profile(file, title="Two", extends="h100", figures={"hbm_bytes": figure(0)})
    with pytest.raises(ProfileError, match="cannot be written: No such file"):
        write_profile(tmp_path / "none" / "mine.yaml", title="Two", extends="h100", figures={})
    assert file.read_text() == before
