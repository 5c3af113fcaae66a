"""A run that was recorded: its summary, curves, events, ledger, frames and pictures."""

from __future__ import annotations

import math
import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from twin.analysis.export import gpu_names, ids_of
from twin.api.arguments import Texts, Time, path_of, seconds_of, texts_of
from twin.api.errors import BadInput, as_arguments, warn
from twin.api.older import tell_if_older
from twin.record.channels import BY_ID, SERIES_CHANNELS, Channel, Entity
from twin.record.event_kinds import KINDS
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.record.ledger_reading import LedgerRange
from twin.record.reader import Reader
from twin.scenario.reading.validate import nearest
from twin.units import spoken

if TYPE_CHECKING:
    from twin.analysis.incidents import RunIncidents
    from twin.api.picture import HallPicture
    from twin.scenario import Scenario

_EVERY_SAMPLE = 2**31
_SHOWN = 12
"""Ids that a complaint names."""


@dataclass(frozen=True, eq=False)
class ChannelSeries:
    """How one figure of one item went: ``t_s, values = run.series(...)``, or an array of two columns.

    Parameters
    ----------
    id, channel
        Whose curve, and of what.
    title, unit
        Of the channel, such as "IT power" and "W".
    t_s
        Simulated times of the samples [s], float64, shape (N,).
    values
        The figure at each of them [unit], float64, shape (N,); not a number where it is unknown.
    """

    id: str
    channel: str
    title: str
    unit: str
    t_s: NDArray[np.float64] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape of the array: (samples, 2)."""
        return len(self.t_s), 2

    def __len__(self) -> int:
        return len(self.t_s)

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter((self.t_s, self.values))

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a curve is made into an array by copying it; leave copy=False out")
        return np.column_stack((self.t_s, self.values)).astype(dtype or np.float64, copy=False)


def open_run(path: str | os.PathLike[str]) -> Run:
    """Return the run of a ``*.twinrun`` file, which is only read.

    Parameters
    ----------
    path
        A file that ``twin run --out``, the window or `Run.save` wrote.

    Raises
    ------
    RunFileError
        When it is missing, damaged, no run file, or of a newer version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import twin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with twin.load("lab-16").run(until="1 h") as run:
    ...         run.save(Path(folder) / "hour.twinrun")
    ...     with twin.open_run(Path(folder) / "hour.twinrun") as again:
    ...         again.end_s
    3600.0
    """
    run = Run(Path(path_of(path, "path")))
    tell_if_older(run.reader, warn=warn)
    return run


class Run:
    """What was simulated, or is in a run file. Close it, or use it in a ``with``, to let go of its file.

    Parameters
    ----------
    path
        The run file.
    summary
        What ``twin run --json`` prints; None: what the file says.
    folder
        Deleted with the run; None: the file stays.
    """

    def __init__(
        self, path: Path, summary: Mapping[str, Any] | None = None, folder: Path | None = None
    ) -> None:
        self.reader = Reader(path)
        try:
            _ = self.reader.header
        except BaseException:
            self.reader.close()
            raise
        self._summary = None if summary is None else dict(summary)
        self._end = weakref.finalize(self, _put_away, self.reader, folder)

    def __repr__(self) -> str:
        return f"<Run of {self.scenario.title}, seed {self.seed}, {spoken(self.end_s)}>"

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; one that was not named by anybody is deleted."""
        self._end()

    @property
    def path(self) -> Path:
        """Return where the run file is."""
        return self.reader.path

    @property
    def scenario(self) -> Scenario:
        """Return the scene of the run as typed values in SI units."""
        return self.reader.header.scenario

    @property
    def seed(self) -> int:
        """Return the seed of all random draws."""
        return self.reader.header.seed

    @property
    def end_s(self) -> float:
        """Return how far the run came [s]."""
        return self.reader.t_end_s

    @property
    def event_hash(self) -> str:
        """Return the hash of its events: two runs with the same one are the same run."""
        return self.reader.event_hash

    @property
    def summary(self) -> dict[str, Any]:
        """Return the object of ``twin run --json``: goodput, ETTR, energy, jobs, the ledger; in SI units.

        Raises
        ------
        BadInput
            When the run in the file is not over.
        """
        found = self._summary if self._summary is not None else self.reader.summary
        if found is None:
            raise BadInput(
                f"{self.path}: this run is not over, so it has no summary; ask for frames or curves"
            )
        return found

    def ids(self, kind: Entity) -> tuple[str, ...]:
        """Return the ids of the items of a kind, in the order of the arrays of a frame.

        Parameters
        ----------
        kind
            "gpu", "node", "rack", "switch", "bundle", "store", "power", "loop", "hall", "plant", "job", "site".

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="1 h") as run:
        ...     run.ids("rack")
        ('gpu/0/0', 'gpu/0/1')
        """
        counts = self.reader.header.layout.counts
        if kind not in counts:
            raise BadInput(f"kind: there is no kind {kind!r} of items; there are {', '.join(counts)}")
        if kind == "gpu":
            return tuple(f"{node}/{place}" for node, place in gpu_names(self.reader))
        return ("site",) if kind == "site" else tuple(ids_of(self.reader, kind))

    def series(self, id: str, channel: str) -> ChannelSeries:
        """Return the curve of one figure of one item, every sample of it.

        Parameters
        ----------
        id
            Of the item, as `ids` has it: ``site``, ``gpu/0/1`` (a rack), ``llama3`` (a job).
        channel
            Such as ``site.it_w``, ``rack.power_w``, ``job.mfu``; `channels` has them all. Values are in its unit.

        Raises
        ------
        BadInput
            When there is no such channel, no curve of it, or no such item.

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="1 h") as run:
        ...     power = run.series("site", "site.it_w")
        >>> power.unit, bool(power.values.max() > 10_000)
        ('W', True)
        """
        found = BY_ID.get(channel)
        if found is None:
            raise BadInput(
                _unknown("channel", channel, [known_channel.id for known_channel in SERIES_CHANNELS])
            )
        if found not in SERIES_CHANNELS:
            raise BadInput(
                f"channel: {channel} of each {found.entity} is kept as frames; read run.frame(t).values[{channel!r}]"
            )
        ids = self.ids(found.entity)
        if id not in ids:
            raise BadInput(_unknown("id", id, ids, f" of a {found.entity}"))
        curve = self.reader.series(ids.index(id), channel, points=_EVERY_SAMPLE)
        return ChannelSeries(id, channel, found.title, found.unit, curve.t_s, curve.mean.astype(np.float64))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Return the channels that `series` takes, each with title, unit and kind of item."""
        return tuple(SERIES_CHANNELS)

    def events(
        self,
        kind: Texts = (),
        subject: str | None = None,
        least: Severity = Severity.INFO,
        t0: Time = 0.0,
        t1: Time = math.inf,
    ) -> tuple[Event, ...]:
        """Return what happened, in order.

        Parameters
        ----------
        kind
            Only these, such as "injected_failure" or ["failure", "job_resumed"].
        subject
            Only of this item or job.
        least
            Least severity.
        t0, t1
            Range of time, seconds or text, both ends included.

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="10 h") as run:
        ...     [(event.t_s, event.subject) for event in run.events("injected_failure")]
        [(32400.0, 'gpu/0/1/0')]
        """
        kinds = texts_of(kind, "kind")
        for name in kinds:
            if name not in KINDS:
                raise BadInput(_unknown("kind", name, KINDS))
        from_s, to_s = self._time(t0, "t0"), math.inf if t1 == math.inf else self._time(t1, "t1")
        return tuple(
            event
            for event in self.reader.all_events()
            if (not kinds or event.kind in kinds)
            and subject in (None, event.subject)
            and event.severity >= least
            and from_s <= event.t_s <= to_s
        )

    def ledger(self, t0: Time = 0.0, t1: Time | None = None, *, hindsight: bool = False) -> LedgerRange:
        """Return where the GPU time went: every GPU-second of the range in exactly one account.

        Parameters
        ----------
        t0, t1
            The range, seconds or text; `t1` None: the end of the run.
        hindsight
            Whether all that is recorded counts, so that work lost later is lost; else what was known at `t1`.

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="1 h") as run:
        ...     round(sum(run.ledger().gpu_s.values()))
        57600
        """
        from_s, to_s = self._time(t0, "t0"), self.end_s if t1 is None else self._time(t1, "t1")
        if from_s >= to_s:
            raise BadInput(f"t0: {spoken(from_s)} is not before t1, {spoken(to_s)}; give a range of time")
        return self.reader.ledger_range(from_s, self._within(to_s, "t1"), hindsight=hindsight)

    def incidents(self, t: Time | None = None) -> RunIncidents:
        """Return what failed up to a time, the jobs that stopped, and what each of these incidents cost them.

        Parameters
        ----------
        t
            Seconds or text: nothing later counts; None: the end of the run.

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="10 h") as run:
        ...     [(incident.title, incident.subject, incident.jobs) for incident in run.incidents().worst_first]
        [('Faulty GPU', 'gpu/0/1/0', ('llama3',))]
        """
        from twin.analysis.incidents import incidents_of

        known_s = self._within(self.end_s if t is None else self._time(t, "t"), "t")
        return incidents_of(self.reader, known_s)

    def frame(self, t: Time | None = None) -> Frame:
        """Return the whole picture as it was at the last sample at or before a time: each channel of every item.

        Parameters
        ----------
        t
            Seconds or text; None: the end of the run.

        Raises
        ------
        RunFileError
            When the file is damaged, or of before single GPUs were recorded.

        Examples
        --------
        >>> import twin
        >>> with twin.load("lab-16").run(until="1 h") as run:
        ...     run.frame("30 min").values["gpu.temp_c"].shape
        (16,)
        """
        return self.reader.frame(self._within(self.end_s if t is None else self._time(t, "t"), "t"))

    def picture(
        self,
        t: Time | None = None,
        *,
        camera: str = "overview",
        colour_by: str = "gpu.temp_c",
        cables: Literal["rail", "load"] = "rail",
        size: tuple[int, int] = (1600, 1000),
        theme: Literal["dark", "light", "contrast"] = "dark",
    ) -> HallPicture:
        """Return a picture of the hall; only this imports Qt, and it needs a display (Xvfb is one).

        Parameters
        ----------
        t
            Seconds or text; None: the end of the run.
        camera
            overview, row, top, aisle, close, or the id of an item to fly to.
        colour_by
            Channel of GPUs that the colours show.
        cables
            What colours the cables.
        size
            Width and height [px], each from 64 to 7680.
        theme
            Colours of the picture.

        Raises
        ------
        BadInput
            When an argument is wrong.
        NoDisplay
            When there is no display.
        NoPicture
            When nothing can be drawn here.
        """
        from twin.api.picture import taken

        at_s = self._within(self.end_s if t is None else self._time(t, "t"), "t")
        with as_arguments():
            return taken(self.reader, at_s, camera, colour_by, cables, size, theme)

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the run as one ``*.twinrun`` file, whole or not at all.

        Parameters
        ----------
        path
            Where; an older file there is kept, unless `replace` is set.

        Raises
        ------
        BadInput
            When a file is there.
        RunFileError
            When it cannot be written.
        """
        target = Path(path_of(path, "path"))
        if target.exists() and (not replace or target.samefile(self.path)):
            raise BadInput(f"path: {target} is there already; give another name, or replace=True")
        self.reader.save_copy(target)

    def _time(self, value: Time, name: str) -> float:
        """Return a time of the run [s]: seconds, a length, a date, a time of day, or "end"."""
        if isinstance(value, str):
            return seconds_of(value, name, self.scenario, self.end_s)
        return seconds_of(value, name)

    def _within(self, t_s: float, name: str) -> float:
        """Return a time unchanged; raises `BadInput` where the run ended before it."""
        if t_s > self.end_s:
            raise BadInput(
                f"{name}: {spoken(t_s)} is after the end of the run, {spoken(self.end_s)}; give a time before it"
            )
        return t_s


def _put_away(reader: Reader, folder: Path | None) -> None:
    reader.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _unknown(name: str, value: object, known: Sequence[str] | Mapping[str, Any], of: str = "") -> str:
    """Return the message for an unknown name, with similar names."""
    near = nearest(str(value), known)
    some = ", ".join(list(known)[:_SHOWN]) + (" ..." if len(known) > _SHOWN else "")
    return f"{name}: there is no {name} {value!r}{of}; " + (
        f"did you mean {near!r}?" if near else f"there are {some}"
    )
