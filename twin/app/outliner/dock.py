"""The Outliner: everything of the scene as a tree, found, chosen, hidden, locked and changed by keys and pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from psygnal import Signal
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMainWindow,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from twin.app.outliner.model import EYE, LOCK, NAME, NOTE, OutlinerModel
from twin.app.outliner.switch import OutlinerSwitch
from twin.app.outliner.tree import MOST_FOUND, Mode, OutlinerItem, found, matcher, root, ways
from twin.app.session.session import Session
from twin.app.session.view_marks import ViewMarks
from twin.app.toolkit import theme
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.text_fields import SearchField
from twin.language import tr
from twin.plant.find import find
from twin.scenario import Scenario
from twin.scenario.generators.all_jobs import jobs_of
from twin.view3d.base.state import ViewState

_WAIT_MS = 120
_MARK_PX, _LEAST_NOTE_PX = 22, 40
"""Width of a mark, and of the notes at least."""
_MOST_CHOSEN = 300
"""Things of a selection that the tree opens its lines for."""
_MOST_MADE = 500
"""Things that are chosen in the hall for the generator that makes them."""


class OutlinerDock(Dock):
    """The tree, its switch and its search; also what a screen reader has of the hall.

    Attributes
    ----------
    mode
        By what the tree is sorted.
    """

    chosen = Signal(tuple)  # ids of the lines chosen
    fly_wanted = Signal(str)
    renamed = Signal(str, str)  # id, name
    moved = Signal(tuple, str)  # ids of nodes, rack
    menu_wanted = Signal(object)  # QPoint on the screen

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "outliner", tr("Outliner"), "list", parent)
        self._session = session
        self._state: ViewState | None = None
        self.mode: Mode = "place"
        self.model: OutlinerModel | None = None
        self._ways: dict[str, tuple[int, ...]] | None = None
        self._syncing = self._stale = False
        self.search = SearchField()
        self.search.setPlaceholderText(tr("Search: name, part, job"))
        self.search.setAccessibleName(tr("Search the outliner"))
        self.search.setToolTip(
            tr("Shows lines whose name, id or part contains the text, and the nodes of matching jobs")
        )
        self.tree = _Tree()
        self.none = label("", "muted", wrap=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none.hide()
        head = QWidget()
        column = QVBoxLayout(head)
        column.setContentsMargins(8, 8, 8, 6)
        column.setSpacing(6)
        self.switch = OutlinerSwitch(look)
        self.switch.chosen.connect(self.sort_by)
        self.switch.buttons[self.mode].setChecked(True)
        column.addWidget(self.switch)
        column.addWidget(self.search)
        self.body.addWidget(head)
        self.body.addWidget(self.none)
        self.body.addWidget(self.tree, 1)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_WAIT_MS)
        self._waits.timeout.connect(self.refresh)
        self.search.textChanged.connect(lambda _: self._later())
        self.search.returnPressed.connect(self._into_tree)
        session.plant_changed.connect(self._later)
        session.document_changed.connect(self._later)
        session.opened.connect(lambda _: self.search.clear())  # its words were of the scene before
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, marks: ViewMarks, state: ViewState) -> None:
        """Take the marks of things and the state of the view, and follow them."""
        self._state = state
        self.model = model = OutlinerModel(self._look, marks)
        self.tree.setModel(model)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(20)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (NOTE, EYE, LOCK):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        self.tree.share_width()
        self.tree.clicked.connect(self._on_clicked(marks))
        self.tree.selectionModel().selectionChanged.connect(self._on_selection)
        self.tree.fly_wanted.connect(self._fly)
        self.tree.customContextMenuRequested.connect(self._offer)
        model.renamed.connect(self.renamed.emit)
        model.dropped.connect(self.moved.emit)
        marks.changed.connect(self._on_marks)
        state.events.selection.connect(self._follow)
        self._look.changed.connect(self._on_marks)
        self._later()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the lines chosen, in the order of the tree."""
        if self.model is None:
            return ()
        rows = self.tree.selectionModel().selectedRows(NAME)
        return tuple(dict.fromkeys(id for index in rows if (id := self.model.id_at(index))))

    def sort_by(self, mode: Mode) -> None:
        """Sort the tree another way."""
        self.mode = mode
        self.switch.buttons[mode].setChecked(True)
        self.refresh()

    def refresh(self) -> None:
        """Rebuild the tree, with the same lines open and selected."""
        document, plant = self._session.document, self._session.plant
        self._waits.stop()
        if self.model is None:
            return
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        if document is None or plant is None:
            self.model.show(None)
            return
        scenario, text = document.scenario, self.search.text().strip()
        opened, chosen, at_px = self._opened(), self.ids, self.tree.verticalScrollBar().value()
        top, number = root(self.mode, scenario, plant), 0
        if text:
            top, number = found(top, matcher(text, self._of_jobs(text, scenario)))
        self._syncing = True
        self._ways = None
        self.model.nameable = _nameable(scenario)
        self.model.show(top)
        if text:
            self._open_found(top)
        else:
            self._open(top, opened)
        self._tell(text, number)
        selection = self._state.selection if self._state is not None else ()
        # Lines that the hall does not have stay chosen; those of another choice than the hall's do not.
        self.choose(chosen if self._is_chosen(chosen) else selection, scroll=False)
        self.tree.verticalScrollBar().setValue(at_px)
        self.tree.shared_soon.start()
        self._syncing = False

    # -- opening lines ----

    def _opened(self) -> set[tuple[str, ...]]:
        """Return the lines that are open, by their keys; those a search opened are not meant."""
        model = self.model
        opened: set[tuple[str, ...]] = set()

        def look(index: QModelIndex) -> None:
            if model is None:
                return
            for row in range(model.rowCount(index)):
                inside = model.index(row, NAME, index)
                if self.tree.isExpanded(inside):
                    item = model.item(inside)
                    if item is not None:
                        opened.add(item.way())
                    look(inside)

        if model is not None and model.top is not None:
            look(QModelIndex())
        return opened

    def _open(self, top: OutlinerItem, opened: set[tuple[str, ...]]) -> None:
        model = self.model
        assert model is not None
        first = not opened and self.mode == "place"

        def look(item: OutlinerItem, index: QModelIndex) -> None:
            for inside in item.children():
                if inside.way() in opened or (first and item is top and inside.row == 0):
                    place = model.index(inside.row, NAME, index)
                    self.tree.setExpanded(place, True)
                    look(inside, place)

        look(top, QModelIndex())

    def _open_found(self, top: OutlinerItem) -> None:
        """Open what holds the lines found, the first hundred of them."""
        model, left = self.model, 100
        assert model is not None

        def look(item: OutlinerItem, index: QModelIndex) -> None:
            nonlocal left
            for inside in item.children():
                if left <= 0:
                    return
                left -= 1
                if inside.seed.opened:
                    place = model.index(inside.row, NAME, index)
                    self.tree.setExpanded(place, True)
                    look(inside, place)

        look(top, QModelIndex())

    def _tell(self, text: str, number: int) -> None:
        if text and not number:
            self.none.setText(tr("No match for {text!r}", text=text))
        elif number > MOST_FOUND:
            self.none.setText(
                tr("The first {most_found:,} of {number:,}", most_found=MOST_FOUND, number=number)
            )
        self.none.setVisible(bool(text) and (not number or number > MOST_FOUND))

    def _of_jobs(self, text: str, scenario: Scenario) -> list[str]:
        """Return the nodes that jobs of this name run on now."""
        frame, plant = self._session.shown, self._session.plant
        if frame is None or plant is None or frame.layout.epoch != plant.epoch:
            return []
        words = text.lower()
        jobs = [k for k, job in enumerate(jobs_of(scenario)) if words in f"{job.id} {job.title}".lower()]
        if not jobs:
            return []
        gpus = np.flatnonzero(np.isin(frame.values["gpu.job"], jobs) & plant.gpus.present)
        return [plant.nodes.ids[node] for node in np.unique(plant.gpus.node[gpus]).tolist()]

    # -- choosing ----

    def _on_selection(self, *_change: object) -> None:
        if not self._syncing:
            self._syncing = True
            self.chosen.emit(self.ids)
            self._syncing = False

    def _is_chosen(self, ids: Sequence[str]) -> bool:
        """Return whether the hall shows some lines as chosen."""
        selection = self._state.selection if self._state is not None else ()
        return set(in_hall(ids, self._session)) == set(selection)

    def _follow(self, selection: tuple[str, ...], *_before: object) -> None:
        """Choose what was chosen in the hall."""
        if self._syncing or not self.isVisible() or self._waits.isActive():
            return
        self._syncing = True
        self.choose(selection, scroll=True)
        self._syncing = False

    def choose(self, ids: Sequence[str], *, scroll: bool) -> None:
        """Select the rows of some ids; with `scroll` bring the first one into view."""
        model = self.model
        if model is None or model.top is None:
            return
        if self._ways is None and ids:
            self._ways = ways(model.top)
        chosen, last = QItemSelection(), QModelIndex()
        for id in list(ids)[:_MOST_CHOSEN]:
            index = self._index(id)
            if index.isValid():
                chosen.select(index, index)
                last = index
        flags = QItemSelectionModel.SelectionFlag
        self.tree.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        if last.isValid():
            self.tree.selectionModel().setCurrentIndex(last, flags.NoUpdate)
            if scroll:
                self.tree.scrollTo(last)

    def _index(self, id: str) -> QModelIndex:
        model, where = self.model, self._ways or {}
        assert model is not None
        rows = where.get(id)
        if rows is not None:
            return model.index_of(rows)
        node = model.index_of(where.get(id.rpartition("/")[0], ()))  # a GPU is in its node
        return next(
            (
                place
                for row in range(model.rowCount(node) if node.isValid() else 0)
                if model.id_at(place := model.index(row, NAME, node)) == id
            ),
            QModelIndex(),
        )

    # -- pointer and keys ----

    def _on_clicked(self, marks: ViewMarks) -> Callable[[QModelIndex], None]:
        def clicked(index: QModelIndex) -> None:
            id = self.model.id_at(index) if self.model is not None else ""
            if id and index.column() in (EYE, LOCK):
                ids = self.ids if id in self.ids else (id,)
                if index.column() == EYE:
                    marks.hide(ids, not marks.is_hidden(id))
                else:
                    marks.lock(ids, not marks.is_locked(id))
            elif not self._is_chosen(self.ids):  # the line was lit already: no change of it told so
                self._on_selection()

        return clicked

    def _fly(self, index: QModelIndex) -> None:
        id = self.model.id_at(index) if self.model is not None else ""
        if id:
            self.fly_wanted.emit(id)
        else:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _offer(self, place: QPoint) -> None:
        index = self.tree.indexAt(place)
        if self.model is not None and index.isValid() and self.model.id_at(index):
            self.menu_wanted.emit(self.tree.viewport().mapToGlobal(place))

    def rename(self) -> bool:
        """Let the name of the current line be typed; return whether it has one that can be."""
        line = self.tree.currentIndex().siblingAtColumn(NAME)
        nameable = bool(line.flags() & Qt.ItemFlag.ItemIsEditable)
        if nameable:
            self.tree.setFocus()
            self.tree.edit(line)
        return nameable

    def _into_tree(self) -> None:
        """From the search into its first line."""
        self.refresh()
        self.tree.setFocus()
        if self.model is not None and not self.tree.currentIndex().isValid() and self.model.rowCount():
            self.tree.setCurrentIndex(self.model.index(0, NAME))

    # -- following ----

    def _later(self, *_change: object) -> None:
        self._waits.start()

    def _on_marks(self, *_change: object) -> None:
        if self.model is not None:
            self.model.repaint()
            self.tree.viewport().update()

    def _on_visible(self, seen: bool) -> None:
        if seen and self._stale:
            self.refresh()


class _Notes(QStyledItemDelegate):
    """Notes say the most telling word first."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Leave out the end of what has no room."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideRight


class _Tree(QTreeView):
    """Lines with marks at their ends."""

    fly_wanted = Signal(object)  # QModelIndex

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Tree of the scene"))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(11)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # ids differ at their ends
        self._notes = _Notes(self)
        self.setItemDelegateForColumn(NOTE, self._notes)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setExpandsOnDoubleClick(False)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.doubleClicked.connect(self.fly_wanted.emit)
        self.shared_soon = QTimer(self, singleShot=True, interval=0)  # once for many lines that open together
        self.shared_soon.timeout.connect(self.share_width)
        self.expanded.connect(lambda _: self.shared_soon.start())
        self.collapsed.connect(lambda _: self.shared_soon.start())
        self.verticalScrollBar().valueChanged.connect(lambda _: self.shared_soon.start())

    def share_width(self) -> None:
        """Give marks their width, the names in sight what they need, and notes what is left as far as they need it."""
        mark = theme.scaled(_MARK_PX)
        room = self.viewport().width() - 2 * mark
        self.setColumnWidth(EYE, mark)
        self.setColumnWidth(LOCK, mark)
        left = room - self.sizeHintForColumn(NAME)
        self.setColumnWidth(NOTE, max(min(left, self.sizeHintForColumn(NOTE)), theme.scaled(_LEAST_NOTE_PX)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width."""
        super().resizeEvent(event)
        self.share_width()

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Frame the line the keys are on where it is a heading, which is not chosen."""
        super().drawRow(painter, option, index)
        at = self.currentIndex()
        if self.hasFocus() and index == at.siblingAtColumn(NAME) and not self.selectionModel().isSelected(at):
            painter.setPen(option.palette.color(QPalette.ColorRole.Accent))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter flies to a line; the menu key opens its menu; the rest are Qt's own keys of a tree."""
        enters = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enters and self.currentIndex().isValid() and self.state() != QAbstractItemView.State.EditingState:
            self.fly_wanted.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


def _nameable(scenario: Scenario) -> frozenset[str]:
    """Return the ids of what can be given a name."""
    ids = {item.id for item in scenario.jobs} | {item.id for item in scenario.tenants}
    ids |= {item.id for item in scenario.partitions} | {item.id for item in scenario.groups}
    ids |= {item.id for item in scenario.rentals}
    ids |= {hall.id for hall in scenario.halls} | {rows.id for hall in scenario.halls for rows in hall.rows}
    return frozenset(ids)


def in_hall(ids: Sequence[str], session: Session) -> tuple[str, ...]:
    """Return what the hall has of some things: of a generator the rows, loops or items that it makes."""
    plant = session.plant
    if plant is None:
        return ()
    shown: dict[str, None] = {}
    for id in ids:
        if find(plant, id) is not None:
            shown[id] = None
            continue
        made = (item for item in (f"{id}/{k}" for k in range(_MOST_MADE)) if item in plant.slots)
        shown.update(dict.fromkeys(made))
    return tuple(shown)


__all__ = ["OutlinerDock", "in_hall"]
