"""`twin merge`: what two people made of one scene, as one scene."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.completion import scenes
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, a_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from twin.scenario import Document
    from twin.scenario.file.diff import Difference
    from twin.scenario.file.merge import MergedScene, Side

EXAMPLE = """Example: twin merge base.twin.yaml mine.twin.yaml yours.twin.yaml -o both.twin.yaml

Where both changed the same: --take 'halls[hall].rows[gpu].racks.count=b', or --take b for all such places."""
FORMAT = JsonFormat("scene-merge")

_Scene = Annotated[
    str, typer.Argument(help="A *.twin.yaml file or the name of a shipped scene.", autocompletion=scenes)
]


def merge_scenes(
    base: _Scene,
    a: _Scene,
    b: _Scene,
    to: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE", help="File for the result.", parser=a_file, show_default=False
        ),
    ] = None,
    take: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[PATH=]a|b", help="Whose value counts where both changed the same. May be repeated."
        ),
    ] = None,
    replace: Overwrite = False,
    json: Json = False,
) -> None:
    """Put the changes of B since BASE into A, whose text and comments stay.

    Changes count as they take effect: a rack that A put in and a loop that B raised are both there afterwards. Where
    both changed the same, and not alike, both values are told, and nothing is written until --take says whose counts.

    Exit code 0: merged. 1: both changed the same, or the result breaks design rules that neither A nor B breaks.
    2: one cannot be read, or both together are no scene.
    """
    from twin.cli.errors import ExitCode, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.scenario.file.merge import merged
    from twin.whole_file import write_whole

    with reporting_errors(f"{a} {b}"):
        if to is not None:
            must_be_a_new_scene(to, replace)
        first, second, sides = load_scene(a), load_scene(b), taken(take or [])
        found = merged(load_scene(base), first, second, sides)
        must_be_conflicts(sides, [conflict.path for conflict in found.conflicts])
        clean = not found.undecided
        fresh = _new_findings(found, first, second) if clean else []
        if clean and to is not None:
            write_whole(to, found.document.text.encode())
        if json:
            print_json(FORMAT, _row(found, fresh, None if to is None or not clean else str(to)))
        else:
            _print(found)
            for sentence in fresh:
                warn(sentence)
            if clean and to is not None:
                print(f"written: {to}")
        raise typer.Exit(ExitCode.DONE if clean and not fresh else ExitCode.FINDINGS)


def must_be_a_new_scene(to: Path, replace: bool) -> None:
    """Refuse a name that no scene has, and a file that would be lost; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import SCENE_SUFFIX
    from twin.cli.target import must_have_folder

    if not to.name.endswith(SCENE_SUFFIX):
        raise BadInput(f"-o: {to} must end in {SCENE_SUFFIX}")
    must_have_folder(to, "-o")
    if to.exists() and not replace:
        raise BadInput(f"-o: {to} exists already; name another file, or give --replace to overwrite it")


def taken(texts: list[str]) -> dict[str, Side]:
    """Return whose value counts by path, "" everywhere else; raises `BadInput`."""
    from twin.cli.errors import BadInput

    found: dict[str, Side] = {}
    for text in texts:
        path, _, side = text.rpartition("=")
        if side == "a":
            found[path] = "a"
        elif side == "b":
            found[path] = "b"
        else:
            raise BadInput(f"--take: {text!r} says neither a nor b; write PATH=a, PATH=b, a or b")
    return found


def must_be_conflicts(sides: Mapping[str, Side], places: Sequence[str]) -> None:
    """Refuse a path at which both did not change something; raises `BadInput`."""
    from twin.cli.errors import BadInput

    for path in sides:
        if path and path not in places:
            there = f"they are {', '.join(places)}" if places else "there is none"
            raise BadInput(f"--take: {path} is no place that both changed; {there}")


def _new_findings(found: MergedScene, *sides: Document) -> list[str]:
    """Return what the design rules find in the result and in neither side."""
    from twin.api.scene import Scene

    known = {(finding.rule, finding.ids) for side in sides for finding in Scene(side).check().findings}
    return [
        finding.sentence
        for finding in Scene(found.document).check().findings
        if finding.counts and (finding.rule, finding.ids) not in known
    ]


def _row(found: MergedScene, fresh: list[str], written: str | None) -> dict[str, object]:
    return {
        "merged": not found.undecided,
        "from_a": [difference.path for difference in found.from_a],
        "from_b": [difference.path for difference in found.from_b],
        "conflicts": [
            {"path": conflict.path, "a": list(map(_said, conflict.a)), "b": list(map(_said, conflict.b))}
            for conflict in found.undecided
        ],
        "findings": fresh,
        "written": written,
    }


def _said(difference: Difference) -> dict[str, str | None]:
    before, after = difference.before or None, difference.after or None
    return {"path": difference.path, "before": before, "after": after}


def _print(found: MergedScene) -> None:
    from twin.analysis.difference_words import sentence
    from twin.shown_text import printable

    for title, side in (("A", found.from_a), ("B", found.from_b)):
        print(f"{title} changed {len(side)} {'thing' if len(side) == 1 else 'things'}")
        for difference in side:
            print(printable(f"  {sentence(difference)}"))
    for difference in found.of_files:
        print(printable(f"B changed a file of its own parts; copy it by hand: {sentence(difference)}"))
    for conflict in found.undecided:
        print(printable(f"both changed {conflict.path}"))
        for name, changed in (("A", conflict.a), ("B", conflict.b)):
            for difference in changed:
                print(printable(f"  {name}: {sentence(difference)}"))
        print(printable(f"  --take '{conflict.path}=a' or --take '{conflict.path}=b'"))
