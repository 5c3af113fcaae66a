"""`twin bench`: measures, and prints each figure beside its goal."""

from __future__ import annotations

from typing import Any

from twin.cli.options import Json

EXAMPLE = "Example: twin bench --json"

Figure = tuple[str, str, int, str]
"""Key, what it is, digits behind the point, goal."""

FIGURES: tuple[Figure, ...] = (
    ("simulated_s_per_cpu_s", "simulated seconds per CPU second, llama3-16k", 0, "466,560 or more"),
    ("simulation_cpu_s", "CPU seconds of its 54 days", 1, "10 or less"),
    ("raps_day_cpu_s", "CPU seconds of a day of 38,400 GPUs, seen every 15 s", 2, "1 or less"),
    ("raps_day_mb", "  its memory [MB]", 0, "300 or less"),
    ("giant_day_cpu_s", "CPU seconds of a day of 100,000 GPUs, 20 faults", 1, "20 or less"),
    ("giant_day_mb", "  its memory [MB]", 0, ""),
    ("cluster_month_cpu_s", "CPU seconds of 30 days of 2,048 nodes, 20,000 jobs", 1, "30 or less"),
    ("cluster_month_mb", "  its memory [MB]", 0, ""),
    ("sample_cpu_s", "CPU seconds of 1,000 sampled runs of llama3-16k", 2, "1 or less"),
    ("estimate_us", "one estimate of a job's step [us]", 0, ""),
    ("panels_16k_ms", "picture of 16,384 GPUs, rack panels [ms]", 1, "40 or less"),
    ("bare_instanced_16k_ms", "  bare instanced boxes in the same run", 1, ""),
    ("boxes_ratio_16k", "  our boxes / bare boxes", 2, "2.0 or less"),
    ("panels_100k_ms", "picture of 100,000 GPUs, rack panels [ms]", 1, "60 or less"),
    ("bare_instanced_100k_ms", "  bare instanced boxes in the same run", 1, ""),
    ("boxes_ratio_100k", "  our boxes / bare boxes", 2, "2.0 or less"),
    ("picking_16k_ms", "picking among 16,384 GPUs [ms]", 2, ""),
    ("picking_100k_ms", "picking among 100,000 GPUs [ms]", 2, "1 or less"),
    ("view_rest_16k_ms", "whole default view at rest, 16,384 GPUs [ms]", 1, "90 or less"),
    ("view_moving_16k_ms", "whole default view moving, 16,384 GPUs [ms]", 1, "45 or less"),
    ("view_rest_100k_ms", "whole default view at rest, 100,000 GPUs [ms]", 1, ""),
    ("view_moving_100k_ms", "whole default view moving, 100,000 GPUs [ms]", 1, ""),
    ("gui_timer_idle_p50_ms", "lateness of a 10 ms GUI timer, idle, median [ms]", 2, ""),
    ("gui_timer_idle_p99_ms", "  99th percentile", 2, ""),
    ("gui_timer_simulating_p50_ms", "the same while simulating flat out, median [ms]", 2, ""),
    ("gui_timer_simulating_p99_ms", "  99th percentile", 2, "10 or less"),
    ("edit_p50_ms", "an edit of llama3-16k to the next picture, median [ms]", 0, ""),
    ("edit_max_ms", "  the slowest of 200 [ms]", 0, "100 or less"),
    ("scrub_mean_ms", "a look while scrubbing through llama3-16k, CPU of the GUI [ms]", 1, "33 or less"),
    ("scrub_p99_ms", "  99th percentile", 1, ""),
    ("scrub_pictures_s", "  pictures a second that came of it", 1, "30 or more"),
    ("edit_cpu_p50_ms", "  CPU time of its GUI thread, median [ms]", 0, "50 or less"),
    ("edit_cpu_max_ms", "  the dearest [ms]", 0, "80 or less"),
    ("edit_running_p50_ms", "  while the run goes on flat out, to its picture, median [ms]", 0, ""),
    ("edit_running_max_ms", "  the slowest of 200 then [ms]", 0, "100 or less"),
    ("edit_running_cpu_max_ms", "  the dearest while the run goes on [ms]", 0, "100 or less"),
    ("first_picture_s", "start of the app to the first picture of llama3-16k [s]", 2, "3 or less"),
)


def measure_speed(json: Json = False) -> None:
    """Measure the speed of this machine.

    Takes about two minutes. Goals are for two shared cores without a graphics card. Where there is no display it
    brings its own (Xvfb).
    """
    import shutil
    import sys

    import typer

    from twin.cli.display import has_display, in_virtual_display
    from twin.cli.errors import told
    from twin.cli.output import print_json

    with told():
        drawn = has_display()
        if not drawn and shutil.which("Xvfb"):
            raise typer.Exit(in_virtual_display(sys.argv[1:], 1600, 1000))
        figures = measure(drawn)
        if json:
            print_json(figures)
        else:
            _print(figures)


def measure(drawn: bool) -> dict[str, Any]:
    """Return every figure by key, and the machine; those that need a display are None unless `drawn`."""
    from twin.cli.bench import cluster, facility, simulation

    _say("simulating 54 days of llama3-16k")
    figures: dict[str, Any] = dict.fromkeys(key for key, *_ in FIGURES)
    figures |= simulation.measure()
    _say("simulating a day of 38,400 GPUs and one of 100,000")
    figures |= facility.measure()
    _say("simulating 30 days of a shared cluster with 20,000 jobs")
    figures |= cluster.measure()
    if drawn:
        from twin.cli.bench import edits, scrub, window

        _say("starting the app")
        figures["first_picture_s"] = window.first_picture_s()
        _say("editing")
        figures |= edits.measure()
        _say("scrubbing through 54 days")
        figures |= scrub.measure()
        _say("timing the GUI")
        figures |= window.gui_timer_ms()
        _say("drawing")
        figures |= window.drawing()
    return {**figures, "machine": _machine(figures.pop("renderer", None))}


def _machine(renderer: str | None) -> dict[str, Any]:
    import os

    from twin.record.inputs import versions

    known = versions()
    return {
        **{key: known[key] for key in ("twin", "python", "numpy", "system", "cpu")},
        "cores": os.cpu_count(),
    } | {"renderer": renderer}


def _print(figures: dict[str, Any]) -> None:
    from twin.cli.tables import console, print_table

    machine = figures["machine"]
    console().print(f"{machine['cpu']}, {machine['cores']} cores; {machine['renderer'] or 'no display'}\n")
    print_table(
        ("figure", "value", "goal"),
        [
            (what, "unknown" if figures[key] is None else f"{figures[key]:,.{digits}f}", goal)
            for key, what, digits, goal in FIGURES
        ],
        right=2,
    )


def _say(doing: str) -> None:
    import sys

    print(f"{doing} ...", file=sys.stderr)
