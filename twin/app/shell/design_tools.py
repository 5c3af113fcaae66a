"""Outliner, editable inspector, arrays, groups and arranging, joined to the hall and the editor of a window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from twin.app.hall.panel import HallPanel
from twin.app.inspector.inspector import Inspector
from twin.app.outliner.dock import OutlinerDock, in_hall
from twin.app.placing.array_dialog import ArrayDialog
from twin.app.placing.array_preview import Preview, preview, usual_pitch
from twin.app.placing.building_tools import BuildingTools
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.session.view_marks import ViewMarks
from twin.app.shell.edit_tools import EditTools
from twin.app.toolkit.look import Look
from twin.commands.edit.command import Command, EditedScene
from twin.commands.edit.draft_steps import Proposal
from twin.commands.place.arrange import ARRANGED
from twin.commands.place.delete import Delete
from twin.commands.place.groups import MakeGroup, Ungroup
from twin.commands.place.move import MoveNodes
from twin.commands.place.properties import Rename
from twin.commands.rental_members import AddToRental, TakeFromRentals
from twin.commands.rentals import TERMS, AddRental
from twin.commands.room.copies import Array, Duplicate
from twin.language import tr
from twin.plant.find import find
from twin.scenario.schema.rental import Terms


class DesignTools:
    """What is done to the design by lists and fields; its commands go through the editor as all others do.

    Attributes
    ----------
    marks
        What is hidden and locked.
    building
        Walls, columns, doors and drawings of halls.
    """

    def __init__(
        self,
        look: Look,
        session: Session,
        editor: Editor,
        hall: HallPanel,
        outliner: OutlinerDock,
        inspector: Inspector,
        tools: EditTools,
        show: Callable[[str], None],
    ) -> None:
        self._look, self._session, self._editor, self._hall = look, session, editor, hall
        self._outliner, self._inspector, self._tools = outliner, inspector, tools
        self._show = show
        self._array: ArrayDialog | None = None
        self.building = BuildingTools(session, editor, hall.view, tools.place, show, self._show_properties)
        hall.floor_menu = self._fill_floor
        self.marks = ViewMarks(session, hall.state)
        editor.guard = self.marks.why_not
        outliner.attach(self.marks, hall.state)
        inspector.properties.attach(editor)
        inspector.failures.attach(editor)
        outliner.chosen.connect(self._on_chosen)
        outliner.fly_wanted.connect(self._fly)
        outliner.renamed.connect(lambda id, name: editor.do(Rename(id, name)))
        outliner.moved.connect(lambda nodes, rack: editor.do(MoveNodes(nodes, rack)))
        outliner.menu_wanted.connect(self._offer)
        hall.selection_menu = self.menu
        editor.landed.connect(self._show_rental)
        session.opened.connect(lambda _: self._close_array())
        session.unplayable.connect(lambda _: self._close_array())

    # -- choosing ----

    @property
    def ids(self) -> tuple[str, ...]:
        """Return what is chosen: in the outliner also generators, tenants and jobs, which the hall does not have."""
        listed = self._outliner.ids if self._outliner.isVisible() else ()
        selection = self._hall.state.selection
        return listed if listed and in_hall(listed, self._session) == selection else selection

    def _on_chosen(self, ids: tuple[str, ...]) -> None:
        """Choose in the hall what was chosen in the outliner, and show it in the inspector as it was meant."""
        self._hall.state.selection = in_hall(ids, self._session)
        if ids:
            self._inspector.show_things(ids)

    def _fly(self, id: str) -> None:
        shown = in_hall((id,), self._session)
        if shown:
            self._hall.view.frame(shown)
        else:
            self._inspector.show_thing(id)

    # -- hiding and locking ----

    def hide(self) -> None:
        """Hide what is chosen in the hall, or show it again."""
        self._on_ids(self.marks.hide, "hide")

    def show_only(self) -> None:
        """Hide everything but what is chosen."""
        self._on_ids(self.marks.show_only, "show")

    def show_all(self) -> None:
        """Hide nothing any more."""
        self.marks.show_all()

    def lock(self) -> None:
        """Lock what is chosen against edits, or let it be edited again."""
        self._on_ids(self.marks.lock, "lock")

    def _on_ids(self, act: Callable[[tuple[str, ...]], None], what: str) -> None:
        if self.ids:
            act(self.ids)
        else:
            self._show(tr("Select the items to {what} first", what=what))

    # -- commands ----

    def delete(self) -> None:
        """Delete what is chosen in the outliner."""
        self._do(Delete(self.ids))

    def _duplicate(self) -> None:
        self._tools.place.do_new(Duplicate(self.ids))

    def group(self) -> None:
        """Make what is chosen a group, under a name."""
        if len(self.ids) < 2:
            self._show(tr("Select two or more items to group them"))
            return
        name, agreed = QInputDialog.getText(self._outliner, tr("Group"), tr("Name of the group"))
        if agreed:
            self._do(MakeGroup(self.ids, name.strip()))

    def ungroup(self) -> None:
        """Dissolve the groups that what is chosen is in."""
        self._do(Ungroup(self.ids))

    def rent(self, terms: Terms) -> None:
        """Rent what is chosen, else the first row, and show what can be set of that once it stands."""
        self._do(AddRental(terms, self.ids))

    def rent_more(self) -> None:
        """Add what is chosen to a rental there is, asked for where there are several, and show that."""
        document = self._session.document
        names = [rental.id for rental in document.scenario.rentals] if document is not None else []
        if not names or not self.ids:
            self._show(tr("Select rows, racks or nodes first") if names else tr("Nothing is rented yet"))
            return
        name, agreed = names[0], True
        if len(names) > 1:
            name, agreed = QInputDialog.getItem(
                self._outliner, tr("Rent nodes"), tr("Rental to add them to"), names, 0, False
            )
        if agreed and self._do(AddToRental(name, self.ids)):
            self._inspector.show_things((name,))
            self._inspector.show_page("properties")

    def own_again(self) -> None:
        """Take what is chosen from the rentals that have it."""
        if self.ids:
            self._do(TakeFromRentals(self.ids))
        else:
            self._show(tr("Select rows, racks or nodes first"))

    def _show_rental(self, landed: Proposal | None) -> None:
        if landed is None or landed.undoes:
            return
        before = {rental.id for rental in landed.before.scenario.rentals}
        new = [rental.id for rental in landed.after.scenario.rentals if rental.id not in before]
        if new:
            self._show_properties(tuple(new))

    def _show_properties(self, ids: tuple[str, ...]) -> None:
        self._inspector.show_things(ids)
        self._inspector.show_page("properties")

    def arrange(self, how: str) -> None:
        """Align or distribute what is chosen; a key of `ARRANGED`."""
        if len(self.ids) < 2:
            self._show(tr("Select two or more items to arrange them"))
        else:
            self._do(ARRANGED[how][1](self.ids))

    def rename(self) -> None:
        """Let the name of what is chosen be typed in the outliner."""
        if not self._outliner.isVisible():
            self._show(tr("Open the outliner first: items are renamed there"))
        elif not self._outliner.rename():
            self._show(tr("Select one item that can be renamed: generated items cannot"))

    def ask_array(self) -> None:
        """Ask for an array of what is chosen; its ghost is shown in the hall meanwhile."""
        plant, plan = self._session.plant, self._hall.view.plan
        ids = in_hall(self.ids, self._session)
        if plant is None or plan is None or not ids:
            self._show(tr("Select the items to repeat first"))
            return
        self._close_array()
        pitch = usual_pitch(plant, plan, ids)
        dialog = ArrayDialog(
            self._look,
            ids,
            pitch,
            self._preview,
            self._tools.place.do_new,
            self._no_ghost,
            self._hall.window(),
        )
        self._array = dialog
        dialog.show()

    @property
    def array_dialog(self) -> ArrayDialog | None:
        """Return the dialog that asks for an array, None when none does."""
        return self._array

    def _preview(self, array: Array) -> Preview:
        document, plant, plan = self._session.document, self._session.plant, self._hall.view.plan
        assert document is not None
        assert plant is not None
        assert plan is not None
        found = preview(EditedScene.of(document, plant, plant.catalog), plan, self._hall.view.standing, array)
        self._hall.view.edit.show_ghost(found.ghost)
        return found

    def _close_array(self) -> None:
        """Ask no more for an array: what it would repeat stands in another scene, or in none."""
        if self._array is not None:
            self._array.close()

    def _no_ghost(self) -> None:
        self._array = None
        self._hall.view.edit.show_ghost()

    def _do(self, command: Command) -> bool:
        return self._editor.do(command)

    # -- the menu of what is chosen, in hall and outliner ----

    def menu(self, parent: QWidget) -> QMenu | None:
        """Return the menu of what is chosen: what can be done with the thing, then what can be done to the design."""
        ids, document, plant = self.ids, self._session.document, self._session.plant
        if not ids or document is None or plant is None:
            return None
        item = ids[-1]
        jobs = document.scenario.jobs
        known = find(plant, item) is not None or item in self._hall.state.selection
        known = known or any(job.id == item for job in jobs)
        menu = self._hall.menus.menu(item, parent) if known else QMenu(parent)
        if menu is None:
            return None
        if not known:
            menu.addAction(item).setEnabled(False)
        menu.addSeparator()
        marks = self.marks
        menu.addAction(tr("Show") if marks.is_hidden(item) else tr("Hide"), partial(marks.hide, ids))
        menu.addAction(tr("Show only this"), partial(marks.show_only, ids))
        menu.addAction(tr("Show everything"), marks.show_all)
        menu.addAction(tr("Unlock") if marks.is_locked(item) else tr("Lock"), partial(marks.lock, ids))
        menu.addSeparator()
        standing = bool(in_hall(ids, self._session))
        for title, act, can in (
            (tr("Rename"), self.rename, len(ids) == 1 and self._nameable(item)),
            (tr("Duplicate"), self._tools.duplicate if standing else self._duplicate, True),
            (tr("Array…"), self.ask_array, standing),
            (tr("Group…"), self.group, len(ids) > 1),
            (tr("Ungroup"), self.ungroup, self._grouped(ids)),
            (tr("Delete"), self.delete, True),
        ):
            menu.addAction(title, act).setEnabled(can)
        rents = menu.addMenu(tr("Rent nodes"))
        for terms, title in TERMS.items():
            rents.addAction(title, partial(self.rent, terms))
        rents.addSeparator()
        for title, act in (
            (tr("Add to a rental"), self.rent_more),
            (tr("Take from rentals"), self.own_again),
        ):
            rents.addAction(title, act).setEnabled(bool(document.scenario.rentals))
        rents.menuAction().setEnabled(standing)
        return menu

    def _fill_floor(self, menu: QMenu, at: tuple[float, float]) -> None:
        """Offer what can be done with the hall under a place of the floor, and what can be added there."""
        hall = self.building.hall_at(at)
        if hall:
            of_hall = QMenu(tr("Hall {hall}", hall=hall), menu)
            menu.addMenu(of_hall)
            self._hall.menus.fill_place(of_hall, hall)
        self.building.fill(menu, at)

    def _nameable(self, id: str) -> bool:
        model = self._outliner.model
        return model is not None and id in model.nameable

    def _grouped(self, ids: tuple[str, ...]) -> bool:
        document = self._session.document
        groups = document.scenario.groups if document is not None else ()
        return any(id == group.id or id in group.members for id in ids for group in groups)

    def _offer(self, place: QPoint) -> None:
        menu = self.menu(self._outliner)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)
