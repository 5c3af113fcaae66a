"""Tests that run in the language of no people (`test_app_languages.py` starts them): nothing is English, nothing cut."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QWidget,
)
from test_app_access import dialogs, opened

from twin.app.shell.dock_table import DOCKS
from twin.catalog import load_catalog
from twin.catalog.kinds import PART_TYPES

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl
_WORD = re.compile(r"[A-Za-z]{3,}")
_KEY = re.compile(r"\(?[A-Z]\w*(\+\w+)+\)?|\((Space|Enter|Esc)\)")
_ID = re.compile(r"\S*[/\\_@.]\w\S*")
_SAME = {"GPUs", "CDUs", "MHz", "MWh", "kWh", "GHz", "GiB", "Llama", "twin", "gpu", "Inter"}
"""Names, units and abbreviations."""
_ROWS = 60


def texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Yield what a person reads or hears of a widget and of all below it."""
    for widget in (root, *root.findChildren(QWidget)):
        yield widget, widget.toolTip()
        yield widget, widget.accessibleName()
        yield widget, widget.windowTitle()
        if isinstance(widget, (QLabel, QAbstractButton)):
            yield widget, widget.text()
        elif isinstance(widget, QLineEdit):
            yield widget, widget.placeholderText()
        elif isinstance(widget, QGroupBox):
            yield widget, widget.title()
        elif isinstance(widget, QTabBar):
            yield from ((widget, widget.tabText(tab)) for tab in range(widget.count()))
        elif isinstance(widget, QComboBox):
            yield from ((widget, widget.itemText(row)) for row in range(min(widget.count(), _ROWS)))
        elif isinstance(widget, QMenu):
            for action in widget.actions():
                yield from (
                    (widget, words) for words in (action.text(), action.toolTip(), action.statusTip())
                )
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from ((widget, words) for words in cells(widget))


def cells(view: QAbstractItemView) -> Iterator[str]:
    """Yield what the cells and heads of a list say."""
    model = view.model()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for column in range(columns):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for row in range(min(model.rowCount(), _ROWS)):
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                yield str(model.index(row, column).data(role) or "")


def english(text: str, names: set[str]) -> str:
    """Return what of a text is neither translated nor a name of the scene, of a part, of a unit or of a key."""
    if "<" in text:
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    text = _KEY.sub(" ", _ID.sub(" ", outside(text)))
    return " ".join(word for word in _WORD.findall(text) if word not in names and word.upper() != word)


def names_of(window: MainWindow) -> set[str]:
    """Return the words of the scene, of the catalogue, of the events of the run, and those that no language changes."""
    session, catalog = window.session, load_catalog()
    assert session.draft is not None
    said = [session.draft.file.text, *(event.text for event in session.events), session.clock.says(0.0)]
    said += [str(catalog.part(id)) for kind in PART_TYPES for id in catalog.ids(kind)]
    return {*_WORD.findall(" ".join(said)), *_SAME}


def outside(text: str) -> str:
    """Return what stands outside all brackets."""
    found, depth = [], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        found.append(letter if depth == 0 else " ")
    return "".join(found)


def test_walk(window: MainWindow) -> None:
    seen: dict[str, set[str]] = {}

    def look(root: QWidget, screen: str) -> None:
        for widget, words in texts(root):
            left = english(words, names)
            if left:
                seen.setdefault(words, set()).add(
                    f"{screen}: {type(widget).__name__} in {type(widget.parentWidget()).__name__}"
                )

    names = names_of(window)
    window.go_to("gpu/0")
    for entry in DOCKS:
        window.docks.show(entry.name)
        QApplication.processEvents()
    look(window, "window")
    for act in dialogs(window):
        dialog = opened(window, act)
        look(dialog, dialog.windowTitle())
        dialog.close()
    Path("/tmp/pseudo_seen.json").write_text(json.dumps({k: sorted(v) for k, v in seen.items()}, indent=1))
