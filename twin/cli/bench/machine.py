"""How fast this machine is right now: a frozen load of the engine's kind, and one that draws.

Shared machines change by a factor of two within minutes, so a time says little by itself. `twin bench` runs the load
before and after each figure; the machine factor is what the load took over what it takes on the machine that the
goals are meant for. Never change a load: figures of two versions are compared by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from statistics import fmean
from time import process_time

import numpy as np

ENGINE_LOAD_S = 0.283
"""CPU time of `engine_load` at factor 1 [s]: there the 54 days of llama3-16k took 6.0 s, unrecorded, at fd494fa."""
DRAWING_LOAD_S = 0.15
"""Time of `drawing_load` at factor 1 [s], drawn by Mesa's llvmpipe on two cores."""
LEAST, MOST = 0.5, 2.0
"""Outside of these factors a figure says nothing."""
_ROUNDS = 4_800
_GROUPS = 192
_GPUS = 16_384
_ROWS = 8_192
_PICTURES = 5


class _Row:
    """A row with a few numbers, as the engine's tables have them."""

    __slots__ = ("count", "due_s", "name")

    def __init__(self, name: str, due_s: float) -> None:
        self.name, self.due_s, self.count = name, due_s, 0

    def move(self, step_s: float) -> float:
        """Make it due later."""
        self.due_s += step_s
        self.count += 1
        return self.due_s


def engine_load() -> float:
    """Run numpy on short arrays and plain Python in about the engine's proportions; return the CPU time [s]."""
    began_s = process_time()
    temp_c = np.linspace(30.0, 80.0, _GROUPS)
    load_w = np.linspace(200.0, 700.0, _GROUPS)
    decay = np.linspace(0.90, 0.99, 64).reshape(8, 8) / 8
    node = np.arange(_GROUPS) * 7 % _GROUPS
    gpu_c = np.zeros(_GPUS)
    rows = [_Row(f"gpu/{k}", float(k)) for k in range(_ROWS)]
    heap: list[tuple[float, int]] = [(row.due_s, k) for k, row in enumerate(rows)]
    held: dict[str, list[float]] = {}
    for number in range(_ROUNDS):
        for _ in range(3):
            rise = np.exp(-temp_c / 90.0) * load_w * 0.01
            temp_c = np.minimum(np.maximum(temp_c + rise - 0.12 * (temp_c - 30.0), 30.0), 95.0)
            hot = temp_c > 85.0
            load_w = np.where(hot, load_w * 0.99, load_w.take(node))
            decay = decay @ decay.T
            decay /= decay.sum()
            if float(temp_c.max()) > 94.0:
                temp_c = temp_c - 10.0
        if number % 8 == 0:
            gpu_c[:] = np.repeat(temp_c, -(-_GPUS // _GROUPS))[:_GPUS]
            gpu_c += 0.5
        for _ in range(40):
            due_s, k = heappop(heap)
            row = rows[k]
            heappush(heap, (row.move(1.0 + (k * 37 % 11) / 7.0), k))
            times_s = held.setdefault(row.name, [])
            times_s.append(max(due_s, row.due_s))
            if len(times_s) > 100:
                times_s.clear()
    return process_time() - began_s


def drawing_load() -> float:
    """Draw many boxes into a buffer that nobody sees; return the time it took [s]. Needs a display."""
    from twin.cli.bench.machine_drawing import pictures_s

    return pictures_s(_PICTURES)


@dataclass
class BenchMachine:
    """The factors of this machine while something is measured.

    Parameters
    ----------
    drawn
        Whether there is a display, and the software renderer that the goals of drawing are meant for.
    """

    drawn: bool

    def __post_init__(self) -> None:
        engine_load()  # what is made once, caches of the processor
        if self.drawn:
            drawing_load()
        self._engine = [engine_load() / ENGINE_LOAD_S]
        self._drawing = [drawing_load() / DRAWING_LOAD_S] if self.drawn else []

    def after(self) -> tuple[float, float | None]:
        """Run the loads again; return the factors for measurements since the last call: engine, drawing."""
        self._engine.append(engine_load() / ENGINE_LOAD_S)
        if not self.drawn:
            return fmean(self._engine[-2:]), None
        self._drawing.append(drawing_load() / DRAWING_LOAD_S)
        return fmean(self._engine[-2:]), fmean(self._drawing[-2:])
