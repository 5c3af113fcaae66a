"""Trays near the eye: GPU modules and handles as boxes that stand out of the cabinet, about a thousand at most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import Geometry
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base import camera
from twin.view3d.base.bounds import MODULE_M
from twin.view3d.base.fronts import FRAME_M, PROUD_M
from twin.view3d.base.state import CameraPose
from twin.view3d.gl.boxes import INSTANCE_TYPE, BoxBatch
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.values import ValueTexture
from twin.view3d.layers.panels import GAP_M

REACH_M = 7.0
BUDGET = 1000
HANDLE_M = (0.009, 0.026)
"""Width of a handle and how far it stands out."""


class NearTrays:
    """Picks the nodes nearest to the eye whenever it has moved, and draws their boxes in one call."""

    def __init__(self, plant: Plant, geometry: Geometry, values: ValueTexture, instancing: bool) -> None:
        self.plant, self.geometry, self._values = plant, geometry, values
        self._batch = BoxBatch(instancing)
        self._pose: CameraPose | None = None
        nodes, racks = plant.nodes, plant.racks
        self._slots = np.flatnonzero(nodes.present & (nodes.gpu_count > 0) & racks.present[nodes.rack])
        rack = nodes.rack[self._slots]
        tiles = geometry.node_tiles
        middle_u = (tiles.u0[self._slots] + tiles.u1[self._slots]) / 2
        self._facing = racks.facing[rack].astype(float)
        self._middle = np.column_stack(
            [
                racks.x_m[rack],
                racks.y_m[rack] + self._facing * racks.depth_m[rack] / 2,
                RACK_FOOT_M + middle_u * U_M,
            ]
        )

    def draw(self, stage: DrawContext, pose: CameraPose) -> None:
        """Draw with depth test and back-face culling on."""
        if pose != self._pose:
            self._pose = pose
            self._batch.set_boxes(self._boxes(self._nearest(pose)))
        self._batch.draw(stage, self._values)

    def _nearest(self, pose: CameraPose) -> NDArray[np.int64]:
        """Return node slots before the eye, nearest first, as many as the budget of boxes allows."""
        eye = camera.eye_m(pose)
        offset = self._middle - eye
        distance = np.linalg.norm(offset, axis=1)
        ahead = -camera.axes(pose)[2]
        seen = (distance < REACH_M) & (offset @ ahead > -0.5) & (-offset[:, 1] * self._facing > 0)
        chosen = np.flatnonzero(seen)
        chosen = chosen[np.argsort(distance[chosen], kind="stable")]
        boxes = np.cumsum(self.plant.nodes.gpu_count[self._slots[chosen]] + 2)
        return self._slots[chosen[boxes <= BUDGET]]

    def _boxes(self, nodes: NDArray[np.int64]) -> NDArray[np.void]:
        if not len(nodes):
            return np.zeros(0, INSTANCE_TYPE)
        first, count = self.plant.nodes.gpu_first[nodes], self.plant.nodes.gpu_count[nodes]
        gpus = np.concatenate([np.arange(a, a + n) for a, n in zip(first, count, strict=True)])
        gpus = gpus[self.plant.gpus.present[gpus]]
        return np.concatenate([self._modules(gpus), self.handles(nodes, -1.0), self.handles(nodes, 1.0)])

    def _modules(self, gpus: NDArray[np.int64]) -> NDArray[np.void]:
        racks, tiles = self.plant.racks, self.geometry.gpu_tiles
        rack = tiles.rack[gpus]
        facing = racks.facing[rack].astype(float)
        usable = racks.width_m[rack] - 2 * FRAME_M
        wide = usable / tiles.columns[gpus]
        # Columns count from the person's left: from low x where the front looks to -y, from high x otherwise.
        from_left = (tiles.column[gpus] + 0.5) * wide
        x = racks.x_m[rack] + facing * (usable / 2 - from_left)
        z0 = RACK_FOOT_M + tiles.u0[gpus] * U_M + GAP_M[1]
        z1 = RACK_FOOT_M + tiles.u1[gpus] * U_M - GAP_M[1]
        plane = racks.y_m[rack] + facing * (racks.depth_m[rack] / 2 + PROUD_M + MODULE_M / 2)
        out = np.zeros(len(gpus), INSTANCE_TYPE)
        size = np.column_stack([wide - 2 * GAP_M[0], np.full(len(gpus), MODULE_M), z1 - z0])
        out["a_low"] = np.column_stack([x, plane, (z0 + z1) / 2]) - size / 2
        out["a_size"] = size
        out["a_look"][:, :3] = 0.1
        out["a_look"][:, 3] = gpus
        return out

    def handles(self, nodes: NDArray[np.int64], side: float) -> NDArray[np.void]:
        """Return the handle at one side of the front of each node; -1.0: left, 1.0: right."""
        racks, tiles = self.plant.racks, self.geometry.node_tiles
        rack = self.plant.nodes.rack[nodes]
        facing = racks.facing[rack].astype(float)
        usable = racks.width_m[rack] - 2 * FRAME_M
        wide = usable / tiles.columns[nodes]
        # Nodes side by side have their handles inside their own faces; one alone has them on the cabinet's frame.
        alone = tiles.columns[nodes] == 1
        inset = np.where(alone, HANDLE_M[0] / 2 + 0.002, -HANDLE_M[0] / 2 - GAP_M[0] / 2)
        middle = usable / 2 - (tiles.column[nodes] + 0.5) * wide
        x = racks.x_m[rack] + facing * middle + side * (wide / 2 + inset)
        z0 = RACK_FOOT_M + tiles.u0[nodes] * U_M + 0.006
        z1 = RACK_FOOT_M + tiles.u1[nodes] * U_M - 0.006
        plane = racks.y_m[rack] + facing * (racks.depth_m[rack] / 2 + HANDLE_M[1] / 2)
        out = np.zeros(len(nodes), INSTANCE_TYPE)
        size = np.column_stack([np.full(len(nodes), HANDLE_M[0]), np.full(len(nodes), HANDLE_M[1]), z1 - z0])
        out["a_low"] = np.column_stack([x, plane, (z0 + z1) / 2]) - size / 2
        out["a_size"] = size
        out["a_look"] = (0.24, 0.27, 0.31, -1.0)
        return out
