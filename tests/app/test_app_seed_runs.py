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


def test_all_figures_are_listed_and_in_the_report(
    use_window: Open, qtbot: QtBot, my_lab: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = use_window(my_lab)
    window.session.step()
    found = run_seeds(window, qtbot, monkeypatch)
    pairs = dict(figure_pairs(found))
    assert "Goodput" in pairs
    assert pairs["Goodput"].count("%") >= 1
    assert " to " in pairs["Goodput"]
    qtbot.waitUntil(lambda: window.session.run_file is not None)
    write_report(window.session, window.hall, tmp_path / "r.html")
    assert "P5, P50 and P95 over 3 seeds" in (tmp_path / "r.html").read_text(encoding="utf-8").replace(
        "\xa0", " "
    )


def test_runs_are_given_up_by_their_button(use_window: Open, my_lab: Path) -> None:
    window = use_window(my_lab)
    window.seed_runs.begin(50)
    assert window.seed_runs.is_running
    window.seed_runs.cancel_button.click()
    assert not window.seed_runs.is_running
    assert window.session.over_seeds.found is None
