"""Speed of frames of 38,400 GPUs; run with ``--benchmark-only``. Promised: 80 us a look between two changes."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from twin.cli.bench.facility import raps_day
from twin.record.frame import Frame
from twin.sim.engine.engine import Engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine(raps_day())
    engine.advance(40_000.0)
    return engine


def coarse(engine: Engine) -> Frame:
    frame = Frame.empty(engine.layout)
    frame.detail = False
    return frame


@pytest.mark.benchmark(group="frames")
def test_a_look_between_two_changes(benchmark: BenchmarkFixture, engine: Engine) -> None:
    frame = coarse(engine)
    benchmark(lambda: engine.fill(frame))


@pytest.mark.benchmark(group="frames")
def test_a_look_into_another_frame(benchmark: BenchmarkFixture, engine: Engine) -> None:
    frame = coarse(engine)

    def another() -> None:
        frame.carries = None
        engine.fill(frame)

    benchmark(another)


@pytest.mark.benchmark(group="frames")
def test_a_look_after_a_change(benchmark: BenchmarkFixture, engine: Engine) -> None:
    frame = coarse(engine)

    def changed() -> None:
        engine.generation += 1
        engine.fill(frame)

    benchmark(changed)


@pytest.mark.benchmark(group="frames")
def test_a_look_at_every_gpu(benchmark: BenchmarkFixture, engine: Engine) -> None:
    frame = Frame.empty(engine.layout)
    benchmark(lambda: engine.fill(frame))
