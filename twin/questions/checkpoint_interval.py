"""The cheapest checkpoint interval: lost work against time spent writing, against the storage that takes the writes.

With tau work between checkpoints, w blocking write, R restart and M mean time between failures, G GPU-hours of a job
cost by the hour G h (1 - ETTR), of which ETTR w / tau is writing and the rest is lost work and restarts; ETTR is the
exact renewal form. Storage costs by the larger of two shares of a store: the bytes kept, and the bandwidth that writes
one checkpoint before the next begins, B / (tau + w).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin import units
from twin.arrays import Floats
from twin.catalog import Catalog
from twin.commands.room.room_design import STORE_PART
from twin.designs.screening import PAUSE_S
from twin.economics.books import market_usd_h
from twin.economics.finance import HOURS_PER_YEAR, annuity
from twin.economics.price_book import PriceBook
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.prices import drawn_prices
from twin.language import tr
from twin.physics.checkpoint import checkpoint_bytes, daly_interval_s, renewal_ettr, young_interval_s
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import estimate_of
from twin.planning.risk.risk import JobRisk, risk_of
from twin.questions.answer import (
    AnswerChart,
    AnswerCurve,
    AnswerFigure,
    AnswerMark,
    TradeAnswer,
    duration_text,
    floats,
    ranged,
)
from twin.questions.hall_estimate import WIDTH, known_parts, part_of_scene, scene_gpus
from twin.questions.question import Asked, QuestionInput, Setting, TradeQuestion, fixed
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.work import Job, Recovery

POINTS = 2000
SHORTEST_S, LONGEST_S = 1.0, 30 * 86_400.0
SHOWN = 8.0
"""Times and parts of the best interval that the chart shows."""


@dataclass(frozen=True)
class IntervalCost:
    """What a job costs by the hour at some intervals, shape (I,) each [USD/h]."""

    lost: Floats
    writing: Floats
    storage: Floats

    @property
    def total(self) -> Floats:
        """Return all of it."""
        return self.lost + self.writing + self.storage


@dataclass(frozen=True)
class CheckpointedJob:
    """A job as far as its checkpoints concern it.

    Parameters
    ----------
    usd_h
        Of all its GPUs [USD/h].
    pause_s, restart_s, between_s
        Blocking write, restart, mean time between failures [s].
    size_bytes, kept
        Of one checkpoint [B], and how many are kept.
    store_usd_h, store_bytes, store_bytes_s
        Cost of one box of storage [USD/h], what it holds [B], and what it writes [B/s].
    """

    usd_h: float
    pause_s: float
    restart_s: float
    between_s: float
    size_bytes: float
    kept: int
    store_usd_h: float
    store_bytes: float
    store_bytes_s: float

    def cost(self, interval_s: Floats) -> IntervalCost:
        """Return what it costs at some intervals."""
        kept = renewal_ettr(interval_s, self.pause_s, self.restart_s, 1.0 / self.between_s)
        writing = kept * self.pause_s / interval_s
        space = self.size_bytes * self.kept / self.store_bytes
        speed = self.size_bytes / (interval_s + self.pause_s) / self.store_bytes_s
        return IntervalCost(
            self.usd_h * (1.0 - kept - writing),
            self.usd_h * writing,
            self.store_usd_h * np.maximum(space, speed),
        )

    def best_s(self) -> float:
        """Return the cheapest interval [s], to about one in a thousand."""
        near = np.geomspace(SHORTEST_S, LONGEST_S, POINTS)
        for _ in range(2):
            place = int(np.argmin(self.cost(near).total))
            near = np.geomspace(near[max(0, place - 1)], near[min(len(near) - 1, place + 1)], 101)
        return float(near[int(np.argmin(self.cost(near).total))])


def store_usd_h(catalog: Catalog) -> Floats:
    """Return what one box of storage costs by the hour: its annuity with installation, and support [USD/h]."""
    book = PriceBook(catalog)
    prices = drawn_prices(
        [book.own(STORE_PART), *(book.whole(part.id) for part in catalog.prices)], SAMPLES, SEED
    )
    price = prices[STORE_PART]
    built = price * (1.0 + prices["it-installation"])
    yearly = annuity(built, built * prices["residual-it"], prices["interest"], prices["life-it"])
    return np.asarray((yearly + prices["it-support"] * price) / HOURS_PER_YEAR, np.float64)


def gpu_usd_h(catalog: Catalog, part: str) -> Floats:
    """Return what a GPU-hour of a hall part is worth on the market, in samples [USD]."""
    book = PriceBook(catalog)
    prices = drawn_prices([book.whole(entry.id) for entry in catalog.prices], SAMPLES, SEED)
    return market_usd_h({known_parts(catalog)[part].gpu: 1}, prices, catalog)


# --- what the scene says


def _largest(setting: Setting) -> Job | None:
    scene = setting.scene
    name = setting.given.get("job")
    jobs = jobs_of(scene.scenario) if scene is not None else ()
    named = next((job for job in jobs if job.id == name), None)
    return named or max(jobs, key=lambda job: job.nodes, default=None)


def _risk(setting: Setting) -> JobRisk | None:
    scene, job = setting.scene, _largest(setting)
    if scene is None or job is None:
        return None
    try:
        return risk_of(scene.scenario, scene.plant, setting.catalog, job.id)
    except PlanError:
        return None


def _jobs(setting: Setting) -> tuple[str, ...]:
    """Return the jobs that save their state, the largest first; "usual": none of a scene."""
    scene = setting.scene
    jobs = sorted(jobs_of(scene.scenario), key=lambda job: -job.nodes) if scene is not None else []
    return tuple(job.id for job in jobs[:40]) or ("usual",)


def _gpus(setting: Setting) -> str:
    job, scene = _largest(setting), setting.scene
    if job is None or scene is None or not len(scene.plant.nodes.gpu_count):
        return scene_gpus(setting, 4096)
    return f"{job.gpus or job.nodes * int(scene.plant.nodes.gpu_count.max())}"


def _between(setting: Setting) -> str:
    risk = _risk(setting)
    if risk is not None and math.isfinite(risk.model.mean_between_losses_s):
        return duration_text(risk.model.mean_between_losses_s)
    part = known_parts(setting.catalog)[part_of_scene(setting)]
    nodes = max(1.0, int(setting.given.get("gpus") or 4096) / part.node.n_gpu)
    return duration_text(1.0 / (nodes * part.rate_s))


def _pause(setting: Setting) -> str:
    job = _largest(setting)
    return duration_text(job.checkpoint.pause_s if job is not None else PAUSE_S)


def _restart(setting: Setting) -> str:
    risk = _risk(setting)
    if risk is not None:
        return duration_text(risk.model.restart_s + risk.model.swap_s)
    usual = Recovery()
    return duration_text(usual.detect_s + usual.swap_s + usual.container_s + usual.init_s + usual.warmup_s)


def _size(setting: Setting) -> str:
    job, scene = _largest(setting), setting.scene
    size = checkpoint_bytes(405e9)
    if job is not None and scene is not None:
        part = known_parts(setting.catalog)[part_of_scene(setting)].gpu
        try:
            found = estimate_of(job, int(_gpus(setting)), part, setting.catalog.gpu(part).memory_bytes)
            size = found.checkpoint_bytes or size
        except ValueError:
            pass
    return units.render(float(f"{size:.3g}"), "data")


def _hour(setting: Setting) -> str:
    usd = float(np.median(gpu_usd_h(setting.catalog, part_of_scene(setting))))
    return units.render(float(f"{usd:.3g}"), "currency")


# --- the answer


def _answer(asked: Asked) -> TradeAnswer:
    catalog, store = asked.catalog, asked.catalog.storage(STORE_PART)
    store_h = store_usd_h(catalog)

    def job(rate: float = 1.0, store_usd: float = float(np.median(store_h))) -> CheckpointedJob:
        return CheckpointedJob(
            asked.count("gpus") * asked.number("gpu-hour"),
            asked.number("pause"),
            asked.number("restart"),
            asked.number("between") / rate,
            asked.number("size"),
            asked.count("kept"),
            store_usd,
            store.capacity_bytes or math.inf,
            store.write_bytes_s,
        )

    likely, many, few = job(), job(1.0 + WIDTH), job(1.0 - WIDTH)
    best_s = likely.best_s()
    at = np.array([best_s])
    cost, often, seldom = (
        likely.cost(at),
        many.cost(np.array([many.best_s()])),
        few.cost(np.array([few.best_s()])),
    )
    now_s = _now_s(asked)
    figures = [
        AnswerFigure("interval_s", tr("Cheapest interval"), best_s, "duration", many.best_s(), few.best_s()),
        AnswerFigure(
            "usd_h",
            tr("Cost by the hour"),
            float(cost.total[0]),
            "USD/h",
            float(seldom.total[0]),
            float(often.total[0]),
        ),
        AnswerFigure("lost_usd_h", tr("Lost work and restarts"), float(cost.lost[0]), "USD/h"),
        AnswerFigure("writing_usd_h", tr("Time spent writing"), float(cost.writing[0]), "USD/h"),
        ranged(
            "storage_usd_h", tr("Storage"), float(cost.storage[0]) / likely.store_usd_h * store_h, "USD/h"
        ),
        AnswerFigure(
            "ettr",
            tr("Share of the time on kept work"),
            float(renewal_ettr(best_s, likely.pause_s, likely.restart_s, 1.0 / likely.between_s)),
            "fraction",
        ),
        AnswerFigure(
            "young_s", tr("Young's interval"), young_interval_s(likely.pause_s, likely.between_s), "duration"
        ),
        AnswerFigure(
            "daly_s", tr("Daly's interval"), daly_interval_s(likely.pause_s, likely.between_s), "duration"
        ),
    ]
    marks = [AnswerMark(tr("cheapest"), best_s, float(cost.total[0]))]
    sentence = tr(
        "Every {interval} of work: {usd} of lost work, writing and storage.",
        interval=units.spoken(best_s),
        usd=figures[1].words,
    )
    if now_s is not None:
        now = float(likely.cost(np.array([now_s])).total[0])
        saved = (now - float(cost.total[0])) * HOURS_PER_YEAR
        figures.append(AnswerFigure("now_s", tr("Interval of the job"), now_s, "duration"))
        figures.append(
            AnswerFigure("saved_usd", tr("Saved beside the interval of the job"), saved, "USD/year")
        )
        marks.append(AnswerMark(tr("the job"), now_s, now))
    return TradeAnswer(
        sentence,
        tuple(figures),
        _chart(likely, many, few, best_s, marks),
        (
            tr("Lost work, restarts and writing: 1 - ETTR of all GPU-hours, ETTR by the renewal form."),
            tr("Storage: the larger of the share of a store that is kept, and of its bandwidth that writes."),
            tr("The sum is least at the answer; without storage it is Daly's interval."),
        ),
        (
            tr("Range: failures 40 % more and less often."),
            tr(
                "Storage is {part} at the prices of the catalogue, bought by the share that is used.",
                part=store.title,
            ),
            tr("A restart takes as long each time; spare nodes are there."),
        ),
    )


def _now_s(asked: Asked) -> float | None:
    """Return the interval that the job has [s]; None: no scene, or no checkpoints."""
    setting = Setting(asked.setting.catalog, asked.setting.scene, {"job": asked.word("job")})
    risk = _risk(setting)
    return risk.interval_s if risk is not None and math.isfinite(risk.interval_s) else None


def _chart(
    likely: CheckpointedJob,
    many: CheckpointedJob,
    few: CheckpointedJob,
    best_s: float,
    marks: list[AnswerMark],
) -> AnswerChart:
    ends = [best_s / SHOWN, best_s * SHOWN, *(mark.x for mark in marks)]
    interval_s = np.geomspace(max(SHORTEST_S, min(ends)), max(ends), 120)
    cost, x = likely.cost(interval_s), floats(interval_s)
    return AnswerChart(
        tr("Cost by the hour over the checkpoint interval"),
        tr("Cost by the hour"),
        "USD/h",
        tr("Work between checkpoints"),
        "duration",
        (
            AnswerCurve(
                tr("all"),
                x,
                floats(cost.total),
                floats(few.cost(interval_s).total),
                floats(many.cost(interval_s).total),
            ),
            AnswerCurve(tr("lost work and restarts"), x, floats(cost.lost)),
            AnswerCurve(tr("writing"), x, floats(cost.writing)),
            AnswerCurve(tr("storage"), x, floats(cost.storage)),
        ),
        tuple(marks),
        is_log=True,
    )


QUESTION = TradeQuestion(
    "checkpoint-interval",
    tr("What is the cheapest checkpoint interval?"),
    tr("checkpoint interval how often save Young Daly lost work storage cost MTBF"),
    (
        QuestionInput(
            "job",
            tr("Job"),
            tr("Job of the scene; the largest where none is named"),
            lambda setting: _jobs(setting)[0],
            "choice",
            choices=_jobs,
        ),
        QuestionInput("gpus", "GPUs", tr("GPUs of the job"), _gpus, "count", low=1, high=1_000_000),
        QuestionInput(
            "between",
            tr("Time between failures"),
            tr("Mean time between failures of the whole job"),
            _between,
            dimension="duration",
            low=1.0,
            high=1e9,
        ),
        QuestionInput(
            "pause",
            tr("Pause"),
            tr("So long a checkpoint holds training up"),
            _pause,
            dimension="duration",
            low=1e-3,
            high=86_400.0,
        ),
        QuestionInput(
            "restart",
            tr("Restart"),
            tr("From a failure to the first new step"),
            _restart,
            dimension="duration",
            low=0.0,
            high=864_000.0,
        ),
        QuestionInput(
            "size", tr("Size"), tr("Size of one checkpoint"), _size, dimension="data", low=1.0, high=1e16
        ),
        QuestionInput(
            "kept",
            tr("Checkpoints kept"),
            tr("Checkpoints that are kept at a time"),
            fixed("3"),
            "count",
            low=1,
            high=100_000,
        ),
        QuestionInput(
            "gpu-hour",
            tr("GPU-hour"),
            tr("What an hour of a GPU is worth; by default its rent on the market"),
            _hour,
            dimension="currency",
            low=0.0,
            high=1e4,
        ),
    ),
    _answer,
)
