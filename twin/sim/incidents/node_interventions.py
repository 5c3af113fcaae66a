"""What is done to nodes: they fail, work badly, hang, or are drained."""

from __future__ import annotations

from twin import units
from twin.plant.find import find
from twin.record.events import Severity
from twin.scenario.checks.interventions import value_of
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.sim.care.degraded import HANG
from twin.sim.core.failure_counts import INJECTED
from twin.sim.core.nodes import DOWN, FREE
from twin.sim.incidents.actuators import Actuators
from twin.sim.incidents.fault_handler import Handler, place_refusal


class NodeFailure(Handler):
    """Nodes fail; their repairs end that."""

    timed = alters = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why nothing can fail there."""
        return place_refusal(on, i)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let nodes fail, and stop their jobs."""
        cause = on.failures.known.get(i.cause or "")
        struck: dict[int, list[int]] = {}  # by job
        on.tally.struck[INJECTED if cause is None else cause.id] += 1
        what = (i.cause or "failure").replace("_", " ")
        repairs_s = {
            node: on.failures.drawn_repair_s(node, cause) if lasts_s is None else lasts_s
            for node in on.nodes_of(i.target)
        }
        on.say(
            "injected_failure",
            i.target,
            f"{what} (injected){_lasting(lasts_s)}",
            nodes=sum(int(on.nodes.condition[node]) != DOWN for node in repairs_s),
            cause=i.cause,
            effect="dead",
            lasts_s=max(repairs_s.values(), default=0.0),
        )
        for node, repair_s in repairs_s.items():
            if on.nodes.condition[node] == DOWN:  # in repair already: that lasts as long as the longer one
                on.repairs.prolong(node, repair_s)
                continue
            if lasts_s is None:
                on.repairs.failed(node, repair_s, "gpu" if cause is None else cause.repair)
            elif repair_s > 0:
                on.repairs.take_down(node, repair_s)
            for job in on.nodes.jobs_on(node):
                struck.setdefault(job, []).append(node)
        for job in sorted(struck):
            why = f"{i.target} failed (injected)"
            row, nodes = on.jobs.rows[job], struck[job]
            if on.recovery.interrupt(row, cause, why, on=i.target, struck=nodes, injected=True):
                on.tally.interrupted(cause)
        on.arm()


class Degrade(Handler):
    """A node or GPU works badly, as the entry of the kind says, until it is found, or for as long as told."""

    timed = alters = False

    def lasts_s(self, on: Actuators, i: Intervention, number: int) -> float | None:
        """Return the time until it passes or is found [s]."""
        return on.facility.repair_s(i, number)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let it begin."""
        kind, slot = find(on.plant, i.target) or ("node", -1)
        node = int(on.plant.gpus.node[slot]) if kind == "gpu" else slot
        gpu = int(on.plant.gpus.index[slot]) if kind == "gpu" else -1
        fault = KINDS[i.kind]
        assert fault.impairment is not None
        left = fault.left(value_of(i)) if fault.value else 1.0
        text = f"{fault.title} (injected)"
        on.say("injected_failure", i.target, text, Severity.NOTICE, nodes=0, effect=fault.effect, left=left)
        passes = bool(fault.impairment.ends)
        repair_s = 0.0 if passes else on.failures.drawn_repair_s(node, None)
        on.degraded.begin(node, fault.effect, left, lasts_s, repair_s=repair_s, gpu=gpu, passes=passes)


class Hang(Handler):
    """Jobs step no more, and nothing says why."""

    timed = alters = False

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let the job of that name hang, else those on the nodes."""
        rows = [row for row in on.jobs.active if row.id == i.target]
        if not rows:
            rows = [on.jobs.rows[job] for job in on.nodes.jobs_of(on.nodes_of(i.target))]
        # Nothing goes away: its jobs say what becomes of them.
        on.say(
            "injected_failure", i.target, "hang (injected)", nodes=0, effect=KINDS[i.kind].effect, lasts_s=0.0
        )
        on.degraded.hang(rows, -1, HANG, 0.0)


class NodeDrain(Handler):
    """Nodes get no more work."""

    alters = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why nothing can be drained there."""
        return place_refusal(on, i)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Take nodes out of use, and let their jobs leave when they are told to."""
        stay = {
            "checkpoint": "; its jobs leave after their next checkpoint",
            "end": "; its jobs run to their end",
        }
        text = f"drained{_lasting(lasts_s)}{stay.get(i.value or '', '')}"
        nodes = len(on.nodes_of(i.target))
        on.say("drained", i.target, text, nodes=nodes, lasts_s=lasts_s, jobs_leave=i.value)
        for row in [on.jobs.rows[job] for job in _cordon(on, i.target, True)]:
            if i.value == "checkpoint":
                on.recovery.vacate(row)
            elif i.value != "end" and on.recovery.interrupt(row, None, f"{i.target} drained", on=i.target):
                on.tally.planned["drain"] += 1

    def end(self, on: Actuators, i: Intervention) -> None:
        """Let them take work again."""
        undrain(on, i.target)


class Undrain(Handler):
    """Nodes take work again."""

    timed = alters = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why nothing can be undrained there."""
        return place_refusal(on, i)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Put nodes back into use."""
        undrain(on, i.target)


class Technician(Handler):
    """Somebody on site restarts, resets or mends what is broken at a thing, sooner than it would come back alone."""

    timed = alters = False

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let what hands can end be over once they have done it."""
        takes_s, at_work = on.hasten(i.target)
        if takes_s is None:
            text = "technician sent: nothing there that hands can end sooner"
        elif at_work:
            text = f"already being mended: about {units.spoken(takes_s)} left"
        else:
            text = f"technician sent: about {units.spoken(takes_s)} of work"
        on.say("technician_sent", i.target, text, takes_s=takes_s)


def undrain(on: Actuators, target: str) -> None:
    """Let nodes take work again."""
    on.say("undrained", target, "resumed: accepts jobs again")
    _cordon(on, target, False)
    on.recovery.node_usable()


def _cordon(on: Actuators, target: str, cordoned: bool) -> list[int]:
    """Give nodes no more work, or work again; return the jobs on those that took work until now."""
    left: set[int] = set()
    for node in on.nodes_of(target):
        was_free = on.nodes.condition[node] == FREE
        on.nodes.cordon(on.timers.now_s, node, cordoned)
        if cordoned and was_free:
            left.update(on.nodes.jobs_on(node))
    return sorted(left)  # nobody draws another power for that: a job that leaves says so itself


def _lasting(lasts_s: float | None) -> str:
    return "" if lasts_s is None else f" for {units.spoken(lasts_s)}"
