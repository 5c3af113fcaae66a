"""A process that records is killed at any moment: the file opens, and holds all but the last seconds."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from select import select
from time import monotonic

import numpy as np
import pytest

from twin.record.reader import Reader
from twin.record.recorder import SAMPLES

LOST_WALL_S = 2.0


def killed_after(path: Path, wall_s: float) -> list[tuple[float, float]]:
    """Record into `path`, kill that so long after it began; return (wall clock, simulated) [s] of how far it was."""
    script = str(Path(__file__).with_name("endless_run.py"))
    with subprocess.Popen([sys.executable, script, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]  # it records from here on
        deadline = monotonic() + wall_s
        while (left_s := deadline - monotonic()) > 0:
            if select([process.stdout], [], [], left_s)[0]:
                said.append(process.stdout.readline())
        process.kill()
        said += process.stdout.readlines()
    whole = [line.split() for line in said if line.endswith("\n")]
    return [(float(wall), float(now)) for wall, now in whole]


@pytest.mark.slow
@pytest.mark.parametrize("count", [pytest.param(2, id="two"), pytest.param(20, id="twenty")])
def test_a_killed_run_is_whole_up_to_two_seconds_before(tmp_path: Path, count: int) -> None:
    dice = random.Random(count)
    for number in range(count):
        path = tmp_path / f"{number}.twinrun"
        said = killed_after(path, dice.uniform(0.0, 2.0) + 2.5 * (number % 2))
        end_wall_s = said[-1][0]
        certain_s = max((now for wall, now in said if wall <= end_wall_s - LOST_WALL_S), default=0.0)
        with Reader(path) as reader:
            assert reader.t_end_s >= certain_s
            events = reader.events(limit=10**6)
            assert [e.row for e in events] == list(range(reader.event_count))
            times = reader.sample_times()
            assert times[0] == 0.0
            assert (np.diff(times) > 0).all()
            assert times[-1] + 10 * 365 * 86400 / SAMPLES >= certain_s
            for t_s in (0.0, *dice.choices(times.tolist(), k=20), times[-1]):
                frame = reader.frame(t_s)
                assert frame.t_s == t_s
                assert frame.events <= len(events)
                assert frame.values["gpu.temp_c"].min() > 10
            assert (
                abs(sum(reader.ledger_range(0.0, times[-1]).gpu_s.values()) - 16 * times[-1])
                <= 1e-6 * times[-1]
            )
