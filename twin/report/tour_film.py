"""A film of the chapters of a run: each from its camera, slow near key moments, with captions burnt in and beside."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from twin import units
from twin.analysis.rerun import RerunMoments
from twin.arrays import Bytes
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.record.inputs import can_continue
from twin.record.reader import Reader
from twin.report.captions import Caption, as_vtt, captions_of, reading_s
from twin.report.film import MAX_FRAMES, FilmInMaking, Sink
from twin.report.frame_files import CAPTIONS
from twin.report.halls import RecordedHalls
from twin.report.studio import Shot, Studio, can_point
from twin.report.tour_figures import MomentFigures
from twin.report.tour_times import NoChapters, TourStop, stops_of_run
from twin.scenario.schema.chapter import VIEWS, Chapter
from twin.scenario.schema.document import Scenario
from twin.shown_text import one_line
from twin.view3d.base.camera import Flight, pose_between
from twin.view3d.base.state import CameraPose

_BAND = 0.2
"""Share of the height below the hall that holds the caption."""
LABEL_SCALE = 1.3
_DAY_S = 86_400.0
_REST_S = 1.0
"""The end of a chapter stands so long [s]."""
_INK = {
    "dark": ("#0a0d13", "#e8ecf4", "#4ea8ff", "#a3aec1"),
    "light": ("#ffffff", "#18202e", "#0a5cbe", "#4d586c"),
    "contrast": ("#000000", "#ffffff", "#8accff", "#e4e9f1"),
}
"""Ground, caption, chapter and time of each theme."""


class MomentsOfRun(Protocol):
    """Gives moments of a run."""

    def at(self, t_s: float) -> tuple[Scenario, Plant, Frame]:
        """Return scene, hall and figures at a time [s]."""


class RecordedMoments:
    """The samples of a recorded run; `at` gives the last one before a time."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._halls = reader, RecordedHalls(reader)

    def at(self, t_s: float) -> tuple[Scenario, Plant, Frame]:
        """Return scene, hall and figures at a time [s]."""
        frame = self._reader.frame(t_s)
        return (*self._halls.at(frame.layout.epoch), frame)


def moments_of(reader: Reader) -> MomentsOfRun:
    """Return the moments of a run: simulated again where this program's model wrote it, else its samples."""
    return RerunMoments(reader) if can_continue(reader.header.versions) else RecordedMoments(reader)


@dataclass(frozen=True)
class TourScene:
    """A chapter in a film.

    Parameters
    ----------
    stop
        The chapter.
    begin_s, lasts_s
        When it is shown, and how long [s of the film].
    captions
        Of its text.
    """

    stop: TourStop
    begin_s: float
    lasts_s: float
    captions: tuple[Caption, ...]

    def time_s(self, since_s: float) -> float:
        """Return the time of the run so long after its beginning [s]; a short one plays as slowly as one reads."""
        stop = self.stop
        return stop.time_s(since_s * min(stop.wall_s / (self.lasts_s - _REST_S), 1.0))

    def caption_at(self, wall_s: float) -> Caption | None:
        """Return the caption at a time of the film [s]."""
        begun = [caption for caption in self.captions if caption.begin_s <= wall_s]
        return begun[-1] if begun else None


def scenes_of(scenario: Scenario, reach_s: float) -> tuple[TourScene, ...]:
    """Return the chapters of a run in the film: as long as they play, at least as long as it takes to read them.

    Raises
    ------
    NoChapters
        When the run shows none.
    """
    found, at_s = [], 0.0
    for stop in stops_of_run(scenario, reach_s):
        lasts_s = max(stop.wall_s, reading_s(stop.chapter.text), 3.0) + _REST_S
        found.append(TourScene(stop, at_s, lasts_s, captions_of(stop.chapter.text, at_s, lasts_s)))
        at_s += lasts_s
    return tuple(found)


def shot_of(chapter: Chapter, plant: Plant, before: Shot, first: Shot) -> Shot:
    """Return how a chapter looks at the hall of its moment; what it does not say stays as it was.

    A camera at what is not there stays as well, or shows all where that is gone too; only the `first` shot, as it was
    asked for, is left as it is.
    """
    asked: list[str | CameraPose | None] = [chapter.camera, before.camera]
    if chapter.eye is not None and chapter.target is not None:
        asked = [pose_between(chapter.eye.metres, chapter.target.metres)]
    there = (camera for camera in asked if camera is not None and can_point(plant, camera))
    return replace(
        before,
        camera=next(there, first.camera if before is first else VIEWS[0]),
        colour_by=chapter.colour_by or before.colour_by,
        layers=before.layers if chapter.layers is None else frozenset(chapter.layers),
    )


def caption_file(film: Path) -> Path:
    """Return where the captions of a film go: beside a video, inside a folder of pictures."""
    return film / CAPTIONS if film.is_dir() else film.with_suffix(".vtt")


class TourFilm(FilmInMaking):
    """The film of the chapters of one run.

    Parameters
    ----------
    reader
        Of its file.
    shot
        Size and theme, and how the hall is looked at before a chapter says more.
    fps
        Pictures per second.
    sink
        Where they go.

    Raises
    ------
    NoChapters
        When the run shows none, or they are too long for a film.
    NoPicture
        When pictures cannot be taken.
    """

    def __init__(self, reader: Reader, shot: Shot, fps: int, sink: Sink) -> None:
        self.scenes = scenes_of(reader.header.scenario, reader.t_end_s)
        last = self.scenes[-1]
        lasts_s = last.begin_s + last.lasts_s
        if lasts_s * fps > MAX_FRAMES:
            raise NoChapters(
                f"the chapters take {units.spoken(lasts_s)} of film, {lasts_s * fps:,.0f} pictures, and "
                f"{MAX_FRAMES:,} is the most; give the slow ones a higher speed in the scene, or take fewer "
                "pictures per second"
            )
        super().__init__(reader, sink, round(lasts_s * fps))
        wide, high = shot.size
        self._band = round(high * _BAND) // 2 * 2
        self._shot = self._first = replace(shot, size=(wide, high - self._band))
        self._fps, self._moments = fps, moments_of(reader)
        self._begins = [scene.begin_s for scene in self.scenes]
        self._place = -1
        self._flight: Flight | None = None
        self._told: dict[Caption, str] = {}
        self._studio = Studio(self._shot, reader.header.seed, left=True)
        self._studio.enlarge(LABEL_SCALE)

    @property
    def vtt(self) -> str:
        """Return the captions of all pictures taken, as WebVTT."""
        return as_vtt(self._told.items())

    def close(self) -> None:
        """Free what draws."""
        self._studio.close()

    def picture(self, number: int) -> tuple[Bytes, float]:
        """Return a picture: the hall, and the caption below it."""
        wall_s = number / self._fps
        place = max(bisect_right(self._begins, wall_s + 1e-9) - 1, 0)
        scene = self.scenes[place]
        since_s = wall_s - scene.begin_s
        t_s = scene.time_s(since_s)
        scenario, plant, frame = self._moments.at(t_s)
        if place != self._place:
            self._turn_to(place, scenario, plant, frame)
        flies = self._flight is not None and since_s < self._flight.duration_s
        pose = self._flight.at(since_s) if self._flight is not None and flies else None
        if self._flight is not None and not flies:
            pose, self._flight = self._flight.end, None
        hall = self._studio.picture(scenario, plant, frame, pose)
        figures = MomentFigures(scenario, plant, frame, t_s)
        caption = scene.caption_at(wall_s)
        words = caption.words(figures) if caption is not None else ""
        if caption is not None:
            self._told.setdefault(caption, words)
        return self._with_band(hall, scene, words, clock_words(scenario, t_s)), t_s

    def _turn_to(self, place: int, scenario: Scenario, plant: Plant, frame: Frame) -> None:
        """Aim at another chapter; the camera flies there."""
        before = self._studio.pose if self._place >= 0 else None
        chapter = self.scenes[place].stop.chapter
        self._shot, self._place = shot_of(chapter, plant, self._shot, self._first), place
        self._studio.aim(self._shot, chapter.select)
        self._studio.picture(scenario, plant, frame)  # which makes room beside the legends
        self._flight = Flight.between(before, self._studio.pose) if before is not None else None

    def _with_band(self, hall: Bytes, scene: TourScene, words: str, clock: str) -> Bytes:
        """Return a picture with the band below it."""
        high, wide = hall.shape[:2]
        ground, ink, accent, quiet = _INK[self._shot.theme]
        image = QImage(wide, self._band, QImage.Format.Format_RGB888)
        image.fill(QColor(ground))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        whole = high + self._band
        margin, small, large = whole / 40, whole / 38, whole / 25
        line = QRectF(margin, margin / 2, wide - 2 * margin, small * 1.5)
        title = f"{scene.stop.number}/{scene.stop.count}  {one_line(scene.stop.chapter.title)}"
        _say(painter, line, title, accent, small, bold=True, to=Qt.AlignmentFlag.AlignLeft)
        _say(painter, line, clock, quiet, small, bold=False, to=Qt.AlignmentFlag.AlignRight)
        room = QRectF(margin, line.bottom(), wide - 2 * margin, self._band - line.bottom() - margin / 3)
        _say(painter, room, words, ink, large, bold=False, to=Qt.AlignmentFlag.AlignLeft, wrap=True)
        painter.end()
        lines = np.frombuffer(image.constBits(), np.uint8).reshape(self._band, image.bytesPerLine())
        band = lines[:, : wide * 3].reshape(self._band, wide, 3)
        return np.concatenate([hall, band])


def clock_words(scenario: Scenario, t_s: float, *, full: bool = False) -> str:
    """Return a time of the run: with its day where the run has several, or `full`."""
    at = scenario.start + timedelta(seconds=math.floor(t_s))
    if full:
        return f"{at:%A} {at.day} {at:%B, %H:%M:%S}"
    return f"{at:%H:%M:%S}" if scenario.duration_s <= _DAY_S else f"{at:%a} {at.day} {at:%b, %H:%M:%S}"


def _say(
    painter: QPainter,
    room: QRectF,
    words: str,
    colour: str,
    px: float,
    *,
    bold: bool,
    to: Qt.AlignmentFlag,
    wrap: bool = False,
) -> None:
    """Write words in a room, smaller where they do not fit."""
    flags = int(to | Qt.AlignmentFlag.AlignVCenter) | (int(Qt.TextFlag.TextWordWrap) if wrap else 0)
    font = QFont()
    font.setFamilies(["Inter", "Noto Sans", "DejaVu Sans"])
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    painter.setPen(QColor(colour))
    for share in (1.0, 0.9, 0.8, 0.7, 0.6):
        font.setPixelSize(max(round(px * share), 8))
        painter.setFont(font)
        if painter.boundingRect(room, flags, words).height() <= room.height() + 1:
            break
    painter.drawText(room, flags, words)
