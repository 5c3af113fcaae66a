"""Power paths: square ducts whose colour is load and whose pattern is feed and state, in one call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.plant.equal_arrays import alike
from twin.view3d.base.highlight import WAY_RGB
from twin.view3d.base.meshes import box_face, quad_indices
from twin.view3d.colour.power_state import Pattern, PowerShown
from twin.view3d.gl.draw_context import DrawContext, program
from twin.view3d.place.power_lines import PowerLines

_VERTEX = """
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_line;       // number of the line, distance along it [m]
varying float v_light;
varying vec2 v_line;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = fog_at(a_position);
    v_light = 0.42 + 0.58 * light_on(a_normal);
    v_line = a_line;
}
"""

_FRAGMENT = """
uniform sampler2D u_lines;   // row 0: colour; row 1: pattern, feed B, how much of it shows
uniform vec2 u_shape;        // texels per row, rows
varying float v_light;
varying vec2 v_line;
float band(float turn, float share, float blur) {
    float inside = clamp((share * 0.5 - abs(fract(turn) - 0.5)) / blur + 0.5, 0.0, 1.0);
    return mix(inside, share, clamp(blur * 1.5 - 0.4, 0.0, 1.0));
}
void main() {
    float line = floor(v_line.x + 0.5);
    float row = floor((line + 0.5) / u_shape.x);
    float column = (line - row * u_shape.x + 0.5) / u_shape.x;
    vec3 colour = texture2D(u_lines, vec2(column, (2.0 * row + 0.5) / u_shape.y)).rgb;
    vec4 look = texture2D(u_lines, vec2(column, (2.0 * row + 1.5) / u_shape.y));
    float pattern = floor(look.r * 255.0 + 0.5);
    float along = v_line.y;
    float blur = max(fwidth(along), 1e-4);
    // Feed A is plain, feed B has a pair of light rings every 0.6 m.
    float ring = max(band(along / 0.6, 0.10, blur / 0.6), band(along / 0.6 + 0.22, 0.10, blur / 0.6));
    vec3 lit = mix(colour, vec3(1.0), 0.62 * ring * look.g) * v_light;
    if (pattern > 0.5 && pattern < 1.5) {
        lit = mix(colour * 0.16, colour, band(along / 0.5, 0.5, blur / 0.5)) * v_light;
    } else if (pattern > 1.5 && pattern < 2.5) {
        lit = mix(colour, vec3(1.0, 0.86, 0.80), band(along / 0.36, 0.34, blur / 0.36)) * max(v_light, 0.85);
    } else if (pattern > 2.5 && pattern < 3.5) {
        lit = mix(colour * 0.42, colour, band(along / 1.2, 0.72, blur / 1.2)) * v_light;
    } else if (pattern > 3.5) {
        lit *= 0.62;
    }
    if (look.b < 0.02) discard;
    lit = mix(mix(u_ground, vec3(dot(lit, vec3(0.33))), 0.35), lit, look.b);
    gl_FragColor = vec4(mix(lit, u_ground, v_fog), 1.0);
}
"""

_TYPE = np.dtype([("a_position", np.float32, 3), ("a_normal", np.float32, 3), ("a_line", np.float32, 2)])
_FACES = ("-x", "+x", "-y", "+y", "-z", "+z")
_UNIT = [box_face(np.zeros((1, 3)), np.ones((1, 3)), face) for face in _FACES]
_CORNERS = np.concatenate([positions[0] for positions, *_ in _UNIT]).astype(np.int64)
_NORMALS = np.repeat([normal for _, normal, *_ in _UNIT], 4, axis=0)
"""Of the corners of all faces of a box: which end they are of along each axis, and where they look."""
WIDTH = 512
"""Lines per row of the texture."""
FADED = 0.22
"""How much shows of lines that a trace leaves out."""


def duct_mesh(drawn: PowerLines) -> NDArray[np.void]:
    """Return the vertices of all straight pieces: boxes round them, each with its line and the way along it."""
    points, first = drawn.lines.points, drawn.lines.first
    start = np.setdiff1d(np.arange(len(points) - 1), first[1:-1] - 1) if len(points) > 1 else np.zeros(0, int)
    line = np.searchsorted(first, start, side="right") - 1
    a, b = points[start], points[start + 1]
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    lengths[first[1:-1] - 1] = 0.0
    run = np.r_[0.0, np.cumsum(lengths)]
    from_m = run[start] - run[first[line]]
    half = (drawn.width_m[line] / 2)[:, None]
    low, high = np.minimum(a, b) - half, np.maximum(a, b) + half
    corners = np.stack([low, high], axis=1).astype(np.float32)  # piece, which, axis
    axis = np.abs(b - a).argmax(axis=1)
    out = np.empty((len(line), len(_CORNERS)), _TYPE)
    out["a_normal"] = _NORMALS
    for along in range(3):
        out["a_position"][..., along] = corners[:, _CORNERS[:, along], along]
    out["a_line"][..., 0] = line[:, None]
    ends = np.take_along_axis(corners, axis[:, None, None], axis=2)[..., 0]
    way = np.abs(ends - np.take_along_axis(a, axis[:, None], axis=1))
    out["a_line"][..., 1] = from_m[:, None] + way[np.arange(len(axis))[:, None], _CORNERS[:, axis].T]
    return out.ravel()


class PowerPaths:
    """Draws all power lines; what they show is two texels each. Nothing is made before it is drawn."""

    def __init__(self) -> None:
        self._ask: Callable[[], PowerLines] | None = None
        self.drawn: PowerLines | None = None
        self._wanted: tuple[PowerShown, NDArray[np.int64] | None, NDArray[np.bool_] | None] | None = None
        self._quads = 0
        self._shown: tuple[bytes | None, ...] = ()

    def stand(self, lines: Callable[[], PowerLines]) -> None:
        """Take another plant: `lines` tells its power lines when they are drawn."""
        self._ask, self._wanted = lines, None

    def show(
        self, shown: PowerShown, lit: NDArray[np.int64] | None, only: NDArray[np.bool_] | None = None
    ) -> None:
        """Take states and loads.

        Parameters
        ----------
        lit
            What `Lit.items` lights; None: no trace.
        only
            Items whose lines are drawn at all, when no trace is lit; None: all.
        """
        self._wanted = shown, lit, only

    def _make(self) -> None:
        """Make the lines of the present plant, unless they are those of the one before."""
        if self._ask is None:
            return
        drawn, self._ask = self._ask(), None
        if self.drawn is not None and alike(self.drawn, drawn):
            return
        self.drawn, self._shown = drawn, ()
        vertices = duct_mesh(drawn)
        self._quads = len(vertices) // 4
        if not self._quads:
            return
        self._program = program(_VERTEX, _FRAGMENT, vertices)
        self._indices = gloo.IndexBuffer(quad_indices(self._quads))
        rows = -(-len(drawn.item) // WIDTH)
        self._texels = np.zeros((2 * rows, WIDTH, 4), np.uint8)
        self._texture = gloo.Texture2D(self._texels, interpolation="nearest", wrapping="clamp_to_edge")

    def _upload(self) -> None:
        """Send what has changed of states and loads."""
        if self._wanted is None or self.drawn is None:
            return
        shown, lit, only = self._wanted
        item, above = self.drawn.item, self.drawn.above
        load = np.rint(shown.load)
        key = (
            shown.state.tobytes(),
            load.tobytes(),
            b"" if shown.painted is None else shown.painted.tobytes(),
            b"" if lit is None else lit.tobytes(),
            None if only is None else only.tobytes(),
        )
        if key == self._shown:
            return
        self._shown = key
        texels = np.zeros((len(item), 2, 4), np.uint8)
        texels[:, 0, :3] = np.rint(shown.rgb()[item] * 255)
        texels[:, 1, 0] = shown.pattern()[item]
        texels[:, 1, 1] = 255 * (self.drawn.feed == 1)
        texels[:, 1, 2] = 255
        if lit is None and only is not None:
            texels[:, 1, 2] = 255 * (only[item] & only[above])
        if lit is not None:
            way = lit[item] & lit[above]
            texels[:, 1, 2] = np.where(way > 0, 255, round(255 * FADED))
            live = (way > 0) & (texels[:, 1, 0] == Pattern.PLAIN)
            texels[live, 0, :3] = np.rint(WAY_RGB[way[live]] * 255)
        number = np.arange(len(item))
        for row in (0, 1):
            self._texels[2 * (number // WIDTH) + row, number % WIDTH] = texels[:, row]
        self._texture.set_data(self._texels)

    def draw(self, stage: DrawContext) -> None:
        """Draw with depth test and back-face culling on."""
        self._make()
        if not self._quads:
            return
        self._upload()
        stage.light(self._program)
        self._program["u_lines"] = self._texture
        self._program["u_shape"] = (float(WIDTH), float(len(self._texels)))
        self._program.draw("triangles", self._indices)
