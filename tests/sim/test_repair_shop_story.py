"""The repair shop of two: what cards and hands cost, as the notes of the scene say."""

from __future__ import annotations

import pytest

from tests.sim.sim_scenes import events
from twin import scenario
from twin.resources import folder
from twin.scenario.file.set_option import set_texts
from twin.sim.engine.engine import Engine

CARDS = "failures.repairs.parts[cards].stock=50"
ROUND_THE_CLOCK = (
    "failures.repairs.crew.people=6",
    "failures.repairs.crew.shift=[0, 24]",
    "failures.repairs.crew.weekend=true",
)


def month(*settings: str) -> Engine:
    """Return the month of the scene with other values."""
    document = scenario.load(str(folder("scenes") / "repair-shop.twin.yaml"))
    engine = Engine(set_texts(document, list(settings)).scenario)
    engine.advance(engine.end_s)
    return engine


@pytest.mark.slow
def test_hands_are_no_help_while_cards_are_missing_and_both_make_the_month() -> None:
    as_is, cards, hands, both = month(), month(CARDS), month(*ROUND_THE_CLOCK), month(CARDS, *ROUND_THE_CLOCK)
    ettr = {name: float(run.summary()["ettr"]) for name, run in locals().items()}
    assert abs(ettr["as_is"] - 0.58) < 0.02
    assert abs(ettr["cards"] - 0.82) < 0.02
    assert abs(ettr["hands"] - ettr["as_is"]) < 0.05
    assert abs(ettr["both"] - 0.95) < 0.02
    downtimes = [run.summary()["repairs"]["mean_down_s"] for run in (as_is, hands, both)]
    assert downtimes == sorted(downtimes, reverse=True)
    assert events(as_is, "part_missing", "part_arrived")
    assert not events(cards, "part_missing")
    assert any(event.text.startswith("burn test found slow GPUs") for event in events(as_is, "health_check"))
