"""Two to eight designs side by side: ranges of each figure, and differences to the first, draw by draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from twin.analysis.design_figures import DesignSamples
from twin.analysis.design_runs import DesignRun
from twin.analysis.run_mismatch import LARGER
from twin.arrays import Floats
from twin.designs.design import Range, range_of
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.price_draws import SAMPLES
from twin.economics.run_work import WorkDone
from twin.language import tr
from twin.physics.normal import normal_quantile
from twin.units.render import significant

LEAST_DESIGNS, MOST_DESIGNS = 2, 8
MILLION, DAY_S = 1e6, 86_400.0
LIKELY = 0.95
"""Share of the draws in which one must be better for it to be said."""
_DRAWS = normal_quantile((np.arange(SAMPLES) * 0.6180339887498949) % 1.0 * 0.998 + 0.001)
"""Draws of what is promised, the same for all designs: those of one are as lucky as those of another."""


@dataclass(frozen=True)
class DesignFigure:
    """A figure by which designs are compared.

    Attributes
    ----------
    key, title
        For programs and for people.
    unit
        That it is told in.
    scale
        Of that unit.
    better
        1: more is better; -1: less is.
    meaning
        In a sentence.
    total
        It grows with the hall: between halls of other sizes, for other needs, it makes none better.
    """

    key: str
    title: str
    unit: str
    scale: float
    better: int
    meaning: str
    total: bool = False

    @property
    def apart_unit(self) -> str:
        """Return the unit of differences: those of percentages are percentage points."""
        return tr("pp") if self.unit == "%" else self.unit


DESIGN_FIGURES: tuple[DesignFigure, ...] = (
    DesignFigure(
        "total_usd",
        tr("Total cost (5 years)"),
        tr("million USD"),
        1e6,
        -1,
        tr("Capital, refresh and operation of five years less what is left, as present value"),
        total=True,
    ),
    DesignFigure(
        "capital_usd", tr("Capital"), tr("million USD"), 1e6, -1, tr("What it costs to build"), total=True
    ),
    DesignFigure(
        "yearly_usd",
        tr("Cost of a year"),
        tr("million USD"),
        1e6,
        -1,
        tr("Capital by its life, and operation"),
        total=True,
    ),
    DesignFigure(
        "gpu_hour_usd", tr("GPU-hour"), "USD", 1.0, -1, tr("Cost of a year over the installed GPU-hours")
    ),
    DesignFigure(
        "million_tokens_usd",
        tr("Million tokens"),
        "USD",
        1.0,
        -1,
        tr("Cost of the time that the work takes, over the tokens of its trainings"),
    ),
    DesignFigure(
        "pflop_day_usd",
        tr("PFLOP-day"),
        "USD",
        1.0,
        -1,
        tr("Cost of the time that the work takes, over the model FLOP of its jobs"),
    ),
    DesignFigure(
        "time_s", tr("Time"), tr("days"), DAY_S, -1, tr("Until the last job is done, failures included")
    ),
    DesignFigure(
        "carbon_kg",
        tr("Carbon a year"),
        tr("t CO2e"),
        1e3,
        -1,
        tr("Energy and making, with the racks at the load that the cost of a year is of"),
        total=True,
    ),
    DesignFigure(
        *("site_w", tr("Site power"), "MW", 1e6, -1, tr("Highest of a typical year at design load")),
        total=True,
    ),
    DesignFigure(
        "site_available",
        tr("Site available"),
        "%",
        0.01,
        1,
        tr("Share of the time with power and cooling for all"),
    ),
    DesignFigure(
        "nodes_available",
        tr("Nodes of the job available"),
        "%",
        0.01,
        1,
        tr("Share of the time with enough nodes in service for the largest job, spares counted"),
    ),
)
BY_FIGURE = {figure.key: figure for figure in DESIGN_FIGURES}


@dataclass(frozen=True)
class DesignFigureCell:
    """A figure of one design.

    Attributes
    ----------
    values
        P5, P50 and P95.
    difference
        To the first design, draw by draw: P5, P50 and P95; None of the first itself.
    better
        Share of the draws in which it is better than the first; None of the first itself.
    """

    values: Range
    difference: Range | None = None
    better: float | None = None

    @property
    def is_certain(self) -> bool:
        """Return whether there is no range."""
        return self.values[0] == self.values[2]


@dataclass(frozen=True)
class DesignFigureRow:
    """A figure of all designs; a cell is None where it is not known. `best` is the place of the best median.

    Of a total of designs of other sizes none is best, and none is better.
    """

    figure: DesignFigure
    cells: tuple[DesignFigureCell | None, ...]
    best: int | None

    @property
    def is_judged(self) -> bool:
        """Return whether it tells designs apart."""
        return any(cell is not None and cell.better is not None for cell in self.cells)


@dataclass(frozen=True)
class DesignsCompared:
    """Designs side by side.

    Attributes
    ----------
    titles
        Of the designs.
    rows
        Figures that are known of any of them.
    bindings
        What binds each.
    seeds
        Of full runs, the same for all; none: nothing was run.
    late
        Runs of each in which not all jobs were done.
    notes
        What one must know, in sentences.
    of_need
        Whether designs of a need are among them.
    gpus
        Installed in each.
    """

    titles: tuple[str, ...]
    rows: tuple[DesignFigureRow, ...]
    bindings: tuple[str, ...]
    seeds: tuple[int, ...]
    late: tuple[int, ...]
    notes: tuple[str, ...]
    of_need: bool = False
    gpus: tuple[int, ...] = ()

    def row(self, key: str) -> DesignFigureRow | None:
        """Return the row of a figure; None where it is not known."""
        return next((row for row in self.rows if row.figure.key == key), None)


def compared(
    designs: Sequence[DesignSamples], runs: Sequence[Sequence[DesignRun]] | None = None
) -> DesignsCompared:
    """Return designs side by side.

    Parameters
    ----------
    designs
        Their figures.
    runs
        Full runs of each with the same seeds, in their order; None: there are none.
    """
    drawn = [
        drawn_figures(design, runs[place] if runs is not None else ()) for place, design in enumerate(designs)
    ]
    of_need = any(design.promise is not None for design in designs)
    gpus = tuple(design.gpus for design in designs)
    found = []
    for figure in DESIGN_FIGURES:
        samples = [values.get(figure.key) for values in drawn]
        if any(values is not None for values in samples):
            row = _row(figure, samples)
            found.append(
                _unjudged(row) if figure.total and not of_need and _are_of_other_sizes(gpus) else row
            )
    notes = dict.fromkeys(
        f"{design.title}: {note}" if len(designs) > 1 else note for design in designs for note in design.notes
    )
    return DesignsCompared(
        tuple(design.title for design in designs),
        tuple(found),
        tuple(design.binding for design in designs),
        tuple(run.seed for run in runs[0]) if runs else (),
        tuple(sum(not run.is_done for run in design_runs) for design_runs in runs or ()),
        tuple(notes),
        of_need,
        gpus,
    )


def _unjudged(row: DesignFigureRow) -> DesignFigureRow:
    """Return a figure of which none is better."""
    cells = tuple(cell and replace(cell, better=None) for cell in row.cells)
    return DesignFigureRow(row.figure, cells, None)


def _are_of_other_sizes(gpus: Sequence[int]) -> bool:
    return bool(gpus) and max(gpus) >= LARGER * min(gpus)


def drawn_figures(design: DesignSamples, runs: Sequence[DesignRun]) -> Mapping[str, Floats]:
    """Return all figures of a design in samples: draw k is of prices k and of seed k, counted round."""
    found = {key: np.broadcast_to(values, (SAMPLES,)) for key, values in design.drawn.items()}
    if runs:
        span = _over_seeds([run.span_s for run in runs])
        if all(run.is_done for run in runs):
            found["time_s"] = span
        work = [run.work for run in runs]
    elif design.promise is not None:
        span = np.asarray(design.promise.mean_s + design.promise.sigma_s * _DRAWS, np.float64)
        found["time_s"] = span
        work = [design.asked]
    else:
        return found
    yearly = found.get("yearly_usd")
    if yearly is not None:
        found |= _unit_costs(yearly * span / SECONDS_PER_YEAR, work)
    return found


def _unit_costs(cost: Floats, work: Sequence[WorkDone]) -> dict[str, Floats]:
    """Return what a million tokens and a PFLOP-day cost, where all work is known in them."""
    tokens = [done.tokens for done in work if done.tokens]
    flop = [done.pflop_days for done in work if done.pflop_days]
    found = {}
    if len(tokens) == len(work):
        found["million_tokens_usd"] = cost / (_over_seeds(tokens) / MILLION)
    if len(flop) == len(work):
        found["pflop_day_usd"] = cost / _over_seeds(flop)
    return found


def _over_seeds(values: Sequence[float]) -> Floats:
    return np.asarray(values, np.float64)[np.arange(SAMPLES) % len(values)]


def _row(figure: DesignFigure, samples: Sequence[Floats | None]) -> DesignFigureRow:
    first = samples[0]
    cells: list[DesignFigureCell | None] = []
    for place, values in enumerate(samples):
        if values is None:
            cells.append(None)
        elif place == 0 or first is None:
            cells.append(DesignFigureCell(range_of(values)))
        else:
            apart = values - first
            better = float(np.mean(np.sign(apart) == figure.better))
            cells.append(DesignFigureCell(range_of(values), range_of(apart), better))
    known = [place for place, cell in enumerate(cells) if cell is not None]
    best = min(known, key=lambda place: -figure.better * _middle(cells[place]), default=None)
    worst = max(known, key=lambda place: -figure.better * _middle(cells[place]), default=None)
    same = best is None or worst is None or _middle(cells[best]) == _middle(cells[worst])
    return DesignFigureRow(figure, tuple(cells), None if same else best)


def _middle(cell: DesignFigureCell | None) -> float:
    assert cell is not None
    return cell.values[1]


# --- words, the same in window, report and terminal


def value_text(figure: DesignFigure, value: float, like: float | None = None) -> str:
    """Return a value in the unit of its figure, with the decimals of another one that it stands beside."""
    words = significant(abs(value if like is None else like) / figure.scale, 4 if figure.unit == "%" else 3)
    decimals = len(words.partition(".")[2])
    return f"{value / figure.scale:,.{decimals}f}"


def range_words(figure: DesignFigure, values: Range) -> str:
    """Return a range: "18.1 (15.2 to 21.1)", or its one value."""
    low, middle, high = (value_text(figure, value, values[1]) for value in values)
    if low == high:
        return middle
    return tr("{middle} ({low} to {high})", middle=middle, low=low, high=high)


def apart_words(figure: DesignFigure, cell: DesignFigureCell) -> str:
    """Return the difference to the first with its interval, signed; "" of the first itself."""
    if cell.difference is None:
        return ""
    like = cell.values[1]
    low, middle, high = (_signed(value_text(figure, value, like)) for value in cell.difference)
    return middle if low == high else tr("{middle} ({low} to {high})", middle=middle, low=low, high=high)


def apart_beside(figure: DesignFigure, cell: DesignFigureCell) -> str:
    """Return the difference to the first as it stands beside a value: with its unit where that is another."""
    words = apart_words(figure, cell)
    return f"{words} {figure.apart_unit}" if words and figure.apart_unit != figure.unit else words


def _signed(text: str) -> str:
    """Return a number with its sign; zero has none.

    >>> _signed("1.20"), _signed("-0.3"), _signed("-0.00")
    ('+1.20', '\N{MINUS SIGN}0.3', '0.00')
    """
    if not float(text.replace(",", "")):
        return text.lstrip("-")
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else f"+{text}"


def verdict_words(figure: DesignFigure, cell: DesignFigureCell) -> str:
    """Return how sure it is that a design is better or worse than the first; "" where nothing tells that."""
    if cell.difference is None:
        return ""
    if cell.difference[0] == cell.difference[2] == 0.0:
        return tr("the same")
    if cell.better is None:
        return ""
    if cell.better >= LIKELY:
        return tr("better")
    worse = 1.0 - cell.better
    if worse >= LIKELY:
        return tr("worse")
    return tr("better in {share:.0f} % of draws", share=100.0 * cell.better)


def short_sentences(found: DesignsCompared) -> list[str]:
    """Return the answer in a few sentences: what is cheapest, by how much, and what is fastest."""
    said = []
    keys = ["total_usd", "million_tokens_usd", "pflop_day_usd", "time_s", "carbon_kg"]
    if sizes := _sizes_words(found):
        said.append(sizes)
        keys.insert(1, "gpu_hour_usd")
    for key in keys:
        row = found.row(key)
        if row is None or row.best is None:
            continue
        cell = row.cells[row.best]
        assert cell is not None
        words = tr(
            "{title}: {design} is lowest with {value} {unit}",
            title=row.figure.title,
            design=found.titles[row.best],
            value=range_words(row.figure, cell.values),
            unit=row.figure.unit,
        )
        if row.best:
            words = tr(
                "{words}; against {first} {apart}, {sure}",
                words=words,
                first=found.titles[0],
                apart=apart_words(row.figure, cell),
                sure=verdict_words(row.figure, cell),
            )
        said.append(f"{words}.")
    return said


def _sizes_words(found: DesignsCompared) -> str:
    """Return that designs differ in size; "" where they do not, or are all for the same need."""
    if found.of_need or not _are_of_other_sizes(found.gpus):
        return ""
    return tr(
        "The designs have {gpus} GPUs: totals grow with size and make none better, the cost of a GPU-hour does.",
        gpus=", ".join(f"{gpus:,}" for gpus in found.gpus),
    )


def basis_words(found: DesignsCompared) -> str:
    """Return what the ranges are of."""
    said = [
        tr(
            "Ranges are P5 to P95 of {samples:,} draws of the prices, the same draws for all designs.",
            samples=SAMPLES,
        )
    ]
    if found.seeds:
        said.append(
            tr(
                "Time, tokens and FLOP are of full runs with seeds {first} to {last}, the same for all.",
                first=found.seeds[0],
                last=found.seeds[-1],
            )
        )
    elif found.row("time_s") is not None:
        said.append(tr("Times are those promised by closed forms."))
    else:
        said.append(tr("Nothing was run."))
    if found.of_need:
        said.append(
            tr("Money, carbon and power are of the scenes as built; the table of a need has closed forms.")
        )
    return " ".join(said)
