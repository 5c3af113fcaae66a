from __future__ import annotations

import json

import pytest

from twin.cli.bench.command import FIGURES
from twin.cli.bench.simulation import estimate_us


def test_an_estimate_can_be_timed() -> None:
    assert estimate_us() > 0


@pytest.mark.slow
@pytest.mark.gl
def test_bench_measures_every_figure(twin, qapp) -> None:
    figures = json.loads(twin("bench", "--json").stdout)
    for key, *_ in FIGURES:
        assert figures[key] is not None, key
        assert figures[key] > 0 or key.startswith("gui_timer"), key
    assert figures["machine"]["renderer"]
