"""A comparison as JSON: every figure with its difference and interval, the ledger waterfall, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twin.analysis.compare import Comparison
    from twin.analysis.money_comparison import ComparedAmount, MoneyComparison, Range
    from twin.analysis.whole_job import Ends, JobAmounts
    from twin.scenario import Scenario

_NAMES = ("p5", "p50", "p95")


def comparison_json(
    names: tuple[str, str], found: Comparison, scenes: tuple[Scenario, Scenario] | None = None
) -> dict[str, Any]:
    """Return a comparison as ``--json`` prints it, under the given names of A and B; `scenes`: None, not at hand."""
    from twin.analysis.figures import FIGURES
    from twin.analysis.paired_interval import LEVEL
    from twin.analysis.significance import judged, verdict

    rows = {}
    for figure in FIGURES:
        difference = found.differences.get(figure.key)
        rows[figure.key] = difference and {
            "title": figure.title,
            "a": difference.a,
            "b": difference.b,
            "difference": difference.difference,
            "seeds": difference.seeds,
            "paired_half_width": difference.paired,
            "unpaired_half_width": difference.unpaired,
            "beyond_chance": difference.beyond_chance,
            "seeds_higher": difference.higher,
            "seeds_lower": difference.lower,
            "judgement": judged(figure, found).words,
            "by_seed": [
                {"seed": number, "a": pair[0], "b": pair[1]}
                for number, pair in zip(found.seeds, difference.pairs, strict=True)
            ]
            if difference.paired is not None
            else [],
        }
    way = found.waterfall
    return {
        "a": names[0],
        "b": names[1],
        "basis": found.basis.value,
        "since_s": found.since_s,
        "seeds": list(found.seeds),
        "simulated_s": found.simulated_s and dict(zip("ab", found.simulated_s, strict=True)),
        "at_s": found.at_s,
        "figures_at_s": found.figures_s,
        "remarks": list(found.remarks),
        "level": LEVEL,
        "figures": rows,
        "waterfall": {
            "a_productive_gpu_h": way.a_gpu_h,
            "steps": [{"account": step.account, "gpu_h": step.gpu_h} for step in way.steps],
            "b_productive_gpu_h": way.b_gpu_h,
        },
        "money": _money(found.money),
        "whole_job": None if scenes is None else _whole_job(found, scenes),
        "verdict": verdict(found),
    }


def _money(found: MoneyComparison | None) -> dict[str, Any] | None:
    """Return what both cost; null where the cost of one is unknown."""
    from twin.analysis.money_comparison import money_verdict

    if found is None:
        return None
    return {
        "verdict": money_verdict(found),
        "better": found.unit.cheaper.lower() or None,
        "judged_by": found.unit.key,
        "seeds": found.seeds,
        "draws": found.draws,
        "usd": {
            row.key: {
                "title": row.title,
                **_amount(row),
            }
            for row in found.rows
        },
    }


def _amount(row: ComparedAmount, one: float = 1.0) -> dict[str, Any]:
    """Return an amount of A and B and its difference; `one`: how many of the unit printed one of its own is."""

    def ends(values: Range) -> dict[str, float]:
        return {name: value * one for name, value in zip(_NAMES, values, strict=True)}

    return {"a": ends(row.a), "b": ends(row.b), "difference": ends(row.apart), "b_lower": row.b_lower}


def _whole_job(found: Comparison, scenes: tuple[Scenario, Scenario]) -> dict[str, Any] | None:
    """Return what the only job takes until its work is done; null where nothing tells its end."""
    from twin.analysis.whole_job import DAY_S, GWH_J
    from twin.report.comparison.job import compared_job
    from twin.report.comparison.whole_job import whole_ends
    from twin.scenario.file.diff import differences

    job = compared_job(found, differences(*scenes), scenes)
    whole = job.whole
    if whole is None:
        return None
    one = job.one
    return {
        "job": scenes[0].jobs[0].id,
        "tokens": job.tokens,
        "ends_at": _sides([end.isoformat(timespec="seconds") for end in whole_ends(whole, scenes)]),
        "mean_stops": None if whole.expected is None else _amounts(whole.expected, DAY_S, GWH_J),
        "stops_drawn": _amounts(whole.seen, DAY_S, GWH_J),
        "one_job": one
        and {
            "draws": one.draws,
            "time_s": _ends(one.days, DAY_S),
            "cost_usd": _ends(one.usd),
            "energy_j": _ends(one.energy_gwh, GWH_J),
        },
        "stops": job.stops
        and _sides(
            [
                {"runs": side.runs, "drawn": side.drawn, "expected": side.expected, "each_s": side.each_s}
                for side in job.stops
            ]
        ),
    }


def _amounts(taken: JobAmounts, day_s: float, gwh_j: float) -> dict[str, Any]:
    return {
        "time_s": _amount(taken.days, day_s),
        "cost_usd": taken.cost and _amount(taken.cost),
        "energy_j": taken.energy and _amount(taken.energy, gwh_j),
    }


def _ends(sides: tuple[Ends, Ends] | None, one: float = 1.0) -> dict[str, Any] | None:
    return sides and _sides([{"p5": low * one, "p95": high * one} for low, high in sides])


def _sides(values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip("ab", values, strict=True))
