"""The help in the window: F1, search, links, back and forward, the keys, themes and sizes of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.help import window as help_window
from twin.app.help.document import HelpDocument
from twin.app.help.pages import KEYS, START, WHY_FIGURES_CHANGED
from twin.app.toolkit.theme import resolve

if TYPE_CHECKING:
    from twin.app.help.window import HelpWindow
    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl
_ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> Iterator[HelpWindow]:
    """The help at its contents, in front."""
    window.help.open()
    shown = window.help.window
    assert shown is not None
    qtbot.waitUntil(shown.isActiveWindow)
    yield shown
    shown.search.clear()
    shown.close()


def press(widget: HelpWindow, key: Qt.Key) -> None:
    QTest.keyClick(widget.search, key)


def top_px(shown: HelpWindow, anchor: str) -> int:
    """Return where a heading is below the upper edge of the page [px]."""
    document = shown.reader.document()
    assert isinstance(document, HelpDocument)
    cursor = QTextCursor(document)
    cursor.setPosition(document.anchors[anchor])
    return shown.reader.cursorRect(cursor).top()


def test_f1_opens_the_help_where_the_keyboard_is(window: MainWindow, qtbot: QtBot) -> None:
    def f1() -> HelpWindow:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_F1)
        shown = window.help.window
        assert shown is not None
        qtbot.waitUntil(shown.isActiveWindow)
        return shown

    window.hall.view.native.setFocus()
    first = f1()
    assert first.page == START
    assert not first.isModal()
    window.docks.show("checks")
    window.activateWindow()
    window.docks.checks.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    window.docks.checks.setFocus()
    qtbot.waitUntil(lambda: window.docks.help_of(QApplication.focusWidget()) == "rules.md")
    assert f1() is first  # kept, and in front
    assert first.page == "rules.md"
    assert first.windowTitle().startswith("Design rules")
    first.close()
    assert f1() is first
    assert first.isVisible()
    first.close()


def test_letters_find_arrows_choose_and_enter_opens(opened: HelpWindow) -> None:
    titles = [row.title for row in opened.contents.rows]
    assert titles[:4] == ["Contents", "USE", "Start", "The window"]
    QTest.keyClicks(opened.search, "coolant")
    rows = opened.contents.rows
    assert rows[0].below == "Physics"
    assert all("coolant" in row.line.lower() for row in rows)
    assert opened.contents.row == rows[0]
    press(opened, Qt.Key.Key_Down)
    assert opened.contents.row == rows[1]
    press(opened, Qt.Key.Key_Up)
    press(opened, Qt.Key.Key_Up)
    assert opened.contents.row == rows[-1]
    opened.contents.step(1)
    press(opened, Qt.Key.Key_Return)
    assert opened.page == "physics.md"
    assert 0 <= top_px(opened, "3-heat-and-coolant") < opened.reader.viewport().height()
    marked = {mark.cursor.selectedText().lower() for mark in opened.reader.extraSelections()}
    assert marked == {"coolant"}
    assert opened.search.hasFocus()  # on to the next
    opened.search.setText("nosuchword")
    assert [row.page for row in opened.contents.rows] == [""]
    press(opened, Qt.Key.Key_Return)
    assert opened.page == "physics.md"
    press(opened, Qt.Key.Key_Escape)
    assert opened.isVisible()
    assert opened.contents.row is not None
    assert opened.contents.row.page == "physics.md"


def test_links_are_followed_and_one_goes_back_and_forward(opened: HelpWindow) -> None:
    opened.show_at("faults.md")
    opened.reader.verticalScrollBar().setValue(40)
    opened.follow(QUrl("scene-keys.md"))
    assert opened.page == "scene-keys.md"
    opened.follow(QUrl("#jobscheckpoint"))
    assert opened.page == "scene-keys.md"
    assert abs(top_px(opened, "jobscheckpoint")) < 40  # the heading is where one reads on
    QTest.keyClick(opened, Qt.Key.Key_Left, _ALT)
    QTest.keyClick(opened, Qt.Key.Key_Left, _ALT)
    assert opened.page == "faults.md"
    assert opened.reader.verticalScrollBar().value() == 40
    QTest.keyClick(opened, Qt.Key.Key_Right, _ALT)
    assert opened.page == "scene-keys.md"
    opened.back_button.click()
    assert opened.page == "faults.md"
    opened.show_at("decisions/index.md")
    assert not opened.forward_button.isEnabled()
    opened.follow(QUrl("02-ids-for-ever.md"))
    assert opened.page == "decisions/02-ids-for-ever.md"


def test_a_click_on_a_link_follows_it(opened: HelpWindow) -> None:
    reader = opened.reader
    found = reader.document().find("Faults and interventions")
    place = reader.cursorRect(found).center() - QPoint(20, 0)
    QTest.mouseClick(reader.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.page == "faults.md"


def test_every_heading_has_the_anchor_of_the_site(opened: HelpWindow) -> None:
    for page in opened.pages().values():
        document = HelpDocument(page, resolve("dark"), opened)
        assert set(document.anchors) == {anchor for _, anchor, _ in page.sections()}, page.name
        assert "<!--" not in document.toPlainText()
        assert "|---" not in document.toPlainText()
        document.deleteLater()


def test_only_drawings_of_the_help_are_loaded_and_only_https_is_opened(
    opened: HelpWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []
    monkeypatch.setattr(help_window.QDesktopServices, "openUrl", lambda url: went.append(url.toString()))
    opened.show_at("trust.md")
    for link in (
        "file:///etc/passwd",
        "http://example.org/",
        "../../README.md",
        "//host/x.md",
        "javascript:1",
    ):
        opened.follow(QUrl(link))
    assert opened.page == "trust.md"
    assert went == []
    opened.follow(QUrl("https://example.org/"))
    assert went == ["https://example.org/"]
    assert opened.page == "trust.md"
    document = opened.reader.document()
    kind = QTextDocument.ResourceType.ImageResource
    assert isinstance(document.resource(kind.value, QUrl("validation.svg")), QImage)
    for name in ("../icons/logo.svg", "file:///etc/passwd", "https://example.org/x.svg"):
        assert document.resource(kind.value, QUrl(name)) is None, name
    assert (
        document.resource(QTextDocument.ResourceType.StyleSheetResource.value, QUrl("validation.svg")) is None
    )


def test_the_page_of_keys_has_the_keys_in_force(window: MainWindow, opened: HelpWindow) -> None:
    window.menus.execute("help.keys")
    assert opened.page == KEYS
    text = opened.reader.toPlainText()
    assert "Keyboard shortcuts" in text
    assert "Shift+F1" in text
    assert "orbit" in text
    assert "[" in text  # keys that are signs of Markdown are shown as they are
    window.menus.shortcuts.assign("file.open", "Ctrl+F9")
    assert "Ctrl+F9" in opened.reader.toPlainText()
    window.menus.shortcuts.reset_all()
    assert "Ctrl+F9" not in opened.reader.toPlainText()
    window.menus.execute("help.changed")
    assert opened.page == WHY_FIGURES_CHANGED


def test_the_palette_finds_pages_by_title_and_the_help_by_other_words(
    window: MainWindow, opened: HelpWindow
) -> None:
    popup = window.palette_popup

    def found(typed: str) -> list[str]:
        popup.field.setText(typed)
        return [f"{entry.category}: {entry.title}" for entry in popup.shown]

    window.open_palette()
    assert found("faults and interv")[0] == "Help: Faults and interventions"
    popup.run_current()
    assert opened.page == "faults.md"
    window.open_palette()
    for words in ("manual", "documentation", "how do i"):
        assert "Help: Help" in found(words), words
    assert "Help: Keyboard shortcuts" in found("hotkeys")
    assert "Window: Show Energy" in found("sankey")
    assert found("how do I drain a node")[0] == "Faults: Drain"
    (only,) = found("how do I qqzz")
    assert only.startswith("Help: Search for")
    found("how do I drain a node")
    popup.list.setCurrentIndex(popup.list.model().index(len(popup.shown) - 1, 0))
    popup.run_current()
    assert opened.search.text() == "how do I drain a node"
    assert opened.page == opened.contents.rows[0].page


@pytest.mark.parametrize(
    ("theme", "scale"),
    [
        ("dark", 1.0),
        *(
            pytest.param(*look, marks=pytest.mark.slow)
            for look in (("dark", 1.5), ("light", 1.0), ("light", 1.5), ("contrast", 1.0), ("contrast", 1.5))
        ),
    ],
)
def test_theme_and_size_of_text_are_those_of_the_window(
    window: MainWindow, opened: HelpWindow, theme: str, scale: float
) -> None:
    opened.show_at("window.md#docks")
    window.choose_theme(theme)  # type: ignore[arg-type]
    window.look.scale_text(scale)
    opened.resize(1280, 800)
    document, colours = opened.reader.document(), resolve(theme)  # type: ignore[arg-type]
    assert document.defaultFont().pixelSize() == round(13 * scale)
    found = document.find("Faults and interventions")
    assert found.charFormat().foreground().color().name() == colours.accent
    code = document.find("*.twinrun").charFormat()
    assert code.background().color().name() == colours.raised
    assert code.fontFamilies()[0] == "JetBrains Mono"
    assert opened.minimumSizeHint().width() <= 1280
    assert opened.minimumSizeHint().height() <= 800
    assert opened.reader.width() > 0.6 * 1280
    window.look.scale_text(1.0)
    window.choose_theme("dark")
