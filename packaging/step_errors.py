"""Writes assets/step_errors.json: what published runs show of each profile. Run it after a change of the step model.

    python packaging/step_errors.py [--data DIR]

DIR holds the tables that do not ship (vTrain); the default is ../shared/reference of a checkout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
NOTES = (
    "Errors of published runs that the fit of their profile has not seen, written by packaging/step_errors.py.",
    "mean_pct and bias_pct [%]; p90, largest: of |log(predicted / measured)|. Intervals of step times come from here.",
)


def main(words: Sequence[str]) -> None:
    """Write the file."""
    from twin.planning.table.residuals import coverage_pct, errors_by_group, residuals_of
    from twin.planning.table.validation_tables import STEP_NAMES, validate

    data = (
        Path(words[1])
        if words[:1] == ["--data"] and len(words) == 2
        else ROOT.parent / "shared" / "reference"
    )
    comparisons, _ = validate(STEP_NAMES, data if data.is_dir() else None)
    skipped = [comparison.name for comparison in comparisons if comparison.skipped]
    if skipped:
        raise SystemExit(f"{', '.join(skipped)} cannot be read; give --data DIR")
    residuals = residuals_of(comparisons)
    groups_text = ",\n".join(
        f"    {json.dumps(f'{profile} {kind}')}: {json.dumps(_shown(asdict(errors)))}"
        for (profile, kind), errors in errors_by_group(residuals).items()
    )
    notes = json.dumps(NOTES, indent=4)
    text = f'{{\n  "notes": {notes},\n  "groups": {{\n{groups_text}\n  }}\n}}\n'
    (ROOT / "assets" / "step_errors.json").write_text(text, encoding="utf-8")
    share, groups = coverage_pct(residuals)
    print(f"intervals cover {share:.1f} % of {len(residuals)} runs, each by runs of other models")
    for (profile, kind), (rows, inside) in groups.items():
        print(f"  {profile} {kind}: {inside:.0f} % of {rows}")


def _shown(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures with four digits; counts as they are."""
    return {
        name: value if isinstance(value, int) else float(f"{value:.4g}") for name, value in figures.items()
    }


if __name__ == "__main__":
    main(sys.argv[1:])
