"""A sweep for people, as tables, and for programs, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from twin import units
from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import ComparedFigure
from twin.cli.tables import console, print_table
from twin.studies.sweep_records import SweepContents
from twin.studies.sweep_table import PointRow, sweep_rows

_MOST_ROWS = 200


def print_sweep(contents: SweepContents, figures: Sequence[ComparedFigure]) -> None:
    """Print a table for each figure: mean and quantiles over seeds, and the paired difference from the scene."""
    show = console().print
    header, rows = contents.header, sweep_rows(contents, figures)
    seeds = header.seeds
    until = "" if header.until_s is None else f", until {units.spoken(header.until_s)}"
    named = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    show(f"{header.scene}: {len(rows)} of {header.points} points, {named}{until}", soft_wrap=True)
    for figure in figures:
        known = [row for row in rows if figure.key in row.bands]
        if known:
            show("")
            _print_figure(contents, figure, known)
    wrong = [row for row in rows if row.reason]
    for row in wrong[:_MOST_ROWS]:
        show(f"not run: {_named(contents, row)}: {row.reason}", soft_wrap=True)
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
            line.append("" if difference is None else apart_words(figure, difference.difference, like=like))
        if apart and many:
            half = None if difference is None else difference.paired
            line.append("" if half is None else apart_words(figure, half, "-", like))
        cells.append(line)
    heads = ["mean", "P5", "P95"] if many else [""]
    heads += [*(["- scene"] if apart else []), *(["paired ±"] if apart and many else [])]
    console().print(figure.title)
    print_table((*keys, *heads), cells, right=len(heads))


def _named(contents: SweepContents, row: PointRow) -> str:
    if not row.values:
        return "the scene as it stands"
    return ", ".join(
        f"{key.path}={value}" for key, value in zip(contents.header.keys, row.values, strict=True)
    )


def as_json(contents: SweepContents, figures: Sequence[ComparedFigure]) -> dict[str, Any]:
    """Return what ``--json`` prints of a sweep."""
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
