"""The run file: its tables, and all ways to create and open one."""

from __future__ import annotations

import os
import secrets
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

APPLICATION_ID = 0x54574E52  # "TWNR"
FORMAT_VERSION = 2
READ_VERSIONS = (1, 2)
"""Version 1 has the same tables; it holds nothing of single GPUs, and the ledger at a few times only."""
_MAGIC = b"SQLite format 3\x00"
_FOLDED = b"\x01\x01"
"""What SQLite writes into a file that has no log."""
MAX_BLOB_BYTES = 256 * 2**20
"""Longest text or blob that is read from a run file [B]."""

ORIGINS = ("simulated", "measured", "imported")
"""What a series may be."""

SCHEMA: tuple[str, ...] = (
    "CREATE TABLE header(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE events(row INTEGER PRIMARY KEY, t REAL NOT NULL, kind TEXT NOT NULL,"
    " subject TEXT NOT NULL, severity INTEGER NOT NULL, text TEXT NOT NULL, data TEXT NOT NULL)",
    "CREATE TABLE blocks(id INTEGER PRIMARY KEY, t0 REAL NOT NULL, t1 REAL NOT NULL, "
    "samples INTEGER NOT NULL, times BLOB NOT NULL)",
    "CREATE TABLE series(block INTEGER NOT NULL, channel TEXT NOT NULL, data BLOB NOT NULL,"
    " origin TEXT NOT NULL DEFAULT 'simulated' CHECK(origin IN ('simulated', 'measured', 'imported')),"
    " PRIMARY KEY(block, channel))",
    "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, t REAL NOT NULL, events INTEGER NOT NULL,"
    " hash TEXT NOT NULL, rolling INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE ledger(t REAL NOT NULL, account TEXT NOT NULL, gpu_s REAL NOT NULL,"
    " PRIMARY KEY(t, account))",
    "CREATE TABLE markers(id INTEGER PRIMARY KEY, t REAL NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,"
    " data TEXT NOT NULL)",
    "CREATE TABLE progress(id INTEGER PRIMARY KEY CHECK(id = 1), t REAL NOT NULL, events INTEGER NOT NULL,"
    " hash TEXT NOT NULL, summary TEXT)",
)


_WRITES = ("make", "write", "close")
"""What is done to a run file where its bytes go to the disk."""


class RunFileError(Exception):
    """A run file cannot be read or written; the message is one sentence for people."""


class NoDetail(RunFileError):
    """A run file holds no data of single GPUs, so that there are no pictures of it."""


@contextmanager
def of_part(name: str) -> Iterator[None]:
    """Name the part of a run file in errors about it."""
    try:
        yield
    except RunFileError as error:
        raise type(error)(f"{name} cannot be read: {error}") from error


@contextmanager
def explained(path: Path, doing: str) -> Iterator[None]:
    """Turn errors of SQLite and the system about `path` into one sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise RunFileError(f"{path}: {_sentence(error, doing)}") from error
    except UnicodeDecodeError as error:  # SQLite's own complaint quotes a damaged schema
        raise RunFileError(f"{path}: the run file is damaged or truncated") from error
    except OSError as error:
        if not path.parent.is_dir():
            raise RunFileError(f"{path}: no folder {path.parent}; create it first") from error
        raise RunFileError(f"{path}: cannot {doing} it: {error.strerror or error}") from error


def _sentence(error: sqlite3.DatabaseError, doing: str) -> str:
    text = str(error)
    if "not a database" in text:
        return "this is not a run file"
    if "disk I/O error" in text and doing in _WRITES:
        return f"cannot {doing} the run file: the disk is full, or the file has its maximum size"
    if "malformed" in text or "disk I/O error" in text:
        return "the run file is damaged or truncated"
    if "locked" in text or "busy" in text:
        return "another program is writing this run file"
    if "full" in text:
        return "the disk is full, so the run cannot be recorded"
    return f"cannot {doing} the run file: {text}"


def create(path: Path, header: Mapping[str, str]) -> sqlite3.Connection:
    """Make a run file with its header at `path`, in the place of an older one, and return it open in WAL mode.

    It is made beside its place and moved there whole, so that nobody finds half a one; only its owner may read it.

    Raises
    ------
    RunFileError
        When something else than a run file is there, or the folder cannot be written.
    """
    partial = path.with_name(f".{path.name}.part")
    with explained(path, "make"):
        if path.exists() and path.stat().st_size > 0:
            _must_be_ours(path)
        for name in (partial, *sidecar_paths(partial)):
            name.unlink(missing_ok=True)  # of one who was stopped
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with closing(sqlite3.connect(partial, isolation_level=None)) as file:
                file.execute("PRAGMA page_size=8192")
                file.execute(f"PRAGMA application_id={APPLICATION_ID}")
                file.execute(f"PRAGMA user_version={FORMAT_VERSION}")
                file.execute("BEGIN")
                for statement in SCHEMA:
                    file.execute(statement)
                file.executemany("INSERT INTO header VALUES (?, ?)", header.items())
                file.execute("INSERT INTO progress VALUES (1, 0.0, 0, '', NULL)")
                file.execute("COMMIT")
                mark(file)
            for name in sidecar_paths(path):
                name.unlink(missing_ok=True)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        file = sqlite3.connect(path, isolation_level=None)
        _writing(file)
    return file


def mark(file: sqlite3.Connection) -> None:
    """Give a run file that has no log a number of its own, on its first page; copies want another."""
    file.execute(f"PRAGMA schema_version={secrets.randbelow(2**31 - 1) + 1}")


def mark_log(file: sqlite3.Connection) -> None:
    """Write the first page in the next commit, so that the log shows to which file it belongs."""
    file.execute(f"PRAGMA user_version={FORMAT_VERSION}")


def reopen(path: Path) -> sqlite3.Connection:
    """Open a run file that a dead process left, to write on."""
    with explained(path, "open"):
        if not path.is_file():
            raise RunFileError(f"{path}: there is no such run file")
        file = sqlite3.connect(path, isolation_level=None)
        check(file, path)
        if file.execute("PRAGMA user_version").fetchone()[0] != FORMAT_VERSION:
            file.close()
            raise RunFileError(
                f"{path}: an older version wrote this run file; it can be read but not resumed"
            )
        _writing(file)
    return file


def fold(file: sqlite3.Connection) -> None:
    """Make the run file one single file again, when nobody reads it at this moment, and close it."""
    with closing(file):
        file.execute("PRAGMA busy_timeout=100")
        try:
            file.execute("PRAGMA journal_mode=DELETE").fetchone()
        except sqlite3.OperationalError:  # somebody reads it: stays as it is, complete and readable
            return


def open_foreign(path: Path) -> sqlite3.Connection:
    """Open any file read-only as a run file that may come from a stranger.

    Raises
    ------
    RunFileError
        When it is no whole run file of a version this program knows.
    """
    with explained(path, "open"):
        if not path.is_file():
            raise RunFileError(f"{path}: there is no such run file")
        log = sidecar_paths(path)[0]
        if _look(path) and log.exists() and log.stat().st_size:
            # A run file that was folded has no log: this one is of another file, and SQLite would believe it.
            return _alone(path)
        address = path.resolve().as_uri()
        try:
            file = _checked(sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None), path)
        except sqlite3.OperationalError as error:
            if "unable to open" not in str(error) and "readonly" not in str(error):
                raise
            return _alone(
                path
            )  # WAL mode in a folder that cannot be written: nobody can be writing the file either
        if log.exists():
            _must_belong(file, path, log)
        return file


def _alone(path: Path) -> sqlite3.Connection:
    """Open a run file as it is, without the files beside it."""
    address = path.resolve().as_uri()
    return _checked(sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None), path)


def _must_belong(file: sqlite3.Connection, path: Path, log: Path) -> None:
    """Refuse a log that makes another run of the file than it was made for; older files have no header of their own."""
    try:
        with closing(_alone(path)) as alone:
            own = _named(alone)
    except (RunFileError, sqlite3.DatabaseError):
        return
    try:
        seen = _named(file)
    except sqlite3.DatabaseError:
        seen = []
    if len(own) > 1 and own != seen:
        file.close()
        raise RunFileError(
            f"{path}: the log {log.name} beside it belongs to another run; move it away to read this one"
        )


def _named(file: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the identity of a run file: the number on its first page, and rows of its header."""
    keys = "('created', 'seed', 'inputs_hash', 'end_s')"
    rows = file.execute(f"SELECT key, value FROM header WHERE key IN {keys} ORDER BY key").fetchall()
    return [*file.execute("PRAGMA schema_version").fetchall(), *rows]


def _look(path: Path) -> bool:
    """Return whether a file was folded; refuse a file that is no database, or ends before its last page.

    SQLite itself notices a missing page only when it comes to it.
    """
    with path.open("rb") as raw:
        head = raw.read(32)
    if head[:16] != _MAGIC:
        raise RunFileError(f"{path}: this is not a run file")
    page_bytes = int.from_bytes(head[16:18], "big") or 1
    whole = (65536 if page_bytes == 1 else page_bytes) * int.from_bytes(head[28:32], "big")
    folded = head[18:20] == _FOLDED
    closed = folded or not sidecar_paths(path)[0].exists()  # else pages may still lie in the log
    if closed and path.stat().st_size < whole:
        raise RunFileError(
            f"{path}: this run file is truncated: {path.stat().st_size:,} of {whole:,} bytes are there"
        )
    return folded


def check(file: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a run file: foreign tables, views and triggers, a newer version."""
    file.execute("PRAGMA trusted_schema=OFF")
    file.execute("PRAGMA cell_size_check=ON")
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BLOB_BYTES)
    file.text_factory = _text
    if file.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise RunFileError(f"{path}: this is not a run file")
    version = file.execute("PRAGMA user_version").fetchone()[0]
    if version not in READ_VERSIONS:
        raise RunFileError(
            f"{path}: this run file has format version {version}, this program reads versions 1 to {FORMAT_VERSION}"
        )
    found = {row[0] for row in file.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 100")}
    if found != set(SCHEMA):
        raise RunFileError(f"{path}: its tables are not those of a run file of version {version}")


def sidecar_paths(path: Path) -> tuple[Path, Path, Path]:
    """Return the files SQLite may keep beside `path`."""
    return Path(f"{path}-wal"), Path(f"{path}-shm"), Path(f"{path}-journal")


def _checked(file: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    try:
        check(file, path)
    except (RunFileError, sqlite3.DatabaseError, UnicodeDecodeError):
        file.close()
        raise
    return file


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")  # a damaged letter is no reason to lose a run


def _must_be_ours(path: Path) -> None:
    """Refuse to replace a file that never was a run file; a damaged or just begun run file may be replaced."""
    with path.open("rb") as raw:
        head = raw.read(100)
    begun = head[68:72] == bytes(4) and int.from_bytes(head[28:32], "big") <= 1  # a database without a table
    if not head.startswith(_MAGIC) or not (begun or int.from_bytes(head[68:72], "big") == APPLICATION_ID):
        raise RunFileError(f"{path}: a file exists already, and it is not a run file")


def _writing(file: sqlite3.Connection) -> None:
    file.execute("PRAGMA journal_mode=WAL").fetchone()
    # In WAL mode NORMAL survives a killed process whole, a power cut up to the last checkpoint of the log.
    file.execute("PRAGMA synchronous=NORMAL")
    file.execute("PRAGMA cache_size=-4000")
    if sys.platform == "darwin":
        file.execute("PRAGMA checkpoint_fullfsync=ON")
