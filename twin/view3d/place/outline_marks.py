"""What selection, hover and traces mark: boxes to outline, words, and which cables are told apart. No GL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from twin.plant.cable_names import find_bundle
from twin.plant.tables import Plant
from twin.view3d.base.bounds import Box
from twin.view3d.colour.cable_colours import Marked
from twin.view3d.place.cable_field import CableField


@dataclass
class Marks:
    """Boxes by the id that is written over them, words without a box, and the bundles that are selected."""

    plant: Plant
    way: CableField
    boxes: dict[str, Box] = field(default_factory=dict)
    names: dict[str, Box] = field(default_factory=dict)
    bundles: list[int] = field(default_factory=list)

    def cables(self, hovered: str, isolated: NDArray[np.int32] | None) -> Marked:
        """Return which pieces of cable are told apart, with the hovered bundle and those that alone shine."""
        over = find_bundle(self.plant, hovered)
        return Marked(
            isolated=None if isolated is None else self.way.runs.pieces_of(isolated),
            selected=self.way.pieces(*self.bundles),
            hovered=None if over is None else self.way.pieces(over),
        )


def marks_of(
    selection: Sequence[str],
    path_names: Sequence[str],
    plant: Plant,
    cables: CableField,
    standing: Callable[[str], Box | None],
) -> Marks:
    """Return what a selection and the names along a traced path mark; `standing` gives the box of an id."""
    marks = Marks(plant, cables)
    for id in selection:
        box, bundle = standing(id), find_bundle(plant, id)
        if box is not None:
            marks.boxes[id] = box
        elif bundle is not None:
            marks.bundles.append(bundle)
            marks.names.update(cables.label(bundle))
    for id in path_names:
        box = standing(id)
        if box is not None and id not in marks.boxes:
            marks.names[id] = box
    return marks
