"""A what-if answers: both run on to one end from one past, and each pair is the pair of runs from the start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from sim_scenes import causes, job, tiny

from twin.analysis.branch import branch_scene, parent_scene, shared_past_s, start_branch
from twin.analysis.branch_changes import instead_in_words
from twin.analysis.compare import Basis, Comparison, Sample, compare, sample_of
from twin.analysis.figures import FIGURES
from twin.analysis.rerun import scenario_of_run
from twin.analysis.seeds import sample
from twin.analysis.significance import answer, judged, verdict
from twin.analysis.what_if import WhatIf, futures, what_if
from twin.plant.build import build
from twin.record.reader import Reader
from twin.record.redraw import Redraw
from twin.runtime.inline import InlineClient, go_on, run
from twin.scenario import load, parse_injection
from twin.scenario.file.effective_text import show
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.units import spoken

DAY_S, CUT_S, END_S = 86400.0, 1.7 * 86400.0, 3 * 86400.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that a person did something in and stopped at two days, and a branch of it."""
    where = tmp_path_factory.mktemp("what-if")
    failures = {"causes": causes(0.25), "stragglers": 1.0, "lemons": True}
    scene = tiny(nodes=6, jobs=(job(4),), failures=failures, duration="3 day", title="parent")
    (where / "parent.twin.yaml").write_text(show(scene, exact=True))
    client = InlineClient()
    client.load(load(where / "parent.twin.yaml").scenario, seed=3, run_file=where / "parent.twinrun")
    for _ in range(5):
        client.step()
    client.intervene(parse_injection("30 h power_cap all value='500 W'"))
    for _ in range(12):
        client.step()
    while reached(where / "parent.twinrun") < 2 * DAY_S:
        for _ in range(5):
            client.step()
    client.close()
    cut = [parse_injection(f"{CUT_S!r} s set jobs[train].checkpoint.interval value='20 min'")]
    path = where / "branch.twin.yaml"
    with Reader(where / "parent.twinrun") as reader:
        extends = parent_scene(reader, where, at_s=CUT_S)
        path.write_text(branch_scene(extends, where, reader, CUT_S, cut, "branch"))
        started = start_branch(reader, CUT_S, path, where / "branch.twinrun")
    go_on(started.document.scenario, started.run_file)
    return where


def reached(path: Path) -> float:
    with Reader(path) as reader:
        return reader.t_end_s


def asked(folder: Path) -> tuple[WhatIf, Scenario, Scenario]:
    """Return the question, and the scenes of both as they are run from the start."""
    with Reader(folder / "parent.twinrun") as reader:
        branch = load(folder / "branch.twin.yaml").scenario
        return what_if(reader, branch, CUT_S), scenario_of_run(reader), branch


@pytest.mark.slow
def test_each_pair_is_the_pair_of_runs_from_the_start_with_those_very_draws(folder: Path) -> None:
    question, parent, branch = asked(folder)
    assert question.parent.snapshot is not None
    assert question.over is None
    pair = set()
    for kept, scene in ((question.parent, parent), (question.branch, branch)):
        engine = kept.engine(8)
        engine.advance(engine.end_s)
        begun = run(scene, seed=3, redraws=(Redraw(CUT_S, 8),)).engine
        assert engine.summary() == begun.summary()
        assert engine.event_hash() == begun.event_hash()
        pair.add(begun.event_hash())
    assert len(pair) == 2


def test_seeds_keep_the_past_and_differ_from_the_cut_on_alone(folder: Path) -> None:
    question, _, _ = asked(folder)
    found = futures(question, [3, 4, 5])
    assert found.basis is Basis.SAME_PAST
    assert found.since_s == CUT_S
    assert verdict(found).startswith("Same past until 1 d 17 h. ")
    assert len({pair[0] for pair in found.differences["goodput"].pairs}) == 3
    kept = {(seed, k): sample(one, seed, CUT_S) for seed in (3, 4) for k, one in enumerate(_both(question))}
    assert kept[3, 0] == kept[4, 0]  # nothing of the past is another
    for figure in FIGURES:
        a, b = (kept[3, k].figures[figure.key] for k in (0, 1))
        assert a == b or abs(a - b) <= 1e-9 * abs(a), figure.key


def _both(question: WhatIf):
    return question.parent, question.branch


def test_the_run_itself_goes_on_to_the_end_of_the_branch(folder: Path) -> None:
    question, parent, _ = asked(folder)
    assert sample(question.parent, None) == sample_of(run(parent, seed=3).engine.summary())
    assert question.end_s == END_S
    shorter = run(parent, seed=3, until_s=2.5 * DAY_S, record=folder / "stopped.twinrun").engine
    with Reader(folder / "stopped.twinrun") as reader:
        stopped = what_if(reader, load(folder / "branch.twin.yaml").scenario, CUT_S)
        assert (stopped.end_s, stopped.over) == (2.5 * DAY_S, sample_of(shorter.summary()))
        on = what_if(reader, load(folder / "branch.twin.yaml").scenario, CUT_S, END_S)
        assert (on.end_s, on.over) == (END_S, None)
    with Reader(folder / "stopped.twinrun") as a, Reader(folder / "branch.twinrun") as b:
        assert shared_past_s(a, b) == shared_past_s(b, a) == CUT_S
        assert shared_past_s(a, a) is None


def test_the_change_is_told_with_what_was_before(folder: Path) -> None:
    _, parent, branch = asked(folder)
    done = [one for one in branch.interventions if one.kind == "set"]
    assert instead_in_words(done, parent) == "checkpoint interval of train 20 min instead of 10 min"
    once_more = [one.model_copy(update={"at_s": END_S, "value": "1 h"}) for one in done]
    words = instead_in_words(once_more, branch)
    assert words == "checkpoint interval of train 1 h instead of 20 min"
    easy = [parse_injection("2 day set scheduler.policy value=easy")]
    assert instead_in_words(easy, parent) == "queue policy easy instead of fifo"
    trip = [parse_injection("2 day pump_stop cdu/0 for=20s")]
    assert "cdu/0" in instead_in_words(trip, parent)


def test_a_rule_is_told_with_the_interval_it_comes_to() -> None:
    """As the engine plans it: 66 steps."""
    scenario = load("builtin:llama3-16k").scenario
    done = [parse_injection("13 h set jobs[llama3-405b].checkpoint.interval value='5 min'")]
    words = instead_in_words(done, scenario, build(scenario))
    assert words == "checkpoint interval of llama3-405b 5 min instead of 7 min 18 s (Daly's rule)"
    assert instead_in_words(done, scenario).endswith(" 5 min instead of Daly's rule")
    engine = Engine(scenario, 1)
    steps, row = engine.recovery.plans[0].checkpoint_steps, engine.jobs.rows[0]
    assert steps is not None
    assert spoken(round(steps * engine.jobs.ideal_s(row))) == "7 min 18 s"


# --- the words


def of(gpus: float = 16.0, hours: float = 24.0, **figures: list[float]) -> list[Sample]:
    count = len(next(iter(figures.values())))
    return [
        Sample({key: values[k] for key, values in figures.items()}, {}, hours * 3600.0, gpus)
        for k in range(count)
    ]


def judgements(found: Comparison) -> dict[str, int]:
    return {figure.key: judged(figure, found).better for figure in FIGURES if figure.key in found.differences}


def test_one_line_answers() -> None:
    a, b = of(goodput=[0.9, 0.91, 0.92]), of(goodput=[0.896, 0.907, 0.915])
    said = answer(compare(a, b, [1, 2, 3], Basis.SAME_PAST, 5.0), "5 min instead of 7")
    assert said == "5 min instead of 7: goodput -0.40 pp (paired, 3 seeds: -0.65 .. -0.15)"
    one = answer(compare(a[:1], b[:1], [1], Basis.SAME_PAST, 5.0))
    assert one == "goodput -0.40 pp (one run of each: the difference may be chance)"
    assert answer(compare(a, a, [1, 2, 3]), "it") == "It: no figure differs with any of 3 seeds"
    noisy = of(goodput=[0.9, 0.93, 0.91])
    assert answer(compare(a, noisy, [1, 2, 3])).endswith(", not significant)")


def test_each_verdict_names_its_basis() -> None:
    a, b = of(goodput=[0.9, 0.91]), of(goodput=[0.8, 0.81])
    assert verdict(compare(a, b, [1, 2], Basis.RERUN)).startswith("Rerun from the start. Significant")
    assert verdict(compare(a, b, [1, 2], Basis.SAME_PAST, 18000.0)).startswith("Same past until 5 h. ")


def test_what_grows_with_a_hall_is_not_judged_between_halls_of_other_sizes() -> None:
    values = {figure.key: [10.0, 11.0, 12.0] for figure in FIGURES}
    more = {figure.key: [20.0, 21.0, 22.0] for figure in FIGURES}
    better = judgements(compare(of(256.0, **values), of(576.0, **more), [1, 2, 3]))
    unjudged = {key for key, one in better.items() if one == 0}
    assert unjudged == {figure.key for figure in FIGURES if figure.extensive}
    assert {"power_max_w", "energy_j", "cost_usd", "carbon_kg", "water_l", "productive_gpu_h"} < unjudged
    assert better["pue"] == -1
    alike = judgements(compare(of(256.0, **values), of(256.0, **more), [1, 2, 3]))
    assert alike["power_max_w"] == -1
    longer = judgements(compare(of(256.0, **values), of(256.0, 48.0, **more), [1, 2, 3]))
    assert longer["interruptions"] == 0
