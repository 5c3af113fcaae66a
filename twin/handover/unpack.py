"""A package that somebody handed over, unpacked: bounded, and nothing outside its folder. Files come from strangers."""

from __future__ import annotations

import lzma
import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from twin.handover.package import SCENE_FOLDER

SUFFIX = ".zip"
SCENE_SUFFIX = ".twin.yaml"
MOST_ENTRIES, MOST_BYTES, MOST_TOTAL = 2_000, 100_000_000, 300_000_000
"""Files of a package, and what one of them and all together may hold [B]."""
_PIECE = 1 << 20


class PackageError(ValueError):
    """A file is no package, or one that cannot be opened; the message is one sentence for people."""


def unpacked_scene(path: Path) -> Path:
    """Return the scene of a package, unpacked into a folder beside it that has its name.

    A folder of that name is used as it is when it holds what the package holds; otherwise nothing is written.

    Raises
    ------
    PackageError
        When it is no package, too large, or has names that lead elsewhere, and when the folder holds something else.
    OSError
        When the disk refuses.
    """
    target = path.with_suffix("")
    try:
        with zipfile.ZipFile(path) as packed:
            members = _members(path, packed)
            scene = _scene(path, members)
            if target.exists():
                if not _holds(target, packed, members):
                    raise PackageError(
                        f"{target} exists and holds something else; move it, or rename {path.name}"
                    )
            else:
                _unpack(packed, members, target)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        NotImplementedError,
        RuntimeError,
        EOFError,
    ) as error:
        raise PackageError(f"{path}: is no zip file that can be read: {error}") from None
    return target / scene


def _members(path: Path, packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = [member for member in packed.infolist() if not member.is_dir()]
    if len(members) > MOST_ENTRIES:
        raise PackageError(f"{path}: has {len(members):,} files; a package has at most {MOST_ENTRIES:,}")
    taken: set[str] = set()
    for member in members:
        name = PurePosixPath(member.filename)
        kind = stat.S_IFMT(member.external_attr >> 16)
        if (
            name.is_absolute()
            or ".." in name.parts
            or "\\" in member.filename
            or "\x00" in member.filename
            or ":" in member.filename
            or len(member.filename) > 400
            or kind not in (0, stat.S_IFREG)
            or member.filename.casefold() in taken
        ):
            raise PackageError(
                f"{path}: {member.filename!r} leads out of the package, or is no file of its own"
            )
        taken.add(member.filename.casefold())
        if member.file_size > MOST_BYTES:
            raise PackageError(
                f"{path}: {member.filename} would hold {member.file_size / 1e6:,.0f} MB; "
                f"at most {MOST_BYTES // 1_000_000} MB are taken"
            )
    folders = {parent.as_posix().casefold() for name in taken for parent in PurePosixPath(name).parents}
    if twice := taken & folders:
        raise PackageError(f"{path}: {min(twice)} is a file and a folder in it")
    total = sum(member.file_size for member in members)
    if total > MOST_TOTAL:
        raise PackageError(
            f"{path}: would hold {total / 1e6:,.0f} MB; at most {MOST_TOTAL // 1_000_000} MB are taken"
        )
    return members


def _scene(path: Path, members: list[zipfile.ZipInfo]) -> str:
    """Return the scene of a package: the first one at the top of its folder."""
    for member in members:
        name = PurePosixPath(member.filename)
        if name.parent == PurePosixPath(SCENE_FOLDER) and name.name.endswith(SCENE_SUFFIX):
            return member.filename
    raise PackageError(f"{path}: has no scene; twin handover SCENE -o F.zip makes a package")


def _unpack(packed: zipfile.ZipFile, members: list[zipfile.ZipInfo], target: Path) -> None:
    """Write all files into a new folder, whole or not at all."""
    beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        for member in members:
            file = beside / member.filename
            file.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(member) as data, file.open("wb") as out:
                left = member.file_size  # it may claim less than it holds
                while piece := data.read(min(_PIECE, left + 1)):
                    left -= len(piece)
                    if left < 0:
                        raise PackageError(f"{member.filename} holds more than it says")
                    out.write(piece)
        beside.chmod(0o755)
        beside.rename(target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _holds(folder: Path, packed: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> bool:
    """Return whether a folder has all files of a package as they are in it."""
    for member in members:
        file = folder / member.filename
        if not file.is_file() or file.stat().st_size != member.file_size:
            return False
        with packed.open(member) as data, file.open("rb") as known:
            while piece := data.read(_PIECE):
                if known.read(len(piece)) != piece:
                    return False
    return True
