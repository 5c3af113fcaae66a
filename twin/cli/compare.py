"""`twin compare`: two runs or two designs, figure by figure, with intervals over several seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.completion import scenes_and_runs
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Injections, Json, Paper, Settings, a_file

if TYPE_CHECKING:
    from twin.analysis.compare import Comparison
    from twin.api.compare import Reruns
    from twin.scenario import Scenario

EXAMPLE = """Example: twin compare lab-16 lab-16 --set-b jobs[llama3].checkpoint.interval='10 min' --seeds 20

twin compare design-01 design-02 design-03 -o designs.html compares designs: money with ranges, time, carbon, power.
A run file alone is read; with --seeds, or beside a scene, its scene is run anew, what people did in it included."""
FORMAT = JsonFormat("comparison")


_IN_DOUBLE = re.compile(r"[^\"$`\\!]*'[^\"$`\\!]*")
"""A word that is read more easily in double quotes, and means the same there."""
_METAVAR = "A *.twinrun file, a *.twin.yaml file or the name of a shipped scene."


def compare_runs(
    a: Annotated[str, typer.Argument(metavar="A", help=_METAVAR, autocompletion=scenes_and_runs)],
    b: Annotated[
        str,
        typer.Argument(metavar="B", help="Scene or run to compare with A.", autocompletion=scenes_and_runs),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="C...",
            help="Up to six more scenes: designs are compared then.",
            show_default=False,
            autocompletion=scenes_and_runs,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=10_000,
            metavar="N",
            help="Run both with the same N seeds, and give 95 % intervals, paired and unpaired.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**62, metavar="N", help="First random seed of both (default: A's)."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Stop both at this time, such as '10 day' (default: the end of each)."
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Compare two run files up to this time, such as the time of a branch.",
        ),
    ] = None,
    set_: Settings = None,
    set_b: Annotated[
        list[str] | None,
        typer.Option("--set-b", metavar="PATH=VALUE", help="Change one value in B alone; may be repeated."),
    ] = None,
    inject: Injections = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            parser=a_file,
            help="Report to write, too, .html or .pdf: figures, waterfall, changes.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", parser=a_file, help="As --out.", hidden=True),
    ] = None,
    designs: Annotated[
        bool, typer.Option("--designs", help="Compare A and B as designs, as three or more are.")
    ] = False,
    drawing: Annotated[
        Path | None,
        typer.Option(
            "--drawing",
            metavar="F.pdf",
            parser=a_file,
            help="Draw the halls, too: plans side by side on one sheet, what differs marked, and the words.",
        ),
    ] = None,
    paper: Annotated[
        Paper, typer.Option(help="Size of the paper of the drawing.", case_sensitive=False)
    ] = Paper.a3,
    json: Json = False,
) -> None:
    """Compare two runs or designs: key figures, and where the GPU time went; or up to eight designs.

    Goodput, ETTR, MFU, energy, power, heat, cost and waits. With --seeds both are run with the same seeds, so that both
    have the same failures: the paired interval says how sure a difference is.

    Three to eight scenes, or two with --designs, are compared as designs: total cost, capital, cost of a year, of a
    GPU-hour, a million tokens and a PFLOP-day, time, carbon, power, availability and what binds each, as P5, P50 and
    P95, with differences to the first draw by draw. Nothing is run without --seeds.
    """
    from twin.api.compare import Reruns
    from twin.cli.compare_json import comparison_json
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene, time_of
    from twin.cli.study.compare_designs import compare_many
    from twin.cli.target import must_be_free

    with reporting_errors(f"{a} {b}"):
        option, report = ("--html", html) if out is None else ("-o", out)
        if report is not None:
            must_be_free(report, option, a, b, *(more or []), endings=(".html", ".htm", ".pdf"))
        if drawing is not None:
            must_be_free(drawing, "--drawing", a, b, *(more or []), endings=(".pdf",))
        if more or designs:
            _as_designs(until, at, set_, set_b, inject)
            names = [a, b, *(more or [])]
            compare_many(names, seeds, seed, report, json)
            _draw(drawing, [load_scene(name).scenario for name in names] if drawing else [], paper.value)
            return
        until_s = None if until is None else time_of(until, "--until")
        asked = Reruns(seeds, seed, until_s, set_ or [], set_b or [], inject or [])
        found, scenes = _found((a, b), at, asked)
        called = _names(a, b)
        if report is not None:
            command = command_line((a, b), asked, {"--until": until, "--at": at})
            _write(report, called, scenes, found, command)
        _draw(drawing, scenes, paper.value)
        if json:
            print_json(FORMAT, comparison_json(called, found, scenes))
        else:
            from twin.cli.text.compare import print_comparison

            print_comparison(_called((a, b), scenes, set_b or []), found)


def _draw(to: Path | None, scenes: Sequence[Scenario], paper: str) -> None:
    """Draw the halls of the scenes side by side, where that was asked for."""
    if to is None:
        return
    from twin.drawings.render import pdf_bytes
    from twin.drawings.site_drawings import comparison_drawings
    from twin.whole_file import write_whole

    write_whole(to, pdf_bytes(comparison_drawings(scenes, paper), scenes[0].title))


def _as_designs(*of_two: object) -> None:
    """Refuse what is only said of two runs."""
    from twin.cli.errors import BadInput

    if any(of_two):
        raise BadInput(
            "--until, --at, --set, --set-b and --inject are for two runs; designs are taken as they are"
        )


def _found(
    names: tuple[str, str], at: str | None, asked: Reruns
) -> tuple[Comparison, tuple[Scenario, Scenario]]:
    """Return the comparison that was asked for, and both scenes."""
    from twin.analysis.compare import compare
    from twin.api.compare import compared
    from twin.cli.errors import BadInput, warn
    from twin.cli.progress import counted
    from twin.cli.scene import is_run

    if at is None:
        made = compared(names, asked, warn=warn, counted=counted)
        return compare(made.a, made.b, made.seeds, made.basis, made.since_s), made.scenes
    if asked.any or not all(is_run(name) for name in names):
        raise BadInput(
            "--at reads two run files as they are: give two, and none of --seeds, --seed, --until, --set, --inject"
        )
    return _compared_at(names, at)


def _compared_at(names: tuple[str, str], at: str) -> tuple[Comparison, tuple[Scenario, Scenario]]:
    """Return the comparison of two run files up to a time, and their scenes."""
    from twin.analysis.rerun import scenario_of_run
    from twin.api.compare import compared_at
    from twin.cli.errors import warn
    from twin.cli.scene import time_of
    from twin.record.reader import Reader

    with Reader(names[0]) as a, Reader(names[1]) as b:
        at_s = time_of(at, "--at", a.header.scenario, min(a.t_end_s, b.t_end_s))
        return compared_at(a, b, at_s, warn=warn), (scenario_of_run(a), scenario_of_run(b))


def command_line(names: tuple[str, str], asked: Reruns, times: Mapping[str, str | None]) -> str:
    """Return the command that makes a comparison again; `times`: options that are times, as they were given."""
    one_each = {"--seeds": asked.seeds, "--seed": asked.seed, **times}
    words = ["twin", "compare", *names]
    for option, value in one_each.items():
        words += [] if value is None else [option, str(value)]
    listed = {"--set": asked.settings, "--set-b": asked.settings_b, "--inject": asked.injections}
    for option, values in listed.items():
        for value in values:
            words += [option, value]
    return " ".join(f'"{word}"' if _IN_DOUBLE.fullmatch(word) else quote(word) for word in words)


def _write(
    path: Path, names: tuple[str, str], scenes: tuple[Scenario, Scenario], found: Comparison, command: str
) -> None:
    """Write the comparison as HTML, with the differences between the scenes."""
    from twin.report.comparison.report import compare_report
    from twin.report.paper import report_bytes
    from twin.scenario.file.diff import differences
    from twin.whole_file import write_whole

    titles = (scenes[0].title, scenes[1].title)
    text = compare_report(names, titles, found, differences(*scenes), scenes, command)
    write_whole(path, report_bytes(path, text))


def _names(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a != b else ("A", "B")


def _called(
    given: tuple[str, str], scenes: tuple[Scenario, Scenario], settings_b: list[str]
) -> tuple[str, str]:
    """Return A and B by the titles of their scenes, and the changes of B where both are the same file."""
    titled = [f"{scene.title} ({name})" for name, scene in zip(given, scenes, strict=True)]
    if given[0] == given[1]:
        titled[1] = "the same" + (f", with {', '.join(settings_b)}" if settings_b else "")
    return titled[0], titled[1]
