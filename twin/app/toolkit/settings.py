"""What the window remembers between sessions: recent scenes, theme, size of text, keys, layouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QByteArray, QSettings

from twin.app.toolkit.theme import ThemeChoice

MAX_RECENT = 9
SMALLEST_TEXT, LARGEST_TEXT = 0.5, 4.0
"""Sizes of text beside the system's own that a file of settings may say."""
_LAYOUT = "layout/2"  # the number goes up when layouts are kept in another way


class UserSettings:
    """User settings in the place of the operating system, or in one file.

    Parameters
    ----------
    file
        An .ini file; None: where the system keeps settings of applications.
    """

    def __init__(self, file: Path | None = None) -> None:
        if file is None:
            self._store = QSettings("gpu-twin", "gpu-twin")
        else:
            self._store = QSettings(str(file), QSettings.Format.IniFormat)

    @property
    def path(self) -> Path:
        """The file the settings are kept in."""
        return Path(self._store.fileName())

    @property
    def recent(self) -> list[Path]:
        """Return the scenes opened last, newest first, those that still exist."""
        stored = self._store.value("recent", [])
        texts = stored if isinstance(stored, list) else [stored]
        return [path for text in texts if isinstance(text, str) and (path := Path(text)).is_file()]

    def remember(self, path: Path) -> None:
        """Put a scene on top of the recent ones."""
        path = path.resolve()
        earlier = [recent for recent in self.recent if recent != path]
        self._store.setValue("recent", [str(p) for p in [path, *earlier][:MAX_RECENT]])

    def forget(self, path: Path) -> None:
        """Take a scene off the recent ones."""
        self._store.setValue("recent", [str(p) for p in self.recent if p != path.resolve()])

    def kept(self, name: str) -> list[str]:
        """Return a list of names that was kept, such as favourite parts; empty the first time."""
        return self._names(f"lists/{name}")

    def keep(self, name: str, names: list[str]) -> None:
        """Keep a list of names."""
        self._store.setValue(f"lists/{name}", names)

    @property
    def theme(self) -> ThemeChoice:
        """The chosen theme."""
        stored = self._store.value("theme", "system")
        known: tuple[ThemeChoice, ...] = get_args(ThemeChoice)
        return next((choice for choice in known if choice == stored), "system")

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("theme", choice)

    @property
    def still(self) -> bool:
        """Whether the hall shall not move by itself."""
        return str(self._store.value("reduced_motion", "false")) == "true"

    @still.setter
    def still(self, still: bool) -> None:
        self._store.setValue("reduced_motion", "true" if still else "false")

    @property
    def text_scale(self) -> float:
        """Size of text beside the system's own."""
        stored = self._store.value("text_scale", 1.0)
        try:
            scale = float(str(stored))
        except ValueError:
            return 1.0
        return scale if SMALLEST_TEXT <= scale <= LARGEST_TEXT else 1.0

    @text_scale.setter
    def text_scale(self, scale: float) -> None:
        self._store.setValue("text_scale", scale)

    @property
    def keys(self) -> dict[str, str]:
        """The shortcuts that are not as shipped, by action; "" is none."""
        self._store.beginGroup("keys")
        kept = {action: str(self._store.value(action, "")) for action in self._store.childKeys()}
        self._store.endGroup()
        return kept

    @keys.setter
    def keys(self, keys: Mapping[str, str]) -> None:
        self._store.remove("keys")
        for action, key in keys.items():
            self._store.setValue(f"keys/{action}", key)

    @property
    def workspace(self) -> str:
        """The workspace that was on screen, "" the first time."""
        return str(self._store.value("workspace", ""))

    @workspace.setter
    def workspace(self, name: str) -> None:
        self._store.setValue("workspace", name)

    @property
    def geometry(self) -> QByteArray | None:
        """Where the window stood; None the first time."""
        geometry = self._store.value(f"{_LAYOUT}/geometry")
        return geometry if isinstance(geometry, QByteArray) else None

    def layouts(self, version: int) -> dict[str, QByteArray]:
        """Return the layouts of workspaces as they were left, those of this version of the docks."""
        if str(self._store.value(f"{_LAYOUT}/version", "")) != str(version):
            return {}
        self._store.beginGroup(f"{_LAYOUT}/workspaces")
        stored = {name: self._store.value(name) for name in self._store.childKeys()}
        self._store.endGroup()
        return {name: state for name, state in stored.items() if isinstance(state, QByteArray)}

    @property
    def untouched(self) -> list[str]:
        """Return the workspaces whose layouts were kept as they were laid out at first."""
        return self._names(f"{_LAYOUT}/untouched")

    def save_layouts(
        self,
        geometry: QByteArray,
        version: int,
        layouts: Mapping[str, QByteArray],
        untouched: Iterable[str] = (),
    ) -> None:
        """Keep where the window stands, the layout of each workspace, and which of these nobody has changed."""
        self._store.remove(_LAYOUT)
        self._store.setValue(f"{_LAYOUT}/geometry", geometry)
        self._store.setValue(f"{_LAYOUT}/version", version)
        for name, state in layouts.items():
            self._store.setValue(f"{_LAYOUT}/workspaces/{name}", state)
        self._store.setValue(f"{_LAYOUT}/untouched", sorted(untouched))

    def _names(self, key: str) -> list[str]:
        stored = self._store.value(key, [])
        names = stored if isinstance(stored, list) else [stored]
        return [name for name in names if isinstance(name, str)]

    def flush(self) -> None:
        """Write everything to disk."""
        self._store.sync()
