"""Several designs compared by `twin compare`: money with ranges, time, carbon, power, availability, what binds each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from twin.cli.json_formats import JsonFormat

if TYPE_CHECKING:
    from twin.analysis.designs_comparison import DesignFigureCell, DesignsCompared

FORMAT = JsonFormat("designs-compared")


def compare_many(
    names: list[str], seeds: int | None, seed: int | None, report: Path | None, json: bool
) -> None:
    """Compare designs, print what each comes to, and write a report where one is wanted."""
    from twin.api.compare_designs import compared_designs
    from twin.cli.output import print_json
    from twin.cli.progress import counted
    from twin.report.designs_report import designs_report
    from twin.report.paper import report_bytes
    from twin.whole_file import write_whole

    first = 1 if seed is None else seed
    found = compared_designs(list(names), seeds or 0, first, counted=counted)
    if report is not None:
        write_whole(report, report_bytes(report, designs_report(found)))
    if json:
        print_json(FORMAT, designs_json(found))
    else:
        _print(found)


def designs_json(found: DesignsCompared) -> dict[str, Any]:
    """Return a comparison of designs as ``--json`` prints it."""
    return {
        "designs": [
            {"title": title, "binding": binding, "late_runs": found.late[place] if found.late else None}
            for place, (title, binding) in enumerate(zip(found.titles, found.bindings, strict=True))
        ],
        "seeds": list(found.seeds),
        "notes": list(found.notes),
        "figures": {
            row.figure.key: {
                "title": row.figure.title,
                "better": "more" if row.figure.better > 0 else "less",
                "best": row.best,
                "designs": [cell and _cell(cell) for cell in row.cells],
            }
            for row in found.rows
        },
    }


def _cell(cell: DesignFigureCell) -> dict[str, Any]:
    return {
        "p5_p50_p95": list(cell.values),
        "difference": cell.difference and list(cell.difference),
        "better_share": cell.better,
    }


def _print(found: DesignsCompared) -> None:
    from twin.analysis.designs_comparison import (
        apart_beside,
        basis_words,
        range_words,
        short_sentences,
        verdict_words,
    )
    from twin.cli.tables import console, print_table

    show = console().print
    for place, title in enumerate(found.titles):
        show(f"{'ABCDEFGH'[place]}: {title}, {found.bindings[place]}", soft_wrap=True)
    show("")
    rows = []
    for row in found.rows:
        for place, cell in enumerate(row.cells):
            mark = " *" if place == row.best else ""
            head = f"{row.figure.title}, {row.figure.unit}" if place == 0 else ""
            name = f"{'ABCDEFGH'[place]}{mark}"
            if cell is None:
                rows.append((head, name, "not known", "", ""))
            else:
                told = range_words(row.figure, cell.values), apart_beside(row.figure, cell)
                rows.append((head, name, *told, verdict_words(row.figure, cell)))
    print_table(("", "", "P50 (P5 to P95)", "against A", ""), rows)
    show("\n* best. " + basis_words(found), soft_wrap=True)
    for sentence in (*short_sentences(found), *found.notes):
        show(sentence, soft_wrap=True)
    if any(found.late):
        late = ", ".join(f"{'ABCDEFGH'[place]} {count}" for place, count in enumerate(found.late) if count)
        show(f"runs in which not all jobs were done: {late}", soft_wrap=True)
