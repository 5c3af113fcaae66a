"""The licences of all parts of a bundle, as files to put beside it.

A part is a Python package, Python itself, or a library of the system that Python needs. What has no text of a licence
to show stops the build: nothing is handed on without one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

TEXTS = ("licen", "copying", "notice", "copyright")
"""How the names of files with licences begin, or what they hold, in small letters."""
SHARED = Path("/usr/share/common-licenses")
"""Texts that Debian keeps once for all packages."""
QT = "pyside6-essentials", "shiboken6"
QT_TEXTS = "LGPL-3", "GPL-3"
QT_NOTE = """Qt and Qt for Python are used under the GNU Lesser General Public License, version 3, as separate shared
libraries in the folder _internal/PySide6: put others of the same interface in their place as you like.
Their source: https://download.qt.io/official_releases/
"""


class NoLicence(Exception):
    """A part has no text of a licence."""


def write_licences(modules: Iterable[str], libraries: Iterable[str], folder: Path) -> Path:
    """Write the licences of Python modules and of libraries of the system into a folder, and return it.

    Raises
    ------
    NoLicence
        When a part has none.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rows = ["Part | Version | Licence", "--- | --- | ---"]
    for part in sorted(_distributions(modules), key=lambda part: part.name.lower()):
        texts = _texts_of(part)
        if part.name.lower().replace("_", "-") in QT:
            texts = [SHARED / name for name in QT_TEXTS if (SHARED / name).exists()]
        if not texts:
            raise NoLicence(
                f"{part.name} {part.version} has no text of its licence; look for it and name it here"
            )
        _put(texts, folder / part.name)
        rows.append(f"{part.name} | {part.version} | {_licence(part)}")
    (folder / "pyside6-essentials.txt").write_text(QT_NOTE, encoding="utf-8")
    _put([Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"], folder / "Python")
    rows.append(f"Python | {sys.version.split()[0]} | PSF-2.0")
    for package in sorted(_system_packages(libraries)):
        _put([Path("/usr/share/doc") / package / "copyright"], folder / package)
        rows.append(f"{package} | of the system | see the folder {package}")
    (folder / "README.md").write_text("\n".join([*_HEAD, *rows, ""]), encoding="utf-8")
    return folder


_HEAD = [
    "# Licences of the parts",
    "",
    "gpu-twin itself is under the Apache License 2.0 (LICENSE). This bundle holds the parts below, each under its own.",
    "",
]


def _distributions(modules: Iterable[str]) -> list[Distribution]:
    """Return the installed packages that hold modules, each once; modules of Python itself belong to none."""
    holders = packages_distributions()
    names = {name for module in modules for name in holders.get(module.partition(".")[0], ())}
    return [distribution(name) for name in names]


def _texts_of(part: Distribution) -> list[Path]:
    files = [Path(str(part.locate_file(file))) for file in part.files or []]
    return [
        file
        for file in files
        if any(word in file.name.lower() for word in TEXTS)
        and file.suffix not in (".py", ".pyc", ".pyi")
        and file.exists()
    ]


def _licence(part: Distribution) -> str:
    expression = part.metadata.get("License-Expression")
    if expression:
        return expression
    named = [
        line.rpartition("::")[2].strip()
        for line in part.metadata.get_all("Classifier") or ()
        if "License ::" in line
    ]
    first = (part.metadata.get("License") or "").strip().partition("\n")[0]
    return ", ".join(named) or first or "see its folder"


def _put(texts: Iterable[Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        same_name = (folder / text.name).exists()
        shutil.copyfile(text, folder / (f"{number}-{text.name}" if same_name else text.name))


def _system_packages(libraries: Iterable[str]) -> set[str]:
    """Return the Debian packages that hold libraries; elsewhere, none are bundled."""
    if shutil.which("dpkg-query") is None:
        return set()
    names = set()
    for library in libraries:
        names |= _holders(Path(library)) or _holders(Path(library).resolve())
    return names


def _holders(library: Path) -> set[str]:
    found = subprocess.run(["dpkg-query", "-S", f"*{library}"], capture_output=True, text=True, check=False)
    return {line.partition(":")[0] for line in found.stdout.splitlines() if ":" in line}
