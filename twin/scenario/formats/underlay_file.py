"""Pictures of buildings beside a scene: PNG, JPEG and SVG, looked at before anything of them is expanded.

What a picture holds is kept here by the hash of its file, so that views and drawings of a scene need no folder.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path as FilePath

from twin.scenario.formats import sibling_files, svg_text
from twin.scenario.formats.sibling_files import FileLimit, Origin
from twin.scenario.text.problem import Problem, ScenarioError, shown

LIMIT = FileLimit(20_000_000, "a picture of a building")
MOST_PIXELS = 40_000_000
LONGEST_PIXELS = 20_000
"""Of a side."""
MOST_KEPT = 16
"""Pictures whose bytes are kept."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a JPEG that tell its size."""


class PictureError(ValueError):
    """A file is no picture that may be shown; the message is a clause that follows its name."""


@dataclass(frozen=True)
class Picture:
    """One picture.

    Parameters
    ----------
    data
        Its file.
    kind
        "png", "jpeg" or "svg".
    width, height
        In pixels; of an SVG in its own units.
    """

    data: bytes
    kind: str
    width: float
    height: float


_kept: OrderedDict[str, Picture] = OrderedDict()


def read(name: str, folder: FilePath | None, place: Problem) -> str:
    """Return the hash of the picture that a scene names, by which `picture` has it.

    Parameters
    ----------
    name
        A path inside the folder.
    folder
        Of the scene; None: its text lies nowhere yet.
    place
        File, line and key that name it, for the error.

    Raises
    ------
    ScenarioError
        When it leaves the folder, is missing, too large, or no picture that may be shown.
    """
    origin = sibling_files.found(name, folder, place, LIMIT)
    try:
        digest, found = _read(origin)
    except PictureError as bad:
        reason, _, hint = str(bad).partition("; ")
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(name), reason, hint)]) from None
    except OSError as bad:
        reason = f"cannot be read: {bad.strerror or bad}"
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(name), reason)]) from None
    _kept[digest] = found
    _kept.move_to_end(digest)
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return digest


def picture(digest: str | None) -> Picture | None:
    """Return a picture by the hash of its file; None for one that no scene has named lately."""
    return _kept.get(digest) if digest is not None else None


@lru_cache(maxsize=MOST_KEPT)
def _read(origin: Origin) -> tuple[str, Picture]:
    with origin.path.open("rb") as file:
        data = file.read(LIMIT.size_bytes + 1)
    return blake2b(data, digest_size=16).hexdigest(), looked_at(data)


def looked_at(data: bytes) -> Picture:
    """Return a picture whose size is known from its head and can be shown.

    Raises
    ------
    PictureError
        When it is none, too large, or reaches for anything outside itself.
    """
    if len(data) > LIMIT.size_bytes:
        raise PictureError(f"is larger than {LIMIT.size_bytes // 1_000_000} MB")
    if data.startswith(_PNG):
        return _pixels(data, "png", _png_size(data))
    if data.startswith(_JPEG):
        return _pixels(data, "jpeg", _jpeg_size(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PictureError("is no PNG, JPEG or SVG picture; save it as one of these") from None
    if "<" not in text[:200]:
        raise PictureError("is no PNG, JPEG or SVG picture; save it as one of these")
    try:
        width, height = svg_text.size_of(text)
    except svg_text.SvgError as bad:
        raise PictureError(str(bad)) from None
    return Picture(data, "svg", width, height)


def _pixels(data: bytes, kind: str, size: tuple[int, int]) -> Picture:
    width, height = size
    if not width or not height:
        raise PictureError("has no size")
    if max(size) > LONGEST_PIXELS or width * height > MOST_PIXELS:
        raise PictureError(
            f"has {width:,} x {height:,} pixels; at most {LONGEST_PIXELS:,} a side and {MOST_PIXELS // 1_000_000} "
            "million in all can be shown"
        )
    return Picture(data, kind, width, height)


def _png_size(data: bytes) -> tuple[int, int]:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise PictureError("is a damaged PNG picture")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    raise PictureError("is a damaged JPEG picture")
