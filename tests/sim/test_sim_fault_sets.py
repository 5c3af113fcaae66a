"""Which parts of the faults in force may leave a job less than all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.sim.fabric.route_variants import EXACT, RouteFault, Some, fault_sets

LINKS = 32


def faults(count: int) -> Some:
    return tuple(RouteFault(str(k), np.array([k])) for k in range(count))


def names(sets: list[Some]) -> set[str]:
    found = ["".join(fault.id for fault in some) for some in sets]
    assert len(found) == len(set(found))  # none is looked at twice
    return set(found)


def everywhere(some: Some) -> NDArray[np.bool_]:
    return np.ones(LINKS, np.bool_)


def test_all_parts_of_few_faults_count() -> None:
    assert names(list(fault_sets(faults(3), everywhere))) == {"", "0", "1", "2", "01", "02", "12", "012"}
    assert len(list(fault_sets(faults(EXACT), everywhere))) == 2**EXACT


def test_faults_a_job_never_meets_do_not() -> None:
    def met(some: Some) -> NDArray[np.bool_]:
        """Links 0, and once that is lost the way over link 2; nobody comes by 1."""
        used = np.zeros(LINKS, np.bool_)
        used[2 if any(fault.id == "0" for fault in some) else 0] = True
        return used

    assert names(list(fault_sets(faults(3), met))) == {"", "0", "02"}


def test_further_faults_count_alone_and_in_the_order_they_came() -> None:
    before = names(list(fault_sets(faults(EXACT + 1), everywhere)))
    after = names(list(fault_sets(faults(EXACT + 2), everywhere)))
    assert before < after  # so another fault never gives anything back
    newest = EXACT + 1
    assert after - before == {f"{newest}", "".join(map(str, range(newest + 1)))}
