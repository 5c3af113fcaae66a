"""`twin drill`: faults that nobody is told of, and how a response to them ranks."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli import completion
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, Seed, a_file

if TYPE_CHECKING:
    from twin.lessons.drill import OperatorDrill
    from twin.lessons.drill_run import Ranking

EXAMPLE = """Example: twin drill blackout --level heavy --seed 3 --by runbook -o heavy.twinrun

A drill is a scene, a level and a seed that draws faults; whoever takes part sees alarms, not faults. Figures are of
runs made again from the acts: useful GPU-hours, less what throttled GPUs, thermal shutdowns, tripped breakers, empty
batteries and emergency power off count. In the window: Teach, Start a drill."""
FORMAT = JsonFormat("drill")


class DrillLevel(StrEnum):
    """How many faults come, and whether they follow each other."""

    light = "light"
    medium = "medium"
    heavy = "heavy"


class Response(StrEnum):
    """Who responds."""

    nothing = "nothing"
    runbook = "runbook"
    random = "random"


def rank_drill(
    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENE|RESULT",
            help="A *.twin.yaml file, the name of a shipped scene, or a *.twin-drill.json file of somebody.",
            show_default=False,
            autocompletion=completion.scenes,
        ),
    ] = None,
    seed: Seed = None,
    level: Annotated[DrillLevel, typer.Option(help="How hard: light, medium or heavy.")] = DrillLevel.medium,
    length: Annotated[str, typer.Option(metavar="TIME", help="Length of the drill.")] = "2 h",
    by: Annotated[
        Response | None,
        typer.Option(help="Only this response: nothing, runbook or random (default: all of them)."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List levels, acts and what counts as harm.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            parser=a_file,
            help="Record the drill with this response (*.twinrun).",
        ),
    ] = None,
    replace: Overwrite = False,
    json: Json = False,
) -> None:
    """Run an operator drill with hidden faults, and rank responses to it."""
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.output import print_json

    if list_:
        _print_list()
        return
    if scene is None:
        raise typer.BadParameter("name a scene, or ask for --list", param_hint="SCENE")
    with reporting_errors(scene):
        from twin.lessons.drill import DrillError
        from twin.lessons.drill_run import ranked
        from twin.lessons.result import ResultError

        try:
            drill, yours, until_s = _drill(scene, level.value, seed, length)
        except (DrillError, ResultError) as error:
            raise BadInput(str(error)) from None
        if out is not None and out.exists() and not replace:
            raise BadInput(f"{out} exists; add --replace to overwrite it")
        ways = (
            () if yours is not None else ([by.value] if by is not None else [each.value for each in Response])
        )
        ranking = ranked(drill, yours, tuple(ways), until_s)
        if out is not None:
            _record(drill, ranking, out)
        if json:
            print_json(FORMAT, _plain(drill, ranking, until_s))
        else:
            _print(drill, ranking)


def _drill(scene: str, level: str, seed: int | None, length: str) -> tuple[OperatorDrill, Any, float | None]:
    from twin.cli.scene import load_scene, time_of
    from twin.lessons.drill import drill_of
    from twin.lessons.drill_result import SUFFIX, read_drill

    if scene.endswith(SUFFIX):
        result = read_drill(Path(scene))
        return result.drill(), result.done, result.until_s
    document = load_scene(scene)
    drawn = document.scenario.seed if seed is None else seed
    return drill_of(document, level, drawn, time_of(length, "--length")), None, None


def _record(drill: OperatorDrill, ranking: Ranking, out: Path) -> None:
    from twin.lessons.step_hall import with_acts
    from twin.runtime.inline import run

    way = ranking.others[0] if ranking.others else ranking.nobody
    out.unlink(missing_ok=True)
    run(with_acts(drill.scenario, way.acts), record=out)


def _plain(drill: OperatorDrill, ranking: Ranking, until_s: float | None) -> dict[str, Any]:
    from twin.lessons.drill_comment import act_words

    return {
        "scene": drill.scene,
        "level": drill.level,
        "seed": drill.seed,
        "length_s": drill.length_s,
        "until_s": drill.length_s if until_s is None else until_s,
        "faults": [
            {"at_s": fault.at_s, "kind": fault.kind, "target": fault.target, "words": act_words(fault)}
            for fault in drill.faults
        ],
        "ranking": [
            {
                "who": way.who,
                "value_gpu_h": way.score.value_gpu_h,
                "useful_gpu_h": way.score.useful_gpu_h,
                "harm_gpu_h": way.score.harm_gpu_h,
                "harms": way.score.harms,
                "interruptions": way.score.interruptions,
                "points": ranking.points(way),
                "acts": [{"at_s": act.at_s, "words": act_words(act)} for act in way.acts],
            }
            for way in ranking.in_order
        ],
    }


def _print(drill: OperatorDrill, ranking: Ranking) -> None:
    from twin import units
    from twin.cli.tables import console, print_table
    from twin.lessons.drill_comment import act_words
    from twin.lessons.drill_score import HARMS

    show = console().print
    show(f"{drill.scene}, {drill.level} drill of {units.spoken(drill.length_s)}, seed {drill.seed}\n")
    rows = []
    for way in ranking.in_order:
        score, points = way.score, ranking.points(way)
        rows.append(
            (
                way.who,
                f"{score.value_gpu_h:,.1f}",
                f"{score.useful_gpu_h:,.1f}",
                f"{score.harm_gpu_h:,.1f}",
                str(score.interruptions),
                str(len(way.acts)),
                "" if points is None else f"{points:.0f} %",
            )
        )
    heads = ("response", "score, GPU h", "useful, GPU h", "harm, GPU h", "stops", "acts", "saved")
    print_table(heads, rows, right=6)
    harms = [
        f"{way.who}: {way.score.harms[harm.id]:,.1f} {harm.title}"
        for way in ranking.in_order
        for harm in HARMS
        if way.score.harms.get(harm.id)
    ]
    show("")
    for words in harms:
        show(f"harm: {words}", soft_wrap=True)
    show("\nWhat happened, hidden from whoever responds:")
    for fault in drill.faults:
        show(f"  {units.spoken(fault.at_s)}: {act_words(fault)}", soft_wrap=True)


def _print_list() -> None:
    from twin import units
    from twin.cli.tables import console, print_table
    from twin.lessons.drill import LENGTHS_S, LEVELS
    from twin.lessons.drill_acts import ACTS
    from twin.lessons.drill_score import HARMS

    show = console().print
    print_table(("level", "what comes"), [(level.id, level.title) for level in LEVELS.values()])
    lengths = ", ".join(units.spoken(length_s) for length_s in LENGTHS_S)
    show(f"\nusual lengths: {lengths}; any scene with work in it will do\n")
    print_table(("act", "what an operator may do"), list(ACTS.items()))
    show("")
    rows = [(harm.title, f"{harm.cost_gpu_h:g}") for harm in HARMS]
    print_table(("harm, each", "counts, GPU h"), rows, right=1)
