"""Two designs compared in the real window: simulated in the background, shown, kept or forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from twin.analysis.compare import sample_of
from twin.analysis.figures import FIGURES
from twin.app.compare.designs import DesignsDialog
from twin.app.shell.main_window import MainWindow
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl
LENGTH_S = 1800.0


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The laboratory with half as many nodes that stand by."""
    path = tmp_path / "other-lab.twin.yaml"
    path.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\ntitle: Other lab\n'
        "interventions: [{at: 5 min, kind: power_cap, target: all, value: 400 W}]\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def asked(use_window: UseWindow, lab: Path, other: Path) -> Iterator[tuple[MainWindow, DesignsDialog]]:
    window = use_window(lab)
    window.run_comparing.ask_designs(other)
    dialog = window.run_comparing.asking
    assert dialog is not None
    dialog.length.setText("0 h 30 min")
    yield window, dialog
    window.run_comparing.close()
    QTest.qWait(50)


def test_both_are_simulated_and_stand_side_by_side(
    asked: tuple[MainWindow, DesignsDialog], other: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window, dialog = asked
    assert dialog.a_box.currentText() == window.session.draft.file.scenario.title
    assert dialog.b_box.currentText() == other.name
    assert dialog.b_box.findText("A row of eight GB200 NVL72 (nvl72-row)") >= 0, (
        "shipped scenes by their titles"
    )
    dialog.go_button.click()
    assert dialog.running
    assert not dialog.a_box.isEnabled()
    qtbot.waitUntil(lambda: window.run_comparing.dialog is not None)
    assert window.run_comparing.asking is None
    shown = window.run_comparing.dialog
    qtbot.waitUntil(lambda: shown.halls is not None)
    own = sample_of(run(load(other).scenario, window.session.seed, LENGTH_S).engine.summary()).figures
    told = {key: one.b for key, one in shown.shown.differences.items()}
    assert told == {one.key: own[one.key] for one in FIGURES if one.key in told}
    assert shown.shown.differences["energy_j"].difference < 0
    assert "Rerun from the start." in shown.verdict.text()
    assert not shown.answer.isVisible()
    assert shown.halls.panes[1].title.text() == f"B: {other.name}"
    made = [one.path for one in shown.runs]
    shown.keep.keep(tmp_path)
    shown.keep.keep(tmp_path)
    kept = sorted(path.name for path in tmp_path.glob("*.twinrun"))
    assert len(kept) == 4
    with Reader(tmp_path / kept[-1]) as reader:
        assert reader.t_end_s == pytest.approx(LENGTH_S)
        assert reader.summary is not None
    shown.close()
    assert not any(path.exists() for path in made)


def test_what_is_given_up_leaves_nothing(asked: tuple[MainWindow, DesignsDialog]) -> None:
    _, dialog = asked
    dialog.length.setText("")
    dialog.begin()
    folder = Path(dialog.wanted.folder.name)
    assert folder.is_dir()
    pids = [aside.pid for aside in dialog.asides]
    assert all(psutil.pid_exists(pid) for pid in pids)
    dialog.cancel_button.click()
    assert not dialog.running
    assert dialog.words.text() == "Cancelled"
    assert dialog.a_box.isEnabled()
    assert not folder.exists()
    assert not any(psutil.pid_exists(pid) for pid in pids)
    dialog.begin()
    again = Path(dialog.wanted.folder.name)
    dialog.close()
    assert not again.exists()


def test_what_cannot_be_run_is_said_in_the_dialog(
    asked: tuple[MainWindow, DesignsDialog],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window, dialog = asked
    dialog.length.setText("soon")
    dialog.begin()
    assert "Length: 'soon' is not a time" in dialog.words.text()
    wrong = tmp_path / "wrong.twin.yaml"
    wrong.write_text("format: twin/scenario\nversion: 3\ncolour: blue\n", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(wrong), ""))
    dialog.length.setText("")
    dialog.b_box.setCurrentIndex(dialog.b_box.count() - 1)
    dialog.b_box.activated.emit(dialog.b_box.count() - 1)
    assert dialog.b_box.currentText() == wrong.name
    dialog.begin()
    assert not dialog.running
    assert "wrong.twin.yaml:3" in dialog.words.text()
    assert window.run_comparing.dialog is None


def test_the_differences_of_two_scenes_lead_to_their_runs(
    use_window: UseWindow, lab: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(lab)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(other), ""))
    window.comparing.simulate_wanted.emit(other)
    dialog = window.run_comparing.asking
    assert dialog is not None
    assert dialog.b_box.currentText() == other.name
    window.menus.execute("run.compare_designs")
    assert window.run_comparing.asking is dialog
    window.run_comparing.close()
    assert window.run_comparing.asking is None
