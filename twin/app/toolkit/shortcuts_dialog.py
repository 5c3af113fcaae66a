"""The dialog of the shortcuts: every action with its key, search, record another, reset."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QKeySequence, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from twin.app.toolkit.look import Look, label, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.shortcuts import Shortcuts
from twin.language import tr

_ID = Qt.ItemDataRole.UserRole
_WHAT, _WHERE, _KEY = range(3)


class ShortcutsDialog(QDialog):
    """Changes keys; each change acts at once.

    Parameters
    ----------
    shortcuts
        What is shown and changed.
    """

    def __init__(self, look: Look, shortcuts: Shortcuts, parent: QWidget) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self.setWindowTitle(tr("Shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 620)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search an action or a key"))
        self.search.setAccessibleName(tr("Search actions"))
        self.search.setToolTip(tr("Shows actions whose name, menu or key contains the text"))
        self.search.setClearButtonEnabled(True)
        self._model = QStandardItemModel(0, 3)
        self._model.setHorizontalHeaderLabels([tr("Action"), tr("Menu"), tr("Key")])
        self._filter = QSortFilterProxyModel()
        self._filter.setSourceModel(self._model)
        self._filter.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filter.setFilterKeyColumn(-1)
        self.search.textChanged.connect(self._filter.setFilterFixedString)
        self.table = self._made_table()
        self.note = label("", "muted", wrap=True)
        self.note.setMinimumHeight(2 * self.note.fontMetrics().height())
        self._buttons()
        self._lay_out()
        shortcuts.changed.connect(self._show_keys)
        self._fill()
        self.table.selectRow(0)

    # -- building ----

    def _made_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._filter)
        table.setAccessibleName(tr("Actions and their keys"))
        table.setToolTip(tr("Select an action, then press its new key in the field below"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        table.setColumnWidth(_WHERE, 90)
        table.setColumnWidth(_KEY, 150)
        table.selectionModel().currentRowChanged.connect(lambda *_: self._show_chosen())
        table.doubleClicked.connect(lambda _: self.recorder.setFocus())
        return table

    def _buttons(self) -> None:
        self.recorder = QKeySequenceEdit()
        self.recorder.setMaximumSequenceLength(1)
        self.recorder.setAccessibleName(tr("New key of the selected action"))
        self.recorder.setToolTip(tr("Press the new key here"))
        self.recorder.setClearButtonEnabled(True)
        self.recorder.keySequenceChanged.connect(lambda _: self._show_conflict())
        field = self.recorder.findChild(QLineEdit)
        if field is not None:
            field.setAccessibleName(self.recorder.accessibleName())
            field.setPlaceholderText(tr("Press a key"))
            field.setToolTip(plain_tip(self.recorder.toolTip()))
        self.assign_button = QPushButton(tr("Assign"))
        self.assign_button.setProperty("role", "primary")
        self.assign_button.setToolTip(tr("Assigns this key; an action that has it now loses it"))
        self.assign_button.clicked.connect(self.assign)
        self.none_button = QPushButton(tr("No key"))
        self.none_button.setToolTip(tr("Removes the key of the selected action"))
        self.none_button.clicked.connect(self._take)
        self.reset_button = QPushButton(tr("Reset"))
        self.reset_button.setToolTip(tr("Restores the default key of the selected action"))
        self.reset_button.clicked.connect(self._reset)
        self.reset_all_button = QPushButton(tr("Reset all"))
        self.reset_all_button.setToolTip(tr("Restores all default keys"))
        self.reset_all_button.clicked.connect(self._reset_all)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setToolTip(tr("Close this window (Esc); changes are saved"))
        self.close_button.clicked.connect(self.close)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(10)
        column.addWidget(label(tr("Shortcuts"), "title"))
        column.addWidget(self.search)
        column.addWidget(self.table, 1)
        record = QHBoxLayout()
        record.setSpacing(8)
        self.chosen_label = label("", "value")
        record.addWidget(self.chosen_label, 1)
        for widget in (self.recorder, self.assign_button, self.none_button, self.reset_button):
            record.addWidget(widget)
        nest(column, record)
        column.addWidget(self.note)
        below = QHBoxLayout()
        below.addWidget(self.reset_all_button)
        below.addStretch(1)
        below.addWidget(self.close_button)
        nest(column, below)

    def _fill(self) -> None:
        for action_id, action in self._shortcuts.actions.items():
            row = [QStandardItem(action.title), QStandardItem(action.category or ""), QStandardItem("")]
            row[_WHAT].setData(action_id, _ID)
            if action.status_tip:
                row[_WHAT].setToolTip(plain_tip(action.status_tip))
            self._model.appendRow(row)
        self._show_keys()

    # -- what is shown ----

    @property
    def chosen(self) -> str | None:
        """Return the id of the chosen action."""
        index = self.table.currentIndex()
        return str(index.siblingAtColumn(_WHAT).data(_ID)) if index.isValid() else None

    def choose(self, action_id: str) -> None:
        """Mark an action in the list."""
        for row in range(self._filter.rowCount()):
            if self._filter.index(row, _WHAT).data(_ID) == action_id:
                self.table.selectRow(row)

    def _show_keys(self) -> None:
        for row in range(self._model.rowCount()):
            action_id = str(self._model.item(row, _WHAT).data(_ID))
            own = tr("  \N{BULLET} changed") if self._shortcuts.is_own(action_id) else ""
            self._model.item(row, _KEY).setText(f"{native(self._shortcuts.key(action_id)) or 'none'}{own}")
        self.reset_all_button.setEnabled(self._shortcuts.any_own)
        self._show_chosen()

    def _show_chosen(self) -> None:
        action_id = self.chosen
        self.recorder.clear()
        self.chosen_label.setText(self._title(action_id) if action_id else "")
        for widget in (self.recorder, self.none_button, self.reset_button):
            widget.setEnabled(action_id is not None)
        if action_id is not None:
            self.none_button.setEnabled(bool(self._shortcuts.key(action_id)))
            self.reset_button.setEnabled(self._shortcuts.is_own(action_id))
        self._say("")
        self.assign_button.setEnabled(False)

    def _show_conflict(self) -> None:
        action_id, key = self.chosen, self.recorder.keySequence().toString()
        self.assign_button.setEnabled(bool(action_id and key))
        holder = self._shortcuts.holder(key, but=action_id or "")
        if holder is None or action_id is None:
            self._say(tr("{native} is free.", native=native(key)) if key else "")
            self.assign_button.setText(tr("Assign"))
        else:
            self._say(
                tr(
                    "Reassigning {native} to “{title}” removes the key of “{holder}”.",
                    native=native(key),
                    title=self._title(action_id),
                    holder=self._title(holder),
                ),
                conflict=True,
            )
            self.assign_button.setText(tr("Reassign"))

    def _say(self, words: str, *, conflict: bool = False) -> None:
        self.note.setText(("\N{WARNING SIGN} " if conflict else "") + words)
        with_role(self.note, "fault" if conflict else "muted")
        if not conflict:
            self.assign_button.setText(tr("Assign"))

    def _title(self, action_id: str) -> str:
        return self._shortcuts.actions[action_id].title

    # -- what is done ----

    def assign(self) -> None:
        """Give the chosen action the recorded key."""
        action_id, key = self.chosen, self.recorder.keySequence().toString()
        if action_id is not None and key:
            self._tell(action_id, self._shortcuts.assign(action_id, key))

    def _take(self) -> None:
        if self.chosen is not None:
            self._tell(self.chosen, self._shortcuts.assign(self.chosen, ""))

    def _reset(self) -> None:
        if self.chosen is not None:
            self._tell(self.chosen, self._shortcuts.reset(self.chosen))

    def _reset_all(self) -> None:
        self._shortcuts.reset_all()
        self._say(tr("All keys are at their defaults."))

    def _tell(self, action_id: str, loser: str | None) -> None:
        key = native(self._shortcuts.key(action_id)) or tr("no key")
        lost = tr(" {title} has no key now.", title=self._title(loser)) if loser is not None else ""
        self._say(f"{self._title(action_id)}: {key}.{lost}")


def native(key: str) -> str:
    """Return a key as this system writes it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
