"""The job dialog on a real display: sliders, refusals, best plans, charts, both themes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QMainWindow,
    QStyle,
    QStyleOptionSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from twin.app.planner.dialog import JobDialog
from twin.app.planner.fields import value_of, with_value
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import Look
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.scenario import load

pytestmark = pytest.mark.gl
MakeDialog = Callable[..., JobDialog]
_SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture
def make_dialog(qtbot: QtBot) -> Iterator[MakeDialog]:
    """Return a factory of shown dialogs on a scene; afterwards nothing of them is left."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made: list[tuple[JobDialog, QMainWindow, Look]] = []

    def make(scene: str = "lab-16", theme: str = "dark") -> JobDialog:
        look, window = Look(app, theme), QMainWindow()  # type: ignore[arg-type]
        dialog = JobDialog(look, window)
        made.append((dialog, window, look))
        dialog.set_world(_world(scene))
        dialog.show()
        qtbot.waitExposed(dialog)
        return dialog

    yield make
    left = [weakref.ref(dialog) for dialog, _, _ in made]
    while made:
        dialog, window, look = made.pop()
        dialog.close()
        window.deleteLater()
        look.close()
        del dialog, window, look
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert not [one for one in left if one() is not None], "a closed dialog is still held"


@cache
def _world(scene: str) -> World:
    scenario = load(_SCENES / f"{scene}.twin.yaml").scenario
    return World(scenario, build(scenario), load_catalog(), None)


def pixels(widget: QWidget) -> np.ndarray:
    """Return the picture of a widget, shape (height, width, 3)."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def count(dialog: JobDialog, path: str) -> CountBox:
    editor = dialog.form.editors[path]
    assert isinstance(editor, CountBox)
    return editor


def settle(dialog: JobDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.pending)


def test_a_slider_changes_figures_and_bars_at_once(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    step, legend = dialog.results.tiles["step"].text, dialog.results.step_bar.legend_text
    assert "Compute" in legend
    before = pixels(dialog.results.step_bar)
    dialog.form.gpus.slider.setFocus()
    QTest.keyClick(dialog.form.gpus.slider, Qt.Key.Key_Left)
    assert dialog.draft.gpus == 12
    assert dialog.judged.estimate is None  # 128 sequences on 6 copies
    QTest.keyClick(dialog.form.gpus.slider, Qt.Key.Key_Left)
    assert dialog.draft.gpus == 8
    assert dialog.form.gpus.box.value() == 8
    assert dialog.results.tiles["step"].text != step
    assert dialog.results.step_bar.legend_text != legend
    assert np.any(pixels(dialog.results.step_bar) != before)


def test_a_number_typed_into_the_box_is_exact(make_dialog: MakeDialog) -> None:
    dialog = make_dialog("llama3-16k")
    box = dialog.form.gpus.box
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "1,016")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert dialog.draft.gpus == 1016
    assert dialog.isVisible()  # Enter takes the number and closes nothing


def test_an_illegal_cut_is_told_in_words_at_its_field_and_taken_back(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    count(dialog, "parallelism.tensor").setValue(3)
    fault = dialog.form.faults["parallelism.tensor"]
    assert fault.isVisible()
    assert "not a multiple of tensor 3" in fault.text()
    assert dialog.results.tiles["step"].text == "\N{EM DASH}"
    assert dialog.results.trust.text().startswith("This cannot run: 16 GPUs are not a multiple")
    assert not dialog.yaml_button.isEnabled()
    count(dialog, "parallelism.tensor").setValue(2)
    assert not fault.isVisible()
    assert dialog.results.tiles["step"].text.endswith(" s")


def test_steps_of_a_degree_double_and_halve(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    box = count(dialog, "parallelism.tensor")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert value_of(dialog.draft.workload, "parallelism.tensor") == 4
    assert dialog.form.data_parallel.text() == "4 copies"
    QTest.keyClick(box, Qt.Key.Key_Down)
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert value_of(dialog.draft.workload, "parallelism.tensor") == 1


def test_the_batch_steps_to_what_the_copies_share(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    dialog.form.gpus.box.setValue(12)  # 128 sequences on 6 copies
    assert dialog.judged.estimate is None
    box = count(dialog, "global_batch")
    option = QStyleOptionSpinBox()
    box.initStyleOption(option)
    style, control = box.style(), QStyle.ComplexControl.CC_SpinBox
    up = style.subControlRect(control, option, QStyle.SubControl.SC_SpinBoxUp, box)
    assert up.width() >= 12  # there is a button to press
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=up.center())
    copies = dialog.draft.data_parallel
    assert copies
    assert value_of(dialog.draft.workload, "global_batch") == copies * -(-128 // copies)
    assert dialog.judged.estimate is not None
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert value_of(dialog.draft.workload, "global_batch") % copies == 0


def test_the_best_plan_is_applied_and_marked(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    slow = dialog.judged.estimate
    dialog.best_button.click()
    best = dialog.judged.estimate
    assert slow is not None
    assert best is not None
    assert best.step_s < slow.step_s
    settle(dialog, qtbot)
    assert dialog.found is not None
    assert dialog.plans.model.in_force() == 0
    assert dialog.plans.model.rowCount() == len(dialog.found.best) > 1
    assert "Refused:" in dialog.plans.refused.text() or not any(dialog.found.refused.values())
    count(dialog, "parallelism.microbatch").setValue(3)
    settle(dialog, qtbot)
    assert dialog.plans.model.in_force() == -1


def test_a_click_on_a_plan_applies_it(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    settle(dialog, qtbot)
    table = dialog.plans.table
    place = table.visualRect(dialog.plans.model.index(1, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert dialog.found is not None
    assert dialog.judged.estimate is not None
    assert dialog.judged.estimate.step_s == pytest.approx(dialog.found.best[1].step_s, rel=1e-9)


def test_live_the_best_plan_follows_the_slider(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog("superpod-h100")
    dialog.live_box.setChecked(True)
    dialog.form.gpus.box.setValue(64)
    settle(dialog, qtbot)
    assert dialog.draft.gpus == 64
    assert dialog.plans.model.in_force() == 0
    first = dialog.draft
    dialog.form.gpus.box.setValue(96)
    settle(dialog, qtbot)
    assert dialog.draft.gpus == 96
    assert dialog.plans.model.in_force() == 0
    assert dialog.draft.data_parallel != first.data_parallel


def test_what_does_not_fit_is_red_and_advice_makes_it_fit(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    count(dialog, "parallelism.microbatch").setValue(8)
    assert "does not fit" in dialog.results.memory_bar.accessibleName()
    assert dialog.results.advice.isVisible()
    buttons = dialog.results.advice_buttons
    assert buttons
    assert "step" in buttons[0].toolTip()
    buttons[0].click()
    assert dialog.judged.estimate is not None
    assert dialog.judged.estimate.fits
    assert not dialog.results.advice.isVisible()


def test_advice_for_another_model_takes_the_place_of_the_last(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    """Nothing of the old row may lie over the new one, not even until the event loop deletes it."""
    dialog = make_dialog("mixed-workloads")
    row = dialog.results.advice
    for model in ("DeepSeek-V3", "ViT-22B, 224 px"):
        _choose(dialog.form.model_box, model)
        settle(dialog, qtbot)
        shown = [one for one in row.children() if isinstance(one, QWidget) and one.isVisibleTo(row)]
        laid_out = [row.layout().itemAt(k).widget() for k in range(row.layout().count())]
        assert shown == [widget for widget in laid_out if widget is not None]
        assert all(widget.height() <= row.height() for widget in shown)
    assert "no batch fits" in " ".join(one.text() for one in shown if isinstance(one, QLabel)).lower()


def test_a_vision_model_is_offered_the_batch_that_fits(make_dialog: MakeDialog) -> None:
    dialog = make_dialog("mixed-workloads")
    _choose(dialog.form.model_box, "ViT-H/14, 224 px")
    count(dialog, "batch_per_gpu").setValue(4096)
    assert dialog.judged.estimate is not None
    assert not dialog.judged.estimate.fits
    (button,) = dialog.results.advice_buttons
    assert "batch 4,096" in button.text()
    button.click()
    assert dialog.judged.estimate.fits


def test_the_smallest_dialog_shows_all_lines_above_its_charts(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog("superpod-h100")
    _choose(dialog.form.model_box, "Llama 3.1 405B")
    dialog.resize(dialog.minimumSize())
    for tab in range(4):
        dialog.tabs.setCurrentIndex(tab)
        settle(dialog, qtbot)
        results = dialog.results
        assert results.height() >= results.heightForWidth(results.width())
        assert dialog.tabs.geometry().top() > results.geometry().bottom()


def test_scaling_starts_with_a_curve_and_keeps_what_is_chosen(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog("fat-tree-1k")
    dialog.tabs.setCurrentIndex(3)
    settle(dialog, qtbot)
    scaling = dialog.scaling
    assert scaling is not None
    assert scaling.best.isChecked()
    qtbot.waitUntil(lambda: not scaling.busy)
    assert len(scaling.plot.points) >= 3
    scaling.same.click()
    dialog.form.gpus.box.setValue(512)
    settle(dialog, qtbot)
    assert scaling.same.isChecked()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_pipeline_is_drawn_with_its_bubble_empty(
    make_dialog: MakeDialog, qtbot: QtBot, theme: str
) -> None:
    dialog = make_dialog("llama3-16k", theme)
    dialog.tabs.setCurrentWidget(dialog.gantt)
    settle(dialog, qtbot)
    picture = pixels(dialog.gantt.chart)
    lanes = picture[6:-36, 64:-14]
    look = dialog.look.theme
    ground = np.array([int(look.ground[i : i + 2], 16) for i in (1, 3, 5)])
    empty = np.all(lanes == ground, axis=2)
    lane, wide = empty.shape[0] // 16, empty.shape[1]
    first, last = empty[: lane - 4], empty[4 - lane :]
    assert last[:, : wide // 25].all()  # the last stage waits for the first microbatch
    assert first[:, : wide // 25].mean() < 0.5  # which the first one is at work on
    assert last[:, -wide // 6 : -wide // 9].all()  # and it is done while others drain
    assert 0.1 < empty.mean() < 0.6
    assert len(np.unique(lanes.reshape(-1, 3), axis=0)) > 4
    assert "16 stages, 32 microbatches" in dialog.gantt.chart.accessibleDescription()


def test_one_looks_closer_at_the_pipeline_by_wheel_and_keys(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog("llama3-16k")
    dialog.tabs.setCurrentWidget(dialog.gantt)
    settle(dialog, qtbot)
    chart = dialog.gantt.chart
    chart.setFocus()
    whole = pixels(chart)
    for _ in range(8):
        QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert np.any(pixels(chart) != whole)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert np.array_equal(pixels(chart), whole)


def test_a_workload_without_pipeline_says_so(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog("video-ingest")
    dialog.tabs.setCurrentWidget(dialog.gantt)
    settle(dialog, qtbot)
    assert not dialog.gantt.chart.isVisible()
    assert not dialog.best_button.isEnabled()
    count(dialog, "batch_per_gpu").setValue(16)
    assert dialog.judged.estimate is not None
    dialog.tabs.setCurrentIndex(0)
    settle(dialog, qtbot)
    assert "The search covers" in dialog.plans.summary.text()


def test_roofline_and_scaling_are_drawn_and_repainted_in_the_other_theme(
    make_dialog: MakeDialog, qtbot: QtBot
) -> None:
    dialog = make_dialog("nvl72-row")
    for tab in (2, 3):
        dialog.tabs.setCurrentIndex(tab)
        settle(dialog, qtbot)
    assert dialog.roofline is not None
    assert [dot.is_draft for dot in dialog.roofline.dots] == [False, True]
    scaling = dialog.scaling
    assert scaling is not None
    strong = scaling.plot.points
    assert len(strong) > 3
    scaling.weak.click()
    assert scaling.plot.points != strong
    scaling.best.click()
    qtbot.waitUntil(lambda: not scaling.busy)
    assert scaling.plot.points[-1].gpus == dialog.draft.hardware.gpus
    assert "of linear" in scaling.plot.note.text()
    dark = pixels(scaling.plot.plot)
    assert len(np.unique(dark.reshape(-1, 3), axis=0)) > 10
    dialog.look.choose("light")
    assert pixels(scaling.plot.plot).mean() > dark.mean() + 100
    assert pixels(dialog).mean() > 180
    dialog.look.choose("dark")


def test_another_model_and_other_hardware_are_chosen_from_lists(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    _choose(dialog.form.model_box, "Mixtral 8x7B")
    assert "parallelism.expert" in dialog.form.editors
    assert dialog.judged.estimate is not None
    assert "experts" in dialog.results.trust.text()
    before = dialog.results.tiles["step"].text
    _choose(dialog.form.hardware_box, "GB200 NVL72 with Megatron-Core")
    assert not dialog.draft.hardware.in_scene
    assert dialog.results.tiles["step"].text != before
    dialog.form.gpus.box.setValue(256)
    assert dialog.draft.gpus == 256
    assert dialog.results.trust.text().startswith("GB200")


def test_the_job_is_copied_as_yaml(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    dialog.yaml_button.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("nodes: 2 # 16 GPUs, 8 a node\nworkload:\n  kind: llm\n")
    assert dialog.said.text().startswith("Copied")


def test_everything_can_be_reached_by_key_and_has_a_name(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    for kind in (CountBox, QComboBox, QAbstractButton):
        for widget in dialog.findChildren(kind):
            if not widget.isVisible():
                continue
            named = widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text())
            assert named, widget
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus or not widget.isEnabled(), named


def _choose(box: QComboBox, title: str) -> None:
    at = box.findText(title)
    assert at >= 0, [box.itemText(i) for i in range(box.count())]
    box.setCurrentIndex(at)
    box.activated.emit(at)


def test_a_whole_training_is_told_in_tokens_days_and_energy(make_dialog: MakeDialog) -> None:
    dialog = make_dialog("lab-16")
    row = dialog.results.whole
    assert row.words.text().endswith(" tokens a day.")  # nobody published how many this model saw
    QTest.keyClicks(row.tokens, "100 B")
    estimate = dialog.judged.estimate
    assert estimate is not None
    days = 100e9 / estimate.rate_s / 86_400
    assert f"{int(days)} d" in row.words.text()
    assert " MWh (nodes 16.5 kW, without cooling)" in row.words.text()
    dialog.follow(None, 1.25)
    assert ", PUE 1.250 of this run)" in row.words.text()
    row.tokens.setText("")
    QTest.keyClicks(row.tokens, "many")
    assert "no number of tokens" in row.words.text()
    _choose(dialog.form.model_box, "DeepSeek-V3")
    assert row.tokens.text() == "14.8 T"


def test_where_no_layout_works_the_nearest_that_do_are_one_click_away(
    make_dialog: MakeDialog, qtbot: QtBot
) -> None:
    dialog = make_dialog("superpod-h100")
    workload = with_value(with_value(dialog.draft.workload, "model", "llama3-70b"), "global_batch", 512)
    dialog.set_draft(replace(dialog.draft, workload=workload, gpus=240))
    settle(dialog, qtbot)
    assert "Nearest that work:" in dialog.plans.summary.text()
    offered = {button.text(): button for button in dialog.plans.near_buttons}
    assert list(offered) == ["Batch 540", "256 GPUs", "160 GPUs"]
    offered["256 GPUs"].click()
    assert dialog.draft.gpus == 256
    assert dialog.judged.estimate is not None
    assert dialog.judged.estimate.fits
    settle(dialog, qtbot)
    assert not dialog.plans.near_buttons


def test_experts_have_fields_of_their_own_and_attention_one_for_8_bits(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    of_experts = {"stack.dispatcher", "stack.dispatch_bytes", "expert_nodes", "stack.balanced"}
    assert not of_experts & dialog.form.editors.keys()
    draft = dialog.draft
    dialog.set_draft(replace(draft, workload=with_value(draft.workload, "model", "deepseek-v3")))
    assert of_experts <= dialog.form.editors.keys()
    assert dialog.form.rows["expert_nodes"].field.text() == "4"  # as the preset has it
    assert dialog.form.rows["predicted"].field.text() == "1"
    for path, text, value in (
        ("stack.dispatch_bytes", "1", 1),
        ("stack.dispatcher", "fused", "fused"),
        ("expert_nodes", "2", 2),
        ("stack.attention8", "true", True),
    ):
        dialog.form.rows[path].entered.emit(text)
        assert value_of(dialog.draft.workload, path) == value
        assert not dialog.judged.faults, path
    dialog.form.rows["stack.flash2"].entered.emit("true")
    assert "other kernels than FlashAttention-2" in dialog.judged.faults["stack.flash2"]
