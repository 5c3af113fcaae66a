"""What is written into a run file comes back, while it is written and after."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from small_run import IDS, LAYOUT, SUMMARY, event, rack_power_w, sample, small_scenario, write

from twin.record.columns import decode_dense, encode_dense
from twin.record.inputs import MODEL_REVISION, STATE_REVISION, inputs_hash
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.series import condense
from twin.record.writer import Writer


def test_header_tells_what_was_run(run_file: Path) -> None:
    with Reader(run_file) as reader:
        header = reader.header
        assert header.scenario == small_scenario()
        assert (header.seed, header.end_s) == (7, 1000.0)
        assert header.layout == LAYOUT
        assert header.layout.hash == LAYOUT.hash
        assert {k: list(v) for k, v in header.ids.items()} == IDS
        assert header.inputs_hash == inputs_hash(small_scenario())
        assert {"twin", "python", "numpy", "cpu"} <= set(header.versions)


def test_events_come_back_by_row(run_file: Path) -> None:
    with Reader(run_file) as reader:
        assert reader.event_count == 300
        assert reader.events() == [event(row) for row in range(300)]
        assert reader.events(since_row=290, limit=3) == [event(290), event(291), event(292)]
        assert reader.events(since_row=300) == []


def test_series_come_back_within_the_quantum(run_file: Path) -> None:
    with Reader(run_file) as reader:
        for rack in range(3):
            curve = reader.series(rack, "rack.power_w")
            wanted = np.array([rack_power_w(t)[rack] for t in range(600)])
            assert np.array_equal(curve.t_s, np.arange(600.0))
            assert np.abs(curve.mean - wanted).max() <= 50.0  # quantum 100 W
        assert np.array_equal(reader.series(0, "job.step").mean, 3.0 * np.arange(600))
        assert np.abs(reader.series(0, "site.pue").mean - 1.23456).max() <= 0.0005


def test_series_of_a_range_and_of_few_points_keep_extremes(run_file: Path) -> None:
    with Reader(run_file) as reader:
        cut = reader.series(1, "rack.power_w", 250, 260)
        assert np.array_equal(cut.t_s, np.arange(250.0, 261.0))
        few = reader.series(2, "rack.power_w", points=10)
        assert len(few.t_s) == 10
        assert few.high.max() == 9000.0
        assert few.low.max() == 5000.0
        assert few.mean.max() < 5100.0
        assert len(reader.series(0, "rack.power_w", 700, 800).t_s) == 0


def test_series_that_are_not_kept(run_file: Path) -> None:
    with Reader(run_file) as reader:
        with pytest.raises(KeyError, match="no series"):
            reader.series(0, "gpu.temp_c")
        with pytest.raises(KeyError):
            reader.series(0, "rack.smell")
        with pytest.raises(IndexError, match="3 of kind rack"):
            reader.series(3, "rack.power_w")


@pytest.mark.parametrize(
    ("versions", "continues"),
    [
        ({"model": str(MODEL_REVISION)}, STATE_REVISION == 1),
        ({"model": str(MODEL_REVISION), "state": str(STATE_REVISION)}, True),
        ({"model": str(MODEL_REVISION - 1), "state": str(STATE_REVISION)}, False),
        ({"model": str(MODEL_REVISION), "state": str(STATE_REVISION + 1)}, False),
        ({"twin": "0.1.0"}, False),
    ],
)
def test_snapshots_of_another_model_or_form_are_not_continued(
    run_file: Path, tmp_path: Path, versions: dict[str, str], continues: bool
) -> None:
    other = tmp_path / "other.twinrun"
    shutil.copy(run_file, other)
    with closing(sqlite3.connect(other)) as file:
        file.execute("UPDATE header SET value = ? WHERE key = 'versions'", (json.dumps(versions),))
        file.commit()
    with Reader(other) as reader:
        assert reader.continues == continues
        assert (reader.nearest_snapshot(399.9) is not None) == continues
        assert len(reader.snapshot_hashes()) > 0, "their hashes are compared all the same"


def test_snapshots_ledger_markers_summary(run_file: Path) -> None:
    with Reader(run_file) as reader:
        nearest = reader.nearest_snapshot(399.9)
        assert nearest is not None
        assert (nearest.t_s, nearest.events, nearest.event_hash, nearest.data) == (
            300,
            151,
            "hash 300",
            b"state 300",
        )
        assert reader.nearest_snapshot(-1.0) is None
        times, accounts = reader.ledger()
        assert times.tolist() == list(range(600))
        assert accounts["productive"].tolist() == [8.0 * t for t in range(600)]
        booked = reader.ledger_range(10.0, 20.5).gpu_s
        assert {name: gpu_s for name, gpu_s in booked.items() if gpu_s} == {
            "productive": 84.0,
            "idle_spare": 10.5,
        }
        assert [m.text for m in reader.markers()] == ["look here", "fail gpu/0/1"]
        assert [m.data for m in reader.markers("intervention")] == ['{"rev": 1}']
        assert reader.summary == SUMMARY
        assert (reader.t_end_s, reader.event_hash) == (599.0, "last")


def test_a_closed_file_is_one_file_and_stands_alone(run_file: Path, tmp_path: Path) -> None:
    assert [p.name for p in tmp_path.iterdir()] == ["a.twinrun"]
    moved = tmp_path / "else" / "b.twinrun"
    moved.parent.mkdir()
    shutil.move(run_file, moved)
    with Reader(moved) as reader:
        assert len(reader.events()) == 300
        assert reader.header.scenario.title == "Small"
    assert [p.name for p in moved.parent.iterdir()] == ["b.twinrun"]


def test_rolling_snapshots_replace_each_other(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "r.twinrun", small_scenario(), 1, LAYOUT, 1000.0, IDS)
    for t in (0, 10, 20):
        writer.add_snapshot(float(t), t, "h", b"%d" % t * 50_000, rolling=t > 0)
    writer.commit(20.0, 20, "h")
    writer.close()
    with Reader(tmp_path / "r.twinrun") as reader:
        assert reader.nearest_snapshot(15.0).data == b"0" * 50_000  # type: ignore[union-attr]
        assert reader.nearest_snapshot(25.0).data == b"20" * 50_000  # type: ignore[union-attr]


def test_another_process_reads_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "live.twinrun"
    writer = write(path, seconds=300, close=False)
    code = (
        "import sys; from twin.record.reader import Reader; r = Reader(sys.argv[1]);"
        "print(len(r.events()), r.event_count, len(r.series(1, 'rack.power_w').t_s), r.header.seed)"
    )
    for seconds in (300, 301):
        if seconds == 301:
            writer.add_sample(300.0, sample(300.0))
            writer.add_events([event(150)])
            writer.commit(300.0, 151, "more")
        out = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
        assert out.stdout.split() == [str((seconds + 1) // 2)] * 2 + [str(seconds), "7"]
    writer.close()


def test_closing_while_somebody_reads_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "live.twinrun"
    writer = write(path, seconds=100, close=False)
    with Reader(path) as early:
        assert early.event_count == 50
        writer.close()
        assert len(early.events()) == 50
    with Reader(path) as late:
        assert len(late.events()) == 50


def test_a_copy_of_a_live_run_is_whole(tmp_path: Path) -> None:
    writer = write(tmp_path / "live.twinrun", seconds=100, close=False)
    with Reader(tmp_path / "live.twinrun") as reader:
        reader.save_copy(tmp_path / "kept.twinrun")
        with pytest.raises(RunFileError, match="cannot write"):
            reader.save_copy(tmp_path / "no" / "kept.twinrun")
    writer.close()
    with Reader(tmp_path / "kept.twinrun") as kept:
        assert len(kept.events()) == 50
        assert kept.summary is not None
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.twinrun", "live.twinrun"]


def test_resume_drops_what_came_after_the_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "a.twinrun"
    write(path, seconds=600)
    with Reader(path) as reader:
        at = reader.nearest_snapshot(400.0)
    assert at is not None
    writer = Writer.resume(path, LAYOUT, at)
    writer.add_sample(401.0, sample(401))
    writer.add_events([event(201)])
    writer.commit(401.0, 202, "again")
    writer.close()
    with Reader(path) as reader:
        assert [e.row for e in reader.events()] == list(range(202))
        assert reader.series(0, "job.step").t_s.tolist() == [*map(float, range(401)), 401.0]
        assert reader.nearest_snapshot(1000.0).t_s == 400.0  # type: ignore[union-attr]
        assert reader.summary is None
        assert reader.ledger()[0].max() == 400.0
        assert len(reader.markers()) == 2


def test_only_run_files_are_replaced(tmp_path: Path, run_file: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("years of work")
    with pytest.raises(RunFileError, match="not a run file"):
        Writer(precious, small_scenario(), 1, LAYOUT, 1.0, IDS)
    assert precious.read_text() == "years of work"
    write(run_file, seconds=10)
    with Reader(run_file) as reader:
        assert reader.event_count == 5


def test_no_folder_no_file(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="missing; create it first"):
        Writer(tmp_path / "missing" / "a.twinrun", small_scenario(), 1, LAYOUT, 1.0, IDS)


def test_reading_leaves_the_file_alone(run_file: Path) -> None:
    before = run_file.read_bytes()
    with Reader(run_file) as reader:
        reader.events()
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.source.file.execute("DELETE FROM events")
    assert run_file.read_bytes() == before


@pytest.mark.parametrize("quantum", [0.0, 0.1, 100.0])
def test_columns_round_trip(quantum: float) -> None:
    values = np.random.default_rng(1).uniform(-1e3, 1e3, (50, 7)).astype(np.float32)
    values[3, 2] = np.nan
    again = decode_dense(encode_dense(values, quantum), 50, 7, "f4").whole().T
    assert np.nanmax(np.abs(again - values)) <= quantum * 0.5001 + 1e-3 * bool(quantum)
    assert np.isnan(again[3, 2])


def test_condense_covers_every_sample() -> None:
    values = np.arange(1003, dtype=np.float32)
    curve = condense(np.arange(1003.0), values, 100)
    assert len(curve.t_s) == 100
    assert curve.low[0] == 0
    assert curve.high[-1] == 1002
    assert np.all(curve.low[1:] == curve.high[:-1] + 1)


def test_the_mean_of_a_curve_counts_each_sample_for_the_time_until_the_next() -> None:
    t_s = np.array([0.0, 90.0, 91.0, 92.0, 100.0, 200.0, 260.0])
    values = np.array([100.0, 0.0, 0.0, 50.0, 80.0, 40.0, 7.0], np.float32)
    curve = condense(t_s, values, 2)
    assert curve.t_s.tolist() == [0.0, 92.0]
    assert curve.mean.tolist() == [
        pytest.approx(9000 / 92),
        pytest.approx((8 * 50 + 100 * 80 + 60 * 40) / (260 - 92)),
    ]
    assert curve.low.tolist() == [0.0, 7.0]
    assert curve.high.tolist() == [100.0, 80.0]


def test_samples_at_one_moment_count_alike() -> None:
    curve = condense(np.array([5.0, 5.0, 5.0, 6.0]), np.array([1, 3, 8, 9], np.float32), 2)
    assert curve.mean.tolist() == [2.0, 8.0]


def test_a_run_is_followed_slice_by_slice(run_file: Path) -> None:
    found: list[float] = []
    racks = []
    with Reader(run_file) as reader:
        layout = reader.header.layout
        while True:
            t_s, columns = reader.samples(
                ("rack.power_w", "site.pue"), found[-1] if found else -1.0, 1, layout
            )
            if not len(t_s):
                break
            assert columns["site.pue"].shape == (1, len(t_s))
            found += t_s.tolist()
            racks.append(columns["rack.power_w"])
        assert found == list(range(600))
        assert np.array_equal(np.hstack(racks)[2], reader.series(2, "rack.power_w").mean)
