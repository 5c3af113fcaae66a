"""Every speed figure, its goal, and how it is judged on a machine that is faster or slower than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from twin.cli.bench.machine import LEAST, MOST

Load = Literal["engine", "drawing", ""]
Verdict = Literal["held", "missed", "void", ""]


@dataclass(frozen=True)
class SpeedFigure:
    """One speed figure.

    Parameters
    ----------
    key, title
        Of it, in JSON and for people.
    digits
        Behind the point.
    goal
        At factor 1, in the figure's unit; None: it is shown for comparison only.
    load
        Whose factor the goal is scaled by; "": by none, as of memory and ratios.
    more
        Whether more is better.
    """

    key: str
    title: str
    digits: int = 1
    goal: float | None = None
    load: Load = "engine"
    more: bool = False

    def scaled(self, factor: float | None) -> float | None:
        """Return the goal on a machine of this factor."""
        if self.goal is None or not self.load or factor is None:
            return self.goal
        return self.goal / factor if self.more else self.goal * factor

    def verdict(self, value: float | None, factor: float | None) -> Verdict:
        """Return how a value measured at `factor` stands to the goal."""
        goal = self.scaled(factor)
        if value is None or goal is None:
            return ""
        if self.load and factor is not None and not LEAST <= factor <= MOST:
            return "void"
        return "held" if (value >= goal if self.more else value <= goal) else "missed"


FIGURES: tuple[SpeedFigure, ...] = (
    SpeedFigure("simulation_cpu_s", "54 days of llama3-16k [CPU s]", 2, 4.0),
    SpeedFigure("simulated_s_per_cpu_s", "  simulated seconds per CPU second", 0, 1_166_400.0, more=True),
    SpeedFigure("simulation_mb", "  its memory [MB]", 0, 600.0, ""),
    SpeedFigure("recorded_cpu_s", "the same, recorded [CPU s]", 2, 5.0),
    SpeedFigure("seek_p99_ms", "a seek in its recording, 99th percentile [ms]", 1, 50.0),
    SpeedFigure("raps_day_cpu_s", "a day of 38,400 GPUs, seen every 15 s [CPU s]", 2, 0.6),
    SpeedFigure("raps_day_mb", "  its memory [MB]", 0, 100.0, ""),
    SpeedFigure("giant_day_cpu_s", "a day of 100,000 GPUs, 20 faults [CPU s]", 1, 20.0),
    SpeedFigure("giant_day_mb", "  its memory [MB]", 0, None, ""),
    SpeedFigure("cluster_month_cpu_s", "30 days of 2,048 nodes, 20,000 jobs [CPU s]", 1, 20.0),
    SpeedFigure("cluster_month_mb", "  its memory [MB]", 0, None, ""),
    SpeedFigure("campus_first_moment_cpu_s", "campus-100k: to the first moment of a run [CPU s]", 2, 3.0),
    SpeedFigure("campus_first_moment_mb", "  its memory [MB]", 0, None, ""),
    SpeedFigure("campus_check_cpu_s", "  `twin check` [CPU s]", 2, 4.0),
    SpeedFigure("campus_check_mb", "  its memory [MB]", 0, None, ""),
    SpeedFigure("campus_month_cpu_s", "  30 days, recorded [CPU s]", 0, 60.0),
    SpeedFigure("campus_month_mb", "  its memory [MB]", 0, 1000.0, ""),
    SpeedFigure("campus_seek_p99_ms", "  a seek in that recording, 99th percentile [ms]", 1, 100.0),
    SpeedFigure("million_first_moment_cpu_s", "campus-1m: to the first moment of a run [CPU s]", 1, 20.0),
    SpeedFigure("million_first_moment_mb", "  its memory [MB]", 0, 3000.0, ""),
    SpeedFigure("million_check_cpu_s", "  `twin check` [CPU s]", 1),
    SpeedFigure("million_check_mb", "  its memory [MB]", 0, 3000.0, ""),
    SpeedFigure("million_day_cpu_s", "  one day [CPU s]", 0, 60.0),
    SpeedFigure("million_day_mb", "  its memory [MB]", 0, 3000.0, ""),
    SpeedFigure("growth_one_cpu_slope", "one job, 16,384 to 262,144 GPUs: CPU grows by power", 2, 1.1, ""),
    SpeedFigure("growth_one_memory_slope", "  memory by power", 2, 1.1, ""),
    SpeedFigure("growth_jobs_cpu_slope", "  jobs of 512 GPUs: CPU by power", 2, 1.1, ""),
    SpeedFigure("growth_jobs_memory_slope", "  memory by power", 2, 1.1, ""),
    SpeedFigure("growth_failures_16k", "  failures in a day of 16,384 GPUs", 0, None, ""),
    SpeedFigure("growth_failures_32k", "  failures in a day of 32,768 GPUs", 0, None, ""),
    SpeedFigure("growth_failures_64k", "  failures in a day of 65,536 GPUs", 0, None, ""),
    SpeedFigure("growth_failures_128k", "  failures in a day of 131,072 GPUs", 0, None, ""),
    SpeedFigure("growth_failures_256k", "  failures in a day of 262,144 GPUs", 0, None, ""),
    SpeedFigure("estimate_us", "one estimate of a job's step [us]", 0, 100.0),
    SpeedFigure("cuts_1000_s", "1,000 parallelism layouts tried [CPU s]", 3, 0.2),
    SpeedFigure("sample_cpu_s", "1,000 sampled runs of llama3-16k [CPU s]", 2, 1.0),
    SpeedFigure("first_picture_s", "from the start to the first picture of llama3-16k [s]", 2, 2.0),
    SpeedFigure("edit_p50_ms", "an edit of llama3-16k to its picture, median [ms]", 0),
    SpeedFigure("edit_max_ms", "  the slowest of 200 [ms]", 0, 80.0),
    SpeedFigure("edit_cpu_p50_ms", "  CPU time of the GUI thread, median [ms]", 0, 50.0),
    SpeedFigure("edit_cpu_max_ms", "  CPU time of the GUI thread, largest [ms]", 0, 80.0),
    SpeedFigure("edit_running_p50_ms", "  while the run goes on flat out, median [ms]", 0),
    SpeedFigure("edit_running_max_ms", "  while the run goes on, the slowest of 200 [ms]", 0, 100.0),
    SpeedFigure("edit_running_cpu_max_ms", "  while the run goes on, CPU time, largest [ms]", 0, 100.0),
    SpeedFigure("scrub_mean_ms", "a look while scrubbing, CPU of the GUI thread, mean [ms]", 1, 33.0),
    SpeedFigure("scrub_p99_ms", "  99th percentile [ms]"),
    SpeedFigure("scrub_pictures_s", "  pictures a second", 1, 30.0, more=True),
    SpeedFigure("gui_timer_idle_p50_ms", "lateness of a 10 ms timer of the GUI, idle, median [ms]", 2),
    SpeedFigure("gui_timer_idle_p99_ms", "  99th percentile [ms]", 2),
    SpeedFigure("gui_timer_simulating_p50_ms", "  while simulating flat out, median [ms]", 2),
    SpeedFigure("gui_timer_simulating_p99_ms", "  while simulating, 99th percentile [ms]", 2),
    SpeedFigure("gui_timer_added_p99_ms", "  what simulating adds to the 99th percentile [ms]", 2, 20.0),
    SpeedFigure("panels_16k_ms", "picture of 16,384 GPUs, rack panels [ms]", 1, 40.0, "drawing"),
    SpeedFigure("bare_instanced_16k_ms", "  bare boxes [ms]", 1, None, "drawing"),
    SpeedFigure("boxes_ratio_16k", "  our boxes / bare boxes", 2, 2.0, ""),
    SpeedFigure("view_rest_16k_ms", "  whole view at rest [ms]", 1, 90.0, "drawing"),
    SpeedFigure("view_moving_16k_ms", "  whole view moving [ms]", 1, 45.0, "drawing"),
    SpeedFigure("picking_16k_ms", "  picking [ms]", 2),
    SpeedFigure("panels_100k_ms", "picture of 100,000 GPUs, rack panels [ms]", 1, 60.0, "drawing"),
    SpeedFigure("bare_instanced_100k_ms", "  bare boxes [ms]", 1, None, "drawing"),
    SpeedFigure("boxes_ratio_100k", "  our boxes / bare boxes", 2, 2.0, ""),
    SpeedFigure("view_rest_100k_ms", "  whole view at rest [ms]", 1, None, "drawing"),
    SpeedFigure("view_moving_100k_ms", "  whole view moving [ms]", 1, None, "drawing"),
    SpeedFigure("picking_100k_ms", "  picking [ms]", 2, 1.0),
    SpeedFigure("campus_first_picture_s", "from the start to the first picture of campus-100k [s]", 2, 8.0),
    SpeedFigure("campus_edit_p50_ms", "  an edit to its picture, median [ms]", 0),
    SpeedFigure("campus_edit_max_ms", "  the slowest of 40 [ms]", 0, 250.0),
    SpeedFigure("campus_edit_running_max_ms", "  while the run goes on, the slowest of 40 [ms]", 0, 250.0),
    SpeedFigure("campus_view_rest_ms", "  whole view at rest [ms]", 1, 80.0, "drawing"),
    SpeedFigure("campus_view_moving_ms", "  whole view moving [ms]", 1, 45.0, "drawing"),
)
"""Goals are for two quiet cores without a graphics card: factor 1."""


@dataclass(frozen=True)
class Measured:
    """A figure as it came out: value, machine factor, and the goal at that factor."""

    figure: SpeedFigure
    value: float | None
    factor: float | None

    @property
    def verdict(self) -> Verdict:
        """Return how it stands to its goal."""
        return self.figure.verdict(self.value, self.factor)

    def record(self) -> dict[str, Any]:
        """Return the figure as JSON has it."""
        at_one: float | None = self.value
        if self.value is not None and self.figure.load and self.factor is not None:
            at_one = self.value * self.factor if self.figure.more else self.value / self.factor
        return {
            "value": self.value,
            "factor": self.factor,
            "at_factor_1": at_one,
            "goal": self.figure.goal,
            "scaled_goal": self.figure.scaled(self.factor),
            "verdict": self.verdict or None,
        }
