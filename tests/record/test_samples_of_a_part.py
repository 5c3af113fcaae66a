"""A run that is stopped early is sampled as closely as its length allows, whatever its scene lasts."""

from __future__ import annotations

from pathlib import Path

from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load


def test_two_scenes_that_are_run_for_as_long_have_samples_at_the_same_times(tmp_path: Path) -> None:
    until_s, times = 1800.0, []
    for name in ("pump-trip", "nvl72-row"):  # hours, and a week
        path = tmp_path / f"{name}.twinrun"
        run(load(f"builtin:{name}").scenario, until_s=until_s, record=path, paced=True)
        with Reader(path) as reader:
            curve = reader.series(0, "site.it_w", points=100_000)
            times.append({round(t_s, 3) for t_s in curve.t_s})
    grid = {float(t_s) for t_s in range(0, 1801, 8)}
    assert len(grid & times[0] & times[1]) >= 0.95 * len(grid)
