"""Room of columns over time: whatever is given away, every answer is what a look at each moment says."""

from __future__ import annotations

import numpy as np
import pytest

from twin.schedule.timetable import Timetable

NOW, END = 10, 40
"""Everything begins and ends at whole seconds in between, so that a look at each of them sees all."""


def drawn(rng: np.random.Generator, falling: bool) -> tuple[Timetable, np.ndarray]:
    """Return a timetable after some takes, and room of each column in each second."""
    columns, changes = int(rng.integers(1, 12)), int(rng.integers(0, 30))
    room = rng.integers(0, 5, columns)
    column, more = rng.integers(0, columns, changes), rng.integers(1, 4, changes)
    from_s = rng.integers(NOW - falling, END, changes)
    if falling:
        more *= rng.choice([-1, 1, 1], changes)
    seconds = np.repeat(room[:, None], END + 10 - NOW, axis=1)
    for one, at, change in zip(column, from_s, more, strict=True):
        seconds[one, max(at, NOW) - NOW :] += change
    table = Timetable(float(NOW), room, column, from_s.astype(float), more)
    for _ in range(int(rng.integers(0, 4))):
        some = rng.permutation(columns)[: int(rng.integers(1, columns + 1))]
        begin = int(rng.integers(NOW, END)) if falling else NOW
        until = int(rng.integers(begin, END + 1))
        given = rng.integers(1, 4, len(some))
        table.take(some, given, float(begin), float(until) if until < END else np.inf)
        seconds[some, begin - NOW : until - NOW if until < END else None] -= given[:, None]
    return table, seconds


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("block", range(4))
def test_every_answer_is_what_each_second_says(falling: bool, block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        rng = np.random.default_rng(seed)
        table, seconds = drawn(rng, falling)
        for question in rng.permutation(["least", "later", "spells", "holds"]).tolist():
            need, lasts = rng.integers(0, 6, len(seconds)), int(rng.integers(1, 9))
            good = seconds >= need[:, None]
            if question in ("least", "later"):
                begin = NOW if question == "least" else int(rng.integers(NOW, END))
                least = seconds[:, begin - NOW : begin - NOW + lasts].min(axis=1)
                assert table.least(float(begin), float(begin + lasts)).tolist() == least.tolist(), seed
            elif question == "holds":
                until_s = [NOW + int(np.argmin(seconds)) if not seconds.all() else np.inf for seconds in good]
                assert table.holds_until_s(need).tolist() == until_s, seed
            else:
                found = table.spells(need, float(lasts))
                for second in range(NOW, END):
                    fits = good[:, second - NOW : second - NOW + lasts].all(axis=1)
                    inside = (found.first_s <= second) & (second <= found.last_s)
                    assert sorted(found.column[inside]) == fits.nonzero()[0].tolist(), seed
                if found.endless:
                    first_s = sorted(found.first_s.tolist())
                    assert [found.soonest_s(k + 1) for k in range(len(first_s))] == first_s
                    assert found.soonest_s(len(first_s) + 1) == np.inf
