"""Points of a study as pictures need them: axes, bands, fronts, proposals; exact cases without a window."""

from __future__ import annotations

import numpy as np
import pytest

from twin.app.study.key_axis import key_axis, number_marks
from twin.app.study.key_words import key_words
from twin.app.study.points import StudyPoints, bands_of_runs, front_of_two
from twin.app.study.results import usual_picture
from twin.app.study.scene_keys import key_at, proposal, scene_keys
from twin.app.study.study_scene import standing_values
from twin.scenario import load
from twin.scenario.reading.set_value import assign
from twin.studies.bands import band_of
from twin.studies.design import design_of
from twin.studies.study_figures import STUDY_FIGURES, chosen_figures
from twin.studies.sweep_records import KeyRecord, PointRecord, RunRecord, SweepContents, header_of
from twin.studies.sweep_table import sweep_rows
from twin.studies.varied_key import varied_keys

LAB = load("builtin:lab-16")
INTERVAL = "jobs[llama3].checkpoint.interval"
GOODPUT = STUDY_FIGURES["goodput"]


def contents_of(vary: list[str], seeds: tuple[int, ...] = (1, 2, 3)) -> SweepContents:
    """Return a study in which goodput is a tenth of the number of the point, and a little of the seed."""
    design = design_of(LAB, varied_keys(LAB, vary), "grid")
    contents = SweepContents(header_of(LAB, design, seeds, 600.0, "lab-16"))
    for number, values in enumerate(design.points):
        contents.take(PointRecord(point=number, values=values))
        for seed in seeds:
            figures = {"goodput": 0.1 * number + 0.01 * seed, "pue": 2.0 - 0.1 * number}
            contents.take(RunRecord(point=number, seed=seed, figures=figures))
    return contents


def test_bands_are_those_of_the_table() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((40, 7))
    values[rng.random(values.shape) < 0.3] = np.nan
    values[3] = np.nan
    found = bands_of_runs(values)
    for row in range(len(values)):
        band = band_of([None if np.isnan(value) else value for value in values[row]])
        assert found.seeds[row] == (0 if band is None else band.seeds)
        if band is not None:
            assert found.mean[row] == pytest.approx(band.mean, rel=1e-12)
            ends = (found.p5[row], found.p50[row], found.p95[row])
            assert ends == pytest.approx((band.p5, band.p50, band.p95), rel=1e-12)
        else:
            assert np.isnan(found.mean[row])


def test_points_are_where_their_values_are_and_differ_as_the_command_says() -> None:
    contents = contents_of([f"{INTERVAL}=5min,600 s,1 h", "jobs[llama3].nodes=1,2"])
    points = StudyPoints(contents, standing_values(LAB, contents.header))
    assert points.axes[0].unit == "min"
    assert sorted(set(points.places[:, 0].tolist())) == [5.0, 10.0, 30.0, 60.0]  # 30 min stands in the scene
    assert points.texts(points.base) == ("30 min", "2")
    for row in sweep_rows(contents, [GOODPUT]):
        difference = points.difference(GOODPUT, row.point)
        assert difference == row.differences.get("goodput")
        assert points.bands(GOODPUT).mean[row.point] == pytest.approx(row.bands["goodput"].mean)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (INTERVAL, "Checkpoint interval (job llama3)"),
        ("jobs[a].nodes", "Nodes (job a)"),
        ("jobs[a].gpus", "GPUs (job a)"),
        ("jobs[a].workload.global_batch", "Global batch (job a)"),
        ("halls[lab].rows[gpu].racks.count", "Racks per row (row gpu)"),
        ("halls[lab].rows[gpu].racks.nodes[0].count", "Nodes per rack (row gpu)"),
        ("cooling.loops[crah].supply", "Supply (loop crah)"),
        ("fabrics[ib].leaf.count", "Leaf count (network ib)"),
        ("site.grid.carbon", "Carbon intensity"),
        ("duration", "Duration"),
    ],
)
def test_a_key_is_called_by_the_words_of_the_inspector_and_its_thing(path: str, words: str) -> None:
    assert key_words(path).full == words


def test_two_keys_of_one_label_say_whose_they_are() -> None:
    vary = [f"{INTERVAL}=5min,10min", "halls[lab].dew_point=9 degC,10 degC"]
    points = StudyPoints(contents_of(vary))
    assert [axis.short for axis in points.axes] == ["Checkpoint interval [min]", "Dew point [degC]"]
    assert [axis.title for axis in points.axes] == [
        "Checkpoint interval (job llama3) [min]",
        "Dew point (hall lab) [degC]",
    ]
    assert points.named(1) == "Checkpoint interval 5min, Dew point 9 degC"
    alike = points.contents.header.keys[0].model_copy(update={"path": INTERVAL.replace("llama3", "other")})
    header = points.contents.header.model_copy(update={"keys": (points.contents.header.keys[0], alike)})
    both = StudyPoints(SweepContents(header))
    assert [axis.name for axis in both.axes] == [
        "Checkpoint interval (job llama3)",
        "Checkpoint interval (job other)",
    ]


@pytest.mark.parametrize(
    ("texts", "unit", "places"),
    [
        (("5 min", "1 h"), "min", [5.0, 60.0]),
        (("1", "4"), "", [1.0, 4.0]),
        (("15 degC", "290 K"), "degC", [15.0, 16.85]),
        (("spare", "shrink"), "", None),
        (("5 min", "daly"), "", None),
    ],
)
def test_values_are_numbers_in_one_unit_or_stand_in_a_row(
    texts: tuple[str, ...], unit: str, places: list[float] | None
) -> None:
    axis = key_axis(KeyRecord(path="a", texts=texts), ())
    assert axis.is_number == (places is not None)
    assert axis.unit == unit
    assert [axis.place(text) for text in texts] == pytest.approx(places or [0.0, 1.0])
    assert np.isnan(axis.place("nowhere"))


def test_marks_are_round_and_inside() -> None:
    for low, high in ((0.0, 1.0), (-3.0, 1234.5), (99.1, 99.13)):
        marks = number_marks(low, high, 500.0)
        assert 2 <= len(marks) <= 12
        assert len({words for _, words in marks}) == len(marks)
        assert all(low - 1e-6 <= value <= high + 1e-6 for value, _ in marks)


def test_the_front_of_two_figures_is_what_none_beats() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.random(300), rng.random(300)
    for ways in ((1, -1), (-1, -1), (1, 1), (-1, 1)):
        found = set(front_of_two(x, y, *ways).tolist())
        gain = np.stack((ways[0] * x, ways[1] * y))
        beaten = [
            (np.all(gain >= gain[:, [k]], axis=0) & np.any(gain > gain[:, [k]], axis=0)).any()
            for k in range(300)
        ]
        assert found == {k for k in range(300) if not beaten[k]}
    assert not len(front_of_two(x, y, 0, 1))


def test_the_picture_follows_what_varies() -> None:
    one = StudyPoints(contents_of([f"{INTERVAL}=5min,10min"]))
    two = StudyPoints(contents_of([f"{INTERVAL}=5min,10min", "jobs[llama3].nodes=1,2"]))
    three = StudyPoints(
        contents_of([f"{INTERVAL}=5min,10min", "jobs[llama3].nodes=1,2", "storage[nas].read=5 GB/s,9 GB/s"])
    )
    assert [usual_picture(points) for points in (one, two, three)] == ["line", "heat", "parallel"]
    best = StudyPoints(two.contents, best=frozenset((1, 2)))
    assert usual_picture(best) == "scatter"


def test_what_is_proposed_can_stand_there() -> None:
    proposed = 0
    for key in scene_keys(LAB.scenario):
        values = proposal(key)
        if not values:
            continue
        try:
            (found,) = varied_keys(LAB, [f"{key.path}={values}"])
        except ValueError as error:
            raise AssertionError(f"{key.path}={values}: {error}") from None
        proposed += 1
        if key.field.kind in ("quantity", "count", "number") and not found.texts:
            number = float(key.text.split()[0]) if key.text else 0.0
            assert found.low <= number <= found.high, key.path
    assert proposed > 100


def test_keys_are_found_by_their_paths() -> None:
    for key in scene_keys(LAB.scenario):
        assert key_at(LAB.scenario, key.path) == key
    assert key_at(LAB.scenario, "jobs[nobody].nodes") is None
    assert key_at(LAB.scenario, "not a path") is None
    at = key_at(LAB.scenario, INTERVAL)
    assert at is not None
    assert assign(LAB.scenario, at.path, at.text) == LAB.scenario
    assert chosen_figures(["goodput"]) == (GOODPUT,)
