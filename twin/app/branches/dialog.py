"""What if from here: asks what a branch is called, what happens in it from then on, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin import units
from twin.analysis.branch import Addition
from twin.analysis.branch_changes import in_words, interval_in_words
from twin.app.branches.choices import Sort, breakable, cap_example, capped, free_path, policies, sorts_of
from twin.app.branches.futures import FuturesField
from twin.app.faults.break_choices import Choice, choices, injection, target_id
from twin.app.form.lines import add_line, beside, line_grid
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr
from twin.plant.tables import Plant
from twin.scenario import ScenarioError, parse_injection
from twin.scenario.reading.extend import SUFFIX
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario

_WIDTH_PX = 600
_GPU_W = 700.0
_SPANS = ("", "10 min", "1 h", "8 h")
_BY_ITSELF = tr("until cleared")


@dataclass(frozen=True)
class Wish:
    """A branch that is asked for.

    Parameters
    ----------
    at_s
        Its cut [s].
    title
        What it is called.
    path
        Where its scene goes; its run goes beside it.
    additions
        What happens from the cut on.
    seeds
        Over how many futures it is answered in the background; 0: it is opened, and people go on there.
    """

    at_s: float
    title: str
    path: Path
    additions: tuple[Addition, ...]
    seeds: int = 0


class BranchDialog(QDialog):
    """Asks for a branch.

    Parameters
    ----------
    at_s, when
        Its cut [s], and that time in words.
    scenario, plant
        As they stand there.
    folder
        Where branches of this scene lie.
    given
        What was asked for already: it happens at the cut.
    thing
        What is selected: the first on offer to be broken.
    """

    wanted = Signal(object)  # Wish

    def __init__(
        self,
        look: Look,
        at_s: float,
        when: str,
        scenario: Scenario,
        plant: Plant,
        folder: Path,
        given: Sequence[Addition],
        parent: QWidget,
        thing: str | None = None,
    ) -> None:
        super().__init__(parent)
        self._thing = thing
        self.at_s, self._scenario, self._plant, self._folder = at_s, scenario, plant, folder
        self.additions: list[Addition] = list(given)
        self._chosen_path: Path | None = None
        self._named = False  # by hand
        self._faults: list[Choice] = []
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("What if from here"))
        self.setMinimumWidth(_WIDTH_PX)
        self._lay_out(look, when)
        self._on_sort()

    @property
    def path(self) -> Path:
        """Return where the branch goes."""
        return self._chosen_path or free_path(self._folder, self.name_field.text())

    @property
    def line(self) -> str:
        """Return the line that does what is chosen now; "": nothing is."""
        at, target, value = (
            f"{self.at_s!r} s",
            self.target_box.currentText().strip(),
            self.value_box.currentText().strip(),
        )
        match self.sort:
            case Sort.FAULT:
                choice = self.fault
                if choice is None:
                    return ""
                lasts = self.lasts_box.currentText()
                lasts = "" if lasts == self.lasts_box.itemText(0) else lasts
                named = target_id(None if target == "site" else target, choice.kind)
                return injection(choice, named, at=at, lasts=lasts, value=value)
            case Sort.CAP:
                return f"{at} power_cap {target} value={value}"
            case Sort.CHECKPOINT:
                return f"{at} set jobs[{target}].checkpoint.interval value={value}"
            case Sort.POLICY:
                return f"{at} set scheduler.policy value={value}"
        return ""

    def choose(self, sort: Sort) -> None:
        """Choose a sort of change, where the scene has it."""
        place = self.sort_box.findData(sort.value)
        if place >= 0:
            self.sort_box.setCurrentIndex(place)

    @property
    def sort(self) -> Sort:
        """Return the sort of change that is chosen."""
        return Sort(self.sort_box.currentData())

    @property
    def fault(self) -> Choice | None:
        """Return the fault that is chosen."""
        index = self.fault_box.currentIndex()
        return self._faults[index] if 0 <= index < len(self._faults) else None

    def add(self) -> bool:
        """Take what is chosen among the changes; return whether it makes sense (else the reason is shown)."""
        chosen = self._chosen()
        if chosen is None:
            return False
        self.additions += chosen
        self.sort_box.setCurrentIndex(0)
        self._tell()
        return True

    def go(self) -> None:
        """Ask for the branch, to go on there; whoever makes it closes the dialog, which stays where it cannot be."""
        self._ask(0)

    def answer(self) -> None:
        """Ask what comes of it: run and branch are run on to one end, over as many futures as are asked for."""
        self._ask(self.futures.seeds)

    def _ask(self, seeds: int) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        additions = (*self.additions, *chosen)
        if seeds and not additions:
            self.show_problem(tr("No change yet: choose one, or open the branch and edit it there."))
            return
        title = self.name_field.text().strip() or tr("Branch")
        self.wanted.emit(Wish(self.at_s, title, self.path, additions, seeds))

    def _chosen(self) -> list[Addition] | None:
        """Return what is chosen now, nothing or one change; None: it makes no sense, as is shown."""
        self.problem.hide()
        if self.sort is Sort.FAULT and self.fault is None:
            self.show_problem(self._unbreakable())
            return None
        try:
            return [parse_injection(self.line)] if self.sort is not Sort.NOTHING else []
        except ScenarioError as error:
            problem = error.problems[0]
            self.show_problem(f"{problem.key}: {problem.reason}. {problem.hint}".rstrip())
            return None

    def _unbreakable(self) -> str:
        target = self.target_box.currentText().strip()
        near = nearest(target, breakable(self._plant))
        meant = tr(" Did you mean {near}?", near=near) if near else ""
        return tr("{target} cannot be a target here.{meant}", target=target or tr("Nothing"), meant=meant)

    def show_problem(self, sentence: str) -> None:
        """Tell why it cannot be."""
        self.problem.setText(sentence)
        self.problem.show()

    def _lay_out(self, look: Look, when: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        head = QHBoxLayout()
        mark = tool_button(look, "branch", tr("Branch"), colour="accent")
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        head.addWidget(mark)
        head.addWidget(label(tr("What if from {when}?", when=when), "title"), 1)
        head.addWidget(label("SIMULATED", "badge"))
        nest(column, head)
        words = tr("The branch shares this run's past until then. This run and its recording are kept.")
        column.addWidget(label(words, "muted", wrap=True))
        self.name_field = QLineEdit()
        self.sort_box, self.target_box, self.fault_box = DropDown(), DropDown(), DropDown()
        self.lasts_box, self.value_box = DropDown(), DropDown()
        for box in (self.target_box, self.lasts_box, self.value_box):
            box.setEditable(True)
        for sort in sorts_of(self._scenario):
            self.sort_box.addItem(sort.value, sort.value)
        self._grid = line_grid()
        self._row(tr("Name"), self.name_field, tr("Name of the branch"))
        self.changes_label = label("", wrap=True)
        self.forget_button = tool_button(look, "close", tr("Remove these changes"))
        self.forget_button.clicked.connect(self._forget)
        self._changes = self._row(
            tr("So far"), beside(self.changes_label, self.forget_button, stretch=(1, 0))
        )
        self._row(tr("Change"), self.sort_box, tr("Change in the branch from then on"))
        self._target = self._row(tr("Target"), self.target_box, tr("Item or job that changes"))
        self._fault = self._row(tr("What happens"), self.fault_box, tr("Faults possible here"))
        self.value_row = self._row(tr("Value"), self.value_box, tr("The new value, with its unit"))
        self._lasts = self._row(
            tr("How long"), self.lasts_box, tr("Until repaired, or a duration such as 20 min")
        )
        self.add_button = QPushButton(tr("Add change"))
        self.add_button.setToolTip(tr("Keep this change and add another"))
        self.add_button.clicked.connect(self.add)
        self.where_label, self.folder_label = ElidedLabel("faint"), ElidedLabel("faint")
        where = QWidget()
        lines = QVBoxLayout(where)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(2)
        lines.addWidget(self.where_label)
        lines.addWidget(self.folder_label)
        self.where_button = QPushButton(tr("Choose\N{HORIZONTAL ELLIPSIS}"))
        self.where_button.setToolTip(tr("Choose the file of the branch; its run is saved beside it"))
        self.where_button.clicked.connect(self._choose)
        self._row(tr("Save to"), beside(where, self.where_button, stretch=(1, 0)))
        self.futures = FuturesField()
        self._futures = self._row(tr("Answer"), self.futures)
        nest(column, self._grid)
        self.problem = label("", "fault", wrap=True)
        self.problem.hide()
        column.addWidget(self.problem)
        self.go_button = QPushButton(tr("Open the branch"))
        self.go_button.setToolTip(tr("Open the branch and continue there"))
        self.go_button.clicked.connect(self.go)
        self.answer_button = QPushButton(tr("Answer"))
        self.answer_button.setToolTip(
            tr("Run with and without the change in the background, then compare (Enter)")
        )
        self.answer_button.clicked.connect(self.answer)
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Close without a change (Esc)"))
        cancel.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.go_button)
        buttons.addWidget(self.answer_button)
        nest(column, buttons)
        self.sort_box.currentIndexChanged.connect(self._on_sort)
        self.target_box.currentTextChanged.connect(self._on_target)
        self.fault_box.currentIndexChanged.connect(self._on_fault)
        self.value_box.currentTextChanged.connect(self._tell)
        self.name_field.textEdited.connect(self._on_named)

    def _row(self, title: str, field: QWidget, tip: str = "") -> tuple[QLabel, QWidget]:
        return add_line(self._grid, title, field, tip), field

    def _on_sort(self) -> None:
        sort = self.sort
        shown = {
            self._target: sort in (Sort.FAULT, Sort.CAP, Sort.CHECKPOINT),
            self._fault: sort is Sort.FAULT,
            self.value_row: sort in (Sort.CAP, Sort.CHECKPOINT, Sort.POLICY),
            self._lasts: sort is Sort.FAULT,
        }
        for row, seen in shown.items():
            for widget in row:
                widget.setVisible(seen)
        offered: dict[Sort, Callable[[], list[str]]] = {
            Sort.FAULT: self._breakable,
            Sort.CAP: lambda: capped(self._scenario),
            Sort.CHECKPOINT: lambda: [job.id for job in self._scenario.jobs],
        }
        _refill(self.target_box, offered[sort]() if sort in offered else [])
        self.value_row[0].setText(tr("Value"))
        self.value_box.setEditable(sort is not Sort.POLICY)
        if sort is Sort.CHECKPOINT:
            _refill(self.value_box, ["5 min", "10 min", "30 min", "1 h"])
        elif sort is Sort.POLICY:
            now = self._scenario.scheduler.policy
            _refill(self.value_box, [name for name in policies() if name != now])
            self.value_row[0].setText(tr("Value, now {now}", now=now))
        self.problem.hide()
        self._on_target()

    def _breakable(self) -> list[str]:
        """Return what is on offer to be broken, what is selected first."""
        offered = breakable(self._plant)
        if self._thing is None or not choices(self._scenario, self._plant, self._thing):
            return offered
        return [self._thing, *(item for item in offered if item != self._thing)]

    def _on_target(self, *_text: str) -> None:
        target = self.target_box.currentText().strip()
        if self.sort is Sort.CAP:
            _refill(self.value_box, [cap_example(self._scenario, target, _GPU_W)])
        if self.sort is Sort.CHECKPOINT:
            job = next((job for job in self._scenario.jobs if job.id == target), None)
            now = "" if job is None else interval_in_words(job, self._scenario, self._plant)
            self.value_row[0].setText(tr("Value, now {now}", now=now) if now else tr("Value"))
        if self.sort is Sort.FAULT:
            self._faults = choices(self._scenario, self._plant, None if target == "site" else target)
            self.fault_box.blockSignals(True)
            self.fault_box.clear()
            for choice in self._faults:
                self.fault_box.addItem(choice.title)
            self.fault_box.blockSignals(False)
            self._on_fault()
        self._tell()

    def _on_fault(self, *_index: int) -> None:
        choice = self.fault
        takes = choice is not None and bool(choice.dimension)
        for widget in self.value_row:
            widget.setVisible(takes)
        for widget in self._lasts:
            widget.setVisible(choice is not None and choice.lasts)
        _refill(self.value_box, [choice.value] if choice is not None and takes else [])
        repair = choice.repair if choice is not None else ""
        _refill(self.lasts_box, [repair or _BY_ITSELF, *(span for span in _SPANS if span)])
        self._tell()

    def _on_named(self, *_text: str) -> None:
        self._named = bool(self.name_field.text().strip())
        self._tell()

    def _forget(self) -> None:
        self.additions.clear()
        self._tell()

    def _choose(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self, tr("Save the branch"), str(self.path), tr("Scenes (*{suffix})", suffix=SUFFIX)
        )
        if chosen:
            self._chosen_path = Path(chosen if chosen.endswith(SUFFIX) else f"{chosen}{SUFFIX}")
            self._tell()

    def _tell(self, *_said: object) -> None:
        """Show what was chosen so far, what the branch is called, and where it goes."""
        for widget in self._changes:
            widget.setVisible(bool(self.additions))
        words = [in_words(addition) for addition in self.additions]
        self.changes_label.setText("\n".join(words))
        if not self._named:
            self.name_field.setText(self._proposed([*words, *self._words_now()]))
            self.name_field.setCursorPosition(0)
        path = self.path
        for line, name in ((self.where_label, path.name), (self.folder_label, str(path.parent))):
            line.setText(name)
            line.setToolTip(plain_tip(str(path)))
        self.add_button.setVisible(self.sort is not Sort.NOTHING)
        changes = bool(self.additions) or self.sort is not Sort.NOTHING
        for widget in (*self._futures, self.answer_button):
            widget.setVisible(changes)
        first, second = self.answer_button, self.go_button
        if not changes:
            first, second = second, first
        for button, role in ((first, "primary"), (second, "")):
            if button.property("role") != role:
                with_role(button, role)
        first.setDefault(True)
        self.adjustSize()

    def _words_now(self) -> list[str]:
        try:
            named = self.sort is not Sort.NOTHING and (self.sort is not Sort.FAULT or self.fault is not None)
            return [in_words(parse_injection(self.line))] if named else []
        except ScenarioError:
            return []

    def _proposed(self, words: list[str]) -> str:
        more = tr(" and {words} more", words=len(words) - 1) if len(words) > 1 else ""
        when = units.spoken(float(round(self.at_s))) if self.at_s >= 1.0 else tr("the start")
        return tr(
            "{words}{more} from {when}", words=words[0] if words else tr("What if"), more=more, when=when
        )[:120]


def _refill(box: QComboBox, items: Sequence[str]) -> None:
    """Put other items into a box; what it says stays where it is among them."""
    chosen = box.currentText()
    box.blockSignals(True)
    box.clear()
    box.addItems(list(items))
    box.setCurrentIndex(items.index(chosen) if chosen in items else 0)
    if (words := box.lineEdit()) is not None:
        words.setCursorPosition(0)  # of long ones the beginning is seen
    box.blockSignals(False)
