"""The command palette finds scenes, docks, figures, parts and help by the words of their users."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from twin.app.files.scene_list import SCENE_WORDS, SUFFIX, shipped_scenes
from twin.app.session.plot_pages import FIGURE_WORDS
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.command_palette import EarlyKeys, PaletteEntry
from twin.record.channels import BY_ID

pytestmark = pytest.mark.gl

_MEANT = {
    "bill": ("Figure: Energy cost", "Window: Show Energy", "Open scene: Base load here"),
    "power bill": ("Figure: Energy cost", "Window: Show Energy"),
    "pue per year": ("View: Typical year",),
    "wire": ("Edit: Connect equipment",),
    "cost of failure": ("Run: Incident: what failed",),
    "carbon": ("Figure: Carbon emitted", "Window: Show Energy"),
    "sweep": ("Run: Compare designs", "Run: Plan a job"),
    "pue": ("Figure: PUE", "Window: Show Energy"),
    "mtbf": ("Figure: Interruptions", "Run: What if: reliability"),
    "pump trip": ("Open scene: A pump trip",),
    "llama": ("Open scene: Llama 3 405B",),
    "slurm": ("Open scene: A cluster shared",),
    "dgx h100": ("Part: DGX H100",),
    "cooling cdu": ("Part: ",),
    "glossary": ("Help: Glossary",),
    "cost per token": ("View: Money",),
    "screenshot": ("File: Save a picture",),
    "plan a job...": ("Run: Plan a job\N{HORIZONTAL ELLIPSIS}",),
}
_FIRST = {"typical year": "Typical year", "pue per year": "Typical year", "wire": "Connect equipment"}


def test_words_of_users_find_what_they_mean(use_window: Callable[..., MainWindow], lab: Path) -> None:
    window = use_window(lab)
    palette = window.palette_popup
    window.open_palette()
    for typed, meant in _MEANT.items():
        palette.field.setText(typed)
        found = [f"{entry.category}: {entry.title}" for entry in palette.shown]
        for title in meant:
            assert any(line.startswith(title) for line in found), (typed, found)
        assert palette.nothing.isHidden(), typed
    for typed, first in _FIRST.items():
        palette.field.setText(typed)
        assert palette.shown[0].title.startswith(first), (typed, [entry.title for entry in palette.shown])
        pages = [entry.is_page for entry in palette.shown]
        assert pages == sorted(pages), typed
    palette.field.setText("colour tempreature")
    assert not palette.nothing.isHidden()
    assert palette.shown[0].title == "Colour by GPU temperature"
    assert palette.shown[-1].title.startswith("Search for")
    palette.field.setText("break a core switch")
    assert not palette.nothing.isHidden()
    assert palette.shown[0].title == "Break\N{HORIZONTAL ELLIPSIS}"
    palette.field.setText("drain a hall")
    assert palette.nothing.isHidden()
    assert palette.shown[0].title == "Drain: Machine room (lab)"
    palette.field.setText("zzzqqq")
    assert [entry.category for entry in palette.shown] == ["Help"]
    palette.hide()


def test_what_cannot_be_done_now_is_found_with_the_reason(
    use_window: Callable[..., MainWindow], lab: Path
) -> None:
    window = use_window(lab)
    palette = window.palette_popup

    def first(typed: str) -> PaletteEntry:
        window.open_palette()
        palette.field.setText(typed)
        return palette.shown[0]

    window.going.nowhere()
    drain = first("drain")
    assert (drain.title, drain.why_not) == ("Drain", "select a GPU, node, rack, row or hall first")
    palette.run_current()
    assert window.statusBar().currentMessage() == "Drain: select a GPU, node, rack, row or hall first"
    assert first("wire").title == "Connect equipment"
    assert first("wire").why_not == ""
    window.going.to("gpu/0/0")
    assert first("drain").title == "Drain: gpu/0/0\N{HORIZONTAL ELLIPSIS}"
    assert first("drain").why_not == ""
    palette.field.clear()
    assert not [entry for entry in palette.shown if entry.why_not]
    palette.hide()


def test_a_found_figure_leads_to_its_plot_and_a_part_to_the_parts(
    use_window: Callable[..., MainWindow], lab: Path
) -> None:
    window = use_window(lab)
    palette = window.palette_popup

    def choose(typed: str) -> None:
        window.open_palette()
        palette.field.setText(typed)
        palette.run_current()

    choose("figure energy cost")
    assert window.docks.is_shown("plots")
    assert window.docks.plots.page_box.currentText() == "Cost and carbon"
    choose("figure queued jobs")
    assert window.docks.inspector.thing is None
    assert window.docks.is_shown("inspector")
    choose("part dgx h100")
    assert window.docks.is_shown("palette")
    found = window.docks.palette.list.item
    assert found is not None
    assert found.title == "DGX H100"


def test_a_found_scene_is_opened(use_window: Callable[..., MainWindow], lab: Path) -> None:
    window = use_window(lab)
    window.open_palette()
    window.palette_popup.field.setText("pump trip")
    window.palette_popup.run_current()
    assert window.files.path is not None
    assert window.files.path.name == f"pump-trip{SUFFIX}"
    window.session.pause()


def test_words_are_of_scenes_and_figures_that_are_there() -> None:
    assert set(SCENE_WORDS) == {path.name.removesuffix(SUFFIX) for path in shipped_scenes()}
    assert all(BY_ID[id].entity == "site" for id in FIGURE_WORDS)


def test_a_key_typed_before_the_palette_has_the_keyboard_is_handed_over_once(qtbot: QtBot) -> None:
    """Keys that the field ignores go on to what is around it: they come back to nobody."""
    box, other = QWidget(), QWidget()
    field = QLineEdit(box)
    early, app = EarlyKeys(field), QApplication.instance()
    assert app is not None
    for widget in (box, other):
        qtbot.addWidget(widget)
        widget.show()
    app.installEventFilter(early)
    try:
        QTest.keyClick(other, Qt.Key.Key_C)
        QTest.keyClick(other, Qt.Key.Key_F35)
    finally:
        app.removeEventFilter(early)
    assert field.text() == "c"
