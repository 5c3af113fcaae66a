"""Own parts and models of a scene in the real window: palette, ghost, planner, inspector, copies, save as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QInputDialog, QMessageBox

from tests import own_scene
from tests.app.window_steps import wait, with_palette
from twin.app.inspector.facts import facts_of
from twin.app.palette.model import OWN, PaletteItem
from twin.app.planner.draft import draft_of_job, estimate_draft, worth
from twin.app.planner.hardware import scene_hardware
from twin.app.planner.presets import presets
from twin.app.world.rows import figure_rows
from twin.commands.place.place import AddPart
from twin.scenario import load
from twin.scenario.schema.scene_catalog import catalog_of

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

MakeWindow = Callable[[Path], "MainWindow"]


@pytest.fixture
def show_toys(use_window: MakeWindow, tmp_path: Path) -> Callable[[], MainWindow]:
    """Return what opens the hall of toys with the palette in front."""
    return lambda: with_palette(use_window(own_scene.write(tmp_path / "toys")))


def test_own_parts_stand_first_with_their_standing_and_are_placed(
    show_toys: Callable[[], MainWindow],
) -> None:
    window = show_toys()
    palette, place = window.docks.palette, window.tools.place
    rows = palette.list.rows.rows
    first = rows[1]
    assert rows[0] == OWN
    assert isinstance(first, PaletteItem)
    assert first.id == own_scene.NODE  # a GPU alone does not stand in a hall
    assert first.source == "own part: 5 of 23 figures published"
    assert sum(isinstance(row, PaletteItem) and row.id == own_scene.NODE for row in rows) == 1
    tip = palette.list.rows.index(1).data(3)
    assert "unverified" in tip
    palette.list.choose(own_scene.NODE)
    palette.list.take()
    assert place.carried is not None
    assert place.carried.shape is not None or place.carried.load is not None
    place.cancel()
    assert window.editing.editor.do(AddPart(own_scene.NODE, at=(6.0, 6.0)))
    wait(lambda: palette.list.rows.counts[own_scene.NODE].there == 5)
    assert window.editing.editor.undo()


def test_planner_and_inspector_say_whose_profile_is_borrowed(show_toys: Callable[[], MainWindow]) -> None:
    window = show_toys()
    world = window.world()
    assert world is not None
    offered = [preset.title for preset in presets(world.scenario)]
    assert offered[:2] == ["Toy-Llama (own model)", "Toy 1B (own model)"]
    draft = draft_of_job(world, world.scenario.jobs[0], scene_hardware(world))
    assert draft is not None
    assert draft.workload.model == own_scene.MODEL
    words = worth(draft, estimate_draft(draft))
    assert words.count("No calibration profile is for TOY-GPU") == 1
    facts = facts_of(world, "gpu/0/0/0")
    assert facts is not None
    said = [row.label + row.value + row.hint for section in facts.sections for row in section.rows]
    assert any("TOY-GPU" in text and "A100-SXM-80" in text for text in said)
    badges = {row.label: row.badge for row in figure_rows(world, own_scene.NODE)}
    assert badges["Weight"] == "unverified"


def test_a_copy_of_a_shipped_part_is_there_at_once_and_undo_is_kept(
    show_toys: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    window = show_toys()
    palette, session = window.docks.palette, window.session
    assert window.editing.editor.do(AddPart(own_scene.NODE, at=(6.0, 6.0)))
    assert session.draft is not None
    title, path = session.draft.undo_title, session.draft.file.path
    assert path is not None
    monkeypatch.setattr(QInputDialog, "getText", lambda *args, **more: ("MY-DGX", True))
    assert palette.own.copy("DGX-H100")
    wait(lambda: palette.list.rows.row_of("MY-DGX") > 0)
    written = (path.parent / "parts" / "MY-DGX.yaml").read_text()
    assert "  MY-DGX:\n" in written
    assert 'title: "DGX H100 (own)"' in written
    assert session.draft.dirty
    assert session.draft.undo_title == title
    refused: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: refused.append(box.text()))
    assert not palette.own.copy("DGX-H100")
    assert "MY-DGX" in refused[-1]
    assert window.editing.editor.undo()
    wait(lambda: palette.list.rows.counts[own_scene.NODE].there == 4)


def test_files_that_changed_are_read_again_when_asked(show_toys: Callable[[], MainWindow]) -> None:
    window = show_toys()
    session = window.session
    assert session.draft is not None
    assert session.draft.file.path is not None
    folder = session.draft.file.path.parent
    assert not window.docks.palette.own.reread()  # nothing has changed
    (folder / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    assert window.docks.palette.own.reread()
    assert session.catalog.gpu(own_scene.GPU).tdp_w == 650.0
    wait(lambda: session.plant is not None and session.plant.catalog.gpu(own_scene.GPU).tdp_w == 650.0)


def test_save_as_takes_own_parts_along(show_toys: Callable[[], MainWindow], tmp_path: Path) -> None:
    window = show_toys()
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert window.editing.file.save_as(other / "copy.twin.yaml")
    copied = load(other / "copy.twin.yaml").scenario
    assert set(catalog_of(copied).own_parts) == {own_scene.GPU, own_scene.NODE}
    assert set(catalog_of(copied).own_models) == {"toy-1b", "toy-llama"}


def test_save_as_writes_over_no_other_part(show_toys: Callable[[], MainWindow], tmp_path: Path) -> None:
    window = show_toys()
    other = tmp_path / "taken"
    (other / "parts").mkdir(parents=True)
    (other / "parts" / "gpu.yaml").write_text("something else")
    told: list[str] = []
    window.editing.file.not_saved.connect(told.append)
    assert not window.editing.file.save_as(other / "copy.twin.yaml")
    assert "parts/gpu.yaml" in told[-1]
    assert (other / "parts" / "gpu.yaml").read_text() == "something else"
    assert not (other / "copy.twin.yaml").exists()
