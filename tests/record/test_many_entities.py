"""Columns of thousands of entities: only those that move are stored whole, and all come back as they were."""

import numpy as np
import pytest

from twin.record.runfile import RunFileError
from twin.record.series import MANY, decode, encode


def _samples(entities: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    values = np.repeat(rng.integers(0, 200, (1, entities)), 12, axis=0).astype(dtype)
    moving = rng.choice(entities, entities // 50, replace=False)
    values[:, moving] = rng.integers(0, 200, (12, len(moving))).astype(dtype)
    return values


@pytest.mark.parametrize("dtype", ["u1", "f4", "i4"])
@pytest.mark.parametrize("entities", [1, MANY, MANY + 1, 20_003])
def test_every_value_comes_back(entities: int, dtype: str) -> None:
    values = _samples(entities, dtype)
    back = decode(encode(values, 0), 12, entities, dtype)
    assert np.array_equal(back, values.T.astype(np.float32))


def test_what_stands_still_costs_little() -> None:
    values = _samples(20_000, "f4")
    still = np.repeat(values[:1], 12, axis=0)
    assert len(encode(values, 0)) < 0.2 * values.nbytes
    assert len(encode(still, 0)) < len(encode(values, 0)) / 1.2


def test_a_value_that_is_not_a_number_moves_and_comes_back() -> None:
    values = np.zeros((4, MANY + 5), np.float32)
    values[1, 7] = np.nan
    back = decode(encode(values, 0.1), 4, MANY + 5, "f4")
    assert np.array_equal(back, values.T, equal_nan=True)


@pytest.mark.parametrize("cut", [1, 4000, 9000])
def test_a_damaged_column_is_told(cut: int) -> None:
    import zlib

    raw = zlib.decompress(encode(_samples(MANY + 500, "f4"), 0))
    with pytest.raises(RunFileError):
        decode(zlib.compress(raw[:-cut]), 12, MANY + 500, "f4")
