"""A comparison as JSON: every figure with its difference and interval, the ledger waterfall, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.analysis.compare import Comparison
    from twin.analysis.money_comparison import MoneyComparison


def comparison_json(names: tuple[str, str], found: Comparison) -> dict[str, Any]:
    """Return a comparison as ``--json`` prints it, under the given names of A and B."""
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
        "verdict": verdict(found),
    }


def _money(found: MoneyComparison | None) -> dict[str, Any] | None:
    """Return what both cost; null where the cost of one is unknown."""
    from twin.analysis.money_comparison import money_verdict

    if found is None:
        return None
    names = ("p5", "p50", "p95")
    return {
        "verdict": money_verdict(found),
        "better": found.unit.cheaper.lower() or None,
        "judged_by": found.unit.key,
        "seeds": found.seeds,
        "draws": found.draws,
        "usd": {
            row.key: {
                "title": row.title,
                **{
                    name: dict(zip(names, values, strict=True))
                    for name, values in (("a", row.a), ("b", row.b), ("difference", row.apart))
                },
                "b_lower": row.b_lower,
            }
            for row in found.rows
        },
    }
