"""The hall on screen: a canvas, its layers, the camera and the pointer. The one door of this package for the app."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal

from twin.plant.cable_names import find_bundle
from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.camera import Flight
from twin.view3d.base.dimension import dimension_lines
from twin.view3d.base.edit_shapes import Tone
from twin.view3d.base.highlight import Lit, Reach
from twin.view3d.base.ownership import NO_GROUPS, OwnerNames
from twin.view3d.base.palette import Rgb
from twin.view3d.base.same_look import looks_like
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.colour.machine_state import HallMark, over_things
from twin.view3d.colour.override_colours import Repainted
from twin.view3d.gl.antialias import StillBuffer, seen
from twin.view3d.gl.capability import Capability, is_software, probe
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.error_log import ErrorLog
from twin.view3d.gl.free_gl import release
from twin.view3d.gl.software_canvas import choose_canvas, vispy_app
from twin.view3d.gl.values import ValueTexture
from twin.view3d.place.cable_field import CableField
from twin.view3d.place.outline_marks import marks_of
from twin.view3d.place.picking import Hit, Picker
from twin.view3d.place.presets import INSIDE, NONE, framed, hall_of, open_side, preset_pose
from twin.view3d.place.site_plan import SitePlan, site_plan
from twin.view3d.view.edit_overlay import EditView
from twin.view3d.view.framing import Framing
from twin.view3d.view.gestures import Gestures
from twin.view3d.view.pointing import Pointing
from twin.view3d.view.scene import SceneLayers
from twin.view3d.view.scrub_render import Passing

REST_S = 0.22
"""So long after the last move the camera counts as at rest."""
STILL_S = 0.6
"""So long after the last change a picture is drawn with smooth edges where that costs time."""
_NOWHERE = CameraPose((0.0, 0.0, 1.0), 12.0, -60.0, 25.0)


class HallView:
    """Draws a plant and its frames, answers the pointer, flies the camera.

    Parameters
    ----------
    state
        What is looked at; followed, and written by the pointer.
    size
        Logical pixels.
    show
        Whether to open its own window at once.
    samples
        Of multisampling; None: 4 on hardware, none in software.
    keys
        "app" leaves all keys to the application; None: F frames the selection, Home shows the overview.
    """

    failed = Signal(str)

    def __init__(
        self,
        state: ViewState,
        *,
        size: tuple[int, int] = (1280, 800),
        show: bool = False,
        samples: int | None = None,
        keys: str | None = None,
    ) -> None:
        self.state = state
        self.errors: list[str] = []
        self._log = ErrorLog(self._fail)
        logging.getLogger("vispy").addHandler(self._log)
        software = is_software()
        if samples is None:
            samples = 0 if software else 4
        choose_canvas(vispy_app.use_app().backend_module, plain=software and not samples)
        config = {"samples": samples, "depth_size": 24}
        self.canvas = vispy_app.Canvas(
            title="gpu-twin", size=size, show=show, config=config, keys=None, autoswap=False, vsync=False
        )
        self.canvas.set_current()
        self.capability: Capability = probe()
        self.scene = SceneLayers(self.capability)
        self.edit = EditView(self)
        self.pointing, self.framing = Pointing(self), Framing(self)
        self.hovered, self.clicked = self.pointing.hovered, self.pointing.clicked
        self.double_clicked, self.menu_wanted = self.pointing.double_clicked, self.pointing.menu_wanted
        self._still = StillBuffer() if not samples and StillBuffer.available() else None
        self.passing = Passing(self.capability.software)
        self.plant: Plant | None = None
        self.geometry: Geometry | None = None
        self.outside: Box = NONE  # of power gear and machines in the yard
        self.picker: Picker | None = None
        self._cables: CableField | None = None
        self.isolated: NDArray[np.int32] | None = None
        self.plan: SitePlan | None = None
        self._path_names, self._found = tuple[str, ...](), tuple[HallMark, ...]()
        self._frame: Frame | None = None
        self._groups, self._still_wanted = NO_GROUPS, False
        self._flight: tuple[Flight, float] | None = None
        self._pose = state.camera or _NOWHERE
        self._wall_s = self._moved_s = self._changed_s = -1e9
        self.settled, self._unsent, self._changes = True, False, 0
        self._writing = self._closed = False
        self.canvas.events.draw.connect(self._on_draw)
        self.canvas.events.resize.connect(lambda _: self._show())
        # vispy holds its listeners weakly, so somebody has to keep them.
        self.gestures = Gestures(
            self.orbit,
            self._pan,
            self.pointing.zoom,
            self.pointing.hover,
            self.pointing.click,
            self.pointing.double_click,
            self.publish,
            self.pointing.menu,
            self.edit.taken,
        )
        self.gestures.connect(self.canvas)
        if keys is None:
            self.canvas.events.key_press.connect(self._on_key)
        state.events.camera.connect(self._on_camera)
        for names, follow in (
            (("colour_by", "tiles_by", "focus_job"), self._on_colour_by),
            (("dimensions", "dimension_chosen"), self._on_dimensions),
            (("theme", "cables_by", "label_scale", "rulers"), self._show),
            (("selection", "hovered", "layers"), self._on_marks),
        ):
            for name in names:
                getattr(state.events, name).connect(follow)

    @property
    def native(self) -> Any:
        """Return the Qt widget to embed."""
        return self.canvas.native

    @property
    def pose(self) -> CameraPose:
        """Return where the camera stands now."""
        return self._pose

    @property
    def values(self) -> ValueTexture:
        """Return the texture of drawing codes."""
        return self.scene.values

    def stage(self) -> DrawContext:
        """Return what layers need to draw a picture from the present pose."""
        width, height = (max(int(v), 1) for v in self.canvas.physical_size)
        return self.scene.stage(self._pose, self.state, (width, height))

    def set_plant(self, plant: Plant, groups: OwnerNames = NO_GROUPS) -> None:
        """Take a plant: builds all meshes, and shows the overview when the state has no camera yet.

        `groups` tell whose its jobs and GPUs are.
        """
        self._groups = groups
        before, self.plant = self.plant, plant
        if before is not None and looks_like(plant, before):  # only its run is another
            self.scene.stand_in(plant)
            self.set_frame(None)
            return
        self.geometry = build_geometry(plant)
        self.plan = site_plan(plant, self.geometry, open_side(plant))
        self.outside = self.plan.boxes(plant.power.present)
        self._path_names = ()
        self.picker = Picker(plant, self.geometry, self.plan)
        self._cables = CableField(plant, self.geometry)
        self.isolated, self._frame = None, None
        self._changed_s, self._still_wanted = np.inf, False
        self.canvas.set_current()
        self.edit.layer.forget()
        self.passing.forget()
        self.scene.set_plant(plant, self.geometry, self._cables.runs, self.picker, self.plan)
        self._unsent = True  # mostly a frame of this hall follows before it is drawn
        if self.state.camera is None:
            self.preset("overview", animate=False)
        self._on_marks()
        self._on_dimensions()
        self.mark_found(self._found)

    def set_frame(self, frame: Frame | None, repainted: Repainted | None = None) -> None:
        """Show the values of a frame: one upload of the value texture and one of the pipes' states.

        A frame of another epoch of the plant is passed over. `repainted` colours GPUs otherwise than by channel.
        """
        if frame is not None and self.plant is not None and frame.layout.epoch != self.plant.epoch:
            return
        self._frame, self._changed_s, self.scene.repainted = frame, np.inf, repainted
        self._on_colour_by()

    def set_groups(self, groups: OwnerNames) -> None:
        """Take whose jobs and GPUs are, of another run of the same plant."""
        self._groups = groups
        self._on_colour_by()

    def _upload(self) -> None:
        self._unsent = False
        self.scene.set_frame(self._frame, self.state, self._groups)

    def keep_clear(self, areas: Sequence[tuple[float, float, float, float]]) -> None:
        """Let no label come into these rectangles: left, top, width, height [logical px]."""
        self.scene.names.stay_clear(areas)
        self._show()

    @property
    def flies_to(self) -> CameraPose | None:
        """Return where the camera is on its way to; None: it stands."""
        return self._flight[0].end if self._flight is not None else None

    def pick(self, x_px: float, y_px: float) -> Hit | None:
        """Return what a click would choose (logical pixels, whatever the screen's pixel ratio)."""
        return self.pointing.pick(x_px, y_px)

    @property
    def cables(self) -> CableField | None:
        """Return where the cables lie; None before the first plant."""
        return self._cables

    @property
    def frame_shown(self) -> Frame | None:
        """Return the frame whose values are shown."""
        return self._frame

    def show_traffic(
        self, there: NDArray[np.float64], back: NDArray[np.float64], racks: NDArray[np.int64], rgb: Rgb
    ) -> None:
        """Give the collective layer its traffic.

        Parameters
        ----------
        there, back
            From rack a to b of each bundle and back, 0..1.
        racks
            Of one circle of the collective, in its order; none: no arcs.
        rgb
            Colour of the dashes.
        """
        if self.plant is not None:
            self.canvas.set_current()
            self.scene.set_traffic(there, back, racks, rgb)
            self._show()

    def light(self, lit: Lit | None = None, reach: Reach | None = None, names: Sequence[str] = ()) -> None:
        """Let a path shine, colour the GPUs by the reach of a fault, and name things; nothing: as always."""
        self.canvas.set_current()
        self._path_names = tuple(names)
        self.scene.light(lit, reach)
        self._upload()
        self._on_marks()

    def mark_found(self, marks: Sequence[HallMark]) -> None:
        """Let words stand over things; those of one thing share a plate, and what stands nowhere has none."""
        self._found = tuple(marks)
        self.scene.found = over_things(self._found, self.standing)
        self._show()

    @property
    def shows_power(self) -> bool:
        """Return whether the power paths are drawn: the layer is on, or selection, trace or a fault wants them."""
        return "power" in self.state.layers or self.scene.shows_power

    def isolate(self, bundles: NDArray[np.int32] | None) -> None:
        """Keep these bundles and let all other cables fade; None: let all shine."""
        self.isolated = bundles
        self._on_marks()

    def fly_to(self, id: str, animate: bool = True) -> None:
        """Move the camera to a thing; unknown ids are ignored."""
        self.frame([id], animate)

    def frame(self, ids: Sequence[str], animate: bool = True) -> None:
        """Move the camera so that these things fill the picture; unknown ids are ignored."""
        if self.plant is None or self.geometry is None or self.picker is None:
            return
        boxes = [box for box in map(self._box_of, ids) if box is not None]
        machines = {self.plant.slots.get(id, ("", -1))[0] for id in ids} <= {"loop", "plant", "power"}
        if boxes:
            pose, plant, picker = self._pose, self.plant, self.picker
            self.framing.frame(
                lambda aspect: framed(pose, plant, boxes, picker, aspect, machines),
                stay=True,
                animate=animate,
            )

    def frame_selection(self, animate: bool = True) -> None:
        """Move the camera so that the selection fills the picture; without one, the overview."""
        if self.state.selection:
            self.frame(list(self.state.selection), animate)
        else:
            self.preset("overview", animate)

    def preset(self, name: str, animate: bool = True) -> None:
        """Move the camera to one of `presets.PRESETS`."""
        if self.plant is None or self.geometry is None:
            return
        chosen = self.state.selection  # what is chosen later on is not what was framed
        make = partial(self._preset_pose, name, chosen)
        if name in INSIDE:
            self.go(make(float(np.divide(*self.size()))), animate)
            return
        site = name == "overview" and hall_of(self.plant, chosen) < 0
        self.framing.frame(make, stay=False, animate=animate, site=site)

    def _preset_pose(self, name: str, chosen: Sequence[str], aspect: float) -> CameraPose:
        """Return the pose of a preset in the hall that stands."""
        assert self.plant is not None
        geometry = self.geometry or build_geometry(self.plant)
        return preset_pose(name, self.plant, geometry, aspect, chosen, self.outside)

    def tick(self, wall_s: float, way: int = 1) -> None:
        """Advance flight and flow by a monotonic clock; time goes on (1), stands (0), or goes back (-1)."""
        elapsed = min(max(wall_s - self._wall_s, 0.0), 0.2) if self._wall_s > 0 else 0.0
        self._wall_s, dirty = wall_s, self.scene.catch_up()
        self._changed_s = min(self._changed_s, wall_s)  # an edit may have taken long since the last time
        if self._flight is not None:
            flight, start_s = self._flight
            self._pose = flight.at(wall_s - start_s)
            self._moved_s, dirty = wall_s, True
            if wall_s - start_s >= flight.duration_s:
                self._flight = None
                self.publish()
                self.pointing.hover_anew()
        if not self.settled and wall_s - self._moved_s > REST_S:
            self.settled = dirty = True
            self.scene.names.place_anew()
        dirty |= not self.state.still and self.scene.advance(way * elapsed, moving=not self.settled)
        # What neither moves nor changes is drawn once more, with smooth edges.
        quiet = self.settled and wall_s - max(self._moved_s, self._changed_s) > STILL_S
        if dirty or quiet != self._still_wanted or self.edit.layer.lags(self._changes):
            self._still_wanted = quiet and not dirty
            self._show()

    def grab(self) -> NDArray[np.uint8]:
        """Return the picture as it is at rest, shape (height, width, 3), physical pixels."""
        self.settled = self._still_wanted = True
        self.scene.catch_up(at_once=True)
        self.scene.names.place_anew()
        return seen(self.native)

    def close(self) -> None:
        """Release the canvas and stop listening; the widget is deleted when control returns to the event loop.

        Left to the garbage collector it would go at any time, also while another canvas paints: that ends the process.
        """
        if self._closed:
            return
        self._closed, native = True, self.native
        logging.getLogger("vispy").removeHandler(self._log)
        release(self.canvas, self.edit.layer, self._still, self.passing)
        native._secondary_context = native._surface = None
        native.deleteLater()

    def size(self) -> tuple[float, float]:
        """Return width and height of the widget [logical px]."""
        width, height = self.canvas.size
        return float(max(width, 1)), float(max(height, 1))

    def _on_draw(self, _event: object) -> None:
        if self._unsent:
            self._upload()
        width, height = (max(int(v), 1) for v in self.canvas.physical_size)
        moving = not self.settled and self.capability.software
        still = self._still if self._still_wanted and not moving else None
        self.canvas.context.flush_commands()
        scale = width / self.size()[0]

        def draw_hall() -> None:
            self.scene.draw(self._pose, self.state, (width, height), scale=scale, moving=moving)

        if self.edit.layer.shown and self.plant is not None:
            self.edit.layer.paint(
                self.canvas, self.stage(), self._pose, scale, draw_hall, self._changes, self.scene.names
            )
            return
        if self.passing.rests(self._pose) and moving:
            self.passing.paint(self.canvas, self.scene, self._pose, self.state, (width, height), scale)
            return
        if still is None:
            draw_hall()
        else:
            still.paint(self.canvas, (width, height), draw_hall)

    def _show(self, *_change: object) -> None:
        """Draw the hall anew: it looks different. A closed one is told things still, and draws nothing."""
        self._changes += 1
        if not self._closed:
            self.canvas.update()

    def _on_colour_by(self, *_change: object) -> None:
        if self.plant is not None:
            self._upload()
        self._show()

    def _on_marks(self, *_change: object) -> None:
        if self.plant is None or self.geometry is None or self._cables is None:
            return
        marks = marks_of(self.state.selection, self._path_names, self.plant, self._cables, self.standing)
        found = (self.plant.slots.get(id, ("", 0)) for id in self.state.selection)
        items = [slot for kind, slot in found if kind == "power"]
        self.canvas.set_current()
        self.scene.want_power(items, layer="power" in self.state.layers)
        hovered = self.state.hovered or ""
        self.scene.mark_cables(marks.cables(hovered, self.isolated))
        self.scene.mark(marks.boxes, self.standing(hovered), marks.names)
        self._show()

    def _on_dimensions(self, *_change: object) -> None:
        self.canvas.set_current()
        shown, chosen = self.state.dimensions, self.state.dimension_chosen
        tones: list[Tone] = ["live" if place == chosen else "ink" for place in range(len(shown))]
        lines = [dimension_lines(each, self.part_box, tone) for each, tone in zip(shown, tones, strict=True)]
        self.scene.set_dimensions([line for some in lines for line in some])
        self._show()

    def part_box(self, id: str, part: int) -> Box | None:
        """Return the box of a thing, of one machine where it stands in several."""
        kind, slot = ("", -1) if self.plant is None else self.plant.slots.get(id, ("", -1))
        if kind in ("loop", "plant") and self.picker is not None:
            return self.picker.part_box(kind, slot, part)
        return self.standing(id)

    def standing(self, id: str) -> Box | None:
        """Return the box of a thing, in the hall or outside."""
        if not id or self.plant is None or self.geometry is None or self.plan is None:
            return None
        return self.plan.standing(self.plant, self.geometry, id)

    def _box_of(self, id: str) -> Box | None:
        """Return the box to fly to: of a thing, or of the whole way of a bundle."""
        if self.plant is None or self.geometry is None or self._cables is None:
            return None
        bundle = find_bundle(self.plant, id)
        return self.standing(id) if bundle is None else self._cables.box(bundle)

    def _on_camera(self, pose: CameraPose | None, *_old: object) -> None:
        if pose is not None and not self._writing:
            self._flight, self._pose = None, pose
            self._show()

    def publish(self) -> None:
        """Tell where the camera stands."""
        self._writing = True
        self.state.camera = self._pose
        self._writing = False

    def go(self, pose: CameraPose, animate: bool = True) -> None:
        """Fly to a pose, or stand there at once."""
        if animate and not self.state.still:
            self.state.hovered = None  # what is under the pointer is about to change
            self.hovered.emit(None)
            self._flight = (Flight.between(self._pose, pose), max(self._wall_s, 0.0))
            self.settled = False
        else:
            self._flight, self._pose = None, pose
            self.publish()
        self._show()

    def look(self, pose: CameraPose) -> None:
        """Stand somewhere as part of a movement: ornaments are left out until the camera rests."""
        self._flight, self._pose = None, pose
        self._moved_s = self._wall_s
        self.settled = False
        self._show()

    def orbit(self, dx: float, dy: float) -> None:
        """Turn the camera about what it looks at, as far as a pointer was dragged [px]; slide where one measures."""
        if self.pointing.tool is not None and self._pose.flat:
            self._pan(dx, dy)
            return
        self.look(camera.orbit(self._pose, dx, dy))

    def _pan(self, dx: float, dy: float) -> None:
        self.look(camera.pan(self._pose, dx, dy, self.size()[1]))

    def _fail(self, text: str) -> None:
        self.errors.append(text)
        self.failed.emit(text)

    def _on_key(self, event: Any) -> None:
        name = event.key.name if event.key is not None else ""
        if name == "F":
            self.frame_selection()
        elif name == "Home":
            self.preset("overview")
