"""What a scene assumes: failures, repairs and prices for the appendix, restarts and electricity beside its sources."""

from __future__ import annotations

from types import MappingProxyType

from twin.catalog import Catalog
from twin.catalog.price_parts import PricePart
from twin.economics.price_book import PriceBook, PriceRange
from twin.physics.reliability import REPAIR_CLASS, REPAIR_CLASSES
from twin.planning.risk.failure_table import FailureRow, failure_table, rate_words, repair_words
from twin.plant.tables import Plant
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.run_basis import status_mark
from twin.report.words import length, quantity
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job, Recovery

MOST_JOBS = 5
"""Jobs whose restarts are listed, of each way to restart the first."""
REPAIRS = (
    "Repair times: quantiles by class of the fault trace of InfiniteHBD, 400 nodes of 8 GPUs in 349 d (Shou et al. "
    "2025, arXiv 2502.03885). "
)
_LIKELY = (
    "Values are the likely ones. P50 of the draws, which the other pages have, is a little above or below where a "
    "range is not even."
)
_INPUTS = "Inputs that the scene sets or leaves at their defaults"
_DEFAULT, _SCENE = "assumed: default", "assumed by the scene"
_STANDINGS = (
    "Assumed: no publication has the figure for this run; where the scene knows one, its list above names it. "
    "Ranges are those that this program was built with, not of one publication where none is named."
)
REASONS = MappingProxyType(
    {
        "detect": "1 to 30 s where an error is reported",
        "watchdog": "default time-out of NCCL in PyTorch",
        "patience": "none: it shrinks at once",
        "swap": "30 to 60 s with warm spares",
        "container": "30 to 120 s",
        "init": "5 to 30 s tuned (Jiang et al. 2024, arXiv 2402.15627)",
        "load": "what stores give to one job in production: 50 to 200 GB/s",
        "warmup": "30 to 300 s",
        "pause": "until the state has left the GPUs",
        "price": "that of large sites, without demand charge",
        "carbon": "mean of a grid in a year, location-based",
    }
)
"""On what inputs of a scene rest, by their key."""


def assumptions(scenario: Scenario, plant: Plant, catalog: Catalog) -> Markup:
    """Return failures with their repairs, and prices that the books go by."""
    return joined([_failures(scenario, plant, catalog), _prices(scenario, catalog)])


def _failures(scenario: Scenario, plant: Plant, catalog: Catalog) -> Markup | None:
    rows = [row for row in failure_table(scenario, plant, catalog).rows if row.acts]
    if not rows:
        return None
    alike = len({row.standing for row in rows}) == 1
    cells = [
        (
            row.title,
            number(row.rate_s, rate_words(row)),
            repair_words(row),
            *_quantiles(row, scenario.failures.repair_constant_s),
            *(() if alike else (row.standing,)),
        )
        for row in rows
    ]
    heads = ("cause", "rate", "repair", "median", "P90", *(() if alike else ("rests on",)))
    sources = list(dict.fromkeys(row.source for row in rows if row.source))
    told = f"Rates: {'; '.join(sources)}. " if sources else ""
    told += f"All rates are {rows[0].standing}. " if alike else ""
    told += REPAIRS if scenario.failures.repair_constant_s is None else ""
    note = f"{told}What the scene says itself has its sources in the section Sources of the scene."
    return joined(
        [
            table(heads, cells, caption="Failures and repairs", class_="sources"),
            tag("p", note, class_="note"),
        ]
    )


def _quantiles(row: FailureRow, constant_s: float | None) -> tuple[str, str]:
    """Return median and P90 of a repair; the same where it always takes as long."""
    if row.repair == "restart":
        return "", ""
    if constant_s is not None or row.repair not in REPAIR_CLASS:
        return length(row.repair_s), length(row.repair_s)
    found = REPAIR_CLASSES[REPAIR_CLASS[row.repair]].repair
    return length(found.median_s), length(found.p90_s)


def scene_inputs(scenario: Scenario) -> Markup:
    """Return parts of a restart, pause of checkpoints and electricity: value, meaning, standing, on what they rest."""
    rows = [*_job_inputs(scenario), *_electricity(scenario)]
    shown = table(
        ("input", "value", "meaning", "standing", "reason"), rows, caption=_INPUTS, class_="sources"
    )
    return joined([shown, tag("p", _STANDINGS, class_="note")])


def _job_inputs(scenario: Scenario) -> list[tuple[Child, ...]]:
    """Return restart and pause of the first job of each way to restart; the job is named where there are several."""
    first: dict[tuple[Recovery, float], Job] = {}
    for job in jobs_of(scenario):
        first.setdefault((job.recovery, job.checkpoint.pause_s), job)
    several = len(first) > 1
    rows: list[tuple[Child, ...]] = []
    for job in list(first.values())[:MOST_JOBS]:
        of = f" of {job.id}" if several else ""
        parts = [job.recovery, *([job.checkpoint] if job.checkpoint.interval != "none" else [])]
        for part in parts:
            for name, field in type(part).model_fields.items():
                key, value = field.alias or name, getattr(part, name)
                if (
                    key not in REASONS
                    or value is None
                    or (key == "patience" and job.recovery.policy != "shrink")
                ):
                    continue
                said = quantity(value, "bandwidth") if name.endswith("_bytes_s") else length(value)
                own = value != field.default
                rows.append(
                    (f"{key}{of}", said, field.description or "", _SCENE if own else _DEFAULT, REASONS[key])
                )
    return rows


def _electricity(scenario: Scenario) -> list[tuple[Child, ...]]:
    grid = scenario.site.grid
    return [
        (
            title,
            quantity(value, kind),
            grid_field.description or "",
            _DEFAULT if value == grid_field.default else _SCENE,
            REASONS[key],
        )
        for title, key, value, kind, grid_field in (
            (
                "energy price",
                "price",
                grid.price_usd_j,
                "energy_price",
                type(grid).model_fields["price_usd_j"],
            ),
            (
                "carbon",
                "carbon",
                grid.carbon_kg_j,
                "carbon_intensity",
                type(grid).model_fields["carbon_kg_j"],
            ),
        )
    ]


def _prices(scenario: Scenario, catalog: Catalog) -> Markup | None:
    """Return prices, shares and lives with their ranges, and below them each source once."""
    book = PriceBook(catalog, scenario.prices)
    found = [(part, book.whole(part.id)) for part in catalog.prices]
    if not found:
        return None
    titles: dict[str, list[str]] = {}
    for _, price in found:
        if price.standing not in ("estimated", "scene"):
            titles.setdefault(price.source, []).append(price.title)
    rows = [
        (price.title, *_range(part, price), status_mark(price.standing), price.note) for part, price in found
    ]
    said = [f"{', '.join(named)}: {source}." for source, named in titles.items()]
    caption = "Prices, shares and lives that the books can go by"
    return joined(
        [
            table(
                ("number", "value", "low to high", "status", "reasoning"),
                rows,
                caption=caption,
                class_="sources",
            ),
            tag("p", _LIKELY, class_="note"),
            *(tag("p", text, class_="note") for text in said),
        ]
    )


def _range(part: PricePart, price: PriceRange) -> tuple[str, str]:
    """Return a price in its unit, and its range where it has one."""
    of = "" if part.per == "1" else f" of {part.per}"
    scale, unit = {
        "share": (100.0, f"%{of}"),
        "years": (1.0, "years"),
        "carbon_kg": (1.0, f"kg per {part.per}"),
    }.get(part.value_key, (1.0, f"USD per {part.per}"))
    low, likely, high = (f"{round(scale * usd, 6):,.10g}" for usd in (price.low, price.likely, price.high))
    return f"{likely} {unit.replace('m3', 'm³')}", "" if price.low == price.high else f"{low} to {high}"
