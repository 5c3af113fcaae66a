"""Traces of the Gavel scheduler: steps of training jobs by kind, separated by tabs.

Seven cells: kind, command, its option for steps, whether it needs data, steps, arrival [s], GPUs; later ones have nine
or ten, with weight and deadline. A job takes its steps at the rate of its kind, or at the scene's `map.throughput`.

Rates are those of one V100 in the measurements published with Narayanan et al., "Heterogeneity-Aware Cluster Scheduling
Policies for Deep Learning Workloads", OSDI 2020, rounded; those marked [est] follow from the mean steps of such jobs in
the traces. More GPUs take more steps, about as the square root of their number (measured: 1.7 on 2, 2.0 on 4).
"""

from __future__ import annotations

import math

from twin.scenario.formats.trace_reader import TraceReader, lines_of, short
from twin.scenario.formats.trace_rows import TraceRow

STEPS_S = {
    "A3C": 8.0,  # [est]
    "CycleGAN": 6.0,  # [est]
    "LM (batch size 5)": 96.0,
    "LM (batch size 10)": 85.0,
    "LM (batch size 20)": 68.0,
    "LM (batch size 40)": 45.0,  # [est]
    "LM (batch size 80)": 30.0,  # [est]
    "Recommendation (batch size 512)": 0.28,  # [est]: these steps are whole passes
    "Recommendation (batch size 1024)": 0.30,  # [est]
    "Recommendation (batch size 2048)": 0.35,  # [est]
    "Recommendation (batch size 4096)": 0.40,  # [est]
    "Recommendation (batch size 8192)": 0.60,  # [est]
    "ResNet-18 (batch size 16)": 60.0,
    "ResNet-18 (batch size 32)": 56.0,
    "ResNet-18 (batch size 64)": 43.0,
    "ResNet-18 (batch size 128)": 21.0,  # [est]
    "ResNet-18 (batch size 256)": 10.0,  # [est]
    "ResNet-50 (batch size 16)": 5.1,
    "ResNet-50 (batch size 32)": 5.0,  # [est]
    "ResNet-50 (batch size 64)": 3.5,  # [est]
    "ResNet-50 (batch size 128)": 1.6,  # [est]
    "Transformer (batch size 16)": 10.3,
    "Transformer (batch size 32)": 10.1,
    "Transformer (batch size 64)": 8.6,
    "Transformer (batch size 128)": 4.1,  # [est]
    "Transformer (batch size 256)": 1.6,  # [est]
}
"""Steps of one V100 by kind of job [1/s]."""
_PLACES = {7: (4, 5, 6), 9: (4, 8, 5), 10: (5, 9, 6)}
"""Cells of steps, arrival and GPUs, by how many cells a line has."""


def looks_like(line: str) -> bool:
    """Return whether the first line that says anything may be of this format."""
    cells = line.split("\t")
    places = _PLACES.get(len(cells))
    if places is None:
        return False
    try:
        [float(cells[place]) for place in places]
    except ValueError:
        return False
    return True


def read(text: str, reader: TraceReader, throughput: float | None) -> None:
    """Read the jobs of a text; `throughput` of all jobs [steps/s], None: by kind. `reader` collects the problems."""
    for line, row in lines_of(text):
        if not row.strip():
            continue
        cells = row.split("\t")
        places = _PLACES.get(len(cells))
        if places is None:
            reason = f"has {len(cells)} cells; a job has 7 (9 and 10 with weights), separated by tabs"
            reader.wrong(line, "", "", reason)
            continue
        keys = ("total_steps", "arrival_time", "scale_factor")
        steps, arrival_s, gpus = (
            reader.number(line, key, cells[place]) for key, place in zip(keys, places, strict=True)
        )
        kind = cells[0].strip()
        if throughput is None and kind not in STEPS_S:
            reader.wrong(
                line,
                "job_type",
                kind,
                "is a job type with no known throughput",
                "set map.throughput [steps/s]",
            )
        elif arrival_s is None or arrival_s < 0:
            reader.leave_out("without a time of submission")
        elif not gpus or gpus < 0:
            reader.leave_out("without GPUs")
        elif not steps or steps < 0:
            reader.leave_out("without a running time")
        else:
            rate = throughput if throughput is not None else STEPS_S[kind] * math.sqrt(gpus)
            name = str(len(reader.rows) + reader.left_out.total())
            reader.add(TraceRow(0, name, short(kind), arrival_s, steps / rate, gpus, 0.0, None), line)
