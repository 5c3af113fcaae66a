"""`twin grow`: what must be re-cabled, bought and thrown away to grow a scene to more GPUs, stage by stage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Scene, Settings

if TYPE_CHECKING:
    from twin.arrays import Floats
    from twin.designs.growth_stages import GrowthStage, SiteLimits, WantedStage
    from twin.planning.network.expansion_check import Growth

EXAMPLE = """Example: twin grow lab-16 --to 256
         twin grow lab-16 --stage 2026-06=64 --stage 2028-01=256 --power '500 kW'
         twin grow lab-16 --need lab-16-to-256"""
_STAGE = re.compile(r"(20[0-9]{2}-(?:0[1-9]|1[0-2]))=([0-9][0-9,]*)")
FORMAT = JsonFormat("growth")


def grow_scene(
    scene: Scene,
    to: Annotated[
        int | None,
        typer.Option("--to", min=1, metavar="GPUS", help="Number of GPUs to grow to.", show_default=False),
    ] = None,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            metavar="MONTH=GPUS",
            help="GPUs from a month on, such as 2028-01=256; may be repeated.",
            show_default=False,
        ),
    ] = None,
    need: Annotated[
        str | None,
        typer.Option(
            "--need",
            metavar="NEED",
            help="Take stages, floor, power and data from a need.",
            show_default=False,
        ),
    ] = None,
    area: Annotated[
        str | None,
        typer.Option("--area", metavar="AREA", help="Floor there is for the halls.", show_default=False),
    ] = None,
    power: Annotated[
        str | None,
        typer.Option("--power", metavar="POWER", help="Power the site may draw.", show_default=False),
    ] = None,
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Tell what must be re-cabled, bought and thrown away to grow a scene to more GPUs.

    The same generators build it with more racks and rows. Floor, power, cooling and storage are looked at in each
    stage; its power and cooling stay as they are, and what they lack is told.

    Exit code 0: no installed cable is moved or removed, and all is enough. 1: some are, or something is not.
    """
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.designs.growth_stages import grown_stages
    from twin.planning.network.expansion_check import grow
    from twin.scenario.file.set_option import set_texts
    from twin.scenario.schema.scene_catalog import catalog_of

    with reporting_errors(scene):
        document = set_texts(load_scene(scene), set_ or [])
        wanted, limits = _asked(to, stage or [], need, area, power)
        catalog = catalog_of(document.scenario)
        growth = grow(document.scenario, wanted[-1].gpus, catalog)
        stages = grown_stages(document.scenario, wanted, catalog, limits)
        if json:
            rows = [stage_row(grown) for grown in stages]
            print_json(FORMAT, {"scene": document.name, **growth_row(growth), "stages": rows})
        else:
            _print(growth)
            _print_stages(stages)
        touched = growth.recabling.touched or any(
            grown.growth is not None and grown.growth.recabling.touched for grown in stages
        )
        enough = all(grown.fits for grown in stages)
        raise typer.Exit(ExitCode.FINDINGS if touched or not enough else ExitCode.DONE)


def _asked(
    to: int | None, stages: list[str], need: str | None, area: str | None, power: str | None
) -> tuple[list[WantedStage], SiteLimits]:
    """Return the stages that are asked for, and what the site has."""
    from dataclasses import replace

    from twin.cli.errors import BadInput
    from twin.designs.growth_stages import SiteLimits, WantedStage
    from twin.designs.need_file import load_need
    from twin.units import UnitError, parse

    if sum((to is not None, bool(stages), need is not None)) != 1:
        raise BadInput("say how far by one of --to, --stage and --need")
    limits, wanted = SiteLimits(), []
    if need is not None:
        asked = load_need(need).need
        limits, wanted = SiteLimits.of(asked), [WantedStage(stage.date, stage.gpus) for stage in asked.stages]
        if not wanted:
            raise BadInput(f"--need: {need} has no stages of growth")
    elif to is not None:
        wanted = [WantedStage("", to)]
    for text in stages:
        found = _STAGE.fullmatch(text.strip())
        if found is None:
            raise BadInput(f"--stage: {text!r} is no month with its GPUs; write it like 2028-01=256")
        wanted.append(WantedStage(found[1], int(found[2].replace(",", ""))))
    dates, counts = [stage.date for stage in wanted], [stage.gpus for stage in wanted]
    if dates != sorted(set(dates)) or counts != sorted(counts):
        raise BadInput("--stage: months and GPUs must rise")
    for name, given, dimension, key in (
        ("--area", area, "area", "area_m2"),
        ("--power", power, "power", "power_w"),
    ):
        if given is not None:
            try:
                value = parse(given, dimension)
            except UnitError as wrong:
                raise BadInput(f"{name}: {wrong}") from None
            if value <= 0.0:
                raise BadInput(f"{name}: {given} must be more than 0")
            limits = replace(limits, **{key: value})
    return wanted, limits


def stage_row(stage: GrowthStage) -> dict[str, Any]:
    """Return a stage as ``--json`` prints it; unknown values are null."""
    import math

    change = stage.growth.recabling if stage.growth is not None else None
    return {
        "date": stage.date or None,
        "gpus": stage.gpus,
        "cables": {
            "new": change.new if change else 0,
            "moved": change.moved if change else 0,
            "removed": change.removed if change else 0,
        },
        "needs": [
            {
                "name": look.name,
                "unit": look.unit,
                "item": look.item or None,
                "before": look.before,
                "after": look.after,
                "most": look.most if look.most is not None and math.isfinite(look.most) else None,
                "enough": look.fits,
            }
            for look in stage.looks
        ],
        "bought_usd": _quantiles(stage.bought_usd),
        "discarded": [
            {
                "part": discard.part,
                "count": discard.count,
                "age_years": discard.age_years,
                "lost_usd": _quantiles(discard.usd),
            }
            for discard in stage.discards
        ],
        "lost_usd": _quantiles(stage.lost_usd),
    }


def _quantiles(usd: Floats) -> dict[str, float]:
    import numpy as np

    return dict(zip(("p5", "p50", "p95"), np.quantile(usd, (0.05, 0.5, 0.95)).tolist(), strict=True))


def growth_row(growth: Growth) -> dict[str, Any]:
    """Return the growth as ``--json`` prints it; unknown values are null."""
    from twin.planning.network.expansion_check import LAY_CABLE_H, MOVE_CABLE_H

    change = growth.recabling
    return {
        "gpus": {
            "before": growth.gpus_before,
            "after": growth.gpus_after,
            "untouched": growth.untouched_gpus,
        },
        "changes": [
            {"path": edit.path, "before": edit.before, "after": edit.after} for edit in growth.changes
        ],
        "no_longer_fits": list(growth.no_longer_fits),
        "tiers_added": list(change.tiers),
        "cables": {
            "before": change.cables_before,
            "after": change.cables_after,
            "kept": change.kept,
            "moved": change.moved,
            "removed": change.removed,
            "new": change.new,
            "touched_share": change.touched / change.cables_before if change.cables_before else None,
            "laid_m": change.laid_m,
        },
        "switches": {
            "kept": change.switches_kept,
            "removed": change.switches_removed,
            "new": change.switches_new,
        },
        "work": {
            "hours": growth.work_h,
            "status": "estimated",
            "hours_per_new_cable": LAY_CABLE_H,
            "hours_per_touched_cable": MOVE_CABLE_H,
        },
        "cost_usd": {"cables": growth.cable_usd, "switches": growth.switch_usd, "both": growth.cost_usd},
        "verdict": growth.verdict,
    }


def _print(growth: Growth) -> None:
    from rich.text import Text

    from twin.cli.tables import console, print_table

    change = growth.recabling
    console().print(Text(growth.verdict + "\n"))
    if growth.changes:
        print_table(
            ("Changes in the scene", "now", "then"),
            [(edit.path, edit.before, edit.after) for edit in growth.changes],
        )
    print_table(
        ("", "now", "kept", "moved", "removed", "new", "then"),
        [
            (
                "Cables",
                *_counts(change.cables_before, change.kept, change.moved, change.removed, change.new),
                f"{change.cables_after:,}",
            ),
            (
                "Switches",
                *_counts(change.switches_kept + change.switches_removed, change.switches_kept),
                "",
                *_counts(change.switches_removed, change.switches_new),
                f"{change.switches_kept + change.switches_new:,}",
            ),
        ],
        right=6,
    )
    sentences = [f"Cable laid or moved: {change.laid_m / 1000:,.1f} km."]
    sentences.append(f"Work: about {growth.work_h:,.0f} h of a technician (estimated).")
    sentences.append(_bill(growth))
    sentences += [f"Not possible: {reason}." for reason in growth.no_longer_fits]
    console().print(Text("\n".join(sentences)))


def _counts(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:,}" for number in numbers)


def _bill(growth: Growth) -> str:
    """Return the cost of new parts at catalogue prices, and the parts without a price."""
    bought = {
        "cable": (growth.recabling.new, growth.cable_usd),
        "switch": (growth.recabling.switches_new, growth.switch_usd),
    }
    words = {
        name: f"{n:,} {name}{('', 'es' if name == 'switch' else 's')[n != 1]}"
        for name, (n, _) in bought.items()
    }
    priced = [name for name, (n, usd) in bought.items() if n and usd is not None]
    without = [words[name] for name, (n, usd) in bought.items() if n and usd is None]
    total = sum(usd for _, usd in bought.values() if usd is not None)
    priced_words = (
        f"{' and '.join(words[name] for name in priced)}: {total:,.0f} USD at catalogue prices"
        if priced
        else ""
    )
    missing = f"without {' and '.join(without)}, price not in the catalogue" if without else ""
    return f"To buy: {', '.join(part for part in (priced_words, missing) if part) or 'nothing'}."


def _print_stages(stages: tuple[GrowthStage, ...]) -> None:
    """Print what each stage needs, buys and throws away."""
    import math

    from rich.text import Text

    from twin import units
    from twin.cli.tables import console, print_table

    def said(value: float | None, unit: str) -> str:
        if value is None:
            return "not said"
        return units.render(float(f"{value:.4g}"), unit) if math.isfinite(value) else "no limit"

    needs, money = [], []
    for stage in stages:
        when = stage.date or "at once"
        for look in stage.looks:
            name = f"{look.name} ({look.item})" if look.item else look.name
            told = [said(value, look.unit) for value in (look.before, look.after, look.most)]
            needs.append((when, f"{stage.gpus:,}", name, *told, "yes" if look.fits else "NO"))
        bought, lost = _quantiles(stage.bought_usd), _quantiles(stage.lost_usd)
        thrown = ", ".join(
            f"{discard.count:,.0f} {discard.part} of {discard.age_years:.1f} years"
            for discard in stage.discards
        )
        money.append(
            (when, f"{stage.gpus:,}", _range(bought), thrown or "nothing", _range(lost) if thrown else "0")
        )
    console().print(Text(""))
    print_table(("stage", "GPUs", "needs", "before", "then", "there is", "enough"), needs)
    console().print(Text(""))
    print_table(("stage", "GPUs", "to buy [USD]", "thrown away", "still worth [USD]"), money)
    console().print(
        Text(
            "Money: P5 to P95, installation included; power and cooling that are not enough are not priced. "
            "Thrown away: worth falls from price to residual over its life."
        )
    )


def _range(usd: dict[str, float]) -> str:
    return f"{usd['p50']:,.0f} ({usd['p5']:,.0f} to {usd['p95']:,.0f})"
