"""Two designs that are to be compared: which, for how long, with which draws; both are simulated in the background."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.background_runs import recorded_aside
from twin.app.files.scene_list import SUFFIX, own_title, shipped_scenes, title_of
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.plant.build import build
from twin.scenario import Document, load
from twin.scenario.reading.run_times import NoTime, length_s
from twin.scenario.schema.document import Scenario
from twin.shown_text import one_line
from twin.units import spoken

_FILTER = tr("Scenes (*{suffix} *.yaml *.yml);;All files (*)", suffix=SUFFIX)
_OTHER = tr("Another file\N{HORIZONTAL ELLIPSIS}")
_MOST_SEED, _MOST_SEEDS = 2**31 - 1, 1000
_WIDTH_PX, _POLL_MS, _FINE = 520, 150, 1000
_SHOWN_LETTERS = 24
_NAMES = "ABCDEFGH"
_TO_THE_END = tr("to the end of each")


@dataclass(frozen=True)
class DesignChoice:
    """A scene that can be run: one that is open, or a file that is read when it is needed."""

    title: str
    source: Document | Path

    def scenario(self) -> Scenario:
        """Return it; raises one of `SCENE_ERRORS`."""
        scenario = (self.source if isinstance(self.source, Document) else load(self.source)).scenario
        build(scenario)  # a hall that cannot be built is refused now, and not by the process that runs it
        return scenario

    def document(self) -> Document:
        """Return it with its text; raises one of `SCENE_ERRORS`."""
        return self.source if isinstance(self.source, Document) else load(self.source)


@dataclass(frozen=True)
class Simulated:
    """Two recorded runs in a folder that goes when nobody holds it any more.

    Attributes
    ----------
    titles
        Of both designs.
    seeds
        How many runs of each are wanted; 1: the recorded ones are all.
    """

    folder: TemporaryDirectory[str]
    runs: tuple[Path, Path]
    titles: tuple[str, str]
    seeds: int


class DesignsDialog(QDialog):
    """Asks for two designs, runs both, and tells of their recordings; closing it gives up what runs.

    Parameters
    ----------
    open_designs
        What is offered first: the open scene as it stands, and as it was saved.
    own
        Other scenes of one's own, offered before the shipped ones.
    seed
        Of the random draws, at first.
    second
        What the open scene is compared with, at first; None: the first other design.
    """

    made = Signal(object)  # Simulated
    designs_wanted = Signal(object, object)  # list of DesignToCompare, seeds of their runs

    def __init__(
        self,
        open_designs: list[DesignChoice],
        own: list[Path],
        seed: int,
        parent: QWidget,
        second: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._designs = [
            *open_designs,
            *(DesignChoice(own_title(path), path) for path in own),
            *(DesignChoice(title_of(path), path) for path in shipped_scenes()),
        ]
        self._asides: list[Aside[Path]] = []
        self._folder: TemporaryDirectory[str] | None = None
        self._done: set[int] = set()
        self.setWindowTitle(tr("Compare designs"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(scaled(_WIDTH_PX))
        self._lay_out(seed)
        for place, box in enumerate(self.boxes):
            box.setCurrentIndex(place)
        if second is not None:
            self.choose_file(self.b_box, second)
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)
        self._show_running(False)

    @property
    def asides(self) -> list[Aside[Path]]:
        """The runs under way."""
        return self._asides

    # -- what is asked for ----

    @property
    def running(self) -> bool:
        """Return whether designs are simulated."""
        return bool(self._asides)

    def choose_file(self, box: QComboBox, path: Path) -> None:
        """Choose a scene file as one of both designs."""
        self._designs.append(DesignChoice(path.name, path))
        for design in self.boxes:
            design.insertItem(design.count() - 1, path.name, len(self._designs) - 1)
        box.setCurrentIndex(box.count() - 2)

    def begin(self) -> None:
        """Begin to simulate both, or say why they cannot be."""
        chosen = [self._designs[box.currentData()] for box in (self.a_box, self.b_box)]
        text = self.length.text().strip()
        try:
            until_s = length_s(text) if text else None
            scenarios = [design.scenario() for design in chosen]
        except NoTime as error:
            self._tell(tr("Length: {error}", error=error))
            return
        except (*SCENE_ERRORS, OSError) as error:
            self._tell(str(error))
            return
        self._folder = TemporaryDirectory(prefix="twin-compare-", ignore_cleanup_errors=True)
        runs = Path(self._folder.name) / "a.twinrun", Path(self._folder.name) / "b.twinrun"
        self.wanted = Simulated(self._folder, runs, (chosen[0].title, chosen[1].title), self.seeds.value())
        self._done = set()
        self._asides = [
            recorded_aside(scenario, self.seed.value(), until_s, path)
            for scenario, path in zip(scenarios, runs, strict=True)
        ]
        for name, bar, scenario in zip("AB", self.bars, scenarios, strict=True):
            bar.setValue(0)
            end_s = min(until_s or scenario.duration_s, scenario.duration_s)
            bar.setFormat(f"{name} begins \N{MIDDLE DOT} {spoken(end_s)}")
        self._tell("")
        self._show_running(True)

    def add_design(self) -> None:
        """Let one more design be chosen; three or more are compared by their figures alone."""
        place, name = len(self.boxes), _NAMES[len(self.boxes)]
        box = self._design_box()
        box.setAccessibleName(name)
        box.setCurrentIndex(min(place, box.count() - 2))
        self.boxes.append(box)
        self._form.insertRow(place, name, box)
        QWidget.setTabOrder(self.boxes[place - 1], box)
        self.add_button.setVisible(len(self.boxes) < len(_NAMES))
        self.go_button.hide()
        self.length.clear()  # figures are of whole scenes
        self.length.setEnabled(False)
        self.figures_button.setProperty("role", "primary")
        self.figures_button.style().polish(self.figures_button)
        self.figures_button.setDefault(True)
        self.adjustSize()

    def compare_figures(self) -> None:
        """Compare the designs by what they cost, take, emit and draw, or say why that cannot be."""
        from twin.analysis.design_figures import DesignToCompare

        chosen = [self._designs[box.currentData()] for box in self.boxes]
        try:
            designs = [DesignToCompare(choice.title, choice.document()) for choice in chosen]
            for choice in chosen:
                choice.scenario()
        except (*SCENE_ERRORS, OSError) as error:
            self._tell(str(error))
            return
        count, first = self.seeds.value(), self.seed.value()
        super().accept()
        self.designs_wanted.emit(designs, range(first, first + count) if count > 1 else ())

    def cancel(self) -> None:
        """Give up what runs; nothing is left of it. Where nothing runs, close."""
        if self.running:
            self._end()
            self._tell(tr("Cancelled"))
        else:
            self.reject()

    def poll(self) -> None:
        """Hear how far both are."""
        for place, aside in enumerate(self._asides):
            for word in aside.words():
                if isinstance(word, RunProgress):
                    self.bars[place].setValue(round(_FINE * word.done / max(word.of, 1e-9)))
                    self.bars[place].setFormat(f"{'AB'[place]}: {spoken(word.done)} of {spoken(word.of)}")
                elif isinstance(word, ProcessFailed):
                    self._end()
                    self._tell(tr("{value} failed: {why}", value="AB"[place], why=word.why))
                    return
                else:
                    self._done.add(place)
                    self.bars[place].setValue(_FINE)
        if self._asides and len(self._done) == len(self._asides):
            self._folder = None  # whoever hears of it holds it now
            self._end()
            super().accept()
            self.made.emit(self.wanted)

    def done(self, result: int) -> None:
        """Give up what runs."""
        self._end()
        super().done(result)

    # -- building ----

    def _lay_out(self, seed: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.addWidget(label(tr("Compare designs"), "title"), 1)
        head.addWidget(label(tr("SIMULATED"), "badge"))
        nest(column, head)
        note = tr(
            "Two are simulated with the same random draws, so the same failures occur in both, and shown side by side. "
            "Figures of up to eight are compared with their ranges, without a run or over several."
        )
        column.addWidget(label(note, "muted", wrap=True))
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(9)
        self.a_box, self.b_box = self._design_box(), self._design_box()
        self.boxes = [self.a_box, self.b_box]
        self.length = QLineEdit()
        self.length.setPlaceholderText(_TO_THE_END)
        self.length.setToolTip(tr("Such as 6 h or 2 day 12 h; empty: to the end of each scene"))
        self.seed, self.seeds = (
            CountBox(0, _MOST_SEED, doubles=False),
            CountBox(1, _MOST_SEEDS, doubles=False),
        )
        self.seed.setValue(min(seed, _MOST_SEED))
        self.seed.setToolTip(tr("Random seed, the same for both"))
        self.seeds.setToolTip(
            tr(
                "With several, each design also runs with this many seeds: each difference gets a confidence interval"
            )
        )
        self._fields = (self.a_box, self.b_box, self.length, self.seed, self.seeds)
        for title, field in zip(
            ("A", "B", tr("Length"), tr("Seed"), tr("Runs of each")), self._fields, strict=True
        ):
            field.setAccessibleName(title)
            form.addRow(title, field)
        self._form = form
        self.add_button = QPushButton(tr("Add a design"))
        self.add_button.setProperty("role", "link")
        self.add_button.setAutoDefault(False)
        self.add_button.setToolTip(tr("Compare up to eight designs"))
        self.add_button.clicked.connect(self.add_design)
        form.insertRow(2, "", self.add_button)
        nest(column, form)
        self.bars = (QProgressBar(), QProgressBar())
        for name, bar in zip("AB", self.bars, strict=True):
            bar.setRange(0, _FINE)
            bar.setAccessibleName(tr("Progress of {name}", name=name))
            column.addWidget(bar)
        self.words = label("", "muted", wrap=True)
        column.addWidget(self.words)
        row = QHBoxLayout()
        row.addStretch(1)
        self.cancel_button, self.go_button = QPushButton(tr("Cancel")), QPushButton(tr("Simulate both"))
        self.cancel_button.setAutoDefault(False)
        self.cancel_button.clicked.connect(self.cancel)
        self.go_button.setProperty("role", "primary")
        self.go_button.setDefault(True)
        self.go_button.setToolTip(tr("Run both in the background, then show them side by side (Enter)"))
        self.go_button.clicked.connect(self.begin)
        self.figures_button = QPushButton(tr("Compare figures"))
        self.figures_button.setAutoDefault(False)
        self.figures_button.setToolTip(
            tr(
                "Money with ranges, time, carbon, power and what binds each; with several runs of each, over them"
            )
        )
        self.figures_button.clicked.connect(self.compare_figures)
        row.addWidget(self.cancel_button)
        row.addWidget(self.figures_button)
        row.addWidget(self.go_button)
        nest(column, row)

    def _design_box(self) -> DropDown:
        box = DropDown()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_SHOWN_LETTERS)  # a longer title ends in an ellipsis
        for number, design in enumerate(self._designs):
            title = one_line(design.title)
            box.addItem(title, number)
            box.setItemData(number, plain_tip(title), Qt.ItemDataRole.ToolTipRole)
        box.addItem(_OTHER, -1)
        box.activated.connect(partial(self._on_chosen, box))
        return box

    def _on_chosen(self, box: QComboBox, _index: int) -> None:
        if box.currentData() >= 0:
            return
        chosen, _ = QFileDialog.getOpenFileName(self, tr("A design to compare"), "", _FILTER)
        if chosen:
            self.choose_file(box, Path(chosen))
        else:
            box.setCurrentIndex(0)

    def _tell(self, words: str) -> None:
        self.words.setText(words)
        self.words.setVisible(bool(words))

    def _end(self) -> None:
        """End both processes, and forget what they have written unless somebody holds it."""
        self._timer.stop()
        for aside in self._asides:
            aside.close()
        self._asides = []
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        self._show_running(False)

    def _show_running(self, running: bool) -> None:
        for bar in self.bars:
            bar.setVisible(running)
        for field in (*self._fields, *self.boxes, self.add_button, self.figures_button, self.go_button):
            field.setEnabled(not running)
        self.cancel_button.setToolTip(
            tr("Cancel both runs; results are discarded") if running else tr("Close this window (Esc)")
        )
        if running:
            self._timer.start()
        self.adjustSize()
