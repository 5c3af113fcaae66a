from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import twin
from twin.cli.app import app, with_command


def command(*words: str) -> dict:
    """Return what a command prints as JSON, without its format and version; those of the program keep their name."""
    result = CliRunner().invoke(app, with_command(list(words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    del printed["format"], printed["version"]
    if "app_version" in printed:
        printed["version"] = printed.pop("app_version")
    return printed


def test_the_summary_is_that_of_the_command(run: twin.Run) -> None:
    said = command("run", "lab-16", "--seed", "3", "--until", "12 h", "--no-record", "--json")
    ours = json.loads(json.dumps(run.summary))
    of_this_process = {"wall_s", "cpu_s", "peak_rss_bytes"}
    assert set(ours) == set(said)
    assert {key: ours[key] for key in ours.keys() - of_this_process} == {
        key: said[key] for key in said.keys() - of_this_process
    }
    assert run.event_hash == said["event_hash"]
    assert ours["run_file"] is None


def test_changes_are_understood_as_the_command_does() -> None:
    said = command(
        *("run", "lab-16", "--until", "2 h", "--no-record", "--json", "--policy", "easy"),
        *("--set", "jobs[llama3].checkpoint.interval=10 min", "--set", "seed=9"),
        *("--inject", "30 min fail gpu/0/0/0 cause=software_bug", "--inject", "1 h drain gpu/0/0/0"),
    )
    inject = ["30 min fail gpu/0/0/0 cause=software_bug", "1 h drain gpu/0/0/0"]
    settings = {"jobs[llama3].checkpoint.interval": "10 min", "seed": 9}
    with twin.load("lab-16").run(until=7200, inject=inject, set=settings, policy="easy") as direct:
        assert direct.event_hash == said["event_hash"]
    with twin.load("builtin:lab-16").changed(settings, inject).run(until="2 h", policy="easy") as changed:
        assert changed.event_hash == said["event_hash"]


def test_a_curve_is_two_columns(run: twin.Run) -> None:
    curve = run.series("site", "site.it_w")
    t_s, values = curve
    assert curve.shape == (len(t_s), 2) == np.asarray(curve).shape
    assert (curve.unit, curve.title) == ("W", "IT power")
    assert (t_s.dtype, values.dtype) == (np.float64, np.float64)
    assert np.all(np.diff(t_s) >= 0)
    assert t_s[0] == 0
    np.testing.assert_array_equal(np.asarray(curve)[:, 1], values)
    mean_w = np.sum(np.diff(t_s) * values[:-1]) / t_s[-1]
    assert mean_w == pytest.approx(run.summary["power"]["it_mean_w"], rel=0.03)


def test_every_kind_of_item_has_curves(run: twin.Run) -> None:
    for kind in dict.fromkeys(channel.entity for channel in run.channels):
        ids = run.ids(kind)
        channel = next(channel.id for channel in run.channels if channel.entity == kind)
        assert len(run.series(ids[-1], channel)) > 10, kind
    assert len(run.ids("gpu")) == 16


def test_curve_and_frame_say_the_same(run: twin.Run) -> None:
    t_s, power_w = run.series("gpu/0/1", "rack.power_w")
    frame = run.frame("5 h")
    assert frame.t_s <= 5 * 3600
    place = run.ids("rack").index("gpu/0/1")
    assert frame.values["rack.power_w"][place] == pytest.approx(power_w[t_s == frame.t_s][0], rel=1e-5)
    assert frame.values["gpu.temp_c"].shape == (16,)
    assert run.frame().t_s == run.end_s == 12 * 3600


def test_events_by_kind_subject_severity_and_time(run: twin.Run) -> None:
    events = run.events()
    assert [event.row for event in events] == list(range(run.summary["events"]))
    interruptions = run.events("job_interrupted", subject="llama3", t0="8 h", t1="end")
    assert [event.t_s for event in interruptions] == [9 * 3600]
    assert all(event.severity >= twin.Severity.WARNING for event in run.events(least=twin.Severity.WARNING))


def test_the_ledger_sums_to_the_summary(run: twin.Run) -> None:
    whole = run.ledger().gpu_s
    assert whole == pytest.approx(run.summary["ledger_gpu_s"], abs=1e-6)
    assert sum(whole.values()) == pytest.approx(16 * 12 * 3600)
    parts = [run.ledger(a, b, hindsight=True).gpu_s for a, b in ((0, "9 h"), ("9 h", "10 h"), (36_000, None))]
    for account, gpu_s in run.ledger(hindsight=True).gpu_s.items():
        assert sum(part[account] for part in parts) == pytest.approx(gpu_s, abs=1e-6), account


def test_a_run_is_saved_and_opened_again(run: twin.Run, tmp_path: Path) -> None:
    path = tmp_path / "kept.twinrun"
    run.save(path)
    with pytest.raises(twin.BadInput, match="is there already"):
        run.save(path)
    run.save(path, replace=True)
    with twin.open_run(path) as again:
        assert again.event_hash == run.event_hash
        assert again.seed == 3
        assert again.events() == run.events()
        assert again.summary["goodput"] == run.summary["goodput"]
        with pytest.raises(twin.BadInput, match="replace"):
            again.save(path, replace=True)


def test_a_run_may_be_recorded_where_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "hour.twinrun"
    with twin.load("lab-16").run(until="1 h", record=path) as run:
        assert run.summary["run_file"] == str(path)
    assert path.is_file()
    with pytest.raises(twin.BadInput, match=r"record: .* is there already"):
        twin.load("lab-16").run(until="1 h", record=path)


def test_a_run_that_nobody_keeps_leaves_no_file() -> None:
    run = twin.load("lab-16").run(until="10 min")
    folder = run.path.parent
    assert folder.is_dir()
    del run
    assert not folder.exists()


def test_jobs_of_a_trace_run_instead(tmp_path: Path) -> None:
    trace = tmp_path / "old.swf"
    trace.write_text("; one job\n1 0 0 600 16 -1 -1 16 1200 -1 1 3 2 -1 1 -1 -1 -1\n")
    said = command(
        *("run", "lab-16", "--jobs", str(trace), "--map", "gpus_per_processor=0.25", "--no-record", "--json")
    )
    with twin.load("lab-16").run(jobs=trace, map={"gpus_per_processor": 0.25}) as run:
        assert run.event_hash == said["event_hash"]
        assert [job["id"] for job in run.summary["jobs"]] == ["trace-1"]
    with pytest.raises(twin.BadInput, match="give it as jobs"):
        twin.load("lab-16").run(keep_jobs=True)


def test_what_of_the_scene_a_trace_leaves_out_is_a_warning(tmp_path: Path) -> None:
    trace = tmp_path / "old.swf"
    trace.write_text("1 0 0 600 16 -1 -1 16 1200 -1 1 3 2 -1 1 -1 -1 -1\n2 0 0 600 99 -1 -1 99 900\n")
    with pytest.warns(UserWarning, match="1 left out: larger than the scene"):
        twin.load("lab-16").run(jobs=trace, until="20 min").close()


def test_what_a_run_does_not_do_is_a_warning_of_this_file() -> None:
    with pytest.warns(UserWarning, match=r"^inject '5 h fail") as said:
        twin.load("lab-16").run(until="1 h", inject="5 h fail gpu/0/0/0 cause=software_bug").close()
    assert said[0].filename == __file__


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seed": -1}, "seed: -1 is no seed"),
        ({"seed": 1.5}, "seed: 1.5 is no seed"),
        ({"until": "tomorrow"}, "^until: "),
        ({"until": -5}, "until: -5 is no time of a run"),
        ({"until": "3 day"}, "^until: .*after the end of the scene"),
        ({"inject": "1 h explode gpu/0"}, "^inject: .*unknown fault kind 'explode'"),
        ({"inject": "1 h fail gpu/7/7"}, "^inject '1 h fail gpu/7/7'"),
        ({"inject": [3]}, "inject: 3 is no text"),
        ({"set": "duration"}, "^set: 'duration': must be PATH=VALUE"),
        ({"set": {"duration": object()}}, "set: a scene cannot hold such a value"),
        ({"policy": "lottery"}, "lottery"),
        ({"incidents": "awful"}, "incidents: 'awful' is no level"),
        ({"jobs": "nosuch.swf"}, "nosuch.swf"),
    ],
)
def test_bad_arguments_are_value_errors_with_a_sentence(arguments: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        twin.load("lab-16").run(**arguments)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda run: run.series("site", "site.it_kw"),
            "channel: there is no channel .*did you mean 'site.it_w'",
        ),
        (lambda run: run.series("gpu/0/0", "gpu.temp_c"), "run.frame"),
        (
            lambda run: run.series("gpu/0/9", "rack.power_w"),
            "id: there is no id 'gpu/0/9' of a rack; did you mean",
        ),
        (lambda run: run.ids("robot"), "no kind 'robot'"),
        (lambda run: run.events("failures"), "kind: there is no kind 'failures'"),
        (lambda run: run.ledger("2 h", "1 h"), "t0: 2 h is not before t1"),
        (lambda run: run.frame("3 day"), "t: 3 d is after the end of the run"),
        (lambda run: run.picture(theme="pink"), "theme"),
        (lambda run: run.picture(size=(1, 1)), "size"),
        (lambda run: run.picture(colour_by="mood"), "^colour_by: there is no channel 'mood'"),
    ],
)
def test_bad_questions_are_value_errors_with_a_sentence(run: twin.Run, ask, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask(run)


def test_scenes_and_run_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(twin.ScenarioError, match="shipped scene"):
        twin.load("nosuch")
    with pytest.raises(twin.BadInput, match="scene: 3 is no path"):
        twin.load(3)  # type: ignore[arg-type]
    with pytest.raises(twin.RunFileError, match="no such run file"):
        twin.open_run(tmp_path / "nosuch.twinrun")


@pytest.mark.gl
def test_a_picture_shows_the_hall(run: twin.Run, qapp, tmp_path: Path) -> None:
    picture = run.picture("2 h", size=(480, 300), colour_by="power_w")
    assert picture.rgb.shape == (300, 480, 3)
    assert len(np.unique(picture.rgb.reshape(-1, 3), axis=0)) > 100
    picture.save(tmp_path / "hall.png")
    assert (tmp_path / "hall.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with pytest.raises(twin.BadInput, match="camera 'nowhere'"):
        run.picture(camera="nowhere", size=(480, 300))


def test_without_a_display_one_sentence_says_what_is_needed(
    run: twin.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twin.report.stage.has_display", lambda: False)
    with pytest.raises(twin.NoDisplay, match="xvfb-run"):
        run.picture()


def test_words_of_the_menu_colour_a_picture_too() -> None:
    from twin.api.picture import channel_of

    meant = {"temperature": "gpu.temp_c", "GPU power": "gpu.power_w", "Throttle reason": "gpu.throttle"}
    assert {words: channel_of(words) for words in meant} == meant
    with pytest.raises(twin.BadInput, match="means several channels of GPUs: "):
        channel_of("GPU")
