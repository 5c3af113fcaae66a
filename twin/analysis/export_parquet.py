"""Series of a run as a Parquet table, for pandas, polars, DuckDB and the like; needs pyarrow."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from twin.analysis.export import ExportRequest, pieces


class NoParquet(ValueError):
    """pyarrow is not installed; the message is one sentence for people."""


def arrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raises `NoParquet` when it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise NoParquet(
            "writing Parquet needs pyarrow, which is not installed: pip install 'gpu-twin[analysis]'"
        ) from None
    return pyarrow, parquet


def write_parquet(asked: ExportRequest, to: Path) -> int:
    """Write a row for each value, as `write_csv` does; return the rows.

    Raises
    ------
    NoParquet
        When pyarrow is not installed.
    """
    pa, parquet = arrow()
    words = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("time_s", pa.float64()),
            ("time", pa.timestamp("ms", tz="UTC")),
            ("channel", words),
            ("entity", words),
            ("value", pa.float64()),
            ("unit", words),
        ]
    )
    start = asked.reader.header.scenario.start
    rows = 0
    with parquet.ParquetWriter(to, schema, compression="zstd") as out:
        for channel, ids, t_s, values in pieces(asked):
            known = np.isfinite(values)
            entity, sample = np.nonzero(known)
            stamps = [start + timedelta(seconds=at_s) for at_s in t_s.tolist()]
            same = np.zeros(len(entity), np.int32)
            out.write_batch(
                pa.record_batch(
                    [
                        pa.array(t_s[sample]),
                        pa.array(stamps, pa.timestamp("ms", tz="UTC")).take(pa.array(sample)),
                        pa.DictionaryArray.from_arrays(same, pa.array([channel.id])),
                        pa.DictionaryArray.from_arrays(entity.astype(np.int32), pa.array(list(ids))),
                        pa.array(values[known].astype(np.float64)),
                        pa.DictionaryArray.from_arrays(same, pa.array([channel.unit])),
                    ],
                    schema=schema,
                )
            )
            rows += len(entity)
    return rows
