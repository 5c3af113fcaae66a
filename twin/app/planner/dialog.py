"""The job dialog: choose model, GPUs and cut; see at once where a step's time and a GPU's memory go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from psygnal import Signal
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from twin.app.planner.draft import DraftEstimate, JobDraft, default_draft, draft_of_job, judge, yaml_of
from twin.app.planner.form import JobForm
from twin.app.planner.hardware import profile_hardware, scene_hardware
from twin.app.planner.pipeline_panel import PipelineGantt
from twin.app.planner.pipeline_schedule import timeline
from twin.app.planner.plans_table import PlansTable
from twin.app.planner.presets import presets
from twin.app.planner.results import JobResults
from twin.app.planner.search import best_plans, can_be_searched, with_plan
from twin.app.toolkit import theme
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.world.job_lookup import job_place
from twin.app.world.rows import World
from twin.commands.jobs import AddJob
from twin.language import tr
from twin.planning.job.job import PlanError
from twin.planning.search.search import Candidate, SearchResult
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.work import Load
from twin.scenario.schema.workload import Parallelism

if TYPE_CHECKING:
    from twin.app.planner.roofline import RooflinePlot
    from twin.app.planner.scaling import ScalingPanel

DEBOUNCE_MS = 60
_FORM_PX, _CHART_PX, _OF_SCREEN = 340, 230, 0.96
_PLANS, _PIPELINE, _ROOFLINE, _SCALING = range(4)


class JobDialog(QDialog):
    """Plans a job; the scene is touched only when it is put there.

    Attributes
    ----------
    draft, judged
        What is planned, and what the planner says of it.
    found
        What the last search brought; None before one.
    """

    draft_changed = Signal(object)  # Draft
    wanted = Signal(object)  # Command that puts the job into the scene
    wanted_anew = Signal()  # the same, once the run has started again

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look
        self.setWindowTitle(tr("Plan a job"))
        self.setSizeGripEnabled(True)
        wanted = QSize(820 + theme.scaled(_FORM_PX), 800)
        self.resize(wanted.boundedTo(self.screen().availableSize() * _OF_SCREEN))
        self.setMinimumSize(560 + theme.scaled(_FORM_PX), 600)
        self._world: World | None = None
        self._hardware = profile_hardware()
        self.draft: JobDraft = default_draft(self._hardware)
        self.judged: DraftEstimate = judge(self.draft)
        self.found: SearchResult | None = None
        self._searched: JobDraft | None = None
        self.followed: str | None = None  # job of the run whose pace is shown
        self._title = ""
        self.form = JobForm(look)
        self.results = JobResults(look)
        self.plans = PlansTable(look)
        self.gantt = PipelineGantt(look)
        self.roofline: RooflinePlot | None = None
        self.scaling: ScalingPanel | None = None
        self.tabs = self._tabs()
        self._lay_out()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(DEBOUNCE_MS)
        self._later.timeout.connect(self.refresh)
        self.form.changed.connect(self._on_edit)
        self.results.advised.connect(self._on_edit)
        self.plans.chosen.connect(self._on_plan)
        self.plans.near_wanted.connect(self._on_near)
        self.best_button.clicked.connect(self.apply_best)
        self.live_box.toggled.connect(self._later.start)
        self.yaml_button.clicked.connect(self.copy_yaml)
        self.add_button.clicked.connect(self.add_to_scene)
        self.anew_button.clicked.connect(lambda: self.wanted_anew.emit())
        self.tabs.currentChanged.connect(lambda _: self._later.start())
        self.set_world(None)

    @property
    def pending(self) -> bool:
        """Whether an edit is not yet judged."""
        return self._later.isActive()

    # -- what others ask ----

    def set_world(self, world: World | None) -> None:
        """Plan on the GPUs of this scene, starting from its first job; None: on any GPU."""
        self._world = world
        self._hardware = (
            profile_hardware()
            if world is None
            else [*scene_hardware(world), *profile_hardware(world.catalog)]
        )
        self.results.whole.set_hall(world)
        self.form.offer(presets(world.scenario if world is not None else None), self._hardware)
        self.followed = None
        first = world.scenario.jobs[0].id if world is not None and world.scenario.jobs else None
        if first is None or not self.show_job(first):
            self._name(tr("Plan a job"))
            self.set_draft(default_draft(self._hardware))

    def show_job(self, job_id: str) -> bool:
        """Start from a job of the scene; False when there is none of this name that can be planned."""
        world = self._world
        place = job_place(world.scenario, job_id) if world is not None else None
        job = jobs_of(world.scenario)[place] if world is not None and place is not None else None
        draft = draft_of_job(world, job, self._hardware) if world is not None and job is not None else None
        if draft is None or job is None:
            return False
        self.followed = job.id
        self._name(tr("Plan a job, from {title}", title=job.title or job.id))
        self.set_draft(draft)
        return True

    def follow(self, step_s: float | None, pue: float | None = None) -> None:
        """Show the step time that the job it started from has in the run now, and reckon with the PUE of the run.

        None: it does not run.
        """
        self.results.show_live(step_s)
        self.results.whole.follow(pue)

    def set_draft(self, draft: JobDraft) -> None:
        """Show a draft: figures and bars at once, searches and charts when the slider rests."""
        self.draft, self.judged = draft, judge(draft, self.form.edited)
        self.form.show_draft(draft, self.judged.faults)
        self._side.setFixedWidth(max(theme.scaled(_FORM_PX), self.form.needed_px))
        self.results.show_judged(self.judged)
        self.yaml_button.setEnabled(self.judged.estimate is not None)
        self.add_button.setEnabled(self.judged.estimate is not None and draft.hardware.in_scene)
        self.best_button.setEnabled(can_be_searched(draft))
        self.live_box.setEnabled(can_be_searched(draft))
        self.draft_changed.emit(draft)
        self._later.start()

    def apply_best(self) -> None:
        """Cut the job as the fastest plan that fits."""
        found = self._search()
        if found is not None and found.best:
            self.set_draft(with_plan(self.draft, found.best[0]))
        else:
            self.tabs.setCurrentIndex(_PLANS)

    def copy_yaml(self) -> None:
        """Put the job into the clipboard as lines of a scenario."""
        QGuiApplication.clipboard().setText(yaml_of(self.draft))
        self.said.setText(tr("Copied nodes and workload as YAML."))

    def add_to_scene(self) -> None:
        """Put the job into the queue of the scene."""
        workload = self.draft.workload
        name = str(getattr(workload, "model", "") or "job")
        self.tell(tr("Adding {name} to the scene…", name=name))
        self.wanted.emit(AddJob(yaml_of(self.draft), name, saves=not isinstance(workload, Load)))

    def tell(self, words: str, anew: bool = False) -> None:
        """Show the result of the last request; `anew`: it needs a restart of the run."""
        self.said.setText(words)
        self.anew_button.setVisible(anew)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin at the first field, and say nothing of what was done before."""
        super().showEvent(event)
        if not event.spontaneous():
            self.tell("")
            self.form.model_box.setFocus()

    # -- building ----

    def _tabs(self) -> QTabWidget:
        tabs = _Charts()
        tabs.setDocumentMode(True)
        tabs.setAccessibleName(tr("Charts of the job"))
        tabs.addTab(self.plans, tr("Best plans"))
        tabs.addTab(self.gantt, tr("Pipeline"))
        for title in (tr("Roofline"), tr("Scaling")):
            page = QWidget()
            page.setProperty("role", "panel")
            page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            QVBoxLayout(page).setContentsMargins(0, 0, 0, 0)
            tabs.addTab(page, title)
        return tabs

    def _lay_out(self) -> None:
        self._side = side = QWidget()
        side.setProperty("role", "side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(self.form, 1)
        left.addWidget(self._buttons())
        page = QWidget()
        right = QVBoxLayout(page)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.results)
        right.addWidget(self.tabs, 1)
        self.tabs.setMinimumHeight(theme.scaled(_CHART_PX))  # larger text on a small screen scrolls
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(area, 1)

    def _buttons(self) -> QWidget:
        self.best_button = QPushButton(tr("&Best plan"))
        self.best_button.setToolTip(tr("Apply the fastest plan that fits on these GPUs"))
        self.live_box = QCheckBox(tr("&live"))
        self.live_box.setToolTip(tr("Search again whenever model, GPUs, batch or sequence change"))
        self.live_box.setAccessibleName(tr("Best plan, live"))
        self.yaml_button = QPushButton(tr("&Copy as YAML"))
        self.yaml_button.setToolTip(tr("Copies nodes and workload as YAML"))
        self.add_button = QPushButton(tr("&Add to the scene"))
        self.add_button.setProperty("role", "primary")
        self.add_button.setToolTip(
            tr("Adds the job to the queue of the open scene as one step; Undo removes it")
        )
        self.anew_button = QPushButton(tr("&Start the run again with it"))
        self.anew_button.setToolTip(tr("Restarts the run with the job in the scene"))
        self.anew_button.hide()
        for button in (self.best_button, self.yaml_button, self.add_button, self.anew_button):
            button.setAutoDefault(False)
        self.said = label("", "faint", wrap=True)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.best_button)
        row.addWidget(self.live_box)
        row.addStretch(1)
        below = ToolRow(self.look)
        below.row.setSpacing(10)
        below.add(self.add_button)
        below.row.setStretchFactor(self.add_button, 1)
        below.add(self.yaml_button)
        below.give_way = (self.yaml_button,)
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(14, 8, 12, 10)
        column.setSpacing(4)
        nest(column, row)
        column.addWidget(below)
        column.addWidget(self.said)
        column.addWidget(self.anew_button)
        return box

    def _name(self, title: str) -> None:
        self._title = title
        self.setWindowTitle(title)

    # -- following edits ----

    def _on_edit(self, draft: JobDraft) -> None:
        self.tell("")
        self.set_draft(draft)

    def _on_near(self, draft: JobDraft) -> None:
        self.set_draft(draft)
        self.apply_best()

    def _on_plan(self, plan: Candidate) -> None:
        self.set_draft(with_plan(self.draft, plan))

    def refresh(self) -> None:
        """Update the open tab; with the live box on, search the best plan first."""
        if self.live_box.isChecked() and can_be_searched(self.draft):
            found = self._search()
            if found is not None and found.best:
                best = with_plan(self.draft, found.best[0])
                if best != self.draft:
                    self.set_draft(best)
        show = {
            _PLANS: self._show_plans,
            _PIPELINE: self._show_pipeline,
            _ROOFLINE: self._show_roofline,
            _SCALING: self._show_scaling,
        }
        if self.isVisible():
            show[self.tabs.currentIndex()]()

    def _search(self) -> SearchResult | None:
        """Return what a search finds; the last one's where only the cut has changed since."""
        if not can_be_searched(self.draft):
            return None
        asked = _asked(self.draft)
        if asked != self._searched:
            try:
                self.found = best_plans(self.draft)
            except PlanError:
                self.found = None
            self._searched = asked
        return self.found

    def _show_plans(self) -> None:
        found = self._search()
        if found is not None:
            self.plans.show_found(found, self.draft)
        else:
            self.plans.show_none(
                tr("The search covers LLM training only; this workload uses the settings of the form.")
            )

    def _show_pipeline(self) -> None:
        estimate = self.judged.estimate
        if estimate is None:
            self.gantt.show_timeline(None, tr("This layout cannot run: see the form."))
            return
        made = timeline(self.draft, estimate)
        self.gantt.show_timeline(made, tr("No pipeline: all GPUs run the same work at the same time."))

    def _show_roofline(self) -> None:
        from twin.app.planner.roofline import RooflinePlot, roof, standing

        if self.roofline is None:
            self.roofline = RooflinePlot(self.look)
            self._fill(_ROOFLINE, self.roofline)
        self.roofline.show_roof(
            roof(self.draft), standing(self.draft, self.judged.estimate, self._world, self._hardware)
        )

    def _show_scaling(self) -> None:
        if self.scaling is None:
            from twin.app.planner.scaling import ScalingPanel

            self.scaling = ScalingPanel(self.look)
            self._fill(_SCALING, self.scaling)
        self.scaling.show_draft(self.draft)

    def _fill(self, tab: int, widget: QWidget) -> None:
        page = self.tabs.widget(tab)
        layout = page.layout() if page is not None else None
        if layout is not None:
            layout.addWidget(widget)


class _Charts(QTabWidget):
    """Tabs that give way to what stands above them: no chart insists on a height for its width."""

    def hasHeightForWidth(self) -> bool:
        return False


def _asked(draft: JobDraft) -> JobDraft:
    """Return the draft without what a search chooses."""
    workload = draft.workload.model_copy(update={"parallelism": Parallelism(), "recompute": "none"})
    return replace(draft, workload=workload)
