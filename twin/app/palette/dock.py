"""The dock of parts and prefabs: search, favourites, recent ones, what stands in the hall; dragged or taken in hand."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMainWindow, QWidget

from twin.app.palette.list import PaletteList, dragged
from twin.app.palette.model import GROUPS, OWN, PaletteItem, counts, found, items_of
from twin.app.palette.own_parts import OwnParts
from twin.app.palette.part_pictures import PartPictures
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.text_fields import READABLE, SearchField
from twin.language import tr
from twin.plant.tables import Plant

MOST_RECENT = 12
_ALL, _FAVOURITES, _RECENT = tr("All parts"), tr("Favourites"), tr("Recently used")


class PaletteDock(Dock):
    """What can be put into the hall."""

    taken = Signal(object)  # Dragged, to be carried with the keys
    room_wanted = Signal()

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "palette", tr("Parts"), "rack", parent)
        self._settings: UserSettings | None = None
        self._items: list[PaletteItem] = []
        self._favourites: list[str] = []
        self._recent: list[str] = []
        self._plant: Plant | None = None
        self._session = session
        self.list = PaletteList(look, PartPictures())
        self.search = SearchField()
        self.search.setPlaceholderText(tr("Search"))
        self.search.setAccessibleName(tr("Search parts"))
        self.search.setToolTip(tr("Type a few letters; Down and Up select, Enter places the part"))
        self.search.textChanged.connect(lambda _: self._refill())
        self.search.installEventFilter(self)
        self.group = DropDown()
        self.group.addItems([_ALL, _FAVOURITES, _RECENT, OWN, *(title for title, _ in GROUPS)])
        self.group.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.group.setMinimumContentsLength(
            min(len(_ALL), READABLE)
        )  # the dock stays narrow in a small window
        self.group.setAccessibleName(tr("Kind of parts"))
        self.group.setToolTip(tr("Parts listed"))
        self.group.currentIndexChanged.connect(lambda _: self._refill())
        self.count = label("", "faint", wrap=True)
        self.count.setContentsMargins(10, 4, 10, 6)
        self.star = tool_button(look, "star", tr("Mark the selected part as a favourite, or unmark it (*)"))
        self.star.clicked.connect(lambda: self._star(self.list.item))
        self.room = tool_button(look, "hall", tr("Build a whole room: rows, network, cooling and power"))
        self.room.clicked.connect(lambda: self.room_wanted.emit())
        self.own = OwnParts(session, self)
        self.own_button = tool_button(look, "copy", tr("Own parts: copy the selected one, open their folder"))
        self.own_button.clicked.connect(self.show_own_menu)
        self.tools.add(self.room)
        self.tools.add(self.own_button)
        self.tools.add(self.star)
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(6)
        row.addWidget(self.search, 1)
        row.addWidget(self.group, 1)
        self.body.addWidget(head)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.count)
        self.list.taken.connect(self._take)
        self.list.dragged.connect(lambda item: self.used(item.id))
        self.list.starred.connect(self._star)
        self.list.typed.connect(self._type)
        session.plant_changed.connect(self._on_plant)
        self.visibilityChanged.connect(self._on_seen)

    def attach(self, settings: UserSettings) -> None:
        """Take where favourites and recent parts are kept."""
        self._settings = settings
        self._favourites, self._recent = settings.kept("favourite_parts"), settings.kept("recent_parts")
        self._refill()

    def used(self, id: str) -> None:
        """Take note that a part was put into the hall."""
        self._recent = [id, *(part for part in self._recent if part != id)][:MOST_RECENT]
        if self._settings is not None:
            self._settings.keep("recent_parts", self._recent)
        if self.group.currentText() == _RECENT:
            self._refill()

    def show_own_menu(self) -> None:
        """Offer what can be done with own parts."""
        item, button = self.list.item, self.own_button
        menu = self.own.menu(item.part if item is not None and not item.prefab else None)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def focus_search(self) -> None:
        """Let the next letters search."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def look_up(self, title: str) -> None:
        """Show a part by its title, whatever was searched before."""
        self.group.setCurrentIndex(0)
        self.search.setText(title)
        self.focus_search()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrows and Enter in the search field act on the list."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self.list.step(1 if key == Qt.Key.Key_Down else -1)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.list.take()
                return True
        return super().eventFilter(watched, event)

    # -- what is listed ----

    def _refill(self) -> None:
        if not self._items:
            if not self.isVisible():
                return  # nobody looks yet
            self._items = items_of(self._session.catalog)
        before = self.list.item
        by_id = {item.id: item for item in self._items}
        chosen = self.group.currentText()
        if chosen == _FAVOURITES:
            some = [by_id[id] for id in self._favourites if id in by_id]
        elif chosen == _RECENT:
            some = [by_id[id] for id in self._recent if id in by_id]
        else:
            some = [item for item in self._items if chosen in (_ALL, item.group)]
        shown = found(some, self.search.text())
        rows: list[PaletteItem | str] = list(shown)
        if chosen == _ALL and not self.search.text().strip():
            rows = []
            own = [OWN] if any(item.group == OWN for item in shown) else []
            for title in (*own, *(title for title, _ in GROUPS)):
                rows += [title, *(item for item in shown if item.group == title)]
        self.list.rows.show_rows(rows, self._session.catalog)
        self.list.choose(before.id if before is not None and not self.search.text() else "")
        self._tell()

    def _tell(self) -> None:
        counted = counts(self._plant)
        self.list.rows.show_marks(counted, frozenset(self._favourites))
        there, loose = (sum(getattr(count, key) for count in counted.values()) for key in ("there", "loose"))
        words = tr("{there:,} parts in the hall", there=there) if there else tr("The hall is empty")
        self.count.setText(
            tr("{words}, {loose:,} not connected", words=words, loose=loose) if loose else words
        )
        if not self.list.rows.rows:
            empty = {
                _FAVOURITES: tr("no favourites yet"),
                _RECENT: tr("no parts used yet"),
                OWN: tr("no own parts beside this scene"),
            }
            self.count.setText(
                tr(
                    "Nothing found: {hint}",
                    hint=empty.get(self.group.currentText(), tr("try fewer letters")),
                )
            )

    def _on_plant(self, plant: Plant) -> None:
        self._plant = plant
        if plant.catalog is not self.list.rows.catalog:
            self._items = []  # other parts beside this scene
            self._refill()
        elif self.isVisible():
            self._tell()

    def _on_seen(self, seen: bool) -> None:
        if seen:
            self._refill() if not self._items else self._tell()

    # -- what is done with it ----

    def _take(self, item: PaletteItem) -> None:
        self.used(item.id)
        self.taken.emit(dragged(item))

    def _star(self, item: PaletteItem | None) -> None:
        if item is None:
            return
        if item.id in self._favourites:
            self._favourites.remove(item.id)
        else:
            self._favourites.append(item.id)
        if self._settings is not None:
            self._settings.keep("favourite_parts", self._favourites)
        if self.group.currentText() == _FAVOURITES:
            self._refill()
        else:
            self._tell()

    def _type(self, letter: str) -> None:
        self.search.setFocus()
        self.search.setText(letter)
