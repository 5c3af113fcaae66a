"""Files that are written whole leave nothing beside them, also after one that was killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from twin.whole_file import LEFT_S, write_whole


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
