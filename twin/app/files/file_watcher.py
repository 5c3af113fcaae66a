"""Notices when another program writes the file of the open scene."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

_STILL_MS = 200
"""A file is looked at when so long nothing more happened to it: it may be half written."""


class DiskWatch:
    """Watches one file, and its folder for the sake of programs that rename another over it.

    Parameters
    ----------
    parent
        Owner of the watcher.
    """

    touched = Signal()  # something may have happened to the file: look at it

    def __init__(self, parent: QObject) -> None:
        self._path: Path | None = None
        self._watcher = QFileSystemWatcher(parent)
        self._watcher.fileChanged.connect(self._on_change)
        self._watcher.directoryChanged.connect(self._on_change)
        self._still = QTimer(parent)
        self._still.setSingleShot(True)
        self._still.setInterval(_STILL_MS)
        self._still.timeout.connect(self._tell)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):  # network folders tell nothing by themselves
            app.applicationStateChanged.connect(self._on_state)

    def follow(self, path: Path | None) -> None:
        """Watch this file from now on; None: nothing."""
        self._path = path
        known = [*self._watcher.files(), *self._watcher.directories()]
        if known:
            self._watcher.removePaths(known)
        self._watch()

    def close(self) -> None:
        """Watch nothing any more."""
        self._still.stop()
        self.follow(None)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.disconnect(self._on_state)

    def _watch(self) -> None:
        if self._path is None:
            return
        known = {*self._watcher.files(), *self._watcher.directories()}
        existing = (
            path for path in (self._path, self._path.parent) if path.exists() and str(path) not in known
        )
        paths = [str(path) for path in existing]
        if paths:
            self._watcher.addPaths(paths)

    def _on_change(self, _path: str) -> None:
        self._still.start()

    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._still.start()

    def _tell(self) -> None:
        self._watch()  # a file that was replaced is another
        if self._path is not None:
            self.touched.emit()
