"""The value texture: one drawing code per GPU and rack, uploaded once per frame, read by address in the shader."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.view3d.base import palette
from twin.view3d.gl.capability import ValueFormat
from twin.view3d.gl.program_pool import Program

WIDTH = 1024
"""Texels per line: addresses stay exact in 32-bit floats, and well under the 2,048 every driver has."""

VALUE_LOOKUP = """
uniform sampler2D u_values;
uniform sampler2D u_palette;
uniform vec3 u_shape;        // texels per line, lines, 1 if packed into two bytes
float code_of(float slot) {
    float line = floor((slot + 0.5) / u_shape.x);
    vec2 address = vec2(slot - line * u_shape.x + 0.5, line + 0.5) / u_shape.xy;
    vec4 texel = texture2D(u_values, address);
    return mix(texel.r, floor(texel.r * 255.0 + 0.5) * 2.0 + texel.g * 255.0 / 128.0, u_shape.z);
}
vec3 colour_of(float code) {
    return texture2D(u_palette, vec2((code + 0.5) / LUT_SIZE, 0.5)).rgb;
}
""".replace("LUT_SIZE", f"{palette.LUT_SIZE}.0")


class ValueTexture:
    """Codes of `slots` things and the colour table they point into."""

    def __init__(self, slots: int, value_format: ValueFormat) -> None:
        self._lines = max(1, -(-slots // WIDTH))
        self._slots = slots
        self._packed = value_format == "packed"
        shape = (self._lines, WIDTH, 4 if self._packed else 1)
        self.staging = np.zeros(shape, np.uint8 if self._packed else np.float32)
        internal = None if self._packed else value_format
        self._texture = gloo.Texture2D(
            self.staging, interpolation="nearest", wrapping="clamp_to_edge", internalformat=internal
        )
        self._palette = gloo.Texture2D(
            palette.look_up_table("viridis"), interpolation="nearest", wrapping="clamp_to_edge"
        )

    def upload(self, codes: NDArray[np.float32]) -> None:
        """Send the codes (length `slots`, 0 <= code < 512) to the GPU.

        Raises
        ------
        ValueError
            When the number of codes differs from the number of slots.
        """
        if len(codes) != self._slots:
            raise ValueError(f"{len(codes)} codes for {self._slots} slots")
        if self._packed:
            # 512 codes in 16 bits: the high byte counts in steps of 2, the low byte in steps of 1/128.
            fine = np.rint(codes * 128.0).astype(np.uint32)
            flat = self.staging.reshape(-1, 4)
            flat[: self._slots, 0] = fine >> 8
            flat[: self._slots, 1] = fine & 255
        else:
            self.staging.reshape(-1)[: self._slots] = codes
        self._texture.set_data(self.staging)

    def set_colormap(self, name: str) -> None:
        """Choose the ramp of the colour table."""
        self._palette.set_data(palette.look_up_table(name))

    def bind(self, program: Program) -> None:
        """Give a program with VALUE_LOOKUP its textures."""
        program["u_values"] = self._texture
        program["u_palette"] = self._palette
        program["u_shape"] = (float(WIDTH), float(self._lines), float(self._packed))
