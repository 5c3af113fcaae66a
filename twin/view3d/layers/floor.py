"""The floor: one large quad; grid, shadows and aisle light in its fragment shader, fading into the fog."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.view3d.base.meshes import quad_indices
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.place.lightmap import Lightmap

_VERTEX = """
attribute vec3 a_position;
varying vec2 v_place;
varying vec3 v_from_eye;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = 0.0;
    v_place = a_position.xy;
    v_from_eye = a_position - u_eye;
}
"""

_FRAGMENT = """
uniform sampler2D u_lightmap;
uniform vec4 u_area;         // origin [m], 1 / size [1/m]
uniform vec2 u_reach;        // start and 1 / range of the floor's own fading
uniform vec3 u_floor;
uniform vec3 u_grid;
uniform vec3 u_grid_major;
uniform vec3 u_cold;
uniform vec3 u_hot;
uniform float u_shadow;
uniform float u_air;
uniform float u_gridded;
uniform float u_gloss;
uniform float u_outside;
varying vec2 v_place;
varying vec3 v_from_eye;
void main() {
    float far = max(0.0, (length(v_from_eye) - u_reach.x) * u_reach.y);
    float fade = exp(-far * far);
    vec4 light = texture2D(u_lightmap, (v_place - u_area.xy) * u_area.zw);
    vec2 tile = v_place / 0.6;
    vec2 blur = fwidth(tile);
    vec2 fine = clamp((0.022 - abs(fract(tile - 0.5) - 0.5)) / blur + 0.5, 0.0, 1.0);
    fine *= clamp(0.9 - blur * 2.2, 0.0, 1.0);
    vec2 tenth = tile * 0.1;
    vec2 wide = clamp((0.004 - abs(fract(tenth - 0.5) - 0.5)) / (blur * 0.1) + 0.5, 0.0, 1.0);
    wide *= clamp(1.0 - blur * 0.22, 0.0, 1.0) ;
    vec3 colour = u_floor * mix(u_outside, 1.0, light.a);
    colour = mix(colour, u_grid, max(fine.x, fine.y) * (0.35 + 0.65 * light.a) * u_gridded);
    colour = mix(colour, u_grid_major, max(wide.x, wide.y) * 0.85 * u_gridded);
    colour += (u_cold * light.g + u_hot * light.b) * u_air;
    colour *= 1.0 - u_shadow * light.r;
    // The flatter one looks along it, the more the floor mirrors.
    float grazing = 1.0 - abs(normalize(v_from_eye).z);
    float mirror = u_gloss * (0.25 + 0.75 * grazing * grazing) * fade * light.a;
    gl_FragColor = vec4(mix(u_ground, colour, fade), 1.0 - mirror);
}
"""

_REACH_M = 1500.0
_SEEN_M = 400.0
"""The picture reaches so far behind what is looked at: there the floor has faded."""


class FloorLayer:
    """Draws the floor under everything, after the solids so that hidden floor costs nothing."""

    def __init__(self, lightmap: Lightmap) -> None:
        self._program = program(_VERTEX, _FRAGMENT, np.zeros(4, [("a_position", np.float32, 3)]))
        self._indices = gloo.IndexBuffer(quad_indices(1))
        self._texture: gloo.Texture2D | None = None
        self.set_lightmap(lightmap)

    def set_lightmap(self, lightmap: Lightmap) -> None:
        """Take other light, perhaps of another floor; only what has changed goes to the graphics card."""
        if lightmap.changed is not None and self._texture is not None:
            for rows, columns in lightmap.changed:
                part = np.ascontiguousarray(lightmap.texels[rows, columns])
                if part.size:
                    self._texture.set_data(part, offset=(rows.start or 0, columns.start or 0))
            return
        vertices = np.zeros(4, [("a_position", np.float32, 3)])
        middle = np.array(lightmap.origin_m) + np.array(lightmap.size_m) / 2
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _REACH_M + middle
        vertices["a_position"][:, :2] = corners
        self._program.bind(gloo.VertexBuffer(vertices))
        self._texture = gloo.Texture2D(lightmap.texels, interpolation="linear", wrapping="clamp_to_edge")
        self._program["u_lightmap"] = self._texture
        self._program["u_area"] = (*lightmap.origin_m, 1 / lightmap.size_m[0], 1 / lightmap.size_m[1])

    def draw(self, stage: DrawContext, *, air: bool, gridded: bool = True) -> None:
        """Draw with depth test and blending on (reflections lie under it); with the grid of its tiles, or bare."""
        colours = stage.colours
        stage.light(self._program)
        self._program["u_reach"] = _reach(stage)
        self._program["u_floor"] = colours.floor
        self._program["u_grid"] = colours.grid
        self._program["u_grid_major"] = colours.grid_major
        self._program["u_cold"] = colours.cold
        self._program["u_hot"] = colours.hot
        self._program["u_shadow"] = colours.shadow
        self._program["u_outside"] = colours.outside
        self._program["u_gloss"] = colours.gloss
        self._program["u_air"], self._program["u_gridded"] = float(air), float(gridded)
        self._program.draw("triangles", self._indices)


def _reach(stage: DrawContext) -> tuple[float, float]:
    """Return where the floor begins to fade [m], and 1 / the range [1/m]: before its end, however far one is."""
    start, per_m = stage.fog[0] * 0.6, stage.fog[1] * 1.15
    perspective = stage.fog[0] < stage.distance_m
    return start, max(per_m, 2.0 / (stage.distance_m + _SEEN_M - start)) if perspective else per_m
