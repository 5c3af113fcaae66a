"""A small real engine that follows `twin.runtime.protocol.RunEngine`: nodes fail and are repaired by a clock.

Deterministic by (seed, node, count); its state is a few arrays and a heap of timers: it snapshots as JSON.
"""

from __future__ import annotations

import heapq
import json
import math
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "record"))
from small_run import SUMMARY

from twin.physics.gpu_picture import FIELDS, GpuTraits, GroupFigures
from twin.plant.tables import Plant
from twin.record.accounts import ACCOUNTS
from twin.record.bookings import Bookings
from twin.record.channels import State
from twin.record.detail import Detail
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.hash import EventHash
from twin.record.redraw import Redraw
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Intervention

NAME = "toy_engine:ToyEngine"
BROKEN = "toy_engine:nothing"
_INTERVENTION, _REPAIR, _FAILURE, _BEAT = range(4)
BEAT_S = 10.0
REPAIR_S = 300.0


def scenario(duration: str = "2 h", racks: int = 4, rate: str = "0.5 /h", **more: object) -> Scenario:
    nodes = [{"part": "DGX-H100", "count": 2}]
    document: dict[str, object] = {
        "format": "twin/scenario",
        "version": 3,
        "catalog": "2026.11",
        "title": "Toy hall",
        "duration": duration,
        "halls": [{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": racks, "nodes": nodes}}]}],
        "failures": {"causes": [{"id": "gpu_fault", "rate": rate, "repair": "gpu"}]},
    }
    return Scenario.model_validate(document | more)


class ToyEngine:
    redraws: tuple[Redraw, ...] = ()
    hall: object = None

    def __init__(self, scenario: Scenario, seed: int | None = None) -> None:
        self.scenario = scenario
        self.seed = scenario.seed if seed is None else seed
        row = scenario.halls[0].rows[0]
        racks, each = row.racks.count, row.racks.nodes[0].count
        self.plant = hand_built(racks, each)
        self._nodes = racks * each
        counts = {
            "gpu": self._nodes * 8,
            "node": self._nodes,
            "rack": racks,
            "loop": 2,
            "hall": 1,
            "plant": 1,
        }
        self.layout = FrameLayout(counts | {"job": 0, "site": 1})  # type: ignore[arg-type]
        self.now_s, self.end_s = 0.0, scenario.duration_s
        self._rate = scenario.failures.causes[0].per_node_s
        self._down = np.zeros(self._nodes, bool)
        self._failed = np.zeros(self._nodes, int)
        self._cap_w = 700.0
        self._lost_ms = 0
        self._timers: list[tuple[float, int, int, int]] = []  # due, priority = kind, sequence, subject
        self._given: list[Intervention] = []
        self._sequence = 0
        self._log: list[Event] = []
        self._first_row = 0
        self._hash = EventHash()
        for node in range(self._nodes):
            self._arm(node)
        self._post(BEAT_S, _BEAT, 0)

    @classmethod
    def restore(cls, scenario: Scenario, snapshot: bytes, hall: object = None) -> ToyEngine:
        state = json.loads(snapshot)
        engine = cls(scenario, state["seed"])
        engine.now_s, engine._sequence, engine._cap_w = state["now"], state["sequence"], state["cap"]
        engine._down, engine._failed = np.array(state["down"], bool), np.array(state["failed"])
        engine._lost_ms = state["lost"]
        engine._timers = [tuple(timer) for timer in state["timers"]]
        engine._given = [Intervention.model_construct(**given) for given in state["given"]]
        engine._hash = EventHash(bytes.fromhex(state["hash"]), state["rows"])
        engine._first_row = state["rows"]
        return engine

    def advance(
        self, until_s: float, wall_budget_s: float | None = None, alert: Severity | None = None
    ) -> float:
        assert until_s >= self.now_s
        until_s = min(until_s, self.end_s)
        deadline = math.inf if wall_budget_s is None else monotonic() + wall_budget_s
        while self._timers and self._timers[0][0] <= until_s:
            rows = len(self._log)
            self._next()
            told = alert is not None and any(e.severity >= alert for e in self._log[rows:])
            if told or monotonic() >= deadline:
                return self.now_s
        self._pass(until_s)
        return self.now_s

    def step_event(self) -> float:
        if self._timers and self._timers[0][0] <= self.end_s:
            self._next()
        else:
            self._pass(self.end_s)
        return self.now_s

    def intervene(self, intervention: Intervention) -> str | None:
        known = intervention.target in self.plant.nodes.ids or intervention.target in ("all", "toy")
        if not known:
            return f"there is no {intervention.target} here"
        self._given.append(intervention)
        self._post(max(self.now_s, intervention.at_s), _INTERVENTION, len(self._given) - 1)
        return None

    def boundary_s(self, at_s: float) -> float:
        return at_s if at_s > self.now_s else math.ceil(self.now_s * 1e3 + 1e-3) / 1e3

    def fill(self, frame: Frame) -> None:
        frame.t_s, frame.events = self.now_s, self._hash.count
        values = frame.values
        node_w = np.where(self._down, 0.0, 8 * self._cap_w)
        if frame.detail:
            values["gpu.power_w"][:] = np.repeat(node_w / 8, 8)
            values["gpu.state"][:] = np.repeat(np.where(self._down, State.FAILED, State.RUNNING), 8)
            for name in (
                "temp_c",
                "hbm_c",
                "clock_mhz",
            ):  # one number everywhere: a tear shows two
                values[f"gpu.{name}"][:] = self.now_s
        values["rack.power_w"][:] = node_w.reshape(self.layout.counts["rack"], -1).sum(1)
        values["loop.supply_c"][:] = (20.0 + math.sin(self.now_s / 600.0), 30.0)
        values["site.it_w"][:] = node_w.sum()
        values["site.nodes_down"][:] = self._down.sum()

    @property
    def dies(self) -> GpuTraits:
        gpus = 8 * self._nodes
        node, index = np.divmod(np.arange(gpus), 8)
        return GpuTraits(node, index, np.ones(gpus), np.ones(gpus, bool), (), ())

    def detail(self) -> Detail:
        """Nodes that work are group 0, those that are down group 1."""
        figures = {name: np.zeros(2) for name in FIELDS}
        for name in ("die_c", "hbm_c"):
            figures[name][:] = self.now_s
        figures["power_w"][0] = self._cap_w
        down = self._down.astype(np.int64)
        state = np.where(self._down, State.FAILED, State.RUNNING)
        nobody = np.full(8 * self._nodes, -1)
        seats = np.full(self._nodes, -1)
        return Detail(GroupFigures(**figures), np.repeat(down, 8), nobody, state, np.zeros_like(down), seats)

    def events(self, since_row: int) -> Sequence[Event]:
        return self._log[max(0, since_row - self._first_row) :]

    def event_hash(self) -> str:
        return self._hash.hexdigest()

    def snapshot(self) -> bytes:
        state = {
            "seed": self.seed,
            "now": self.now_s,
            "sequence": self._sequence,
            "cap": self._cap_w,
            "down": self._down.tolist(),
            "failed": self._failed.tolist(),
            "lost": self._lost_ms,
            "timers": self._timers,
            "given": [given.model_dump() for given in self._given],
            "hash": self._hash.hexdigest(),
            "rows": self._hash.count,
        }
        return json.dumps(state).encode()

    def ledger_gpu_s(self) -> dict[str, float]:
        gpu_s = self.now_s * self._nodes * 8
        return dict.fromkeys(ACCOUNTS, 0.0) | {
            "productive": gpu_s - self._lost_ms * 8e-3,
            "idle_in_repair": self._lost_ms * 8e-3,
        }

    def figures(self, frame: Frame, ledger: Mapping[str, float]) -> dict[str, float]:
        return {"simulated_s": self.now_s}

    def record_bookings(self, bookings: Bookings) -> None:
        self._bookings = bookings

    def lasting(self) -> list[tuple[int, float, NDArray[np.float64]]]:
        return []

    def summary(self) -> dict[str, Any]:
        return {
            **SUMMARY,
            "seed": self.seed,
            "events": self._hash.count,
            "event_hash": self.event_hash(),
            "ledger_gpu_s": self.ledger_gpu_s(),
        }

    def _next(self) -> None:
        due_s, kind, _, subject = heapq.heappop(self._timers)
        self._pass(due_s)
        if kind == _BEAT:
            self._say("beat", "toy", Severity.INFO, "The toy beats.", {"down": int(self._down.sum())})
            self._post(due_s + BEAT_S, _BEAT, 0)
        elif kind == _FAILURE:
            self._fail(subject)
        elif kind == _REPAIR:
            self._down[subject] = False
            self._say("repaired", self.plant.nodes.ids[subject], Severity.NOTICE, "A node is back.", {})
            self._arm(subject)
        else:
            self._do(self._given[subject])

    def _do(self, given: Intervention) -> None:
        if given.kind == "set" and given.target == "toy":
            raise ArithmeticError("the toy was told to break")
        if given.kind == "power_cap":
            self._cap_w = float((given.value or "700 W").split()[0])
            self._say(
                "power_cap", given.target, Severity.NOTICE, "Power is capped.", {"cap_w": int(self._cap_w)}
            )
        else:
            self._fail(self.plant.nodes.ids.index(given.target))

    def _fail(self, node: int) -> None:
        if self._down[node]:
            return
        self._down[node] = True
        self._failed[node] += 1
        data = {"node": node, "count": int(self._failed[node])}
        self._say("failure", self.plant.nodes.ids[node], Severity.ALARM, "A node failed.", data)
        self._post(self.now_s + REPAIR_S, _REPAIR, node)

    def _arm(self, node: int) -> None:
        words = blake2b(struct.pack("<qqq", self.seed, node, self._failed[node]), digest_size=8).digest()
        uniform = (int.from_bytes(words, "little") + 0.5) / 2.0**64
        self._post(self.now_s - math.log(uniform) / self._rate, _FAILURE, node)

    def _post(self, due_s: float, kind: int, subject: int) -> None:
        self._sequence += 1
        heapq.heappush(self._timers, (due_s, kind, self._sequence, subject))

    def _pass(self, until_s: float) -> None:
        # in whole milliseconds, so that where a run is cut cannot change the sum
        passed_ms = round(until_s * 1000) - round(self.now_s * 1000)
        self._lost_ms += passed_ms * int(self._down.sum())
        self.now_s = until_s

    def _say(self, kind: str, subject: str, severity: Severity, text: str, data: dict[str, int]) -> None:
        event = Event(self._hash.count, self.now_s, kind, subject, severity, text, data)
        self._hash.update(event)
        self._log.append(event)


def hand_built(racks: int, each: int) -> Plant:
    """A plant with the ids the recorder asks for, and nothing else."""
    plant = Plant(**{f.name: _empty(get_type_hints(Plant)[f.name]) for f in fields(Plant)})
    plant.racks.ids = [f"gpu/0/{r}" for r in range(racks)]
    plant.nodes.ids = [f"gpu/0/{r}/{n}" for r in range(racks) for n in range(each)]
    plant.loops.ids, plant.halls.ids, plant.plants.ids = ["cdu/0", "cdu/1"], ["hall"], ["plant"]
    return plant


def _empty(kind: Any) -> Any:
    if kind is int:
        return 0
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**{f.name: _empty(get_type_hints(kind)[f.name]) for f in fields(kind)})
    return [] if getattr(kind, "__origin__", None) is list else np.zeros(0)
