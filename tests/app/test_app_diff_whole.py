"""The window of differences shows both halls to their ends, and says what the costs leave out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit
from twin.scenario.file.save import save
from twin.view3d.base.camera import project


def test_both_halls_are_in_sight_to_their_last_rack(
    use_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    dialog = window.comparing.show(lab.with_name("superpod-h100.twin.yaml"), "SuperPOD")
    assert dialog is not None
    halls = dialog.halls
    assert halls is not None
    after = halls.views[-1]
    qtbot.waitUntil(lambda: halls.laid_out == (after.pose, after.native.size()))
    for view in halls.views:
        assert view.plant is not None
        width, height = view.size()
        for id in view.plant.racks.ids:
            box = view.standing(id)
            assert box is not None
            shown = project(view.pose, np.array(box, float), width / height, 1.0)
            assert (shown[:, :2] >= 0).all(), id
            assert (shown[:, :2] <= [width / height, 1.0]).all(), id
    assert [pane.title.text() for pane in halls.panes] == ["Before: SuperPOD", "After: lab-16.twin.yaml here"]

    said = dialog.sentence.text()
    first = dialog.tree.topLevelItem(0)
    assert first is not None
    dialog.tree.setCurrentItem(first.child(0))
    assert dialog.sentence.text() != said
    dialog.tree.setCurrentItem(first)
    assert dialog.sentence.text() == said, "no difference is chosen"
    dialog.buttons["Close"].click()


def test_a_chosen_node_is_marked_and_its_row_says_what_becomes_of_it(
    use_window: Callable[..., MainWindow], lab: Path, tmp_path: Path
) -> None:
    other = tmp_path / "drained.twin.yaml"
    draft = edit(load(lab), Patch((Change("halls[lab].overrides", "{gpu/0/0/0: {drained: true}}"),)))[0]
    save(draft, other)
    dialog = use_window(lab).comparing.show(other, "Drained")
    assert dialog is not None
    assert dialog.halls is not None
    heading = dialog.tree.topLevelItem(0)
    assert heading is not None
    row = heading.child(0)
    assert row.text(2) == "equals its generator again"
    marked = len(dialog.halls.views[-1].edit.ghost.boxes)
    dialog.tree.setCurrentItem(row)
    boxes = dialog.halls.views[-1].edit.ghost.boxes
    assert len(boxes) == marked + 1
    assert boxes[0].high[2] - boxes[0].low[2] < 1.0, "the node, not its rack"
    dialog.buttons["Close"].click()
