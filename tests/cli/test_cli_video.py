"""`twin video`: films of a recorded run; what is broken off leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from tests.patience import HANG_S
from twin.record.reader import Reader
from twin.report.film import Film, FilmCut, Frames, Mp4, Sink
from twin.report.studio import Shot
from twin.runtime.inline import run
from twin.scenario import load

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.gl


@pytest.fixture(scope="module", autouse=True)
def recordings() -> None:
    """As they are: each picture of a film is of a moment of its own."""


@pytest.fixture(scope="module")
def pump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "pump.twinrun"
    run(load("builtin:pump-trip").scenario, record=path)
    return path


def test_numbered_pictures_go_from_end_to_end_of_the_range(twin, qapp, pump: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made" / "frames"
    words = ("--from", "5 min", "--to", "6 min", "--seconds", "0.5", "--fps", "10", "--size", "320x200")
    twin("video", pump, "--frames", folder, *words)
    made = sorted(folder.iterdir())
    assert [path.name for path in made] == [f"{k:06d}.png" for k in range(1, 6)]
    pictures = [QImage(str(path)) for path in made]
    assert {(one.width(), one.height()) for one in pictures} == {(320, 200)}
    times = [float(one.text("Simulated time s")) for one in pictures]
    with Reader(pump) as reader:
        known = reader.sample_times()
    assert times == pytest.approx(
        [known[known <= t][-1] for t in (300.0, 315.0, 330.0, 345.0, 360.0)], abs=1e-3
    )
    assert len({path.read_bytes() for path in made}) == 5


def test_two_films_are_never_mixed_in_a_folder(twin, qapp, pump: Path, tmp_path: Path) -> None:
    words = ("video", pump, "--frames", tmp_path, "--fps", "4", "--size", "160x100", "--seconds")
    (tmp_path / "notes.png").write_bytes(b"mine")
    twin(*words, "2")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 9
    said = twin(*words, "1", code=2).stderr
    assert "holds 8 numbered pictures of another film" in said
    assert "--replace" in said
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    twin(*words, "1", "--replace")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(f"{k:06d}.png" for k in range(1, 5)),
        "notes.png",
    ]
    with pytest.raises(OSError, match="choose another folder"):  # as the window says it
        Frames(tmp_path)
    assert "give both" in twin("video", pump, "-o", tmp_path / "a.mp4", "--replace", code=2).stderr


def test_a_video_file_holds_every_picture(twin, qapp, pump: Path, tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="the extra [video] is not installed")
    out = tmp_path / "a.mp4"
    twin("video", pump, "-o", out, "--seconds", "1", "--fps", "12", "--size", "321x201")
    with av.open(str(out)) as film:
        (stream,) = film.streams.video
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 320, 200)
        assert sum(1 for _ in film.decode(stream)) == 12
        assert film.metadata["title"] == "A pump trip at ten o'clock"
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_without_an_encoder_it_says_how_to_install_one(
    twin, qapp, pump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twin.report.film.can_encode", lambda: False)
    said = twin("video", pump, "-o", tmp_path / "a.mp4", "--seconds", "0.1", code=2).stderr
    assert "python -m pip install 'gpu-twin[video]'" in said
    assert "--frames FOLDER" in said
    assert len(said.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_broken_off_leaves_nothing(qapp, pump: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.png"
    kept.write_bytes(b"somebody's")
    with Reader(pump) as reader:
        film = Film(reader, Shot(size=(160, 100)), FilmCut(0.0, 600.0, 1.0, 8), Frames(tmp_path))
        assert film.count == 8
        assert film.step()
        assert film.step()
        assert len(list(tmp_path.iterdir())) == 3
        film.cancel()
    assert list(tmp_path.iterdir()) == [kept]


def sink_of(kind: str, folder: Path) -> Sink:
    if kind == "pictures":
        return Frames(folder)
    pytest.importorskip("av", reason="the extra [video] is not installed")
    return Mp4(folder / "film.mp4", 8)


def finish(film: Film) -> None:
    while film.step():
        pass


@pytest.fixture
def small_disk() -> Iterator[Callable[[int], None]]:
    """Let files grow to so many bytes and no further: a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["pictures", "video"])
@pytest.mark.parametrize("ends", ["by itself", "cancelled", "disk full"])
def test_a_film_is_whole_or_not_there(
    qapp, pump: Path, tmp_path: Path, small_disk: Callable[[int], None], kind: str, ends: str
) -> None:
    sink = sink_of(kind, tmp_path)
    final = tmp_path / ("film.mp4" if kind == "video" else "000001.png")
    if kind == "video":
        final.write_bytes(b"the film of yesterday")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with Reader(pump) as reader:
        film = Film(reader, Shot(size=(320, 200)), FilmCut(0.0, 7200.0, 2.0, 8), sink)
        film.step()
        if ends == "by itself":
            finish(film)
            assert final.read_bytes()[4:8] == (b"ftyp" if kind == "video" else b"\r\n\x1a\n")
            return
        if ends == "disk full":
            small_disk(4000)
            with pytest.raises(OSError, match="large"):
                finish(film)
        film.cancel()
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_killed_command_leaves_no_half_film_under_its_name(pump: Path, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="the extra [video] is not installed")
    out = tmp_path / "film.mp4"
    words = ["video", str(pump), "-o", str(out), "--seconds", "600", "--size", "160x100"]
    command = subprocess.Popen(
        [sys.executable, "-m", "twin.cli", *words], cwd=ROOT, env=os.environ, stderr=subprocess.DEVNULL
    )
    try:
        while command.poll() is None and not list(tmp_path.iterdir()):
            time.sleep(0.02)
        assert command.poll() is None
    finally:
        command.kill()
        command.wait()
    assert not out.exists()
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]


def test_an_interrupt_of_the_command_leaves_nothing(pump: Path, tmp_path: Path) -> None:
    words = ["video", str(pump), "--frames", str(tmp_path), "--seconds", "600", "--size", "160x100"]
    command = subprocess.Popen(
        [sys.executable, "-m", "twin.cli", *words],
        cwd=ROOT,
        env=os.environ,
        stderr=subprocess.DEVNULL,
        # tests that run in the background of a shell ignore interrupts, and so would what they start
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while command.poll() is None and len(list(tmp_path.iterdir())) < 3:
            time.sleep(0.02)
        assert command.poll() is None
        command.send_signal(signal.SIGINT)
        assert command.wait(HANG_S) == 130
    finally:
        command.kill()
        command.wait()
    assert list(tmp_path.iterdir()) == []


def test_a_cut_has_both_ends_and_evenly_many() -> None:
    np.testing.assert_allclose(FilmCut(10.0, 20.0, 0.5, 10).times_s(), [10.0, 12.5, 15.0, 17.5, 20.0])
    assert len(FilmCut(0.0, 1.0, 0.01, 1).times_s()) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--frames"),
        (("-o", "a.mp4", "--frames", "x"), "--frames"),
        (("--frames", "x", "--from", "9 h"), "--from"),
        (("--frames", "x", "--size", "huge"), "--size"),
        (("--frames", "x", "--colour-by", "mood"), "--colour-by"),
        (("--frames", "x", "--camera", "nosuch"), "overview"),
        (("--frames", "x", "--chapters", "--from", "5 min"), "--from is not for --chapters"),
        (("--frames", "x", "--chapters", "--seconds", "20"), "--seconds is not for --chapters"),
    ],
)
def test_bad_wishes_are_told(
    twin, qapp, pump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in twin("video", pump, *words, code=2).stderr


@pytest.mark.slow
def test_chapters_become_a_video_with_captions_beside_it(twin, qapp, pump: Path, tmp_path: Path) -> None:
    out, beside = tmp_path / "tour.mp4", tmp_path / "tour.vtt"
    beside.write_text("mine")
    words = ("video", pump, "-o", out, "--chapters", "--fps", "1", "--size", "320x200")
    assert f"{beside} exists already" in twin(*words, code=2).stderr
    assert beside.read_text() == "mine"
    twin(*words, "--replace")
    assert out.stat().st_size > 10_000
    captions = beside.read_text()
    assert captions.startswith("WEBVTT")
    assert "At ten o'clock both pumps stop." in captions


def test_chapters_are_handed_out_as_a_page(twin, qapp, pump: Path, tmp_path: Path) -> None:
    page = tmp_path / "pump.html"
    words = ("report", pump, "--handout", "-o", page)
    assert "there is no channel 'mood'" in twin(*words, "--colour-by", "mood", code=2).stderr
    twin(*words)
    text = page.read_text()
    assert text.count("<img") == 5
    assert "2. Both pumps of CDU 0 trip" in text
