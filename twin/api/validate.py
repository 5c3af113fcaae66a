"""The model beside published figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from twin.analysis import facility_tables, reliability_tables
from twin.api.arguments import path_of, texts_of
from twin.api.errors import BadInput
from twin.planning.table import validation_tables
from twin.planning.table.case_file import CaseFileError
from twin.planning.table.residuals import Residual, residuals_of
from twin.planning.table.validation import Generation, TableComparison

TABLES: tuple[str, ...] = (
    *validation_tables.TABLE_NAMES,
    *facility_tables.TABLE_NAMES,
    *reliability_tables.TABLE_NAMES,
)


@dataclass(frozen=True)
class Validation:
    """Published tables beside ours.

    Attributes
    ----------
    tables
        Each with its rows, its goals, the errors over its rows, and what it misses.
    generations
        Step times of each GPU generation beside one constant MFU.
    reached
        Whether all goals are reached.
    unread
        Tables that were asked for by name and could not be read.
    residuals
        Each published step time as a fit predicts it that has not seen its model.
    """

    tables: tuple[TableComparison, ...]
    generations: tuple[Generation, ...]
    reached: bool
    unread: tuple[str, ...]
    residuals: tuple[Residual, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether all goals are reached, and all that was named was read."""
        return self.reached and not self.unread


def validate(tables: str | Sequence[str] = (), data: str | os.PathLike[str] | None = None) -> Validation:
    """Return our model beside published tables.

    Parameters
    ----------
    tables
        Names of tables, such as "dgxc-h100-bf16"; none: all, which takes a minute as some run whole scenes.
    data
        Folder of data files that do not ship; None: ../shared/reference of a checkout.

    Raises
    ------
    BadInput
        When there is no such table, or a file of it is damaged; it is a `ValueError`.

    Examples
    --------
    >>> import twin
    >>> found = twin.validate("dgxc-h100-bf16")
    >>> found.passed, found.tables[0].errors.rows
    (True, 31)
    """
    names = tuple(texts_of(tables, "tables"))
    folder = _beside_checkout() if data is None else Path(path_of(data, "data"))
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise BadInput(f"no table {unknown[0]!r}; known are {', '.join(TABLES)}")
    of_steps, of_facility, of_failures = (
        tuple(name for name in names if name in group.TABLE_NAMES)
        for group in (validation_tables, facility_tables, reliability_tables)
    )
    comparisons: tuple[TableComparison, ...] = ()
    generations: tuple[Generation, ...] = ()
    try:
        if of_steps or not names:
            comparisons, generations = validation_tables.validate(of_steps, folder)
        if of_facility or not names:
            comparisons = (*comparisons, *facility_tables.compare(of_facility))
        if of_failures or not names:
            comparisons = (*comparisons, *reliability_tables.compare(of_failures, folder))
    except CaseFileError as error:
        raise BadInput(str(error)) from None
    return Validation(
        comparisons,
        generations,
        reached=not any(table.missed for table in comparisons) and all(each.passed for each in generations),
        unread=tuple(table.name for table in comparisons if table.skipped and table.name in names),
        residuals=residuals_of(comparisons),
    )


def _beside_checkout() -> Path | None:
    """Return the folder of shared data files beside a checkout; None without one."""
    folder = Path(str(files("twin"))).parents[1] / "shared" / "reference"
    return folder if folder.is_dir() else None
