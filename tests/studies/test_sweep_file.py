"""The sweep file: appended, read while it is written, whole after a crash, and bounded."""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32

import pytest

from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.studies import sweep_file
from twin.studies.design import design_of
from twin.studies.study_error import StudyError
from twin.studies.sweep_file import SweepFile, read_sweep
from twin.studies.sweep_records import PointRecord, RunRecord, SweepHeader, header_of
from twin.studies.varied_key import varied_keys

LAB = load("builtin:lab-16")


def header(seeds: tuple[int, ...] = (1, 2), *settings: str) -> SweepHeader:
    document = set_texts(LAB, settings)
    design = design_of(document, varied_keys(document, ["jobs[llama3].nodes=1,2"]), "grid")
    return header_of(document, design, seeds, 3600.0, "lab-16", settings)


def run_of(point: int, seed: int) -> RunRecord:
    return RunRecord(point=point, seed=seed, figures={"goodput": 0.1 * (point + seed), "mfu": None})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lab.sweep"
    with SweepFile(header(), path) as file:
        file.add(PointRecord(point=0, values=("1",)))
        file.add(run_of(0, 1))
        file.add(run_of(0, 2))
    return path


def test_what_was_written_is_read_to_the_bit(path: Path) -> None:
    found = read_sweep(path)
    assert found.header == header()
    assert found.figures(0, "goodput") == [0.1, 0.2]
    assert found.figures(0, "mfu") == [None, None]


def test_a_file_is_read_while_it_is_written(path: Path) -> None:
    with SweepFile(header(), path) as file:
        file.add(PointRecord(point=1, values=("2",)))
        file.add(run_of(1, 1))
        assert (1, 1) in read_sweep(path).runs


def test_wherever_a_file_was_torn_whole_records_stay_and_it_goes_on(path: Path) -> None:
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for length in {*range(0, len(whole), 9), *(whole.index(line) for line in lines), len(whole) - 1}:
        path.write_bytes(whole[:length])
        with SweepFile(header(), path) as file:
            kept = sum(whole.index(line) + len(line) <= length for line in lines[1:])
            assert len(file.contents.points) + len(file.contents.runs) == kept
            file.add(PointRecord(point=0, values=("1",)))
            file.add(run_of(0, 1))
            file.add(run_of(0, 2))
        assert path.read_bytes() == whole


def test_nothing_counts_twice(path: Path) -> None:
    with SweepFile(header(), path) as file:
        file.add(RunRecord(point=0, seed=1, figures={"goodput": 9.0}))
    assert read_sweep(path).figures(0, "goodput") == [0.1, 0.2]
    line = path.read_bytes().splitlines(keepends=True)[2]
    path.write_bytes(path.read_bytes() + line)
    assert len(read_sweep(path).runs) == 2


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (header((1, 2, 3)), "the seeds differ"),
        (
            header((1, 2), "jobs[llama3].checkpoint.pause=30 s"),
            "the scene or the catalogue, the changes by --set",
        ),
        (header().model_copy(update={"model": 1}), "the revision of the model"),
        (header().model_copy(update={"design": "lhs"}), "the design"),
    ],
)
def test_another_sweep_is_not_mixed_with_it(path: Path, other: SweepHeader, words: str) -> None:
    before = path.read_bytes()
    with pytest.raises(StudyError, match=words):
        SweepFile(other, path)
    assert path.read_bytes() == before


def test_only_one_program_writes_it(path: Path) -> None:
    with SweepFile(header(), path), pytest.raises(StudyError, match="being written by another program"):
        SweepFile(header(), path)


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\x00" * 5000, b"00000000 {}\n", b"[" * 100_000])
def test_what_is_no_sweep_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.sweep"
    path.write_bytes(data)
    with pytest.raises(StudyError, match="no sweep"):
        read_sweep(path)
    if data:
        with pytest.raises(StudyError, match="no sweep"):
            SweepFile(header(), path)
        assert path.read_bytes() == data


def test_damage_in_the_midst_is_told_with_its_line(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'"point":0') + 8] = ord("7")
    path.write_bytes(data)
    with pytest.raises(StudyError, match=r"lab\.sweep:2: is damaged"):
        read_sweep(path)


@pytest.mark.parametrize(
    "record",
    [
        b'{"point":0,"seed":1,"figures":{"a":NaN},"reason":""}',
        b'{"point":0,"seed":1,"figures":{"a":1e999},"reason":""}',
        b'{"point":-1,"seed":1,"figures":{},"reason":""}',
        b'{"point":0,"seed":1,"figures":{},"reason":"","more":1}',
        b'{"point":0,"seed":1,"figures":{"a":1e61},"reason":""}',
        b'{"point":7,"values":["1","2"],"reason":""}',
        b'{"point":0,"values":["' + b"x" * 3000 + b'"],"reason":""}',
    ],
)
def test_a_record_that_is_none_is_damage_whatever_its_sum(path: Path, record: bytes) -> None:
    whole = path.read_bytes() + with_sum(record)
    for data in (whole, whole + whole.splitlines(keepends=True)[1]):
        path.write_bytes(data)
        with pytest.raises(StudyError, match=r"lab\.sweep:5: is damaged: \w"):
            read_sweep(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seeds": []}, "seeds: .* at least 1 item"),
        ({"seeds": [1, 1]}, "a seed is there twice"),
        ({"keys": []}, "keys: .* at least 1 item"),
        ({"keys": [{"path": "a"}, {"path": "a"}]}, "the key 'a' varies twice"),
        ({"keys": [{"path": "seed"}]}, "the key 'seed' .* is named as another column"),
        ({"keys": [{"path": "goodput"}]}, "the key 'goodput' .* is named as another column"),
        ({"\x1b[31m": 1}, r"no sweep of this program: \\x1b\[31m: Extra inputs"),
    ],
)
def test_a_header_that_no_sweep_has_is_refused_with_the_reason(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    path = tmp_path / "x.sweep"
    path.write_bytes(with_sum(json.dumps({**header().model_dump(mode="json"), **changes}).encode()))
    with pytest.raises(StudyError, match=words):
        read_sweep(path)


def with_sum(record: bytes) -> bytes:
    return b"%08x %s\n" % (crc32(record), record)


def test_a_file_beyond_the_limits_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_file, "MOST_RUNS", 1)
    with pytest.raises(StudyError, match="more than 1 runs"):
        read_sweep(path)
    monkeypatch.setattr(sweep_file, "MOST_BYTES", 100)
    with pytest.raises(StudyError, match="too large"):
        read_sweep(path)
