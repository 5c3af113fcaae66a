"""A job in a cloud: its page, its rows and its JSON say what is known, and no zero that is not so."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.app.test_app_job_page_model import _Run
from twin import scenario
from twin.app.jobs.curves import JobCurves
from twin.app.jobs.model import GPUS, MFU, job_text
from twin.app.planner.facts import pace_rows
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.record.channels import JobState
from twin.runtime.inline import run

_SCENES = Path(__file__).parents[2] / "scenes"
_FINDINGS = Path(__file__).parents[1] / "findings"


@pytest.fixture
def away() -> _Run:
    """Two jobs that went to a cloud: the first steps there, the data of the second are on the line."""
    return _Run(scenario.load(_FINDINGS / "cl2.twin.yaml").scenario, 3500.0)


def test_its_page_tells_of_the_cloud_and_of_nothing_held_here(away: _Run) -> None:
    page = away.page("w1")
    assert page.state == JobState.REMOTE
    assert page.where == "in the cloud: 8 GPUs of elbe, 10 s a step, stops included"
    assert page.progress.step > 60
    assert page.progress.durable is None
    assert [piece.title for piece in page.time.pieces] == ["Queue", "In a cloud", "Productive here"]
    assert page.progress.ends_s == pytest.approx(2861.0 + 7200.0)
    assert away.page("w2").where == "moving to the cloud: 8 GPUs of elbe ordered"
    away.advance(2 * 3600.0)
    assert away.page("w2").where.startswith("in the cloud: 8 GPUs of elbe, 10 s a step")


def test_goodput_now_counts_its_steps_there(away: _Run) -> None:
    assert float(away.frame.values["site.goodput_now"][0]) == pytest.approx(100.0, abs=1.0)


def test_its_rows_hold_what_is_known_there(away: _Run) -> None:
    world = World(away.scenario, away.plant, load_catalog(), away.frame)
    index = away.history.index["w1"]
    hints = {row.hint for row in pace_rows(world, index)}
    assert {"job.state", "job.step", "job.step_s"} <= hints
    assert not hints & {"job.gpus", "job.mfu", "job.durable_step", "job.input_wait_s"}
    assert math.isnan(away.frame.values["job.mfu"][index])
    spec = away.history.jobs[index]
    assert job_text(spec, index, away.frame, GPUS) == "in a cloud"
    assert "0" not in job_text(spec, index, away.frame, MFU)


def test_its_summary_leaves_unknown_what_nobody_measured_there(away: _Run) -> None:
    own, first, _ = away.engine.summary()["jobs"]
    unknown = ("mfu", "input_wait", "energy_j", "lost_s", "interruptions", "restarts", "network")
    assert {name: first[name] for name in unknown} == dict.fromkeys(unknown)
    assert first["network_reason"] == "runs in elbe, whose network is not modelled"
    assert first["goodput"] == pytest.approx(1.0, abs=1e-2)
    assert own["energy_j"] > 0


def test_its_steps_there_count_in_ettr_as_in_goodput(away: _Run) -> None:
    for t_s in (3500.0, 7000.0, 12_000.0):  # steps there, on its way back, done
        away.advance(t_s)
        summary = away.engine.summary()
        known = away.engine.figures(away.frame, summary["ledger_gpu_s"])
        assert summary["jobs"][1]["ettr"] == pytest.approx(summary["jobs"][1]["goodput"])
        assert summary["goodput"] <= summary["ettr"] <= 1.0
        assert known["ettr"] == pytest.approx(summary["ettr"], abs=1e-6)
        assert known["goodput"] == pytest.approx(summary["goodput"], abs=1e-4)


def test_on_its_way_it_has_no_pace_and_no_end() -> None:
    lost = _Run(
        scenario.load(_SCENES / "hybrid-burst.twin.yaml").scenario, 475_300.0
    )  # its site is lost since 475,200
    index = lost.history.index["large"]
    assert lost.page("large").where == "moving to the cloud: 64 GPUs of elbe ordered"
    assert lost.page("large").progress.step > 0
    assert lost.page("large").progress.ends_s is None
    assert math.isnan(lost.frame.values["job.step_s"][index])
    lost.advance(477_000.0)
    assert lost.page("large").progress.ends_s is not None
    assert lost.frame.values["job.step_s"][index] > 6.7


def test_its_curves_have_gaps_for_gpus_in_frames_and_in_the_record(tmp_path: Path, away: _Run) -> None:
    path = tmp_path / "run.twinrun"
    run(away.scenario, 1, until_s=3500.0, record=path)
    index = away.history.index["w1"]
    curves = JobCurves()
    curves.follow(index, path)
    while curves.read(3500.0, 1e9):
        pass
    curves.add(away.frame)
    step_s, goodput, gpus = (
        curves.history.series(name) for name in ("job.step_s", "job.goodput", "job.gpus")
    )
    assert step_s[-1] == pytest.approx(10.0)
    assert math.isnan(gpus[-1])
    assert gpus[0] == 0.0  # before it went it held none
    assert math.isnan(goodput[0])  # and did nothing to be good at
    assert goodput[-1] > 90.0
    json.dumps(away.engine.summary(), allow_nan=False)
