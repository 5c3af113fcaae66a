"""From a need to designs."""

from __future__ import annotations

import os
from pathlib import Path

from twin.api.arguments import count_of, path_of
from twin.api.errors import as_arguments
from twin.designs.answer import Designs, answer
from twin.designs.design_folder import DesignScenes, new_folder, scenes_of, write_folder
from twin.designs.front import MOST
from twin.designs.need_file import load_need

MOST_CANDIDATES = 1_000_000


def design(
    need: str | os.PathLike[str],
    *,
    candidates: int = 1000,
    most: int = MOST,
    folder: str | os.PathLike[str] = "",
) -> Designs:
    """Return the designs that meet a need and that none other beats in cost, time, carbon, power and availability.

    Parameters
    ----------
    need
        A file *.twin-need.yaml, or the name of a shipped one.
    candidates
        How many are screened by closed forms.
    most
        Designs that are returned, at most 20.
    folder
        Where their scenes and a table are written; "": nowhere. Designs whose scenes fail their checks are left out
        then; where no design is left, nothing is written.

    Raises
    ------
    ScenarioError
        When the file is no need, with every key that is wrong.
    BadInput
        When a number is out of range.
    FileExistsError
        When the folder is there and not empty.

    Examples
    --------
    >>> import twin
    >>> found = twin.design("lab-16-to-256", candidates=20)
    >>> found.screened, found.designs[0].stages
    (20, (16, 256))
    """
    if not str(folder):
        return answered(need, candidates, most)
    target = new_folder(Path(folder))
    made = with_scenes(answered(need, candidates, most))
    if made.answer.designs:
        write_folder(made, target)
    return made.answer


def answered(need: str | os.PathLike[str], candidates: int, most: int) -> Designs:
    """Return the designs for a need; raises as `design`."""
    asked = count_of(candidates, "candidates", 1, MOST_CANDIDATES)
    shown = count_of(most, "most", 1, MOST)
    with as_arguments():
        file = load_need(path_of(need, "need"))
        return answer(file, file.catalog, asked, shown)


def with_scenes(found: Designs) -> DesignScenes:
    """Return designs with their scenes, each checked."""
    return scenes_of(found, found.file.catalog)
