"""All layers of the hall and the order they are drawn in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.equal_arrays import alike
from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.plant.tray_runs import CableRuns
from twin.record.frame import Frame
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box, machine_boxes
from twin.view3d.base.edit_shapes import GuideLine
from twin.view3d.base.highlight import Lit, Reach
from twin.view3d.base.ownership import NO_GROUPS, OwnerNames
from twin.view3d.base.palette import Rgb
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.base.theme import colours_of
from twin.view3d.base.tile_levels import TileLevel
from twin.view3d.colour.cable_colours import CableState, Marked, piece_colours
from twin.view3d.colour.machine_state import Badge, CoolingShown, badges
from twin.view3d.colour.override_colours import Repainted, machines_of
from twin.view3d.colour.power_state import PowerShown, branch_of
from twin.view3d.colour.tile_values import TileSums, TileValues, gpu_values
from twin.view3d.colour.tile_words import hall_figures
from twin.view3d.colour.value_codes import colormap_of, gpu_codes, reach_codes
from twin.view3d.gl.capability import Capability
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.values import ValueTexture
from twin.view3d.layers.arcs import Arcs
from twin.view3d.layers.building import BuildingLayer, UnderlayLayer
from twin.view3d.layers.cables import Cables
from twin.view3d.layers.close_detail import NearTrays
from twin.view3d.layers.coolant import Coolant
from twin.view3d.layers.drawing_grid import DrawingGrid
from twin.view3d.layers.floor import FloorLayer
from twin.view3d.layers.glass import GlassLayer
from twin.view3d.layers.guides import Guides
from twin.view3d.layers.heat_tiles import HeatTiles
from twin.view3d.layers.outdoor_gear import Gear
from twin.view3d.layers.panels import Panels
from twin.view3d.layers.power_paths import PowerPaths
from twin.view3d.layers.rack_fronts import Faces
from twin.view3d.layers.sky import SkyLayer
from twin.view3d.layers.solids import CABINET, MACHINE, TRAY, Solids, cabinets, machines, tray_rails
from twin.view3d.layers.thing_outlines import ThingOutlines
from twin.view3d.place.label_texts import Names
from twin.view3d.place.lightmap import Baker
from twin.view3d.place.picking import Picker
from twin.view3d.place.power_lines import power_lines
from twin.view3d.place.site_plan import SitePlan, with_yard_pipes

Layer = TypeVar("Layer")
LIGHT_AFTER_S = 0.12
"""So long after the first picture of a changed hall its light and its words follow."""
SOFTWARE_PERIOD_S = 0.15
"""In software, ornaments alone are redrawn at most so often: the simulation wants the processor."""


class SceneLayers:
    """Layers built from a plant; drawn into the current context."""

    def __init__(self, capability: Capability) -> None:
        self._capability = capability
        self._outlines = ThingOutlines()
        self.names, self._dimensions, self._grid = Names(), Guides(), DrawingGrid()
        self._sky = SkyLayer()
        self.baker = Baker()
        self.power = PowerPaths()
        self._floor: FloorLayer | None = None
        self._kept: dict[str, tuple[object, Any]] = {}
        self._plant: Plant | None = None
        self.phase_s = 0.0
        self._idle_s = 0.0
        self._frame_t_s: float | None = None
        self._flowing = False
        self._lacks_light = False  # words too stand where they stood: a changed hall shows soonest without
        self._drawn_wall_s = math.inf
        self._marked = Marked()
        self._frame: Frame | None = None
        self._cables_of: tuple[object, ...] = ()
        self._cable_state: CableState | None = None
        self._lit: Lit | None = None
        self._reach: Reach | None = None
        self.repainted: Repainted | None = None
        self._power_wanted = False  # something of power is selected or traced
        self._power_only: NDArray[np.bool_] | None = None  # items whose paths are shown; None: all
        self._power_unwell = False
        self._badges: list[Badge] = []
        self.tile_values: TileValues | None = None
        self.found: list[Badge] = []  # by design rules: over things that are not as they should be

    def set_plant(
        self, plant: Plant, geometry: Geometry, runs: CableRuns, picker: Picker, plan: SitePlan
    ) -> None:
        """Build all meshes of a plant; the picker tells which labels are hidden, the plan what stands outside."""
        self._plant, self._geometry, self._runs, self._plan = plant, geometry, runs, plan
        slots = len(plant.gpus.present) + len(plant.racks.present)
        # Layers give their programs back before the next ones ask for some.
        for name in ("panels", "_faces", "_cabinets", "_arcs", "_near", "tiles"):
            vars(self).pop(name, None)
        self.values = ValueTexture(slots, self._capability.value_format)
        self.panels = Panels(plant, geometry, self.values)
        self._faces = Faces(plant, geometry)
        faces, rack_of_face = cabinets(plant)
        self._cabinets = Solids(faces, CABINET, rack_of_face)
        boxes = geometry.machines, plant.loops.kind[geometry.machines.loop]
        self._machines = self._keep(
            "_machines", boxes, lambda: Solids(machines(plant, geometry.machines), MACHINE)
        )
        self._tray_rails = self._keep(
            "_tray_rails", geometry.trays, lambda: Solids(tray_rails(geometry.trays), TRAY)
        )
        gear_of = Gear.made_of(plant, geometry, plan)
        self._gear = self._keep("_gear", gear_of, lambda: Gear(plant, geometry, plan))
        self.power.stand(lambda: power_lines(plant, geometry, plan.low, plan.high))
        wired = (geometry.bundles, runs)
        self.cables = self._keep("cables", wired, lambda: Cables(*wired))
        self.cables.flowing = False
        self._arcs = Arcs(plant)
        pipes = with_yard_pipes(geometry.pipes, plan.yard)
        self.coolant = self._keep("coolant", pipes, lambda: Coolant(plant, pipes))
        self.coolant.set_plant(plant)
        self._glass = self._keep("_glass", geometry.aisles, lambda: GlassLayer(geometry.aisles))
        self._building = self._keep(
            "_building", tuple(plant.halls.buildings), lambda: BuildingLayer(plant.halls.buildings)
        )
        shown = tuple((building.underlay, building.underlay_at) for building in plant.halls.buildings)
        self._underlay = self._keep("_underlay", shown, lambda: UnderlayLayer(plant.halls.buildings))
        if self._floor is None:
            self._floor = FloorLayer(self.baker.bake(plant, geometry))
        else:
            self._lacks_light, self._drawn_wall_s = True, math.inf
        self._near = NearTrays(plant, geometry, self.values, self._capability.instancing)
        places, halls = picker.tiles, plant.halls
        floors = np.stack([halls.x0_m, halls.y0_m, halls.x1_m, halls.y1_m], axis=1)
        self._sums = TileSums(plant, places)
        self.tiles = HeatTiles(places, floors[places.slot[places.at(TileLevel.HALL)]])
        low, high = geometry.bounds_m
        self._size_m = float(np.linalg.norm(high - low))
        # The near plane must not cut off what stands outside the hall either.
        present = plant.power.present
        self._near_low = np.vstack([low, plan.low[present], plan.yard.low])
        self._near_high = np.vstack([high, plan.high[present], plan.yard.high])
        self._cables_of = ()
        self.names.set_plant(plant, geometry.labels, picker)
        self._marked = Marked()
        self._lit, self._reach, self._badges, self.found = None, None, [], []
        self._power_wanted, self._power_only, self._power_unwell = False, None, False

    def stand_in(self, plant: Plant) -> None:
        """Take a plant that looks like the one before."""
        self._plant = plant
        self.names.stand_in(plant)
        self._lit, self._reach, self._badges = None, None, []

    def _keep(self, name: str, made_of: object, make: Callable[[], Layer]) -> Layer:
        """Return the layer that is called so when it was made of the same; else it goes, and another is made."""
        kept = self._kept.pop(name, None)
        if kept is not None and alike(kept[0], made_of):
            layer: Layer = kept[1]
            self._kept[name] = kept
            return layer
        del kept
        vars(self).pop(name, None)
        layer = make()
        self._kept[name] = (made_of, layer)
        return layer

    def set_frame(self, frame: Frame | None, state: ViewState, groups: OwnerNames = NO_GROUPS) -> None:
        """Upload the values of a frame, see `coding.gpu_codes`; racks, rows and halls add theirs up."""
        if self._plant is None:
            return
        colour_by, values = state.colour_by, gpu_values(state.colour_by, self._plant, frame)
        if self._reach is None:
            codes = gpu_codes(colour_by, self._plant, frame, groups, state.focus_job)
        else:
            codes, values = reach_codes(self._plant, self._reach.lost, self._reach.thinned), None
        colormap = colormap_of(colour_by)
        if self.repainted is not None and len(self.repainted.codes) == len(codes):
            codes, colormap, values = self.repainted.codes, self.repainted.colormap, None
        self.tile_values = self._sums.of(codes, values, state.tiles_by)
        racks = self.tile_values.rack_codes(self.tiles.places, len(self._plant.racks.present))
        self.values.set_colormap(colormap)
        self.values.upload(np.concatenate([codes, racks]))
        self.tiles.show(self.tile_values, colormap)
        plain = self._reach is None and self.repainted is None
        kind = (colour_by, state.tiles_by) if plain else ("", state.tiles_by)
        self.names.set_values(
            self.tile_values, hall_figures(self._plant, self.tiles.places, self.tile_values, *kind), kind
        )
        self.coolant.set_frame(frame, machines_of(self.repainted))
        self._frame = frame
        self._show_machines(frame)
        cable_state = CableState.of(frame, len(self._plant.bundles.rail))
        if cable_state != self._cable_state:
            self._cable_state, self._cables_of = cable_state, ()
        moved = frame is not None and self._frame_t_s is not None and frame.t_s != self._frame_t_s
        self._flowing = moved
        self._frame_t_s = None if frame is None else frame.t_s

    def light(self, lit: Lit | None, reach: Reach | None) -> None:
        """Let a path shine while the rest fades, and colour GPUs by the reach of a fault; `set_frame` follows."""
        if self._plant is None:
            return
        self._lit, self._reach = lit, reach
        masks = (None, None) if lit is None else (lit.loop_mask(self._plant), lit.plant_mask(self._plant))
        self.coolant.light(*masks)
        boxes: dict[str, list[Box]] = {}
        if lit is not None:
            items = {"power_a": lit.power_a, "power_b": lit.power_b}
            boxes = {name: [self._plan.item_box(i) for i in chosen] for name, chosen in items.items()}
            outside = (self._plan.plant_box(plant) for plant in lit.plants)
            machines = np.flatnonzero(np.isin(self._geometry.machines.loop, lit.loops))
            inside = zip(*machine_boxes(self._geometry, machines), strict=True)
            boxes["coolant"] = [*(box for box in outside if box is not None), *inside]
        self._outlines.trace(boxes)

    def want_power(self, items: Sequence[int], *, layer: bool) -> None:
        """Show the power paths of selected items although the power layer may be off: then only theirs."""
        self._power_wanted = bool(items)
        if self._plant is not None:
            self._power_only = branch_of(self._plant, items) if items and not layer else None
            self._show_power(PowerShown.of(self._plant, self._frame, self.repainted))

    def _show_power(self, power: PowerShown) -> None:
        if self._plant is None:
            return
        lit = None if self._lit is None else self._lit.items(self._plant)
        self.power.show(power, lit, None if self._power_unwell else self._power_only)

    def _show_machines(self, frame: Frame | None) -> None:
        if self._plant is None:
            return
        power, cooling = (
            PowerShown.of(self._plant, frame, self.repainted),
            CoolingShown.of(self._plant, frame),
        )
        self._power_unwell = bool(power.unwell.any())
        self._show_power(power)
        self._gear.show(power, cooling)
        self._badges = [] if frame is None else badges(self._plant, cooling, power, self._plan.tops_m)

    @property
    def _words_over(self) -> list[Badge]:
        """Return all words over things, those of the run before those of the design rules."""
        return [*self._badges, *self.found]

    @property
    def shows_power(self) -> bool:
        """Return whether the power layer shows itself: by selection, trace or fault."""
        traced = self._lit is not None and bool(self._lit.power_a or self._lit.power_b)
        return self._power_wanted or self._power_unwell or traced

    def mark(self, selected: Mapping[str, Box], hovered: Box | None, names: Mapping[str, Box]) -> None:
        """Choose what is outlined and named.

        Parameters
        ----------
        selected
            Boxes to outline, by the id that is written over them.
        hovered
            Box to outline.
        names
            Words to write over places without an outline: those of selected cables.
        """
        self.names.selected = {**selected, **names}
        self._outlines.mark(list(selected.values()), hovered, self._cable_lines(self._marked.selected))
        self.names.place_anew()

    def mark_cables(self, marked: Marked) -> None:
        """Choose which pieces of cable are told apart; `mark` follows."""
        self._marked, self._cables_of = marked, ()

    def set_dimensions(self, lines: Sequence[GuideLine]) -> None:
        """Show the lines of these dimensions."""
        self._dimensions.set_lines(lines)
        self.names.taken_px = self._dimensions.words_px
        self.names.place_anew()

    def set_traffic(
        self, there: NDArray[np.float64], back: NDArray[np.float64], racks: NDArray[np.int64], rgb: Rgb
    ) -> None:
        """Let dashes run along bundles, from rack a to b and back, and over racks in the order of a circle.

        Parameters
        ----------
        there, back
            Amounts 0..1 by bundle.
        racks
            Of one circle, in its order.
        rgb
            Colour of the dashes.
        """
        self._arcs.set_racks(racks, rgb)
        runs = self._runs
        a, b = there[runs.bundle], back[runs.bundle]
        self.cables.set_flows(
            runs.highest(np.where(runs.ahead, a, b)), runs.highest(np.where(runs.ahead, b, a)), rgb
        )

    def _cable_lines(
        self, pieces: NDArray[np.int32] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        chosen = np.zeros(0, np.int32) if pieces is None else pieces
        return self._runs.start_m[chosen], self._runs.stop_m[chosen]

    def _colour_cables(self, state: ViewState) -> None:
        """Colour cables and switches anew when what they show has changed."""
        machines = machines_of(self.repainted)
        wanted = (state.cables_by, state.theme, machines)
        if wanted == self._cables_of or self._cable_state is None:
            return
        self._cables_of = wanted
        pieces = None if machines is None else machines.pieces(self._runs)
        lines = self._geometry.bundles, self._runs, self._cable_state, self._marked
        self.cables.set_colours(piece_colours(state.cables_by, *lines, state.theme, pieces))
        self._faces.set_switches(state.cables_by, self._frame, machines)

    def catch_up(self, *, at_once: bool = False) -> bool:
        """Bake the light on the floor of a changed hall, once that was drawn without, and let its words move.

        Return whether to draw again.
        """
        late = at_once or monotonic() - self._drawn_wall_s >= LIGHT_AFTER_S
        if not self._lacks_light or not late:
            return False
        assert self._plant is not None
        assert self._floor is not None
        self._floor.set_lightmap(self.baker.bake(self._plant, self._geometry))
        self._lacks_light = False
        return True

    def advance(self, elapsed_s: float, *, moving: bool) -> bool:
        """Let coolant and lights go on, or back, while the run does; return whether to draw again."""
        if self._plant is None or not self._flowing or not elapsed_s:
            return False
        self._idle_s += elapsed_s
        if self._capability.software and (moving or abs(self._idle_s) < SOFTWARE_PERIOD_S):
            return False
        self.phase_s += self._idle_s
        self.coolant.advance(self._idle_s)
        self._idle_s = 0.0
        return True

    def draw(
        self, pose: CameraPose, state: ViewState, size_px: tuple[int, int], *, scale: float, moving: bool
    ) -> None:
        """Draw one picture.

        Parameters
        ----------
        size_px
            Physical pixels.
        scale
            Physical pixels per logical one.
        moving
            Leave out labels, near trays, cable drops and glass, to keep up with the pointer.
        """
        self.draw_behind(pose, state, size_px, moving=moving)
        self.draw_over(pose, state, size_px, scale=scale, moving=moving)

    def draw_behind(
        self, pose: CameraPose, state: ViewState, size_px: tuple[int, int], *, moving: bool
    ) -> None:
        """Draw all that has depth, and the sky."""
        colours = colours_of(state.theme)
        gloo.set_viewport(0, 0, *size_px)
        gloo.set_state(depth_test=True, blend=False, cull_face=True, depth_mask=True, depth_func="less")
        gloo.clear(color=(*colours.ground, 1.0), depth=True)
        if self._plant is None:
            return
        stage = self.stage(pose, state, size_px)
        layers = state.layers
        self._colour_cables(state)
        self.tiles.look(pose, stage)
        if "racks" in layers:  # what hides the rest comes first: that costs nothing then
            self.tiles.draw(stage, sheer=False)
        if "trays" in layers and not moving:
            self._near.draw(stage, pose)
        if "racks" in layers:
            for layer in (self.panels, self._faces, self._cabinets):
                layer.draw(stage, self.tiles.hidden_racks)
            self._machines.draw(stage)
            self._gear.draw(stage)
        if "pipes" in layers:
            self.coolant.draw(stage)
        if "cables" in layers:
            self._tray_rails.draw(stage)
            self.cables.draw(stage, moving=moving, dashes="collective" in layers and not moving)
        if "power" in layers or self.shows_power:
            self.power.draw(stage)
        if "racks" in layers and not moving and not pose.flat:
            gloo.set_cull_face("front")
            self.panels.draw(stage, self.tiles.hidden_racks, mirrored=True)
            gloo.set_cull_face("back")
        gloo.set_state(cull_face=False)
        gloo.set_state(blend=True, blend_func=("src_alpha", "one_minus_src_alpha"))
        assert self._floor is not None
        self._floor.draw(stage, air="air" in layers, gridded=not (pose.flat and state.rulers))
        gloo.set_state(depth_mask=False)
        if "building" in layers:
            self._underlay.draw(stage)  # it hides no line of the grid
        self._sky.draw(stage)

    def draw_values(self, pose: CameraPose, state: ViewState, size_px: tuple[int, int]) -> None:
        """Draw the GPU panels anew over what `draw_behind` has drawn from the same pose."""
        gloo.set_viewport(0, 0, *size_px)
        gloo.set_state(depth_test=True, blend=False, cull_face=True, depth_mask=True, depth_func="lequal")
        if self._plant is not None and "racks" in state.layers:
            stage = self.stage(pose, state, size_px)
            self.tiles.draw(stage, sheer=False)
            self.panels.draw(stage, self.tiles.hidden_racks)

    def draw_over(
        self, pose: CameraPose, state: ViewState, size_px: tuple[int, int], *, scale: float, moving: bool
    ) -> None:
        """Draw what is seen through, marks and labels."""
        if self._plant is None:
            return
        stage, layers = self.stage(pose, state, size_px), state.layers
        gloo.set_viewport(0, 0, *size_px)
        gloo.set_state(depth_test=True, depth_func="less", depth_mask=False, cull_face=True)
        gloo.set_state(blend=True, blend_func=("src_alpha", "one_minus_src_alpha"))
        self.tiles.look(pose, stage)
        if "racks" in layers:
            self.tiles.draw(stage, sheer=True)
        if "air" in layers:
            self._glass.draw(stage)
        if "building" in layers:
            self._building.draw(stage)
        gloo.set_state(cull_face=False)
        if state.rulers and pose.flat:
            self._grid.draw(stage, pose, scale)
        if "collective" in layers and "cables" in layers and not moving:
            self._arcs.draw(stage, scale)
        self._outlines.draw(stage, scale)
        if self._dimensions.shown:
            clear = self.names.clear_px(scale)
            self._dimensions.draw(
                stage, pose, scale, bright=pose.flat, larger=state.label_scale, keep_clear=clear
            )
            self.names.taken_px = self._dimensions.words_px
        if "labels" in layers and not moving:
            self.names.words, self.names.larger = self._words_over, state.label_scale
            self.names.draw(stage, pose, state.theme, scale, kept=self._lacks_light)
        self._drawn_wall_s = min(self._drawn_wall_s, monotonic())
        # A depth mask left off would keep the next frame's clear from reaching the depth buffer.
        gloo.set_state(depth_mask=True, blend=False, depth_test=True, cull_face=False)

    def stage(self, pose: CameraPose, state: ViewState, size_px: tuple[int, int]) -> DrawContext:
        """Return matrix, eye, fog and light of a picture."""
        low, high = self._geometry.bounds_m
        eye = camera.eye_m(pose)
        outside = np.maximum(np.maximum(self._near_low - eye, eye - self._near_high), 0.0)
        near_m = float(np.clip(np.sqrt((outside**2).sum(axis=1).min()) * 0.6, 0.08, 50.0))
        far_m = float(np.linalg.norm(np.maximum(np.abs(eye - low), np.abs(eye - high)))) + 400.0
        matrix = camera.view_projection(pose, size_px[0] / size_px[1], near_m, far_m)
        azimuth = np.radians(pose.azimuth_deg)
        ahead = np.array([-np.cos(azimuth), -np.sin(azimuth), 0.0])
        fog = (pose.distance_m * 0.55, 1.0 / (0.9 * self._size_m + 1.1 * pose.distance_m + 12.0))
        if pose.flat:  # nothing on it is farther than the rest
            fog = (far_m, 1.0 / far_m)
        colours = colours_of(state.theme)
        return DrawContext(matrix, eye, ahead, fog, colours, size_px, self.phase_s, pose.distance_m)
