"""Export of a film from the window, and what a saved picture says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from twin.app.files.report_page import NoReport, write_report
from twin.app.files.video_dialog import VideoDialog
from twin.record.reader import Reader

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl


def ran(use_window, lab: Path, qtbot: QtBot) -> MainWindow:
    """Return a window whose run has come some way and stands."""
    window = use_window(lab)
    session = window.session
    session.set_speed(86_400.0)
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 3600.0)
    session.pause()
    qtbot.waitUntil(lambda: session.run_file is not None and Reader(session.run_file).t_end_s > 3000.0)
    return window


@pytest.mark.slow
def test_a_film_is_made_while_the_window_stays_awake_and_can_be_broken_off(
    use_window, lab: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    window = ran(use_window, lab, qtbot)
    folder, other = tmp_path / "whole", tmp_path / "broken"
    dialog = VideoDialog(window.look, window.session, window.hall, window)
    dialog.size_box.addItem("small", (240, 150))
    dialog.size_box.setCurrentIndex(dialog.size_box.count() - 1)
    dialog.kind.setCurrentIndex(dialog.kind.findData("pictures"))
    dialog.seconds.setValue(1)
    dialog.fps.setCurrentIndex(dialog.fps.findData(15))
    dialog.make(folder)
    assert dialog.film is not None
    assert not dialog.make_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.made == folder)
    made = sorted(folder.iterdir())
    assert len(made) == 15
    assert len({path.read_bytes() for path in made}) > 5
    assert QImage(str(made[0])).size().toTuple() == (240, 150)
    assert QImage(str(made[-1])).text("Seed") == str(window.session.seed)
    assert dialog.make_button.isEnabled()

    dialog.make(other)
    qtbot.waitUntil(lambda: dialog.film is None or dialog.film.done >= 2)
    with qtbot.waitSignal(dialog.destroyed):
        dialog.show()
        QTimer.singleShot(
            0, dialog, dialog.reject
        )  # a second click, while what draws is closed and lets events in
        dialog.reject()
    assert list(other.iterdir()) == []


def test_a_saved_picture_says_what_made_it(use_window, lab: Path, qtbot: QtBot, tmp_path: Path) -> None:
    window = ran(use_window, lab, qtbot)
    window.files.save_picture(tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png"))
    with Reader(window.session.run_file) as reader:
        assert image.text("Event hash") == reader.event_hash
        assert image.text("Inputs hash") == reader.header.inputs_hash
        assert image.text("Scenario hash") == reader.header.inputs["scenario"]
    assert image.text("Software").startswith("gpu-twin ")
    assert float(image.text("Simulated time s")) == pytest.approx(window.session.shown_s, abs=1e-3)


@pytest.mark.slow
def test_a_report_of_the_run_so_far_is_written_from_the_window(
    use_window, lab: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = ran(use_window, lab, qtbot)
    out = tmp_path / "a.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(out.with_suffix("")), ""))
    window.files.ask_report()
    text = out.read_text(encoding="utf-8")
    assert text.count('src="data:image/png;base64,') in (2, 3)
    assert "the run has not finished" in text
    assert window.notifications.notes[-1].trouble.title == "Report saved"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "paper"), "On paper (*.pdf)")
    )
    window.files.ask_report()
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF-")
    with pytest.raises(NoReport, match="no"):
        write_report(window.session, window.hall, tmp_path / "no" / "a.html")
