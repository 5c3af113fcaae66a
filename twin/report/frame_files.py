"""The numbered pictures of a film in a folder: two films in one folder would be one that nobody wants."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"\d{6}\.png")

CAPTIONS = "captions.vtt"
"""Beside the pictures of a film of chapters."""


class FilmThere(OSError):
    """A folder holds the pictures of another film."""


def frame_file(folder: Path, number: int) -> Path:
    """Return where picture `number` goes, from 1 on.

    >>> frame_file(Path("film"), 12).name
    '000012.png'
    """
    return folder / f"{number:06d}.png"


def must_hold_no_film(folder: Path) -> None:
    """Refuse a folder that holds numbered pictures; raises `FilmThere`."""
    count = len(frame_files(folder))
    if count:
        raise FilmThere(
            f"{folder} holds {count:,} numbered picture{'s' * (count > 1)} of another film; choose another folder"
        )


def frame_files(folder: Path) -> list[Path]:
    """Return the numbered pictures in a folder, in order; none without such a folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())
