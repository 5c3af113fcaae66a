"""A job in a cloud: its page, its rows and its JSON say what is known, and no zero that is not so."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.app.test_app_job_page_model import _Run
from twin import scenario
from twin.app.fact_rows import World
from twin.app.job_curves import JobCurves
from twin.app.job_facts import pace_rows
from twin.app.job_model import GPUS, MFU, job_text
from twin.catalog import load_catalog
from twin.record.channels import JobState
from twin.runtime.inline import run

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
    assert away.page("w2").where == "on its way to the cloud: 8 GPUs of elbe are ordered"
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
    unknown = ("mfu", "ettr", "input_wait", "energy_j", "lost_s", "interruptions", "restarts", "network")
    assert {name: first[name] for name in unknown} == dict.fromkeys(unknown)
    assert first["network_reason"] == "it went to elbe, whose network nobody knows"
    assert first["goodput"] == pytest.approx(1.0, abs=1e-2)
    assert own["energy_j"] > 0
    assert away.engine.summary()["ettr"] == own["ettr"]  # those elsewhere do not pull it down


def test_its_curves_have_gaps_for_gpus_in_frames_and_in_the_record(tmp_path: Path, away: _Run) -> None:
    path = tmp_path / "run.twinrun"
    run(away.scenario, 1, until_s=3500.0, record=path)
    index = away.history.index["w1"]
    curves = JobCurves()
    curves.follow(index, path)
    while curves.read(3500.0, 1e9):
        pass
    curves.add(away.frame)
    step_s, _, gpus = (curves.history.series(name) for name in ("job.step_s", "job.goodput", "job.gpus"))
    assert step_s[-1] == pytest.approx(10.0)
    assert math.isnan(gpus[-1])
    assert gpus[0] == 0.0  # before it went it held none
    json.dumps(away.engine.summary(), allow_nan=False)
