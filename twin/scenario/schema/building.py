"""The building round a hall: walls, columns, doors, ceiling, raised floor, and a drawing of it on the floor."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Length

FURTHEST_M = 10e3
"""From the corner of a hall to what stands there, along and across its rows: no site is larger [est]."""

MOST_COLUMNS = 200
"""Columns along a hall, and across it, of one grid."""


class Point(DocumentPart):
    """A place on the floor of the hall."""

    x_m: Length = Field(default=0.0, alias="x", ge=-FURTHEST_M, le=FURTHEST_M, description="along the rows")
    y_m: Length = Field(default=0.0, alias="y", ge=-FURTHEST_M, le=FURTHEST_M, description="across the rows")


class Walls(DocumentPart):
    """The outer walls of a hall by their inner faces: a rectangle, or corners in order all round."""

    at: Point = Field(default=Point(), description="corner of the rectangle with the lowest x and y")
    width_m: Length | None = Field(
        default=None, alias="width", gt=0, le=FURTHEST_M, description="of the rectangle, along the rows"
    )
    depth_m: Length | None = Field(
        default=None, alias="depth", gt=0, le=FURTHEST_M, description="of the rectangle, across the rows"
    )
    corners: tuple[Point, ...] = Field(
        default=(),
        max_length=200,
        description="instead of a rectangle; each wall runs along or across the rows",
    )
    thickness_m: Length = Field(
        default=0.2, alias="thickness", gt=0, le=3, description="of the walls, outside of these lines"
    )

    @model_validator(mode="after")
    def _is_one_shape(self) -> Walls:
        if self.corners and (self.width_m is not None or self.depth_m is not None):
            raise ValueError("are a rectangle or corners, not both: remove width and depth, or corners")
        if not self.corners and (self.width_m is None or self.depth_m is None):
            raise ValueError("need width and depth, or corners")
        return self


class ColumnGrid(DocumentPart):
    """Columns at equal distances; ``c/1/0`` of a grid ``c`` is the second along the rows, the first across them."""

    id: Id = Field(description="permanent id of this grid of columns")
    at: Point = Field(default=Point(), description="middle of the first column")
    along: int = Field(default=1, ge=1, le=MOST_COLUMNS, description="columns along the rows")
    across: int = Field(default=1, ge=1, le=MOST_COLUMNS, description="columns across the rows")
    pitch_m: Length = Field(
        default=6.0, alias="pitch", gt=0, le=100, description="middle to middle along the rows"
    )
    pitch_across_m: Length = Field(
        default=6.0, alias="pitch_across", gt=0, le=100, description="middle to middle across the rows"
    )
    width_m: Length = Field(default=0.4, alias="width", gt=0, le=5, description="of a column, along the rows")
    depth_m: Length = Field(
        default=0.4, alias="depth", gt=0, le=5, description="of a column, across the rows"
    )


class InnerWall(DocumentPart):
    """A straight wall between two places, in any direction, inside the outer walls or at their edge."""

    id: Id = Field(description="permanent id of the wall")
    start: Point = Field(default=Point(), description="middle of the wall at its one end")
    end: Point = Field(description="middle of the wall at its other end")
    thickness_m: Length = Field(
        default=0.1, alias="thickness", gt=0, le=3, description="of the wall, half of it on each side"
    )


class Door(DocumentPart):
    """A door in the wall that is nearest to its place."""

    id: Id = Field(description="permanent id of the door")
    at: Point = Field(default=Point(), description="middle of the opening, on a wall")
    width_m: Length = Field(default=1.2, alias="width", gt=0, le=20, description="clear opening")
    height_m: Length = Field(default=2.4, alias="height", gt=0, le=20, description="clear opening")
    swing: Literal["in", "out", "sliding"] = Field(
        default="in",
        description="where its leaf goes; in an inner wall, in is to the left of who looks from its start to its end",
    )
    hinge: Literal["left", "right", "both"] = Field(
        default="both", description="side of the hinges seen from inside; both: two leaves"
    )


class Underlay(DocumentPart):
    """A drawing of the building that lies on the floor, to place things by; it acts on nothing."""

    file: str = Field(max_length=400, description="a PNG, JPEG or SVG file in the scene's folder")
    width_m: Length = Field(
        alias="width", gt=0, le=FURTHEST_M, description="of the whole drawing, along the rows"
    )
    at: Point = Field(default=Point(), description="its corner with the lowest x and y")
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")] | None = Field(
        default=None, description="hash of the file, written by the program; leave it out"
    )


class Building(DocumentPart):
    """The building round a hall; what stands in it keeps clear of it."""

    walls: Walls | None = Field(default=None, description="outer walls; none: nothing is known of them")
    height_m: Length | None = Field(
        default=None, alias="height", gt=0, le=100, description="structural floor to ceiling; none: no limit"
    )
    raised_floor_m: Length = Field(
        default=0.0, alias="raised_floor", ge=0, le=10, description="height of the raised floor"
    )
    columns: tuple[ColumnGrid, ...] = Field(default=(), max_length=200, description="columns")
    inner_walls: tuple[InnerWall, ...] = Field(
        default=(), max_length=200, description="walls between two places, in any direction"
    )
    doors: tuple[Door, ...] = Field(default=(), max_length=200, description="doors")
    underlay: Underlay | None = Field(default=None, description="drawing on the floor; none: bare floor")
