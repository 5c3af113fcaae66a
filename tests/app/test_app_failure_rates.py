"""What fails, in the window: the table of the scene with its switches, and words where nothing does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from twin.app.inspector.failure_page import NOTHING
from twin.app.jobs.what_if_dialog import RiskDialog
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.text import MISSING
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import apply
from twin.scenario.file.save import save

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """The laboratory without a word of failures."""
    path = tmp_path / "silent.twin.yaml"
    save(apply(load("builtin:lab-16"), Patch((Change("failures", None),))), path)
    return path


def test_rates_of_the_catalogue_are_taken_and_switched_and_each_is_one_step_back(
    use_window: UseWindow, silent: Path, qtbot: QtBot
) -> None:
    window = use_window(silent)
    text = window.session.document.text  # type: ignore[union-attr]
    window.open_palette()
    window.palette_popup.field.setText("mtbf")
    assert window.palette_popup.shown[0].title == "Failure rates"
    window.palette_popup.hide()
    window.jobs_asked.show_failure_rates()
    page = window.docks.inspector.failures
    qtbot.waitUntil(lambda: page.headline.text() == NOTHING)
    assert not page.switches
    page.use_button.click()
    qtbot.waitUntil(lambda: "failures a year expected" in page.headline.text())
    assert not page.use_button.isVisible()
    before = page.headline.text()
    page.switches["faulty_gpu"].click()
    qtbot.waitUntil(lambda: page.headline.text() != before)
    assert "off: [faulty_gpu]" in window.session.document.text  # type: ignore[union-attr]
    editor = window.editing.editor
    editor.undo()
    qtbot.waitUntil(lambda: page.headline.text() == before)
    assert page.switches["faulty_gpu"].isChecked()
    editor.undo()
    qtbot.waitUntil(lambda: page.headline.text() == NOTHING)
    assert window.session.document.text == text  # type: ignore[union-attr]


def test_tile_and_what_if_say_that_nothing_fails_and_offer_rates(
    use_window: UseWindow, silent: Path, qtbot: QtBot
) -> None:
    window = use_window(silent)
    kpis = window.transport.kpis
    tile = kpis.tiles["site.interruptions"]
    qtbot.waitUntil(lambda: window.session.shown is not None)
    assert tile.value_text == MISSING
    assert "nothing fails" in tile.words
    window.jobs_asked.ask_risk("llama3")
    (dialog,) = window.findChildren(RiskDialog)
    qtbot.waitUntil(lambda: dialog.sample.done)
    assert not dialog.curve.isVisible()
    assert not dialog.slider("failures").isEnabled()
    assert "nothing fails" in dialog.details.text()
    dialog.rates_button.click()
    qtbot.waitUntil(lambda: window.session.document.scenario.failures.rates == "catalog")  # type: ignore[union-attr]
    assert window.docks.inspector.failures.isVisible()
