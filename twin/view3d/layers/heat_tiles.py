"""Racks, rows and halls as blocks in the colours of their GPUs: what is drawn of them from afar, in two calls."""

from __future__ import annotations

import numpy as np
from vispy import gloo

from twin.arrays import Floats, Ints64, UInts32
from twin.view3d.base import palette
from twin.view3d.base.meshes import UPRIGHT, box_faces
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import TileLevel, TilePlaces
from twin.view3d.colour.tile_values import BANDS, TileValues
from twin.view3d.gl.draw_context import DrawContext, program

_VERTEX = """
attribute vec3 a_position;
attribute vec2 a_place;      // on the face, 0..1; bands lie along x
attribute float a_shade;
attribute float a_tile;
varying vec2 v_place;
varying float v_shade;
varying float v_tile;
void main() {
    gl_Position = u_matrix * vec4(a_position, 1.0);
    v_fog = 0.4 * fog_at(a_position);  // data stays readable farther away than what carries it
    v_place = a_place;
    v_shade = a_shade;
    v_tile = a_tile;
}
"""

_FRAGMENT = """
uniform sampler2D u_texels;  // per tile: a row each of the bands with colour and share, and one of its opacity
uniform vec2 u_shape;        // texels per row, rows
uniform vec3 u_bare;
uniform float u_gain;
uniform float u_mark;        // least width of the first band [px]
varying vec2 v_place;
varying float v_shade;
varying float v_tile;
void main() {
    float tile = floor(v_tile + 0.5);
    float line = floor((tile + 0.5) / u_shape.x);
    vec2 texel = vec2((tile - line * u_shape.x + 0.5) / u_shape.x, 0.0);
    vec2 blur = max(fwidth(v_place), vec2(1e-6));
    // Each pixel shows the bands it covers by how much of it they cover: no moire, and areas are true.
    float from = clamp(v_place.x - 0.5 * blur.x, 0.0, 1.0);
    float to = clamp(v_place.x + 0.5 * blur.x, 0.0, 1.0);
    vec3 colour = vec3(0.0);
    float covered = 0.0, begin = 0.0, left = 1.0;
    for (int band = 0; band < BANDS; band++) {
        texel.y = (line * (BANDS.0 + 1.0) + float(band) + 0.5) / u_shape.y;
        vec4 look = texture2D(u_texels, texel);
        float share = look.a;
        if (band == 0) {
            float shown = share > 0.001 ? max(share, min(u_mark * blur.x, 0.5)) : 0.0;
            left = (1.0 - shown) / max(1.0 - share, 0.004);
            share = shown;
        } else {
            share *= left;
        }
        float here = max(0.0, min(to, begin + share) - max(from, begin));
        colour += look.rgb * here;
        covered += here;
        begin += share;
        if (begin > 0.998) break;
    }
    colour = begin > 0.004 ? colour / max(covered, 1e-6) * u_gain : u_bare;
    // Seams, where there is room for them.
    vec2 edge = min(v_place, 1.0 - v_place) / blur;
    vec2 room = clamp(1.0 / blur / 10.0 - 0.4, 0.0, 1.0);
    vec2 seam = 1.0 - room * (1.0 - clamp(edge - 0.2, 0.0, 1.0));
    colour *= v_shade * mix(0.45, 1.0, seam.x * seam.y);
    texel.y = (line * (BANDS.0 + 1.0) + BANDS.0 + 0.5) / u_shape.y;
    gl_FragColor = vec4(mix(colour, u_ground, v_fog), texture2D(u_texels, texel).r);
}
""".replace("BANDS", str(BANDS))

_TYPE = np.dtype(
    [
        ("a_position", np.float32, 3),
        ("a_place", np.float32, 2),
        ("a_shade", np.float32),
        ("a_tile", np.float32),
    ]
)
WIDTH = 512
"""Texels per row."""
MARK_PX = 3.0
"""What has failed is at least so wide on a tile."""
PLATE_M = 0.02
"""The floor of a hall shows its colours so high over it."""
PLATE_OPACITY = 0.30
STAY = 1.15
"""Racks are left out that are hidden by their tiles even when they are so much larger on screen."""
MOST_BEHIND = 0.25
"""This share of all racks is drawn behind tiles at most before it is left out too."""
_SHADES = {"-x": 0.62, "+x": 0.62, "-y": 0.76, "+y": 0.66, "+z": 1.0}
_FACES = len(UPRIGHT)
_QUAD = np.array([0, 1, 2, 0, 2, 3], np.uint32)


class HeatTiles:
    """Draws the tiles that the camera is far enough from.

    Parameters
    ----------
    places
        Where tiles stand.
    floors
        Corners of the floor of each hall (halls, 4) [m]: x0, y0, x1, y1, in the order of the tiles of halls.
    """

    def __init__(self, places: TilePlaces, floors: Floats) -> None:
        self.places = places
        self.opacity = np.zeros(len(places.level))
        """How much each tile hides in the picture drawn last."""
        self._present = places.slot[places.at(TileLevel.RACK)]
        self._racks = 1 + int(self._present.max(initial=-1))
        self.hidden_racks = np.zeros(self._racks, bool)
        """Racks of which nothing is seen behind tiles, by slot."""
        self.bands = np.zeros((len(places.level), BANDS, 3), np.uint8), np.zeros((len(places.level), BANDS))
        """Colours and shares of the bands of each tile."""
        self._halls = places.at(TileLevel.HALL)
        self._middle = (places.low + places.high) / 2
        self._holder = np.where(places.level == TileLevel.RACK, places.parent, np.arange(len(places.level)))
        self._tiles = len(places.level)
        if not self._tiles:
            return
        slots = self._tiles + len(self._halls)  # the plates of halls come last
        self._lines = -(-slots // WIDTH)
        self._texels = np.zeros((self._lines * (BANDS + 1), WIDTH, 4), np.uint8)
        self._texture = gloo.Texture2D(self._texels, interpolation="nearest", wrapping="clamp_to_edge")
        self._program = program(_VERTEX, _FRAGMENT, self._vertices(floors))
        self._opaque, self._sheer = gloo.IndexBuffer(), gloo.IndexBuffer()
        self._drawn_for: tuple[object, ...] = ()
        self._counts = 0, 0

    def _vertices(self, floors: Floats) -> np.ndarray:
        places = self.places
        position, _, _, _ = box_faces(places.low, places.high, UPRIGHT)
        boxes = np.zeros((self._tiles, _FACES, 4), _TYPE)
        boxes["a_position"] = position.transpose(1, 0, 2, 3)
        # Bands lie from low x to high x on all faces but the ends.
        across = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        boxes["a_place"] = across
        boxes["a_place"][:, UPRIGHT.index("+y"), :, 0] = 1.0 - across[:, 0]
        boxes["a_shade"] = np.array([_SHADES[face] for face in UPRIGHT])[:, None]
        boxes["a_tile"] = np.arange(self._tiles)[:, None, None]
        plates = np.zeros((len(self._halls), 4), _TYPE)
        x, y = floors[:, [0, 2, 2, 0]], floors[:, [1, 1, 3, 3]]
        plates["a_position"] = np.stack([x, y, np.full_like(x, PLATE_M)], axis=2)
        plates["a_place"], plates["a_shade"] = across, 1.0
        plates["a_tile"] = self._tiles + np.arange(len(self._halls))[:, None]
        return np.concatenate([boxes.ravel(), plates.ravel()])

    def show(self, values: TileValues, colormap: str) -> None:
        """Take other values."""
        if not self._tiles:
            return
        table = palette.look_up_table(colormap)[0]
        codes, shares = values.bands()
        texels = np.zeros((self._tiles, BANDS, 4), np.uint8)
        texels[:, :, :3] = table[np.rint(codes).astype(np.int64)]
        self.bands = texels[:, :, :3], shares
        texels[:, :, 3] = np.rint(shares * 255)
        texels[:, 0, 3] = np.where(
            shares[:, 0] > 0, np.maximum(texels[:, 0, 3], 1), 0
        )  # one of many is there too
        texels = np.concatenate([texels, texels[self._halls]])
        slot = np.arange(len(texels))
        for band in range(BANDS):
            self._texels[(BANDS + 1) * (slot // WIDTH) + band, slot % WIDTH] = texels[:, band]
        self._texture.set_data(self._texels)

    def look(self, pose: CameraPose, stage: DrawContext) -> None:
        """Choose what is drawn from a pose."""
        key = pose, stage.size_px
        if not self._tiles or key == self._drawn_for:
            return
        self._drawn_for = key
        places = self.places
        fades = places.fades(pose, stage.size_px[1])
        self.opacity = opacity = places.seen_through(fades)
        self._hide(opacity, pose, stage.size_px[1])
        plates = np.rint(PLATE_OPACITY * 255 * places.of_halls(fades))
        slot = np.arange(self._tiles + len(self._halls))
        alpha = np.concatenate([np.rint(opacity * 255), plates]).astype(np.uint8)
        known = self._texels[(BANDS + 1) * (slot // WIDTH) + BANDS, slot % WIDTH, 0]
        if not np.array_equal(alpha, known):
            self._texels[(BANDS + 1) * (slot // WIDTH) + BANDS, slot % WIDTH, 0] = alpha
            self._texture.set_data(self._texels)
        away = (stage.eye_m - self._middle) @ stage.ahead
        opaque = np.flatnonzero(opacity >= 1.0)
        opaque = opaque[np.argsort(-away[opaque])]
        sheer = np.flatnonzero((opacity > 0.0) & (opacity < 1.0))
        sheer = sheer[np.lexsort((away[sheer], places.level[sheer], away[self._holder[sheer]]))]
        shown = np.flatnonzero(plates > 0)
        quads = np.concatenate(
            [self._tiles * _FACES + shown, (sheer[:, None] * _FACES + np.arange(_FACES)).ravel()]
        )
        self._counts = len(opaque), len(quads)
        if len(opaque):
            self._opaque.set_data(_indices((opaque[:, None] * _FACES + np.arange(_FACES)).ravel()))
        if len(quads):
            self._sheer.set_data(_indices(quads))

    def _hide(self, opacity: Floats, pose: CameraPose, height_px: float) -> None:
        """Choose the racks that are left out: those that stay hidden a little nearer, and not anew in each picture.

        To send other triangles costs more than to draw a few racks behind their tiles.
        """
        now, kept = self.places.hidden_racks(opacity, self._racks), self.hidden_racks
        if now[self._present].all():
            self.hidden_racks = now
        elif (kept & ~now).any() or now.sum() - kept.sum() > MOST_BEHIND * len(self._present):
            nearer = self.places.opacity(pose, STAY * height_px)
            self.hidden_racks = self.places.hidden_racks(nearer, self._racks)

    def draw(self, stage: DrawContext, *, sheer: bool) -> None:
        """Draw the tiles that hide all behind them, or else the `sheer` ones, with blending, over the rest."""
        if not self._tiles or not self._counts[sheer]:
            return
        stage.light(self._program)
        self._program["u_texels"] = self._texture
        self._program["u_shape"] = (float(WIDTH), float(len(self._texels)))
        self._program["u_bare"] = stage.colours.body
        self._program["u_gain"] = stage.colours.tile_gain
        self._program["u_mark"] = MARK_PX
        self._program.draw("triangles", self._sheer if sheer else self._opaque)


def _indices(quads: Ints64) -> UInts32:
    return (quads.astype(np.uint32)[:, None] * 4 + _QUAD).ravel()
