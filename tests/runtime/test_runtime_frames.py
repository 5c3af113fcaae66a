"""Frames through mapped memory: whole or not at all, and nothing left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from twin.record.channels import CHANNELS
from twin.record.frame import Frame, FrameLayout
from twin.runtime import shared_frames
from twin.runtime.shared_frames import FrameReader, FrameWriter, NoMemory, remove_stale

SMALL = FrameLayout(
    {
        "gpu": 12,
        "node": 3,
        "rack": 2,
        "switch": 2,
        "bundle": 3,
        "store": 1,
        "power": 5,
        "loop": 1,
        "hall": 1,
        "plant": 1,
        "job": 2,
        "site": 1,
    },
    5,
)
LARGE = FrameLayout({"gpu": 40_000, "rack": 400, "site": 1})

WRITER = """
import sys
from test_runtime_frames import LARGE, fill_with
from twin.runtime.shared_frames import FrameWriter
writer = FrameWriter(sys.argv[1], LARGE)
for k in range(1, 2001):
    writer.write(fill_with(k), 1.0)
print("done", flush=True)
sys.stdin.read()
"""
OWNER = """
import sys
from pathlib import Path
from test_runtime_frames import SMALL
from twin.runtime.shared_frames import FrameReader
reader = FrameReader(SMALL, Path(sys.argv[1]))
print(reader.path, flush=True)
sys.stdin.read()
"""


class fill_with:
    """Fills every channel with one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, frame: Frame) -> None:
        frame.t_s, frame.events = float(self.number), self.number
        for values in frame.values.values():
            values[:] = self.number % 100


def child(code: str, argument: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(argument)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    )


def test_a_frame_arrives_once_and_as_a_copy(tmp_path: Path) -> None:
    reader = FrameReader(SMALL, tmp_path)
    writer = FrameWriter(str(reader.path), SMALL)
    assert reader.latest() is None
    writer.write(fill_with(7), 60.0)
    frame = reader.latest()
    assert frame is not None
    assert (frame.t_s, frame.events, frame.seq, frame.speed) == (7.0, 7, 1, 60.0)
    assert reader.latest() is None
    for number in range(8, 15):
        writer.write(fill_with(number), 60.0)
    assert np.all(frame.values["gpu.temp_c"] == 7)
    newest = reader.latest()
    assert newest is not None
    assert newest.seq == 8
    for channel in CHANNELS:
        values = newest.values[channel.id]
        assert values.dtype == np.dtype(channel.dtype)
        assert len(values) == SMALL.counts[channel.entity]
        assert np.all(values == 14)
    writer.close()
    reader.close()
    assert list(tmp_path.iterdir()) == []


def test_half_a_frame_is_never_shown(tmp_path: Path) -> None:
    reader = FrameReader(SMALL, tmp_path)
    writer = FrameWriter(str(reader.path), SMALL)
    writer.write(fill_with(1), 1.0)

    def broken(frame: Frame) -> None:
        frame.values["gpu.temp_c"][:6] = 99
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        writer.write(broken, 1.0)
    frame = reader.latest()
    assert frame is not None
    assert frame.seq == 1
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            writer.write(broken, 1.0)
    assert reader.latest() is None
    writer.close()
    reader.close()


def test_no_torn_frame_while_another_process_writes_flat_out(tmp_path: Path) -> None:
    reader = FrameReader(LARGE, tmp_path)
    seen = []
    with child(WRITER, reader.path) as writer:
        while len(seen) < 11 or seen[-1] < 2000:
            assert writer.poll() is None
            frame = reader.latest()
            if frame is None:
                continue
            assert frame.t_s == frame.events == frame.seq
            for values in frame.values.values():
                assert np.all(values == frame.seq % 100)
            seen.append(frame.seq)
        writer.kill()
    assert seen == sorted(set(seen))
    reader.close()


def test_memory_of_the_dead_is_removed_and_of_the_living_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_frames, "_YOUNG_S", 0.0)
    with child(OWNER, tmp_path) as owner:
        assert owner.stdout is not None
        path = Path(owner.stdout.readline().strip())
        assert path.stat().st_size == SMALL.nbytes * 3
        assert remove_stale(tmp_path) == []
        owner.kill()
    assert path.exists()
    assert remove_stale(tmp_path) == [path]
    assert not path.exists()


def test_memory_just_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "twin-frames-1-0").write_bytes(b"not locked yet")
    assert remove_stale(tmp_path) == []


def test_layouts_tell_each_other_apart() -> None:
    other = FrameLayout({**SMALL.counts, "gpu": 13})
    assert other.hash != SMALL.hash
    assert float(SMALL.hash) == SMALL.hash
    assert SMALL.offsets["end"] % 8 == 0
    assert Frame.empty(FrameLayout({})).values["gpu.temp_c"].size == 0


def test_frames_lie_elsewhere_where_one_folder_is_full(tmp_path: Path) -> None:
    reader = FrameReader(SMALL, tmp_path / "full", tmp_path)
    assert reader.path.parent == tmp_path
    reader.close()
    with pytest.raises(NoMemory, match=r"no room for the .* MB that pictures of a run take .*: free some"):
        FrameReader(SMALL, tmp_path / "full", tmp_path / "too")
    assert not list(tmp_path.iterdir())
