"""What GPUs and what the rest of their nodes have taken does not depend on where thermal steps end."""

import pytest
from sim_scenes import job, tiny

from twin.sim.engine.engine import Engine
from twin.sim.thermal import heat


def energy(longest_s: float, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Return the energy of two jobs that come and go, with thermal steps of so much at most."""
    monkeypatch.setattr(heat, "LONGEST_STEP_S", longest_s)
    jobs = (job(limit="1000 s"), job(id="later", submit="1500 s", limit="40 min"))
    engine = Engine(tiny(jobs=jobs, duration="2 h"))
    engine.advance(engine.end_s)
    return engine.summary()["energy"]


def test_each_interval_is_booked_at_the_powers_of_then(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = energy(3600.0, monkeypatch), energy(15.0, monkeypatch)
    assert long["it_j"] == pytest.approx(short["it_j"], rel=5e-4)
    assert long["gpu_j"] == pytest.approx(short["gpu_j"], rel=5e-4)
