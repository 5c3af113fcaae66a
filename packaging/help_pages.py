"""Writes what the pages of assets/help/ take from the program itself; `make docs` runs it before it builds the site.

A page holds such a part between two comments, ``<!-- generated: NAME -->`` and ``<!-- end: NAME -->``; the rest of it
is written by hand. The validation tables take a minute to run, so they come from a file:

    twin validate --json > validation.json
    python packaging/help_pages.py --validation validation.json

So does what a run costs over its size, which takes some minutes of a quiet machine:

    python -m twin.cli.bench.growth > growth.json
    python packaging/help_pages.py --growth growth.json
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from growth_plot import growth_plot
from page_tables import code, keys, plain, table
from validation_plots import errors_plot, plotted, table_plot

ROOT = Path(__file__).parents[1]
HELP = ROOT / "assets" / "help"
sys.path.insert(
    0, str(ROOT)
)  # a script has its own folder there: else another checkout's `twin` may be found
_PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def main(words: Sequence[str]) -> None:
    """Write the generated parts of all pages."""
    parts = dict(PARTS)
    if words[:1] == ["--validation"] and len(words) == 2:
        told = json.loads(Path(words[1]).read_text(encoding="utf-8"))
        parts["validation"] = lambda: validation(told)
        (HELP / "validation.svg").write_text(errors_plot(told["tables"]), encoding="utf-8")
        (HELP / "validation").mkdir(exist_ok=True)
        for one in plotted(told["tables"]):
            path = HELP / "validation" / f"{one['table']}.svg"
            path.write_text(table_plot(one), encoding="utf-8")
    elif words[:1] == ["--growth"] and len(words) == 2:
        costs = json.loads(Path(words[1]).read_text(encoding="utf-8"))
        parts["growth"] = lambda: growth_table(costs)
        (HELP / "growth.svg").write_text(growth_plot(costs), encoding="utf-8")
    elif words:
        raise SystemExit("usage: help_pages.py [--validation FILE | --growth FILE]")
    for path, text in written(parts):
        path.write_text(text, encoding="utf-8")


def written(parts: Mapping[str, Callable[[], str]]) -> Iterator[tuple[Path, str]]:
    """Yield each page with a generated part, and its text with these parts made again.

    Raises
    ------
    KeyError
        When a page asks for a part that nothing generates.
    """
    for path in sorted(HELP.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if _PART.search(text):
            yield path, _PART.sub(lambda found: f"{found[1]}\n{_made(parts, found)}\n{found[3]}", text)


def _made(parts: Mapping[str, Callable[[], str]], found: re.Match[str]) -> str:
    if found[2] in MEASURED and found[2] not in parts:  # stays as the last run left it
        return found[0].removeprefix(found[1]).removesuffix(found[3]).strip("\n") + "\n"
    return parts[found[2]]().strip("\n") + "\n"


def commands() -> str:
    """Return every command with its help, as the terminal shows it in 80 columns."""
    import typer

    from twin.cli.app import app

    root = typer.main.get_command(app)
    return "\n\n".join(_help_of(root, ()))


def _help_of(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    from typer.testing import CliRunner

    from twin.cli.app import app

    wide = {"COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1", "TERM": "dumb"}
    shown = CliRunner().invoke(app, [*words, "--help"], env=wide, prog_name="twin").output.rstrip()
    lines = "\n".join(line.rstrip() for line in shown.strip("\n").splitlines())
    yield f"## {' '.join(('twin', *words))}\n\n```text\n{lines}\n```"
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _help_of(inner, (*words, name))


def fault_kinds() -> str:
    """Return every kind of fault and intervention, by the groups of the menus."""
    from twin.record.event_kinds import kind_of
    from twin.scenario.schema.fault_kinds import KINDS
    from twin.scenario.schema.fault_kinds.kind import GROUPS
    from twin.units import render

    shown = []
    for group in GROUPS:
        rows = []
        for kind in KINDS.values():
            targets = [target for target in kind.targets if kind.group_of(target) == group]
            if not targets:
                continue
            needs = [f"{target}: {kind.needs[target].name}" for target in targets if target in kind.needs]
            options = []
            for option in kind.options:
                if option == "count" and not any(kind.counts(target) for target in targets):
                    continue
                example = f"'{kind.example or '...'}'" if option == "value" else ""
                options.append(f"`{option}={example}`{_about(kind, option)}")
            usual = "" if kind.repair_s is None else render(kind.repair_s[0], "duration")
            if set(targets) <= set(kind.drawn_by_class):
                usual = f"as published, class `{kind.drawn_by_class[targets[0]]}`"
            told = kind.events_of(targets[0])
            ids = [told.begins, *([told.clears] if told.clears else [])]
            events = "; ".join(f"`{id}` {plain(kind_of(id).title)}" for id in ids)
            row = (f"`{kind.id}`", kind.title, ", ".join(targets), "; ".join(needs), ", ".join(options))
            rows.append((*row, usual, events))
        heads = ("kind", "what", "targets", "target must have", "options", "median repair", "events")
        shown.append(f"### {group}\n\n{table(heads, rows)}")
    return "\n\n".join(shown)


def _about(kind: Any, option: str) -> str:
    if option == "count" and kind.counted:
        return f" {kind.counted}"
    if option != "value":
        return ""
    bounds = kind.limits.words if kind.limits is not None else " or ".join(kind.words)
    if kind.value_needed:
        return f" {kind.value_needed}"
    return f" {kind.value_title.lower()}" + (f" ({bounds})" if bounds else "")


def fault_effects() -> str:
    """Return what causes of failure can do, and to which components."""
    from twin.scenario.schema.fault_kinds import KINDS

    found = [kind for kind in KINDS.values() if kind.effect]
    rows = [
        (
            f"`{kind.effect}`",
            code(kind.components),
            f"`{kind.id}`",
            "" if kind.impairment is None or kind.impairment.left is None else f"{kind.impairment.left:g}",
        )
        for kind in found
    ]
    return table(("effect", "components", "acts like", "share of speed left"), rows)


def scene_keys() -> str:
    """Return every key of a scene file, from its JSON Schema."""
    from twin.scenario.schema.schema import json_schema

    return keys(json_schema())


def lesson_keys() -> str:
    """Return every key of a lesson file, from its JSON Schema."""
    from twin.lessons.lesson_schema import json_schema

    return keys(json_schema())


def accounts() -> str:
    """Return the accounts of the ledger."""
    from twin.analysis.account_words import MEANINGS, account_title
    from twin.record.accounts import ACCOUNTS

    rows = [(f"`{id}`", plain(account_title(id)), plain(MEANINGS[id])) for id in ACCOUNTS]
    return table(("account", "shown as", "meaning"), rows)


def channels() -> str:
    """Return the channels of frames, run files and exports."""
    from twin.record.channels import CHANNELS

    rows = [
        (f"`{one.id}`", one.entity, plain(one.title), one.unit, f"`{one.dcgm}`" if one.dcgm else "")
        for one in CHANNELS
    ]
    return table(("channel", "of each", "meaning", "unit", "DCGM field"), rows)


def rules() -> str:
    """Return the design rules."""
    from twin.rules.table import RULES

    rows = [
        (f"`{rule.id}`", plain(rule.title), rule.severity, plain(rule.checks), plain(rule.source))
        for rule in RULES
    ]
    return table(("rule", "finding", "severity", "checks", "source of the limit"), rows)


def constants() -> str:
    """Return the named constants of the physics with their values and meanings, module by module."""
    rows = []
    for path in sorted((ROOT / "twin" / "physics").glob("[!_]*.py")):
        module = import_module(f"twin.physics.{path.stem}")
        lines = ast.parse(path.read_text(encoding="utf-8")).body
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
                continue
            name = line.targets[0].id
            value = getattr(module, name)
            if name.isupper() and not name.startswith("_") and type(value) in (int, float):
                told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                meaning = plain(str(following.value.value)) if told else ""
                rows.append((f"`{name}`", f"{value:.6g}", meaning, f"`{path.stem}`"))
    return table(("constant", "value", "meaning", "module of twin/physics"), rows)


def machine_rates() -> str:
    """Return how often machines of the facility fail, with the standing of each figure."""
    from twin.catalog import load_catalog

    catalog = load_catalog()
    rows = []
    for id, machine in catalog.machine_failures.items():
        figures = {figure.key: figure for figure in catalog.figures(id)}
        repair = figures["repair_s"]
        rate = figures.get("rate_per_s") or figures["fails_to_start"]
        width = (
            f"; {rate.low:.2%} to {rate.high:.2%}" if rate.low is not None and rate.high is not None else ""
        )
        rows.append(
            (
                f"`{id}`",
                plain(machine.title),
                plain(rate.text) + width,
                plain(repair.text),
                rate.status,
                plain(rate.citation),
            )
        )
    return table(("entry", "machine", "rate", "mean repair", "standing", "source"), rows)


def profiles() -> str:
    """Return the calibration profiles with their effective figures."""
    from twin.planning.profile.profiles import load_calibrated, profile_names

    found = [load_calibrated(name) for name in profile_names()]
    rows = [(f"`{one.name}`", ", ".join(one.gpus), one.confidence, plain(one.title)) for one in found]
    return table(("profile", "GPUs", "confidence", "title"), rows)


def api() -> str:
    """Return what makes mkdocstrings write the reference of each name of ``import twin``."""
    import twin

    found = [getattr(twin, name) for name in getattr(twin, "__all__", ())]
    if not found:
        return "The reference of each name stands here once the package has them."
    return "## Reference\n\n" + "\n\n".join(f"::: {one.__module__}.{one.__qualname__}" for one in found)


def decisions() -> str:
    """Return the list of decisions."""
    lines = []
    for path in sorted((HELP / "decisions").glob("[0-9]*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines)


def growth_table(costs: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """Return what ``python -m twin.cli.bench.growth`` printed: failures, CPU time and memory of a day by size."""
    rows = [
        (
            f"{gpus:,.0f}",
            f"{jobs[-1]:.0f}",
            *(f"{cost:.2f}" for cost in (one[0], jobs[0])),
            *(f"{cost:.0f}" for cost in (one[1], jobs[1])),
        )
        for (gpus, *one), (_, *jobs) in zip(costs["one"], costs["jobs"], strict=True)
    ]
    heads = ("GPUs", "failures", "one job [CPU s]", "jobs of 512 [CPU s]", "one job [MB]", "jobs of 512 [MB]")
    return table(heads, rows)


def validation(told: Mapping[str, Any]) -> str:
    """Return the figures of `twin validate --json` as tables."""
    tables = told["tables"]
    rows = [
        (
            f"`{one['table']}`",
            plain(one["title"]),
            plain(one["source"]),
            str(one["rows"]),
            *(f"{one[key]:.2f}" for key in ("mape_pct", "median_pct", "p90_pct", "worst_pct")),
            f"{one['bias_pct']:+.2f}",
            *(_maybe(one[key], digits) for key, digits in (("baseline_mape_pct", 1), ("unseen_mape_pct", 2))),
            "" if one["baseline_mape_pct"] is None else "fitted" if one["fitted"] else "unseen",
            _maybe(one["in_interval_pct"], 0),
            {True: "reached", False: "missed", None: "no goal"}[one["passed"]],
        )
        for one in tables
        if one.get("rows")
    ]
    heads = (
        "table",
        "what is compared",
        "source",
        "rows",
        "mean error %",
        "median %",
        "P90 %",
        "worst %",
        "bias %",
        "one MFU %",
        "unseen %",
        "its rows",
        "in 90 %",
        "goal",
    )
    made = [table(heads, rows)]
    notes = [f"- `{one['table']}`: {plain(one['note'])}." for one in tables if one.get("note")]
    skipped = [
        f"- `{one['table']}`: not compared, {plain(one['skipped'])}." for one in tables if one["skipped"]
    ]
    made.append("Remarks:\n\n" + "\n".join([*notes, *skipped]))
    cases = [
        (f"`{one['table']}`", plain(case["label"]), f"{case['predicted']:.5g}", f"{case['error_pct']:+.2f}")
        for one in tables
        if one["table"].startswith("facility-")
        for case in one["cases"]
    ]
    heads = ("table", "case (published figure)", "this model", "error %")
    made.append("Power and heat, case by case:\n\n" + table(heads, cases))
    against = [
        (one["generation"], str(one["rows"]), f"{one['mape_pct']:.2f}", f"{one['baseline_mape_pct']:.1f}")
        for one in told["generations"]
    ]
    made.append(
        "Beside the simplest model there is, one best MFU for each precision, fitted on the same rows:\n\n"
        + table(("GPU generation", "rows", "mean error %", "mean error of one MFU %"), against)
    )
    made.append(_intervals(told["intervals"]))
    plots = [
        f"![{one['table']}: error of each case](validation/{one['table']}.svg)" for one in plotted(tables)
    ]
    made.append("Table by table:\n\n" + "\n\n".join(plots))
    return "\n\n".join(made)


def _maybe(figure: float | None, digits: int) -> str:
    return "" if figure is None else f"{figure:.{digits}f}"


def _intervals(told: Mapping[str, Any]) -> str:
    """Return how many runs lie in the interval of 90 % that the runs of other models give."""
    rows = [
        (
            f"`{group['profile']}`",
            group["kind"],
            str(group["rows"]),
            f"{group['p90_pct']:.1f}",
            f"{group['inside_pct']:.0f}",
        )
        for group in told["groups"]
    ]
    return (
        f"Intervals of 90 %: {told['inside_pct']:.1f} % of {told['rows']} runs lie in the one that runs of other "
        "models give, by profile and precision:\n\n"
        + table(("profile", "kind", "rows", "width %", "inside %"), rows)
    )


MEASURED = ("growth", "validation")
"""Parts that take minutes: they come from a file."""
PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "fault-kinds": fault_kinds,
    "fault-effects": fault_effects,
    "scene-keys": scene_keys,
    "lesson-keys": lesson_keys,
    "accounts": accounts,
    "channels": channels,
    "rules": rules,
    "constants": constants,
    "machine-rates": machine_rates,
    "profiles": profiles,
    "api": api,
    "decisions": decisions,
}
"""What can be generated from the program alone, in seconds."""

if __name__ == "__main__":
    main(sys.argv[1:])
