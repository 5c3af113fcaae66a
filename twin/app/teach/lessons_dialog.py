"""The list of lessons by course: for whom, how long, what is learnt, and how far one is."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from twin.app.teach.courses import LessonEntry, lesson_entries, progress_of, state_words
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest, put_page
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.shown_text import one_line

_SIZE = (860, 560)
_LIST_PX, _ROW_PX = 330, 27
_PLACE = Qt.ItemDataRole.UserRole


class LessonsDialog(QDialog):
    """Lets a person choose a lesson."""

    chosen = Signal(object, bool)  # Path, whether it begins anew
    file_wanted = Signal()
    person_wanted = Signal()

    def __init__(self, look: Look, own: list[Path], person: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._own, self._person = look, own, person
        self.setObjectName("lessons")
        self.setWindowTitle(tr("Lessons"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        room = parent.screen().availableSize()
        self.resize(min(_SIZE[0], room.width() - 60), min(_SIZE[1], room.height() - 80))
        self.entries: list[LessonEntry] = lesson_entries(own)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        row = QHBoxLayout()
        row.setSpacing(14)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Lessons by course"))
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(2)
        self.tree.setRootIsDecorated(False)
        self.tree.setMinimumWidth(_LIST_PX)
        row.addWidget(self.tree, 1)
        self._about = QScrollArea()
        self._about.setWidgetResizable(True)
        self._about.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._about.setAccessibleName(tr("About the lesson"))
        row.addWidget(self._about, 1)
        nest(column, row, 1)
        nest(column, self._buttons())
        self._fill()
        self.tree.itemSelectionChanged.connect(self._show)
        self.tree.itemActivated.connect(lambda *_: self._choose(anew=False))
        self._show()
        self.tree.setFocus()

    @property
    def entry(self) -> LessonEntry | None:
        """Return the lesson that is chosen."""
        items = self.tree.selectedItems()
        place = items[0].data(0, _PLACE) if items else None
        return self.entries[place] if isinstance(place, int) else None

    def select(self, id: str) -> None:
        """Choose a lesson by its name."""
        for place, entry in enumerate(self.entries):
            if entry.id == id:
                self.tree.setCurrentItem(self._items[place])

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.file_button = QPushButton(tr("&Open a file\N{HORIZONTAL ELLIPSIS}"))
        self.file_button.setToolTip(tr("A lesson of your own: *.twin-lesson.yaml"))
        self.file_button.clicked.connect(lambda: self.file_wanted.emit())
        self.person_button = QPushButton(tr("&Pseudonym\N{HORIZONTAL ELLIPSIS}"))
        self.person_button.setToolTip(tr("Under which name you do lessons"))
        self.person_button.clicked.connect(lambda: self.person_wanted.emit())
        self.person_label = label("", "muted")
        self.anew_button = QPushButton(tr("Be&gin anew"))
        self.anew_button.setToolTip(tr("From the first step; what you did before is forgotten"))
        self.anew_button.clicked.connect(lambda: self._choose(anew=True))
        self.begin_button = QPushButton(tr("&Begin"))
        self.begin_button.setProperty("role", "primary")
        self.begin_button.setDefault(True)
        self.begin_button.setToolTip(tr("Open the lesson where you left it, or at its first step (Enter)"))
        self.begin_button.clicked.connect(lambda: self._choose(anew=False))
        for widget in (self.file_button, self.person_button, self.person_label):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.anew_button)
        row.addWidget(self.begin_button)
        self.show_person(self._person)
        return row

    def show_person(self, person: str) -> None:
        """Show under which name lessons are done, and how far that person is."""
        self._person = person
        self.person_label.setText(one_line(person, 24))
        if hasattr(self, "_items"):
            for place, entry in enumerate(self.entries):
                self._items[place].setText(1, self._state(entry))
            self._show()

    def _state(self, entry: LessonEntry) -> str:
        return state_words(entry, self._person) or tr("{minutes} min", minutes=entry.lesson.minutes)

    def _fill(self) -> None:
        self._items: list[QTreeWidgetItem] = []
        head: QTreeWidgetItem | None = None
        course = None
        for place, entry in enumerate(self.entries):
            if entry.lesson.course != course:
                course = entry.lesson.course
                head = QTreeWidgetItem([course, ""])
                head.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = head.font(0)
                font.setBold(True)
                head.setFont(0, font)
                head.setSizeHint(0, QSize(0, scaled(_ROW_PX)))
                self.tree.addTopLevelItem(head)
                head.setFirstColumnSpanned(True)
            item = QTreeWidgetItem([entry.lesson.title, self._state(entry)])
            item.setData(0, _PLACE, place)
            item.setToolTip(0, plain_tip(one_line(entry.lesson.title)))
            item.setSizeHint(0, QSize(0, scaled(_ROW_PX)))
            assert head is not None
            head.addChild(item)
            self._items.append(item)
        self.tree.expandAll()
        self.tree.resizeColumnToContents(1)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, self.tree.header().ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, self.tree.header().ResizeMode.ResizeToContents)
        if self._items:
            self.tree.setCurrentItem(self._items[0])

    def _show(self) -> None:
        """Say what the chosen lesson is about, and what can be done with it."""
        entry = self.entry
        self.begin_button.setEnabled(entry is not None)
        result = progress_of(entry.path, self._person) if entry is not None and self._person else None
        self.anew_button.setVisible(result is not None)
        self.begin_button.setText(
            tr("&Begin") if result is None else tr("&Look at it") if result.finished else tr("&Go on")
        )
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(4, 0, 8, 0)
        column.setSpacing(9)
        if entry is not None:
            lesson = entry.lesson
            column.addWidget(label(lesson.course, "muted", wrap=True))
            column.addWidget(label(lesson.title, "headline", wrap=True))
            steps = len(lesson.steps)
            words = tr("About {minutes} min, {steps} steps", minutes=lesson.minutes, steps=steps)
            column.addWidget(label(words, "muted", wrap=True))
            column.addWidget(label(tr("For whom").upper(), "section"))
            column.addWidget(label(lesson.audience, "prose", wrap=True))
            column.addWidget(label(tr("What is learnt").upper(), "section"))
            for learnt in lesson.learnt:
                column.addWidget(label(f"\N{BULLET} {learnt}", "prose", wrap=True))
            column.addWidget(label(tr("Sources").upper(), "section"))
            for source in lesson.sources:
                column.addWidget(label(source, "muted", wrap=True))
        column.addStretch(1)
        put_page(self._about, page)

    def _choose(self, *, anew: bool) -> None:
        entry = self.entry
        if entry is not None:
            self.chosen.emit(entry.path, anew)
