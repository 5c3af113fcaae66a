"""The tools that edit the hall with pointer, keys and clipboard, put together for the main window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication

from twin.app.hall.panel import HallPanel
from twin.app.placing.drags import HallDrags
from twin.app.placing.drop_filter import PartDrop
from twin.app.placing.mime import Dragged
from twin.app.placing.paste import carried_text
from twin.app.placing.payload import Carried, carried_part, carried_things
from twin.app.placing.place_tool import PlaceTool
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.world import select_similar
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.delete import Delete
from twin.commands.place.move import Rotate
from twin.commands.room.clipboard import Paste, copied
from twin.commands.room.copies import Duplicate
from twin.language import tr
from twin.plant.find import find
from twin.plant.tables import Plant

Prefabs = Callable[[str], Carried | None]


class EditTools(QObject):
    """Places, moves, turns, deletes and copies what is selected in the hall.

    Parameters
    ----------
    show
        Shows a sentence in the status bar; "" takes it away.

    Attributes
    ----------
    place
        Carries one thing at a time.
    prefabs
        Returns a prefab by its id as a thing on its way; None for one that is not known.
    """

    def __init__(
        self,
        look: Look,
        session: Session,
        editor: Editor,
        hall: HallPanel,
        show: Callable[[str], None],
    ) -> None:
        super().__init__(hall)
        self._session, self._editor, self._hall = session, editor, hall
        self._show = show
        self.prefabs: Prefabs | None = None
        self._before_all: tuple[str, ...] = ()  # what was selected before everything was
        self.place = PlaceTool(look, session, editor, hall.view, hall)
        self.place.told.connect(
            lambda words: show(words)
        )  # psygnal cannot read the signature of a method of Qt
        hall.measure.told.connect(lambda words: show(words))
        self.drags = HallDrags(session, editor, hall.view, self.place)
        hall.view.edit.take_drag = self.drags.begin
        self.drop = PartDrop(hall.view, self.place, self.carry, self)

    def _tell(self, words: str) -> None:
        self._show(words)

    # -- carrying ----

    def carry(self, dragged: Dragged) -> Carried | None:
        """Return the payload of a palette entry; None if its part is unknown."""
        if dragged.prefab:
            return self.prefabs(dragged.prefab) if self.prefabs is not None else None
        if dragged.part not in self._session.catalog:
            self._show(tr("the catalogue has no {part!r}", part=dragged.part))
            return None
        return carried_part(self._session.catalog, dragged.part)

    def place_by_keys(self, dragged: Dragged) -> bool:
        """Place a palette entry with keys, from the centre of the view: arrows move it, Enter places it."""
        carried = self.carry(dragged)
        if carried is None or not self.place.begin_by_keys(carried):
            return False
        self._hall.view.native.setFocus()
        return True

    def carry_selection(self) -> None:
        """Move the selection: pointer or arrows move it, a click or Enter places it."""
        plant, plan = self._session.plant, self._hall.view.plan
        if plant is None or plan is None:
            return
        carried = carried_things(plant, plan, self.selection)
        if isinstance(carried, str):
            self._show(
                tr("Not moved: {carried}", carried=carried)
                if self.selection
                else tr("Select the items to move first")
            )
        elif self.place.begin_by_keys(carried):
            self._hall.view.native.setFocus()

    # -- commands on the selection ----

    @property
    def selection(self) -> tuple[str, ...]:
        """Return what is selected."""
        return self._hall.state.selection

    def delete(self) -> None:
        """Delete the selection."""
        self._on_selection(Delete, "delete")

    def duplicate(self) -> None:
        """Copy what is selected to beside all that stands, nodes into the next free units of their rack."""
        if self.selection:
            self.place.do_new(Duplicate(self._copied))
        else:
            self._show(tr("Select the items to copy first"))

    def copy(self) -> bool:
        """Put what is selected on the clipboard, as the text of a scene; return whether it is there."""
        scene = self._scene()
        if scene is None or not self.selection:
            self._show(tr("Select the items to copy first"))
            return False
        try:
            ids = self._copied
            text = copied(scene, ids)
        except CommandError as error:
            self._show(tr("Not copied: {error}", error=error))
            return False
        QGuiApplication.clipboard().setText(text)
        what = (
            f"{len(ids):,}"
            if len(ids) > 1
            else ids[0]
            if ids == self.selection
            else tr("node {first_id}", first_id=ids[0])
        )
        self._show(tr("{what} copied as text", what=what))
        return True

    @property
    def _copied(self) -> tuple[str, ...]:
        """Return what is copied of the selection: a GPU comes with its node."""
        plant = self._session.plant
        found = [(id, None if plant is None else find(plant, id)) for id in self.selection]
        whole = [
            plant.nodes.ids[int(plant.gpus.node[at[1]])]
            if plant is not None and at and at[0] == "gpu"
            else id
            for id, at in found
        ]
        return tuple(dict.fromkeys(whole))

    def cut(self) -> None:
        """Put what is selected on the clipboard and take it out of the scene."""
        if self.copy():
            self.delete()

    def paste(self) -> None:
        """Carry what the clipboard holds, which may come from another window or a file, to a place in the hall."""
        scene, text = self._scene(), QGuiApplication.clipboard().text()
        if scene is None:
            return
        try:
            carried = carried_text(scene, text)
        except CommandError as error:
            self._show(tr("Not pasted: {error}", error=error))
            return
        if carried is None:  # nothing of it stands on the floor
            self.place.do_new(Paste(text))
        elif self.place.begin_by_keys(carried):
            self._hall.view.native.setFocus()

    def toggle_wiring(self) -> None:
        """Switch automatic connection of new equipment on or off."""
        self.place.wires_new = not self.place.wires_new
        words = tr("connected automatically") if self.place.wires_new else tr("not connected")
        self._show(tr("New equipment: {words}", words=words))

    def rotate(self) -> None:
        """Turn what is carried, else what is selected."""
        if self.place.active:
            self.place.turn()
        else:
            self._on_selection(Rotate, "rotate")

    def _on_selection(self, command: Callable[[tuple[str, ...]], Command], what: str) -> bool:
        if not self.selection:
            self._show(tr("Select the items to {what} first", what=what))
            return False
        return self._editor.do(command(self.selection))

    def _scene(self) -> EditedScene | None:
        document, plant = self._session.document, self._session.plant
        return None if document is None or plant is None else EditedScene.of(document, plant, plant.catalog)

    # -- selecting ----

    def select_all(self) -> None:
        """Select all lines of the list that has the keyboard, else everything in the hall; again: all of the kind."""
        focused = QApplication.focusWidget()
        one = QAbstractItemView.SelectionMode
        if isinstance(focused, QAbstractItemView) and focused.selectionMode() not in (
            one.NoSelection,
            one.SingleSelection,
        ):
            focused.selectAll()
        else:
            self.select("everything")

    def select(self, how: str) -> None:
        """Select what is like the selection: `similar`, `row`, `job` or `feed`; or `all` racks, or `everything`."""
        plant = self._session.plant
        if plant is None:
            return
        found = self._like(plant, how)
        if found:
            self._hall.state.selection = found
            self._show(tr("{found_count:,} selected", found_count=len(found)))
        else:
            self._show(tr("Nothing found: select a rack, node or machine first"))

    def _like(self, plant: Plant, how: str) -> tuple[str, ...]:
        match how:
            case "similar":
                return select_similar.similar(plant, self.selection)
            case "row":
                return select_similar.same_row(plant, self.selection)
            case "feed":
                return select_similar.same_feed(plant, self.selection)
            case "job":
                return select_similar.same_job(plant, self._session.shown, self.selection)
            case "everything":
                return self._all(plant)
            case _:
                return select_similar.all_racks(plant)

    def _all(self, plant: Plant) -> tuple[str, ...]:
        """Return all that stands; where that is selected already, all of the kind that was selected before."""
        found = select_similar.everything(plant)
        if self.selection != found:
            self._before_all = self.selection
            return found
        return select_similar.of_kind(plant, self._before_all)
