"""What a trace of jobs asks of a site: GPU-hours, the largest job, the peak, and so many GPUs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate

from twin.scenario.formats.trace_rows import TraceTable
from twin.scenario.generators.job_traces import gpus_of
from twin.scenario.schema.streams import TraceMap

HOUR_S = 3600.0


@dataclass(frozen=True)
class TraceAsked:
    """What the jobs of a trace ask for.

    Attributes
    ----------
    jobs, gpu_h, span_s
        How many, their GPU-hours, and from the first submission to the end of the last, were none to wait [s].
    largest, peak
        GPUs of the largest job, and the most at a time, were none to wait.
    utilisation
        Share of the GPU time that they may ask for [-].
    """

    jobs: int
    gpu_h: float
    span_s: float
    largest: int
    peak: int
    utilisation: float

    @property
    def gpus(self) -> int:
        """Return the GPUs that take them: for their mean at that share and for the largest, no more than the peak."""
        mean = self.gpu_h * HOUR_S / self.span_s
        return max(self.largest, min(self.peak, math.ceil(mean / self.utilisation)))


def trace_asked(table: TraceTable, rules: TraceMap, utilisation: float) -> TraceAsked:
    """Return what the jobs of a trace ask for, each from its submission on."""
    spans = [
        (row.submit_s * rules.gaps, row.submit_s * rules.gaps + row.run_s * rules.time, gpus_of(row, rules))
        for row in table.rows
    ]
    changes = sorted(
        (at_s, change) for begin, end, gpus in spans for at_s, change in ((begin, gpus), (end, -gpus))
    )
    return TraceAsked(
        len(spans),
        sum((end - begin) * gpus for begin, end, gpus in spans) / HOUR_S,
        max(1.0, max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans)),
        max(gpus for _, _, gpus in spans),
        max(accumulate(change for _, change in changes)),
        utilisation,
    )
