"""The recorded runs that the open one can be compared with: those beside its scene, branches, and unsaved ones."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.state_folder import SUFFIX, state_folder
from twin.shown_text import one_line
from twin.units import spoken

_FILTER = tr("Recorded runs (*{suffix});;All files (*)", suffix=SUFFIX)
_MOST = 40
"""Files that are read for the list, the newest."""
_SIZE_PX = 640, 420
_HEADS = (tr("Scene"), tr("Recorded"), tr("Seed"), tr("Date"))
_NONE = tr(
    "No other run is recorded yet. Restart with the next seed, or branch from here; every run is kept by itself. "
    "Browse for a run file that lies elsewhere."
)
_SOME = tr("Runs beside this scene, branches, and runs that were not saved; those of this scene come first.")
_PATH = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class RecordedRun:
    """A run file, as a list shows it: title of its scene, how far it is recorded [s], seed, when it was written."""

    path: Path
    title: str
    end_s: float
    seed: int
    written: datetime


def recorded_runs(folders: Iterable[Path], but: Path) -> list[RecordedRun]:
    """Return the runs in some folders that can be read and were played, newest first; `but` is the open one."""
    dated: dict[Path, float] = {}
    for folder in folders:
        for path in folder.glob(f"*{SUFFIX}"):
            with suppress(OSError):
                if path.resolve() != but.resolve() and path.is_file():
                    dated[path.resolve()] = path.stat().st_mtime
    found = []
    for path in sorted(dated, key=lambda path: -dated[path])[:_MOST]:
        with suppress(RunFileError, OSError), Reader(path) as reader:
            if reader.t_end_s > 0.0:
                header, written = reader.header, datetime.fromtimestamp(dated[path])
                found.append(RecordedRun(path, header.scenario.title, reader.t_end_s, header.seed, written))
    return found


class RunsDialog(QDialog):
    """Lists recorded runs, to choose the one that the open run is compared with.

    Parameters
    ----------
    beside
        The folder of the open scene; None: it has none.
    open_run
        The run file of the open run.
    title
        Of the open scene: its runs come first.
    """

    chosen = Signal(object)  # Path

    def __init__(self, beside: Path | None, open_run: Path, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._beside = beside
        own = state_folder()
        folders = [folder for folder in (beside, own / "runs", own / "branches") if folder is not None]
        runs = recorded_runs(folders, open_run)
        self.setWindowTitle(tr("Compare runs"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        size = QSize(scaled(_SIZE_PX[0]), scaled(_SIZE_PX[1]) if runs else 0)
        self.resize(size.boundedTo(self.screen().availableSize() * 0.9))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.addWidget(label(tr("Compare this run with another"), "title"), 1)
        head.addWidget(label(tr("SIMULATED"), "badge"))
        nest(column, head)
        self.note = label(_SOME if runs else _NONE, "muted", wrap=True)
        column.addWidget(self.note)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Recorded runs"))
        self.list.setHeaderLabels(_HEADS)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        for run in sorted(runs, key=lambda run: run.title != title):
            self.list.addTopLevelItem(_row(run))
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.setVisible(bool(runs))
        self.list.itemActivated.connect(self._take)
        column.addWidget(self.list, 1)
        if not runs:
            column.addStretch(1)
        nest(column, self._buttons())
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)
            self.list.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Be as high as the words need where there is no list: how they wrap is known by now."""
        super().showEvent(event)
        layout = self.layout()
        if layout is not None and not self.list.topLevelItemCount():
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))

    def browse(self) -> None:
        """Let the person choose a run file that lies elsewhere."""
        folder = self._beside or Path.home()
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Compare with a run"), str(folder), _FILTER)
        if chosen:
            self._choose(Path(chosen))

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.browse_button = QPushButton(tr("Browse\N{HORIZONTAL ELLIPSIS}"))
        self.browse_button.setToolTip(tr("Choose a run file that is not listed"))
        self.browse_button.clicked.connect(self.browse)
        self.cancel_button = QPushButton(tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.compare_button = QPushButton(tr("Compare"))
        self.compare_button.setProperty("role", "primary")
        self.compare_button.setToolTip(tr("Show both runs side by side (Enter)"))
        self.compare_button.setEnabled(self.list.topLevelItemCount() > 0)
        self.compare_button.clicked.connect(self._take)
        for button in (self.browse_button, self.cancel_button, self.compare_button):
            button.setAutoDefault(False)
        row.addWidget(self.browse_button)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.compare_button)
        return row

    def _take(self, *_item: object) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._choose(Path(item.data(0, _PATH)))

    def _choose(self, path: Path) -> None:
        self.accept()
        self.chosen.emit(path)


def _row(run: RecordedRun) -> QTreeWidgetItem:
    cells = [one_line(run.title), spoken(run.end_s), str(run.seed), f"{run.written:%Y-%m-%d %H:%M}"]
    item = QTreeWidgetItem(cells)
    item.setData(0, _PATH, str(run.path))
    for column in range(len(cells)):
        item.setToolTip(column, plain_tip(str(run.path)))
    return item
