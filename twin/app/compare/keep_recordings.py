"""A line that says what becomes of two runs that were simulated to be compared, and keeps them when asked."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QWidget

from twin.app.branches.choices import file_stem
from twin.app.compare.designs import Simulated
from twin.app.session.recording import SUFFIX
from twin.app.toolkit.look import label
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

_FORGOTTEN = tr("Both runs are discarded when this window closes.")


class KeepRow(QWidget):
    """Copies both runs to where the person wants them."""

    def __init__(self, made: Simulated) -> None:
        super().__init__()
        self._made = made
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.words = label(_FORGOTTEN, "muted")
        self.button = QPushButton(tr("Save both runs\N{HORIZONTAL ELLIPSIS}"))
        self.button.setAutoDefault(False)
        self.button.setToolTip(tr("Copy both run files into a folder"))
        self.button.clicked.connect(self.ask)
        row.addWidget(self.words, 1)
        row.addWidget(self.button)

    def ask(self) -> None:
        """Let the person choose a folder, and keep them there."""
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder for both runs"))
        if chosen:
            self.keep(Path(chosen))

    def keep(self, folder: Path) -> None:
        """Copy both run files into a folder, under names that are free there."""
        kept = []
        for path, title in zip(self._made.runs, self._made.titles, strict=True):
            target = _free(folder, title)
            try:
                with Reader(path) as reader:
                    reader.save_copy(target)
            except (RunFileError, OSError) as error:
                self.words.setText(tr("Not saved: {error}", error=error))
                return
            kept.append(target.name)
        self.words.setText(tr("Saved in {folder} as {kept}", folder=folder, kept=" and ".join(kept)))
        self.button.setEnabled(False)


def _free(folder: Path, title: str) -> Path:
    """Return a path of which there is no file yet."""
    stem, number = file_stem(title), 1
    while (path := folder / f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}").exists():
        number += 1
    return path
