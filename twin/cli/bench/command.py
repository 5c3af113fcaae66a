"""`twin bench`: measures, and prints each figure beside the machine factor and its goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

if TYPE_CHECKING:
    from twin.cli.bench.figures import Measured

EXAMPLE = "Example: twin bench --json"
FORMAT = JsonFormat("bench")

Group = tuple[str, Callable[[], dict[str, Any]]]
"""What is done, and what does it."""


def measure_speed(json: Json = False) -> None:
    """Measure the speed of this machine.

    Takes about fifteen minutes. Goals are for two quiet cores without a graphics card. Where there is no display it
    brings its own (Xvfb). A frozen load runs before and after each group of figures; the machine factor is what it took
    over what it takes on such a machine, and every goal is scaled by it. Beyond 0.5 .. 2 a figure is void.

    Exit code 0: every goal is held. 1: one is missed, or void.
    """
    import shutil
    import sys

    import typer

    from twin.cli.display import has_display, in_virtual_display
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        drawn = has_display()
        if not drawn and shutil.which("Xvfb"):
            raise typer.Exit(in_virtual_display(sys.argv[1:], 1600, 1000))
        renderer = _renderer() if drawn else None
        measured = measure(renderer)
        if json:
            print_json(
                FORMAT,
                {
                    "figures": {each.figure.key: each.record() for each in measured},
                    "machine": _machine(renderer),
                },
            )
        else:
            _print(measured, _machine(renderer))
        if any(each.verdict in ("missed", "void") for each in measured):
            raise typer.Exit(1)


def measure(renderer: str | None) -> list[Measured]:
    """Return every figure, in order; those that need a display are None without a `renderer`."""
    from twin.cli.bench.figures import FIGURES, Measured
    from twin.cli.bench.machine import BenchMachine

    _compile()
    _say("measuring the machine")
    machine = BenchMachine(drawn=renderer is not None and "llvmpipe" in renderer)
    values: dict[str, float | None] = {}
    factors: dict[tuple[str, str], float | None] = {}
    for doing, group in _groups(renderer is not None):
        _say(doing)
        found = group()
        engine, drawing = machine.after()
        values |= found
        for key in found:
            factors[key, "engine"], factors[key, "drawing"] = engine, drawing
    return [
        Measured(figure, values.get(figure.key), factors.get((figure.key, figure.load))) for figure in FIGURES
    ]


def _groups(drawn: bool) -> Iterator[Group]:
    from twin.cli.bench import campus, cluster, facility, growth, simulation

    yield "simulating 54 days of llama3-16k", simulation.measure_run
    yield "recording them", simulation.measure_recording
    yield "simulating a day of 38,400 GPUs", lambda: facility.measure("raps")
    yield "simulating a day of 100,000 GPUs", lambda: facility.measure("giant")
    yield "simulating 30 days of a shared cluster with 20,000 jobs", cluster.measure
    yield "simulating a month of campus-100k", campus.measure
    yield "simulating a day of a million GPUs", campus.measure_million
    yield "simulating halls of 16,384 to 262,144 GPUs", growth.measure
    yield "planning", simulation.measure_planning
    if drawn:
        from twin.cli.bench import edits, scrub, window

        yield "starting the app", lambda: {"first_picture_s": window.first_picture_s()}
        yield "editing", edits.measure
        yield "scrubbing through 54 days", scrub.measure
        yield "timing the GUI", window.gui_timer_ms
        yield "drawing 16,384 GPUs", lambda: window.drawing(16384)
        yield "drawing 100,000 GPUs", lambda: window.drawing(100000)
        yield (
            "starting the app on campus-100k",
            lambda: {"campus_first_picture_s": window.first_picture_s(campus.SCENE)},
        )
        yield "editing campus-100k", edits.measure_campus
        yield "drawing campus-100k", window.campus_drawing


def _compile() -> None:
    """Have the bytecode of the package cached, as an installed program has it."""
    import compileall
    from pathlib import Path

    import twin

    for folder in twin.__path__:
        compileall.compile_dir(Path(folder), quiet=2)


def _renderer() -> str:
    from twin.cli.bench.window import application

    application()
    from twin.cli.bench.machine_drawing import renderer

    return renderer()


def _machine(renderer: str | None) -> dict[str, Any]:
    import os

    from twin.record.inputs import versions

    known = versions()
    return {
        **{key: known[key] for key in ("twin", "python", "numpy", "system", "cpu")},
        "cores": os.cpu_count(),
        "renderer": renderer,
    }


def _print(measured: list[Measured], machine: dict[str, Any]) -> None:
    from twin.cli.tables import console, print_table

    console().print(f"{machine['cpu']}, {machine['cores']} cores; {machine['renderer'] or 'no display'}\n")
    print_table(
        ("figure", "value", "factor", "goal", ""),
        [
            (
                each.figure.title,
                "unknown" if each.value is None else f"{each.value:,.{each.figure.digits}f}",
                "" if each.factor is None else f"{each.factor:.2f}",
                _goal(each),
                each.verdict,
            )
            for each in measured
        ],
        right=4,
    )


def _goal(each: Measured) -> str:
    goal = each.figure.scaled(each.factor)
    return "" if goal is None else f"{'>=' if each.figure.more else '<='} {goal:,.{each.figure.digits}f}"


def _say(doing: str) -> None:
    import sys

    print(f"{doing} ...", file=sys.stderr)
