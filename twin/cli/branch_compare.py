"""`twin branch --compare`: a branch compared with its run, both to the same end, as they are or over seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.analysis.branch import Addition
    from twin.analysis.compare import Comparison
    from twin.analysis.what_if import WhatIf


def compared_futures(asked: WhatIf, branch: Mapping[str, Any], seeds: int | None) -> Comparison:
    """Return how a branch and its run come out at one end.

    Parameters
    ----------
    branch
        Summary of the branch, which has been run to its end.
    seeds
        Futures of each that are drawn, the past kept; None: the one of the run.
    """
    from twin.analysis.compare import sample_of
    from twin.analysis.seeds import sample
    from twin.analysis.what_if import answered, futures
    from twin.cli.progress import counted, progress

    own = asked.parent.seed
    if seeds is not None:
        with counted(f"{seeds} futures of two runs") as count:
            return futures(asked, range(own, own + seeds), count)
    parent = asked.over
    if parent is None:
        with progress("the run itself"):
            parent = sample(asked.parent, None, asked.until_s)
    return answered(asked, [parent], [sample_of(branch)], [own])


def answer_json(found: Comparison, additions: list[Addition], asked: WhatIf, run: str) -> dict[str, Any]:
    """Return the comparison as ``--json`` prints it."""
    from twin.analysis.significance import answer
    from twin.cli.compare_json import comparison_json

    return {
        "answer": answer(found, _question(additions, asked)),
        **comparison_json((run, "the branch"), found),
    }


def print_answer(found: Comparison, additions: list[Addition], asked: WhatIf, names: tuple[str, str]) -> None:
    """Print the comparison, and the answer in one line."""
    from twin.analysis.significance import answer
    from twin.cli.tables import console
    from twin.cli.text.compare import print_comparison

    print_comparison(names, found)
    console().print(f"\n{answer(found, _question(additions, asked))}", markup=False, soft_wrap=True)


def _question(additions: list[Addition], asked: WhatIf) -> str:
    from twin.analysis.branch_changes import instead_in_words
    from twin.plant.build import build

    scenario = asked.parent.scenario
    return instead_in_words(additions, scenario, build(scenario))
