"""How many GPUs fit into so much power, at a redundancy."""

from __future__ import annotations

import math

from twin import units
from twin.commands.room.room_plan import RoomError
from twin.designs.design_bill import HEADROOM, SPARE_SHARE
from twin.designs.hall_part import HallPart
from twin.economics.site_lines import grid_power_w
from twin.language import tr
from twin.questions.answer import AnswerBar, AnswerChart, AnswerFigure, TradeAnswer, ranged
from twin.questions.hall_estimate import (
    LEVELS,
    WIDTH,
    HallEstimate,
    HallEstimates,
    known_parts,
    level_of_scene,
    part_choices,
    part_of_scene,
)
from twin.questions.question import (
    Asked,
    QuestionError,
    QuestionInput,
    Setting,
    TradeQuestion,
    fixed,
)
from twin.scenario.schema.site import RedundancyLevel

DRAWN, INSTALLED = "drawn", "installed"


def _power(setting: Setting) -> str:
    """Return the power that the scene is connected for; without one 20 MW."""
    scene = setting.scene
    found = grid_power_w(scene.plant, setting.catalog) if scene is not None else 0.0
    return units.render(float(f"{found:.3g}") or 20e6, "power")


def usable_w(power_w: float, level: RedundancyLevel, of: str) -> float:
    """Return what a site may draw: of installed capacity the part that carries it, a fifth of that left free [W].

    Examples
    --------
    >>> usable_w(20e6, "N+1", "drawn"), usable_w(20e6, "N+1", "installed"), usable_w(20e6, "2N", "installed")
    (20000000.0, 12800000.0, 8000000.0)
    """
    return power_w if of == DRAWN else power_w / (SPARE_SHARE[level] * HEADROOM)


def largest(
    halls: HallEstimates, part: HallPart, rack_w: float, level: RedundancyLevel
) -> HallEstimate | None:
    """Return the largest hall in whole rows of which the racks draw no more than so much [W]; None: none is."""
    each, fits = part.stack.nodes, math.floor(rack_w / part.design_w)
    fewer = range(min(fits, each - 1), 0, -1) if part.stack.rack is None else ()
    for nodes in (*range(fits - fits % each, 0, -each), *fewer):
        try:
            hall = halls.of_room(part, part.room(nodes), level, level)
        except RoomError as wrong:
            raise QuestionError(f"{part.part}: {wrong}; ask for less power", "power") from None
        if hall.bill.it_w <= rack_w:
            return hall
    return None


def _answer(asked: Asked) -> TradeAnswer:
    level, of = asked.word("redundancy"), asked.word("of")
    assert level in LEVELS
    part, power_w = known_parts(asked.catalog)[asked.word("part")], asked.number("power")
    halls, may_w = HallEstimates(asked.setting), usable_w(power_w, level, of)
    factors = [1.0 + (halls.site_factor - 1.0) * width for width in (1.0 + WIDTH, 1.0, 1.0 - WIDTH)]
    found = [largest(halls, part, may_w / facility_factor, level) for facility_factor in factors]
    likely = found[1]
    if likely is None:
        raise QuestionError(
            f"not even one {part.part} fits; one node draws {units.render(part.design_w, 'power', 3)}",
            "power",
        )
    counts = [hall.gpus if hall is not None else 0 for hall in found]
    money = halls.statement(likely)
    outages = halls.outages(likely, level, level)
    figures = (
        AnswerFigure("gpus", tr("GPUs that fit"), likely.gpus, "GPUs", counts[0], counts[2]),
        AnswerFigure("nodes", tr("Nodes"), likely.nodes, ""),
        AnswerFigure("racks", tr("Racks with GPUs"), likely.racks, ""),
        AnswerFigure("it_w", tr("Power of the racks"), likely.bill.it_w, "power"),
        AnswerFigure(
            "site_w",
            tr("Power of the site on a hot day"),
            likely.site_w,
            "power",
            likely.bill.it_w * factors[2],
            likely.bill.it_w * factors[0],
        ),
        AnswerFigure("usable_w", tr("Power that it may draw"), may_w, "power"),
        AnswerFigure("area_m2", tr("Floor of the hall"), likely.area_m2, "area"),
        ranged("capital_usd", tr("Capital"), money.capital.total_usd, "USD"),
        AnswerFigure(
            "available", tr("Share of the time with power and cooling"), outages.available, "fraction"
        ),
    )
    return TradeAnswer(
        tr(
            "{gpus:,} GPUs in {nodes:,} nodes of {part} fit into {power} at {level}; {low:,} to {high:,} "
            "by what cooling and losses take.",
            gpus=likely.gpus,
            nodes=likely.nodes,
            part=part.part,
            power=units.render(power_w, "power"),
            level=level,
            low=counts[0],
            high=counts[2],
        ),
        figures,
        _chart(asked, halls, may_w, level),
        (
            tr(
                "In the hottest hour of its climate a site draws {factor:.3g} times the design load of its racks"
                " and switches.",
                factor=halls.site_factor,
            ),
            _usable_words(level, of),
            tr("The largest hall in whole rows of equal length that keeps this is the answer."),
        ),
        (
            tr(
                "Estimated: {share:.0f} % on top of the racks for cooling and losses, 40 % of it either way.",
                share=100.0 * (halls.site_factor - 1.0),
            ),
            *_measured_words(asked),
            tr("Not counted: storage, spare nodes, offices."),
            tr("Availability is that of power and cooling by the failure rates of the catalogue."),
        ),
    )


def _measured_words(asked: Asked) -> tuple[str, ...]:
    """Return which parts fit more because somebody has measured them, if any do."""
    measured = [name for name, part in known_parts(asked.catalog).items() if part.node.measured_max_w]
    if not measured:
        return ()
    return (
        tr(
            "Counted by the highest power measured in training: {parts}. Other parts count by their nameplate, "
            "which is more than they draw.",
            parts=", ".join(measured),
        ),
    )


def _usable_words(level: RedundancyLevel, of: str) -> str:
    if of == DRAWN:
        return tr("The power is what the site may draw: redundancy costs money and floor then, no GPUs.")
    return tr(
        "The power is what is installed: at {level} {share:g} times what is needed, "
        "of which four fifths carry load for long.",
        level=level,
        share=SPARE_SHARE[level],
    )


def _chart(asked: Asked, halls: HallEstimates, may_w: float, level: RedundancyLevel) -> AnswerChart:
    """Return how many GPUs of each part fit."""
    bars = []
    for name, part in known_parts(asked.catalog).items():
        try:
            hall = largest(halls, part, may_w / halls.site_factor, level)
        except QuestionError:
            continue
        bars.append(AnswerBar(name, hall.gpus if hall is not None else 0))
    return AnswerChart(tr("GPUs that fit, by part"), tr("GPUs"), "GPUs", bars=tuple(bars))


QUESTION = TradeQuestion(
    "gpus-in",
    tr("How many GPUs fit in so much power?"),
    tr("how many GPUs fit MW power density N+1 redundancy capacity site"),
    (
        QuestionInput(
            "power",
            tr("Power"),
            tr("That the site may draw, or that is installed"),
            _power,
            dimension="power",
            low=1e3,
            high=1e9,
        ),
        QuestionInput(
            "redundancy",
            tr("Redundancy"),
            tr("Redundancy of power and cooling"),
            level_of_scene("power"),
            "choice",
            choices=LEVELS,
        ),
        QuestionInput(
            "of",
            tr("The power is"),
            tr("What the site may draw from the grid, or the rated power of its installed power chain"),
            fixed(DRAWN),
            "choice",
            choices=(DRAWN, INSTALLED),
        ),
        QuestionInput(
            "part",
            tr("Node or rack"),
            tr("That the hall is filled with"),
            part_of_scene,
            "choice",
            choices=part_choices,
        ),
    ),
    _answer,
)
