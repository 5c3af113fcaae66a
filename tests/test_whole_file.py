"""Files that are written whole leave nothing beside them, also after one that was killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from twin.whole_file import LEFT_S, PRIVATE, write_whole


def test_what_killed_saves_left_is_taken_away(tmp_path: Path) -> None:
    target = tmp_path / "hall.twin.yaml"
    old, young = tmp_path / ".hall.twin.yaml.ab12cd_9", tmp_path / ".hall.twin.yaml.ab12cd_8"
    other = tmp_path / ".hall.twin.yaml.backup-of-mine"
    for path in (old, young, other):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * LEFT_S
    for path in (old, other):
        os.utime(path, (long_ago, long_ago))
    write_whole(target, b"whole")
    assert target.read_bytes() == b"whole"
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="hall") as error:
        write_whole(tmp_path / "no" / "hall.twin.yaml", b"")
    assert error.value.filename == str(tmp_path / "no" / "hall.twin.yaml")


def test_a_private_file_is_nobody_elses_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "mine.json"
    target.write_bytes(b"read by all")
    target.chmod(0o644)
    modes: list[int] = []
    replace = os.replace

    def seen(source: str, place: Path) -> None:
        modes.append(Path(source).stat().st_mode & 0o777)
        replace(source, place)

    monkeypatch.setattr("twin.whole_file.os.replace", seen)
    write_whole(target, b"mine", PRIVATE)
    assert [*modes, target.stat().st_mode & 0o777] == [PRIVATE, PRIVATE]
