"""A sweep as a table for spreadsheets, pandas, polars and the like: a row for each run, as CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path

from twin.analysis.export import arrow
from twin.analysis.figures import ComparedFigure
from twin.shown_text import in_cell
from twin.studies.sweep_records import SweepContents
from twin.whole_file import write_whole

Columns = dict[str, list[str | int | float | None]]


def must_be_writable(to: Path) -> None:
    """Raise `NoParquet` when a file would be Parquet and pyarrow is not installed; ask before anything runs."""
    if _is_parquet(to):
        arrow()


def write_table(contents: SweepContents, figures: Sequence[ComparedFigure], to: Path) -> int:
    """Write the runs of a sweep to a file, as Parquet where it ends so, else as CSV; return how many rows.

    Columns are the point, a column for each key that varies, the seed, a column for each figure in SI units, and why a
    point, a run or its closed forms could not be. The file is written whole or not at all.

    Raises
    ------
    NoParquet
        When pyarrow is needed and not installed.
    OSError
        When the disk refuses.
    """
    columns = _columns(contents, figures)
    write_whole(to, _as_parquet(columns, _keys(contents)) if _is_parquet(to) else _as_csv(columns))
    return len(columns["point"])


def _is_parquet(to: Path) -> bool:
    return to.suffix.lower() == ".parquet"


def _as_parquet(columns: Columns, keys: Sequence[str]) -> bytes:
    pa, parquet = arrow()
    types = {"point": pa.int64(), "seed": pa.int64()} | dict.fromkeys((*keys, "reason"), pa.string())
    made = {name: pa.array(values, types.get(name, pa.float64())) for name, values in columns.items()}
    file = BytesIO()
    parquet.write_table(pa.table(made), file, compression="zstd")
    return file.getvalue()


def _as_csv(columns: Columns) -> bytes:
    file = StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(map(in_cell, columns))
    rows.writerows(
        ["" if cell is None else in_cell(str(cell)) for cell in row]
        for row in zip(*columns.values(), strict=True)
    )
    return file.getvalue().encode()


def _columns(contents: SweepContents, figures: Sequence[ComparedFigure]) -> Columns:
    keys = _keys(contents)
    columns: Columns = {name: [] for name in ("point", *keys, "seed", *(f.key for f in figures), "reason")}
    for number, point in sorted(contents.points.items()):
        runs = {seed: run for seed in contents.header.seeds if (run := contents.runs.get((number, seed)))}
        closed = contents.closed(number)
        for seed, run in runs.items() or ((None, None),):
            known = {**closed, **({} if run is None else run.figures)}
            failed = "" if run is None else run.reason
            columns["point"].append(number)
            for place, key in enumerate(keys):
                columns[key].append(point.values[place] if point.values else None)
            columns["seed"].append(seed)
            for figure in figures:
                columns[figure.key].append(known.get(figure.key))
            columns["reason"].append(point.reason or failed or contents.closed_reason(number))
    return columns


def _keys(contents: SweepContents) -> list[str]:
    return [key.path for key in contents.header.keys]
