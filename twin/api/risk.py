"""How failures, spares and checkpoints of one job play together, in many quick runs of the reliability model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from twin.api.arguments import Settings, Texts, count_of, path_of, settings_of, texts_of
from twin.api.errors import BadInput, as_arguments
from twin.api.named import load_scene
from twin.api.scene import Scene
from twin.planning.risk.availability_figures import HallAvailability
from twin.planning.risk.failure_table import FailureTable, failure_table
from twin.planning.risk.hall_availability import availability_of
from twin.planning.risk.reliability_sample import FigureSpread
from twin.planning.risk.risk import JobRisk, RiskOutcome, by_spares, ettr_at, outcome, risk_of
from twin.plant.build import build
from twin.scenario import Document, ScenarioError
from twin.scenario.file.set_option import set_texts
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.studies.design import RANGE_LEVELS
from twin.studies.varied_key import varied_key

MOST_RUNS = 100_000
MOST_SPARES = 10**6


@dataclass(frozen=True)
class SparesRow:
    """What the job comes to with so many spare nodes; shares are of its time.

    Attributes
    ----------
    spares
        Nodes.
    interval_s
        Work between checkpoints [s].
    ettr, lost, checkpoints, waiting
        Effective training time ratio, work lost, checkpoint pauses, waiting for spare nodes, all as shares.
    unexpected
        Interruptions.
    """

    spares: int
    interval_s: float
    ettr: FigureSpread
    unexpected: FigureSpread
    lost: FigureSpread
    checkpoints: FigureSpread
    waiting: FigureSpread


@dataclass(frozen=True)
class SweepRow:
    """What the job comes to at one value of a sweep, or at one of each where several are crossed.

    Attributes
    ----------
    value, values
        As one text, and one text each.
    interval_s, ettr, unexpected, lost, checkpoints, waiting
        As in `SparesRow`.
    """

    value: str
    values: list[str]
    interval_s: float
    ettr: FigureSpread
    unexpected: FigureSpread
    lost: FigureSpread
    checkpoints: FigureSpread
    waiting: FigureSpread


@dataclass(frozen=True)
class Sweep:
    """Values that were compared, on the same failures where the failures stay the same.

    Attributes
    ----------
    path, paths
        What was changed, as one text, and one text each.
    values
        What the job comes to at each value.
    """

    path: str
    paths: list[str]
    values: list[SweepRow]


@dataclass(frozen=True)
class RiskReport:
    """What a job keeps, what it loses to what, how many spares it needs, and its best interval.

    Attributes
    ----------
    job, seeds, nodes, spares
        The job, the runs, its nodes, and spare nodes.
    horizon_s
        How long it runs [s].
    mean_between_s
        Mean time between failures, and reclaims, of its nodes [s].
    interval_s, pause_s, drain_s
        Work between checkpoints, pause of one, time until it is durable [s].
    figures
        ``ettr``, ``unexpected``, ``planned``, ``lost``, ``checkpoints``, ``detection``, ``restart``, ``waiting``,
        ``nodes_down``, on rented nodes ``reclaims``, which are unexpected; all but interruptions and nodes are shares
        of the time.
    renewal_ettr
        ETTR by the renewal formula; None without checkpoints.
    best_interval_s, best_ettr
        The interval that keeps most [s], and what it keeps; None where checkpoints or failures cost nothing.
    by_spares
        The same with other numbers of spares.
    sweep
        None: nothing was swept.
    left_out
        What of the scene the quick model does not hold, in sentences.
    availability
        Of power, cooling, network and site, and what that leaves to the job.
    failures
        What fails in the scene: causes with rates, repairs, and failures a year.
    """

    job: str
    seeds: int
    nodes: int
    spares: int
    horizon_s: float
    mean_between_s: float
    interval_s: float
    pause_s: float
    drain_s: float
    figures: Mapping[str, FigureSpread]
    renewal_ettr: float | None
    best_interval_s: float | None
    best_ettr: FigureSpread | None
    by_spares: list[SparesRow]
    sweep: Sweep | None
    left_out: list[str]
    availability: HallAvailability
    failures: FailureTable


def risk(
    scene: str | os.PathLike[str] | Scene,
    job: str | None = None,
    *,
    seeds: int = 1000,
    spares: int | None = None,
    set: Settings = (),
    sweep: Texts | Mapping[str, Sequence[str]] = (),
) -> RiskReport:
    """Return what a job keeps and loses in many quick runs; power, cooling and queues are not in them.

    Parameters
    ----------
    scene
        A scene, or its file or name.
    job
        Which job; None: the largest.
    seeds
        Runs.
    spares
        Spare nodes; None: nodes of its rows that no job asks for.
    set
        Changes of the scene, as for `Scene.run`.
    sweep
        ``"checkpoint.interval=5min,10min"``, ``"checkpoint.interval=5..30 min"``, several, or values by path; several
        are crossed.

    Raises
    ------
    ScenarioError, PlanError
        When the scene, or the job in it, cannot be.
    BadInput
        When an argument is wrong; it is a `ValueError`.

    Examples
    --------
    >>> import twin
    >>> found = twin.risk("lab-16", seeds=100, sweep={"checkpoint.interval": ["10 min", "1 h"]})
    >>> [row.value for row in found.sweep.values]
    ['10 min', '1 h']
    """
    count_of(seeds, "seeds", 2, MOST_RUNS)
    if spares is not None:
        count_of(spares, "spares", 0, MOST_SPARES)
    document = scene.document if isinstance(scene, Scene) else load_scene(path_of(scene, "scene"))
    if isinstance(sweep, Mapping):
        axes = [f"{path}={','.join(texts_of(values, 'sweep'))}" for path, values in sweep.items()]
    else:
        axes = texts_of(sweep, "sweep")
    with as_arguments():
        return sampled(set_texts(document, settings_of(set)), job, seeds, spares, axes)


def sampled(
    document: Document, job: str | None, seeds: int, spares: int | None, sweeps: Sequence[str] = ()
) -> RiskReport:
    """Return the report on a scene as it stands; the other parameters are those of `risk`."""
    scenario, catalog = document.scenario, catalog_of(document.scenario)
    plant = build(scenario, catalog)
    found = outcome(risk_of(scenario, plant, catalog, job, spares), seeds, scenario.seed)
    job_risk = found.risk
    best_s = found.best_interval_s
    return RiskReport(
        job=job_risk.job,
        seeds=seeds,
        nodes=job_risk.model.nodes,
        spares=job_risk.model.spares,
        horizon_s=job_risk.model.horizon_s,
        mean_between_s=job_risk.model.mean_between_s,
        interval_s=job_risk.interval_s,
        pause_s=job_risk.pause_s,
        drain_s=job_risk.drain_s,
        figures=found.figures,
        renewal_ettr=job_risk.exact_ettr,
        best_interval_s=best_s,
        best_ettr=None if best_s is None else ettr_at(found, best_s),
        by_spares=[
            SparesRow(number, spared.risk.interval_s, *_brief(spared))
            for number, spared in by_spares(job_risk, seeds, scenario.seed).items()
        ],
        sweep=_swept(document, job_risk.job, seeds, spares, sweeps) if sweeps else None,
        left_out=list(job_risk.left_out),
        availability=availability_of(scenario, plant, catalog, job_risk),
        failures=failure_table(scenario, plant, catalog),
    )


def _risk(scenario: Scenario, job: str | None, spares: int | None) -> JobRisk:
    catalog = catalog_of(scenario)
    return risk_of(scenario, build(scenario, catalog), catalog, job, spares)


def _brief(found: RiskOutcome) -> tuple[FigureSpread, FigureSpread, FigureSpread, FigureSpread, FigureSpread]:
    figures = found.figures
    return (
        figures["ettr"],
        figures["unexpected"],
        figures["lost"],
        figures["checkpoints"],
        figures["waiting"],
    )


def _swept(document: Document, job: str, seeds: int, spares: int | None, sweeps: Sequence[str]) -> Sweep:
    """Return the outcome at each value of a sweep; several sweeps are crossed: each value with each of the others."""
    axes = [_axis(sweep, job) for sweep in sweeps]
    for place in range(len(axes)):
        _must_matter(document, job, spares, axes, place)
    rows = []
    for chosen in product(*(values for _, values in axes)):
        texts = [f"{path}={value}" for (path, _), value in zip(axes, chosen, strict=True)]
        job_risk = _risk(set_texts(document, texts).scenario, job, spares)
        found = outcome(job_risk, seeds, document.scenario.seed)
        rows.append(SweepRow(", ".join(chosen), list(chosen), job_risk.interval_s, *_brief(found)))
    paths = [path for path, _ in axes]
    return Sweep(", ".join(paths), paths, rows)


def _axis(sweep: str, job: str) -> tuple[str, list[str]]:
    """Return the whole path of a sweep, and its values; raises `BadInput` where it is none."""
    try:
        key = varied_key(sweep, "--sweep")
    except ScenarioError as error:
        raise BadInput(str(error)) from None
    path, values = key.path, list(key.levels(RANGE_LEVELS))
    heads = {field.alias or name for name, field in Scenario.model_fields.items()}
    whole = path if path.split(".")[0].split("[")[0] in heads else f"jobs[{job}].{path}"
    return whole, values


def _must_matter(
    document: Document, job: str, spares: int | None, axes: Sequence[tuple[str, list[str]]], place: int
) -> None:
    """Refuse a sweep over a setting that the quick model ignores: all its rows would be equal."""
    path, values = axes[place]
    fixed = [f"{other_path}={first[0]}" for at, (other_path, first) in enumerate(axes) if at != place]
    changed = [set_texts(document, fixed)]
    changed += [set_texts(document, [*fixed, f"{path}={value}"]) for value in values]
    if all(variant.scenario == changed[0].scenario for variant in changed):
        return  # what the scene says, in several ways
    risks = [replace(_risk(variant.scenario, job, spares), left_out=()) for variant in changed]
    if all(found == risks[0] for found in risks):
        raise BadInput(
            f"--sweep: {path} has no effect in this quick model, which has failures, repairs, spares, checkpoints and "
            f"restarts alone; use twin run --set {path}={values[0]}, or twin compare SCENE SCENE --set-b "
            f"{path}={values[-1]}"
        )
