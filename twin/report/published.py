"""What others published of the run that a scene rebuilds, beside the figures of this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from twin.analysis.figures import FIGURES, Summary
from twin.planning.table.reference import Cell, reference_table
from twin.report.markup import Child, Markup, number, table
from twin.report.words import percent, rounded

DAY_S = 86_400.0
A_DAY = "Unexpected interruptions a day"
"""Title of the figure that tells whether rates follow a published count."""
PLANNED_A_DAY = "Planned interruptions a day"
STEP_MFU = "MFU while steps run"
_TEXT_OF = "text of "
"""Before the table that a text is about."""
_BY_KEY = {figure.key: figure for figure in FIGURES}


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a run and what was published of it: title, the figure, lowest and highest published, and where.

    `source` is the whole citation, `work` its authors and year, `place` the table or section in it, `layout` the
    parallelism layout of the published run, where the figure hangs on it, `standing` that of a figure not read there.
    """

    title: str
    value: float
    low: float | None
    high: float | None
    words: Callable[[float], str]
    source: str
    work: str = ""
    place: str = ""
    layout: str = ""
    standing: str = ""

    @property
    def published(self) -> str:
        """Return what was published in words, with its standing where it was not read at its source."""
        return f"{self._bounds} ({self.standing})" if self.standing else self._bounds

    @property
    def _bounds(self) -> str:
        if self.low is not None and self.high is not None:
            low, high = self.words(self.low), self.words(self.high)
            return low if low == high else f"{low} to {high}"
        if self.low is not None:
            return f"over {self.words(self.low)}"
        return f"under {self.words(self.high)}" if self.high is not None else ""

    @property
    def apart(self) -> str:
        """Return how far this run is from what was published, in percent of it."""
        if self.low is not None and self.value < self.low:
            near = self.low
        elif self.high is not None and self.value > self.high:
            near = self.high
        else:
            return "within"
        apart = round(100.0 * (self.value / near - 1.0))
        return f"{apart:+d} %".replace("-", "\N{MINUS SIGN}") if apart else "none"


def _of(key: str) -> Callable[[Summary], float | None]:
    return _BY_KEY[key].of


def _a_day(key: str) -> Callable[[Summary], float | None]:
    def rate(summary: Summary) -> float | None:
        count = _of(key)(summary)
        return None if count is None else count / (summary["simulated_s"] / DAY_S)

    return rate


def _step_mfu(summary: Summary) -> float | None:
    mfu, ettr = _of("mfu")(summary), _of("ettr")(summary)
    return mfu / ettr if mfu is not None and ettr else None


def _percent(share: float) -> str:
    return percent(share)


_FIGURES: Mapping[str, tuple[str, Callable[[Summary], float | None], Callable[[float], str]]] = {
    "unexpected_per_day": (
        A_DAY,
        _a_day("interruptions"),
        lambda value: rounded(value, 3),
    ),
    "planned_per_day": (PLANNED_A_DAY, _a_day("planned"), lambda value: rounded(value, 3)),
    "ettr": ("ETTR (effective training time)", _of("ettr"), _percent),
    "step_mfu": (STEP_MFU, _step_mfu, _percent),
}
"""Figures of `tests/reference/published_runs.yaml`: none depends on how long a run is."""


def published_figures(title: str, summary: Summary) -> tuple[PublishedFigure, ...]:
    """Return the figures of a run that somebody published of the run behind its scene; nothing where none are known.

    Parameters
    ----------
    title
        Of the scene.
    """
    if summary["simulated_s"] <= 0.0:
        return ()
    found = []
    for row in reference_table("published_runs").rows:
        if row["scene"] != title:
            continue
        name, read, words = _FIGURES[str(row["figure"])]
        value = read(summary)
        if value is not None:
            bounds = (_bound(row.get("low")), _bound(row.get("high")))
            where = (
                str(row["cite"]),
                *(str(row[column] or "") for column in ("work", "place", "layout", "standing")),
            )
            found.append(PublishedFigure(name, value, *bounds, words, *where))
    return tuple(found)


def published_table(found: tuple[PublishedFigure, ...], tests: Mapping[str, str]) -> Markup:
    """Return figures of a run beside those published; `tests`: whether each, by its title, tests the model."""
    rows: list[tuple[Child, ...]] = [
        (
            figure.title,
            number(figure.value, figure.words(figure.value)),
            figure.published,
            figure.apart,
            tests.get(figure.title, ""),
        )
        for figure in found
    ]
    return table(
        ("figure", "this run", "published", "difference", "fitted, or a test?"),
        rows,
        right=3,
        left=1,
    )


def works_words(found: Sequence[PublishedFigure]) -> str:
    """Return the works that figures were published in, each once with its tables.

    >>> of_two = [PublishedFigure("", 1.0, 1.0, 1.0, str, "", "Meta 2024", place) for place in ("table 4", "table 5")]
    >>> works_words([*of_two, of_two[0]])
    'Meta 2024, table 4, table 5'
    """
    places: dict[str, set[str]] = {}
    for figure in found:
        places.setdefault(figure.work or figure.source, set()).add(figure.place.removeprefix(_TEXT_OF))
    return "; ".join(
        ", ".join(part for part in (work, *sorted(of_it)) if part) for work, of_it in places.items()
    )


def _bound(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
