"""The dock with the story of the scene: what it is about, and where its figures come from."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel, QMainWindow, QVBoxLayout, QWidget

from twin.app.session.session import Session
from twin.app.shell.help_pages import write_story
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.read_only_dialog import Prose
from twin.app.tour.chapter_list import ChapterList
from twin.app.tour.tour import Tour
from twin.language import tr


class StoryDock(Dock):
    """Title, notes and sources of the open scene, beside the hall."""

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "story", tr("Story"), "book", parent)
        self._session = session
        self.title: QLabel
        self._page: QWidget | None = None
        self._written: object = None
        self.setMinimumWidth(220)
        session.document_changed.connect(lambda _: self._write())
        self._write()

    def attach(self, tour: Tour, present: Callable[[int | None], object]) -> None:
        """List the chapters of the scene below its story."""
        self.chapters = ChapterList(self._look, tour, present)
        self.body.addWidget(self.chapters)

    def _write(self) -> None:
        document = self._session.document
        scenario = document.scenario if document is not None else None
        title = scenario.title if scenario is not None else tr("No scene open")
        story = (scenario.notes, scenario.sources) if scenario is not None else None
        if self._page is not None:
            if story == self._written:  # an edit that leaves the story alone
                self.title.setText(title)
                return
            self.body.removeWidget(self._page)
            self._page.deleteLater()
        self._written, self._page = story, QWidget()
        column = QVBoxLayout(self._page)
        column.setContentsMargins(16, 14, 8, 10)
        column.setSpacing(10)
        self.title = label(title, "title", wrap=True)
        prose = Prose()
        prose.setAccessibleName(tr("Story of the scene"))
        column.addWidget(self.title)
        column.addWidget(prose, 1)
        if scenario is not None:
            write_story(scenario, prose)
        self.body.insertWidget(0, self._page, 1)
