"""Runs of the open scene with other seeds, in the background: asked for, followed in the status bar, shown as bands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QInputDialog, QMainWindow

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.figure_words import value_words
from twin.analysis.figures import FIGURES
from twin.analysis.rerun import scenario_of_run
from twin.app.monitor.status_progress import StatusProgress
from twin.app.session.plot_pages import CURVES_SHOWN
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.read_only_dialog import Page
from twin.app.toolkit.sliced_work import WindowEnd
from twin.language import counted, tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.schema.document import Scenario
from twin.studies.seed_curves import SeedCurves
from twin.studies.seed_curves_aside import curves_aside

USUAL, LEAST, MOST = 20, 2, 1000
SERIES = tuple(sorted({*CURVES_SHOWN, "site.interruptions", "site.spares"}))
"""Series of curves and tiles that have bands."""
_NONE = tr("There are none yet: Analyse > Run seeds in the background.")


class SeedRuns(StatusProgress):
    """Runs one scene over seeds at a time; in the status bar it says how far that is, and can be given up.

    Parameters
    ----------
    tell
        Is told a title and a sentence.
    """

    def __init__(
        self, look: Look, session: Session, window: QMainWindow, tell: Callable[[str, str], None]
    ) -> None:
        super().__init__(
            look, window, tr("Progress of the runs over seeds"), tr("Cancel the runs over seeds")
        )
        self._session, self._window, self._tell = session, window, tell
        self._aside: Aside[SeedCurves] | None = None
        self._scenario: Scenario | None = None  # as it is open
        WindowEnd(window, self.cancel)
        session.opened.connect(lambda _: self._on_opened())
        session.document_changed.connect(self._on_document)
        for acted in (session.broken, session.mended):
            acted.connect(lambda _: self._void(tr("An intervention changed the run.")))

    @property
    def is_running(self) -> bool:
        """Return whether runs go on."""
        return self._aside is not None

    def ask(self) -> None:
        """Ask how many seeds, and run them."""
        number, agreed = QInputDialog.getInt(
            self._window,
            tr("Run seeds in the background"),
            tr("Number of seeds, from that of the run on"),
            USUAL,
            LEAST,
            MOST,
        )
        if agreed:
            self.begin(number)

    def begin(self, number: int) -> None:
        """Run the scene with so many seeds, in place of runs that go on."""
        scenario = self._present()
        if scenario is None:
            return
        self.cancel()
        self._scenario = scenario
        seeds = range(self._session.seed, self._session.seed + number)
        self._aside = curves_aside(self._of_run(scenario), seeds, SERIES, self._session.end_s)
        self.bar.setRange(0, number)
        self.bar.setValue(0)
        self.words.setText(tr("{seeds} in the background", seeds=counted(number, "seed")))
        self.show()
        self._timer.start()

    def cancel(self) -> None:
        """Give up the runs that go on."""
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None
        self.hide()

    def poll(self) -> None:
        """Hear how far it is."""
        for word in self._aside.words() if self._aside is not None else ():
            if isinstance(word, RunProgress):
                self.bar.setValue(int(word.done))
                continue
            self.cancel()
            if isinstance(word, ProcessFailed):
                self._tell(tr("The runs over seeds failed"), word.why)
            else:
                self._session.over_seeds.show(word, self._scenario)
                told = tr(
                    "Tiles and plots show P5, P50 and P95; Analyse > Figures over seeds lists them all."
                )
                self._tell(tr("{seeds} run", seeds=counted(word.count, "seed")), told)

    def show_figures(self) -> None:
        """List all figures with their bands."""
        found = self._session.over_seeds.found
        if found is None:
            self._tell(tr("Figures over seeds"), _NONE)
            return
        page = Page(tr("Figures over seeds"), self._window)
        seeds = found.figures.seeds
        page.prose.add_paragraphs(
            [tr("P5, P50 and P95 of seeds {first} to {last}.", first=seeds[0], last=seeds[-1])]
        )
        page.prose.add_pairs(figure_pairs(found))
        page.show()

    def _of_run(self, scenario: Scenario) -> Scenario:
        """Return the scene with what people did in its run."""
        run_file = self._session.run_file
        if run_file is None or not self._session.begun:
            return scenario
        try:
            with Reader(run_file) as reader:
                return scenario_of_run(reader)
        except RunFileError:
            return scenario

    def _on_opened(self) -> None:
        """Bands are of the scene that was open."""
        self.cancel()
        self._session.over_seeds.clear()

    def _on_document(self, _: object) -> None:
        """Bands are of the scene as it was: after an edit there are none. What is looked at of the past is no edit."""
        scenario = self._present()
        is_same = scenario is self._scenario or scenario == self._scenario
        if not (is_same if self.is_running else self._session.over_seeds.is_of(scenario)):
            self._void(tr("The scene was edited."))

    def _present(self) -> Scenario | None:
        """Return the scene as it stands, with an edit that waits for its answer."""
        present = self._session.halls.foreseen or self._session.live
        return present.document.scenario if present.document is not None else None

    def _void(self, why: str) -> None:
        """Give up the runs that go on, and the bands there are: the scene or its run is another."""
        if self.is_running:
            self.cancel()
            self._tell(tr("The runs over seeds were cancelled"), why)
        if self._session.over_seeds.found is not None:
            self._session.over_seeds.clear()
            self._tell(tr("The bands over seeds are gone"), why)


def figure_pairs(found: SeedCurves) -> list[tuple[str, str]]:
    """Return title and P5, P50, P95 of each figure that the runs know."""
    pairs = []
    for figure in FIGURES:
        band = found.figures.bands.get(figure.key)
        if band is not None:
            words = [value_words(figure, value, band.p50) for value in (band.p5, band.p50, band.p95)]
            title = figure.title[:1].upper() + figure.title[1:]
            told = tr("{middle} ({low} to {high})", low=words[0], middle=words[1], high=words[2])
            pairs.append((title, told))
    return pairs
