"""Whether to own or to rent the GPUs of a scene, at a utilisation."""

from __future__ import annotations

import numpy as np

from twin.analysis.money_words import WAY_TITLES
from twin.analysis.site_books import scene_books
from twin.economics.cash_flow import Plan
from twin.economics.own_or_rent import UTILISATIONS, OwnOrRent, RentOffer, own_or_rent
from twin.economics.ownership import owned_usd_gpu_h
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES
from twin.economics.rent import RECLAIMED_WAYS
from twin.language import tr
from twin.questions.answer import (
    QUANTILES,
    AnswerChart,
    AnswerCurve,
    AnswerFigure,
    AnswerMark,
    TradeAnswer,
    floats,
    ranged,
)
from twin.questions.question import Asked, QuestionError, QuestionInput, TradeQuestion, fixed


def _answer(asked: Asked) -> TradeAnswer:
    scene, use = asked.scene, asked.number("utilisation")
    plan = Plan(load=asked.number("load"))
    try:
        books = scene_books(scene.scenario, scene.plant, asked.catalog, plan, SAMPLES)
    except PriceError as wrong:
        raise QuestionError(str(wrong)) from None
    if not books.bill.gpus:
        raise QuestionError("the scene has no GPUs")
    found = own_or_rent(books, books.drawn)
    own = owned_usd_gpu_h(found.fixed_usd_h, found.energy_usd_h, use)
    figures = [ranged("own_usd", tr("Own GPU-hour that is used"), own, "USD")]
    ways = [(figures[0].value, tr("owning"))]
    reclaimed: list[float] = []
    for offer in found.offers:
        name = f"{offer.vendor} {offer.title}"
        for way, by_use in offer.usd_gpu_h.items():
            usd, title = by_use[-1] / (use if way == "reserved" else 1.0), WAY_TITLES[way]
            key = f"{offer.id}_{way}_usd".replace("-", "_")
            figures.append(
                ranged(key, tr("{name}, {way}", name=name, way=title), np.broadcast_to(usd, own.shape), "USD")
            )
            if way in RECLAIMED_WAYS:
                reclaimed.append(figures[-1].value)
            else:
                ways.append((figures[-1].value, tr("renting {name} {way}", name=name, way=title)))
        even = offer.owned_from()
        if even is not None:
            way = WAY_TITLES[next(iter(offer.break_even))]
            key = f"{offer.id}_even".replace("-", "_")
            words = tr("{name}: owning is cheaper than {way} from", name=name, way=way)
            figures.append(AnswerFigure(key, words, even[1], "utilisation", even[0], even[2]))
    return TradeAnswer(
        _sentence(use, min(ways), min(reclaimed, default=None), figures[0], bool(found.offers)),
        tuple(figures),
        _chart(found, use, figures[0].value),
        (
            tr(
                "Own: capital as annuities and fixed operation of a GPU-hour, over utilisation, and its energy."
            ),
            tr(
                "Rented by the hour: paid while it is used. Reserved: paid all the time. Spot and marketplace: with "
                "lost work."
            ),
            tr("Both in the same samples of the prices; P5, P50 and P95 of them."),
        ),
        (
            tr(
                "{share:.0f} % of the capital rests on estimated prices.",
                share=100.0 * float(np.median(books.drawn.capital.estimated_share)),
            ),
            *books.notes,
        ),
    )


def _sentence(
    use: float, cheapest: tuple[float, str], reclaimed_usd: float | None, own: AnswerFigure, is_offered: bool
) -> str:
    if not is_offered:
        return tr(
            "{usd} an own GPU-hour that is used; no cloud of the catalogue has this GPU.", usd=own.words
        )
    told = tr(
        "At a utilisation of {use:.0f} % {way} is cheapest, {usd:.2f} USD a used GPU-hour; own ones cost {own} "
        "({range}).",
        use=100.0 * use,
        way=cheapest[1],
        usd=cheapest[0],
        own=own.words,
        range=own.range_words,
    )
    if reclaimed_usd is None:
        return told
    return tr("{told} What is reclaimed at any time begins at {usd:.2f} USD.", told=told, usd=reclaimed_usd)


def _chart(found: OwnOrRent, use: float, own_usd: float) -> AnswerChart:
    low, middle, high = np.quantile(found.owned_usd_gpu_h, QUANTILES, axis=1)
    x = floats(UTILISATIONS)
    curves = [AnswerCurve(tr("own"), x, floats(middle), floats(low), floats(high))]
    curves += [_offered(offer, x) for offer in found.offers]
    return AnswerChart(
        tr("A used GPU-hour over utilisation: own, and rented"),
        tr("Used GPU-hour"),
        "USD",
        tr("Utilisation"),
        "fraction",
        tuple(curves),
        (AnswerMark(tr("own, at {use:.0f} %", use=100.0 * use), use, own_usd),),
    )


def _offered(offer: RentOffer, x: tuple[float, ...]) -> AnswerCurve:
    """Return the first way in which it is offered."""
    way, usd = next(iter(offer.usd_gpu_h.items()))
    name = tr("{name}, {way}", name=f"{offer.vendor} {offer.title}", way=WAY_TITLES[way])
    return AnswerCurve(name, x, floats(np.median(usd, axis=1)))


QUESTION = TradeQuestion(
    "own-or-rent",
    tr("Own or rent?"),
    tr("own rent buy lease cloud on demand spot reserved marketplace break-even utilisation GPU-hour"),
    (
        QuestionInput(
            "utilisation",
            tr("Utilisation"),
            tr("Share of the hours in which the GPUs are used"),
            fixed("70 %"),
            dimension="fraction",
            low=0.01,
            high=1.0,
        ),
        QuestionInput(
            "load",
            tr("Load"),
            tr("Power of the racks over their design power"),
            fixed("80 %"),
            dimension="fraction",
            low=0.05,
            high=1.5,
        ),
    ),
    _answer,
    needs_scene=True,
)
