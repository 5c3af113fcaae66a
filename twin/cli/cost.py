"""`twin cost`: what a site costs, and what a run did with the money."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, SceneOrRun, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twin.api.run import Run
    from twin.arrays import Floats
    from twin.economics.books import SiteBooks
    from twin.economics.cash_flow import Plan
    from twin.economics.ledger_usd import LedgerUsd

    LedgerPair = tuple[LedgerUsd, LedgerUsd]

EXAMPLE = """Example: twin cost llama3-16k --years 5

Prices are those of the catalogue (twin catalog list prices, twin catalog show H100-SXM), or the scene's own under
prices. Most are estimates: each has a range, and so has every sum."""
FORMAT = JsonFormat("cost")


def cost_of(
    scene_or_run: SceneOrRun,
    years: Annotated[int, typer.Option(min=1, max=40, metavar="N", help="Years of operation.")] = 5,
    samples: Annotated[
        int, typer.Option(min=2, max=100_000, metavar="N", help="Random draws of the prices.")
    ] = 400,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**63 - 1, metavar="N", help="Seed of these draws: the same for all scenes."),
    ] = 1,
    load: Annotated[
        str,
        typer.Option(
            metavar="SHARE", help="Power of the racks over their design power, where no run says it."
        ),
    ] = "80 %",
    run: Annotated[
        bool, typer.Option("--run", help="Simulate the scene first, for what its GPU time and its work cost.")
    ] = False,
    grid_months: Annotated[
        float, typer.Option(min=0, max=240, metavar="N", help="Months until the grid supplies the site.")
    ] = 0.0,
    delivery_months: Annotated[
        float, typer.Option(min=0, max=240, metavar="N", help="Months until its IT is delivered.")
    ] = 0.0,
    ramp_months: Annotated[
        float, typer.Option(min=0, max=240, metavar="N", help="Months from the first GPU-hour sold to all.")
    ] = 3.0,
    colocation: Annotated[
        bool, typer.Option("--colocation", help="Rent the facility; buy IT alone.")
    ] = False,
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Tell capital, operation and cash flow of a site, and what a GPU-hour costs.

    Of a recorded run, also what an allocated and a productive GPU-hour, a training and a million tokens cost.
    """
    from twin.api.cost import checked, of_scene
    from twin.cli.errors import BadInput, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.scene import is_run, load_scene
    from twin.economics.cash_flow import Plan
    from twin.scenario.file.set_option import set_texts
    from twin.units import UnitError, parse

    with reporting_errors(scene_or_run):
        try:
            share = parse(load, "fraction")
        except UnitError as wrong:
            raise BadInput(f"--load: {wrong}") from None
        plan = checked(
            Plan(years, grid_months, delivery_months, ramp_months, colocated=colocation, load=share)
        )
        spent: LedgerPair | None = None
        if is_run(scene_or_run):
            from twin.api.run import open_run

            if set_ or run:
                raise BadInput(f"{'--set' if set_ else '--run'} is for a scene, not for a recorded run")
            with open_run(scene_or_run) as recorded:
                name, (books, spent) = recorded.scenario.title, _recorded(recorded, plan, samples, seed)
        else:
            document = set_texts(load_scene(scene_or_run), set_ or [])
            name = document.name
            if run:
                from twin.api.scene import Scene

                with Scene(document).run() as simulated:
                    books, spent = _recorded(simulated, plan, samples, seed)
            else:
                books = of_scene(document.scenario, plan, samples, seed)
        for note in books.notes:
            warn(note)
        if json:
            print_json(FORMAT, {"scene": name, **cost_row(books), **ledger_row(spent)})
        else:
            from twin.cli.text.cost import print_cost

            print_cost(name, books, spent)


def _recorded(run: Run, plan: Plan, samples: int, seed: int) -> tuple[SiteBooks, LedgerPair]:
    """Return the books of a run, and its ledger at likely prices and in the samples."""
    from twin.analysis.site_books import run_ledgers
    from twin.api.cost import of_recorded
    from twin.plant.build import build

    books = of_recorded(run, plan, samples, seed)
    plant = build(run.scenario, books.catalog)
    likely, drawn = run_ledgers(run.reader, plant, books, books.likely, books.drawn)
    return books, (likely, drawn)


def ledger_row(spent: LedgerPair | None) -> dict[str, Any]:
    """Return the ledger in USD as ``--json`` prints it; null without a run."""
    from twin.record.accounts import ACCOUNTS

    if spent is None:
        return {"ledger": None, "showback": None}
    likely, drawn = spent
    full, many = likely.account_usd(), drawn.account_usd()
    cash = likely.cash_marginal_usd(likely.energy_share.sum(axis=0))
    market = likely.market_usd(likely.gpu_s.sum(axis=0))
    jobs, of_jobs = likely.job_usd(), drawn.job_usd()
    tenants = drawn.tenant_usd()
    return {
        "ledger": {
            "total_usd": spread(likely.total_usd, drawn.total_usd),
            "accounts": {
                account: {
                    **spread(full[place], many[place]),
                    "cash_usd": float(cash[place, 0]),
                    "market_usd": float(market[place, 0]),
                }
                for place, account in enumerate(ACCOUNTS)
            },
            "site_base": spread(likely.base_usd, drawn.base_usd),
        },
        "showback": {
            "tenants": {tenant: spread(usd, tenants[tenant]) for tenant, usd in likely.tenant_usd().items()},
            "jobs": [
                {"job": job, "tenant": tenant, **spread(jobs[place], of_jobs[place])}
                for place, (job, tenant) in enumerate(zip(likely.jobs, likely.tenants, strict=True))
                if likely.gpu_s[place].any()
            ],
            "at_rest": spread(jobs[-1], of_jobs[-1]),
        },
    }


def cost_row(books: SiteBooks) -> dict[str, Any]:
    """Return the books as ``--json`` prints them; unknown values are null."""
    from twin.economics.bill import GROUPS
    from twin.economics.books import OFTEN_QUOTED, often_quoted
    from twin.economics.unit_costs import unit_costs

    likely, drawn, plan = books.likely, books.drawn, books.plan
    shares = drawn.shares()
    returns = likely.cash.returns()
    return {
        "gpus": dict(books.bill.gpus),
        "it_w": books.bill.it_w,
        "grid_w": books.bill.grid_w,
        "samples": drawn.capital.prices.samples,
        "basis": {
            "energy": books.use.basis,
            "period_s": books.use.period_s,
            "years": plan.years,
            "load": plan.load if books.work is None or books.work.hours.allocated is None else None,
            "colocation": plan.colocated,
        },
        "capital": {
            "total_usd": spread(likely.capital.total_usd, drawn.capital.total_usd),
            "groups": {
                group: spread(likely.capital.by_group[group], drawn.capital.by_group[group])
                for group in GROUPS
            },
            "lines": _lines(books),
            "on_estimates": spread(likely.capital.estimated_share, drawn.capital.estimated_share),
            "shares": {
                name: {
                    **spread(likely.shares()[name], values),
                    "often_quoted": often_quoted(values),
                }
                for name, values in shares.items()
            },
            "often_quoted": list(OFTEN_QUOTED),
            "construction_usd_kw": spread(
                likely.capital.construction_usd_kw, drawn.capital.construction_usd_kw
            ),
            "yearly_usd": spread(likely.capital.yearly_usd, drawn.capital.yearly_usd),
        },
        "operation": {
            "yearly_usd": spread(likely.operation.total_usd, drawn.operation.total_usd),
            "items": {
                item: spread(likely.operation.by_item[item], usd)
                for item, usd in drawn.operation.by_item.items()
            },
        },
        "yearly_usd": spread(likely.yearly_usd, drawn.yearly_usd),
        "cash_flow": {
            "net_usd": likely.cash.net[0].tolist(),
            "npv_usd": spread(likely.cash.npv_usd, drawn.cash.npv_usd),
            "cost_npv_usd": spread(likely.cash.cost_npv_usd, drawn.cash.cost_npv_usd),
            "levelised_usd_gpu_h": spread(likely.cash.levelised_usd_gpu_h, drawn.cash.levelised_usd_gpu_h),
            "irr": returns.rate,
            "rates_of_return": list(returns.rates),
            "payback_years": likely.cash.payback(),
            "discounted_payback_years": likely.cash.payback(discounted=True),
            "months_to_revenue": plan.first_month,
            "months_to_full_revenue": plan.months_to_full_revenue,
        },
        "per": {name: spread(unit.likely_usd, unit.drawn_usd) for name, unit in unit_costs(books).items()},
        "carbon": _carbon(books),
        "renting": _renting(books),
        "tornado": [
            {
                "entry": swing.price.id,
                "title": swing.price.title,
                "low_usd": swing.low_usd,
                "high_usd": swing.high_usd,
            }
            for swing in books.tornado()
        ],
        "notes": list(books.notes),
    }


def _carbon(books: SiteBooks) -> dict[str, Any]:
    likely, drawn = books.carbon(books.likely), books.carbon(books.drawn)
    return {
        "operational_kg": float(likely.operational_kg[0]),
        "saved_by_purchases_kg": likely.saved_kg,
        "embodied_kg": {name: spread(kg, drawn.embodied_kg[name]) for name, kg in likely.embodied_kg.items()},
        "total_kg": spread(likely.total_kg, drawn.total_kg),
        "kg_gpu_h": spread(likely.kg_gpu_h, drawn.kg_gpu_h) if books.bill.gpus else spread(None, None),
    }


def _renting(books: SiteBooks) -> dict[str, Any]:
    """Return owning beside renting over utilisation; a break-even of null is never."""
    from twin.economics.own_or_rent import UTILISATIONS, own_or_rent

    likely, drawn = (own_or_rent(books, statement) for statement in (books.likely, books.drawn))
    return {
        "utilisation": UTILISATIONS.tolist(),
        "own_usd_gpu_h": [
            spread(one, many) for one, many in zip(likely.owned_usd_gpu_h, drawn.owned_usd_gpu_h, strict=True)
        ],
        "offers": [
            {
                "shape": one.id,
                "title": f"{one.vendor} {one.title}",
                "gpus": one.gpus,
                "usd_gpu_h": {
                    way: [spread(a, b) for a, b in zip(usd, many.usd_gpu_h[way], strict=True)]
                    for way, usd in one.usd_gpu_h.items()
                },
                "jobs_usd": spread(one.jobs_usd, many.jobs_usd),
                "break_even": {
                    way: _owned_from(use, many.break_even[way]) for way, use in one.break_even.items()
                },
            }
            for one, many in zip(likely.offers, drawn.offers, strict=True)
        ],
    }


def _owned_from(likely: Floats, drawn: Floats) -> dict[str, float | None]:
    """Return the utilisation from which owning is cheaper, at likely prices and as quantiles; null: never."""
    from twin.economics.ownership import owned_from

    found = (owned_from(likely)[1], float(drawn.mean()), *owned_from(drawn))
    names = ("likely", "mean", "p5", "p50", "p95")
    return {name: use if use <= 1.0 else None for name, use in zip(names, found, strict=True)}


def spread(likely: Floats | None, drawn: Floats | None) -> dict[str, float | None]:
    """Return a figure at likely prices, its mean over the samples, and three of its quantiles."""
    import numpy as np

    if likely is None or drawn is None:
        return dict.fromkeys(("likely", "mean", "p5", "p50", "p95"))
    low, middle, high = np.quantile(drawn, [0.05, 0.5, 0.95]).tolist()
    return {"likely": float(likely[0]), "mean": float(drawn.mean()), "p5": low, "p50": middle, "p95": high}


def _lines(books: SiteBooks) -> list[Mapping[str, Any]]:
    table = books.drawn.capital.prices.table
    return [
        {
            "group": one.group,
            "entry": one.entry,
            "title": table[one.entry].title,
            "count": one.count,
            "unit": one.unit,
            "usd": spread(one.usd, many.usd),
            "price": {
                "low": table[one.entry].low,
                "likely": table[one.entry].likely,
                "high": table[one.entry].high,
                "currency": table[one.entry].unit or None,
                "date": table[one.entry].date or None,
                "standing": table[one.entry].standing,
                "source": table[one.entry].source,
                "note": table[one.entry].note,
            },
        }
        for one, many in zip(books.likely.capital.lines, books.drawn.capital.lines, strict=True)
    ]
