"""A field for a list of names: typed with commas between them, or chosen one by one from those there are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCompleter, QLineEdit, QMenu, QWidget

from twin.app.form.typed import BETWEEN, names_in
from twin.app.toolkit.look import Look
from twin.language import tr

_MOST_OFFERED = 40
"""Names in the menu beside those that stand; the others are typed, and completed."""


class NamesField(QLineEdit):
    """Names of things of the scene, in an order that means something."""

    picked = Signal(str)  # the whole list, after one name was chosen or put away in the menu

    def __init__(self, look: Look, choices: Sequence[str], title: str) -> None:
        super().__init__()
        self._choices = tuple(choices)
        self._standing = ""
        completer = _LastName(list(choices), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)
        self._list = QAction(tr("Choose {title}", title=title.lower()), self)
        self._list.triggered.connect(self.choose)
        look.dress(self._list, "list")
        self.addAction(self._list, QLineEdit.ActionPosition.TrailingPosition)

    def stand(self, text: str) -> None:
        """Show the list as it stands."""
        self._standing = text
        if self.text() != text:
            self.setText(text)
            self.setCursorPosition(0)

    def menu(self) -> QMenu:
        """Return the menu of all that may stand in the list, those in it checked."""
        menu, names = QMenu(self), names_in(self._standing)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        others = [name for name in self._choices if name not in names]
        for name in (*names, *others[:_MOST_OFFERED]):
            action = menu.addAction(name, partial(self._toggle, name))
            action.setCheckable(True)
            action.setChecked(name in names)
        if len(others) > _MOST_OFFERED:
            more = tr("{count:,} more: type them", count=len(others) - _MOST_OFFERED)
            menu.addAction(more).setEnabled(False)
        menu.setEnabled(not menu.isEmpty())
        return menu

    def choose(self) -> None:
        """Offer the names under the field."""
        self.menu().popup(self.mapToGlobal(QPoint(0, self.height())))

    def _toggle(self, name: str) -> None:
        names = names_in(self._standing)
        left = [choice for choice in names if choice != name]
        self.picked.emit(BETWEEN.join(left if len(left) < len(names) else [*names, name]))


class _LastName(QCompleter):
    """Completes the name that is being typed, and leaves those before it."""

    def __init__(self, names: list[str], field: QWidget) -> None:
        super().__init__(names, field)

    def splitPath(self, path: str) -> list[str]:
        """Return what is looked for among the names."""
        return [path.rpartition(",")[2].strip()]

    def pathFromIndex(self, index: QModelIndex) -> str:  # type: ignore[override]
        """Return the whole text with a name completed."""
        field = self.widget()
        before, comma, _ = field.text().rpartition(",") if isinstance(field, QLineEdit) else ("", "", "")
        name = super().pathFromIndex(index)
        return f"{before}{BETWEEN}{name}" if comma else name
