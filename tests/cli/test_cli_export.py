"""`twin export`: what comes out can be read by other programs, and is what the run file holds."""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from twin.record.channels import BY_ID
from twin.record.reader import Reader
from twin.scenario.schema.faults import Intervention

_SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-zA-Z]+="[^"]*",?)+)\} (\S+) (\d+\.\d{3})$')


@pytest.fixture(scope="module", autouse=True)
def recordings() -> None:
    """As they are: figures are exported as often as somebody asks for."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from twin.runtime.inline import run
    from twin.scenario import load

    path = tmp_path_factory.mktemp("runs") / "lab.twinrun"
    cut = Intervention(id="cap", at_s=3600.0, kind="power_cap", target="all", value="500 W")
    run(load("builtin:lab-16").scenario, until_s=43200.0, record=path, interventions=[cut])
    return path


def test_csv_holds_every_sample(twin, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "lab.csv"
    told = twin("export", lab, "--channel", "rack.power_w", "--channel", "job.state", "-o", out).stdout
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert f"{len(rows):,} values" in told
    mine = [row for row in rows if row["channel"] == "rack.power_w" and row["entity"] == "gpu/0/1"]
    with Reader(lab) as reader:
        series = reader.series(1, "rack.power_w", points=10**6)
        start = reader.header.scenario.start
    assert [float(row["time_s"]) for row in mine] == pytest.approx(series.t_s.tolist(), abs=5e-4)
    assert [float(row["value"]) for row in mine] == pytest.approx(series.mean.tolist(), rel=1e-6)
    assert datetime.fromisoformat(mine[0]["time"]) == start
    assert mine[0]["unit"] == "W"
    assert {row["channel"] for row in rows} == {"rack.power_w", "job.state"}


def test_openmetrics_is_well_formed_and_gpus_have_the_names_of_dcgm(twin, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "lab.om"
    words = ("--format", "openmetrics", "--channel", "gpu", "--channel", "site.pue")
    twin("export", lab, *words, "-o", out)
    lines = out.read_text().splitlines()
    assert lines[-1] == "# EOF"
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert families == [*(one.dcgm for one in BY_ID.values() if one.dcgm), "twin_site_pue"]
    samples = [_SAMPLE.match(line) for line in lines if not line.startswith("#")]
    assert all(samples)
    found = [one.groups() for one in samples if one]
    grouped = [(key, [float(one[3]) for one in group]) for key, group in groupby(found, lambda one: one[:2])]
    assert len({key for key, _ in grouped}) == len(grouped)  # the points of one entity stand together
    assert all(np.all(np.diff(times) > 0) for _, times in grouped)
    power = [one for one in found if one[0] == "DCGM_FI_DEV_POWER_USAGE"]
    assert len({one[1] for one in power}) == 16
    with Reader(lab) as reader:
        start_s = reader.header.scenario.start.timestamp()
        times = reader.sample_times()
        half = len(times) // 2
        frame = reader.frame(times[half])
    assert sorted({float(one[3]) for one in power}) == pytest.approx((start_s + times).tolist(), abs=1e-3)
    at_half = [float(one[2]) for one in power if abs(float(one[3]) - start_s - times[half]) < 2e-3]
    assert at_half == pytest.approx(frame.values["gpu.power_w"].tolist(), rel=1e-6)
    labels = dict(pair.split("=", 1) for pair in power[3][1].split(","))
    assert labels["gpu"] == '"0"'
    assert labels["device"] == '"nvidia0"'
    assert labels["modelName"] == '"NVIDIA H100 SXM 80 GB"'
    assert labels["hostname"] == labels["Hostname"] == '"gpu/0/0/0"'  # as since May 2026, and before
    uuids = {one[1].split("UUID=")[1].split(",")[0] for one in power}
    assert len(uuids) == 16
    assert all(re.fullmatch(r'"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"', uuid) for uuid in uuids)
    assert max(float(one[2]) for one in power if float(one[3]) > start_s + 4000) <= 500.5  # the cap


def test_gpus_are_exported_so_often(twin, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "gpus.csv"
    twin("export", lab, "--channel", "gpu.temp_c", "--every", "2 h", "-o", out)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 7 * 16
    hours = sorted({float(row["time_s"]) / 3600 for row in rows})
    assert hours == pytest.approx([0, 2, 4, 6, 8, 10, 12], abs=0.02)
    assert rows[0]["entity"] == "gpu/0/0/0/0"


def test_parquet_holds_what_csv_holds_or_says_what_it_needs(twin, lab: Path, tmp_path: Path) -> None:
    out, words = tmp_path / "lab.parquet", ("--channel", "rack.power_w", "--channel", "site.pue")
    try:
        from pyarrow import parquet
    except ImportError:
        told = twin("export", lab, "--format", "parquet", *words, "-o", out, code=2).stderr
        assert "pip install 'gpu-twin[analysis]'" in told
        assert list(tmp_path.iterdir()) == []
        return
    twin("export", lab, "--format", "parquet", *words, "-o", out)
    twin("export", lab, *words, "-o", tmp_path / "lab.csv")
    table = parquet.read_table(out).to_pylist()
    rows = list(csv.DictReader((tmp_path / "lab.csv").read_text(encoding="utf-8").splitlines()))

    def keyed(one: dict[str, object]) -> tuple[str, str, str]:
        return (str(one["channel"]), str(one["entity"]), f"{float(one['time_s']):.3f}")  # type: ignore[arg-type]

    known = {keyed(row): float(row["value"]) for row in rows}
    assert {keyed(one): one["value"] for one in table} == pytest.approx(known, rel=1e-6)
    assert table[0]["unit"] == "W"
    assert table[0]["time"] == datetime.fromisoformat(rows[0]["time"])


def test_the_trace_tells_states_events_and_counters(twin, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "lab.json"
    twin("export", lab, "--format", "perfetto", "-o", out)
    entries = json.loads(out.read_text())["traceEvents"]
    assert {one["ph"] for one in entries} == {"M", "X", "i", "C"}
    spans = [one for one in entries if one["ph"] == "X"]
    assert all(one["dur"] > 0 for one in spans)
    ends = [one["ts"] + one["dur"] for one in spans]
    assert [one["ts"] for one in spans[1:]] == pytest.approx(ends[:-1])  # one job: no gap, no overlap
    with Reader(lab) as reader:
        assert sum(one["ph"] == "i" for one in entries) == reader.event_count
        events = reader.events()
        assert [one["ts"] for one in entries if one["ph"] == "i"] == [e.t_s * 1e6 for e in events]
        ran = [e.t_s * 1e6 for e in events if e.kind in ("job_running", "job_resumed")]
        stood = [e.t_s * 1e6 for e in events if e.kind == "job_interrupted"]
        end = reader.t_end_s * 1e6
    assert stood
    assert [one["ts"] for one in spans if one["name"] == "running"] == ran  # to the moment, not to the sample
    assert [one["ts"] for one in spans if one["name"] == "interrupted"] == stood
    assert ends[-1] == pytest.approx(end)
    assert "llama3" in {one["args"].get("name") for one in entries if one["ph"] == "M"}


def test_what_cannot_be_exported_leaves_no_file(twin, lab: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    assert "'rack.pwr'" in twin("export", lab, "--channel", "rack.pwr", "-o", out, code=2).stderr
    broken = tmp_path / "cut.twinrun"
    broken.write_bytes(lab.read_bytes()[:9000])
    assert "truncated" in twin("export", broken, "-o", out, code=2).stderr
    twin("export", lab, "-o", tmp_path / "none" / "x.csv", code=2)
    assert [path.name for path in tmp_path.iterdir() if "x.csv" in path.name] == []
