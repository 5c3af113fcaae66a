"""`twin branch --tree`: the scenes of a folder, each below the one it was cut from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from twin.cli.json_formats import JsonFormat

if TYPE_CHECKING:
    from twin.analysis.branch_tree import SceneBranch

FORMAT = JsonFormat("branch-tree")


def tell_tree(folder: Path, json: bool) -> None:
    """Print the tree of the scenes in a folder."""
    from twin.analysis.branch_tree import tree_of
    from twin.cli.errors import BadInput
    from twin.cli.output import print_json

    if not folder.is_dir():
        raise BadInput(f"--tree: {folder} is no folder; name the one in which the scenes lie")
    roots = tree_of(folder)
    if json:
        print_json(FORMAT, {"folder": str(folder), "scenes": [_as_json(root) for root in roots]})
    else:
        _print_tree(folder, roots)


def _as_json(branch: SceneBranch) -> dict[str, Any]:
    run = branch.outcome
    return {
        "scene": branch.name,
        "title": branch.title,
        "at_s": branch.at_s,
        "changes": list(branch.changes),
        "run": None if run is None else run.path.name,
        "simulated_s": None if run is None else run.t_s,
        "over": None if run is None else run.over,
        "goodput": None if run is None else run.goodput,
        "energy_j": None if run is None else run.energy_j,
        "branches": [_as_json(child) for child in branch.branches],
    }


def _print_tree(folder: Path, roots: list[SceneBranch]) -> None:
    from twin.analysis.figure_words import quantity_words
    from twin.cli.tables import console, print_table
    from twin.units import spoken

    if not roots:
        console().print(f"{folder}: no *.twin.yaml in this folder", markup=False, soft_wrap=True)
        return
    rows = []
    for root in roots:
        for depth, branch in root.all():
            run = branch.outcome
            cut = "" if branch.at_s is None else spoken(branch.at_s)
            goodput = "" if run is None or run.goodput is None else f"{100 * run.goodput:.2f} %"
            energy = "" if run is None or run.energy_j is None else quantity_words(run.energy_j, "energy")
            lasts = "" if run is None else spoken(run.t_s) + ("" if run.over else ", not over")
            name = "  " * depth + _called(branch, run is not None)
            changes = "; ".join(branch.changes) if branch.at_s is not None else ""
            rows.append((name, cut, changes, lasts, goodput, energy))
    print_table(("scene", "branch at", "what it changes", "simulated", "goodput", "energy"), rows, right=3)
    unread = dict.fromkeys(branch.unread for root in roots for _, branch in root.all() if branch.unread)
    for sentence in (*unread, *_apart(roots)):
        console().print(sentence, markup=False, soft_wrap=True)


def _called(branch: SceneBranch, with_run: bool = False) -> str:
    """Return the name of a scene for people; for a shipped one also the run that the file beside it is from."""
    if not branch.name.startswith("builtin:"):
        return branch.name.removesuffix(".twin.yaml") + (
            "" if branch.path is not None else " (not in this folder)"
        )
    run = f", {branch.outcome.path.name}" if with_run and branch.outcome is not None else ""
    return f"{branch.name.removeprefix('builtin:')} (shipped{run})"


def _apart(roots: list[SceneBranch]) -> list[str]:
    """Return a sentence on each branch whose run is not as long as that of the scene it extends."""
    from twin.analysis.run_mismatch import lengths_apart

    found = []
    for parent in (branch for root in roots for _, branch in root.all()):
        for child in parent.branches:
            if child.at_s is not None and parent.outcome is not None and child.outcome is not None:
                names = (_called(branch) for branch in (parent, child))
                found.append(lengths_apart(parent.outcome.t_s, child.outcome.t_s, *names))
    return [sentence for sentence in found if sentence]
