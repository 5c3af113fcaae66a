"""Columns of thousands of entities: only those that move are stored whole, and all come back as they were."""

import zlib

import numpy as np
import pytest

from twin.record.columns import Sparse, SparseColumnBuilder, decode_dense, decode_sparse, encode_dense
from twin.record.runfile import RunFileError


def _samples(entities: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    values = np.repeat(rng.integers(0, 200, (1, entities)), 12, axis=0).astype(dtype)
    moving = rng.choice(entities, entities // 50, replace=False)
    for k in (0, 3, 4, 5, 11):
        values[k:, moving] = rng.integers(0, 200, len(moving)).astype(dtype)
    return values


def _sparse(values: np.ndarray, dtype: str, quantum: float = 0.0) -> bytes:
    changes = SparseColumnBuilder(dtype, quantum)
    for row in values:
        changes.add(row.copy())
    return changes.encode()


@pytest.mark.parametrize("dtype", ["u1", "f4", "i4"])
@pytest.mark.parametrize("entities", [1, 57, 20_003])
def test_every_value_comes_back(entities: int, dtype: str) -> None:
    values = _samples(entities, dtype)
    dense = decode_dense(encode_dense(values, 0), 12, entities, dtype)
    sparse = decode_sparse(_sparse(values, dtype), 12, entities, dtype)
    for column in (dense, sparse):
        assert np.array_equal(column.whole(), values.T.astype(np.float32))
        for k in range(12):
            assert np.array_equal(column.at(k), values[k])


def test_both_columns_round_alike() -> None:
    values = np.random.default_rng(3).normal(50, 5, (9, 300))
    dense = decode_dense(encode_dense(values, 0.5), 9, 300, "f4").whole()
    assert np.array_equal(dense, decode_sparse(_sparse(values, "f4", 0.5), 9, 300, "f4").whole())
    assert abs(dense - values.T).max() <= 0.2501


def test_a_column_goes_on_after_it_was_written() -> None:
    values = _samples(500, "f4")
    changes = SparseColumnBuilder()
    for k, row in enumerate(values):
        changes.add(row)
        assert np.array_equal(
            decode_sparse(changes.encode(), k + 1, 500, "f4").whole(), values[: k + 1].T.astype(np.float32)
        )


def test_what_stands_still_costs_little() -> None:
    values = _samples(20_000, "f4")
    still = np.repeat(values[:1], 12, axis=0)
    assert len(_sparse(values, "f4")) < 0.2 * values.nbytes
    assert len(_sparse(still, "f4")) < len(_sparse(values, "f4"))
    assert isinstance(decode_sparse(_sparse(still, "f4"), 12, 20_000, "f4"), Sparse)


def test_a_value_that_is_not_a_number_moves_and_comes_back() -> None:
    values = np.zeros((4, 1005), np.float32)
    values[1, 7] = np.nan
    back = decode_sparse(_sparse(values, "f4", 0.1), 4, 1005, "f4").whole()
    assert np.array_equal(back, values.T, equal_nan=True)


def test_a_column_of_an_old_file_is_read() -> None:
    values = _samples(1500, "f4")
    moving = (values != values[0]).any(axis=0)
    parts = (values[0].tobytes(), np.packbits(moving).tobytes(), values.T[moving].tobytes())
    back = decode_sparse(zlib.compress(b"".join(parts), 1), 12, 1500, "f4")
    assert np.array_equal(back.whole(), values.T)


@pytest.mark.parametrize("cut", [1, 400, 4000])
def test_a_damaged_column_is_told(cut: int) -> None:
    blob = _sparse(_samples(1500, "f4"), "f4")
    end = 5 + int.from_bytes(blob[1:5], "little")
    rest = zlib.decompress(blob[end:])
    for broken in (blob[:-cut], blob[: end // 2], b"", blob[:end] + zlib.compress(rest[:-cut])):
        with pytest.raises(RunFileError):
            decode_sparse(broken, 12, 1500, "f4")
