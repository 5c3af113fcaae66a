"""Whatever a command writes, it never writes it over its input, a scene or a recorded run."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    from twin.runtime.inline import run
    from twin.scenario import load

    path = tmp_path_factory.mktemp("runs") / "r.twinrun"
    run(load("builtin:lab-16").scenario, until_s=3600.0, record=path)
    return path.read_bytes()


@pytest.fixture
def here(tmp_path: Path, recorded: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.twinrun").write_bytes(recorded)
    Path("link.png").symlink_to("r.twinrun")
    Path("s.twin.yaml").write_text("twin: 1\n")
    Path("folder").mkdir()
    return tmp_path


WRITERS = {
    "export": ("export", "r.twinrun", "-o"),
    "shot": ("shot", "r.twinrun", "-o"),
    "report": ("report", "r.twinrun", "--no-pictures", "-o"),
    "compare": ("compare", "r.twinrun", "r.twinrun", "--html"),
    "video": ("video", "r.twinrun", "-o"),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("target", ["r.twinrun", "link.png", "s.twin.yaml", "new.twinrun", "folder", "."])
def test_nothing_is_written_over_a_run_a_scene_or_a_folder(
    twin, here: Path, recorded: bytes, writer: str, target: str
) -> None:
    before = sorted(here.iterdir())
    told = twin(*WRITERS[writer], target, code=2).stderr
    assert target in told
    assert "Traceback" not in told
    assert (here / "r.twinrun").read_bytes() == recorded
    assert (here / "s.twin.yaml").read_text() == "twin: 1\n"
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_that_is_not_there_is_named(twin, here: Path, writer: str) -> None:
    ending = {"shot": ".png", "video": ".mp4", "export": ".csv"}.get(writer, ".html")
    told = twin(*WRITERS[writer], f"nowhere/out{ending}", code=2).stderr
    assert "no folder nowhere; create it first" in told


@pytest.mark.parametrize("writer", ["shot", "report", "compare", "video", "export"])
def test_a_name_that_promises_another_kind_of_file_is_refused(twin, here: Path, writer: str) -> None:
    told = twin(*WRITERS[writer], "out.xyz", code=2).stderr
    assert "out.xyz" in told
    assert "must end in" in told or "end it with" in told
    assert not Path("out.xyz").exists()


def test_estimates_do_not_replace_their_cases(twin, here: Path) -> None:
    Path("cases.csv").write_text("model\n")
    told = twin("estimate", "cases.csv", "--out", "cases.csv", code=2).stderr
    assert "is the input, and would be overwritten" in told
    assert Path("cases.csv").read_text() == "model\n"


def test_calibrating_does_not_replace_what_was_measured(twin, here: Path) -> None:
    Path("measured.csv").write_text("model\n")
    assert (
        "is the input, and would be overwritten"
        in twin("calibrate", "measured.csv", "-o", "measured.csv", code=2).stderr
    )
    assert Path("measured.csv").read_text() == "model\n"


@pytest.mark.parametrize(
    ("name", "starts"),
    [("out.csv", b"time_s,"), ("out", b"time_s,"), ("out.prom", b"# "), ("out.json", b"{")],
)
def test_the_ending_of_an_export_names_its_format(twin, here: Path, name: str, starts: bytes) -> None:
    twin("export", "r.twinrun", "-o", name)
    assert Path(name).read_bytes().startswith(starts)


@pytest.mark.parametrize(
    ("name", "format", "right"),
    [
        ("z.parquet", "csv", "z.parquet is named like parquet, and would hold csv; end it with .csv"),
        ("z.csv", "perfetto", "z.csv is named like csv, and would hold perfetto; end it with .json"),
        ("z.JSON", "openmetrics", "end it with .prom, or leave --format openmetrics out"),
        ("z.txt", "parquet", "end it with .parquet"),
    ],
)
def test_a_format_that_the_ending_contradicts_is_refused(
    twin, here: Path, name: str, format: str, right: str
) -> None:
    told = twin("export", "r.twinrun", "-o", name, "--format", format, code=2).stderr
    assert right in told
    assert not Path(name).exists()


@pytest.mark.parametrize(
    ("name", "format", "starts"), [("z.txt", "csv", b"time_s,"), ("z.om", "openmetrics", b"# ")]
)
def test_a_format_is_taken_where_the_ending_leaves_it_open(
    twin, here: Path, name: str, format: str, starts: bytes
) -> None:
    twin("export", "r.twinrun", "-o", name, "--format", format)
    assert Path(name).read_bytes().startswith(starts)


FILES = {
    "run": ("run", "lab-16", "--until", "1 min", "--out"),
    "branch": ("branch", "r.twinrun", "--at", "30 min", "-o"),
    "branch --run": ("branch", "r.twinrun", "--at", "30 min", "-o", "b.twin.yaml", "--run"),
    "calibrate": ("calibrate", "measured.csv", "-o"),
    "estimate": ("estimate", "measured.csv", "--out"),
    **WRITERS,
}


@pytest.mark.parametrize("writer", FILES)
@pytest.mark.parametrize("name", ["new.csv/", "folder/"])
def test_a_name_that_ends_like_a_folder_is_no_file(twin, here: Path, writer: str, name: str) -> None:
    before = sorted(here.rglob("*"))
    assert f"{name} is a folder; name a file in it" in twin(*FILES[writer], name, code=2).stderr
    assert sorted(here.rglob("*")) == before


RECORDERS = {
    "--out": ("run", "lab-16", "--until", "1 min", "--seed", "7"),
    "--run": ("branch", "parent.twinrun", "--at", "30 min", "--until", "31 min", "-o", "b.twin.yaml"),
}


@pytest.mark.parametrize("option", RECORDERS)
@pytest.mark.parametrize("name", ["r.twinrun", "link.png"])
def test_a_run_is_not_recorded_over_another_one_unless_that_is_asked_for(
    twin, here: Path, recorded: bytes, option: str, name: str
) -> None:
    from twin.record.reader import Reader

    Path("parent.twinrun").write_bytes(recorded)
    words = (*RECORDERS[option], option, name)
    told = twin(*words, code=2).stderr
    assert f"error: {option}: {name} is a recorded run already (" in told
    assert ", seed 1, 1 h); name another file, or give --replace to overwrite it" in told
    assert Path("r.twinrun").read_bytes() == recorded
    assert not Path("b.twin.yaml").exists()
    twin(*words[:-1], "r.twinrun", "--replace")
    twin(*words[:-1], "r.twinrun", "--replace")  # as `make run` does each time
    with Reader("r.twinrun") as reader:
        assert reader.t_end_s == (60.0 if option == "--out" else 1860.0)


def test_a_damaged_run_is_kept_as_well(twin, here: Path, recorded: bytes) -> None:
    Path("r.twinrun").write_bytes(recorded[:5000])
    told = twin("run", "lab-16", "--until", "1 min", "--out", "r.twinrun", code=2).stderr
    assert "r.twinrun is a recorded run already; name another file, or give --replace to overwrite it" in told
    assert Path("r.twinrun").read_bytes() == recorded[:5000]


def test_an_empty_file_is_recorded_into(twin, here: Path) -> None:
    Path("new.twinrun").touch()  # as mktemp makes it
    twin("run", "lab-16", "--until", "1 min", "--out", "new.twinrun")


@pytest.mark.parametrize("words", [("run", "lab-16"), RECORDERS["--run"]])
def test_to_replace_nothing_is_not_understood(twin, here: Path, words: tuple[str, ...]) -> None:
    assert "may be overwritten; give both" in twin(*words, "--replace", code=2).stderr


@pytest.mark.parametrize("name", ["r.twinrun", "notes", "notes/deep/down", "link.png"])
def test_pictures_are_not_written_into_a_folder_that_is_a_file(
    twin, here: Path, recorded: bytes, name: str
) -> None:
    Path("notes").write_text("mine")
    told = twin("video", "r.twinrun", "--frames", name, code=2).stderr
    in_the_way = "a file" if name.startswith("notes") else "a recorded run"
    assert f"--frames: {name.partition('/')[0]} is {in_the_way} and no folder" in told
    assert Path("notes").read_text() == "mine"
    assert Path("r.twinrun").read_bytes() == recorded


@pytest.mark.parametrize("words", [("--every", "0 s"), ("--every", "10 s")])
def test_a_distance_of_values_is_asked_of_single_gpus_only(twin, here: Path, words: tuple[str, ...]) -> None:
    channel = ("--channel", "gpu") if words[1] == "0 s" else ("--channel", "site.pue")
    told = twin("export", "r.twinrun", *channel, *words, "-o", "out.csv", code=2).stderr
    assert "--every" in told
    assert not Path("out.csv").exists()


def test_a_file_that_cannot_be_written_is_named_as_it_was_asked_for(
    twin, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/.out.html.tmp1")

    monkeypatch.setattr("twin.whole_file.tempfile.mkstemp", refuse)
    told = twin("report", "r.twinrun", "--no-pictures", "-o", "out.html", code=3).stderr
    assert "out.html" in told
    assert ".tmp1" not in told
