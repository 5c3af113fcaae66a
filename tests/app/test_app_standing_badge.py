"""The badge of how sure a step time is, wherever the window shows one, in three themes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from usual_cases import usually
from window_steps import pixels, run_to, share

from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.standing_badge import DOUBT_COLOURS, StandingBadge, badge_text
from twin.planning.profile.standing import STANDINGS

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

_SCENES = Path(__file__).parents[2] / "scenes"
_PICTURES = os.environ.get("TWIN_PICTURES")


@pytest.fixture
def derived(tmp_path: Path) -> Path:
    """The laboratory with arithmetic that no published run of its profile had."""
    text = (_SCENES / "lab-16.twin.yaml").read_text(encoding="utf-8")
    path = tmp_path / "derived.twin.yaml"
    path.write_text(
        text.replace("model: llama3-8b", "model: llama3-8b\n      precision: mxfp8"), encoding="utf-8"
    )
    return path


def badges(widget: QWidget) -> list[StandingBadge]:
    """Return the badges that a widget shows."""
    return [badge for badge in widget.findChildren(StandingBadge) if badge.isVisible()]


def keep(name: str, *widgets: QWidget) -> None:
    """Keep pictures where somebody wants them."""
    if _PICTURES:
        for place, widget in enumerate(widgets):
            widget.grab().save(f"{_PICTURES}/{name}-{place}.png")


@pytest.mark.parametrize("theme", usually(["dark", "light", "contrast"], 1))
def test_planner_page_and_inspector_say_how_sure_a_step_time_is(
    theme: str, use_window: UseWindow, derived: Path, qtbot: QtBot
) -> None:
    window = use_window(derived)
    window.resize(1280, 800)
    window.look.choose(theme)  # type: ignore[arg-type]
    window.docks.show("job")
    window.docks.job.show_job("llama3")
    run_to(window, qtbot, 3600.0)
    window.docks.inspector.show_thing("llama3")
    window.docks.show("inspector")
    qtbot.waitUntil(lambda: bool(badges(window.docks.inspector)) and bool(badges(window.docks.job)))
    window.planner.open("llama3")
    dialog = window.planner.dialog
    assert dialog is not None
    dialog.resize(1260, 780)
    qtbot.waitUntil(lambda: bool(badges(dialog.plans)) and not dialog.pending)
    tint = getattr(window.look.theme, DOUBT_COLOURS[1])
    shown = [*badges(window.docks.inspector), *badges(window.docks.job), *badges(dialog)]
    assert len(shown) == 5  # inspector, page, step time, whole training, plans
    words = badge_text(STANDINGS["derived"])
    assert words == "\N{CIRCLE WITH LEFT HALF BLACK} derived"
    in_title_bar = badges(window.docks.job)  # there the mark may stand alone
    assert all(badge.text() == words for badge in shown if badge not in in_title_bar)
    for badge in shown:
        assert badge.text() in (words, STANDINGS["derived"].mark)
        assert "Nine in ten measured step times within" in badge.toolTip()
        assert (
            badge.width() >= (badge.sizeHint() if badge.text() == words else badge.minimumSizeHint()).width()
        )
        assert share(pixels(badge), tint, near=60) > 0.05
    keep(theme, window, dialog)
    dialog.close()
    window.look.choose("dark")


@pytest.mark.slow
def test_columns_of_a_comparison_say_how_sure_each_design_is(
    use_window: UseWindow, derived: Path, qtbot: QtBot
) -> None:
    window = use_window(_SCENES / "lab-16.twin.yaml")
    window.run_comparing.ask_designs(derived)
    asked = window.run_comparing.asking
    assert asked is not None
    asked.length.setText("20 min")
    asked.go_button.click()
    qtbot.waitUntil(lambda: window.run_comparing.dialog is not None)
    dialog = window.run_comparing.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.halls is not None)
    assert dialog.halls is not None
    head = dialog.table.headerItem()
    assert [head.text(column).split("\n")[-1] for column in (1, 2)] == [
        badge_text(STANDINGS[word]) for word in ("calibrated", "derived")
    ]
    assert STANDINGS["derived"].meaning in head.toolTip(2)
    beside = [pane.standing for pane in dialog.halls.panes]
    assert [badge.text() for badge in beside] == [head.text(column).split("\n")[-1] for column in (1, 2)]
    for theme in ("dark", "light", "contrast"):
        window.look.choose(theme)  # type: ignore[arg-type]
        QApplication.processEvents()
        for badge, colour in zip(beside, DOUBT_COLOURS, strict=False):
            assert share(pixels(badge), getattr(window.look.theme, colour), near=60) > 0.05
        keep(f"compare-{theme}", dialog)
    window.look.choose("dark")
    window.run_comparing.close()


def test_where_the_word_has_no_room_the_mark_stands_alone(qtbot: QtBot) -> None:
    badge = StandingBadge()
    qtbot.addWidget(badge)
    badge.show_standing(STANDINGS["not calibrated"], "Nothing was fitted.")
    roomy, narrow = badge.sizeHint(), badge.minimumSizeHint()
    assert narrow.width() < 0.5 * roomy.width()
    for size, text in ((narrow, "\N{WHITE CIRCLE}"), (roomy, "\N{WHITE CIRCLE} not calibrated")):
        badge.resize(size)
        assert badge.text() == text
        assert (badge.sizeHint(), badge.minimumSizeHint()) == (roomy, narrow)
    assert badge.accessibleName() == "How sure: not calibrated. Nothing was fitted."
    badge.show_standing(None)
    assert badge.isHidden()
