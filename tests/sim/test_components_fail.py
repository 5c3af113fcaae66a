"""Switches, links and fault domains fail at their own rates, and stop the jobs that hang on them and only those."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from sim_scenes import assert_books_close, causes, events, job, liquid, tiny
from usual_cases import usually

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.domains import scale_up_domains
from twin.plant.failure_components import components_of
from twin.plant.links import links_of
from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.core.draws import Draws
from twin.sim.engine.engine import Engine
from twin.sim.hazard.failure_clocks import FailureClocks

DAY_S = 86400.0


def _cause(on: str, rate: str = "0.2 per day", **more: Any) -> dict[str, Any]:
    return {"id": f"{on}_loss", "rate": rate, "repair": "power_supply", "on": on} | more


def _failing(*some: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"repair_constant": "2 h", "causes": list(some)} | more


def _fed_by_one(**more: Any) -> Scenario:
    """Return four racks of a node, two of them on each PDU, and a job of two nodes on each pair."""
    power = [
        {"id": "grid", "kind": "utility"},
        {"id": "pdu", "kind": "pdu", "count": 2, "from": "grid", "feeds": ["gpu"]},
    ]
    jobs = (job(2, id="left"), job(2, id="right"))
    return tiny(nodes=4, jobs=jobs, power=power, **more)


def _first_strike(engine: Engine) -> Any:
    while not events(engine, "failure"):
        engine.advance(engine.timers.next_s())
    return events(engine, "failure")[0]


def test_a_pdu_that_fails_stops_the_jobs_on_it_and_only_those() -> None:
    engine = Engine(_fed_by_one(failures=_failing(_cause("pdu"))), 3)
    event = _first_strike(engine)
    struck = int(event.subject.rpartition("/")[2])
    engine.advance(engine.now_s + 1.0)
    mine, other = engine.jobs.rows[struck], engine.jobs.rows[1 - struck]
    assert (mine.interruptions, other.interruptions) == (1, 0)
    assert other.state in (JobState.RUNNING, JobState.CHECKPOINT)
    dark = np.flatnonzero(engine.nodes.dark).tolist()
    assert dark == [2 * struck, 2 * struck + 1]
    engine.advance(engine.now_s + 3 * 3600.0)  # repaired, booted
    assert mine.state in (JobState.RUNNING, JobState.CHECKPOINT)
    assert other.interruptions == len(events(engine, "failure")) - 1
    assert_books_close(engine)


def test_a_scale_up_domain_goes_down_as_a_whole() -> None:
    engine = Engine(liquid(racks=2, failures=_failing(_cause("nvlink"))), 1)
    event = _first_strike(engine)
    down = np.flatnonzero(engine.nodes.condition == 1)
    domain = scale_up_domains(engine.plant)
    assert len(down) == 18
    assert len(set(domain[down].tolist())) == 1
    assert event.data["nodes"] == 18
    engine.advance(engine.now_s + 2 * 3600.0 + 1.0)
    assert not (engine.nodes.condition == 1).any()
    assert_books_close(engine)


def test_a_cdu_that_fails_stops_the_pumps_of_its_loop() -> None:
    engine = Engine(liquid(racks=2, failures=_failing(_cause("cdu"))), 2)
    event = _first_strike(engine)
    stopped = events(engine, "pump_stop")
    assert [one.subject for one in stopped] == [event.subject]
    assert event.subject.startswith("cdu/")
    engine.advance(engine.now_s + 2 * 3600.0 + 1.0)
    assert [one.subject for one in events(engine, "pump_start")][:1] == [event.subject]


@pytest.mark.parametrize("on", ["rack", "row"])
def test_racks_and_rows_take_their_nodes_along(on: str) -> None:
    engine = Engine(tiny(nodes=4, failures=_failing(_cause(on))), 4)
    event = _first_strike(engine)
    down = np.flatnonzero(engine.nodes.condition == 1)
    assert len(down) == (4 if on == "row" else 1)
    assert all(engine.plant.nodes.ids[node].startswith(event.subject) for node in down)


@pytest.mark.parametrize("on", usually(["switch", "leaf", "link"], ["leaf"]))
def test_faults_of_the_fabric_cut_off_what_hangs_on_it(on: str) -> None:
    repair = "cable" if on == "link" else "motherboard"
    cause = _cause(on, "0.02 per day", repair=repair)
    engine = Engine(hall(model("llm", 4), nodes=8, failures=_failing(cause), duration="60 day"), 5)
    engine.advance(40 * DAY_S)
    struck, told = events(engine, "failure"), events(engine, "fabric_fault")
    assert struck
    assert [one.subject for one in told] == [one.subject for one in struck]
    assert engine.summary()["failures"]["by_cause"] == {f"{on}_loss": len(struck)}
    if on == "leaf":
        leaves = {engine.plant.switches.ids[k] for k in np.flatnonzero(engine.plant.switches.role == 0)}
        assert {one.subject for one in struck} <= leaves
    assert_books_close(engine)


@pytest.mark.parametrize(("on", "rate_month"), [("link", 0.00057), ("leaf", 0.00051)])
def test_published_rates_of_links_and_leaves_come_out(on: str, rate_month: float) -> None:
    """0.057 % of links and 0.051 % of leaf switches fail in a month (PHYSICS 6)."""
    months, strikes, exposed = 600.0, 0, 0.0
    cause = _cause(on, f"{rate_month} per 30 day", repair="cable")
    scene = hall(nodes=16, failures=_failing(cause, repair_constant="0 s"))
    plant = build(scene, load_catalog())
    for seed in range(30):
        clocks = FailureClocks(plant, scene.failures, Draws(seed))
        exposed += float(components_of(plant, on).weight.sum()) * months  # type: ignore[arg-type]
        while clocks.earliest_s() < months * 30 * DAY_S:
            clocks.take(clocks.earliest_s())
            strikes += 1
    expected = rate_month * exposed
    assert abs(strikes - expected) < 3.5 * np.sqrt(expected)


def test_a_link_is_so_many_cables() -> None:
    plant = build(hall(nodes=16), load_catalog())
    assert components_of(plant, "link").weight.sum() == links_of(plant).cables.sum()


def test_one_cable_of_several_takes_its_share_of_the_bandwidth() -> None:
    cause = _cause("link", "0.01 per day", repair="cable")
    engine = Engine(hall(model("llm", 8), nodes=16, failures=_failing(cause), duration="90 day"), 1)
    links = engine.network.links
    cut: list[float] = []
    while len(cut) < 3:
        engine.advance(engine.timers.next_s())
        less = np.flatnonzero(engine.network.bytes_s < links.bytes_s)
        wide = less[links.cables[less] > 1]
        if len(wide) and not engine.nodes.cut.any():
            cut += (engine.network.bytes_s[wide] / links.bytes_s[wide]).tolist()
    assert cut == pytest.approx([1 - 1 / 16] * len(cut))


def test_other_components_leave_the_failures_of_nodes_where_they_were() -> None:
    plain = tiny(nodes=4, jobs=(), failures={"causes": causes(0.3)})
    more = tiny(nodes=4, jobs=(), failures={"causes": [*causes(0.3), _cause("rack", "0.01 per day")]})
    struck = []
    for scene in (plain, more):
        clocks = FailureClocks(build(scene, load_catalog()), scene.failures, Draws(9))
        history = []
        for _ in range(40):
            due_s, node = clocks.next()
            cause, repair_s, gpu = clocks.strike(node, due_s)
            history.append((due_s, node, cause.id, repair_s, gpu))
        struck.append(history)
    assert struck[0] == struck[1]


@pytest.mark.parametrize("shape", [0.5, 0.8, 1.0, 2.0])
def test_the_mean_life_is_the_quoted_one_whatever_the_shape(shape: float) -> None:
    scene = tiny(
        nodes=200,
        jobs=(),
        failures=_failing({"id": "gpu", "rate": "0.01 per day", "repair": "gpu", "shape": shape}),
    )
    clocks = FailureClocks(build(scene, load_catalog()), scene.failures, Draws(1))
    (_, _, own) = clocks.others[0]
    lives = []
    for _ in range(60):
        lives.append(own.due_s - own.since_s)
        for node, due_s in enumerate(own.due_s.tolist()):
            own.begin_anew(node, due_s)
    days = np.concatenate(lives) / DAY_S
    assert days.mean() == pytest.approx(100.0, rel=4 * days.std() / days.mean() / np.sqrt(len(days)))
    early = float((days < 10.0).mean())  # infant mortality: more than the constant rate's 9.5 % below shape 1
    assert (early > 0.095) == (shape < 1.0) or shape == 1.0


def test_bursts_hit_neighbours_within_their_time() -> None:
    bursts = {"chance": "50 %", "domain": "rack", "mean": 2.0, "within": "10 min"}
    halls = [
        {
            "id": "hall",
            "rows": [
                {
                    "id": "gpu",
                    "racks": {"count": 4, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]},
                }
            ],
        }
    ]
    failing = _failing({"id": "gpu", "rate": "0.02 per day", "repair": "gpu"}, bursts=bursts)
    engine = Engine(tiny(halls=halls, jobs=(), failures=failing, duration="400 day"), 2)
    engine.advance(engine.end_s)
    begun, struck = events(engine, "burst"), events(engine, "failure")
    assert len(begun) > 20
    for burst in begun:
        rack = burst.subject.rpartition("/")[0]
        near = [  # others of its rack may fail by themselves in that time
            one
            for one in struck
            if 0 < one.t_s - burst.t_s <= 600.0
            and one.subject.startswith(f"{rack}/")
            and one.subject != burst.subject
        ]
        assert len(near) <= burst.data["nodes"] + 1
        assert near or burst.data["nodes"] < 4
    # The quoted rate is that of all failures, those that came along included.
    expected = 16 * 0.02 * 400
    assert abs(len(struck) - expected) < 3.5 * np.sqrt(2 * expected)


def test_a_struck_run_restores_to_the_same_future() -> None:
    bursts = {"chance": "40 %", "domain": "row", "mean": 1.0}
    some = [_cause("rack", "0.05 per day"), _cause("nvlink", "0.05 per day"), _cause("row", "0.02 per day")]
    young = {"id": "young", "rate": "0.1 per day", "repair": "gpu", "shape": 0.7}
    scene = tiny(nodes=6, failures=_failing(*some, young, bursts=bursts, lemons=True))
    whole = Engine(scene, 8)
    whole.advance(12 * DAY_S)
    again = Engine.restore(scene, whole.snapshot())
    for engine in (whole, again):
        engine.advance(30 * DAY_S)
    assert whole.event_hash() == again.event_hash()
    counts: Counter[str] = Counter(whole.incidents.tally.struck)
    assert counts == again.incidents.tally.struck
    assert_books_close(whole)
