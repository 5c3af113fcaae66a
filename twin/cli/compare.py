"""`twin compare`: two runs or two designs, figure by figure, with intervals over several seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.cli.completion import scenes_and_runs
from twin.cli.options import Injections, Json, Settings, a_file

if TYPE_CHECKING:
    from twin.analysis.compare import Basis, Comparison, Sample
    from twin.scenario import Scenario

EXAMPLE = """Example: twin compare lab-16 lab-16 --set-b jobs[llama3].checkpoint.interval='10 min' --seeds 20

A run file alone is read; with --seeds, or beside a scene, its scene is run anew, what people did in it included."""


class _Reruns(NamedTuple):
    """How both are to be run again: seeds, the first one, the end, and what is set and injected."""

    seeds: int | None
    seed: int | None
    until: str | None
    settings: list[str]
    settings_b: list[str]
    injections: list[str]

    @property
    def any(self) -> bool:
        """Return whether they are."""
        return self != (None, None, None, [], [], [])


class _Compared(NamedTuple):
    """The seeds, what each run of A and of B comes to, the two scenes, and what both have in common."""

    seeds: list[int]
    a: list[Sample]
    b: list[Sample]
    scenes: tuple[Scenario, Scenario]
    basis: Basis
    since_s: float | None = None


_METAVAR = "A *.twinrun file, a *.twin.yaml file or the name of a shipped scene."


def compare_runs(
    a: Annotated[str, typer.Argument(metavar="A", help=_METAVAR, autocompletion=scenes_and_runs)],
    b: Annotated[
        str,
        typer.Argument(metavar="B", help="Scene or run to compare with A.", autocompletion=scenes_and_runs),
    ],
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
            help="HTML report to write, too: figures, waterfall, changes.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", parser=a_file, help="As --out.", hidden=True),
    ] = None,
    json: Json = False,
) -> None:
    """Compare two runs or designs: key figures, and where the GPU time went.

    Goodput, ETTR, MFU, energy, power, heat, cost and waits. With --seeds both are run with the same seeds, so that the
    same failures strike both: the paired interval says how sure a difference is.
    """
    from twin.cli.compare_json import comparison_json
    from twin.cli.errors import told
    from twin.cli.output import print_json
    from twin.cli.target import must_be_free

    with told(f"{a} {b}"):
        option, report = ("--html", html) if out is None else ("-o", out)
        if report is not None:
            must_be_free(report, option, a, b, endings=(".html", ".htm"))
        asked = _Reruns(seeds, seed, until, set_ or [], set_b or [], inject or [])
        found, scenes = _found((a, b), at, asked)
        names = _names(a, b)
        if report is not None:
            _write(report, names, scenes, found)
        if json:
            print_json("comparison", comparison_json(names, found))
        else:
            from twin.cli.text.compare import print_comparison

            print_comparison(_called((a, b), scenes, set_b or []), found)


def _found(
    names: tuple[str, str], at: str | None, asked: _Reruns
) -> tuple[Comparison, tuple[Scenario, Scenario]]:
    """Return the comparison that was asked for, and both scenes."""
    from twin.analysis.compare import compare
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run

    if at is None:
        compared = _compared(names, asked)
        found = compare(compared.a, compared.b, compared.seeds, compared.basis, compared.since_s)
        return found, compared.scenes
    if asked.any or not all(is_run(name) for name in names):
        raise BadInput(
            "--at reads two run files as they are: give two, and none of --seeds, --seed, --until, --set, --inject"
        )
    return _compared_at(names, at)


def _compared_at(names: tuple[str, str], at: str) -> tuple[Comparison, tuple[Scenario, Scenario]]:
    """Return the comparison of two run files up to a time, and their scenes."""
    from dataclasses import replace

    from twin.analysis.branch_check import shared_past_s
    from twin.analysis.compare import Basis
    from twin.analysis.compare_at import compare_at
    from twin.analysis.rerun import scenario_of_run
    from twin.cli.older import tell_if_older
    from twin.cli.scene import time_of
    from twin.record.reader import Reader

    with Reader(names[0]) as a, Reader(names[1]) as b:
        tell_if_older(a, b)
        at_s = time_of(at, "--at", a.header.scenario, min(a.t_end_s, b.t_end_s))
        found, since_s = compare_at(a, b, at_s), shared_past_s(a, b)
        if since_s is not None:
            found = replace(found, basis=Basis.SAME_PAST, since_s=since_s)
        return found, (scenario_of_run(a), scenario_of_run(b))


def _write(path: Path, names: tuple[str, str], scenes: tuple[Scenario, Scenario], found: Comparison) -> None:
    """Write the comparison as HTML, with what differs between the scenes."""
    from twin.report.compare_report import compare_report
    from twin.scenario.file.diff import differences
    from twin.whole_file import write_whole

    titles = (scenes[0].title, scenes[1].title)
    write_whole(path, compare_report(names, titles, found, differences(*scenes)).encode())


def _compared(names: tuple[str, str], asked: _Reruns) -> _Compared:
    """Read two runs that are over as they are; run anything else with each seed."""
    from twin.analysis.compare import Basis
    from twin.analysis.seeds import samples
    from twin.cli.progress import counted
    from twin.cli.scene import is_run, time_of

    if not asked.any and all(is_run(name) for name in names):
        (seed_a, of_a, scene_a), (seed_b, of_b, scene_b) = (_recorded(name) for name in names)
        since_s = _shared_past(names)
        basis = Basis.RECORDED if since_s is None else Basis.SAME_PAST
        seen = list(dict.fromkeys((seed_a, seed_b)))
        return _Compared(seen, [of_a], [of_b], (scene_a, scene_b), basis, since_s)
    (first, own_seed), (second, _) = (
        _design(name, [*asked.settings, *more], asked.injections)
        for name, more in zip(names, ([], asked.settings_b), strict=True)
    )
    until_s = None if asked.until is None else time_of(asked.until, "--until")
    start = own_seed if asked.seed is None else asked.seed
    numbers = list(range(start, start + (asked.seeds or 1)))
    with counted(f"{len(numbers)} seeds of two designs") as show:
        a, b = samples([first, second], numbers, until_s, show)
    return _Compared(numbers, a, b, (first, second), Basis.RERUN)


def _shared_past(names: tuple[str, str]) -> float | None:
    """Return until when two recorded runs are one [s]; None: one is no branch of the other."""
    from twin.analysis.branch_check import shared_past_s
    from twin.record.reader import Reader

    with Reader(names[0]) as a, Reader(names[1]) as b:
        return shared_past_s(a, b)


def _recorded(name: str) -> tuple[int, Sample, Scenario]:
    """Return seed, sample and scene of a run that is over."""
    from twin.analysis.compare import sample_of
    from twin.analysis.rerun import scenario_of_run
    from twin.cli.errors import BadInput
    from twin.cli.older import tell_if_older
    from twin.record.reader import Reader

    with Reader(name) as reader:
        tell_if_older(reader)
        summary, seed = reader.summary, reader.header.seed
        if summary is None:
            raise BadInput(
                f"{name}: this run is not over, so it has no summary; with --seeds 2 its scene is run anew"
            )
        if not isinstance(summary.get("ledger_gpu_s"), dict):
            raise BadInput(f"{name}: the summary of this run file is damaged")
        return seed, sample_of(summary), scenario_of_run(reader)


def _design(name: str, settings: list[str], injections: list[str]) -> tuple[Scenario, int]:
    """Return what a name stands for as a scene, and its seed."""
    from twin.analysis.rerun import scenario_of_run
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run, load_scene, with_changes
    from twin.record.reader import Reader

    if not is_run(name):
        scenario = with_changes(load_scene(name), settings, injections)
        return scenario, scenario.seed
    if settings or injections:
        raise BadInput(f"{name}: --set and --inject change scenes; name the scene of this run instead")
    with Reader(name) as reader:
        return scenario_of_run(reader), reader.header.seed


def _names(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a != b else ("A", "B")


def _called(
    given: tuple[str, str], scenes: tuple[Scenario, Scenario], settings_b: list[str]
) -> tuple[str, str]:
    """Return A and B by the titles of their scenes, and what sets B apart where both are the same file."""
    titled = [f"{scene.title} ({name})" for name, scene in zip(given, scenes, strict=True)]
    if given[0] == given[1]:
        titled[1] = "the same" + (f", with {', '.join(settings_b)}" if settings_b else "")
    return titled[0], titled[1]
