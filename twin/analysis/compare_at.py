"""Comparison of two recorded runs up to a time, as known at that time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from twin.analysis.compare import Comparison, Sample, compare
from twin.analysis.figures import FIGURES, HOUR_S, WORK, nested
from twin.language import tr
from twin.planning.profile.standing import standing_in
from twin.record.reader import Reader
from twin.units import spoken

_OF_LEDGER: Mapping[str, str] = {WORK: "productive", "lost_gpu_h": "lost_work"}
"""Figures that the ledger knows at any time, and the account of each."""


def compare_at(a: Reader, b: Reader, t_s: float) -> Comparison:
    """Return the comparison of two runs up to `t_s` [s]; what happens at that time itself does not count.

    The ledger is that of `t_s`. All other figures are recorded at samples: they are those of the last sample before
    `t_s` that both runs have, and a remark says of when that is. What depends on the past alone is the same in two runs
    of one past, to the last bit.

    Raises
    ------
    RunFileError
        When a file is damaged.
    """
    times_a, times_b = (run.figures()[0] for run in (a, b))
    common = np.intersect1d(times_a[times_a < t_s], times_b)
    figures_s = float(common[-1]) if len(common) else None
    samples = [_sample(run, t_s, figures_s) for run in (a, b)]
    seeds = tuple(dict.fromkeys((a.header.seed, b.header.seed)))
    found = compare(samples[:1], samples[1:], seeds)
    if figures_s is None:
        words = [tr("Only ledger figures are known: an older program recorded one of the runs.")]
    else:
        age = tr(", {time} earlier", time=spoken(t_s - figures_s)) if t_s - figures_s >= 1.0 else ""
        words = [
            tr(
                "GPU time is up to {time}, all other figures of the sample at {figures_time}{age}.",
                time=spoken(t_s),
                figures_time=spoken(figures_s),
                age=age,
            )
        ]
    return replace(found, remarks=(*found.remarks, *words), at_s=t_s, figures_s=figures_s)


def _sample(run: Reader, t_s: float, figures_s: float | None) -> Sample:
    """Return the results of a run up to `t_s` [s], with the figures of its sample at `figures_s` [s]."""
    ledger = dict(run.ledger_range(0.0, t_s, inclusive=False).gpu_s)
    summary = {} if figures_s is None else summary_so_far(run, figures_s)
    figures = {figure.key: figure.of(summary) for figure in FIGURES}
    figures |= {key: ledger.get(account, 0.0) / HOUR_S for key, account in _OF_LEDGER.items()}
    gpus = summary.get("gpus")
    standing = standing_in(run.summary or {})
    return Sample(figures, ledger, t_s, None if gpus is None else float(gpus), standing)


def summary_so_far(run: Reader, t_s: float) -> dict[str, Any]:
    """Return the summary of a run at its last sample up to `t_s` [s], as far as samples hold it."""
    times, figures = run.figures()
    place = int(np.searchsorted(times, t_s, "right")) - 1
    summary: dict[str, Any] = {}
    if place < 0:
        return summary
    t_s = float(times[place])
    summary = nested({name: float(values[place]) for name, values in figures.items()})
    summary["ledger_gpu_s"] = dict(run.ledger_range(0.0, t_s, inclusive=False).gpu_s)
    return summary
