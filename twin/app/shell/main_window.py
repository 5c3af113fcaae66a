"""The main window: puts the hall, the docks, the transport and the actions together."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from app_model import Application
from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from twin.app.bookmarks.views import Views
from twin.app.branches.actions import BranchActions
from twin.app.branches.answer import Answering
from twin.app.branches.diverged_past import BranchPast
from twin.app.compare.actions import CompareRuns
from twin.app.compare.with_file import Comparing
from twin.app.faults.break_dialog import BreakDialog
from twin.app.faults.drains import Drains
from twin.app.faults.menu import FaultsMenu
from twin.app.files.files import Files
from twin.app.files.live_recording import Growing
from twin.app.files.missing_run_file import GoneFile
from twin.app.files.welcome import Welcome
from twin.app.hall.finding_marks import RulesMarks
from twin.app.hall.hint import HallHint
from twin.app.hall.panel import HallPanel, dropped_file
from twin.app.help.desk import HelpDesk
from twin.app.help.pages import WHY_FIGURES_CHANGED
from twin.app.inspector.facts import state_of
from twin.app.palette.room_wizard import RoomWizard
from twin.app.placing.prefab_list import carried_prefab
from twin.app.planner.planner import JobPlanner
from twin.app.session.session import Session
from twin.app.shell import help_pages
from twin.app.shell.actions import all_actions, edit_uses
from twin.app.shell.actions.entry import HAS_SCENE
from twin.app.shell.design_tools import DesignTools
from twin.app.shell.docks import Docks
from twin.app.shell.edit_services import Editing
from twin.app.shell.edit_tools import EditTools
from twin.app.shell.incident_actions import IncidentActions
from twin.app.shell.job_actions import JobActions
from twin.app.shell.lesson_actions import LessonActions
from twin.app.shell.menus import MenuBar, RecentMenu
from twin.app.shell.navigation import Going
from twin.app.shell.need_actions import NeedActions
from twin.app.shell.older_run import OlderRun
from twin.app.shell.palette_entries import palette_entries
from twin.app.shell.presentation import presenting_of
from twin.app.shell.tips import show_keys, window_title
from twin.app.shell.window_api import IncidentQuestions, JobQuestions, WindowApi
from twin.app.shell.workspace_switch import WorkspaceSwitch
from twin.app.timeline.timeline import Timeline
from twin.app.timeline.transport import Transport
from twin.app.toolkit import text
from twin.app.toolkit.command_palette import CommandPalette
from twin.app.toolkit.focus_ring import next_seen
from twin.app.toolkit.look import Look
from twin.app.toolkit.notifications import Notifications
from twin.app.toolkit.plain_text import PlainLabel
from twin.app.toolkit.problem_notice import NOT_PERMITTED, Trouble
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.shortcuts import Shortcuts
from twin.app.toolkit.theme import ThemeChoice
from twin.app.world.rows import World
from twin.commands.wiring.auto_wire import AutoWire
from twin.language import tr
from twin.view3d.place.picking import Hit

_STATUS_MS = 8000
_AGAIN = tr("Start it again with Ctrl+Shift+R (button Start again)")


class MainWindow(WindowApi):
    """The window of one session.

    Parameters
    ----------
    look
        Theme and icons.
    session
        The scene and its run; closed with the window.
    settings
        Recent files, theme, layout.
    """

    lessons: LessonActions
    _numbers: ClassVar[count[int]] = count(1)

    def __init__(self, look: Look, session: Session, settings: UserSettings) -> None:
        super().__init__()
        self.look, self.session, self.settings = look, session, settings
        self.setWindowTitle("gpu-twin")
        self.resize(1600, 1000)
        self.setAcceptDrops(True)
        self.transport, self.timeline = Transport(look, session), Timeline(look, session)
        bar = self._tool_bar()  # before the hall: so Tab goes from the top down
        self.hall = HallPanel(look, session, self._state_text, self.world)
        self.hall.state.still = settings.still
        self.welcome = Welcome(look, settings)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hall)
        self._pages.addWidget(self.welcome)
        self.setCentralWidget(self._pages)
        self.docks = Docks(look, session, self, bar)
        self.going = Going(session, self.hall, self.docks.inspector, self.world)
        self.notifications = Notifications(look, self)
        self.files = Files(look, session, settings, self, self.hall, self.notifications.tell)
        self.editing = Editing(session, self.files, settings, self, self.notifications, self.tell)
        self.tools = EditTools(look, session, self.editing.editor, self.hall, self.tell)
        self.comparing = Comparing(look, session, self.editing.file, self.notifications, self)
        self.run_comparing = CompareRuns(look, session, settings, self.notifications, self)
        self.comparing.simulate_wanted.connect(self.run_comparing.ask_designs)
        self.views = Views(self.hall, self.editing.file, self.tell)
        self.timeline.attach(self.views, self.editing.editor)
        self.design = DesignTools(
            look,
            session,
            self.editing.editor,
            self.hall,
            self.docks.outliner,
            self.docks.inspector,
            self.tools,
            self.tell,
        )
        self.planner = JobPlanner(look, session, self.editing.editor, self)
        self.hint = HallHint(look, session, self.hall, self.editing.editor)
        self.job_actions = JobActions(self)
        self.gone = GoneFile(session, self.files, self.notifications, self)
        self.growing = Growing(session, self.gone, self)
        self.branch_past = BranchPast(session, self.notifications)
        self.older_run = OlderRun(session, self.notifications, lambda: self.help.open(WHY_FIGURES_CHANGED))
        self.answering = Answering(look, self, self._on_no_answer)
        self.answering.answered.connect(self.run_comparing.show_answer)
        self.branching = BranchActions(
            look, session, self.files, self, self.tell, lambda: self.going.thing, self.answering
        )
        self.incident_actions, self.lessons = IncidentActions(self), LessonActions(self)
        self.presenting, self.needs = presenting_of(self), NeedActions(self)
        self._status()
        self.drains = Drains(session, self.notifications.ask)
        self.faults = FaultsMenu(session, lambda: self.going.thing, self.break_thing, self.tell)
        self._model = Application(f"gpu-twin-{next(self._numbers)}", raise_synchronous_exceptions=True)
        self._model.context[HAS_SCENE] = False
        self._model.register_actions(all_actions(self))
        self.menus = MenuBar(self._model, look, self, Shortcuts(self._model, settings), edit_uses(self))
        self.help = HelpDesk(look, self.menus.shortcuts, self)
        self.transport.show_keys(self.menus.tip)
        self.timeline.show_keys(self.menus.tip)
        show_keys(self)
        self.workspaces = WorkspaceSwitch(self.docks)
        self.workspaces.stand_in(self, self.menus.tip)
        RecentMenu(self.menus, settings, self.files.open_and_play, self)
        self.faults.attach(self.menus.menus["faults"], self.menus.menus["faults/random"])
        self.palette_popup = CommandPalette(
            look,
            self,
            partial(palette_entries, self),
            self.going.places,
            self.help.search_entry,
            self.tell,
        )
        self.docks.restore(settings)
        self._connect()
        self.incident_actions.connect()
        self.lessons.connect()
        self.lesson_writing.connect()
        self.show_welcome()

    # -- building ----

    def _tool_bar(self) -> QToolBar:
        bar = QToolBar(tr("Transport"), self)
        bar.setObjectName("transport")
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        both = QWidget()
        column = QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.transport)
        column.addWidget(self.timeline)
        bar.addWidget(both)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
        return bar

    def _status(self) -> None:
        self._hover_label = PlainLabel()
        self._scene_label = PlainLabel()
        self.statusBar().addWidget(self._hover_label, 1)
        self.statusBar().addPermanentWidget(self._scene_label)
        self._hover_label.setContentsMargins(10, 3, 0, 3)
        self._scene_label.setContentsMargins(0, 3, 10, 3)
        self.statusBar().setSizeGripEnabled(False)

    def _connect(self) -> None:
        session = self.session
        session.trouble.connect(self._on_trouble)
        self.timeline.said.connect(self.tell)
        session.recovered.connect(self.notifications.dismiss_resumable)
        session.ended.connect(self._on_ended)
        session.unplayable.connect(self._on_unplayable)
        session.at_end.connect(self._on_at_end)
        session.began.connect(lambda _: self.editing.tell())
        session.document_changed.connect(lambda _: self.editing.tell())
        self.gone.changed.connect(lambda: self.editing.tell())
        self.editing.titled.connect(self._on_edited)
        self.editing.file.saved.connect(self.views.saved)
        session.plant_changed.connect(self._on_plant)
        self.files.opened.connect(self._on_opened)
        self.welcome.chosen.connect(self.files.open_and_play)
        self.welcome.open_wanted.connect(self.files.ask)
        self.welcome.new_wanted.connect(self.new_scene)
        self.welcome.back_wanted.connect(self.show_hall)
        self.hall.hovered.connect(lambda words: self._hover_label.setText(words))
        self.hall.dropped.connect(lambda path: self.files.open_and_play(Path(path)))
        self.hall.view.failed.connect(self._on_view_failed)
        self.hall.state.events.selection.connect(self._on_selection)
        self.hall.view.clicked.connect(self._on_clicked)
        self.docks.events.chosen.connect(self.going.to_event)
        self.docks.alarms.chosen.connect(lambda alarm: self.going.to(alarm.subject))
        self.docks.alarms.counted.connect(lambda n, k: self.hall.show_alarms(n, k, self.docks.alarms.alarms))
        self.docks.alarms.worst.connect(self.hall.alarm_badge.show_worst)
        session.figures_changed.connect(lambda _: self.hall.tell(self.docks.alarms.alarms))
        self.hall.alarm_badge.clicked.connect(partial(self.docks.show, "alarms"))
        self.hall.menus.break_wanted.connect(self.break_thing)
        self.hall.menus.act_wanted.connect(self.drains.act)
        for listed in self.docks.with_menus:
            listed.attach(self.hall.thing_menu)
        self.docks.spares.chosen.connect(self.going.to)
        self.docks.plots.chosen.connect(self.timeline.scrub)
        self.docks.branches.what_if_wanted.connect(lambda: self.branching.ask())
        self.docks.branches.open_wanted.connect(self.files.open)
        self.docks.branches.told.connect(self.notifications.tell)
        self.docks.branches.compare_wanted.connect(self.run_comparing.show)
        self.branching.made.connect(lambda _: self.docks.branches.look_again())
        self.docks.why.chosen.connect(self.going.to_cause)
        self.rules = RulesMarks(session, self.hall, self.going.to)
        session.picture_due = self.hall.picture_due.undrawn
        self.editing.editor.foreseen.connect(lambda _: self.hall.picture_due.now())
        self.rules.follow(self.docks.checks, self.docks.availability, self.docks.money)
        self.docks.money.do = self.editing.editor.do
        self.docks.incident.gpu_h_usd = self.docks.money.gpu_h_usd
        self.docks.money.worked_out.connect(self.docks.incident.refresh)
        self.docks.checks.wanted.connect(self.editing.editor.do)
        self.docks.palette.attach(self.settings)
        self.docks.palette.taken.connect(self.tools.place_by_keys)
        self.docks.palette.room_wanted.connect(self.build_room)
        self.hint.room_wanted.connect(self.build_room)
        self.hint.parts_wanted.connect(partial(self.docks.show, "palette"))
        self.hint.wiring_wanted.connect(partial(self.editing.editor.do, AutoWire(add=True)))
        self.tools.prefabs = lambda id: carried_prefab(session.catalog, id)
        self.docks.inspector.break_wanted.connect(self.break_thing)
        self.hall.ticker.clicked.connect(self.going.to_event)
        session.document_changed.connect(lambda _: self.hall.ticker.tell_time_by(session.clock))
        self.docks.tenants.colour_wanted.connect(partial(setattr, self.hall.state, "colour_by"))
        self.docks.inspector.chosen.connect(self.going.to)
        self.docks.inspector.shown.connect(self.hall.fabric.choose)
        self.docks.fabric.chosen.connect(self.going.to)
        self.docks.fabric.attach(self.hall.fabric, self.hall.state, self.world)
        for dock in self.docks.live:
            dock.attach(self.hall.state, self.world, self.hall.thing_menu)
            dock.chosen.connect(self.going.to)

    # -- what actions do ----

    @property
    def jobs_asked(self) -> JobQuestions:
        """Return who answers questions about jobs."""
        return self.job_actions

    @property
    def incidents_asked(self) -> IncidentQuestions:
        """Return who answers questions about incidents."""
        return self.incident_actions

    def show_welcome(self) -> None:
        """Show the page with the scenes."""
        self.session.halt()
        self.files.keep_picture()
        self.docks.put_away()
        self.welcome.refresh()
        self.welcome.back_button.setVisible(self.session.document is not None)
        self._pages.setCurrentWidget(self.welcome)

    def show_hall(self) -> None:
        """Show the hall of the open scene."""
        if self.session.document is not None:
            self.welcome.stop()
            self._pages.setCurrentWidget(self.hall)
            self.docks.bring_back()
            self.hall.view.native.setFocus()

    def toggle_play(self) -> None:
        """Play or pause; Space presses a button that has the keyboard instead."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and focused.isVisible():
            focused.click()
        else:
            self.session.toggle()

    def build_room(self) -> None:
        """Ask what a room is to be like, and put it into the hall."""
        wizard = RoomWizard(self.look, self.session, self.editing.editor, self)
        wizard.accepted.connect(lambda: self.hall.view.preset("overview"))
        wizard.show()

    def new_scene(self) -> None:
        """Begin with an empty hall, laid out for building."""
        if self.editing.file.new():
            self.docks.enter("design")

    def next_seed(self) -> None:
        """Run the scene again with other random draws."""
        self.session.restart(self.session.seed + 1)

    def go_to(self, thing: str) -> None:
        """Select a thing and fly to it; a job is shown in the inspector."""
        self.going.to(thing)

    def break_thing(self, thing: str | None, kind: str = "") -> None:
        """Ask what shall go wrong with a thing (None: with the site), and let it."""
        BreakDialog(self.look, self.session, thing, self, kind).show()

    def break_selection(self) -> None:
        """Ask what shall go wrong with what is selected or in the inspector."""
        self.break_thing(self.going.thing)

    def tell(self, words: str) -> None:
        """Show words in the status bar for a while."""
        self.statusBar().showMessage(words, _STATUS_MS)

    def clear_selection(self) -> None:
        """Go back out of what was gone into, else select nothing; from the welcome page go back to the hall."""
        if self.docks.on_welcome:
            self.show_hall()
        elif not self.hall.view.pointing.up():
            self.going.nowhere()

    def open_palette(self) -> None:
        """Show the command palette."""
        self.palette_popup.open()

    def choose_theme(self, choice: ThemeChoice) -> None:
        """Change the theme and remember it."""
        self.settings.theme = choice
        self.look.choose(choice)

    def toggle_full_screen(self) -> None:
        """Fill the screen, or give it back."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_story(self) -> None:
        """Show title, notes and sources of the scene."""
        if self.session.document is not None:
            help_pages.show_story(self.session.document.scenario, self)

    # -- following ----

    def _on_opened(self, path: Path) -> None:
        document, plant = self.session.document, self.session.plant
        if document is None or plant is None:
            return
        self.show_hall()
        self.views.opened(path)
        self._model.context[HAS_SCENE] = True
        self.editing.tell()

    def _on_edited(self, undo: str, redo: str, dirty: bool) -> None:
        """Say what can be taken back, and whether something is not saved."""
        if self.session.document is None:
            return
        self.setWindowTitle(window_title(self.session, self.lessons.title, self.gone.word))
        self.setWindowModified(dirty)
        for action, word, step in (("edit.undo", tr("Undo"), undo), ("edit.redo", tr("Redo"), redo)):
            self.menus.qt_actions[action].setText(f"{word}: {step}" if step else word)
        self._on_plant()

    def _on_plant(self) -> None:
        plant, path = self.session.plant, self.session.path
        if plant is not None and path is not None:
            self._scene_label.setText(
                tr(
                    "{value:,} GPUs  ·  {name}{word}",
                    value=int(plant.gpus.present.sum()),
                    name=path.name,
                    word=self.gone.word,
                )
            )

    def _on_unplayable(self) -> None:
        if self.session.document is None:  # there was no scene to go back to
            self._model.context[HAS_SCENE] = False
            self.setWindowTitle("gpu-twin")
            self._scene_label.setText("")
            self.show_welcome()

    def _on_selection(self, selection: tuple[str, ...]) -> None:
        self.docks.inspector.show_things(selection)

    def _on_clicked(self, hit: Hit | None) -> None:
        if hit is not None and self.docks.is_shown("inspector"):
            self.docks.inspector.raise_()

    def _on_trouble(self, trouble: Trouble) -> None:
        self.statusBar().showMessage(f"{trouble.title}: {trouble.text}", _STATUS_MS)
        if trouble.title == NOT_PERMITTED:
            self.notifications.tell(trouble.title, trouble.text)
        else:
            self.notifications.warn(trouble, self.session.resume if trouble.resumable else None)

    def _on_no_answer(self, title: str, why: str) -> None:
        self.notifications.warn(Trouble(title, why))

    def _on_view_failed(self, message: str) -> None:
        self.notifications.warn(Trouble(tr("Drawing error"), message.splitlines()[0], message))

    def _on_ended(self, summary: dict[str, Any]) -> None:
        interruptions = summary.get("interruptions")
        unexpected = interruptions.get("unexpected") if isinstance(interruptions, dict) else None
        more = (
            tr(", {unexpected:,} unexpected interruptions", unexpected=unexpected)
            if unexpected is not None
            else ""
        )
        message = tr(
            "{duration} simulated{more}. {again}.",
            duration=text.duration(self.session.end_s),
            more=more,
            again=_AGAIN,
        )
        self.notifications.tell(tr("Run finished"), message)

    def _on_at_end(self) -> None:
        self.tell(tr("Run finished. {again}", again=_AGAIN))

    def _state_text(self, id: str) -> str:
        return state_of(world, id) if (world := self.world()) is not None else ""

    def world(self) -> World | None:
        """Return the open scene with its newest figures, for facts; None before the first frame."""
        document, plant = self.session.document, self.session.plant
        if document is None or plant is None:
            return None
        return World(document.scenario, plant, plant.catalog, self.session.shown, self.session.events)

    # -- Qt ----

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Skip widgets behind another tab: Qt keeps them visible, outside the window."""
        return next_seen(partial(super().focusNextPrevChild, forward))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept one local file."""
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the dropped file."""
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.files.open_and_play(Path(path))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Close the palette: its place has moved."""
        super().resizeEvent(event)
        self.palette_popup.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes, save the layout and end the worker."""
        if not (self.editing.file.may_leave() and self.lesson_writing.may_leave()):
            event.ignore()
            return
        self.views.keep()
        self.files.keep_picture()
        self.answering.cancel()
        for part in (self.comparing, self.run_comparing, self.editing.file, self.planner, self.needs):
            part.close()
        for work in (self.studies, self.drills, self.lesson_writing):
            work.close()
        self.docks.save(self.settings)
        self.settings.flush()
        self.welcome.stop()
        self.session.close()
        self.hall.close_view()
        Application.destroy(self._model.name)
        super().closeEvent(event)
