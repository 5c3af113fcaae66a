"""A run in other programs' formats: series as CSV or OpenMetrics text, jobs and events as a Chrome / Perfetto trace.

Everything is written as it is read, a block or some hundred entities at a time, however long the run is.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TextIO
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from numpy.typing import NDArray

from twin.plant.build import build
from twin.record.channels import CHANNELS, SERIES_CHANNELS, Channel, State
from twin.record.event_kinds import kind_of
from twin.record.event_kinds.kind import JobTurn
from twin.record.reader import Reader
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.scene_catalog import catalog_of
from twin.shown_text import in_cell, in_json, printable

Progress = Callable[[float, float], None]
_ENTITIES = 256
"""Entities whose whole curves are held at once."""
_PIECE = 5000
_VALUES = 4 * 10**7
"""Values of single GPUs that are held at once."""


class NoSuchChannel(ValueError):
    """No run file has the requested channel; the message is one sentence for people."""


@dataclass(frozen=True)
class ExportRequest:
    """The request for an export, in any format.

    Parameters
    ----------
    reader
        Of the run.
    channels
        Channels of the curves.
    progress
        Called with the amount read, and the whole amount.
    every_s
        Interval between values of single GPUs [s]; None: every sample.
    """

    reader: Reader
    channels: Sequence[Channel]
    progress: Progress | None = None
    every_s: float | None = None


def channels_named(names: Sequence[str]) -> tuple[Channel, ...]:
    """Return the channels of some names: an id (rack.power_w), a kind of entity (rack), or "all".

    Channels of GPUs would be too much to ask for by "all", and are left out of it.

    Raises
    ------
    NoSuchChannel
        When a name is none of these.
    """
    wanted: list[Channel] = []
    exported = (*SERIES_CHANNELS, *(channel for channel in CHANNELS if channel.dcgm))
    for name in names:
        found = [channel for channel in exported if name in (channel.id, channel.entity)]
        if name == "all":
            found = list(SERIES_CHANNELS)
        if not found:
            kinds = ", ".join(dict.fromkeys(channel.entity for channel in exported))
            raise NoSuchChannel(
                f"no run keeps a channel {name!r}; name one such as rack.power_w, or a kind: {kinds}"
            )
        wanted += found
    return tuple(dict.fromkeys(wanted))


def write_csv(asked: ExportRequest, to: TextIO) -> int:
    """Write a row for each value: time [s], time of the scene, channel, entity, value, unit; return the rows."""
    out = csv.writer(to, lineterminator="\n")
    out.writerow(("time_s", "time", "channel", "entity", "value", "unit"))
    clock = _clock(asked.reader)
    rows = 0
    for channel, ids, t_s, values in pieces(asked):
        for place, at_s in enumerate(t_s.tolist()):
            stamp = clock(at_s).isoformat(timespec="milliseconds")
            column = values[:, place]
            known = np.flatnonzero(np.isfinite(column)).tolist()
            out.writerows(
                (f"{at_s:.3f}", stamp, channel.id, in_cell(ids[slot]), f"{column[slot]:.9g}", channel.unit)
                for slot in known
            )
            rows += len(known)
    return rows


def write_openmetrics(asked: ExportRequest, to: TextIO) -> int:
    """Write gauges with Unix times; GPUs under the names of DCGM's fields; return the number of samples.

    References
    ----------
    OpenMetrics 1.0: families stand together, within them the points of one entity, by time; ``# EOF`` ends it.
    """
    start_s = _clock(asked.reader)(0.0).timestamp()
    count = 0
    for channel in asked.channels:
        name = channel.dcgm or f"twin_{channel.entity}_{channel.name}"
        unit = f" [{channel.unit}]" if channel.unit else ""
        to.write(f"# TYPE {name} gauge\n# HELP {name} {channel.title}{unit}\n")
        for labels, t_s, values in _curves(asked, channel):
            known = np.isfinite(values)
            lines = [
                f"{name}{labels} {value:.9g} {start_s + at_s:.3f}\n"
                for at_s, value in zip(t_s[known].tolist(), values[known].tolist(), strict=True)
            ]
            to.writelines(lines)
            count += len(lines)
    to.write("# EOF\n")
    return count


def write_trace(asked: ExportRequest, to: TextIO) -> int:
    """Write a trace: a track for each job with its states, one for each kind of event, counters; return the entries.

    States of jobs change at the samples of the run, events stand at their exact times. Time runs in microseconds.

    References
    ----------
    Trace Event Format of Chrome, which Perfetto reads.
    """
    count = 0
    to.write('{"displayTimeUnit":"ms","traceEvents":[\n')
    for entry in _trace(asked):
        text = in_json(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
        to.write((",\n" if count else "") + text)
        count += 1
    to.write("\n]}\n")
    return count


_JOBS, _EVENTS, _COUNTERS = 1, 2, 3
_US = 1e6
_BECOMES = {
    JobTurn.QUEUED: "queued",
    JobTurn.STARTING: "starting",
    JobTurn.CLOUD: "starting",
    JobTurn.RUNNING: "running",
    JobTurn.STOPPED: "interrupted",
}
"""How a track calls what a job is; nothing of what is over."""


def _trace(asked: ExportRequest) -> Iterator[dict[str, object]]:
    reader = asked.reader
    for number, name in ((_JOBS, "jobs"), (_EVENTS, "events"), (_COUNTERS, "site")):
        yield {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}}
    for number, id in enumerate(ids_of(reader, "job")):
        yield {"ph": "M", "pid": _JOBS, "tid": number, "name": "thread_name", "args": {"name": id}}
    yield from _spans(asked)
    kinds: dict[str, int] = {}
    row = 0
    while events := reader.events(row, _PIECE):
        row = events[-1].row + 1
        for event in events:
            if event.kind not in kinds:
                kinds[event.kind] = len(kinds)
                name = kind_of(event.kind).title
                yield {
                    "ph": "M",
                    "pid": _EVENTS,
                    "tid": kinds[event.kind],
                    "name": "thread_name",
                    "args": {"name": name},
                }
            yield {
                "ph": "i",
                "s": "t",
                "pid": _EVENTS,
                "tid": kinds[event.kind],
                "ts": event.t_s * _US,
                "name": f"{event.kind} {event.subject}",
                "cat": event.severity.name.lower(),
                "args": {"text": event.text, **event.data},
            }
    for channel, ids, t_s, values in pieces(asked):
        for entity, curve in zip(ids, values, strict=True):
            name = f"{channel.id} {entity}"
            for at_s, value in zip(t_s.tolist(), curve.tolist(), strict=True):
                if math.isfinite(value):
                    yield {
                        "ph": "C",
                        "pid": _COUNTERS,
                        "ts": at_s * _US,
                        "name": name,
                        "args": {channel.unit or "value": value},
                    }


def _spans(asked: ExportRequest) -> Iterator[dict[str, object]]:
    """Yield the spans of states of each job from its events, which are exact in time, unlike samples."""
    reader = asked.reader
    jobs = {id: number for number, id in enumerate(ids_of(reader, "job"))}
    since: dict[int, tuple[float, str]] = {}
    row = 0
    while events := reader.events(row, _PIECE):
        row = events[-1].row + 1
        for event in events:
            job = jobs.get(event.subject)
            turn = kind_of(event.kind).job
            if job is None or turn is None:
                continue
            name = _BECOMES.get(turn, "")
            before = since.pop(job, None)
            if before is not None and before[1] == name:
                since[job] = before
                continue
            yield from _span(job, before, event.t_s)
            if name:
                since[job] = event.t_s, name
    for job, before in since.items():
        yield from _span(job, before, reader.t_end_s)


def _span(job: int, since: tuple[float, str] | None, until_s: float) -> Iterator[dict[str, object]]:
    if since is not None and until_s > since[0]:
        yield {
            "ph": "X",
            "pid": _JOBS,
            "tid": job,
            "ts": since[0] * _US,
            "dur": (until_s - since[0]) * _US,
            "name": since[1],
        }


# --- reading


def pieces(
    asked: ExportRequest,
) -> Iterator[tuple[Channel, Sequence[str], NDArray[np.float64], NDArray[np.float32]]]:
    """Yield (channel, ids, times [s], entities x samples), channel by channel, a block at a time."""
    reader, channels, progress = asked.reader, asked.channels, asked.progress
    layout, end_s = reader.header.layout, reader.t_end_s
    for number, channel in enumerate(channels):
        if channel.dcgm:
            names = [f"{node}/{index}" for node, index in gpu_names(reader)]
            for at_s in gpu_times(reader, asked.every_s).tolist():
                row = gpu_values(reader, channel, at_s)
                yield channel, names[: len(row)], np.array([at_s]), row[:, None]
            continue
        ids, after_s = ids_of(reader, channel.entity), -1.0
        while True:
            t_s, found = reader.samples((channel.id,), after_s, 1, layout)
            if not len(t_s) or channel.id not in found:
                break
            yield channel, ids, t_s, found[channel.id]
            after_s = float(t_s[-1])
            if progress is not None:
                progress(
                    (number + min(1.0, after_s / end_s if end_s else 1.0)) * end_s, len(channels) * end_s
                )


def _curves(
    asked: ExportRequest, channel: Channel
) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float32]]]:
    """Yield (labels, times [s], values) of each entity; some hundred of them are held at once."""
    if channel.dcgm:
        yield from _gpu_curves(asked.reader, channel, asked.every_s)
        return
    ids = ids_of(asked.reader, channel.entity)
    for first in range(0, len(ids), _ENTITIES):
        times, parts = [np.zeros(0)], [np.zeros((len(ids[first : first + _ENTITIES]), 0), np.float32)]
        for _, _, t_s, values in pieces(replace(asked, channels=(channel,))):
            times.append(t_s)
            parts.append(values[first : first + _ENTITIES])
        t_s, values = np.concatenate(times), np.concatenate(parts, axis=1)
        for place, curve in enumerate(values):
            yield f'{{{channel.entity}="{_escaped(ids[first + place])}"}}', t_s, curve


def gpu_times(reader: Reader, every_s: float | None) -> NDArray[np.float64]:
    """Return the times at which single GPUs are exported [s]: of every sample, or about every `every_s` [s]."""
    times = reader.sample_times()
    if not every_s or not len(times):
        return times
    grid = np.arange(times[0], times[-1] + 0.5 * every_s, every_s)
    return times[np.unique(np.searchsorted(times, grid, "right") - 1)]


def gpu_values(reader: Reader, channel: Channel, t_s: float) -> NDArray[np.float32]:
    """Return one channel of all GPUs at a sample; nan: not present."""
    frame = reader.frame(t_s)
    values: NDArray[np.float32] = frame.values[channel.id].astype(np.float32)
    values[frame.values["gpu.state"] == State.ABSENT] = np.nan
    return values


def gpu_names(reader: Reader) -> list[tuple[str, int]]:
    """Return (node, index in it) of each GPU."""
    node, index = reader.gpu_places()
    names = ids_of(reader, "node")
    return [(names[n], i) for n, i in zip(node.tolist(), index.tolist(), strict=True)]


def _gpu_curves(
    reader: Reader, channel: Channel, every_s: float | None
) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float32]]]:
    names, times, models = gpu_names(reader), gpu_times(reader, every_s), _gpu_models(reader)
    at_once = max(1, _VALUES // max(len(times), 1))
    for first in range(0, len(names), at_once):
        gpus = names[first : first + at_once]
        table = np.full((len(times), len(gpus)), np.nan, np.float32)
        for row, t_s in zip(table, times.tolist(), strict=True):
            values = gpu_values(reader, channel, t_s)[first : first + at_once]
            row[: len(values)] = values  # later edits may have brought more
        for place, (node, index) in enumerate(gpus):
            yield _gpu_labels(node, index, models.get(node, "")), times, table[:, place]


def _gpu_labels(node: str, index: int, model: str) -> str:
    """Return the labels of a GPU as dcgm-exporter writes them: the host as it is called since May 2026 and before."""
    host, uuid = _escaped(node), uuid5(NAMESPACE_URL, f"gpu-twin:{node}/{index}")
    return (
        f'{{gpu="{index}",UUID="GPU-{uuid}",device="nvidia{index}",modelName="{_escaped(model)}",'
        f'hostname="{host}",Hostname="{host}"}}'
    )


def _gpu_models(reader: Reader) -> dict[str, str]:
    """Return the GPU model of each node of the scene at its start."""
    catalog = catalog_of(reader.header.scenario)
    plant = build(reader.header.scenario, catalog)
    titles = [f"{part.vendor} {part.title}" for part in map(catalog.gpu, plant.gpu_parts)]
    part = plant.gpus.part[np.minimum(plant.nodes.gpu_first, len(plant.gpus.part) - 1)]
    return {node: titles[gpu] for node, gpu in zip(plant.nodes.ids, part.tolist(), strict=True)}


def ids_of(reader: Reader, entity: str) -> Sequence[str]:
    """Return the ids of a kind of entity, as many as the layout counts."""
    header = reader.header
    known = header.ids.get(entity, ())  # type: ignore[call-overload]
    if entity == "job" and not known:
        known = tuple(job.id for job in jobs_of(header.scenario))
    count = header.layout.counts.get(entity, 0)  # type: ignore[call-overload]
    return [*known[:count], *(f"{entity} {number}" for number in range(len(known), count))]


def _clock(reader: Reader) -> Callable[[float], datetime]:
    start = reader.header.scenario.start
    return lambda at_s: start + timedelta(seconds=at_s)


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class NoParquet(ValueError):
    """pyarrow is not installed; the message is one sentence for people."""


def arrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raises `NoParquet` when it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise NoParquet(
            "writing Parquet needs pyarrow, which is not installed: pip install 'gpu-twin[analysis]'"
        ) from None
    return pyarrow, parquet


def write_parquet(asked: ExportRequest, to: Path) -> int:
    """Write a row for each value, as `write_csv` does; return the rows.

    Raises
    ------
    NoParquet
        When pyarrow is not installed.
    """
    pa, parquet = arrow()
    words = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("time_s", pa.float64()),
            ("time", pa.timestamp("ms", tz="UTC")),
            ("channel", words),
            ("entity", words),
            ("value", pa.float64()),
            ("unit", words),
        ]
    )
    start = asked.reader.header.scenario.start
    rows = 0
    with parquet.ParquetWriter(to, schema, compression="zstd") as out:
        for channel, ids, t_s, values in pieces(asked):
            known = np.isfinite(values)
            entity, sample = np.nonzero(known)
            stamps = [start + timedelta(seconds=at_s) for at_s in t_s.tolist()]
            same = np.zeros(len(entity), np.int32)
            out.write_batch(
                pa.record_batch(
                    [
                        pa.array(t_s[sample]),
                        pa.array(stamps, pa.timestamp("ms", tz="UTC")).take(pa.array(sample)),
                        pa.DictionaryArray.from_arrays(same, pa.array([channel.id])),
                        pa.DictionaryArray.from_arrays(entity.astype(np.int32), pa.array(list(ids))),
                        pa.array(values[known].astype(np.float64)),
                        pa.DictionaryArray.from_arrays(same, pa.array([channel.unit])),
                    ],
                    schema=schema,
                )
            )
            rows += len(entity)
    return rows
