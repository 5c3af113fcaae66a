"""Two to eight designs side by side: money with ranges, time, carbon, power, what binds; runs over seeds; a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.background_process import Aside, PartMade, ProcessFailed, RunProgress
from twin.analysis.design_figures import DesignSamples, DesignToCompare, samples_aside
from twin.analysis.design_runs import DesignRun, design_runs_aside
from twin.analysis.designs_comparison import DesignsCompared, basis_words, compared, short_sentences
from twin.app.compare.design_bars import DesignBars
from twin.app.compare.designs_table import DesignsTable
from twin.app.files.report_page import page_filter, page_path
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.theme import scaled
from twin.drawings.render import pdf_bytes
from twin.drawings.site_drawings import comparison_drawings
from twin.language import tr
from twin.plant.error import PlantError
from twin.report.designs_report import designs_report
from twin.report.paper import report_bytes
from twin.whole_file import write_whole

_LEAST_PICTURE_PX = 130
_POLL_MS, _FINE, _BAR_PX, _SEEDS, _MOST_SEEDS, _FIRST = 120, 1000, 140, 5, 1000, "total_usd"


class DesignsWindow(QDialog):
    """Works the figures of designs out in the background, and shows them; closing it gives up what runs.

    Parameters
    ----------
    designs
        In their order; the others are held against the first.
    runs
        Full runs of each that were made already, with the same seeds; None: there are none.
    seeds
        Of runs of each that are begun at once; (): none are.

    Attributes
    ----------
    found
        What is shown; None: nothing yet.
    bars
        A picture of each figure, by its key.
    figure
        Key of the one that is looked at.
    """

    def __init__(
        self,
        look: Look,
        designs: Sequence[DesignToCompare],
        parent: QWidget,
        runs: list[list[DesignRun]] | None = None,
        seeds: Sequence[int] = (),
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setWindowTitle(tr("Designs compared"))
        self.resize(QSize(1280, 760).boundedTo(self.screen().availableSize() * 0.96))
        self._designs, self._runs = tuple(designs), runs
        self._samples: list[DesignSamples] = []
        self.found: DesignsCompared | None = None
        self.figure, self._wanted = _FIRST, tuple(seeds)
        self.bars: dict[str, DesignBars] = {}
        self._look = look
        self._lay_out(look)
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)
        self.table.figure_chosen.connect(self.show_figure)
        self._making: list[list[DesignRun]] | None = None
        self._aside: Aside[Any] | None = None
        self._begin(samples_aside(self._designs), tr("Figures are being worked out"))

    @property
    def busy(self) -> bool:
        """Return whether something is worked out, or runs."""
        return self._aside is not None

    def run_all(self, seeds: Sequence[int]) -> None:
        """Run all designs with these seeds; what went on is given up."""
        if len(self._samples) < len(self._designs):
            self._wanted = tuple(seeds)
            return
        self._end()
        self._making = [[] for _ in self._designs]
        scenarios = [design.document.scenario for design in self._designs]
        self._begin(design_runs_aside(scenarios, tuple(seeds)), tr("Full runs"))

    def cancel(self) -> None:
        """Give up what runs; what is shown stays."""
        self._end()
        self.progress.setText(tr("Cancelled"))

    def show_figure(self, key: str) -> None:
        """Show the bars of a figure at the top."""
        self.figure = key
        if key in self.bars:
            self.area.verticalScrollBar().setValue(self.bars[key].y())

    def save_report(self, path: Path) -> None:
        """Write what is shown as a page. Raises `OSError`."""
        if self.found is not None:
            write_whole(path, report_bytes(path, designs_report(self.found)))

    def done(self, result: int) -> None:
        """Give up what runs."""
        self._end()
        super().done(result)

    # -- following ----

    def poll(self) -> None:
        """Hear what there is."""
        for word in self._aside.words() if self._aside is not None else ():
            if isinstance(word, RunProgress):
                self.bar.setValue(round(_FINE * word.done / max(word.of, 1e-9)))
                if self._making is not None:
                    self.progress.setText(
                        tr("Full runs: {done:,.0f} of {of:,.0f}", done=word.done, of=word.of)
                    )
            elif isinstance(word, PartMade):
                self._take(word.made)
            else:
                self._over(word)

    def _take(self, made: DesignSamples | DesignRun) -> None:
        if isinstance(made, DesignSamples):
            self._samples.append(made)
        elif self._making is not None:
            self._making[made.design].append(made)

    def _over(self, word: object) -> None:
        making = self._making
        self._end()
        if isinstance(word, ProcessFailed):
            self.progress.setText(tr("Failed: {why}", why=word.why))
            return
        if making is not None:
            self._runs = [sorted(design_runs, key=lambda run: run.seed) for design_runs in making]
        self._show()
        if self._wanted:
            wanted, self._wanted = self._wanted, ()
            self.run_all(wanted)

    def _show(self) -> None:
        self.found = found = compared(self._samples, self._runs)
        self.table.show_found(found)
        for row in found.rows:
            if row.figure.key not in self.bars:
                self.bars[row.figure.key] = DesignBars(self._look)
                self._pictures.addWidget(self.bars[row.figure.key])
            self.bars[row.figure.key].show_row(found, row)
        self._place_bars()
        QTimer.singleShot(0, self, lambda: self.show_figure(self.figure))  # once all have their places
        self.answer.setText(" ".join(short_sentences(found)[:2]))
        late = [f"{title}: {count}" for title, count in zip(found.titles, found.late, strict=False) if count]
        more = [tr("Runs in which not all jobs were done: {late}.", late=", ".join(late))] if late else []
        self.basis.setText(" ".join([basis_words(found), *more]))
        self.report_button.setEnabled(True)
        self.copy_button.setEnabled(True)

    def _place_bars(self) -> None:
        """Give all bars their places at once: Qt would draw them on one another first."""
        self._pictures.activate()
        high_px = max(self._pictures.sizeHint().height(), self.area.viewport().height())
        self._desk.resize(self._desk.width(), high_px)
        self._pictures.activate()

    def _begin(self, aside: Aside[Any], words: str) -> None:
        self._aside = aside
        self.progress.setText(words)
        self.bar.setValue(0)
        self._show_running(True)
        self._timer.start()

    def _end(self) -> None:
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None
        self._making = None
        self.progress.setText("")
        self._show_running(False)

    def _show_running(self, running: bool) -> None:
        self.bar.setVisible(running)
        self.cancel_button.setVisible(running)
        self.run_button.setEnabled(not running)
        self.seeds.setEnabled(not running)

    # -- building ----

    def _lay_out(self, look: Look) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        head = QHBoxLayout()
        self.answer = label("", "title", wrap=True)
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        head.addWidget(self.answer, 1)
        head.addWidget(label(tr("SIMULATED"), "badge"), 0, Qt.AlignmentFlag.AlignTop)
        nest(column, head)
        self.table = DesignsTable(look)
        column.addWidget(self.table, 2)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setMinimumHeight(scaled(_LEAST_PICTURE_PX))
        self._desk = QWidget()
        self._pictures = QVBoxLayout(self._desk)
        self._pictures.setContentsMargins(0, 0, 0, 0)
        self._pictures.setSpacing(10)
        self._pictures.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.area.setWidget(self._desk)
        column.addWidget(self.area, 3)
        self.basis = label("", "muted", wrap=True)
        column.addWidget(self.basis)
        row = ToolRow(look)
        row.row.setSpacing(8)
        self.seeds = CountBox(1, _MOST_SEEDS, doubles=False)
        self.seeds.setValue(_SEEDS)
        self.seeds.setAccessibleName(tr("Full runs of each design"))
        self.seeds.setToolTip(tr("Full runs of each design, with the same seeds from 1 on"))
        self.run_button = QPushButton(tr("Run all with this many seeds"))
        self.run_button.setToolTip(
            tr(
                "Simulates all with failures and the same seeds: time, cost of a million tokens and of a PFLOP-day"
            )
        )
        self.run_button.clicked.connect(lambda: self.run_all(range(1, self.seeds.value() + 1)))
        self.bar = QProgressBar()
        self.bar.setRange(0, _FINE)
        self.bar.setFixedWidth(scaled(_BAR_PX))
        self.bar.setAccessibleName(tr("Progress of the comparison"))
        self.cancel_button = tool_button(look, "close", tr("Cancel; what is shown stays"))
        self.cancel_button.clicked.connect(self.cancel)
        self.progress = label("", "muted")
        self.copy_button = QPushButton(tr("Copy as a table"))
        self.copy_button.clicked.connect(self.copy)
        self.report_button = QPushButton(tr("Save a report\N{HORIZONTAL ELLIPSIS}"))
        self.report_button.setProperty("role", "primary")
        self.report_button.setToolTip(
            tr("One HTML page: the answer, bars with ranges, differences, all figures")
        )
        self.report_button.clicked.connect(self.ask_report)
        self.drawing_button = QPushButton(tr("Save a drawing\N{HORIZONTAL ELLIPSIS}"))
        self.drawing_button.setToolTip(
            tr("Plans of the halls side by side, each beside the first, with marks on what differs")
        )
        self.drawing_button.clicked.connect(self.ask_drawing)
        for widget in (self.seeds, self.run_button, self.bar, self.cancel_button, self.progress):
            row.add(widget)
        row.row.insertStretch(5, 1)
        for button in (self.copy_button, self.drawing_button, self.report_button):
            row.add(button)
            button.setEnabled(button is self.drawing_button)
        row.give_way = (self.copy_button, self.drawing_button, self.run_button)
        for button in (self.run_button, self.copy_button, self.drawing_button, self.report_button):
            button.setAutoDefault(False)
        column.addWidget(row)

    def copy(self) -> None:
        """Put the table into the clipboard, cells apart by tabs."""
        model = self.table.designs
        if model is not None:
            lines = ("\t".join(cell.replace("\n", " ") for cell in row) for row in model.table)
            QGuiApplication.clipboard().setText("\n".join(lines))
            self.progress.setText(tr("Copied."))

    def ask_report(self) -> None:
        """Let the person choose where the report goes, and write it."""
        chosen, kind = QFileDialog.getSaveFileName(self, tr("Save a report"), "designs.html", page_filter())
        if not chosen:
            return
        path = page_path(chosen, kind)
        try:
            self.save_report(path)
        except OSError as error:
            self.progress.setText(tr("Report not saved: {error}", error=error))
        else:
            self.progress.setText(tr("Report saved: {path}", path=path))

    def ask_drawing(self) -> None:
        """Let the person choose where the plans side by side go, and draw them."""
        title, words = tr("Save a drawing"), tr("Documents (*.pdf)")
        chosen, _ = QFileDialog.getSaveFileName(self, title, "designs.pdf", words)
        if not chosen:
            return
        path = Path(chosen if chosen.endswith(".pdf") else f"{chosen}.pdf")
        scenarios = [design.document.scenario for design in self._designs]
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            write_whole(path, pdf_bytes(comparison_drawings(scenarios), scenarios[0].title))
        except (OSError, PlantError) as error:
            self.progress.setText(tr("Drawing not saved: {error}", error=error))
        else:
            self.progress.setText(tr("Drawing saved: {path}", path=path))
        finally:
            QGuiApplication.restoreOverrideCursor()
