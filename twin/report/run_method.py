"""The part of a report for who teaches or checks: method, how sure the figures are, how to repeat them, glossary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from twin.analysis.rerun import asked_of
from twin.analysis.wall_clock import Moments
from twin.record.reader import Reader
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.published import PublishedFigure
from twin.scenario.schema.document import Scenario

METHOD: tuple[tuple[str, str], ...] = (
    (
        "One clock",
        "The run is a sequence of events: a failure, a repair, a step of a job, a change of power. Between two events "
        "rates are constant or follow a closed formula, so nothing is missed between samples.",
    ),
    (
        "Step time",
        "Time of computation + exposed communication (tensor, pipeline, data, expert) + pipeline bubble + stragglers. "
        "Each term is a formula of model, parallelism layout and links; efficiencies are fitted to published runs "
        "of the GPU.",
    ),
    (
        "Goodput and ETTR",
        "ETTR = time of kept steps / time from start to end. goodput = ETTR x reference step / mean kept step, at most "
        "ETTR. MFU = model FLOP of kept steps / peak FLOP of the GPUs.",
    ),
    (
        "Ledger",
        "Each GPU-second is booked to exactly one account. The accounts add up to GPUs x duration, so a loss cannot "
        "hide.",
    ),
    (
        "Failures",
        "Each cause strikes at a rate per node-day from published counts; times between failures are random draws of "
        "the seed. A stop, planned or not, undoes the work since the last checkpoint; the interval that loses least is "
        "near the square root of 2 x checkpoint pause x mean time between stops (Young; Daly adds terms).",
    ),
    (
        "Power",
        "Power of a GPU follows activity, clock and temperature. Losses of UPS, transformers and PDUs follow their "
        "load. PUE = facility energy / IT energy.",
    ),
    (
        "Heat",
        "Heat balances of GPU, coolant, CDU, facility water and heat rejection, with the outdoor air of the place. "
        "GPUs lower their clocks at their limit.",
    ),
    (
        "Money",
        "Prices are ranges with a source. Capital becomes a yearly sum over each life; many draws of all prices give "
        "P5, P50 and P95.",
    ),
)
"""How figures are worked out, in the order of their dependence."""


def method() -> Markup:
    """Return how figures are worked out."""
    return joined(
        [
            table(("what", "how"), METHOD),
            tag(
                "p",
                "The help has each formula with its source: chapters Physics, Money and Trust.",
                class_="note",
            ),
        ]
    )


def repeat_words(reader: Reader, over: bool) -> str:
    """Return how the run is repeated and what proves that it is the same."""
    hash_ = reader.event_hash
    return (
        f"Run the same scene with seed {reader.header.seed} and version {reader.header.versions.get('twin', '?')}: "
        f"it gives the same {reader.event_count:,} events"
        + (f", with a hash that begins with {hash_[:12]}" if over and hash_ else "")
        + ". twin verify RUN does so and compares."
    )


def sure_words(standings: Mapping[str, int], residual: float | None, rests: str) -> str:
    """Return how sure the figures are: standings of constants by number, step times, and the balance of energy."""
    total = sum(standings.values())
    firm = standings.get("published", 0) + standings.get("derived", 0) + standings.get("fitted", 0)
    said = [
        f"Nothing here is measured. Of {total:,} constants of parts {firm:,} are published or follow from such, "
        f"{total - firm:,} are estimates or from memory: the appendix lists them with their sources. Detection, "
        "restart, pause of a checkpoint, parallel layout and electricity are those of the scene: Sources of the "
        "scene has the standing of each."
    ]
    if rests:
        said.append(f"Step times: {rests}; the appendix lists the runs with the profile.")
    if residual is not None:
        said.append(f"The energy balance closes to {residual:.0e} of the energy.")
    return " ".join(said)


def story_words(scenario: Scenario) -> str:
    """Return the first sentences of what a scene says of itself."""
    first = scenario.notes.strip().split("\n\n")[0].replace("\n", " ")
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", first)
    told = " ".join(sentences[:2]) if first else f"{scenario.title}: the scene says no more of itself."
    return f"{told} The rules below lead from the scene to each figure."


def story(scenario: Scenario) -> Markup:
    """Return what a scene says of itself."""
    parts: list[Child] = [tag("p", text) for text in scenario.notes.split("\n\n") if text.strip()]
    return joined(parts) if parts else tag("p", "The scene says nothing of itself.")


def scene_sources(scenario: Scenario, published: Sequence[PublishedFigure] = ()) -> Markup:
    """Return the sources that a scene names, and those of the published figures beside its own."""
    beside = dict.fromkeys(figure.source for figure in published)
    if not scenario.sources and not beside:
        return tag("p", "The scene names no sources of its own.")
    told = [f"Published figures: {'; '.join(beside)}"] if beside else []
    return tag("ul", [tag("li", source) for source in (*scenario.sources, *told)])


def interventions(reader: Reader, says: Moments) -> Markup | None:
    """Return what people did during a run; None: nothing."""
    done = [action.marker for action in asked_of(reader)]
    if not done:
        return None
    rows = [(says(marker.t_s), marker.text) for marker in done]
    return table(("when", "what"), rows, caption="Interventions during the run")
