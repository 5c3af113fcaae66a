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
    from twin.lessons.step_hall import Act

EXAMPLE = """Example: twin drill blackout --level heavy --seed 3 --by runbook -o heavy.twinrun

A drill is a scene, a level and a seed that draws faults; whoever takes part sees alarms, not faults. Figures are of
runs made again from the acts: useful GPU-hours, less what throttled GPUs, thermal shutdowns, tripped breakers, empty
batteries and emergency power off count. In the window: Teach, Start a drill."""
FORMAT = JsonFormat("drill")
LENGTH = "2 h"


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
    level: Annotated[
        DrillLevel | None, typer.Option(help="How hard: light, medium or heavy (default: medium).")
    ] = None,
    length: Annotated[
        str | None, typer.Option(metavar="TIME", help=f"Length of the drill (default: {LENGTH}).")
    ] = None,
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
        from twin.lessons.drill_result import SUFFIX
        from twin.lessons.drill_run import ranked
        from twin.lessons.result import ResultError

        if scene.endswith(SUFFIX):
            _must_be_alone(seed, level, length, by)
        elif out is not None and by is None:
            raise typer.BadParameter("-o records one response: say which, --by", param_hint="--by")
        try:
            drill, yours, until_s, person = _drill(scene, level, seed, length)
            if out is not None and out.exists() and not replace:
                raise BadInput(f"{out} exists; add --replace to overwrite it")
            ways = () if yours is not None else [each.value for each in Response if by in (None, each)]
            ranking = ranked(drill, yours, tuple(ways), until_s)
        except (DrillError, ResultError) as error:
            raise BadInput(str(error)) from None
        if out is not None:
            _record(drill, ranking, out, until_s)
        if json:
            print_json(FORMAT, _plain(drill, ranking, until_s, person))
        else:
            _print(drill, ranking, person)


def _must_be_alone(*options: object) -> None:
    """Refuse options that make a drill: a result says itself which one it is."""
    given = [
        name
        for name, value in zip(("--seed", "--level", "--length", "--by"), options, strict=True)
        if value is not None
    ]
    if given:
        raise typer.BadParameter("a result says itself which drill it is of", param_hint=", ".join(given))


def _drill(
    scene: str, level: DrillLevel | None, seed: int | None, length: str | None
) -> tuple[OperatorDrill, tuple[Act, ...] | None, float | None, str]:
    from twin.cli.scene import load_scene, time_of
    from twin.lessons.drill import drill_of
    from twin.lessons.drill_result import SUFFIX, read_drill

    if scene.endswith(SUFFIX):
        result = read_drill(Path(scene))
        return result.drill(Path(scene).parent), result.done, result.until_s, result.person
    document = load_scene(scene)
    drawn = document.scenario.seed if seed is None else seed
    length_s = time_of(length or LENGTH, "--length")
    return drill_of(document, (level or DrillLevel.medium).value, drawn, length_s), None, None, ""


def _record(drill: OperatorDrill, ranking: Ranking, out: Path, until_s: float | None) -> None:
    """Record the run beside its place; what lies there stays until the new one is whole."""
    from tempfile import TemporaryDirectory

    from twin.lessons.step_hall import with_acts
    from twin.runtime.inline import run

    way = ranking.others[0] if ranking.others else ranking.nobody
    with TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        made = Path(folder) / out.name
        run(with_acts(drill.scenario, way.acts), until_s=until_s, record=made)
        made.replace(out)


def _plain(drill: OperatorDrill, ranking: Ranking, until_s: float | None, person: str) -> dict[str, Any]:
    from twin.lessons.drill_comment import act_words

    return {
        "scene": drill.scene,
        "level": drill.level,
        "seed": drill.seed,
        "length_s": drill.length_s,
        "until_s": drill.length_s if until_s is None else until_s,
        **({"person": person} if person else {}),
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


def _print(drill: OperatorDrill, ranking: Ranking, person: str) -> None:
    from twin import units
    from twin.cli.tables import console, print_table
    from twin.lessons.drill_comment import act_words
    from twin.lessons.drill_score import HARMS

    show = console().print
    of = f", by {person}" if person else ""
    show(f"{drill.scene}, {drill.level} drill of {units.spoken(drill.length_s)}, seed {drill.seed}{of}\n")
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
