"""A recorded run as a film: pictures of the hall at even steps of its time, into a video file or numbered PNG files."""

from __future__ import annotations

import importlib.util
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bytes
from twin.record.reader import Reader
from twin.report.frame_files import CAPTIONS, frame_file, frame_files, must_hold_no_film
from twin.report.shots import Shots
from twin.report.studio import Shot, about, png

INSTALL = "python -m pip install 'gpu-twin[video]'"
MAX_FRAMES = 100_000
_QUALITY = "20"
"""CRF of the encoder: what nobody tells from the pictures themselves."""


class NoEncoder(Exception):
    """Video files cannot be written here; the message is one sentence that says what to install."""


def can_encode() -> bool:
    """Return whether video files can be written here."""
    return importlib.util.find_spec("av") is not None


@dataclass(frozen=True)
class FilmCut:
    """Which part of a run, and how long it is shown.

    Parameters
    ----------
    from_s, to_s
        Of the run [s].
    seconds
        Of the film [s].
    fps
        Pictures per second.
    """

    from_s: float
    to_s: float
    seconds: float = 20.0
    fps: int = 30

    def times_s(self) -> NDArray[np.float64]:
        """Return the time of each picture [s], both ends of the range among them."""
        count = min(max(round(self.seconds * self.fps), 2), MAX_FRAMES)
        return np.linspace(self.from_s, self.to_s, count)


class Sink(Protocol):
    """Takes the pictures of a film."""

    def add(self, rgb: Bytes, fields: Mapping[str, str]) -> None:
        """Take the next picture and its metadata."""

    def close(self) -> None:
        """Make the film whole."""

    def abandon(self) -> None:
        """Leave nothing half made."""


class Frames:
    """Numbered PNG files in a folder; those of a film that was broken off are taken away again.

    Parameters
    ----------
    folder
        Made where needed.
    replace
        Whether the pictures of another film in it may be lost.

    Raises
    ------
    OSError
        When the folder cannot be made or written, or holds another film.
    """

    def __init__(self, folder: Path, *, replace: bool = False) -> None:
        self.folder, self._replace = folder, replace
        if not replace:
            must_hold_no_film(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._written: list[Path] = []

    def add(self, rgb: Bytes, fields: Mapping[str, str]) -> None:
        """Write one file; the film before goes once the first picture of this one is there."""
        if self._replace and not self._written:
            for older in (*frame_files(self.folder), self.folder / CAPTIONS):
                older.unlink(missing_ok=True)
        path = frame_file(self.folder, len(self._written) + 1)
        self._written.append(path)
        path.write_bytes(png(rgb, fields))

    def close(self) -> None:
        """They are whole one by one."""

    def abandon(self) -> None:
        """Take away what was written."""
        for path in self._written:
            path.unlink(missing_ok=True)


class Mp4:
    """An MP4 file with H.264, written beside its place and renamed when it is whole.

    Raises
    ------
    NoEncoder
        When the package that encodes is not installed.
    """

    def __init__(self, path: Path, fps: int) -> None:
        if not can_encode():
            raise NoEncoder(
                f"video files need an encoder that is not installed here: {INSTALL}; numbered PNG files always work"
            )
        self.path, self._fps = path, fps
        self._partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        self._file: Any = None
        self._stream: Any = None

    def add(self, rgb: Bytes, fields: Mapping[str, str]) -> None:
        """Encode one picture; raises OSError where the disk or the encoder refuses."""
        with _as_os_error():
            self._encode(rgb, fields)

    def close(self) -> None:
        """Write the frames still in the encoder, and put the file in its place; raises as `add`."""
        with _as_os_error():
            self._file.mux(self._stream.encode())
            self._file.close()
        os.replace(self._partial, self.path)

    def _encode(self, rgb: Bytes, fields: Mapping[str, str]) -> None:
        import av

        even = np.ascontiguousarray(
            rgb[: rgb.shape[0] // 2 * 2, : rgb.shape[1] // 2 * 2]
        )  # H.264 halves colours
        if self._file is None:
            self._file = av.open(str(self._partial), "w", format="mp4", options={"movflags": "faststart"})
            self._file.metadata.update(_container_tags(fields))
            self._stream = self._file.add_stream("libx264", rate=Fraction(self._fps))
            self._stream.height, self._stream.width = even.shape[:2]
            self._stream.pix_fmt = "yuv420p"
            self._stream.options = {"crf": _QUALITY}
        self._file.mux(self._stream.encode(av.VideoFrame.from_ndarray(even, format="rgb24")))

    def abandon(self) -> None:
        """Take away what was written."""
        if self._file is not None:
            with suppress(Exception):  # on a full disk it cannot be made whole either
                self._file.close()
        self._partial.unlink(missing_ok=True)


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Raise refusals of the encoder as OSError, as for a full disk."""
    import av

    try:
        yield
    except av.FFmpegError as error:
        if isinstance(error, OSError):
            raise
        raise OSError(f"encoder error: {error}") from error


class FilmInMaking(ABC):
    """A film being made, picture by picture; its maker asks for each step, so a window stays responsive.

    Parameters
    ----------
    reader
        Of the run.
    sink
        Where the pictures go.
    count
        How many there are.
    """

    def __init__(self, reader: Reader, sink: Sink, count: int) -> None:
        self._reader, self._sink, self.count = reader, sink, count
        self.done = 0

    @abstractmethod
    def picture(self, number: int) -> tuple[Bytes, float]:
        """Return a picture, from 0, and which time of the run it shows [s]."""

    @abstractmethod
    def close(self) -> None:
        """Free what draws."""

    def step(self) -> bool:
        """Take the next picture; return whether there are more. The last one makes the film whole."""
        rgb, t_s = self.picture(self.done)
        self._sink.add(rgb, about(self._reader, t_s))
        self.done += 1
        if self.done < self.count:
            return True
        self.close()
        self._sink.close()
        return False

    def cancel(self) -> None:
        """Break off; nothing half made is left."""
        self.close()
        self._sink.abandon()


class Film(FilmInMaking):
    """A film of even steps of time, from one place.

    Parameters
    ----------
    reader
        Of the run.
    shot
        How its pictures are taken.
    cut
        Which part of it.
    sink
        Where they go.

    Raises
    ------
    NoPicture
        When they cannot be taken.
    """

    def __init__(self, reader: Reader, shot: Shot, cut: FilmCut, sink: Sink) -> None:
        self._times = cut.times_s().tolist()
        super().__init__(reader, sink, len(self._times))
        self._shots = Shots(reader, shot)
        self._last: tuple[float, Bytes] | None = None

    def picture(self, number: int) -> tuple[Bytes, float]:
        """Return a picture; samples that are shown for long are drawn once."""
        t_s = self._times[number]
        at_s = self._shots.sample_s(t_s)
        if self._last is None or self._last[0] != at_s:
            self._last = (at_s, self._shots.rgb(t_s)[0])
        return self._last[1], at_s

    def close(self) -> None:
        """Free what draws."""
        self._shots.close()


def _container_tags(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the metadata of a video file."""
    made = ", ".join(
        f"{key} {value}" for key, value in fields.items() if key not in ("Title", "Simulated time s")
    )
    return {"title": fields.get("Title", ""), "comment": made}
