"""What the window remembers between sessions: recent scenes, theme, layout."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from PySide6.QtCore import QByteArray, QSettings

from twin.app.theme import ThemeChoice

MAX_RECENT = 9
_LAYOUT = "layout/1"  # the number goes up when the docks change


class Settings:
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
    def recent(self) -> list[Path]:
        """Return the scenes opened last, newest first, those that still exist."""
        stored = self._store.value("recent", [])
        texts = [stored] if isinstance(stored, str) else list(stored) if isinstance(stored, list) else []
        return [path for path in map(Path, texts) if path.is_file()]

    def remember(self, path: Path) -> None:
        """Put a scene on top of the recent ones."""
        path = path.resolve()
        others = [other for other in self.recent if other != path]
        self._store.setValue("recent", [str(p) for p in [path, *others][:MAX_RECENT]])

    def forget(self, path: Path) -> None:
        """Take a scene off the recent ones."""
        self._store.setValue("recent", [str(p) for p in self.recent if p != path.resolve()])

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
    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """Return (geometry, state) of the window as it was left; None the first time."""
        geometry, state = self._store.value(f"{_LAYOUT}/geometry"), self._store.value(f"{_LAYOUT}/state")
        if isinstance(geometry, QByteArray) and isinstance(state, QByteArray):
            return geometry, state
        return None

    def save_layout(self, geometry: QByteArray, state: QByteArray) -> None:
        """Keep the layout for the next session."""
        self._store.setValue(f"{_LAYOUT}/geometry", geometry)
        self._store.setValue(f"{_LAYOUT}/state", state)

    def flush(self) -> None:
        """Write everything to disk."""
        self._store.sync()
