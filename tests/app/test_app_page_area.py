"""A page that goes by what is done on it goes afterwards: Qt goes on with the field or button that told of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from twin.app.inspector.inspector import Inspector
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.nested_layouts import put_page

UseWindow = Callable[[Path], MainWindow]

_ROW = Path(__file__).parents[2] / "scenes" / "nvl72-row.twin.yaml"


def _page() -> tuple[QWidget, QLineEdit]:
    page = QWidget()
    field = QLineEdit("as it was")
    QVBoxLayout(page).addWidget(field)
    return page, field


def test_a_field_outlives_its_own_enter(qapp: QApplication) -> None:
    area = QScrollArea()
    (page, field), (other, empty) = _page(), _page()
    put_page(area, page)
    field.returnPressed.connect(lambda: put_page(area, other))
    area.show()
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert area.widget() is other
    assert shiboken6.isValid(field)
    assert page.isHidden()
    assert not empty.hasFocus()
    del page
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not shiboken6.isValid(field)
    shiboken6.delete(area)


@pytest.mark.gl
def test_the_rack_shown_may_go_by_its_own_properties(use_window: UseWindow, qtbot: QtBot) -> None:
    window = use_window(_ROW)
    inspector = _inspector_of_a_rack(window, "properties")
    window.hall.state.selection = ("store/0/1",)
    qtbot.waitUntil(lambda: ("racks.count", True) in inspector.properties.rows)
    field = inspector.properties.row("racks.count").field
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert shiboken6.isValid(field)
    assert inspector.properties.ids == ("",)
    assert window.hall.state.selection == ()
    window.editing.editor.undo()


@pytest.mark.gl
def test_a_link_outlives_its_click(use_window: UseWindow) -> None:
    inspector = _inspector_of_a_rack(use_window(_ROW), "facts")
    link = next(one for one in inspector.findChildren(QPushButton) if one.property("role") == "link")
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    assert shiboken6.isValid(link)
    assert inspector.thing != "gpu/0/0"


@pytest.mark.gl
def test_what_is_half_typed_when_another_thing_is_shown_is_not_meant(use_window: UseWindow) -> None:
    window = use_window(_ROW)
    inspector = _inspector_of_a_rack(window, "properties")
    field = inspector.properties.row("label").field
    field.setFocus()
    QTest.keyClicks(field, "half a na")
    window.hall.state.selection = ()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not shiboken6.isValid(field)
    assert window.editing.editor.draft is not None
    assert not window.editing.editor.draft.done


def _inspector_of_a_rack(window: MainWindow, page: str) -> Inspector:
    window.docks.show("inspector")
    window.hall.state.selection = ("gpu/0/0",)
    window.docks.inspector.show_page(page)
    return window.docks.inspector
