"""Pictures of a recorded run: at each sample they are those of the live run, through edits, crashes and moves."""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from small_run import DIES, LAYOUT, detail, sample, shown, small_scenario

from twin.analysis.verify import verify
from twin.record.channels import CHANNELS
from twin.record.events import Severity
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.record.recorder import Recorder
from twin.record.runfile import NoDetail, RunFileError
from twin.record.writer import Writer
from twin.runtime.inline import run
from twin.scenario import load, loads
from twin.scenario.reading.inject_option import parse_injection
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit, racks, tiny

SCENES = Path(__file__).parents[2] / "scenes"
EXACT = ("gpu.state", "gpu.job", "gpu.throttle", "gpu.clock_mhz", "gpu.util", "node.seat", "node.condition")
HOTTEST = "site.gpu_max_c"
WITHIN = {"gpu.temp_c": 0.1, "gpu.hbm_c": 0.1, "gpu.power_w": 1.0}
DISCRETE = tuple(c.id for c in CHANNELS if c.dtype in ("u1", "u2", "i4"))


class Watching(Recorder):
    """Keeps what the live run showed at some of the samples."""

    def __init__(self, engine: Engine, path: Path, share: float = 1.0, **more: object) -> None:
        self.kept: list[Frame] = []
        self._dice, self._share = random.Random(4), share
        super().__init__(engine, path, **more)  # type: ignore[arg-type]

    def observe(self, force: bool = False) -> None:
        before = self._last_sample_s
        super().observe(force)
        if self._last_sample_s != before and self._dice.random() < self._share:
            frame = Frame.empty(self._engine.layout)
            self._engine.fill(frame)
            self.kept.append(frame)


def go(engine: Engine, recorder: Recorder, until_s: float) -> None:
    until_s = min(until_s, engine.end_s)
    while engine.now_s < until_s:
        engine.advance(max(engine.now_s, min(until_s, recorder.next_s)), None, recorder.alert)
        recorder.observe()


def same(live: Frame, read: Frame) -> None:
    """Compare two frames: what is discrete exactly, the rest to what is kept of it."""
    assert (read.t_s, read.events, read.layout) == (live.t_s, live.events, live.layout)
    for id in (*EXACT, *DISCRETE):
        assert np.array_equal(live.values[id], read.values[id]), (id, live.t_s)
    for id, most in WITHIN.items():
        assert np.abs(live.values[id] - read.values[id]).max(initial=0.0) <= most, (id, live.t_s)
    for channel in CHANNELS:
        if channel.id == HOTTEST:  # that of the GPUs shown, not of the series
            assert read.values[HOTTEST][0] == read.values["gpu.temp_c"].max(initial=0.0), live.t_s
            assert abs(read.values[HOTTEST][0] - live.values[HOTTEST][0]) <= WITHIN["gpu.temp_c"], live.t_s
        elif channel.quantum:
            a, b = (frame.values[channel.id].astype(float) for frame in (live, read))
            near = np.abs(a - b) <= 0.51 * channel.quantum + 1e-6 * np.abs(a)
            assert (near | (np.isnan(a) & np.isnan(b))).all(), (channel.id, live.t_s)


def small(**more: object) -> Scenario:
    return load(SCENES / "lab-16.twin.yaml").scenario.model_copy(update=more)


def trouble() -> Scenario:
    """Return a hall in which pumps stop, a plate is blocked, power is capped and a supply fails."""
    scenario = load(SCENES / "pump-trip.twin.yaml").scenario
    return scenario.model_copy(
        update={
            "interventions": (
                *scenario.interventions,
                parse_injection("3 min power_cap all value=450W for=5min"),
                parse_injection("4 min blocked_plate gpu/0/0/0/3 value=40% for=10min"),
            )
        }
    )


@pytest.mark.parametrize("scenario", [small(), trouble()], ids=["lab", "trouble"])
def test_each_sample_is_as_it_was_live(scenario: Scenario, tmp_path: Path) -> None:
    engine = Engine(scenario)
    recorder = Watching(engine, tmp_path / "a.twinrun", share=0.3)
    go(engine, recorder, 100_000.0)
    recorder.close()
    with Reader(tmp_path / "a.twinrun") as reader:
        assert len(recorder.kept) > 50
        for live in recorder.kept:
            same(live, reader.frame(live.t_s))
        times = reader.sample_times()
        between = reader.frame(0.5 * (times[3] + times[4]))
        assert between.t_s == times[3]
        assert reader.frame(-5.0).t_s == times[0]
        assert reader.frame(1e9).t_s == times[-1]
    if scenario.title == trouble().title:
        reasons = np.bitwise_or.reduce(
            [np.bitwise_or.reduce(f.values["gpu.throttle"]) for f in recorder.kept]
        )
        assert reasons & 0x8000  # a cap
        assert len({f.values["gpu.temp_c"].max().round() for f in recorder.kept}) > 5


def test_pictures_go_through_edits_of_the_hall_and_a_crash(tmp_path: Path) -> None:
    path, scene = tmp_path / "a.twinrun", tiny(nodes=3, duration="2 h")
    engine = Engine(scene)
    recorder = Watching(engine, path)
    for one in (edit(600.0, "more", racks(5)), edit(1500.0, "less", absent("gpu/0/1"))):
        assert engine.intervene(one) is None
    go(engine, recorder, 1200.0)
    recorder.mark(engine.now_s, "bookmark", "safe")  # with a snapshot
    go(engine, recorder, 1300.0)
    recorder.abandon()  # the process dies
    with Reader(path) as reader:
        snapshot = reader.nearest_snapshot(1e9)
    assert snapshot is not None
    assert snapshot.t_s == 1200.0
    again = Engine.restore(scene, snapshot.data)
    resumed = Watching(again, path, resume=True, resumed=snapshot)
    go(again, resumed, 2500.0)
    resumed.close()
    kept = [*(f for f in recorder.kept if f.t_s <= 1200.0), *resumed.kept]
    with Reader(path) as reader:
        assert [layout.epoch for _, layout in reader.epochs()] == [0, 1, 2]
        for live in kept:
            same(live, reader.frame(live.t_s))
        for at_s, gpus in ((599.0, 3), (601.0, 5), (1499.0, 5), (1501.0, 4)):
            frame = reader.frame(at_s)
            assert np.count_nonzero(frame.values["node.condition"]) == gpus
        assert np.array_equal(reader.sample_times(), np.array([f.t_s for f in kept]))


def test_a_run_file_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    text = (SCENES / "lab-16.twin.yaml").read_text()
    scene = tmp_path / "one" / "lab.twin.yaml"
    scene.write_text(text)
    run(load(scene).scenario, 3, until_s=900.0, record=tmp_path / "one" / "a.twinrun")
    shutil.move(tmp_path / "one" / "a.twinrun", tmp_path / "two" / "b.twinrun")
    shutil.rmtree(tmp_path / "one")
    with Reader(tmp_path / "two" / "b.twinrun") as reader:
        assert reader.header.scenario.title == loads(text, "lab").scenario.title
        assert reader.frame(450.0).values["gpu.temp_c"].min() > 20
        used = reader.ledger_range(0.0, 900.0).gpu_s
        assert sum(used.values()) == pytest.approx(900.0 * reader.header.layout.counts["gpu"])
    assert verify(tmp_path / "two" / "b.twinrun").clean
    assert [p.name for p in (tmp_path / "two").iterdir()] == ["b.twinrun"]


def test_pictures_of_a_file_written_by_hand(run_file: Path) -> None:
    with Reader(run_file) as reader:
        for t_s in (0.0, 99.0, 100.0, 299.0, 300.0, 450.0, 599.0):
            frame, live = reader.frame(t_s), shown(t_s)
            for id in EXACT:
                assert np.array_equal(frame.values[id], live.values[id]), id
            for id, most in WITHIN.items():
                assert np.abs(frame.values[id] - live.values[id]).max() <= most
            assert frame.events == int(t_s) // 2 + 1
        assert frame.values["gpu.temp_c"][63] == 0  # it is not there
        assert frame.values["gpu.clock_mhz"][frame.values["gpu.throttle"] & 0x20 > 0].max() < 1980


def test_a_reader_follows_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "a.twinrun"
    writer = Writer(path, small_scenario(), 7, LAYOUT, 1000.0, {})
    with Reader(path) as reader:
        assert len(reader.sample_times()) == 0
        with pytest.raises(NoDetail, match="no frames yet"):
            reader.frame(0.0)
        for k in range(1, 60):
            writer.add_sample(float(k), sample(k), k, detail(k), DIES)
            writer.commit(float(k), 0, "")
            assert reader.sample_times().tolist() == list(range(1, k + 1))
            assert reader.frame(1e9).t_s == k
    writer.close()


def test_an_older_file_is_read_but_has_no_pictures(run_file: Path) -> None:
    with closing(sqlite3.connect(run_file)) as file:  # as version 1 wrote it
        file.execute("PRAGMA user_version=1")
        file.execute("INSERT INTO ledger SELECT 100.0, 'productive', 800.0")
        file.execute(
            "DELETE FROM series WHERE channel LIKE 'detail%' OR channel IN ('dies', 'ledger', 'events')"
        )
        file.commit()
    with Reader(run_file) as reader:
        assert len(reader.series(0, "rack.power_w").t_s) == 600
        assert reader.ledger()[1]["productive"].tolist() == [800.0]
        assert reader.ledger_range(0.0, 25.0).gpu_s["productive"] == 200.0  # its first row is not its start
        assert reader.ledger_range(50.0, 500.0).gpu_s["productive"] == 400.0
        with pytest.raises(NoDetail, match="older version"):
            reader.frame(5.0)
    with pytest.raises(RunFileError, match="not resumed"):
        Writer.resume(run_file, LAYOUT, None)


def test_events_are_picked(run_file: Path) -> None:
    with Reader(run_file) as reader:
        everything = reader.events()
        assert reader.events_where() == everything
        found = reader.events_where(subject="gpu/0/1", least=Severity.WARNING, t0_s=100.0, t1_s=300.0)
        assert found == [
            e
            for e in everything
            if e.subject == "gpu/0/1" and e.severity >= Severity.WARNING and 100 <= e.t_s <= 300
        ]
        assert len(found) > 10
        assert reader.events_where(kinds=["pump_stop"]) == []
        assert [e.row for e in reader.events_where(kinds=["failure", "x"], limit=3)] == [0, 1, 2]


@pytest.mark.slow
def test_a_month_and_more_of_16_384_gpus(tmp_path: Path) -> None:
    path = tmp_path / "a.twinrun"
    engine = Engine(load(SCENES / "llama3-16k.twin.yaml").scenario)
    recorder = Watching(engine, path, share=0.05)
    go(engine, recorder, engine.end_s)
    recorder.finish(engine.summary())
    assert path.stat().st_size <= 200e6
    with Reader(path) as reader:
        for live in recorder.kept:
            same(live, reader.frame(live.t_s))
        rng, spent = random.Random(1), []
        for _ in range(200):
            begin = process_time()
            reader.frame(rng.uniform(0.0, engine.end_s))
            spent.append(process_time() - begin)
        print(
            f"a seek costs {1e3 * np.median(spent):.1f} ms, of 100 the longest {1e3 * np.quantile(spent, 0.99):.1f}"
        )
