"""The table of docks: what each is called, what makes it, where it stands, and which part of the help it belongs to.

Menus, keys, command palette, layouts and help follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from PySide6.QtWidgets import QMainWindow

from twin.app.branches.branches_dock import BranchesDock
from twin.app.diagrams.diagram_dock import CoolingDock, PowerDock
from twin.app.diagrams.sankey_view import EnergyDock
from twin.app.fabric.dock import FabricDock
from twin.app.inspector.inspector import Inspector
from twin.app.jobs.jobs_dock import JobsDock
from twin.app.jobs.page_dock import JobPageDock
from twin.app.money.dock import MoneyDock
from twin.app.monitor.alarms_dock import AlarmsDock
from twin.app.monitor.availability_dock import AvailabilityDock
from twin.app.monitor.checks_dock import RulesDock
from twin.app.monitor.events_dock import EventsDock
from twin.app.monitor.incident_dock import IncidentDock
from twin.app.monitor.loss_dock import WhyDock
from twin.app.monitor.spares_dock import SparesDock
from twin.app.outliner.dock import OutlinerDock
from twin.app.palette.dock import PaletteDock
from twin.app.plots.plots_dock import PlotsDock
from twin.app.queue.dock import QueueDock
from twin.app.queue.feed import QueueFeed
from twin.app.queue.tenants_dock import TenantsDock
from twin.app.session.session import Session
from twin.app.shell.story_dock import StoryDock
from twin.app.shell.workspaces import Spot
from twin.app.teach.drill_dock import DrillDock
from twin.app.teach.lesson_dock import LessonDock
from twin.app.teach.lesson_editor_dock import LessonEditorDock
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.language import tr


class DockOfRun(Protocol):
    """Makes a dock of the session."""

    def __call__(self, look: Look, session: Session, parent: QMainWindow, /) -> Dock:
        """Return the dock."""


class DockOfQueue(Protocol):
    """Makes a dock that follows the jobs of the run."""

    def __call__(self, look: Look, session: Session, feed: QueueFeed, parent: QMainWindow, /) -> Dock:
        """Return the dock."""


@dataclass(frozen=True)
class MenuLine:
    """An action of the menu View that shows a dock."""

    title: str
    key: str
    icon: str
    roomy: bool = False  # whether the dock gets room for a picture


@dataclass(frozen=True)
class DockEntry:
    """A dock of the window.

    Parameters
    ----------
    name
        By which layouts and settings know it; never change it.
    help
        The part of the help that tells of it: page and anchor.
    words
        Other words for it, by which the command palette finds it.
    of_run, of_queue
        What makes it: one of the two.
    spots
        Workspace to where the dock stands there; in others it is closed.
    of_moment
        Whether its figures are of one moment: it then says how old they are.
    """

    name: str
    title: str
    help: str
    words: str = ""
    of_run: DockOfRun | None = None
    of_queue: DockOfQueue | None = None
    spots: Mapping[str, Spot] = field(default_factory=dict)
    view: MenuLine | None = None
    of_moment: bool = False

    def make(self, look: Look, session: Session, feed: QueueFeed, window: QMainWindow) -> Dock:
        """Return the dock."""
        if self.of_queue is not None:
            return self.of_queue(look, session, feed, window)
        assert self.of_run is not None, self.name
        return self.of_run(look, session, window)


DOCKS: tuple[DockEntry, ...] = (
    DockEntry(
        "inspector",
        tr("Inspector"),
        "window.md#look",
        tr("properties facts details selection"),
        Inspector,
        spots={"design": Spot("right", tab=0), "run": Spot("right", tab=0)},
    ),
    DockEntry(
        "fabric",
        tr("Fabric"),
        "window.md#look",
        tr("network links switches cables NICs collectives"),
        FabricDock,
        spots={
            "design": Spot("right", tab=1),
            "run": Spot("right", tab=1),
            "analyse": Spot("right", 1, tab=3),
        },
        of_moment=True,
    ),
    DockEntry(
        "power",
        tr("Power"),
        "window.md#docks",
        tr("one-line electrical diagram UPS feeds"),
        PowerDock,
        spots={
            "design": Spot("right", tab=2),
            "run": Spot("right", tab=2),
            "analyse": Spot("right", 1, tab=1),
        },
        view=MenuLine(tr("One-line diagram of the power"), "Shift+P", "bolt"),
        of_moment=True,
    ),
    DockEntry(
        "cooling",
        tr("Cooling"),
        "window.md#docks",
        tr("piping diagram coolant water CDU chiller"),
        CoolingDock,
        spots={
            "design": Spot("right", tab=3),
            "run": Spot("right", tab=3),
            "analyse": Spot("right", 1, tab=2),
        },
        view=MenuLine(tr("Piping diagram of the cooling"), "Shift+C", "loop"),
        of_moment=True,
    ),
    DockEntry(
        "incident",
        tr("Incident"),
        "window.md#incidents",
        tr("failure fault outage cost lost why did it stop what failed root cause repair"),
        IncidentDock,
        spots={"run": Spot("right", closed=True)},
    ),
    DockEntry(
        "events",
        tr("Events"),
        "window.md#look-back",
        tr("log messages history incidents"),
        EventsDock,
        spots={
            "design": Spot("bottom", tab=1),
            "run": Spot("bottom", tab=0),
            "analyse": Spot("right", tab=6),
            "teach": Spot("bottom", tab=1),
        },
    ),
    DockEntry(
        "alarms",
        tr("Alarms"),
        "window.md#docks",
        tr("warnings alerts acknowledge"),
        AlarmsDock,
        spots={"run": Spot("bottom", tab=5)},
    ),
    DockEntry(
        "jobs",
        tr("Jobs"),
        "window.md#plan",
        tr("training workloads MFU tokens"),
        JobsDock,
        spots={"run": Spot("bottom", tab=1), "analyse": Spot("right", tab=4)},
        of_moment=True,
    ),
    DockEntry(
        "job",
        tr("Job"),
        "window.md#docks",
        tr("progress failures checkpoints"),
        of_queue=JobPageDock,
        spots={"run": Spot("bottom", tab=2), "analyse": Spot("right", tab=1)},
        view=MenuLine(tr("Job page"), "Shift+J", "job", roomy=True),
        of_moment=True,
    ),
    DockEntry(
        "queue",
        tr("Queue"),
        "window.md#docks",
        tr("Gantt scheduler waiting jobs"),
        of_queue=QueueDock,
        spots={"run": Spot("bottom", tab=3), "analyse": Spot("right", tab=2)},
        view=MenuLine(tr("Queue and GPUs over time"), "Shift+Q", "clock", roomy=True),
        of_moment=True,
    ),
    DockEntry(
        "tenants",
        tr("Tenants"),
        "window.md#docks",
        tr("quota share partitions users accounts"),
        of_queue=TenantsDock,
        spots={"run": Spot("bottom", 1, tab=1), "analyse": Spot("right", tab=3)},
        view=MenuLine(tr("Tenants and partitions"), "Shift+N", "row"),
        of_moment=True,
    ),
    DockEntry(
        "spares",
        tr("Spares"),
        "window.md#docks",
        tr("hot spares repair technicians crew MTTR MTBF"),
        SparesDock,
        spots={"run": Spot("bottom", tab=4), "analyse": Spot("right", tab=5)},
        view=MenuLine(tr("Spare pool"), "Shift+S", "spare", roomy=True),
        of_moment=True,
    ),
    DockEntry(
        "energy",
        tr("Energy"),
        "window.md#docks",
        tr("Sankey diagram PUE losses power bill cost electricity carbon CO2"),
        EnergyDock,
        spots={"run": Spot("bottom", tab=8), "analyse": Spot("right", 1, tab=0)},
        view=MenuLine(tr("Energy flow"), "Shift+E", "flow"),
        of_moment=True,
    ),
    DockEntry(
        "plots",
        tr("Plots"),
        "channels.md",
        tr("charts curves graphs metrics trends PUE WUE bill carbon water temperature"),
        PlotsDock,
        spots={
            "run": Spot("bottom", 1, tab=0),
            "analyse": Spot("bottom", tab=0),
            "teach": Spot("bottom", tab=0),
        },
    ),
    DockEntry(
        "checks",
        tr("Checks"),
        "rules.md",
        tr("design rules findings validation errors warnings"),
        RulesDock,
        spots={"design": Spot("bottom", tab=0)},
        view=MenuLine(tr("Design rules"), "Shift+K", "check"),
    ),
    DockEntry(
        "availability",
        tr("Availability"),
        "availability.md",
        tr("uptime MTBF downtime outages a year nines reliability redundancy risk single points"),
        AvailabilityDock,
        spots={"design": Spot("bottom", tab=2)},
        view=MenuLine(tr("Availability of power, cooling and network"), "Shift+U", "gauge"),
    ),
    DockEntry(
        "money",
        tr("Money"),
        "money.md",
        tr(
            "cost capital price token TCO CAPEX OPEX NPV rent own bill USD GPU-hour budget prices spot "
            "preemptible cloud PPA"
        ),
        MoneyDock,
        spots={"design": Spot("bottom", tab=3), "analyse": Spot("right", 1, tab=4)},
        view=MenuLine(tr("Money: capital, cost of a year and of a GPU-hour"), "Shift+M", "coins", roomy=True),
    ),
    DockEntry(
        "palette",
        tr("Parts"),
        "window.md#build-and-edit",
        tr("catalogue components library prefabs"),
        PaletteDock,
        spots={"design": Spot("left", tab=0)},
    ),
    DockEntry(
        "outliner",
        tr("Outliner"),
        "window.md#docks",
        tr("tree hierarchy"),
        OutlinerDock,
        spots={"design": Spot("left", 1, tab=0)},
        view=MenuLine(tr("Outliner"), "Shift+O", "list"),
    ),
    DockEntry(
        "story",
        tr("Story"),
        "scenes.md",
        tr("notes sources about the scene"),
        StoryDock,
        spots={"teach": Spot("bottom", 1, tab=0)},
    ),
    DockEntry(
        "branches",
        tr("Branches"),
        "window.md#what-if-and-compare",
        tr("what if fork sweep variants futures"),
        BranchesDock,
        spots={"run": Spot("bottom", tab=7)},
    ),
    DockEntry(
        "why",
        tr("Why"),
        "summary.md#accounts",
        tr("lost GPU time losses explain causes goodput MTBF downtime waste ETTR"),
        WhyDock,
        spots={"run": Spot("bottom", tab=6), "analyse": Spot("right", tab=0)},
    ),
    DockEntry(
        "lesson",
        tr("Lesson"),
        "window.md#lessons",
        tr("course learn exercise teach tutorial step task hint check"),
        LessonDock,
        spots={"teach": Spot("left", tab=0)},
        view=MenuLine(tr("Lesson beside the hall"), "Ctrl+Shift+L", "book"),
    ),
    DockEntry(
        "drill",
        tr("Drill"),
        "window.md#drills",
        tr("operator exercise runbook training emergency score"),
        DrillDock,
        spots={"run": Spot("right", closed=True)},
    ),
    DockEntry(
        "lesson_editor",
        tr("Lesson editor"),
        "window.md#writing-lessons",
        tr("author write lesson record teacher course step condition"),
        LessonEditorDock,
        spots={"teach": Spot("left", tab=1, closed=True)},
    ),
)
"""In the order of the menu Window. Layouts of users are dropped when a dock comes or goes."""
