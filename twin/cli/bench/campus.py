"""How the engine copes with the largest shipped scenes: a hundred thousand GPUs on one fabric, a million on ten.

``python -m twin.cli.bench.campus first SCENE`` (``check SCENE``, ``day SCENE``, ``month SCENE RUN``) does one thing
in a process of its own and prints CPU time and memory.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from time import process_time

from twin.cli.bench.facility import measured_apart, peak_mb
from twin.cli.bench.simulation import seek_p99_ms
from twin.runtime.inline import run
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario import load

SCENE = "builtin:campus-100k"
MILLION = "builtin:campus-1m"
DAY_S = 86400.0
_MODULE = "twin.cli.bench.campus"


def measure() -> dict[str, float | None]:
    """Return the figures by key: to the first moment, of the check, of a month recorded, of seeks; None: it failed."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        first_cpu_s, first_mb = measured_apart(_MODULE, "first", SCENE)
        check_cpu_s, check_mb = measured_apart(_MODULE, "check", SCENE)
        path = Path(folder) / "campus.twinrun"
        month_cpu_s, month_mb = measured_apart(_MODULE, "month", SCENE, str(path))
        p99_ms = None if month_cpu_s is None else seek_p99_ms(path)
    return {
        "campus_first_moment_cpu_s": first_cpu_s,
        "campus_first_moment_mb": first_mb,
        "campus_check_cpu_s": check_cpu_s,
        "campus_check_mb": check_mb,
        "campus_month_cpu_s": month_cpu_s,
        "campus_month_mb": month_mb,
        "campus_seek_p99_ms": p99_ms,
    }


def measure_million() -> dict[str, float | None]:
    """Return the figures of a million GPUs by key: to the first moment, of the check, of a day; None: it failed."""
    figures: dict[str, float | None] = {}
    for what, key in (("first", "first_moment"), ("check", "check"), ("day", "day")):
        figures[f"million_{key}_cpu_s"], figures[f"million_{key}_mb"] = measured_apart(_MODULE, what, MILLION)
    return figures


def main(what: str, scene: str, *path: str) -> None:
    """Print CPU time [s] and peak memory [MB] of one of them; reading the scene and loading the program count."""
    document = load(scene)
    if what == "first":
        engine_type(ENGINE)(document.scenario).advance(1.0)
    elif what == "check":
        from twin.cli.check import report_of

        report_of(document)
    elif what == "day":
        engine_type(ENGINE)(document.scenario).advance(DAY_S)
    else:
        run(document.scenario, record=path[0])
    print(json.dumps([process_time(), peak_mb()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
