"""The lemon rule: nodes that fail too often are taken out, for good or until another one stands in their place."""

from __future__ import annotations

from twin import units
from twin.scenario.schema.faults import LemonRule
from twin.sim.core.log import Log
from twin.sim.core.slot_fields import NamedNodes
from twin.sim.core.state import Fields, Items, Row, StateField, Stateful


class Lemons(Stateful):
    """Recent failures of every node, and which nodes are out.

    Attributes
    ----------
    out_now
        Nodes that are out.
    count, replacements
        Nodes taken out so far, and those that another one stands for now.
    """

    def __init__(self, rule: LemonRule | None, log: Log) -> None:
        self.rule, self.log = rule, log
        self.recent: dict[int, list[float]] = {}
        self.out_now: set[int] = set()
        self.count = self.replacements = 0

    @property
    def replace_s(self) -> float | None:
        """Return how long a replacement takes [s]; None: there is none."""
        return None if self.rule is None else self.rule.replace_s

    def is_one(self, node: int, t_s: float) -> bool:
        """Take note of a failure of `node` at `t_s`; return whether it is one too many."""
        if self.rule is None or node in self.out_now:
            return False
        recent = [at for at in self.recent.get(node, ()) if t_s - at <= self.rule.within_s]
        self.recent[node] = [*recent, t_s]
        return len(recent) + 1 >= self.rule.failures

    def out(self, node: int, t_s: float, name: str) -> None:
        """Count `node` as taken out at `t_s`."""
        failures = self.recent.pop(node)
        self.out_now.add(node)
        self.count += 1
        then = (
            "no replacement" if self.replace_s is None else f"replacement in {units.spoken(self.replace_s)}"
        )
        span = units.spoken(t_s - failures[0])
        text = f"removed as a lemon node ({len(failures)} failures in {span}); {then}"
        within_s, in_s, count = t_s - failures[0], self.replace_s, len(failures)
        self.log.add(t_s, "lemon_out", name, text, failures=count, within_s=within_s, replaced_in_s=in_s)

    def replaced(self, node: int) -> None:
        """Count `node` as replaced by another one."""
        self.out_now.discard(node)
        self.replacements += 1

    def figures(self) -> dict[str, int]:
        """Return the figures of the summary."""
        return {"out": self.count, "replaced": self.replacements}

    STATE = Fields(
        Items("recent", list, of_nodes=True),
        NamedNodes("out_now", sort=True, key="out"),
        Row("counts", StateField("count"), StateField("replacements")),
    )
