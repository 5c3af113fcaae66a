"""What the engine does about a kind of fault or intervention: the form of every handler."""

from __future__ import annotations

from collections.abc import Mapping

from twin.plant.find import find
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import TargetKind
from twin.scenario.schema.faults import Intervention
from twin.sim.care.shutdowns import LEAK
from twin.sim.incidents.actuators import Actuators
from twin.sim.incidents.facility_faults import Act


class Handler:
    """Does one kind of fault or intervention; it keeps no state of its own, so one serves all runs.

    Attributes
    ----------
    timed
        Whether `end` is called once it has lasted for `lasts_s`.
    alters
        Whether power and heat of machines have to be recomputed.
    """

    timed = True
    alters = True

    def of(self, on: Actuators, i: Intervention) -> Handler:
        """Return who does it to this very target."""
        return self

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why it cannot be done to the hall as it stands, None when it can."""
        return on.facility.refusal(i)

    def lasts_s(self, on: Actuators, i: Intervention, number: int) -> float | None:
        """Return how long it lasts [s], as told or drawn; None: until somebody ends it.

        Parameters
        ----------
        number
            Of what was asked for, which a draw belongs to; below 0: of what came by itself.
        """
        return i.duration_s

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let it begin."""
        raise NotImplementedError

    def end(self, on: Actuators, i: Intervention) -> None:
        """Let it be over."""


class ByTarget(Handler):
    """A kind that different parts of the run do, by what its target is."""

    def __init__(self, ways: Mapping[TargetKind, Handler], other: Handler) -> None:
        self._ways = {str(target): handler for target, handler in ways.items()}
        self._other = other

    def of(self, on: Actuators, i: Intervention) -> Handler:
        """Return who does it to this very target."""
        return self._ways.get(on.target_kind(i.target), self._other)


class MachineFault(Handler):
    """A fault of machines of the facility: what is in force is worked out from all faults that act on them.

    Parameters
    ----------
    act
        Brings a machine to where the faults in force have it; returns how things stand then.
    """

    def __init__(self, act: Act) -> None:
        self._act = act

    def lasts_s(self, on: Actuators, i: Intervention, number: int) -> float | None:
        """Return how long its repair lasts [s]."""
        return on.facility.repair_s(i, number)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let it begin."""
        on.facility.begin(i, lasts_s, self._act)

    def end(self, on: Actuators, i: Intervention) -> None:
        """Let it be over."""
        on.facility.end(i, self._act)


class LeakFault(MachineFault):
    """A leak: the nodes of a rack whose valves it shuts go off."""

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let it begin."""
        super().begin(on, i, lasts_s)
        leaking = on.facility.leaking(i)
        if leaking:
            on.shutdowns.shut_down(leaking, "leak in its rack: shut down", LEAK, "shut down by a leak")


class FabricFault(Handler):
    """A switch or link that fails or flaps, and stops whom it cuts off."""

    def __init__(self, drawn: bool) -> None:
        self._drawn = drawn

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why it cannot be there."""
        return on.outages.refusal(i) or (place_refusal(on, i) if "~" not in i.target else None)

    def lasts_s(self, on: Actuators, i: Intervention, number: int) -> float | None:
        """Return how long it is away [s]; who flaps does so for ever unless told."""
        return on.outages.repair_s(i, number) if self._drawn else i.duration_s

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Let it begin."""
        for row in on.outages.begin(i, lasts_s):
            if on.outages.stop(row, i):
                on.tally.interrupted(on.failures.known.get(i.cause or ""))

    def end(self, on: Actuators, i: Intervention) -> None:
        """Let it be over."""
        on.outages.end(i)


def place_refusal(on: Actuators, i: Intervention) -> str | None:
    """Return why nothing of the kind can be done to a place or switch, None when it can."""
    found = find(on.plant, i.target)
    wanted = [kind for kind in KINDS[i.kind].targets if kind != "link"]
    if found is None:
        near = nearest(i.target, on.plant.slots)
        hint = f"; did you mean {near!r}?" if near else ""
        return f"no component is called {i.target!r} in this scene{hint}"
    if found[0] not in wanted:
        return f"{i.kind} needs a {' or '.join(wanted)} as target; {i.target!r} is a {found[0]}"
    known = on.failures.known
    if i.cause is not None and i.cause not in known:
        return f"no cause of failure is called {i.cause!r}; known: {', '.join(sorted(known)) or 'none'}"
    return None
