"""What actions, tips and what the window does with jobs may ask of the main window."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from PySide6.QtWidgets import QMainWindow

from twin.app.ask.questions import TradeQuestions
from twin.app.bookmarks.views import Views
from twin.app.branches.actions import BranchActions
from twin.app.compare.actions import CompareRuns
from twin.app.compare.with_file import Comparing
from twin.app.faults.drains import Drains
from twin.app.faults.menu import FaultsMenu
from twin.app.files.files import Files
from twin.app.files.welcome import Welcome
from twin.app.hall.panel import HallPanel
from twin.app.help.desk import HelpDesk
from twin.app.monitor.seed_runs import SeedRuns
from twin.app.planner.planner import JobPlanner
from twin.app.session.session import Session
from twin.app.shell.design_tools import DesignTools
from twin.app.shell.docks import Docks
from twin.app.shell.edit_services import Editing
from twin.app.shell.edit_tools import EditTools
from twin.app.shell.menus import MenuBar
from twin.app.shell.navigation import Going
from twin.app.timeline.timeline import Timeline
from twin.app.timeline.transport import Transport
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.look import Look
from twin.app.toolkit.notifications import Notifications
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.theme import ThemeChoice
from twin.app.tour.presenting import Presenting
from twin.app.world.rows import World


class JobQuestions(Protocol):
    """What can be asked about jobs from a menu."""

    def plan_job(self) -> None:
        """Plan the job that is selected, or a new one."""

    def ask_risk(self, job_id: str | None = None) -> None:
        """Ask what failures could do to a job; None: the one on the job page."""

    def open_job(self, job_id: str) -> None:
        """Show the page of a job."""

    def show_failure_rates(self) -> None:
        """Show what fails in the scene."""


class IncidentQuestions(Protocol):
    """What can be asked about incidents from a menu."""

    def open(self) -> None:
        """Show the incident of the selection, or the last one."""

    def open_list(self) -> None:
        """Show all incidents by cause."""


class NeedQuestions(Protocol):
    """What can be asked about needs from a menu."""

    def ask(self) -> None:
        """Show the window of the need as it was left."""

    def close(self) -> None:
        """End what runs; call when the window closes."""


class LessonQuestions(Protocol):
    """What can be asked about lessons from a menu."""

    def choose(self) -> None:
        """Show the list of lessons."""

    def ask_file(self) -> None:
        """Let the person choose a lesson of their own."""

    def ask_person(self) -> str:
        """Ask under which name lessons are done."""

    def hand_in(self) -> None:
        """Save what was done as a file for the teacher."""

    def leave(self) -> None:
        """Leave the lesson."""

    def entries(self) -> Iterator[PaletteEntry]:
        """Yield the lessons, for the command palette."""


class LessonWork(Protocol):
    """The lesson that a teacher writes, as the window itself needs it."""

    def connect(self) -> None:
        """Listen to the parts of the window, which are all there."""

    def may_leave(self) -> bool:
        """Return whether what was written is saved, or may be lost; asks."""
        ...

    def close(self) -> None:
        """End what works aside, with the window."""


class DrillQuestions(Protocol):
    """What can be asked about drills from a menu."""

    def choose(self) -> None:
        """Ask which drill."""

    def finish(self) -> None:
        """End the drill that goes on."""

    def save(self) -> bool:
        """Keep the result of the last drill as a file; return whether it is kept."""
        ...

    def close(self) -> None:
        """End what works for the score, with the window."""


class StudyQuestions(Protocol):
    """What can be asked about studies from a menu."""

    def open(self) -> None:
        """Show the Study window."""

    def vary(self, path: str, values: str = "") -> None:
        """Set up a study in which a key of the open scene varies."""

    def close(self) -> None:
        """End what runs, with the window; the file keeps what was done."""


class WindowApi(QMainWindow):
    """The main window as others see it: its parts, and what it does; `MainWindow` builds the parts and does it."""

    look: Look
    session: Session
    settings: UserSettings
    transport: Transport
    timeline: Timeline
    hall: HallPanel
    welcome: Welcome
    docks: Docks
    going: Going
    files: Files
    editing: Editing
    tools: EditTools
    comparing: Comparing
    run_comparing: CompareRuns
    views: Views
    design: DesignTools
    planner: JobPlanner
    branching: BranchActions
    faults: FaultsMenu
    drains: Drains
    lessons: LessonQuestions
    lesson_writing: LessonWork
    drills: DrillQuestions
    studies: StudyQuestions
    notifications: Notifications
    menus: MenuBar
    help: HelpDesk
    presenting: Presenting
    needs: NeedQuestions

    @cached_property
    def questions(self) -> TradeQuestions:
        """Return who asks questions of the trade."""
        return TradeQuestions(self.look, self.session, self)

    @cached_property
    def seed_runs(self) -> SeedRuns:
        """Return who runs the open scene over seeds."""
        return SeedRuns(self.look, self.session, self, self.notifications.tell)

    @property
    def jobs_asked(self) -> JobQuestions:
        """Return who answers questions about jobs."""
        raise NotImplementedError

    @property
    def incidents_asked(self) -> IncidentQuestions:
        """Return who answers questions about incidents."""
        raise NotImplementedError

    def show_welcome(self) -> None:
        """Show the page with the scenes."""
        raise NotImplementedError

    def show_hall(self) -> None:
        """Show the hall of the open scene."""
        raise NotImplementedError

    def toggle_play(self) -> None:
        """Play or pause; Space presses a button that has the keyboard instead."""
        raise NotImplementedError

    def build_room(self) -> None:
        """Ask what a room is to be like, and put it into the hall."""
        raise NotImplementedError

    def new_scene(self) -> None:
        """Begin with an empty hall, laid out for building."""
        raise NotImplementedError

    def next_seed(self) -> None:
        """Run the scene again with other random draws."""
        raise NotImplementedError

    def go_to(self, thing: str) -> None:
        """Select a thing and fly to it; a job is shown in the inspector."""
        raise NotImplementedError

    def break_selection(self) -> None:
        """Ask what shall go wrong with what is selected or in the inspector."""
        raise NotImplementedError

    def tell(self, words: str) -> None:
        """Show words in the status bar for a while."""
        raise NotImplementedError

    def clear_selection(self) -> None:
        """Select nothing; from the welcome page go back to the hall."""
        raise NotImplementedError

    def open_palette(self) -> None:
        """Show the command palette."""
        raise NotImplementedError

    def choose_theme(self, choice: ThemeChoice) -> None:
        """Change the theme and remember it."""
        raise NotImplementedError

    def toggle_full_screen(self) -> None:
        """Fill the screen, or give it back."""
        raise NotImplementedError

    def show_story(self) -> None:
        """Show title, notes and sources of the scene."""
        raise NotImplementedError

    def world(self) -> World | None:
        """Return what facts are told of: the open scene with its newest figures; None before the first."""
        raise NotImplementedError
