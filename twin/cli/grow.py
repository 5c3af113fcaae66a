"""`twin grow`: what must be re-cabled to grow a scene to more GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Scene, Settings

if TYPE_CHECKING:
    from twin.planning.network.expansion_check import Growth

EXAMPLE = "Example: twin grow lab-16 --to 256"
FORMAT = JsonFormat("growth")


def grow_scene(
    scene: Scene,
    to: Annotated[
        int,
        typer.Option("--to", min=1, metavar="GPUS", help="Number of GPUs to grow to.", show_default=False),
    ],
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Tell what must be re-cabled to grow a scene to more GPUs.

    The same generators build it with more racks and rows; floor space, power and cooling are not checked.

    Exit code 0: no installed cable is moved or removed. 1: some are.
    """
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.planning.network.expansion_check import grow
    from twin.scenario.file.set_option import set_texts

    with reporting_errors(scene):
        document = set_texts(load_scene(scene), set_ or [])
        growth = grow(document.scenario, to)
        if json:
            print_json(FORMAT, {"scene": document.name, **growth_row(growth)})
        else:
            _print(growth)
        raise typer.Exit(ExitCode.FINDINGS if growth.recabling.touched else ExitCode.DONE)


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
