"""Hourly years as one line of text, so that a scenario carries the figures of its weather and grid files with it.

A worker process gets the scenario without the folder it came from, and a run file is replayed where no weather file
is: so what a file said is kept in the scenario itself, in hundredths of its unit, as
``column,column:base64 of the zlib-compressed differences``.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping

import numpy as np

from twin.arrays import Floats

HOURS = 8760
STEP = 0.01
"""Resolution of what is kept, in the unit of its column."""
MAX_CHARACTERS = 400_000
_LARGEST = 1e6


def pack(columns: Mapping[str, Floats]) -> str:
    """Return columns of 8760 values as text; `unpack` gives them back rounded to 0.01.

    Raises
    ------
    ValueError
        When a column has another length or holds what is no number below a million.
    """
    rows = []
    for name, values in columns.items():
        if values.shape != (HOURS,) or not (np.abs(values) < _LARGEST).all():
            raise ValueError(f"{name}: needs {HOURS} numbers below {_LARGEST:g}")
        rows.append(np.diff(np.rint(values / STEP).astype("<i4"), prepend=np.int32(0)))
    bytes_in_planes = (
        np.stack(rows).astype("<i4").view(np.uint8).reshape(-1, 4).T
    )  # like bytes together pack well
    packed = zlib.compress(bytes_in_planes.tobytes(), 9)
    return f"{','.join(columns)}:{base64.b64encode(packed).decode('ascii')}"


def unpack(text: str, known: tuple[str, ...]) -> dict[str, Floats]:
    """Return the columns of a text that `pack` made.

    Parameters
    ----------
    text
        May come from a stranger's file.
    known
        Columns it may hold.

    Raises
    ------
    ValueError
        When it is no such text.
    """
    head, colon, body = text.partition(":")
    names = head.split(",")
    if not colon or not set(names) <= set(known) or len(set(names)) < len(names):
        raise ValueError(f"must begin with columns among {', '.join(known)}; remove it and name a file")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"must have at most {MAX_CHARACTERS} characters")
    size = 4 * HOURS * len(names)
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(body, validate=True), size + 1)  # never more than that
    except (binascii.Error, zlib.error):
        data = b""
    if len(data) != size:
        raise ValueError(f"is not a year of {HOURS} hours in packed form; remove it and name a file")
    differences = np.frombuffer(data, np.uint8).reshape(4, -1).T.copy().view("<i4").reshape(len(names), HOURS)
    values = np.cumsum(differences.astype(np.int64), axis=1) * STEP
    if not (np.abs(values) < _LARGEST).all():
        raise ValueError("holds numbers out of range; remove it and name a file")
    return dict(zip(names, values, strict=True))
