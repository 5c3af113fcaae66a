"""`twin diff`: what differs between two scenes, in domain words."""

from __future__ import annotations

import math
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.completion import scenes
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, Paper, a_file

if TYPE_CHECKING:
    from twin.analysis.money_words import MoneyFigure
    from twin.commands.budget.budget import Budget
    from twin.commands.edit.command import EditedScene
    from twin.scenario.file.diff import Difference

EXAMPLE = "Example: twin diff lab-16 my-lab.twin.yaml"
FORMAT = JsonFormat("scene-diff")


def diff_scenes(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A *.twin.yaml file or the name of a shipped scene.", autocompletion=scenes
        ),
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="Scene to compare with A.", autocompletion=scenes)
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="F.pdf",
            help="Draw the changes: plans of B with what came, went and moved in colours, and the words.",
            parser=a_file,
            show_default=False,
        ),
    ] = None,
    paper: Annotated[
        Paper, typer.Option(help="Size of the paper of the drawing.", case_sensitive=False)
    ] = Paper.a3,
    replace: Overwrite = False,
    json: Json = False,
) -> None:
    """List the changes from one scene to another.

    Both as they take effect, after inheritance and defaults: which components were added, removed or changed,
    and what that adds up to in racks, power, cooling, ports and cost. Comments and layout of the files do not count.

    Exit code 0: they mean the same. 1: they differ. 2: one cannot be read.
    """
    from twin.analysis.money_words import money_figures
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.cli.target import must_be_free
    from twin.commands.budget.budget import budget
    from twin.commands.budget.prices import left_out
    from twin.commands.edit.command import EditedScene
    from twin.scenario.file.diff import differences

    with reporting_errors(f"{before} {after}"):
        if to is not None:
            must_be_free(to, "-o", before, after, endings=(".pdf",), replace=replace)
        first, second = (EditedScene.of(load_scene(name)) for name in (before, after))
        found = differences(first.scenario, second.scenario)
        sides = [(side, budget(side)) for side in (first, second)]
        sums = _sums(sides[0][1], sides[1][1])
        money = [money_figures(side.scenario, side.plant, side.catalog) for side in (first, second)]
        if json:
            rows = [
                {
                    "path": difference.path,
                    "section": difference.section,
                    "kind": difference.kind,
                    "before": difference.before or None,
                    "after": difference.after or None,
                }
                for difference in found
            ]
            print_json(
                FORMAT,
                {
                    "a": before,
                    "b": after,
                    "same": not found,
                    "differences": rows,
                    "sums": {**sums, **_money_sums(*money)},
                },
            )
        rows_of_sums = [*_sum_rows(sums), *_money_rows(*money)]
        if not json:
            unpriced = [left_out(figures.unpriced) for _, figures in sides] if "cost_usd" in sums else []
            _print(found, rows_of_sums, unpriced)
        if to is not None:
            _draw(first, second, found, rows_of_sums, to, paper.value)
            if not json:
                print(f"written: {to}")
        raise typer.Exit(ExitCode.FINDINGS if found else ExitCode.DONE)


def _draw(
    first: EditedScene,
    second: EditedScene,
    found: list[Difference],
    sums: list[tuple[str, str, str]],
    to: Path,
    paper: str,
) -> None:
    from twin.analysis.difference_words import sentence
    from twin.drawings.render import pdf_bytes
    from twin.drawings.site_drawings import revision_drawings, title_block
    from twin.shown_text import inner
    from twin.whole_file import write_whole

    block = title_block(second.scenario)
    words = [sentence(difference) for difference in found]
    words += [f"In sum, {inner(title)}: {was} \N{RIGHTWARDS ARROW} {now}" for title, was, now in sums]
    since = title_block(first.scenario).revision
    sheets = revision_drawings(first.plant, second.plant, words, block, paper, since)
    write_whole(to, pdf_bytes(sheets, second.scenario.title))


def _sums(before: Budget, after: Budget) -> dict[str, dict[str, float | None]]:
    """Return the figures that differ, by name: before and after; None where there is no limit."""
    from twin.commands.budget.budget import FIGURES

    made: dict[str, dict[str, float | None]] = {}
    for name in FIGURES:
        pair = [float(getattr(side, name)) for side in (before, after)]
        if pair[0] != pair[1]:
            old, new = (value if math.isfinite(value) else None for value in pair)
            made[name] = {"before": old, "after": new}
    return made


def _money_sums(
    before: tuple[MoneyFigure, ...], after: tuple[MoneyFigure, ...]
) -> dict[str, dict[str, float | None]]:
    """Return the P50 of the money that differs, by name: before and after; None where it is unknown."""
    old, new = ({figure.key: figure.usd for figure in side} for side in (before, after))
    keys = [*old, *(key for key in new if key not in old)]
    return {
        key: {"before": old.get(key), "after": new.get(key)} for key in keys if old.get(key) != new.get(key)
    }


def _money_rows(
    before: tuple[MoneyFigure, ...], after: tuple[MoneyFigure, ...]
) -> list[tuple[str, str, str]]:
    """Return title and words of the money that differs."""
    old, new = ({figure.key: figure for figure in side} for side in (before, after))
    titles = {figure.key: figure.title for figure in (*before, *after)}
    rows = []
    for key, title in titles.items():
        was, now = (side[key].words if key in side else "not known" for side in (old, new))
        if was != now:
            rows.append((title, was, now))
    return rows


def _sum_rows(sums: dict[str, dict[str, float | None]]) -> list[tuple[str, str, str]]:
    """Return title and words of the figures that differ."""
    from twin.commands.budget.budget import FIGURES, figure_words

    rows = []
    for name, pair in sums.items():
        was, now = (
            figure_words(name, math.inf if value is None else value)
            for value in (pair["before"], pair["after"])
        )
        rows.append((FIGURES[name][0], was, now))
    return rows


def _print(found: list[Difference], sums: list[tuple[str, str, str]], unpriced: list[str]) -> None:
    """Print what differs; `unpriced`: what the cost of A and of B leaves out, where it differs."""
    from rich.text import Text

    from twin.analysis.difference_words import sentence
    from twin.cli.tables import console, table_of

    to = console()
    if not found:
        to.print("They mean the same.")
        return
    if sums:
        table = table_of()
        for title in ("", "A", "B"):
            table.add_column(title, justify="left" if not title else "right")
        for row in sums:
            table.add_row(*row)
        to.print(table)
        for name, left in zip("AB", unpriced, strict=False):
            to.print(f"The cost of {name} leaves out {left}.", highlight=False) if left else None
    for section, group in groupby(found, key=lambda difference: difference.section):
        to.print(Text(f"\n{section}", style="bold"))
        for difference in group:
            mark = {"added": "+", "removed": "-", "changed": "~"}[difference.kind]
            to.print(f"  {mark} {sentence(difference)}", highlight=False, markup=False)
