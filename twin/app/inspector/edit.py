"""The properties of what is chosen, as fields that can be edited, with where each value comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QScrollArea, QVBoxLayout, QWidget

from twin.app.inspector.property_fields import Property, common, properties, stands_for
from twin.app.inspector.property_row import PropertyRow
from twin.app.inspector.property_values import command, owners, standing, varied
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit import theme
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import put_page
from twin.commands.edit.addressables import item_of, titled
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.generators import ChangeGenerator
from twin.language import counted, tr

_LATER_MS = 40
_ROOMY_PX = 284
"""From this width on fields stand beside their names [px at the usual text]."""


class SizeWatch(QObject):
    """Calls `tell` when the size of a widget, or that of its text, changes."""

    def __init__(self, widget: QWidget, tell: Callable[[], None]) -> None:
        super().__init__(widget)
        self._tell = tell
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hear of it; the widget gets all events."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.StyleChange):
            self._tell()
        return super().eventFilter(watched, event)


class EditPanel(QScrollArea):
    """Fields of one thing, or of several at once.

    A value that does not fit is told under its field, and nothing of it is done; what would go along with a smaller
    generator is told before it goes.

    Attributes
    ----------
    ids
        What is edited: ids, or ("",) for the scene itself.
    rows
        Fields by key, in the order shown.
    """

    wanted = Signal(object)  # Command: told for tests and for the log
    vary_wanted = Signal(str, str)  # path of a key, values to choose from

    def __init__(self, look: Look, session: Session) -> None:
        super().__init__()
        self._look, self._session = look, session
        self._editor: Editor | None = None
        self.ids: tuple[str, ...] = ("",)
        self.rows: dict[tuple[str, bool], PropertyRow] = {}
        self._shape: tuple[object, ...] = ()
        self._shown: tuple[str, ...] = ()
        self._head = label("", "muted", wrap=True)
        self._asked: tuple[str, PropertyRow] | None = (
            None  # title of the command, field that waits for the worker
        )
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("Properties of the selection"))
        SizeWatch(self, self._follow_width)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._waits = QTimer(self)
        self._waits.setSingleShot(True)
        self._waits.setInterval(_LATER_MS)
        self._waits.timeout.connect(self.refresh)
        session.plant_changed.connect(self._later)
        session.document_changed.connect(self._later)

    @property
    def editor(self) -> Editor | None:
        """Return the door for edits; None before there is one."""
        return self._editor

    def attach(self, editor: Editor) -> None:
        """Take the door for edits."""
        self._editor = editor
        editor.refused.connect(self._on_refused)
        editor.done.connect(lambda _: self._later())

    def edit(self, ids: Sequence[str]) -> None:
        """Show the properties of some things; of none those of the scene."""
        scene = self._scene()
        meant = tuple(ids) or ("",)
        self.ids = tuple(dict.fromkeys(stands_for(id, scene) for id in meant)) if scene is not None else meant
        self.refresh()

    def refresh(self) -> None:
        """Show how the properties stand."""
        self._waits.stop()
        scene = self._scene()
        if scene is None or not self.isVisible():
            return
        if (
            len(self.ids) == 1
            and self.ids[0]
            and not properties(scene, self.ids[0])
            and not self._there(scene)
        ):
            self.ids = ("",)
        found = common(scene, self.ids)
        shape = found, self._owner_names(found), self._room
        if shape != self._shape:
            self._shape = shape
            self._build(found)
        elif self.ids != self._shown:
            for row in self.rows.values():
                row.settle()
        self._shown = self.ids
        self._head.setText(self._words(scene))
        for row in self.rows.values():
            row.show(standing(scene, self.ids, row.of))

    @property
    def _is_narrow(self) -> bool:
        """Return whether a field has no room beside its name, source and way back."""
        return self.width() < theme.scaled(_ROOMY_PX)

    @property
    def _room(self) -> tuple[bool, int]:
        """Return what the places of fields follow: whether it is narrow, and the size of text."""
        return self._is_narrow, theme.scaled(_ROOMY_PX)

    def _follow_width(self) -> None:
        """Put fields beside their names or below them."""
        if self._shape and self._shape[-1] != self._room:
            self._later()

    def showEvent(self, event: object) -> None:
        """Catch up with what has changed unseen."""
        super().showEvent(event)  # type: ignore[arg-type]
        self._later()

    def row(self, key: str) -> PropertyRow:
        """Return the field of a key; raises KeyError. The thing's own comes before its generator's."""
        found = [row for (name, _), row in self.rows.items() if name == key]
        if not found:
            raise KeyError(key)
        return found[0]

    # -- building ----

    def _build(self, found: Sequence[Property]) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(14, 6, 8, 14)
        column.setSpacing(0)
        self._head = label("", "muted", wrap=True)
        column.addWidget(self._head)
        for row in self.rows.values():
            row.blockSignals(True)  # what is half typed when its page goes is not meant
        self.rows = {}
        self._asked = None
        headings: dict[tuple[str, bool], list[Property]] = {}
        for field in found:
            headings.setdefault((field.heading, field.of_generator), []).append(field)
        for (heading, of_generator), some in headings.items():
            names = self._owner_names(some) if of_generator else ()
            title = f"{heading} {', '.join(names[:3])}" + (
                tr(" and {names} more", names=len(names) - 3) if len(names) > 3 else ""
            )
            column.addWidget(self._section(title, some))
        column.addStretch(1)
        put_page(self, content)

    def _section(self, title: str, some: Sequence[Property]) -> QFrame:
        frame = QFrame()
        grid = QGridLayout(frame)
        grid.setContentsMargins(0, 10, 0, 4)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.addWidget(label(title.strip().upper(), "section", wrap=True), 0, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        for column, width_px in ((0, 84), (2, 58), (3, 26)):  # alike in all sections
            grid.setColumnMinimumWidth(column, theme.scaled(width_px))
        for place, field in enumerate(some):
            row = PropertyRow(self._look, field)
            row.entered.connect(partial(self._enter, row))
            row.menu_wanted.connect(partial(self._offer, row))
            row.put_into(grid, 1 + 2 * place, narrow=self._is_narrow)
            self.rows[field.key, field.of_generator] = row
        return frame

    def _words(self, scene: EditedScene) -> str:
        """Return what is edited, in words."""
        if self.ids == ("",):
            return tr("The scene itself")
        if len(self.ids) == 1:
            words = self._kind(scene, self.ids[0])
            return f"{words[:1].upper()}{words[1:]} {self.ids[0]}"
        kinds = {self._kind(scene, id) for id in self.ids[:50]}
        what = counted(len(self.ids), kinds.pop() if len(kinds) == 1 else "item")
        return tr("{what}: a change applies to all of them, as one step", what=what)

    def _kind(self, scene: EditedScene, id: str) -> str:
        try:
            return titled(item_of(scene.scenario, id).kind)
        except CommandError:
            return "item"

    def _there(self, scene: EditedScene) -> bool:
        """Return whether what is edited is still there, with or without properties."""
        return self.ids[0] in scene.plant.slots

    def _owner_names(self, some: Sequence[Property]) -> tuple[str, ...]:
        shared = next((field for field in some if field.of_generator), None)
        return owners(self.ids, shared) if shared is not None else ()

    def _offer(self, row: PropertyRow, place: QPoint) -> None:
        """Open the menu of a field."""
        menu = self.field_menu(row)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def field_menu(self, row: PropertyRow) -> QMenu:
        """Return the menu of a field, with what leads to a study in which it varies."""
        menu, scene = row.menu(), self._scene()
        found = varied(scene, self.ids, row.of) if scene is not None else None
        action = menu.addAction(tr("Vary this\N{HORIZONTAL ELLIPSIS}"))
        action.setEnabled(found is not None)
        action.triggered.connect(lambda: self.vary_wanted.emit(*found) if found is not None else None)
        return menu

    # -- entering ----

    def _enter(self, row: PropertyRow, text: str | None) -> None:
        """Do what was typed into a field, or tell what is wrong with it."""
        scene, editor = self._scene(), self._editor
        if scene is None or editor is None:
            return
        try:
            wanted = command(scene, self.ids, row.of, text)
            reason = editor.why_not()
            if reason:
                raise CommandError(reason)
            self._try(wanted)
            gone = _concerns(wanted, scene)
        except CommandError as error:
            if str(error) == "nothing to change":
                row.settle()
                self._later()
            else:
                row.refuse(str(error))
            return
        if gone:
            row.ask(_told(gone), partial(self._do, row, wanted))
        else:
            self._do(row, wanted)

    def _try(self, wanted: Command) -> None:
        """Raise CommandError when a command cannot be done: a field tells it better than a notice."""
        draft = self._editor.shown_draft if self._editor is not None else None
        if draft is not None:
            draft.propose(wanted, plant=self._session.plant)

    def _do(self, row: PropertyRow, wanted: Command) -> None:
        editor = self._editor
        if editor is None:
            return
        self._asked = wanted.title, row
        row.settle()
        self.wanted.emit(wanted)
        editor.do(wanted)
        self._later()

    def _on_refused(self, title: str, reason: str) -> None:
        """Tell under its field why the run, or a lock, did not take an edit."""
        if self._asked is not None and self._asked[1] in self.rows.values():
            self._asked[1].refuse(reason)
        self._asked = None

    def _scene(self) -> EditedScene | None:
        document, plant = self._session.document, self._session.plant
        return None if document is None or plant is None else EditedScene.of(document, plant, plant.catalog)

    def _later(self, *_change: object) -> None:
        self._waits.start()


def _concerns(wanted: Command, scene: EditedScene) -> list[str]:
    """Return what goes along with a generator that gets smaller."""
    parts = getattr(wanted, "commands", (wanted,))
    return [path for field in parts if isinstance(field, ChangeGenerator) for path in field.concerns(scene)]


def _told(gone: Sequence[str]) -> str:
    some = ", ".join(gone[:3]) + (
        tr(" and {gone_count:,} more", gone_count=len(gone) - 3) if len(gone) > 3 else ""
    )
    return tr("References to the deleted items are removed: {some}", some=some)
