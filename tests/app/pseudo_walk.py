"""Tests in the language of no people, which `test_app_languages.py` starts: nothing that the window says is English."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cut_texts import Cut, charts_shown, cut, cut_in, texts_shown
from pseudo_language import NAME
from PySide6.QtCore import QAbstractListModel, QSize, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QGroupBox,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QToolButton,
    QWidget,
)
from test_app_access import dialogs

from twin.app.files.scene_list import read_card, shipped_scenes
from twin.app.help.contents import ContentsList
from twin.app.help.window import HelpWindow
from twin.app.shell.dock_table import DOCKS
from twin.app.shell.workspaces import WORKSPACES
from twin.catalog import load_catalog
from twin.catalog.kinds import PART_TYPES
from twin.designs.need_file import load_need, shipped_needs
from twin.lessons.lesson_file import load_lesson, shipped_lessons
from twin.planning.profile.models import model_presets, vision_presets
from twin.planning.profile.profiles import load_calibrated, profile_names
from twin.scenario.formats import climates

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = [
    pytest.mark.gl,
    pytest.mark.skipif(
        os.environ.get("LANGUAGE") != NAME, reason="test_app_languages.py runs it in its language"
    ),
]
LESSON = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"
_WORD = re.compile(r"[A-Za-z]{3,}")
_KEY = re.compile(r"\(?[A-Z]\w*(\+\w+)+\)?|\((Space|Enter|Esc)\)")
_ID = re.compile(r"\S*[/\\_@.]\w\S*")
_SAME = {
    *(
        "GPUs",
        "CDUs",
        "MHz",
        "MWh",
        "kWh",
        "GHz",
        "GiB",
        "Inter",
        "various",
    ),  # units, abbreviations, a typeface
    *(
        "Mon",
        "Jan",
        "selective",
        "unverified",
    ),  # dates, a word of scenes, and one of the id of a rule
    *("mxfp", "nvfp"),  # kinds of numbers
    *("twin", "gpu", "bits"),  # the program's own name, and what commands are typed
    *(
        "Space",
        "OpenGL",
        "Mesa",
        "Compatibility",
        "Profile",
        "llvmpipe",
    ),  # a key; what the graphics driver calls itself
}
"""Words that no language changes."""
_ROWS = 60
_ROUNDS = 40
"""So often at most whoever is asked for more room is given the time to take it."""


def texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Yield what a person reads or hears of a widget and of all below it."""
    for widget in (root, *root.findChildren(QWidget)):
        if is_of_qt(widget) or isinstance(
            widget, ContentsList
        ):  # pages of the help are documents, and in English
            continue
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
    text = re.sub(r"&\w+;", " ", text)
    text = _KEY.sub(" ", _ID.sub(" ", outside(text)))
    return " ".join(word for word in _WORD.findall(text) if word not in names and word.upper() != word)


def is_of_qt(widget: QWidget) -> bool:
    """Return whether the texts of a widget are Qt's own, which its own translations bring."""
    within = widget.parentWidget()
    return (
        isinstance(within, (QDockWidget, QKeySequenceEdit))
        and isinstance(widget, (QAbstractButton, QLineEdit))
    ) or (isinstance(widget, QToolButton) and isinstance(within, QTabBar))


def names_of(window: MainWindow) -> set[str]:
    """Return the words of data: of scenes, parts, models, profiles, and of the events of the run."""
    session, catalog = window.session, load_catalog()
    assert session.document is not None
    said = [*strings(session.document.scenario.model_dump()), *(event.text for event in session.events)]
    said += [session.clock.says(0.0)]
    said += [str(catalog.part(id)) for kind in PART_TYPES for id in catalog.ids(kind)]
    figures = [figure for kind in PART_TYPES for id in catalog.ids(kind) for figure in catalog.figures(id)]
    said += [
        f"{figure} {figure.citation[:60]}" for figure in figures
    ]  # tips show the beginning of a citation
    said += [load_calibrated(name).title for name in profile_names()]
    said += map(str, (*model_presets().values(), *vision_presets().values()))
    said += [climates.place(name).words for name in climates.names()]
    said += map(str, map(read_card, shipped_scenes()))
    said += [load_need(name).need.title for name in shipped_needs()]
    for path in (*shipped_lessons(), LESSON):
        said += [path.name, *strings(load_lesson(path).lesson("anna").model_dump())]
    return {*_WORD.findall(" ".join(said)), *_SAME}


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def outside(text: str) -> str:
    """Return what stands outside all brackets."""
    found, depth = [], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        found.append(letter if depth == 0 else " ")
    return "".join(found)


def docks_in_front(window: MainWindow) -> Iterator[str]:
    """Yield the name of each dock while it is in front, in each workspace that has a place for it."""
    window.go_to("gpu/0")
    for workspace in WORKSPACES:
        window.docks.enter(workspace.name)
        for entry in DOCKS:
            if workspace.name in entry.spots or not entry.spots:
                window.docks.show(entry.name)
                QApplication.processEvents()
                yield f"{entry.name} in {workspace.name}"


def opened_dialogs(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Yield each dialog while it is open."""
    acts: list[Callable[[], object]] = [
        *dialogs(window),
        window.build_room,
        window.docks.inspector.open_year,
        window.run_comparing.ask_designs,
    ]
    for act in acts:
        before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
        act()
        QTest.qWait(10)
        dialog = next(w for w in QApplication.topLevelWidgets() if w.isVisible() and w not in before)
        yield type(dialog).__name__, dialog
        dialog.close()


def screens(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Yield the window once each dock has been in front, then each dialog while it is open."""
    for _dock in docks_in_front(window):
        pass
    yield "window", window
    yield from opened_dialogs(window)
    yield from lesson_pages(window)


def lesson_pages(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Yield the dock of a lesson at each of its steps, once something was said there, and at its end."""
    window.settings.keep("lesson_person", ["anna"])
    assert window.files.open(LESSON)
    dock = window.docks.lesson
    attempt = dock.runner.attempt
    assert attempt is not None
    for place, step in enumerate(attempt.lesson.steps):
        dock.runner.go(place)
        dock.runner.hint()
        QApplication.processEvents()
        yield f"step {step.id}", dock
    dock.go(1)
    QApplication.processEvents()
    yield "end of the lesson", dock
    dock.runner.close()
    yield "no lesson", dock
    editor = window.docks.lesson_editor
    editor.writing.open(LESSON)
    window.docks.show("lesson_editor")
    for place in range(-1, len(attempt.lesson.steps)):
        editor.writing.go(place)
        QApplication.processEvents()
        yield f"editor at {place}", editor
    editor.writing.close()


def place(screen: str, widget: QWidget) -> str:
    """Return where a widget stands, for people."""
    chain = []
    while widget is not None and not isinstance(widget, (QDialog, QDockWidget)):
        chain.append(type(widget).__name__)
        widget = widget.parentWidget()
    return f"{screen}: {' < '.join(chain[:4])}"


def test_nothing_in_window_and_dialogs_is_english(window: MainWindow) -> None:
    names, left = names_of(window), dict[str, str]()
    for screen, root in screens(window):  # the first page is behind the hall
        if isinstance(root, HelpWindow):  # a document
            continue
        for widget, words in texts(root):
            if words not in left and (found := english(words, names)):
                left[words] = f"{found!r} in {words!r} ({place(screen, widget)})"
    assert "\n".join(left.values()) == ""


def test_nothing_is_cut_in_window_and_dialogs(window: MainWindow) -> None:
    """At the smallest usual size of a window, in texts a third longer than the English ones."""
    window.resize(1280, 800)
    found, measured = dict[str, None](), 0
    for name, root in small_screens(window):
        settle(root)
        measured += sum(1 for _ in texts_shown(root))
        found |= {f"{name}: {each}  {place(name, each.widget)}": None for each in cut(root)}
        for chart in charts_shown(root):
            found |= {f"{name}: {type(chart).__name__}: {each}": None for each in cut_in(chart)}
    assert "\n".join(found) == ""
    assert measured > 1000, measured


def small_screens(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Yield the window with each dock in front, each dialog, and the page of scenes."""
    for name in docks_in_front(window):
        assert window.size() == QSize(1280, 800)
        yield name, window
    for name, dialog in opened_dialogs(window):
        if not isinstance(dialog, HelpWindow):  # a document
            yield name, dialog
    yield from lesson_pages(window)
    window.show_welcome()
    while not window.welcome.is_read:
        QTest.qWait(25)
    yield "scenes", window
    window.show_hall()


def settle(root: QWidget) -> None:
    """Let everybody take the room that there is."""
    before: list[Cut] | None = None
    for _ in range(_ROUNDS):
        QTest.qWait(25)
        now = cut(root)
        if not now and before == now:
            return
        before = now
