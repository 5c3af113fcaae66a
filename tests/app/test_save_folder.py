"""Where files of a scene are offered to be saved: beside it, never in the folders of the program or of the shell."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from twin import resources
from twin.app.documents.file_to_write import file_to_write
from twin.app.session.save_folder import save_folder
from twin.record.state_folder import state_folder


def test_files_are_saved_beside_a_scene_of_ones_own_and_at_home_else(tmp_path: Path) -> None:
    assert save_folder(tmp_path / "mine.twin.yaml") == tmp_path
    shipped = Path(str(resources.folder("scenes"))) / "lab-16.twin.yaml"
    kept = state_folder() / "runs" / "lab.twinrun"
    assert [save_folder(path) for path in (None, shipped, kept)] == [Path.home()] * 3


@pytest.mark.usefixtures("qapp")
def test_3d_lists_drawings_and_packages_begin_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[str] = []

    def choose(_parent: object, _title: str, path: str, _filter: str) -> tuple[str, str]:
        offered.append(path)
        return path, ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    session = SimpleNamespace(path=tmp_path / "mine.twin.yaml")
    parent = QWidget()
    chosen = file_to_write(session, parent, "Export 3D", {".glb": "glTF (*.glb)"})  # type: ignore[arg-type]
    assert offered == [str(tmp_path / "mine.glb")]
    assert chosen == tmp_path / "mine.glb"
