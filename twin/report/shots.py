"""Pictures of a recorded run at any of its times."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

import numpy as np

from twin.arrays import Bytes
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.report.halls import RecordedHalls
from twin.report.run_report import ReportPicture
from twin.report.studio import Shot, Studio, about, png


class Shots:
    """Takes pictures of one run, one after another, with one view.

    Parameters
    ----------
    reader
        Of its file.
    shot
        How they are taken.

    Raises
    ------
    NoPicture
        When there is no such channel; `rgb` also when nothing can be drawn here.
    """

    def __init__(self, reader: Reader, shot: Shot) -> None:
        self._reader, self._halls = reader, RecordedHalls(reader)
        self._studio = Studio(shot, reader.header.seed)

    def __enter__(self) -> Shots:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free what draws."""
        self._studio.close()

    def rgb(self, t_s: float) -> tuple[Bytes, Frame]:
        """Return the picture of the last sample at or before `t_s` [s], and its frame."""
        frame = self._reader.frame(t_s)
        scenario, plant = self._halls.at(frame.layout.epoch)
        return self._studio.picture(scenario, plant, frame), frame

    def sample_s(self, t_s: float) -> float:
        """Return the time of the sample that a time is shown by [s]."""
        times = self._reader.sample_times()
        place = int(np.searchsorted(times, t_s, side="right")) - 1
        return float(times[max(place, 0)])

    def png(self, t_s: float) -> bytes:
        """Return the same as a PNG file that says what made it."""
        rgb, frame = self.rgb(t_s)
        return png(rgb, about(self._reader, frame.t_s))


def pictures(reader: Reader, times: Iterable[tuple[float, str]], shot: Shot) -> list[ReportPicture]:
    """Return pictures of a run at times [s], each with its title; raises as `Shots`."""
    with Shots(reader, shot) as shots:
        return [ReportPicture(shots.png(t_s), title) for t_s, title in times]
