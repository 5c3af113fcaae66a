"""Quantities with units at the boundary: "132 kW" to SI floats and back.

Inside the program every number is a plain SI float whose name carries its unit (`power_w`, `temp_c`).
Text with units exists only in files, on the command line and on screen; `parse` and `render` are the doors.
"""

from twin.units.dimension import DIMENSIONS, Dimension
from twin.units.lengths import spoken
from twin.units.parse import UnitError, parse
from twin.units.render import render

__all__ = ["DIMENSIONS", "Dimension", "UnitError", "parse", "render", "spoken"]
