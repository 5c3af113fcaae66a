"""The dock with the branches of the open scene: which left which when, what is other in each, what came of it."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMainWindow,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
)

from twin.analysis.branch_tree import RUN_SUFFIX, SceneBranch, tree_of
from twin.app.branches.choices import folder_of
from twin.app.session.save_folder import is_shipped
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import duration
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.scenario.reading.extend import SUFFIX, builtin
from twin.scenario.text.problem import ScenarioError
from twin.units import spoken

_NONE = tr(
    "No branches yet.\n\nPause the run at any time, or go back to one, then choose Run > What if from here. "
    "The branch shares this run's past until then."
)
TITLE, CUT, CHANGE, GOODPUT = range(4)
_HEADS = (tr("Branch"), tr("Branch time"), tr("Change"), tr("Goodput at end"))
_ROW_PX = 24
_SHARES = {CUT: 96, GOODPUT: 176}
_MISSING, _DAMAGED = tr("run file missing"), tr("run file damaged")


class BranchesDock(Dock):
    """The tree of branches that the open scene is part of; a double click or Enter opens one.

    Attributes
    ----------
    roots
        The tree that is shown.
    """

    what_if_wanted = Signal()
    open_wanted = Signal(object)  # Path of a run or a scene
    compare_wanted = Signal(object, object)  # run files of the parent and of the branch
    told = Signal(str, str)  # title and sentence

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "branches", tr("Branches"), "branch", parent)
        self._session = session
        self.roots: list[SceneBranch] = []
        self._stale = True
        self._own: QTreeWidgetItem | None = None
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Branches of this scene"))
        self.tree.setHeaderLabels(list(_HEADS))
        self.tree.setRootIsDecorated(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setAllColumnsShowFocus(True)
        header = self.tree.header()
        header.setStretchLastSection(False)
        for column in range(len(_HEADS)):
            stretch = column in (TITLE, CHANGE)
            mode = QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.Fixed
            header.setSectionResizeMode(column, mode)
        for column, width_px in _SHARES.items():
            self.tree.setColumnWidth(column, width_px)
        self.tree.itemActivated.connect(lambda *_: self.open())
        self.tree.itemSelectionChanged.connect(self._on_chosen)
        self.none = label(_NONE, "muted", wrap=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none.setContentsMargins(24, 16, 24, 16)
        self.body.addWidget(self.tree, 1)
        self.body.addWidget(self.none, 1)
        self.what_if_button = _button(
            tr("What if from here\N{HORIZONTAL ELLIPSIS}"), tr("Branch from this time")
        )
        self.open_button = _button(
            tr("Open"), tr("Open its recording, or its scene if it has not run (Enter)")
        )
        self.compare_button = _button(tr("Compare with parent"), tr("Compare its run with its parent's"))
        self.what_if_button.clicked.connect(self.what_if_wanted.emit)
        self.open_button.clicked.connect(self.open)
        self.compare_button.clicked.connect(self.compare)
        for button in (self.what_if_button, self.open_button, self.compare_button):
            self.tools.add(button)
        self.setMinimumWidth(260)
        session.opened.connect(lambda _: self.look_again())
        session.began.connect(lambda _: self.look_again())
        session.ended.connect(lambda _: self.look_again())
        session.figures_changed.connect(lambda _: self._keep_true())
        self._show()

    @property
    def chosen(self) -> SceneBranch | None:
        """Return the branch that is chosen."""
        items = self.tree.selectedItems()
        return items[0].data(TITLE, Qt.ItemDataRole.UserRole) if items else None

    def look_again(self) -> None:
        """Read the tree anew: at once where it is seen, else when it is."""
        self._stale = True
        if self.isVisible():
            self.read()

    def open(self) -> None:
        """Ask for the branch that is chosen: its recording, else its scene."""
        item = self.chosen
        path = _file_of(item) if item is not None and self._can_open(item) else None
        if path is not None:
            self.open_wanted.emit(path)
        if item is None or path is None or path != self._session.path:
            return
        anew = tr("Its scene opens at the start, to be simulated again.")
        if item.unread:
            self.told.emit(tr("Recording unreadable"), f"{item.unread}. {anew}")
        elif _lacks_run(item):
            name = path.name.removesuffix(SUFFIX) + RUN_SUFFIX
            gone = tr(
                "{name} is not beside the scene: moved, deleted or never made. {anew}", name=name, anew=anew
            )
            self.told.emit(tr("Recording missing"), gone)

    def compare(self) -> None:
        """Ask for the run of the branch beside that of its parent."""
        pair = self._pair()
        if pair is not None:
            self.compare_wanted.emit(*pair)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what has changed while nobody looked."""
        super().showEvent(event)
        if self._stale:
            self.read()

    def read(self) -> None:
        """Read the branches of the folder anew."""
        self._stale = False
        path = self._session.path
        roots = [] if path is None else tree_of(folder_of(path))
        open_name = None if path is None else _name_of(path)
        run = self._session.recording
        self.roots = [
            root
            for root in roots
            if root.branches
            and any(
                item.name == open_name or (run is not None and _is_run(item, run)) for _, item in root.all()
            )
        ]
        self._show()

    def _show(self) -> None:
        self.tree.clear()
        self._own = None
        for root in self.roots:
            self.tree.addTopLevelItem(self._item(root))
        self.tree.expandAll()
        self.tree.setVisible(bool(self.roots))
        self.none.setVisible(not self.roots)
        if self._own is not None:
            self.tree.setCurrentItem(self._own)
        self._on_chosen()

    def _item(self, branch: SceneBranch) -> QTreeWidgetItem:
        run = branch.outcome
        goodput = _DAMAGED if branch.unread else _MISSING if _lacks_run(branch) else ""
        if run is not None and run.goodput is not None:
            goodput = _goodput_words(run.goodput, None if run.over else run.t_s)
        cut = "" if branch.at_s is None else spoken(branch.at_s)
        changes = "; ".join(branch.changes) if branch.at_s is not None else ""
        if branch.at_s is not None and not branch.changes:
            changes = "nothing"
        item = QTreeWidgetItem([branch.title, cut, changes, goodput])
        item.setData(TITLE, Qt.ItemDataRole.UserRole, branch)
        item.setSizeHint(TITLE, QSize(0, scaled(_ROW_PX)))
        item.setTextAlignment(GOODPUT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column in range(len(_HEADS)):
            item.setToolTip(column, plain_tip(f"{item.text(column)}\n{branch.unread or branch.name}".strip()))
        path, recording = self._session.path, self._session.recording
        if path is not None and (
            branch.name == _name_of(path) or (recording is not None and _is_run(branch, recording))
        ):
            self._own = item
            font = QFont(item.font(TITLE))
            font.setBold(True)
            item.setFont(TITLE, font)
            self._keep_true()
        for child in branch.branches:
            item.addChild(self._item(child))
        return item

    def _keep_true(self) -> None:
        """Tell what the live run has come to, whatever time is looked at; a recording stands in its file."""
        session = self._session
        if self._own is None or session.recording is not None or not self.isVisible():
            return
        if session.summary is not None:
            share = session.summary.get("goodput")
            words = "" if share is None else _goodput_words(share, None)
        else:
            frame = session.live.frame
            values = None if frame is None else frame.values.get("site.goodput")
            if frame is None or values is None or not len(values):
                return
            words = _goodput_words(float(values[0]) / 100.0, frame.t_s)
        self._own.setText(GOODPUT, words)

    def _on_chosen(self) -> None:
        item = self.chosen
        self.open_button.setEnabled(self._can_open(item))
        self.compare_button.setEnabled(self._pair() is not None)
        self.what_if_button.setEnabled(self._session.document is not None)

    def _can_open(self, branch: SceneBranch | None) -> bool:
        """Return whether there is something to open: not of the one that is on screen."""
        own = None if self._own is None else self._own.data(TITLE, Qt.ItemDataRole.UserRole)
        return branch is not None and branch != own and _file_of(branch) is not None

    def _pair(self) -> tuple[Path, Path] | None:
        items = self.tree.selectedItems()
        above = items[0].parent() if items else None
        if above is None:
            return None
        branch, parent = (item.data(TITLE, Qt.ItemDataRole.UserRole).outcome for item in (items[0], above))
        return (parent.path, branch.path) if branch is not None and parent is not None else None


def _goodput_words(share: float, until_s: float | None) -> str:
    """Return the goodput of a run; of one that is not over, until when."""
    return f"{100 * share:.2f} %" + (
        "" if until_s is None else tr(" so far ({duration})", duration=duration(until_s))
    )


def _lacks_run(branch: SceneBranch) -> bool:
    """Return whether a branch was cut from a run, or others from its, and no run file is there."""
    return branch.outcome is None and (
        branch.at_s is not None or any(each.cut_from for each in branch.branches)
    )


def _name_of(path: Path) -> str:
    return f"builtin:{path.name.removesuffix(SUFFIX)}" if is_shipped(path) else path.name


def _is_run(branch: SceneBranch, run: Path) -> bool:
    return branch.outcome is not None and branch.outcome.path.resolve() == run.resolve()


def _file_of(branch: SceneBranch) -> Path | None:
    """Return what is opened of a branch."""
    if branch.outcome is not None:
        return branch.outcome.path
    if branch.path is not None:
        return branch.path
    try:
        return builtin(branch.name)
    except ScenarioError:
        return None


def _button(words: str, tip: str) -> QPushButton:
    made = QPushButton(words)
    made.setProperty("role", "flat")
    made.setToolTip(plain_tip(tip))
    return made
