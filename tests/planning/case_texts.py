"""Published tables as the CSV text a user would keep."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from twin.planning.table.reference import reference_table


def csv_of(name: str, delimiter: str = ",", leave_out: Sequence[str] = ("cite",)) -> str:
    rows = reference_table(name).rows
    columns = [column for column in rows[0] if column not in leave_out]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({key: "" if cell is None else cell for key, cell in row.items()} for row in rows)
    return text.getvalue()


ONE = {
    "model": "llama3.1-405B",
    "gpu": "H100-80GB",
    "precision": "BF16",
    "gpus": "512",
    "tp": "8",
    "pp": "8",
    "cp": "2",
    "vp": "8",
    "microbatch": "1",
    "global_batch": "256",
}
"""A row that needs no shape, as the model is a preset."""


def one(**changes: str | None) -> str:
    """Return a table with the row `ONE`, changed; None leaves a column out."""
    cells = {key: value for key, value in {**ONE, **changes}.items() if value is not None}
    return ",".join(cells) + "\n" + ",".join(f'"{value}"' for value in cells.values()) + "\n"
