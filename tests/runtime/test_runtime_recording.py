"""What the recorder keeps of an engine, and that a run can be taken up from it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from toy_engine import NAME, ToyEngine, scenario

from twin.record import recorder
from twin.record.events import Severity
from twin.record.reader import Reader
from twin.record.recorder import SAMPLES, SNAPSHOTS, Recorder
from twin.runtime.inline import run


def test_samples_lie_on_a_regular_grid_and_at_alarms(tmp_path: Path) -> None:
    run(scenario("20 h"), 1, record=tmp_path / "a.twinrun", engine=NAME)
    with Reader(tmp_path / "a.twinrun") as reader:
        curve = reader.series(0, "loop.supply_c", points=10**6)
        alarms = [e.t_s for e in reader.events_where(least=Severity.WARNING)]
        regular = np.isclose(curve.t_s % 80.0, 0) | np.isclose(curve.t_s % 80.0, 80.0)
        assert regular.sum() == SAMPLES + 1
        assert set(curve.t_s[~regular]) == set(alarms)  # every one of them
        assert len(alarms) > 50
        assert np.array_equal(reader.sample_times(), curve.t_s)
        assert np.abs(curve.mean - (20 + np.sin(curve.t_s / 600))).max() <= 0.0501
        ledger_s, accounts = reader.ledger()
        assert np.array_equal(ledger_s, curve.t_s)
        total = np.sum(list(accounts.values()), axis=0)
        assert np.allclose(total, ledger_s * 64, rtol=1e-12)


def test_alarms_beyond_number_bring_no_more_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "ALERTS", 40)
    run(scenario("20 h"), 1, record=tmp_path / "a.twinrun", engine=NAME)
    with Reader(tmp_path / "a.twinrun") as reader:
        times_s = reader.sample_times()
        alarms = [e.t_s for e in reader.events_where(least=Severity.WARNING)]
    assert np.isin(alarms[:20], times_s).all()  # as many as may come at once
    regular = np.isclose(times_s % 80.0, 0) | np.isclose(times_s % 80.0, 80.0)
    assert np.count_nonzero(~regular) <= 60 < len(set(alarms))


def test_short_runs_are_sampled_every_second(tmp_path: Path) -> None:
    run(scenario("100 s"), 1, record=tmp_path / "a.twinrun", engine=NAME)
    with Reader(tmp_path / "a.twinrun") as reader:
        assert reader.series(0, "site.it_w").t_s.tolist() == [float(t) for t in range(101)]


@pytest.mark.parametrize("t_s", [460.0, 3610.0, 7000.0])
def test_every_snapshot_leads_to_the_same_end(tmp_path: Path, t_s: float) -> None:
    whole = run(scenario(), 5, record=tmp_path / "a.twinrun", engine=NAME)
    with Reader(tmp_path / "a.twinrun") as reader:
        snapshot = reader.nearest_snapshot(t_s)
        events = reader.events()
    assert snapshot is not None
    assert t_s - 7200 / SNAPSHOTS - 2 <= snapshot.t_s <= t_s
    engine = ToyEngine.restore(scenario(), snapshot.data)
    assert engine.event_hash() == snapshot.event_hash
    engine.advance(math.inf)
    assert engine.event_hash() == whole.engine.event_hash()
    assert engine.events(snapshot.events) == events[snapshot.events :]


def test_a_file_taken_up_again_equals_one_written_in_one_go(tmp_path: Path) -> None:
    run(scenario(), 5, record=tmp_path / "a.twinrun", engine=NAME)
    run(scenario(), 5, until_s=4444.0, record=tmp_path / "b.twinrun", engine=NAME)
    with Reader(tmp_path / "b.twinrun") as reader:
        snapshot = reader.nearest_snapshot(3000.0)
    assert snapshot is not None
    engine = ToyEngine.restore(scenario(), snapshot.data)
    recorder = Recorder(engine, tmp_path / "b.twinrun", resume=True, resumed=snapshot)
    while engine.now_s < engine.end_s:
        engine.advance(recorder.next_s, alert=recorder.alert)
        recorder.observe()
    recorder.finish(engine.summary())
    recorder.close()
    with Reader(tmp_path / "a.twinrun") as one, Reader(tmp_path / "b.twinrun") as two:
        assert one.events() == two.events()
        assert one.summary == two.summary
        for channel in ("rack.power_w", "site.nodes_down"):
            a, b = one.series(0, channel), two.series(0, channel)
            grid = np.isin(b.t_s, a.t_s)
            assert np.array_equal(b.t_s[grid], a.t_s)
            assert np.array_equal(b.mean[grid], a.mean)


def test_the_recorder_asks_for_no_detail_and_leaves_the_engine_alone(tmp_path: Path) -> None:
    class Watched(ToyEngine):
        asked: list[bool] = []  # noqa: RUF012

        def fill(self, frame):  # type: ignore[no-untyped-def]
            self.asked.append(frame.detail)
            super().fill(frame)

    engine = Watched(scenario("60 s"), 1)
    before = engine.snapshot()
    recorder = Recorder(engine, tmp_path / "a.twinrun")
    recorder.observe(force=True)
    recorder.close()
    recorder.close()
    assert engine.snapshot() == before
    assert engine.asked == [False]
