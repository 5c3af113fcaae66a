"""Causes of failure of the catalogue: they come to the published counts, and each says how well it is known."""

from twin.catalog import load_catalog
from twin.scenario.schema.faults import Cause

CATALOG = load_catalog()
DAYS, NODES = 54, 2048
PER_NODE = {"node": 1, "gpu": 8, "nic": 8, "psu": 6, "nvlink_tray": 0}
"""How many of each a node of that fleet had; its switches were inside of nodes."""


def expected(planned: bool) -> float:
    """Return how many failures that fleet expects by these rates."""
    return sum(
        cause.rate_per_s * PER_NODE[cause.each] * NODES * DAYS * 86400.0
        for cause in CATALOG.causes
        if cause.planned == planned
    )


def test_they_come_to_the_interruptions_of_llama_3() -> None:
    assert round(expected(planned=False), 6) == 419
    assert round(expected(planned=True), 6) == 47


def test_each_is_a_cause_that_a_scene_could_have() -> None:
    for cause in CATALOG.causes:
        made = Cause(
            id=cause.id, rate=cause.rate_per_s, repair=cause.repair, on=cause.on, effect=cause.effect
        )
        assert made.stops, cause.id


def test_each_has_a_width_and_a_method() -> None:
    for cause in CATALOG.causes:
        (figure,) = CATALOG.figures(cause.id)
        assert figure.low is not None, cause.id
        assert figure.high is not None, cause.id
        assert figure.low < figure.value < figure.high, cause.id
        assert figure.note, cause.id
        assert (figure.status == "estimated") == (cause.counted_on == ""), cause.id
