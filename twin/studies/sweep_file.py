"""The sweep file: results appended as they come, readable meanwhile, and whole after whatever ended the program.

Each line is the CRC-32 of a record in eight hexadecimal digits, a blank, and the record as JSON; the header comes
first. A last line that was torn is dropped. Files come from strangers: their size, lines and counts are limited.
"""

from __future__ import annotations

import os
import sys
import time
from math import inf
from pathlib import Path
from typing import BinaryIO, Self, TypeVar
from zlib import crc32

from pydantic import ValidationError

from twin.record.state_folder import STUDY_SUFFIX
from twin.scenario.schema.base import DocumentPart
from twin.shown_text import one_line
from twin.studies.study_error import StudyError
from twin.studies.sweep_records import (
    MOST_RUNS,
    PointRecord,
    RunRecord,
    SweepContents,
    SweepHeader,
)

SUFFIX = STUDY_SUFFIX
MOST_BYTES = 400_000_000
MOST_LINE = 1_000_000
_Record = TypeVar("_Record", bound=DocumentPart)
_SYNC_S = 1.0
"""What a failure of power may cost, beside what was running [s]; the end of the program costs nothing."""
_TITLES = {
    "model": "the revision of the model",
    "inputs": "the scene or the catalogue",
    "settings": "the changes by --set",
    "keys": "the keys that vary",
    "design": "the design",
    "points": "the number of points",
    "base": "the point that stands",
    "seeds": "the seeds",
    "until_s": "the end of the runs",
}


class SweepFile:
    """The results of a sweep, and the file that they are appended to; close it, or use it in a ``with``.

    Parameters
    ----------
    header
        What the sweep is of.
    path
        The file; one that is there is continued. None: results are kept in memory alone.

    Raises
    ------
    StudyError
        When the file is none, holds another sweep, or is being written by another program.
    OSError
        When the disk refuses.
    """

    def __init__(self, header: SweepHeader, path: Path | None = None) -> None:
        self.path = path
        self.contents = SweepContents(header)
        self._file: BinaryIO | None = None
        self._synced_s = time.monotonic()
        if path is None:
            return
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b")
        try:
            _lock(file, path)
            self._begin(file, path)
        except BaseException:
            file.close()
            raise
        self._file = file

    def _begin(self, file: BinaryIO, path: Path) -> None:
        first = _line(self.contents.header)
        if len(first) > MOST_LINE:
            raise StudyError("the values of the keys that vary are too long for a sweep")
        there = file.read(len(first) + 1)
        if first.startswith(there):  # empty, or ended within its header
            file.seek(0)
            file.truncate()
            file.write(first)
            file.flush()
            os.fsync(file.fileno())
            return
        reader = SweepReader(path)
        reader.read_on()
        found = reader.contents
        other = [
            title
            for name, title in _TITLES.items()
            if getattr(found.header, name) != getattr(self.contents.header, name)
        ]
        if other:
            raise StudyError(
                f"{path} holds another sweep: {', '.join(other)} differ; name another file with --out"
            )
        self.contents = found
        file.seek(reader.end)
        file.truncate()

    def add(self, record: PointRecord | RunRecord) -> None:
        """Keep a record, and append it to the file; one that is there already is not counted again."""
        if not self.contents.take(record) or self._file is None:
            return
        self._file.write(_line(record))
        self._file.flush()
        if time.monotonic() - self._synced_s > _SYNC_S:
            self._sync()

    def close(self) -> None:
        """Flush the file to the disk, and leave it to others."""
        if self._file is not None:
            self._sync()
            self._file.close()
            self._file = None

    def _sync(self) -> None:
        assert self._file is not None
        os.fsync(self._file.fileno())
        self._synced_s = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SweepReader:
    """A sweep that is read from its file, and read on as another program writes it.

    Parameters
    ----------
    path
        The file.

    Attributes
    ----------
    contents
        What was read so far.
    is_whole
        Whether all records that were there have been read.

    Raises
    ------
    StudyError
        When the file is no sweep, is damaged, or larger than a sweep can be.
    OSError
        When it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            _must_be_small(file, path)
            line = file.readline(MOST_LINE)
        wrong = f"{path} is no sweep of this program"
        try:
            body = _body(line)
        except ValueError:
            raise StudyError(wrong) from None
        self.contents = SweepContents(_record(SweepHeader, body, wrong))
        self._end, self._lines, self.is_whole = len(line), 1, False

    @property
    def end(self) -> int:
        """Return where the last whole record ends."""
        return self._end

    def read_on(self, longest_s: float = inf) -> bool:
        """Take the records that have come, for so long at most [s]; return whether there were any."""
        until_s, before = time.monotonic() + longest_s, self._end
        with self._path.open("rb") as file:
            _must_be_small(file, self._path)
            if file.seek(0, os.SEEK_END) < before:
                raise StudyError(f"{self._path} has been written anew")
            file.seek(before)
            self.is_whole = False
            while line := file.readline(MOST_LINE):
                if time.monotonic() > until_s:
                    return self._end > before
                if not self._take(line, file):
                    break
        self.is_whole = True
        return self._end > before

    def _take(self, line: bytes, file: BinaryIO) -> bool:
        """Take a record; return whether it was whole."""
        damaged = f"{self._path}:{self._lines + 1}: is damaged"
        try:
            body = _body(line)
        except ValueError:
            if (line.endswith(b"\n") or len(line) == MOST_LINE) and file.read(1):
                raise StudyError(damaged) from None
            return False  # torn, or being written
        if b'"values":' in body:
            point, keys = _record(PointRecord, body, damaged), len(self.contents.header.keys)
            if len(point.values) not in (0, keys):
                raise StudyError(f"{damaged}: a point has {len(point.values)} of {keys} values")
            self.contents.take(point)
        else:
            self.contents.take(_record(RunRecord, body, damaged))
        if len(self.contents.runs) > MOST_RUNS:
            raise StudyError(f"{self._path} holds more than {MOST_RUNS:,} runs, too many for a sweep")
        self._end, self._lines = self._end + len(line), self._lines + 1
        return True


def read_sweep(path: Path) -> SweepContents:
    """Return a sweep with the results so far; a file may be read while it is written. Raises as `SweepReader`."""
    reader = SweepReader(path)
    reader.read_on()
    return reader.contents


def _must_be_small(file: BinaryIO, path: Path) -> None:
    if os.fstat(file.fileno()).st_size > MOST_BYTES:
        raise StudyError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB, too large for a sweep")


def _record(kind: type[_Record], body: bytes, wrong: str) -> _Record:
    """Return a record; raises `StudyError` with the reason where it is none, whatever its sum says."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))
        reason = first["msg"].removeprefix("Value error, ")
        raise StudyError(f"{wrong}: {one_line(f'{key}: {reason}' if key else reason)}") from None


def _line(record: DocumentPart) -> bytes:
    body = record.model_dump_json().encode()
    return b"%08x %s\n" % (crc32(body), body)


def _body(line: bytes) -> bytes:
    """Return the record of a line; raises `ValueError` for one that is torn or damaged."""
    body = line[9:-1]
    if not line.endswith(b"\n") or line[:9] != b"%08x " % crc32(body):
        raise ValueError("is no whole record")
    return body


if sys.platform == "win32":
    import msvcrt

    def _held(file: BinaryIO) -> None:
        file.seek(MOST_BYTES * 2)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)

else:
    import fcntl

    def _held(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        _held(file)
    except OSError:
        raise StudyError(
            f"{path} is being written by another program; wait for it, or name another file"
        ) from None
