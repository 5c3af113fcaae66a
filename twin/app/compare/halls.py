"""The halls of two runs at one time, and in the right one, when wanted, how B differs from A."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from twin.app.compare.hall_pair import MOST_MARKS, marks
from twin.app.compare.run import ComparedRun
from twin.app.hall.twin_view import LAYERS, LinkedHalls
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import elapsed, significant
from twin.arrays import Ints64
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID
from twin.record.runfile import NoDetail, RunFileError
from twin.view3d.base.edit_shapes import Ghost, Tone
from twin.view3d.base.ownership import OwnerNames
from twin.view3d.colour.difference import Apart, Side, apart, matched, unit_of
from twin.view3d.colour.legend import legend_for
from twin.view3d.colour.machine_difference import Matched, machines_apart, standing_alone
from twin.view3d.view.hall_view import REST_S

_ONLY: Tone = "warn"
_BETTER: Tone = "good"
_WORSE: Tone = "bad"
_NOTICED_S = 10.0
"""A picture that is older than the time it stands for by so much says so."""
CABLES = frozenset({"cables"})
_NO_PICTURE = (
    "{} was recorded by an older version without values of single GPUs: its hall shows none. "
    "Figures and ledger are compared."
)


@dataclass(frozen=True)
class Only:
    """What stands in one of the halls alone: racks, GPUs there and in other racks, and machines."""

    racks: tuple[str, ...]
    gpus: int
    machines: tuple[str, ...] = ()


class ComparedHalls(LinkedHalls):
    """Two halls that show one time of their runs.

    Attributes
    ----------
    apart
        What the difference comes to at the time on screen; None: not asked for, or one of them cannot be shown.
    colour_by
        Channel that both show.
    reach
        Value at the ends of the ramp of differences; None: the usual one of the channel.
    difference
        Whether the right hall shows the difference.
    trouble
        Why a hall cannot be shown, in one sentence; "": both are.
    """

    def __init__(self, look: Look, runs: tuple[ComparedRun, ComparedRun], parent: QWidget) -> None:
        self._runs = runs
        super().__init__(look, _titles(runs), parent)
        self.colour_by = "gpu.temp_c"
        self.reach: float | None = None
        self.difference = False
        self.apart: Apart | None = None
        self.trouble = ""
        self._sides: list[Side | None] = [None, None]
        self._groups: list[OwnerNames | None] = [None, None]
        self._plants: tuple[Plant, Plant] | None = None
        self._places: Ints64 | None = None
        self._machines: Matched | None = None
        self.only = (Only((), 0), Only((), 0))
        self._t_s, self._looked_wall_s = 0.0, -math.inf
        for view, run in zip(self.views, runs, strict=True):
            view.set_plant(run.plant())
        self.link()

    @property
    def sides(self) -> list[Side | None]:
        """What each hall shows; None: nothing."""
        return self._sides

    def look_at(self, t_s: float, wall_s: float, *, playing: bool = False) -> None:
        """Show both runs at a time, to which `playing` or somebody's hand led; one that is over shows its end."""
        self._t_s = t_s
        self.trouble = ""
        if not playing and wall_s - self._looked_wall_s < REST_S:
            # Somebody drags: ornaments are left out as while the camera moves.
            for view in self.views:
                view.look(view.pose)
        self._looked_wall_s = wall_s
        for place in range(2):
            self._sides[place] = self._side(place, t_s, wall_s)
        together_s = self._together_s()
        for place, (run, pane) in enumerate(zip(self._runs, self.panes, strict=True)):
            side = self._sides[place]
            if side is not None and side.frame.t_s > together_s:
                before = self._side(place, together_s, wall_s)
                if before is None or together_s - before.frame.t_s < side.frame.t_s - together_s:
                    side = self._sides[place] = before  # else it is nearer as it is
            over = tr(", over since {end}", end=elapsed(run.end_s)) if t_s > run.end_s + 1.0 else ""
            shown_s = min(t_s, run.end_s)
            old = side is not None and shown_s - side.frame.t_s > _NOTICED_S
            of = tr(", as of {time}", time=run.clock.says(side.frame.t_s)) if side is not None and old else ""
            pane.said.setText(
                f"{run.clock.says(shown_s)}{of}{over}" if side is not None else tr("no picture")
            )
        self.show_again()

    def _side(self, place: int, t_s: float, wall_s: float) -> Side | None:
        """Return a hall at a time; None where it cannot be shown, as `trouble` says."""
        try:
            return self._runs[place].at(t_s, wall_s)
        except NoDetail:
            self.trouble = _NO_PICTURE.format("AB"[place])
        except RunFileError as error:
            self.trouble = tr("{value} cannot be shown: {error}", value="AB"[place], error=error)
        return None

    def _together_s(self) -> float:
        """Return up to when both are shown [s]: pictures of unlike age would differ where the runs do not."""
        taken_s = [
            side.frame.t_s
            for run, side in zip(self._runs, self._sides, strict=True)
            if side is not None and self._t_s <= run.end_s
        ]
        return min(taken_s) if len(taken_s) == 2 else math.inf

    def show_again(self) -> None:
        """Show the same time, with what is wanted now."""
        first, second = self._sides
        self._follow(first, second)
        self.apart = None
        places, found = self._places, self._machines
        if self.difference and first is not None and second is not None and places is not None and found:
            machines = machines_apart((first.plant, second.plant), (first.frame, second.frame), found)
            self.apart = apart(self.colour_by, first, second, places, self.reach, machines)
        self._mark()
        for number, (side, pane) in enumerate(zip(self._sides, self.panes, strict=True)):
            view = pane.view
            shown = self.apart if number else None
            view.state.colour_by = self.colour_by
            view.state.layers = LAYERS | CABLES if self._cables_differ() else LAYERS
            if side is None:
                view.set_frame(None)
                continue
            view.set_frame(side.frame, shown.repainted if shown is not None else None)
            own = legend_for(self.colour_by, side.plant, side.frame, side.groups)
            pane.show_legend(shown.legend if shown is not None else own)

    def _cables_differ(self) -> bool:
        """Return whether cables have something to show: otherwise they would only cost."""
        return self.apart is not None and self.apart.machines is not None and self.apart.machines.links_differ

    def words(self) -> str:
        """Return what the difference comes to, and what stands in one hall alone."""
        if self.trouble:
            return self.trouble
        return " ".join(filter(None, (self._difference_words(), *self._only_words())))

    def _difference_words(self) -> str:
        found = self.apart
        if found is None:
            return ""
        if not found.differing:
            return tr(
                "No difference in {title} on {compared:,} GPUs.",
                title=BY_ID[self.colour_by].title,
                compared=found.compared,
            )
        share = tr(
            "{differing:,} of {compared:,} GPUs in service in both differ",
            differing=found.differing,
            compared=found.compared,
        )
        if not BY_ID[self.colour_by].reaches:
            return tr("{share} in {title}.", share=share, title=BY_ID[self.colour_by].title)
        unit, least = unit_of(self.colour_by), BY_ID[self.colour_by].quantum
        words = " to ".join(_signed(value, unit) for value in (found.lowest, found.highest))
        return tr(
            "{share} by more than {significant} {unit}: {words}.",
            share=share,
            significant=significant(least, 1),
            unit=unit,
            words=words,
        )

    def _only_words(self) -> list[str]:
        words = []
        for name, only in zip("AB", self.only, strict=True):
            counts = (only.gpus, "GPU"), (len(only.racks), "rack"), (len(only.machines), "machine")
            counted = [f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts if count]
            if counted:
                words.append(tr("Only in {name}: {counted}.", name=name, counted=", ".join(counted)))
        return words

    def _follow(self, first: Side | None, second: Side | None) -> None:
        """Take the halls of this time, where they are others than before."""
        for place, (view, side) in enumerate(zip(self.views, (first, second), strict=True)):
            if side is not None and view.plant is not side.plant:
                view.set_plant(side.plant, side.groups)
                self._plants = None
            elif side is not None and side.groups is not self._groups[place]:
                view.set_groups(side.groups)
            if side is not None:
                self._groups[place] = side.groups
        if first is None or second is None:
            self._plants = None
        elif self._plants is None:
            self._plants = first.plant, second.plant
            self._places, self._machines = matched(*self._plants), Matched.of(*self._plants)
            self.only = _only(first.plant, second.plant), _only(second.plant, first.plant)

    def _mark(self) -> None:
        """Draw boxes round what stands in one hall alone and, in the right one, round machines that are not well."""
        machines = None if self.apart is None else self.apart.machines
        for number, (view, only) in enumerate(zip(self.views, self.only, strict=True)):
            tones = dict.fromkeys((*only.racks, *only.machines)[:MOST_MARKS], _ONLY)
            if number and machines is not None:
                tones |= dict.fromkeys(machines.better, _BETTER) | dict.fromkeys(machines.worse, _WORSE)
            view.edit.show_ghost(marks(view, tones) if self.difference else Ghost())


def _only(plant: Plant, other: Plant) -> Only:
    """Return what stands in one hall and not in the other, by id."""
    in_other = {id for id, present in zip(other.racks.ids, other.racks.present, strict=True) if present}
    racks = (id for id, present in zip(plant.racks.ids, plant.racks.present, strict=True) if present)
    alone = plant.gpus.present & (matched(other, plant) < 0)
    return Only(
        tuple(id for id in racks if id not in in_other), int(alone.sum()), standing_alone(plant, other)
    )


def _titles(runs: tuple[ComparedRun, ComparedRun]) -> tuple[str, str]:
    a, b = (f"{name}: {run.title}" for name, run in zip("AB", runs, strict=True))
    return a, b


def _signed(value: float, unit: str) -> str:
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{significant(abs(value), 2)} {unit}".rstrip()
