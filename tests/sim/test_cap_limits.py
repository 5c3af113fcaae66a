"""A GPU has one lowest power limit, whatever the cap is put on, and the limits that are told can be given."""

from __future__ import annotations

from pathlib import Path

import pytest
from sim_scenes import events, frame, inject

from twin.scenario import load, parse_injection
from twin.sim.engine.engine import Engine

HALL = load(Path(__file__).parents[1] / "findings" / "capb.twin.yaml").scenario


def drawn_w(*lines: str) -> set[float]:
    """Return what the GPUs of the first rack draw under caps."""
    engine = inject(Engine(HALL), *lines)
    engine.advance(1800.0)
    return set(frame(engine).values["gpu.power_w"][:16].round().tolist())


def test_the_limits_that_are_told_can_be_given() -> None:
    engine = Engine(HALL)
    refusal = engine.intervene(parse_injection("10 min power_cap all value='100 W'"))
    assert refusal == "power_cap takes 238 W to 700 W for the GPUs of this hall, not 100 W"
    for target in ("all", "j"):
        for limit in ("238 W", "700 W"):
            assert (
                Engine(HALL).intervene(parse_injection(f"10 min power_cap {target} value='{limit}'")) is None
            )
        assert "takes 238 W" in str(
            Engine(HALL).intervene(parse_injection(f"10 min power_cap {target} value='237 W'"))
        )


@pytest.mark.parametrize(
    "line",
    [
        "10 min power_cap all value='238 W'",
        "10 min power_cap j value='238 W'",
        "10 min power_cap gpu/0/0 value='5 kW'",
        "10 min power_cap gpu/0 value='5 kW'",
        "10 min power_cap hall value='5 kW'",
    ],
)
def test_the_floor_is_the_same_for_every_target(line: str) -> None:
    assert drawn_w(line) == {238.0}


def test_a_cap_below_the_floor_says_what_is_drawn_still() -> None:
    engine = inject(Engine(HALL), "10 min power_cap gpu/0/0 value='5 kW'")
    engine.advance(1800.0)
    (said,) = events(engine, "cap_exceeded")
    assert "not achievable: minimum draw is" in said.text
