"""Bookings of a stranger's file: whatever the bytes are, they are read or refused, with bounded memory."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from twin.record.accounts import ACCOUNTS
from twin.record.bookings import Booked, Bookings, decode_bookings
from twin.record.ledger_reading import read_ledger
from twin.record.runfile import RunFileError


def booked() -> Booked:
    rate = np.zeros(len(ACCOUNTS))
    rate[0] = 8.0
    bookings = Bookings()
    for place in range(20):
        bookings.spent(place % 3, 10.0 * place, 10.0 * place + 9.0, rate)
        bookings.kept(place % 3, 10.0 * place, 10.0 * place)
    bookings.lost(1, 150.0, 160.0)
    return bookings.take(200.0, [(2, 190.0, rate)])


@pytest.mark.parametrize(
    "changed",
    [
        {"job": np.full(21, 2**30, np.int32)},
        {"job": np.full(21, -2, np.int32)},
        {"rate": np.full(21, 7, np.int32)},
        {"begin_s": np.full(21, 1e308)},
        {"end_s": np.full(21, np.nan)},
        {"value": np.full(21, np.inf)},
        {"rates": np.full((1, len(ACCOUNTS)), -1e9)},
        {"settled_job": np.full(21, 2**31 - 1, np.int32)},
        {"until_s": 1e300},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_what_cannot_be_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(RunFileError, match="bookings of a block are damaged"):
        decode_bookings(replace(booked(), **changed).encode())  # type: ignore[arg-type]


def test_any_bytes_are_read_or_refused() -> None:
    draw, whole = random.Random(19), zlib.decompress(booked().encode())
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            place = draw.randrange(len(data))
            data[place : place + 8] = draw.choice(
                [struct.pack("<d", draw.uniform(-1e3, 1e3)), draw.randbytes(8), b"", bytes(8)]
            )
        try:
            found = decode_bookings(zlib.compress(bytes(data), 1))
        except RunFileError:
            continue
        for hindsight in (False, True):
            read = read_ledger(found, 20.0, 180.0, hindsight=hindsight)
            assert np.isfinite(read.by_job).all()
