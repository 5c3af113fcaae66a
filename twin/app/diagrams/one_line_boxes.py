"""Boxes and lines of one-line diagrams: items alone and in groups, sources beside them, loads below. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from twin.app.diagrams.diagram import LEAST_W, Box, Diagram, DiagramLine
from twin.app.diagrams.one_line_facts import PowerNow, losses, losses_note, shelves_w, state_of_many
from twin.app.diagrams.one_line_loads import DiagramLoad, load_box, loads_beside, taken_w
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.language import tr


@dataclass
class OneLine:
    """Collects boxes and lines of one diagram; items are drawn alone or in groups."""

    world: World
    now: PowerNow
    boxes: dict[str, Box] = field(default_factory=dict)
    lines: list[DiagramLine] = field(default_factory=list)

    def item(self, item: int, level: int, place: float, *, side: int = 0, chosen: bool = False) -> str:
        """Add one item; return its key."""
        now, key = self.now, self.now.items.ids[item]
        state = now.state_words(item)
        words = now.load_words(item)
        self.boxes.setdefault(
            key,
            Box(
                key,
                now.items.kind[item],
                key,
                text.quantity(float(now.out_w[item]), "W") if side else words,
                level,
                place,
                side,
                thing=key,
                tone=now.tone(item),
                state=state,
                load=now.share(item),
                charge=now.charge_share(item),
                facts=now.facts(item),
                chosen=chosen,
            ),
        )
        return key

    def group(self, items: Sequence[int], title: str, level: int, place: float, *, side: int = 0) -> str:
        """Add several items of a kind as one box; return its key."""
        now, chosen = self.now, np.asarray(items)
        key = f"group {now.items.ids[int(chosen[0])]} {len(chosen)}"
        tone, state = state_of_many(now, items)
        out_w = float(now.out_w[chosen].sum())
        loads = now.load[chosen]
        limited = bool(np.isfinite(now.items.capacity_w[chosen]).any())
        kind = now.items.kind[int(chosen[0])]
        facts = [
            (tr("Items"), f"{len(chosen):,}"),
            (tr("Deliver"), text.quantity(out_w, "W")),
            (tr("Losses"), text.quantity(float(now.loss_w[chosen].sum()), "W")),
        ]
        busiest = int(chosen[int(np.argmax(loads))])
        if limited:
            facts.append((tr("Busiest"), f"{now.items.ids[busiest]}, {float(loads.max()):.0f} %"))
        if state:
            facts.append((tr("State"), state.lower()))
        charge = now.charge[chosen] if now.items.energy_j[int(chosen[0])] > 0 else None
        words = now.load_words(int(chosen[0])) if len(chosen) == 1 else _busiest_words(now, chosen, limited)
        self.boxes[key] = Box(
            key,
            kind,
            title,
            text.quantity(out_w, "W") if side else words,
            level,
            place,
            side,
            thing=now.items.ids[busiest if limited else int(chosen[0])],
            tone=tone,
            state=state,
            load=float(loads.max()) / 100.0 if limited else np.nan,
            charge=float(charge.min()) / 100.0 if charge is not None else np.nan,
            facts=tuple(facts),
        )
        return key

    def rest(
        self, above: int, drawn: Sequence[int], level: int, side: int, but: DiagramLoad | None = None
    ) -> None:
        """Add all that hangs on an item beside what is drawn, as one small box: what flows then adds up.

        Parameters
        ----------
        drawn
            Items that have boxes of their own, or are left to another such box.
        but
            A load that has a box of its own.
        """
        now, items = self.now, self.now.items
        below = (items.parent == above) & items.present & (items.bus < 0)
        below[np.asarray(drawn, np.int64)] = False
        undrawn = np.flatnonzero(below)
        loads, loads_w = loads_beside(self.world, now.giving, above, but)
        self.remainder(above, undrawn.tolist(), loads, loads_w, level, side)

    def remainder(
        self, above: int, others: Sequence[int], loads: int, loads_w: float, level: int, side: int
    ) -> None:
        """Add items and loads of any kind as one small box below an item; nothing for none."""
        now, members = self.now, np.asarray(others, np.int64)
        if not len(members) + loads:
            return
        power_w = float(now.in_w[members].sum()) + loads_w
        tone, state = state_of_many(now, others, loads) if len(members) else ("live", "")
        facts = [(tr("Items"), f"{len(members):,}")] if len(members) else []
        if loads:
            facts.append((tr("Loads"), f"{loads:,}"))
        facts.append((tr("Draw"), text.quantity(power_w, "W")))
        if state:
            facts.append((tr("State"), state.lower()))
        key = f"rest of {now.items.ids[above]} {level} {side}"
        power = text.quantity(power_w, "W")
        self.boxes[key] = Box(
            key,
            "more",
            f"+{len(members) + loads:,}",
            power,
            level,
            0.0,
            side,
            thing=now.items.ids[now.worst(others)] if len(members) else "",
            tone=tone,
            state=state,
            facts=tuple(facts),
        )
        self._feed(now.items.ids[above], key, power_w, now.gives(above))

    def supply(self, above: str, below: str, items: Sequence[int], parents: Sequence[int]) -> None:
        """Join groups of the tree: power flows down into `items` while a parent of them gives any."""
        now = self.now
        power_w = float(now.in_w[np.asarray(items)].sum())
        live = any(now.gives(int(parent)) for parent in set(parents))
        self._feed(above, below, power_w if live else 0.0, live and any(now.fed(item) for item in items))

    def _feed(self, above: str, below: str, power_w: float, live: bool) -> None:
        flows = live and power_w > LEAST_W
        self.lines.append(
            DiagramLine(
                above,
                below,
                "" if self.boxes[below].side else text.quantity(power_w, "W") if flows else "0 W",
                "live" if flows else "calm" if live else "dead",
                flow=float(flows),
            )
        )

    def sources(self, bus: Sequence[int], above: str, level: int, side: int = 1) -> None:
        """Add what pushes into the output of some items: generators, gas, batteries, the sun."""
        items = self.now.items
        beside = [k for k in np.flatnonzero(np.isin(items.bus, np.asarray(bus))).tolist() if items.present[k]]
        stages: dict[int, list[int]] = {}
        for item in beside:
            stages.setdefault(int(items.stage[item]), []).append(item)
        for members in stages.values():
            if len(members) == 1:
                key = self.item(members[0], level, 0.0, side=side)
            else:
                stage = items.ids[members[0]].rpartition("/")[0]
                key = self.group(
                    members, f"{stage} \N{MULTIPLICATION SIGN}{len(members)}", level, 0.0, side=side
                )
            out_w = float(self.now.out_w[np.asarray(members)].sum())
            gives = abs(out_w) > LEAST_W and any(self.now.gives(item) for item in members)
            self.lines.append(
                DiagramLine(
                    above,
                    key,
                    "",
                    "live" if gives else "calm",
                    up=out_w >= 0,
                    flow=float(gives),
                )
            )

    def load(
        self, load: DiagramLoad, level: int, place: float, *, side: int = 0, chosen: bool = False
    ) -> str:
        """Add what hangs on the tree."""
        box = load_box(self.world, load, level, place, side=side, chosen=chosen)
        self.boxes[box.key] = box
        return box.key

    def hung_w(self, items: Sequence[int], load: DiagramLoad) -> float:
        """Return what a load takes by some of its feeding items [W]."""
        return taken_w(self.world, self.now.giving, load.kind, np.array(load.members, np.intp), items)

    def hang(self, above: str, below: str, items: Sequence[int], load: DiagramLoad) -> DiagramLine:
        """Join feeding items with a load; return the line, which says what goes by it."""
        power_w, live = self.hung_w(items, load), any(self.now.gives(item) for item in items)
        flows = live and power_w > LEAST_W
        line = DiagramLine(
            above,
            below,
            text.quantity(power_w, "W") if flows else "0 W",
            "live" if flows else "calm" if live else "dead",
            late=True,
            flow=float(flows),
        )
        self.lines.append(line)
        return line

    def say(self, line: DiagramLine, words: str, *, late: bool = True) -> None:
        """Write other words on the line drawn last, and say where it turns."""
        self.lines[-1] = replace(line, text=words, late=late)

    def stands_at(self, level: int, place: float) -> bool:
        """Return whether a box is in the way at a place."""
        boxes = self.boxes.values()
        return any(box.level == level and not box.side and abs(box.place - place) < 1.0 for box in boxes)

    def diagram(self, columns: int, caption: str) -> Diagram:
        """Return what was added."""
        values = self.world.frame.values if self.world.frame is not None else None
        taken_w = float(values["site.facility_w"][0]) if values is not None else 0.0
        note = losses_note(losses(self.now), taken_w, shelves_w(self.world))
        drawn = Diagram(tuple(self.boxes.values()), tuple(self.lines), columns, caption, note)
        return drawn if values is not None else drawn.bare()


def _busiest_words(now: PowerNow, chosen: np.ndarray, limited: bool) -> str:
    """Return how many items a group has, and the load of its busiest one."""
    count = f"\N{MULTIPLICATION SIGN}{len(chosen):,}"
    if not limited:
        return f"{count}, {text.quantity(float(now.out_w[chosen].sum()), 'W')}"
    return tr("{count}, max {max:.0f}\xa0%", count=count, max=float(now.load[chosen].max()))
