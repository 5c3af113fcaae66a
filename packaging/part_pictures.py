"""Takes the pictures of assets/parts/ again: each part and prefab of the palette as the hall draws it, by itself."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from twin.app.files.scene_file import EMPTY
from twin.app.palette.model import PaletteItem, items_of
from twin.catalog import load_catalog
from twin.commands.edit import names
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.place import AddPart
from twin.commands.room.prefabs import AddPrefab
from twin.scenario import ScenarioError, loads
from twin.scenario.file.patch_text import apply
from twin.view3d.base.state import ViewState
from twin.view3d.view.hall_view import HallView

WIDE_PX, HIGH_PX, FINER = 192, 144, 3
NEARER = {"prefab": 0.8, "switch": 0.42, "node": 0.5, "rack": 0.72, "busbar": 0.4, "pdu": 0.55}
"""Share of the usual distance that the camera stands at, by kind."""
FOLDER = Path(__file__).parents[1] / "assets" / "parts"


def built(item: PaletteItem) -> tuple[EditedScene, list[str]]:
    """Return a hall with a part in it and nothing else, and what is to be seen."""
    scene = EditedScene.of(loads(EMPTY))
    steps: list[Command] = []
    if item.prefab:
        steps = [AddPrefab(item.prefab, at=(2.0, 2.0))]
    elif item.kind == "rdhx":
        steps = [AddPart("EIA-48U", at=(2.0, 2.0)), AddPart(item.part, rack="rack-1/0/0")]
    else:
        steps = [AddPart(item.part, at=(2.0, 2.0), facing="south")]
    before = scene.scenario
    for step in steps:
        document = apply(scene.document, step.patch(scene))
        scene = EditedScene.of(document, catalog=scene.catalog)
    plant = scene.plant
    ids = list(names.newcomers(before, scene.scenario))
    if item.kind == "node":
        ids = [plant.nodes.ids[0]]
    elif item.kind == "switch":
        ids = [plant.switches.ids[0]]
    elif item.kind in ("storage", "rdhx"):
        ids = [plant.racks.ids[0]]
    elif item.kind in ("cdu", "crah", "tank"):
        ids = [plant.loops.ids[0]]
    elif item.prefab:
        ids = [
            *plant.racks.ids,
            *(plant.loops.ids if not plant.racks.ids or item.part == "GB200-NVL72" else ()),
        ]
    return scene, [id for id in ids if id in plant.slots]


def main() -> None:
    """Take those that are missing; `--all` takes all, names take these."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication(sys.argv[:1])
    FOLDER.mkdir(exist_ok=True)
    state = ViewState()
    state.theme = "light"
    state.layers = state.layers - {"labels", "cables", "power", "floor"}
    view = HallView(state, size=(WIDE_PX * FINER, HIGH_PX * FINER), show=True)
    wanted = set(sys.argv[1:])
    for item in items_of(load_catalog()):
        path = FOLDER / f"{item.id}.jpg"
        if path.exists() and "--all" not in wanted and item.id not in wanted:
            continue
        try:
            scene, ids = built(item)
        except (CommandError, ScenarioError) as wrong:
            print(f"{item.id}: {wrong}", file=sys.stderr)
            continue
        state.camera = None
        view.set_plant(scene.plant)
        view.frame(ids, animate=False)
        pose = view.pose
        nearer = NEARER.get(item.kind, 0.66)
        state.camera = replace(pose, distance_m=pose.distance_m * nearer)
        app.processEvents()
        picture = view.grab()
        high, wide = picture.shape[:2]
        image = QImage(picture.tobytes(), wide, high, 3 * wide, QImage.Format.Format_RGB888)
        image.scaled(WIDE_PX, HIGH_PX, mode=Qt.TransformationMode.SmoothTransformation).save(
            str(path), quality=90
        )
        print(f"{item.id}: {ids}", file=sys.stderr)
    view.close()


if __name__ == "__main__":
    main()
