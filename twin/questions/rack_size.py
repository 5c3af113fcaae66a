"""One big rack, or two small ones: floor, cables, money, what a rack takes with it, and what the job makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from twin import units
from twin.arrays import Floats
from twin.catalog import Catalog
from twin.designs.hall_part import HallPart
from twin.designs.need import LanguageWork
from twin.designs.need_file import need_from
from twin.designs.work_table import WorkTable, cuttable_counts
from twin.economics.finance import SECONDS_PER_YEAR
from twin.language import counted, tr
from twin.planning.profile.models import model_presets
from twin.questions.answer import QUANTILES, AnswerBar, AnswerChart, AnswerFigure, TradeAnswer, ranged
from twin.questions.hall_estimate import (
    HallEstimate,
    HallEstimates,
    known_parts,
    nodes_for,
    part_choices,
    part_of_scene,
    scene_gpus,
)
from twin.questions.question import Asked, QuestionError, QuestionInput, Setting, TradeQuestion

NONE, BATCH = "none", 2048
MOST_GPUS = 60_000
"""Of one hall: trays of four GPUs fill a room with few more."""
OTHER_PART = "DGX-B200"
"""Beside a rack that brings its nodes, where nobody says which."""
LEAST_SHARE = 0.0005
"""Difference from which on one is cheaper [-]."""
USUAL_MODELS = ((512, "llama3-405b"), (64, "llama3-70b"), (0, "llama3-8b"))
"""From how many GPUs on which model is looked at."""
TRIED = 6
"""Numbers of GPUs, from the largest down, at which the cut of the model is searched."""


@dataclass(frozen=True)
class RackChoice:
    """One of the two.

    Parameters
    ----------
    title
        For people.
    hall
        It fills.
    capital_usd, yearly_usd
        Of that, shape (samples,).
    tokens_s
        Of the model on it; None: none is asked for, or it does not fit.
    """

    title: str
    hall: HallEstimate
    capital_usd: Floats
    yearly_usd: Floats
    tokens_s: float | None

    @property
    def rack_nodes(self) -> int:
        """Return the nodes of a rack."""
        return self.hall.room.nodes

    @property
    def rack_w(self) -> float:
        """Return the power of a rack [W]."""
        return self.rack_nodes * self.hall.part.design_w

    @property
    def optics(self) -> float:
        """Return its optical cables and their fibre as lines of the bill count them."""
        return sum(line.count for line in self.hall.bill.lines if line.group == "cables" and not line.unit)

    @property
    def spares_usd(self) -> Floats:
        """Return what it costs a year that the nodes of one rack stand by, shape (samples,)."""
        return np.asarray(self.yearly_usd * self.rack_nodes / self.hall.nodes, np.float64)

    @property
    def token_usd(self) -> Floats | None:
        """Return the cost of a million tokens with a rack of nodes standing by, shape (samples,) [USD]."""
        if self.tokens_s is None:
            return None
        yearly = self.tokens_s * SECONDS_PER_YEAR / 1e6
        return np.asarray((self.yearly_usd + self.spares_usd) / yearly, np.float64)

    def figures(self, key: str) -> tuple[AnswerFigure, ...]:
        """Return its figures under names that begin with a key."""

        def titled(words: str) -> str:
            return tr("{words}, {choice}", words=words, choice=self.title)

        hall, gpus = self.hall, self.rack_nodes * self.hall.part.node.n_gpu
        found = [
            ranged(f"{key}_yearly_usd", titled(tr("Cost of a year")), self.yearly_usd, "USD/year"),
            ranged(f"{key}_capital_usd", titled(tr("Capital")), self.capital_usd, "USD"),
            AnswerFigure(f"{key}_gpus", titled("GPUs"), hall.gpus, "GPUs"),
            AnswerFigure(f"{key}_racks", titled(tr("Racks")), hall.racks, ""),
            AnswerFigure(f"{key}_rack_w", titled(tr("Power of a rack")), self.rack_w, "power"),
            AnswerFigure(f"{key}_area_m2", titled(tr("Floor of the hall")), hall.area_m2, "area"),
            AnswerFigure(f"{key}_site_w", titled(tr("Power of the site")), hall.site_w, "power"),
            AnswerFigure(f"{key}_cables", titled(tr("Cables between racks")), self.optics, tr("cables")),
            AnswerFigure(f"{key}_lost_gpus", titled(tr("GPUs that a rack takes with it")), gpus, "GPUs"),
            ranged(
                f"{key}_spares_usd", titled(tr("A rack of nodes on standby")), self.spares_usd, "USD/year"
            ),
            AnswerFigure(
                f"{key}_domain", titled(tr("GPUs in a scale-up domain")), hall.part.domain_gpus, "GPUs"
            ),
        ]
        usd = self.token_usd
        if self.tokens_s is not None and usd is not None:
            found.append(
                AnswerFigure(f"{key}_tokens_s", titled(tr("Tokens a second")), self.tokens_s, tr("tokens/s"))
            )
            found.append(ranged(f"{key}_token_usd", titled(tr("A million tokens")), usd, "USD"))
        return tuple(found)


def tokens_s(catalog: Catalog, part: HallPart, gpus: int, model: str) -> float | None:
    """Return the tokens a second that a model trains with on at most so many GPUs; None: it does not fit."""
    need = need_from(
        "format: twin/need\nversion: 1\nworkloads:\n"
        f"  - {{kind: llm, model: {model}, tokens: 1.0e+12, global_batch: {BATCH}, deadline: 1000 day}}\n"
    )
    work, shape = need.need.workloads[0], need.models[0]
    assert isinstance(work, LanguageWork)
    assert shape is not None
    table, node_gpus = WorkTable(need, catalog), part.node.n_gpu
    counts = cuttable_counts(work, shape.layers, shape.seq, part.domain_gpus, gpus)
    best = 0.0
    for count in sorted(count for count in counts if count % node_gpus == 0)[-TRIED:]:
        step = table.step(0, part, count, 1.0)
        if step is not None:
            best = max(best, BATCH * shape.seq / step.step_s)
    return best or None


def _choice(asked: Asked, halls: HallEstimates, part: HallPart, nodes: int, title: str) -> RackChoice:
    held = part if part.stack.rack else replace(part, stack=replace(part.stack, nodes=nodes))
    hall = halls.hall(held, nodes_for(held, asked.count("gpus")), "N+1", "N+1")
    money, model = halls.statement(hall), asked.word("model")
    made = None if model == NONE else tokens_s(asked.catalog, held, hall.gpus, model)
    return RackChoice(title, hall, money.capital.total_usd, money.yearly_usd, made)


def _answer(asked: Asked) -> TradeAnswer:
    halls, known = HallEstimates(asked.setting), known_parts(asked.catalog)
    big, small = known[asked.word("big")], known[asked.word("small")]
    big_nodes = big.stack.nodes if big.stack.rack else asked.count("nodes")
    if big_nodes > big.stack.nodes:
        raise QuestionError(
            tr("a rack holds at most {nodes} x {part}", nodes=big.stack.nodes, part=big.part), "nodes"
        )
    fewer = small.stack.nodes
    if small.part == big.part and not small.stack.rack:
        fewer, left = divmod(big_nodes, 2)
        if left:
            raise QuestionError(
                tr(
                    "two small racks cannot share {nodes} evenly; give an even number, or another small rack",
                    nodes=counted(big_nodes, "node"),
                ),
                "nodes",
            )
    one_big = _choice(asked, halls, big, big_nodes, tr("one big rack"))
    two_small = _choice(asked, halls, small, fewer, tr("two small ones"))
    usd = [choice.token_usd for choice in (one_big, two_small)]
    by_token = usd[0] is not None and usd[1] is not None
    costs = [cost if cost is not None else np.zeros(1) for cost in usd]
    if not by_token:
        costs = [
            (choice.yearly_usd + choice.spares_usd) / choice.hall.gpus for choice in (one_big, two_small)
        ]
    unit = "USD" if by_token else "USD/year"
    what = tr("a million tokens") if by_token else tr("a GPU and year")
    # The same draws of the prices on both sides: their difference has its own range.
    less = costs[1] / costs[0] - 1.0
    low, middle, high = np.quantile(less, QUANTILES).tolist()
    figures = (
        ranged("big_usd", tr("Cost of {what}, one big rack", what=what), costs[0], unit),
        ranged("small_usd", tr("Cost of {what}, two small ones", what=what), costs[1], unit),
        AnswerFigure("more", tr("Two small ones cost more by"), middle, "fraction", low, high),
        *one_big.figures("big"),
        *two_small.figures("small"),
    )
    return TradeAnswer(
        _sentence(one_big, two_small, figures, what),
        figures,
        AnswerChart(
            tr("Cost of {what}, with a rack of nodes on standby", what=what),
            tr("Cost of {what}", what=what),
            unit,
            bars=tuple(
                AnswerBar(title, figure.value, figure.low, figure.high)
                for title, figure in zip((_named(one_big), _named(two_small)), figures[:2], strict=True)
            ),
        ),
        _method(asked, one_big, two_small),
        (
            tr("Nodes, switches and cables are counted; power and cooling are priced by kW, both at N+1."),
            tr("So many nodes stand by as one rack holds, so that a job goes on when a rack is lost."),
            tr("The same draws of the prices on both sides."),
        ),
    )


def _sentence(one_big: RackChoice, two_small: RackChoice, figures: Sequence[AnswerFigure], what: str) -> str:
    """Return which is cheaper, by how much, and what goes with a rack."""
    big, small, less = figures[:3]
    assert less.low is not None
    assert less.high is not None
    taken = tr(
        "A big rack takes {big:,} GPUs with it, a small one {small:,}.",
        big=one_big.rack_nodes * one_big.hall.part.node.n_gpu,
        small=two_small.rack_nodes * two_small.hall.part.node.n_gpu,
    )
    if abs(less.value) < LEAST_SHARE:
        return tr("Both cost the same for {what}: {usd}. {taken}", what=what, usd=big.words, taken=taken)
    ends = sorted((abs(less.low), abs(less.high)))
    return tr(
        "{better}: {low} beside {high} for {what}, {share:.2g} % apart ({least:.2g} to {most:.2g} %). {taken}",
        better=tr("One big rack") if less.value > 0.0 else tr("Two small ones"),
        low=big.words if less.value > 0.0 else small.words,
        high=small.words if less.value > 0.0 else big.words,
        what=what,
        share=100.0 * abs(less.value),
        least=100.0 * ends[0],
        most=100.0 * ends[1],
        taken=taken,
    )


def _model(setting: Setting) -> str:
    """Return a model that so many GPUs hold."""
    text = setting.given.get("gpus", "")
    gpus = int(text) if text.isdecimal() else 0
    return next(name for least, name in USUAL_MODELS if gpus >= least)


def _named(choice: RackChoice) -> str:
    return tr(
        "{choice}: {nodes} x {part}, {power}",
        choice=choice.title,
        nodes=choice.rack_nodes,
        part=choice.hall.part.node.id,
        power=units.render(float(f"{choice.rack_w:.3g}"), "power"),
    )


def _method(asked: Asked, one_big: RackChoice, two_small: RackChoice) -> tuple[str, ...]:
    told = [tr("{first}; {second}.", first=_named(one_big), second=_named(two_small))]
    model = asked.word("model")
    if model != NONE:
        told.append(
            tr("{model} in BF16, {batch:,} sequences a step, by its fastest cut.", model=model, batch=BATCH)
        )
        lacking = dict.fromkeys(
            choice.hall.part.part for choice in (one_big, two_small) if choice.tokens_s is None
        )
        told += [tr("{model} does not fit {part}.", model=model, part=part) for part in lacking]
    return tuple(told)


def _small(setting: Setting) -> str:
    """Return the other part: the same one, half as many nodes a rack, where a rack does not bring its nodes."""
    big = setting.given.get("big", "")
    part = known_parts(setting.catalog).get(big)
    return OTHER_PART if part is None or part.stack.rack else big


def _nodes(setting: Setting) -> str:
    part = known_parts(setting.catalog).get(setting.given.get("big", ""))
    if part is None:
        return "4"
    nodes = part.stack.nodes
    return f"{nodes if part.stack.rack else nodes - nodes % 2 or nodes}"


QUESTION = TradeQuestion(
    "rack-size",
    tr("One big rack or two small ones?"),
    tr("rack density kW per rack NVL72 big small blast radius floor cables scale-up domain"),
    (
        QuestionInput(
            "big",
            tr("Big rack"),
            tr("Its nodes, or a rack that brings its own"),
            part_of_scene,
            "choice",
            choices=part_choices,
        ),
        QuestionInput(
            "nodes",
            tr("Nodes of a big rack"),
            tr(
                "An even number, so that two small racks hold as many; a rack that brings its nodes has its own"
            ),
            _nodes,
            "count",
            low=1,
            high=72,
        ),
        QuestionInput(
            "small",
            tr("Small rack"),
            tr("The same part: half as many nodes a rack"),
            _small,
            "choice",
            choices=part_choices,
        ),
        QuestionInput(
            "gpus",
            "GPUs",
            tr("GPUs of the hall, at least"),
            lambda setting: f"{min(int(scene_gpus(setting, 1152)), MOST_GPUS)}",
            "count",
            low=8,
            high=MOST_GPUS,
        ),
        QuestionInput(
            "model",
            tr("Model"),
            tr("That is trained on both; none: they are compared by GPU and year"),
            _model,
            "choice",
            choices=lambda _: (NONE, *sorted(model_presets())),
        ),
    ),
    _answer,
)
