"""A sweep for people, as tables, and for programs, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from twin import units
from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import ComparedFigure
from twin.cli.tables import console, print_table
from twin.studies.sensitivity import SobolIndex
from twin.studies.study import SweepOutcome
from twin.studies.sweep_records import SweepContents
from twin.studies.sweep_table import PointRow, sweep_rows

_MOST_ROWS = 200


def print_sweep(found: SweepOutcome, figures: Sequence[ComparedFigure]) -> None:
    """Print a table for each figure: mean and quantiles over seeds, and the paired difference from the scene.

    Of an optimisation the front is printed instead; where indices were asked for, they are. Where there are none, it
    follows which points could not be, and why.
    """
    show = console().print
    contents = found.contents
    header, rows = contents.header, sweep_rows(contents, figures)
    seeds = header.seeds
    until = "" if header.until_s is None else f", until {units.spoken(header.until_s)}"
    named = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    show(f"{header.scene}: {len(rows)} points, {named}{until}", soft_wrap=True)
    if found.front is not None:
        _print_front(contents, [row for row in rows if row.point in found.front], figures)
        if found.front:
            return
    elif found.indices is not None:
        for figure in figures:
            _print_indices(contents, figure, *found.indices[figure.key])
        if all(indices is not None for indices, _ in found.indices.values()):
            return
    else:
        for figure in figures:
            known = [row for row in rows if figure.key in row.bands]
            if known:
                show("")
                _print_figure(contents, figure, known)
    wrong = [row for row in rows if row.reason]
    for row in wrong[:_MOST_ROWS]:
        failed = "not all known" if row.bands else "not run"
        show(f"{failed}: {_named(contents, row)}: {row.reason}", soft_wrap=True)
    left = len(rows) - _MOST_ROWS
    if left > 0:
        show(f"{left:,} more points are not shown; --table writes all of them", soft_wrap=True)


def _print_figure(contents: SweepContents, figure: ComparedFigure, rows: Sequence[PointRow]) -> None:
    keys = [key.path for key in contents.header.keys]
    like = max(abs(row.bands[figure.key].mean) for row in rows)
    many = any(row.bands[figure.key].seeds > 1 for row in rows)
    apart = any(figure.key in row.differences for row in rows)
    cells = []
    for row in rows[:_MOST_ROWS]:
        band, difference = row.bands[figure.key], row.differences.get(figure.key)
        line = [*(row.values or ["as the scene"] + [""] * (len(keys) - 1))]
        line += [
            value_words(figure, value, like)
            for value in ((band.mean, band.p5, band.p95) if many else (band.mean,))
        ]
        if apart:
            stands = "the scene" if row.point == contents.header.base else ""
            line.append(
                stands if difference is None else apart_words(figure, difference.difference, like=like)
            )
        if apart and many:
            half = None if difference is None else difference.paired
            line.append("" if half is None else apart_words(figure, half, "-", like))
        cells.append(line)
    heads = ["mean", "P5", "P95"] if many else ["value"]
    heads += [*(["- scene"] if apart else []), *(["paired ±"] if apart and many else [])]
    console().print(figure.title)
    print_table((*keys, *heads), cells, right=len(heads))


def _print_front(
    contents: SweepContents, rows: Sequence[PointRow], figures: Sequence[ComparedFigure]
) -> None:
    """Print the best points, by the first figure; each is better than each other one in something.

    What was optimised comes first, and is known of each; other figures need not be.
    """
    show = console().print
    if not rows:
        show("no point keeps all limits", soft_wrap=True)
        return
    rows = sorted(rows, key=lambda row: row.bands[figures[0].key].mean)
    cells = [(*row.values, *(_mean_words(row, figure) for figure in figures)) for row in rows[:_MOST_ROWS]]
    keys = [key.path for key in contents.header.keys]
    show(f"\n{len(rows)} best point{'s' * (len(rows) > 1)}, means over seeds")
    print_table((*keys, *(figure.title for figure in figures)), cells, right=len(figures))


def _mean_words(row: PointRow, figure: ComparedFigure) -> str:
    band = row.bands.get(figure.key)
    return "" if band is None else value_words(figure, band.mean)


def _print_indices(
    contents: SweepContents, figure: ComparedFigure, indices: tuple[SobolIndex, ...] | None, samples: int
) -> None:
    show = console().print
    if indices is None:
        show(f"\n{figure.title}: does not vary, or is known of too few of the base samples ({samples})")
        return
    show(f"\n{figure.title}: shares of its variance, from {samples:,} base samples")
    cells = [
        (
            key.path,
            *(f"{value:.3f}" for value in (index.first, index.first_error, index.total, index.total_error)),
        )
        for key, index in zip(contents.header.keys, indices, strict=True)
    ]
    print_table(("key", "alone", "±", "with others", "±"), cells, right=4)


def _named(contents: SweepContents, row: PointRow) -> str:
    if not row.values:
        return "the scene as it stands"
    return ", ".join(
        f"{key.path}={value}" for key, value in zip(contents.header.keys, row.values, strict=True)
    )


def as_json(found: SweepOutcome, figures: Sequence[ComparedFigure]) -> dict[str, Any]:
    """Return what ``--json`` prints of a sweep."""
    contents = found.contents
    header = contents.header
    return {
        "scene": header.scene,
        "app_version": header.program,
        "model": header.model,
        "inputs": header.inputs,
        "keys": [key.path for key in header.keys],
        "design": header.design,
        "seeds": list(header.seeds),
        "until_s": header.until_s,
        "base": header.base,
        "front": None if found.front is None else list(found.front),
        "indices": None
        if found.indices is None
        else {
            key: {
                "samples": samples,
                "keys": None if indices is None else [asdict(index) for index in indices],
            }
            for key, (indices, samples) in found.indices.items()
        },
        "points": [
            {
                "point": row.point,
                "values": list(row.values),
                "reason": row.reason,
                "runs": row.runs,
                "figures": {
                    key: {
                        **asdict(band),
                        "difference": None if (d := row.differences.get(key)) is None else d.difference,
                        "paired": None if d is None else d.paired,
                    }
                    for key, band in row.bands.items()
                },
            }
            for row in sweep_rows(contents, figures)
        ],
    }
