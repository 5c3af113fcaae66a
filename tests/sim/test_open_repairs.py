"""The mean time to repair of a run in which repairs are still open: those that have ended are the short ones."""

from __future__ import annotations

import pytest
from sim_scenes import causes, tiny

from twin.analysis.figures import repair_time
from twin.cli.text.repair import repair_lines
from twin.sim.engine.engine import Engine


def test_repairs_still_open_count_up_to_now() -> None:
    engine = Engine(tiny(8, failures={"causes": causes(0.2), "lemons": True}), 3)
    engine.advance(12 * 86_400.0)
    summary, now = engine.summary(), engine.now_s
    lasts_s = [now - ticket.since_s for ticket in engine.repairs.tickets.values()]
    assert lasts_s
    assert engine.repairs.down_s
    found = repair_time(summary)
    assert found is not None
    assert (found.ended, found.open) == (len(engine.repairs.down_s), len(lasts_s))
    both = [*engine.repairs.down_s, *lasts_s]
    assert found.at_least_s == pytest.approx(sum(both) / len(both), rel=1e-9)
    assert found.ended_s == pytest.approx(sum(engine.repairs.down_s) / found.ended)


def test_the_summary_says_of_which_repairs_a_mean_is() -> None:
    down = {"mean": 3.0, "p99": 5, "most": 6}
    repairs = {"done": 6, "open": 4, "mean_down_s": 3600.0, "p90_down_s": 7200.0, "parts": {}}
    repairs |= {"waiting_for_hands": 0, "waiting_for_parts": 0}
    summary = {
        "simulated_s": 86_400.0,
        "failures": {"down": down},
        "repairs": repairs,
        "health": {"runs": 0},
        "lemons": {"out": 0},
    }
    (line, _) = repair_lines(summary)
    assert line == (
        "nodes repaired 6; time of these repairs: mean 1 h, P90 2 h; still in repair 4; mean time to repair at least "
        "7 h 12 min with these up to now"
    )
    (line, _) = repair_lines(summary | {"repairs": repairs | {"open": 0}})
    assert line == "nodes repaired 6; time to repair: mean 1 h, P90 2 h; still in repair 0"
