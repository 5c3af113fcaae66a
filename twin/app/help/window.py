"""The window of the help: contents and search on the left, a page on the right, back and forward."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QSplitter, QToolButton, QVBoxLayout, QWidget

from twin.app.help.contents import ContentsList, HelpRow, rows_of_finds, rows_of_pages
from twin.app.help.keys_page import keys_page
from twin.app.help.pages import KEYS, START, HelpPage, pages, resolve
from twin.app.help.reader import HelpReader
from twin.app.help.search import find_in
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label, line, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.shortcuts import Shortcuts
from twin.language import tr

_BEFORE_KEYS = "window.md"
_SIZE_PX, _SIDE_PX = (1080, 720), 300
_MOST_OF_WIDTH = 0.28
"""The list is at most so much of the window's width."""
_FRAME = QSize(40, 80)
"""Room for what a window manager puts round a window, and for panels."""


@dataclass(frozen=True)
class _Visit:
    """A place that was read, and how far the page was scrolled when it was left [px]."""

    page: str
    anchor: str = ""
    scrolled_px: int | None = None


class HelpWindow(QDialog):
    """Shows the help beside the main window."""

    def __init__(self, look: Look, shortcuts: Shortcuts, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._look, self._shortcuts = look, shortcuts
        self._visits: list[_Visit] = []
        self._at = -1
        wanted = QSize(themes.scaled(_SIZE_PX[0]), themes.scaled(_SIZE_PX[1]))
        self.resize(wanted.boundedTo(parent.screen().availableSize() - _FRAME))
        self.setMinimumSize(560, 360)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search the help"))
        self.search.setAccessibleName(tr("Search the help"))
        self.search.setToolTip(tr("Finds sections with all words; Up and Down select, Enter opens (Ctrl+F)"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._find)
        self.search.installEventFilter(self)
        self.contents = ContentsList(look)
        self.contents.chosen.connect(self._choose)
        self.reader = HelpReader(look)
        self.reader.followed.connect(self.follow)
        self.back_button = self._step_button("previous", tr("Back (Alt+Left)"), "Alt+Left", -1)
        self.forward_button = self._step_button("next", tr("Forward (Alt+Right)"), "Alt+Right", 1)
        self.title = label("", "muted")
        for keys in ("Ctrl+F", "F1"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._to_search)
        self._lay_out()
        look.changed.connect(self._on_look)
        shortcuts.changed.connect(self._on_keys)
        self._find("")

    # -- building ----

    def _step_button(self, icon: str, tip: str, keys: str, by: int) -> QToolButton:
        button = tool_button(self._look, icon, tip)
        button.clicked.connect(lambda: self.step(by))
        QShortcut(QKeySequence(keys), self).activated.connect(lambda: self.step(by))
        return button

    def _lay_out(self) -> None:
        side = QWidget()
        side.setProperty("role", "side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 10, 0, 4)
        column.setSpacing(8)
        field = QHBoxLayout()
        field.setContentsMargins(10, 0, 10, 0)
        field.addWidget(self.search)
        nest(column, field)
        column.addWidget(self.contents, 1)
        page = QWidget()
        below = QVBoxLayout(page)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 6, 10, 6)
        for widget in (self.back_button, self.forward_button):
            tools.addWidget(widget)
        tools.addSpacing(8)
        tools.addWidget(self.title, 1)
        nest(below, tools)
        below.addWidget(line())
        below.addWidget(self.reader, 1)
        self.splitter = QSplitter()
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(side)
        self.splitter.addWidget(page)
        self.splitter.setStretchFactor(1, 1)
        side_px = min(themes.scaled(_SIDE_PX), round(_MOST_OF_WIDTH * self.width()))
        self.splitter.setSizes([side_px, self.width() - side_px])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.splitter)

    # -- pages ----

    def pages(self) -> dict[str, HelpPage]:
        """Return all pages by name, in the order of the list; the keys after the page of the window."""
        made: dict[str, HelpPage] = {}
        for name, page in pages().items():
            made[name] = page
            if name == _BEFORE_KEYS:
                made[KEYS] = replace(keys_page(self._shortcuts), group=page.group)
        return made

    @property
    def page(self) -> str:
        """Return the name of the page that is shown."""
        return self._visits[self._at].page if self._visits else ""

    def show_at(self, target: str = START) -> None:
        """Show a page, at an anchor: ``faults.md#kinds``; the window comes to the front."""
        name, _, anchor = target.partition("#")
        if name in self.pages():
            self._leave()
            del self._visits[self._at + 1 :]
            if not self._visits or (self._visits[-1].page, self._visits[-1].anchor) != (name, anchor):
                self._visits.append(_Visit(name, anchor))
            self._at = len(self._visits) - 1
            self._show_visit(_Visit(name, anchor))
        self.show()
        self.raise_()
        self.activateWindow()

    def step(self, by: int) -> None:
        """Go back (-1) or forward (1) in what was read."""
        if 0 <= self._at + by < len(self._visits):
            self._leave()
            self._at += by
            self._show_visit(self._visits[self._at])

    def follow(self, link: QUrl) -> None:
        """Show what a link leads to: a page of the help here, a page of the web in the browser, nothing else."""
        if link.scheme() == "https":
            QDesktopServices.openUrl(link)
        elif not link.scheme() and not link.authority():
            self.show_at(f"{resolve(self.page, link.path())}#{link.fragment()}".rstrip("#"))

    def _leave(self) -> None:
        if self._visits:
            scrolled_px = self.reader.verticalScrollBar().value()
            self._visits[self._at] = replace(self._visits[self._at], scrolled_px=scrolled_px)

    def _show_visit(self, visit: _Visit) -> None:
        page = self.pages()[visit.page]
        self.reader.show_page(page)
        if visit.scrolled_px is not None:
            self.reader.document().size()  # lays out all of it: below the end one cannot scroll
            self.reader.verticalScrollBar().setValue(visit.scrolled_px)
        elif visit.anchor:
            self.reader.go_to(visit.anchor)
        self.back_button.setEnabled(self._at > 0)
        self.forward_button.setEnabled(self._at < len(self._visits) - 1)
        self.title.setText(f"{page.group}  \N{MIDDLE DOT}  {page.title}" if page.group else page.title)
        self.setWindowTitle(tr("{title} — Help", title=page.title))
        if not self.search.text():
            self.contents.mark_page(page.name)

    # -- search ----

    def _find(self, question: str) -> None:
        if question.strip():
            self.contents.show_rows(rows_of_finds(find_in(self.pages().values(), question)))
            self.contents.step(0)
        else:
            self.contents.show_rows(rows_of_pages(self.pages().values()))
            self.contents.mark_page(self.page)

    def _choose(self, row: HelpRow) -> None:
        self.show_at(f"{row.page}#{row.anchor}".rstrip("#"))
        if self.search.text().strip():
            self.reader.mark(self.search.text(), row.anchor)

    def _to_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _on_look(self, _theme: object) -> None:
        self.contents.doItemsLayout()
        self._show_again()

    def _on_keys(self) -> None:
        if self.page == KEYS:
            self._show_again()

    def _show_again(self) -> None:
        if self._visits:
            anchor = self.reader.heading_at_top()
            self._show_visit(_Visit(self.page, anchor))

    # -- Qt ----

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Steer the list from the field."""
        if watched is not self.search or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.contents.choose()
        elif event.key() in steps:
            self.contents.step(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        else:
            return super().eventFilter(watched, event)
        return True
