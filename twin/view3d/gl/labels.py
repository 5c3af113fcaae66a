"""Billboard labels: those that are shown in one atlas, drawn in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from vispy import gloo

from twin.view3d.base.label_layout import BUDGET, Placed
from twin.view3d.base.meshes import quad_indices
from twin.view3d.base.theme import Colours
from twin.view3d.gl.draw_context import DrawContext

_VERTEX = """
attribute vec2 a_position;   // [px], y downwards
attribute vec2 a_place;
uniform vec2 u_screen;
varying vec2 v_place;
void main() {
    gl_Position = vec4(a_position.x / u_screen.x * 2.0 - 1.0, 1.0 - a_position.y / u_screen.y * 2.0, 0.0, 1.0);
    v_place = a_place;
}
"""

_FRAGMENT = """
uniform sampler2D u_atlas;
varying vec2 v_place;
void main() {
    gl_FragColor = texture2D(u_atlas, v_place);
}
"""

_TYPE = np.dtype([("a_position", np.float32, 2), ("a_place", np.float32, 2)])
_POINTS = 8.6
_PAD = (7.0, 2.5)
WARNING_RGB, WARNING_INK = (1.0, 0.74, 0.22), (0.10, 0.07, 0.0)
ALARM_RGB, ALARM_INK = (0.84, 0.07, 0.21), (1.0, 1.0, 1.0)
"""Plates over what is not well, and what is written on them: the same in both themes."""


@dataclass(frozen=True)
class Atlas:
    """All texts drawn into one picture.

    Parameters
    ----------
    texels
        uint8 (height, width, 4), premultiplied alpha.
    boxes
        Left, top, width, height of each text [px], shape (n, 4).
    """

    texels: NDArray[np.uint8]
    boxes: NDArray[np.float64]


def label_font(scale: float) -> QFont:
    """Return the font of labels for a ratio of physical to logical pixels."""
    font = QFont()
    font.setFamilies(["Inter", "Noto Sans", "DejaVu Sans"])
    font.setPixelSize(max(8, round(_POINTS * 1.42 * scale)))
    font.setWeight(QFont.Weight.DemiBold)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 103)
    return font


def sizes_of(texts: Sequence[str], font: QFont, scale: float) -> NDArray[np.float64]:
    """Return width and height of the plates of texts, shape (n, 2) [px]."""
    metrics = QFontMetricsF(font)
    pad_x, pad_y = _PAD[0] * scale, _PAD[1] * scale
    lines = [text.split("\n") for text in texts]
    wide = [np.ceil(max(map(metrics.horizontalAdvance, some)) + 2 * pad_x) for some in lines]
    more = metrics.lineSpacing()
    high = [np.ceil(metrics.height() + (len(some) - 1) * more + 2 * pad_y) for some in lines]
    return np.stack([wide, high], axis=1).astype(np.float64).reshape(-1, 2)


def draw_atlas(texts: list[str], colours: Colours, scale: float, tones: Sequence[int] | None = None) -> Atlas:
    """Draw every text on its own rounded plate; needs a QGuiApplication.

    Parameters
    ----------
    tones
        Of each text: 0 plain, 1 warning, 2 alarm.
    """
    inks = (
        (colours.label, colours.label_back),
        (WARNING_INK, (*WARNING_RGB, 0.96)),
        (ALARM_INK, (*ALARM_RGB, 0.96)),
    )
    font = label_font(scale)
    wide, high = sizes_of(texts, font, scale).T.tolist()
    limit = max([1024.0, *wide]) + 2
    boxes, x, y, deep = np.zeros((len(texts), 4)), 1.0, 1.0, 0.0
    for k, (w, h) in enumerate(zip(wide, high, strict=True)):
        if x + w + 1 > limit:
            x, y, deep = 1.0, y + deep + 2, 0.0
        boxes[k] = (x, y, w, h)
        x, deep = x + w + 2, max(deep, h)
    image = QImage(int(limit), max(4, int(y + deep + 2)), QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(font)
    for text, box, tone in zip(texts, boxes, tones or [0] * len(texts), strict=True):
        place = QRectF(*(float(v) for v in box))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor.fromRgbF(*inks[tone][1]))
        painter.drawRoundedRect(place, 4 * scale, 4 * scale)
        painter.setPen(QColor.fromRgbF(*inks[tone][0]))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    texels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return Atlas(texels[:, : image.width()].copy(), boxes)


class LabelLayer:
    """Draws the placed ones of many texts; it paints only what is placed: a large site has thousands of names."""

    def __init__(self) -> None:
        self._program = gloo.Program(_VERTEX, _FRAGMENT)
        self._buffer = gloo.VertexBuffer(np.zeros(4 * BUDGET, _TYPE))
        self._program.bind(self._buffer)
        self._indices = gloo.IndexBuffer(quad_indices(BUDGET))
        self._texts: list[str] = []
        self._tones: Sequence[int] = ()
        self._in: tuple[Colours, float] | None = None
        self._sizes = np.zeros((0, 2))
        self._known: dict[str, tuple[float, float]] = {}
        self._painted: tuple[tuple[str, int], ...] | None = None
        self._boxes, self._texture_size = np.zeros((0, 4)), np.ones(2)
        self._any = False

    @property
    def sizes_px(self) -> NDArray[np.float64]:
        """Return width and height of every text, shape (n, 2) [px]."""
        return self._sizes

    def write(self, texts: list[str], colours: Colours, scale: float, tones: Sequence[int]) -> None:
        """Take other texts, with tones as of `draw_atlas`; nothing is shown until they are placed."""
        if self._in is None or self._in[1] != scale:
            self._known = {}
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        sizes = sizes_of(new, label_font(scale), scale).tolist()
        known = self._known | {text: (wide, high) for text, (wide, high) in zip(new, sizes, strict=True)}
        self._known = {text: known[text] for text in texts}
        self._sizes = np.array([known[text] for text in texts], np.float64).reshape(-1, 2)
        self._texts, self._tones, self._in = texts, tones, (colours, scale)
        self._painted, self._any = None, False

    def show(self, placed: list[Placed]) -> None:
        """Choose what is drawn; unused quads shrink to nothing."""
        wanted = tuple((self._texts[label.index], self._tones[label.index]) for label in placed)
        if wanted and wanted != self._painted and self._in is not None:
            texts, tones = zip(*wanted, strict=True)
            self._paint(draw_atlas(list(texts), *self._in, tones))
            self._painted = wanted
        vertices = np.zeros((BUDGET, 4), _TYPE)
        corner = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], float)
        for k, label in enumerate(placed):
            box = self._boxes[k]
            vertices[k]["a_position"] = np.array([label.left_px, label.top_px]) + corner * box[2:]
            vertices[k]["a_place"] = (box[:2] + corner * box[2:]) / self._texture_size
        self._buffer.set_data(vertices.ravel())
        self._any = bool(placed)

    def _paint(self, atlas: Atlas) -> None:
        self._boxes = atlas.boxes
        self._texture_size = np.array(atlas.texels.shape[1::-1], float)
        self._program["u_atlas"] = gloo.Texture2D(
            atlas.texels, interpolation="nearest", wrapping="clamp_to_edge"
        )

    def draw(self, stage: DrawContext) -> None:
        """Draw with premultiplied blending, depth test off."""
        if self._any:
            self._program["u_screen"] = stage.size_px
            self._program.draw("triangles", self._indices)
