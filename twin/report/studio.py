"""Pictures of a hall off screen: with title, legend, time and seed in them, and their origin in the metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from twin.arrays import Bytes
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.channels import COLOUR_BY
from twin.record.frame import Frame
from twin.record.inputs import app_version
from twin.record.reader import Reader
from twin.scenario.schema.document import Scenario
from twin.view3d.base.ownership import NO_GROUPS, OwnerNames
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.colour.legend import Legend, cable_legend, coolant_legend, legend_for
from twin.view3d.layers.overlay import draw_overlay, overlay_areas
from twin.view3d.place.presets import PRESETS
from twin.view3d.view.hall_view import HallView

Theme = Literal["dark", "light", "contrast"]


class NoPicture(Exception):
    """A picture cannot be taken; the message is one sentence for people."""


@dataclass(frozen=True)
class Shot:
    """How a picture is taken.

    Parameters
    ----------
    camera
        A view of `PRESETS`, the id of a thing to fly to, or where the camera stands.
    colour_by
        Channel that the colours of GPUs show.
    cables_by
        What colours the cables.
    theme
        Of the picture.
    size
        Width and height [px].
    layers
        What is drawn; None: what is drawn at first.
    tiles_by
        What racks, rows and halls show from afar.
    """

    camera: str | CameraPose = "overview"
    colour_by: str = "gpu.temp_c"
    cables_by: Literal["rail", "load"] = "rail"
    theme: Theme = "dark"
    size: tuple[int, int] = (1600, 1000)
    layers: frozenset[str] | None = None
    tiles_by: Literal["mean", "worst"] = "mean"


class _Overlay(TypedDict):
    """The text written in a picture."""

    title: str
    subtitle: str
    seed: int
    t_s: float
    more: Sequence[Legend]
    left: bool


class Studio:
    """One off-screen view of the halls of one run; needs a QApplication and a display with GL.

    Parameters
    ----------
    shot
        How its pictures are taken.
    seed
        Of the run, written in them.
    left
        Legends stand at the left.

    Raises
    ------
    NoPicture
        When there is no such channel.
    """

    def __init__(self, shot: Shot, seed: int, *, left: bool = False) -> None:
        if shot.colour_by not in COLOUR_BY:
            raise NoPicture(f"unknown GPU channel {shot.colour_by!r}; available: {', '.join(COLOUR_BY)}")
        self._shot, self._seed, self._left = shot, seed, left
        self._title = self._subtitle = ""
        self._plant: Plant | None = None
        self._groups = NO_GROUPS
        self._aimed = self._placed = False
        state = ViewState(
            colour_by=shot.colour_by, theme=shot.theme, cables_by=shot.cables_by, tiles_by=shot.tiles_by
        )
        if shot.layers is not None:
            state.layers = shot.layers
        self._view = HallView(state, size=shot.size)

    def close(self) -> None:
        """Free what draws."""
        self._view.close()

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands."""
        return self._view.pose

    def aim(self, shot: Shot, selection: tuple[str, ...] = ()) -> None:
        """Take the next pictures in another way, of the same size and theme."""
        self._shot, self._aimed, self._placed = shot, False, False
        state = self._view.state
        state.colour_by, state.tiles_by, state.selection = shot.colour_by, shot.tiles_by, selection
        if shot.layers is not None:
            state.layers = shot.layers

    def enlarge(self, scale: float) -> None:
        """Write labels of the hall larger."""
        self._view.state.label_scale = scale

    def picture(
        self, scenario: Scenario, plant: Plant, frame: Frame, pose: CameraPose | None = None
    ) -> Bytes:
        """Return the picture of a moment, uint8 (height, width, 3), from where the camera stands, or another pose.

        Raises
        ------
        NoPicture
            When it cannot be drawn here, or the camera has nothing to fly to.
        """
        shot, view = self._shot, self._view
        view.canvas.set_current()
        if plant is not self._plant:
            self._show(scenario, plant)
        if not self._aimed:  # in the hall of this picture: an edit may have brought what the camera flies to
            self._point(plant)
            self._aimed = True
        view.set_frame(frame)
        legend = legend_for(shot.colour_by, plant, frame, self._groups)
        more = [cable_legend(plant, frame)] if shot.cables_by == "load" else []
        more += [coolant_legend()] if "pipes" in view.state.layers and len(plant.loops.ids) else []
        overlay = _Overlay(
            title=self._title,
            subtitle=self._subtitle,
            seed=self._seed,
            t_s=frame.t_s,
            more=more,
            left=self._left,
        )
        areas = overlay_areas(*shot.size, legend, **overlay)
        view.keep_clear(areas)
        if not self._placed:  # once: the camera of a film does not move as its words do
            self._placed = True
            view.framing.keep(areas)
        if pose is not None:
            view.look(pose)
        QApplication.processEvents()
        view.canvas.set_current()  # another view may have painted meanwhile
        rgb = view.grab()
        if view.errors:
            raise NoPicture(f"the picture could not be drawn: {view.errors[0].splitlines()[-1]}")
        return draw_overlay(rgb, legend, scale=rgb.shape[1] / shot.size[0], theme=shot.theme, **overlay)

    def _show(self, scenario: Scenario, plant: Plant) -> None:
        self._plant = plant
        self._title = scenario.title
        gpus, nodes = int(plant.gpus.present.sum()), int(plant.nodes.present.sum())
        self._subtitle = f"{gpus:,} GPUs in {nodes:,} nodes"
        self._groups = OwnerNames.of(scenario, plant)
        self._view.set_plant(plant, self._groups)

    def _point(self, plant: Plant) -> None:
        """Let the camera stand where the shot wants it."""
        camera = self._shot.camera
        if not isinstance(camera, str):
            self._view.look(camera)
        elif camera in PRESETS:
            self._view.preset(camera, animate=False)
        elif can_point(plant, camera):
            self._view.state.selection = self._view.state.selection or (camera,)
            self._view.fly_to(camera, animate=False)
        else:
            raise NoPicture(f"camera {camera!r} is neither a view ({', '.join(PRESETS)}) nor a component id")


def can_point(plant: Plant, camera: str | CameraPose) -> bool:
    """Return whether a camera stands somewhere in a hall, or flies to something there."""
    return not isinstance(camera, str) or camera in PRESETS or find(plant, camera) is not None


def about(reader: Reader, t_s: float) -> dict[str, str]:
    """Return the metadata of a picture of a recorded run: enough to take it again."""
    header = reader.header
    return metadata(
        header.scenario.title, header.seed, t_s, header.inputs, header.inputs_hash, reader.event_hash
    )


def metadata(
    title: str, seed: int, t_s: float, inputs: Mapping[str, str], inputs_hash: str, event_hash: str
) -> dict[str, str]:
    """Return the text fields of a picture."""
    return {
        "Title": title,
        "Description": "simulated, not measured",
        "Software": f"gpu-twin {app_version()}",
        "Seed": str(seed),
        "Simulated time s": f"{t_s:.3f}",
        "Scenario hash": inputs.get("scenario", ""),
        "Inputs hash": inputs_hash,
        "Event hash": event_hash,
    }


def png(rgb: Bytes, fields: Mapping[str, str]) -> bytes:
    """Return a picture as a PNG file with text fields."""
    high, wide = rgb.shape[:2]
    image = QImage(rgb.tobytes(), wide, high, wide * 3, QImage.Format.Format_RGB888)
    for key, value in fields.items():
        image.setText(key, value)
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise NoPicture("the picture could not be written as PNG")
    return bytes(held.data())
