"""One of two recorded runs that are held against each other: its hall, its figures and its clock. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from twin.analysis.compare import Comparison, Sample, compare_at, sample_of
from twin.analysis.rerun import scenario_of_run
from twin.analysis.run_cost import recorded_cost
from twin.app.compare.strip import Track
from twin.app.toolkit.clock import Clock
from twin.plant.tables import Plant
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.record.site_year import SiteYear
from twin.report.halls import RecordedHalls
from twin.runtime.typical_year import year_or_reason
from twin.scenario.schema.document import Scenario
from twin.view3d.base.ownership import OwnerNames
from twin.view3d.colour.difference import Side

_IDLE_WALL_S = 2.0
"""A file that is being written is let go of when nobody has looked for so long: its writer folds it at the end."""

_POINTS, _MOST_MARKS = 1200, 2000


class ComparedRun:
    """A run file that is looked at; `close` lets go of it.

    Attributes
    ----------
    title
        Of its scene, or what it was called when it was opened.
    seed
        Of its draws.
    end_s
        How far it is recorded [s].
    sample
        What came of it; None: it has not come to its end.

    Raises
    ------
    RunFileError
        When it is none, or is damaged.
    ScenarioError, PlantError, CatalogError, UnknownPart
        When this program can make no hall of its scene.
    """

    def __init__(self, path: Path, title: str = "") -> None:
        self.path = path
        self._reader: Reader | None = None
        self._read_wall_s = 0.0
        reader = self.reader(0.0)
        self._halls = RecordedHalls(reader)
        self.scenario: Scenario = reader.header.scenario
        self.title, self.seed = title or self.scenario.title, reader.header.seed
        self.clock = Clock.of(self.scenario)
        self.end_s = reader.t_end_s
        summary = reader.summary
        complete = summary is not None and isinstance(summary.get("ledger_gpu_s"), dict)
        self.sample: Sample | None = (
            sample_of(summary, recorded_cost(reader)) if summary is not None and complete else None
        )
        self._groups: dict[int, OwnerNames] = {}

    @cached_property
    def year(self) -> SiteYear | None:
        """Return the typical year of its hall as the run began, at design load; None where it has none."""
        scenario, plant = self._halls.at(0)
        found = year_or_reason(scenario, plant, plant.catalog)
        return found if isinstance(found, SiteYear) else None

    def reader(self, wall_s: float) -> Reader:
        """Return the reader of the file, reopened where it was closed."""
        if self._reader is None:
            self._reader = Reader(self.path)
        self._read_wall_s = wall_s
        return self._reader

    def at(self, t_s: float, wall_s: float) -> Side:
        """Return the hall at a time, or at the end where the run is over by then.

        Raises
        ------
        RunFileError
            When the file cannot be read there; `NoDetail` where it has no values of single GPUs.
        """
        frame = self.reader(wall_s).frame(t_s)
        scenario, plant = self._halls.at(frame.layout.epoch)
        if plant.epoch not in self._groups:
            self._groups[plant.epoch] = OwnerNames.of(scenario, plant)
        return Side(plant, frame, self._groups[plant.epoch])

    def plant(self) -> Plant:
        """Return the hall as it was built."""
        return self._halls.at(0)[1]

    def events(self) -> list[Event]:
        """Return what happened, as far as a file is read at once."""
        return self.reader(self._read_wall_s).all_events()

    def track(self) -> Track:
        """Return its goodput over time, and what struck it."""
        reader = self.reader(self._read_wall_s)
        curve = reader.series(0, "site.goodput_now", points=_POINTS)
        struck = reader.events_where(least=Severity.WARNING, limit=_MOST_MARKS)
        marks = tuple((event.t_s, event.severity) for event in struck)
        return Track(curve.t_s, curve.mean, marks)

    def design(self) -> Scenario:
        """Return its scene with all that people did in it."""
        return scenario_of_run(self.reader(self._read_wall_s))

    def compare_at(self, other: ComparedRun, t_s: float) -> Comparison:
        """Return what this run (A) and another one (B) had come to by a time [s], as known then."""
        return compare_at(self.reader(self._read_wall_s), other.reader(other._read_wall_s), t_s)

    def rest(self, wall_s: float) -> None:
        """Let go of the file when nobody has looked for a while."""
        if self._reader is not None and wall_s - self._read_wall_s > _IDLE_WALL_S:
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None


def parting_s(a: Sequence[Event], b: Sequence[Event]) -> float:
    """Return when something happens in one of two runs that does not in the other [s]; 0: the same happens."""
    for in_a, in_b in zip_longest(a, b):
        if in_a is None or in_b is None:
            return float((in_a or in_b).t_s)
        if (in_a.t_s, in_a.kind, in_a.subject) != (in_b.t_s, in_b.kind, in_b.subject):
            return float(min(in_a.t_s, in_b.t_s))
    return 0.0
