"""What is asked of a study: keys, design, seeds, figures, file; told at the field where it cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.study.goal_rows import GoalRows
from twin.app.study.key_rows import KeyRows, reason_of
from twin.app.study.run_place import RunPlace
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.scenario import Document, ScenarioError
from twin.scenario.reading.run_times import NoTime, length_s
from twin.shown_text import capitalised
from twin.studies.adaptive import OPTIMISED_POINTS
from twin.studies.continued import INDICES, OPTIMISED, goals_of, values_text
from twin.studies.design import FILLED_POINTS, MOST_POINTS, RANGE_LEVELS, DesignKind
from twin.studies.study import POOL, SweepPlan, SweepRequest, planned
from twin.studies.study_error import StudyError
from twin.studies.study_figures import DEFAULT_FIGURES, STUDY_FIGURES, chosen_figures, is_closed
from twin.studies.sweep_file import SUFFIX
from twin.studies.sweep_records import SweepHeader
from twin.studies.varied_key import varied_key
from twin.units import spoken

_LATER_MS = 250
_MOST_SEED, _MOST_SEEDS = 2**31 - 1, 10_000
_MOST_PLANNED = 20_000
"""Of more points only the number is told while somebody types."""
_LIST_PX = 132
DESIGNS: dict[str, tuple[str, str, int, str]] = {
    "grid": (
        tr("Grid: all values with all"),
        tr("Values of a range"),
        RANGE_LEVELS,
        tr("Each value of a key with each of the others"),
    ),
    "lhs": (
        tr("Latin hypercube"),
        tr("Points"),
        FILLED_POINTS,
        tr("Fills the space: each of as many equal slices of every key has one point"),
    ),
    "sobol": (
        tr("Sobol' sequence"),
        tr("Points"),
        FILLED_POINTS,
        tr("Fills the space evenly; best with a power of two"),
    ),
    INDICES: (
        tr("Which keys matter (Sobol' indices)"),
        tr("Base samples"),
        FILLED_POINTS,
        tr("Shares of the variance that each key explains; with k keys, k + 2 points a sample"),
    ),
    OPTIMISED: (
        tr("The best designs (NSGA-II)"),
        tr("Points, at most"),
        OPTIMISED_POINTS,
        tr("An evolutionary search for the best by your goals, within limits"),
    ),
}
"""By kind: title, what its number is, the number at first, what it does."""


@dataclass(frozen=True)
class StudyWish:
    """A study as the form has it.

    Attributes
    ----------
    asked
        For `twin.studies`.
    figures
        Keys of figures that are asked for.
    out
        Its file.
    """

    asked: SweepRequest
    figures: tuple[str, ...]
    out: Path


class SetupForm(QScrollArea):
    """The form of a study.

    Attributes
    ----------
    plan
        What is run by it as it stands; None: it cannot be, or is not worked out.
    points, runs
        How many, at most; 0: it cannot be.
    """

    changed = Signal()  # something else is asked for
    checked = Signal()  # it is known whether that can be

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._document: Document | None = None
        self._scene = ""
        self.plan: SweepPlan | None = None
        self.points = self.runs = 0
        self._filling = False
        self._own_name = False  # somebody has named the file
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields have it
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("What is studied"))
        self._lay_out()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_LATER_MS)
        self._later.timeout.connect(self.check)
        for signal in (self.keys.changed, self.goals.changed, self.place.changed):
            signal.connect(self._on_change)
        self._on_design(0)

    # -- building ----

    def _lay_out(self) -> None:
        look = self._look
        self.keys, self.goals, self.place = KeyRows(look), GoalRows(look), RunPlace(look)
        self.design_box = DropDown()
        for kind, (title, _, _, _) in DESIGNS.items():
            self.design_box.addItem(title, kind)
        self.number = CountBox(1, MOST_POINTS, doubles=False)
        self.seeds, self.seed = (
            CountBox(1, _MOST_SEEDS, doubles=False),
            CountBox(0, _MOST_SEED, doubles=False),
        )
        self.seeds.setToolTip(
            tr("Runs of each point, so that figures have bands; all points have the same seeds")
        )
        self.seed.setToolTip(tr("The first seed, the same for all points"))
        self.length, self.file = QLineEdit(), QLineEdit()
        self.length.setPlaceholderText(tr("to the end"))
        self.length.setToolTip(tr("Where runs stop, such as 6 h or 2 day; empty: at the end of the scene"))
        self.file.setToolTip(
            tr("The sweep file: results are kept as they come, and a study goes on from there")
        )
        self.file_button = tool_button(look, "open", tr("Choose where the sweep file lies"))
        self.file_button.clicked.connect(self._ask_file)
        self.figures = QListWidget()
        self.figures.setProperty("role", "lines")
        self.figures.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.figures.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.figures.setFixedHeight(scaled(_LIST_PX))
        self.figures.setToolTip(tr("Figures to look at; every run keeps all, and closed forms need no run"))
        for figure in STUDY_FIGURES.values():
            words = tr("{title}, no run", title=figure.title) if is_closed(figure) else figure.title
            item = QListWidgetItem(capitalised(words))
            item.setData(Qt.ItemDataRole.UserRole, figure.key)
            item.setFlags(
                Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            )
            self.figures.addItem(item)
        self.choose_figures(DEFAULT_FIGURES)
        self.design_tip, self.number_name = label("", "faint", wrap=True), label("", "muted")
        self.told = label("", "fault", wrap=True)
        self.file_told = label("", "fault", wrap=True)
        form = QFormLayout()
        form.setHorizontalSpacing(10)
        form.setVerticalSpacing(6)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        for head, name, field in (
            (self.number_name, tr("How many points"), self.number),
            (label(tr("Seeds"), "muted"), tr("Seeds of each point"), self.seeds),
            (label(tr("First seed"), "muted"), tr("First seed"), self.seed),
            (label(tr("Length"), "muted"), tr("Length of the runs"), self.length),
        ):
            field.setAccessibleName(name)
            form.addRow(head, field)
        self.file.setAccessibleName(tr("Sweep file"))
        self.figures.setAccessibleName(tr("Figures"))
        self.design_box.setAccessibleName(tr("Design"))
        self.design_box.setToolTip(tr("How points come about"))
        self.design_box.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.design_box.setMinimumContentsLength(12)
        file_row = QHBoxLayout()
        file_row.setSpacing(4)
        file_row.addWidget(self.file, 1)
        file_row.addWidget(self.file_button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(14, 12, 10, 14)
        column.setSpacing(7)
        column.addWidget(label(tr("WHAT VARIES"), "section"))
        column.addWidget(self.keys)
        column.addSpacing(4)
        column.addWidget(label(tr("DESIGN"), "section"))
        column.addWidget(self.design_box)
        column.addWidget(self.design_tip)
        column.addWidget(self.goals)
        nest(column, form)
        column.addWidget(self.told)
        column.addWidget(label(tr("FIGURES"), "section"))
        column.addWidget(self.figures)
        column.addWidget(label(tr("SWEEP FILE"), "section"))
        nest(column, file_row)
        column.addWidget(self.file_told)
        column.addWidget(label(tr("RUNS ON"), "section"))
        column.addWidget(self.place)
        column.addStretch(1)
        self.setWidget(content)
        self.told.hide()
        self.file_told.hide()
        self.design_box.currentIndexChanged.connect(self._on_design)
        for box in (self.number, self.seeds, self.seed):
            box.valueChanged.connect(self._on_change)
        self.length.textChanged.connect(self._on_change)
        self.file.textEdited.connect(self._on_named)
        self.figures.itemChanged.connect(self._on_change)

    # -- what it holds ----

    @property
    def kind(self) -> str:
        """Return the design."""
        return str(self.design_box.currentData())

    @property
    def chosen_figures(self) -> tuple[str, ...]:
        """Return the keys of the figures that are checked, and of those that are optimised."""
        items = (self.figures.item(row) for row in range(self.figures.count()))
        checked = [
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() == Qt.CheckState.Checked
        ]
        goals = [row.figure.key for row in self.goals.aims] if self.kind == OPTIMISED else []
        return tuple(dict.fromkeys((*goals, *checked)))

    def choose_figures(self, keys: tuple[str, ...]) -> None:
        """Check some figures, and no others."""
        for row in range(self.figures.count()):
            item = self.figures.item(row)
            checked = item.data(Qt.ItemDataRole.UserRole) in keys
            item.setCheckState(Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)

    @property
    def state(self) -> tuple[object, ...]:
        """Return what of the form makes one study another."""
        goals = (self.goals.aim_texts, self.goals.limit_texts) if self.kind == OPTIMISED else ()
        numbers = self.kind, self.number.value(), self.seeds.value(), self.seed.value()
        return (self.keys.texts, numbers, self.length.text().strip(), goals)

    @property
    def out(self) -> Path:
        """Return where the file is."""
        words = self.file.text().strip()
        return Path(words if words.endswith(SUFFIX) or not words else f"{words}{SUFFIX}").expanduser()

    @property
    def is_named(self) -> bool:
        """Return whether somebody has named the file."""
        return self._own_name

    def name_file(self, path: Path, *, own: bool = False) -> None:
        """Show where the file is to be; `own`: somebody has named it."""
        self._own_name = own
        self.file.setText(str(path))
        self.file.setCursorPosition(len(str(path)))

    def set_scene(self, document: Document | None, scene: str, seed: int | None = None) -> None:
        """Take the scene that is studied, and what it is called."""
        self._document, self._scene = document, scene
        self._filling = True
        self.keys.set_scene(document)
        if seed is not None:
            self.seed.setValue(min(seed, _MOST_SEED))
        self._filling = False
        self._later.start()

    def show_study(self, header: SweepHeader, levels: int | None) -> None:
        """Show what was asked for a study that is there; `levels`: values of each range of its grid, where known.

        Raises
        ------
        StudyError
            When its goals are none of this program.
        """
        aims, limits = goals_of(header)
        self._filling = True
        kind = header.design.split()[0]
        self.design_box.setCurrentIndex(self.design_box.findData(kind))
        self.keys.show_keys([(key.path, values_text(key)) for key in header.keys])
        self.goals.show_goals(aims, limits)
        self.number.setValue((levels or RANGE_LEVELS) if kind == "grid" else header.points)
        self.seeds.setValue(len(header.seeds))
        self.seed.setValue(min(header.seeds[0], _MOST_SEED))
        self.length.setText("" if header.until_s is None else spoken(header.until_s))
        self._filling = False
        self._later.start()

    def wish(self) -> StudyWish:
        """Return what is asked for; raises `NoTime` for a length that is none."""
        words = self.length.text().strip()
        until_s = length_s(words) if words else None
        plain: tuple[DesignKind, ...] = ("grid", "lhs", "sobol")
        out, optimises = self.out, self.kind == OPTIMISED
        asked = SweepRequest(
            self._scene,
            self.keys.texts,
            next((kind for kind in plain if kind == self.kind), "grid"),
            self.number.value(),
            self.seeds.value(),
            self.seed.value(),
            until_s,
            out=out,
            indices=self.kind == INDICES,
            optimise=self.goals.aim_texts if optimises else (),
            limits=self.goals.limit_texts if optimises else (),
        )
        return StudyWish(asked, self.chosen_figures, out)

    def hold(self, held: bool) -> None:
        """Let nothing be changed while runs are made."""
        content = self.widget()
        if content is not None and content.isEnabled() == held:
            content.setEnabled(not held)

    # -- whether it can be ----

    @property
    def waits(self) -> bool:
        """Return whether it is to be checked yet."""
        return self._later.isActive()

    def check(self) -> bool:
        """Tell at each field why it cannot be; return whether a study can be made of the form."""
        self._later.stop()
        self.plan, self.points, self.runs = None, 0, 0
        well = self.keys.check()
        why = self._plan() if well and self._document is not None else ""
        goals = why if self.kind == OPTIMISED and why.startswith(("--optimise", "--limit")) else ""
        self.goals.refuse(_bare(goals))
        rest = _bare(why) if why and not goals else ""
        self.told.setText(f"\N{WARNING SIGN} {rest}" if rest else "")
        self.told.setVisible(bool(rest))
        self.refuse_file("" if self.file.text().strip() else tr("name the file that keeps the results"))
        there = self.place.check()
        self.checked.emit()
        return there and self.runs > 0 and not self.file_told.isVisibleTo(self)

    def _plan(self) -> str:
        """Work out what is run; return why it cannot be, "" where it can."""
        if not self.keys.texts or self._document is None:
            return ""
        try:
            wish = self.wish()
            figures = chosen_figures(wish.figures)
            if not figures:
                return tr("choose a figure")
            if self._rough_points() > _MOST_PLANNED:
                self.points = self._rough_points()
                self.runs = self.points * self.seeds.value()
                return ""
            self.plan = planned(self._document, wish.asked, figures)
            self.points, self.runs = self.plan.points, self.plan.runs
        except NoTime as error:
            return tr("length: {error}", error=error)
        except StudyError as error:
            return str(error)
        except ScenarioError as error:
            return reason_of(error)
        return ""

    def _rough_points(self) -> int:
        number = self.number.value()
        if self.kind == "grid":
            points = 1
            for text in self.keys.texts:
                points *= len(varied_key(text).texts) or number
            return points
        return number * (len(self.keys.texts) + 2) if self.kind == INDICES else number

    def refuse_file(self, why: str) -> None:
        """Tell why the file cannot be; "": it can."""
        self.file_told.setText(f"\N{WARNING SIGN} {why}" if why else "")
        self.file_told.setVisible(bool(why))
        self.file.setAccessibleDescription(why)

    def refuse(self, why: str) -> None:
        """Tell why a study could not be carried out: at its file or its scheduler where it speaks of that."""
        if self.place.on != POOL and self.place.on in why:
            self.place.refuse(why)
        elif self.file.text().strip() and self.out.name in why:
            self.refuse_file(why)
        else:
            self.told.setText(f"\N{WARNING SIGN} {_bare(why)}")
            self.told.show()

    # -- following ----

    def _on_design(self, _place: int) -> None:
        _, name, number, tip = DESIGNS[self.kind]
        self.design_tip.setText(tip)
        self.number_name.setText(name)
        self.number.setToolTip(plain_tip(f"{name}: {tip}"))
        self.goals.setVisible(self.kind == OPTIMISED)
        if not self._filling:
            self.number.setValue(number)
        self._on_change()

    def _on_change(self, *_change: object) -> None:
        if not self._filling:
            self._later.start()
            self.changed.emit()

    def _on_named(self, _words: str) -> None:
        self._own_name = True
        self._on_change()

    def _ask_file(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self,
            tr("Where results are kept"),
            str(self.out),
            tr("Sweeps (*{suffix})", suffix=SUFFIX),
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if chosen:
            self.name_file(Path(chosen), own=True)
            self._on_change()


def _bare(why: str) -> str:
    option, colon, rest = why.partition(": ")
    return rest if colon and option.startswith("--") else why
