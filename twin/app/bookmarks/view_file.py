"""The file beside a scene or run that says how it is looked at: camera, colours, layers, bookmarks. Never part of it.

It may come from anybody: its size is limited, what does not fit is refused as a whole, and it only ever chooses among
what the view offers anyway.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from twin.app.files.scene_list import SUFFIX as SCENE_SUFFIX
from twin.app.session.recording import SUFFIX as RUN_SUFFIX
from twin.language import tr
from twin.record.channels import COLOUR_BY
from twin.view3d.base.camera import DISTANCE_M, ELEVATION_DEG
from twin.view3d.base.dimension import MOST_DIMENSIONS, DimensionEnd, HallDimension
from twin.view3d.base.state import CABLES_BY, LAYERS, TILES_BY, CablesBy, CameraPose, TilesBy, ViewState
from twin.whole_file import write_whole

SUFFIX = ".twin-view.json"
VERSION = 2
"""2: with dimensions, and whether drawings have rulers."""
MOST_BYTES = 200_000
MOST_BOOKMARKS = 100
MOST_LETTERS = 60
MOST_NOTE_LETTERS = 300
MOST_PARTS = 1000
ITEM = r"^[a-z][a-z0-9-]{0,39}(/[0-9]{1,6}){0,4}$"
_FAR_M = 100_000.0

Metres = Annotated[float, Field(ge=-_FAR_M, le=_FAR_M, allow_inf_nan=False)]


class ViewFileError(ValueError):
    """A view file cannot be used; the message says why."""


def _known(allowed: Sequence[str]) -> AfterValidator:
    def check(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value

    return AfterValidator(check)


def _printable(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("must be text on one line")
    return name.strip()


def _one_line(note: str) -> str:
    if not note.isprintable():
        raise ValueError("must be text on one line")
    return note.strip()


Ids = Annotated[tuple[Annotated[str, Field(pattern=ITEM)], ...], Field(max_length=5000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Camera(_Part):
    """Where a camera stands; see `CameraPose`."""

    centre_m: tuple[Metres, Metres, Metres]
    distance_m: Annotated[float, Field(ge=DISTANCE_M[0] / 2, le=DISTANCE_M[1] * 2)]
    azimuth_deg: Annotated[float, Field(ge=-1e6, le=1e6)]
    elevation_deg: Annotated[float, Field(ge=ELEVATION_DEG[0] - 10.0, le=90.0)]
    fov_deg: Annotated[float, Field(ge=5.0, le=120.0)] = 35.0
    flat_m: Annotated[float, Field(ge=0.0, le=DISTANCE_M[1] * 2)] = 0.0

    @classmethod
    def of(cls, pose: CameraPose) -> Camera:
        """Return a pose as it is written."""
        return cls(
            centre_m=(round(pose.centre_m[0], 3), round(pose.centre_m[1], 3), round(pose.centre_m[2], 3)),
            distance_m=round(pose.distance_m, 3),
            azimuth_deg=round(pose.azimuth_deg, 2),
            elevation_deg=round(pose.elevation_deg, 2),
            fov_deg=round(pose.fov_deg, 2),
            flat_m=round(pose.flat_m, 3),
        )

    @property
    def pose(self) -> CameraPose:
        """Return it as the view has it."""
        return CameraPose(
            self.centre_m, self.distance_m, self.azimuth_deg, self.elevation_deg, self.fov_deg, self.flat_m
        )


class Bookmark(_Part):
    """A place to look from, with a name."""

    name: Annotated[str, Field(min_length=1, max_length=MOST_LETTERS), AfterValidator(_printable)]
    camera: Camera


class TimeMark(_Part):
    """A time of the run, with a note; "" where there is nothing to say."""

    t_s: Annotated[float, Field(ge=0.0, le=1e10, allow_inf_nan=False)]
    note: Annotated[str, Field(max_length=MOST_NOTE_LETTERS), AfterValidator(_one_line)] = ""


class KeptEnd(_Part):
    """An end of a dimension; see `DimensionEnd`."""

    id: Annotated[str, Field(pattern=ITEM)] | None = None
    part: Annotated[int, Field(ge=0, le=MOST_PARTS)] = 0
    at: tuple[Metres, Metres, Metres] | None = None

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if self.id is None and self.at is None:
            raise ValueError("must have an id, or a place")
        if self.id is not None and self.at is not None and not all(0.0 <= share <= 1.0 for share in self.at):
            raise ValueError("must be a point of the thing")
        return self


class KeptDimension(_Part):
    """A dimension; see `HallDimension`."""

    start: KeptEnd
    stop: KeptEnd
    along: Literal["x", "y", "z", "xy", "xz", "yz", "xyz"]

    @classmethod
    def of(cls, dimension: HallDimension) -> KeptDimension:
        """Return a dimension as it is written."""
        start, stop = (
            KeptEnd(id=end.id or None, part=end.part, at=end.at) for end in (dimension.start, dimension.stop)
        )
        return cls.model_validate({"start": start, "stop": stop, "along": dimension.along})

    @property
    def dimension(self) -> HallDimension:
        """Return it as the view has it."""
        start, stop = (DimensionEnd(end.id or "", end.part, end.at) for end in (self.start, self.stop))
        return HallDimension(start, stop, self.along)


class View(_Part):
    """How a scene is looked at; None: as the program begins."""

    format: Literal["twin/view"] = "twin/view"
    version: Annotated[int, Field(ge=1, le=VERSION)] = VERSION
    camera: Camera | None = None
    colour_by: Annotated[str, _known(COLOUR_BY)] | None = None
    cables_by: CablesBy | None = None
    tiles_by: TilesBy | None = None
    layers: Annotated[tuple[Annotated[str, _known(LAYERS)], ...], Field(max_length=len(LAYERS))] | None = None
    bookmarks: Annotated[tuple[Bookmark, ...], Field(max_length=MOST_BOOKMARKS)] = ()
    moments: Annotated[tuple[TimeMark, ...], Field(max_length=MOST_BOOKMARKS)] = ()
    hidden: Ids = ()
    only: Ids = ()
    locked: Ids = ()
    rulers: bool | None = None
    dimensions: Annotated[tuple[KeptDimension, ...], Field(max_length=MOST_DIMENSIONS)] = ()

    @classmethod
    def of(
        cls, state: ViewState, bookmarks: tuple[Bookmark, ...], moments: tuple[TimeMark, ...] = ()
    ) -> View:
        """Return how the hall is looked at now."""
        return cls(
            camera=Camera.of(state.camera) if state.camera is not None else None,
            colour_by=state.colour_by,
            cables_by=state.cables_by,
            tiles_by=state.tiles_by,
            layers=tuple(layer for layer in LAYERS if layer in state.layers),
            bookmarks=bookmarks,
            moments=moments,
            hidden=tuple(sorted(state.hidden)),
            only=tuple(sorted(state.only)),
            locked=tuple(sorted(state.locked)),
            rulers=state.rulers,
            dimensions=tuple(map(KeptDimension.of, state.dimensions)),
        )

    def show(self, state: ViewState) -> None:
        """Look at the hall so."""
        if self.colour_by is not None:
            state.colour_by = self.colour_by
        if self.cables_by is not None and self.cables_by in CABLES_BY:
            state.cables_by = self.cables_by
        if self.tiles_by is not None and self.tiles_by in TILES_BY:
            state.tiles_by = self.tiles_by
        if self.layers is not None:
            state.layers = frozenset(self.layers)
        if self.rulers is not None:
            state.rulers = self.rulers
        if self.camera is not None:
            state.camera = self.camera.pose


def view_path(scene: Path) -> Path:
    """Return the file that lies beside a scene."""
    name = scene.name
    for suffix in (SCENE_SUFFIX, RUN_SUFFIX, scene.suffix):
        if suffix and name.endswith(suffix):
            name = name.removesuffix(suffix)
            break
    return scene.with_name(f"{name}{SUFFIX}")


def read_view(path: Path) -> View | None:
    """Return what a view file says; None when there is none.

    Raises
    ------
    ViewFileError
        When it cannot be used, with the reason in a few words.
    """
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > MOST_BYTES:
            raise ViewFileError(tr("is larger than {most_bytes} kB", most_bytes=MOST_BYTES // 1000))
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise ViewFileError(error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ViewFileError):
            raise
        raise ViewFileError(tr("is not valid JSON")) from None
    if not isinstance(data, dict) or data.get("format") != "twin/view":
        raise ViewFileError(tr("is not a view file of gpu-twin"))
    if isinstance(data.get("version"), int) and data["version"] > VERSION:
        raise ViewFileError(
            tr(
                "has version {data}; this gpu-twin reads up to version {version}",
                data=data["version"],
                version=VERSION,
            )
        )
    try:
        return View.model_validate({**data, "version": VERSION})
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ViewFileError(f"{where}: {first['msg']}") from None


def write_view(path: Path, view: View) -> None:
    """Write a view file, whole or not at all.

    Raises
    ------
    OSError
        When the disk refuses.
    """
    text = json.dumps(view.model_dump(mode="json", exclude_none=True), indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())
