"""Runs over seeds in the background: bands on tiles and plots, in list and report, gone once the scene changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from twin.app.files.report_page import write_report
from twin.app.monitor.seed_runs import figure_pairs
from twin.app.shell.main_window import MainWindow
from twin.commands.place.properties import SetProperty
from twin.scenario import parse_injection
from twin.studies.seed_curves import SeedCurves

Open = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def run_seeds(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> SeedCurves:
    """Run three seeds as a person asks for them, and return what they come to."""
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (3, True))
    window.menus.execute("analyse.seeds")
    assert window.seed_runs.is_running
    assert window.seed_runs.isVisible()
    qtbot.waitUntil(lambda: window.session.over_seeds.found is not None)
    found = window.session.over_seeds.found
    assert found is not None
    return found


def titles(window: MainWindow) -> list[str]:
    return [note.trouble.title for note in window.notifications.notes]


def test_bands_stand_on_tiles_and_plots_until_the_scene_is_edited(
    use_window: Open, qtbot: QtBot, my_lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(my_lab)
    session = window.session
    session.step()
    window.docks.show("plots")
    qtbot.waitUntil(lambda: window.docks.plots.area is not None)
    found = run_seeds(window, qtbot, monkeypatch)
    assert found.figures.seeds == (session.seed, session.seed + 1, session.seed + 2)
    assert not window.seed_runs.isVisible()
    tile = window.transport.kpis.tiles["site.it_w"]
    qtbot.waitUntil(lambda: not tile.band.isHidden())
    shown = session.shown
    assert shown is not None
    band = found.at("site.it_w", shown.t_s)
    assert band is not None
    assert f"{band[0] / 1e3:.1f}" in tile.band.text()
    assert "3 seeds: P5" in tile.band.toolTip()
    session.go_on_to(float(found.times_s[2]))  # at the start nothing is known of what the run has come to
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.t_s == found.times_s[2])
    so_far = {"site.pue": "run.pue", "site.wue": "run.wue", "site.goodput_now": "site.goodput"}
    for channel, series in so_far.items():
        ends = found.at(series, float(found.times_s[2]))
        assert ends is not None
        tile_of = window.transport.kpis.tiles[channel]
        words = f"Run so far: P5 {tile_of.figure(ends[0])}, P50"
        qtbot.waitUntil(lambda tile=tile_of, words=words: words in tile.band.accessibleName())
    area = window.docks.plots.area
    assert area is not None
    qtbot.waitUntil(lambda: area.curves["site.it_w"].seeds.path().elementCount() > 100)
    times_s, middle = area.curves["site.it_w"].middle.getData()
    assert np.asarray(middle) * area.scales[0][0] == pytest.approx(found.curves["site.it_w"][1])
    assert float(times_s[-1]) == session.end_s
    assert "3 seeds" in window.docks.plots.seeds_label.text()
    assert window.editing.editor.do(SetProperty(("llama3",), "checkpoint.pause", "40 s"))
    qtbot.waitUntil(lambda: session.over_seeds.found is None)
    assert tile.band.isHidden()
    assert window.docks.plots.seeds_label.isHidden()
    qtbot.waitUntil(lambda: area.curves["site.it_w"].seeds.path().elementCount() == 0)
    assert "The bands over seeds are gone" in titles(window)


def edit(window: MainWindow) -> None:
    assert window.editing.editor.do(SetProperty(("llama3",), "checkpoint.pause", "40 s"))


def intervene(window: MainWindow) -> None:
    window.session.intervene(parse_injection("1 h power_cap all value='400 W'"))


@pytest.mark.parametrize(
    ("act", "why"),
    [(edit, "The scene was edited."), (intervene, "An intervention changed the run.")],
)
def test_runs_stop_once_the_scene_or_its_run_is_another(
    use_window: Open, qtbot: QtBot, my_lab: Path, act: Callable[[MainWindow], None], why: str
) -> None:
    window = use_window(my_lab)
    window.session.step()
    window.seed_runs.begin(500)
    act(window)
    qtbot.waitUntil(lambda: not window.seed_runs.is_running)
    assert not window.seed_runs.isVisible()
    told = [note.trouble for note in window.notifications.notes]
    assert ("The runs over seeds were cancelled", why) in [(one.title, one.text) for one in told]
    window.seed_runs.poll()  # nothing is heard of them any more
    assert window.session.over_seeds.found is None


def test_an_intervention_ends_the_bands_and_so_does_taking_it_out(
    use_window: Open, qtbot: QtBot, my_lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(my_lab)
    session = window.session
    session.step()
    run_seeds(window, qtbot, monkeypatch)
    intervene(window)
    qtbot.waitUntil(lambda: session.over_seeds.found is None)
    assert titles(window).count("The bands over seeds are gone") == 1
    window.seed_runs.begin(500)
    session.intervene(session.live.by_hand[-1], out=True)
    qtbot.waitUntil(lambda: not window.seed_runs.is_running)


@pytest.mark.slow
def test_all_figures_are_listed_and_in_the_report(
    use_window: Open, qtbot: QtBot, my_lab: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = use_window(my_lab)
    window.session.step()
    found = run_seeds(window, qtbot, monkeypatch)
    pairs = dict(figure_pairs(found))
    assert "Goodput" in pairs
    assert {"PUE", "WUE (L/kWh)"} <= pairs.keys()
    assert pairs["Goodput"].count("%") >= 1
    assert " to " in pairs["Goodput"]
    qtbot.waitUntil(lambda: window.session.run_file is not None)
    write_report(window.session, window.hall, tmp_path / "r.html")
    report = (tmp_path / "r.html").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "P5, P50 and P95 over 3 seeds" in report
    for words in (pairs["PUE"], pairs["WUE (L/kWh)"]):
        assert f"{float(words.partition(' (')[0]):.4g}" in report


def test_runs_are_given_up_by_their_button(use_window: Open, my_lab: Path) -> None:
    window = use_window(my_lab)
    window.seed_runs.begin(50)
    assert window.seed_runs.is_running
    window.seed_runs.cancel_button.click()
    assert not window.seed_runs.is_running
    assert window.session.over_seeds.found is None
