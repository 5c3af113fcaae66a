"""Finds a key of the scene by the words that the inspector has for it, or by its path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit

from twin.app.study.key_words import key_words
from twin.app.toolkit.look import with_role
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_PATH, _FOUND_BY = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class KnownKeys(QStandardItemModel):
    """The keys of a scene, each with its words; a path stands behind words that several keys have."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._path_of: dict[str, str] = {}

    def take(self, paths: Iterable[str]) -> None:
        """Know these keys, and no others."""
        words = {path: key_words(path).full for path in paths}
        alike = Counter(words.values())
        self._path_of = {
            (said if alike[said] == 1 else f"{said}: {path}").casefold(): path for path, said in words.items()
        }
        self.clear()
        for path, said in words.items():
            item = QStandardItem(said if alike[said] == 1 else f"{said}: {path}")
            item.setToolTip(plain_tip(path))
            item.setData(path, _PATH)
            item.setData(f"{said} {path}", _FOUND_BY)
            self.appendRow(item)

    def path(self, typed: str) -> str:
        """Return the path of a key that is called by its words; what is no such words stays as it is."""
        return self._path_of.get(typed.strip().casefold(), typed.strip())


class KeyCompleter(QCompleter):
    """Offers keys by words and path to a field, into which it writes the path."""

    def __init__(self, known: KnownKeys, field: QLineEdit) -> None:
        super().__init__(known, field)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompletionRole(_FOUND_BY)
        self.setMaxVisibleItems(12)
        popup = self.popup()
        if popup is not None:
            with_role(popup, "suggestions")
            popup.setAccessibleName(tr("Keys of the scene"))
        field.setCompleter(self)

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return what is written into the field."""
        return str(index.data(_PATH))
