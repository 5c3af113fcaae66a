"""Limits of the network with one switch lost, in words and as a table."""

from __future__ import annotations

from twin.analysis.spare_history import SpareHistory
from twin.language import counted
from twin.planning.network.switch_loss import HOLDS, NetworkLimits, SwitchLoss
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import length, percent
from twin.shown_text import capitalised

_AS_LONG = 5e-4
"""A step that is longer by less than this part of it is told as as long [-]."""
_AS_USUAL = "less than 0.05 % longer"
_OF_SWITCHES = (
    "Of each tier the switch whose loss is worst, by the routes of the model. Busiest link: its load while the job "
    "communicates as fast as with all switches, over what the technology of the fabric lets through; above 100 % it "
    "communicates that much slower; in the mean: of a step. Not among them: two switches lost at once, and "
    "a switch lost with its power."
)


def network_words(
    found: NetworkLimits | None, link_load: float | None, spares: SpareHistory | None = None
) -> str:
    """Return how near the network is to its limit, with all switches and with one lost; "": nothing is known.

    Parameters
    ----------
    link_load
        Highest load of a link in the run, as the mean over a step [-]; None: none carried anything.
    spares
        Nodes that were free in the run; None: unknown.
    """
    said = []
    if link_load is not None:
        full = percent(link_load, 0)  # runs are recorded in whole percent
        peak = (
            f", and {percent(found.busiest, 0)} while the job communicates"
            if found is not None and found.busiest is not None
            else ""
        )
        said.append(f"The busiest link of the network was {full} full in the mean of a step{peak}.")
    if found is not None:
        said += [_loss_words(loss, spares) for loss in found.losses]
    return " ".join(said)


def _loss_words(loss: SwitchLoss, spares: SpareHistory | None) -> str:
    """Return what comes of the loss of a switch and what would hold, in a sentence."""
    lost = f"With a {loss.role.words} lost"
    if not loss.gpus:
        full = "" if loss.busiest is None else f" the busiest link is asked for {percent(loss.busiest, 0)}"
        return f"{lost}{full}: {holds_words(loss)}."
    return (
        f"{lost} {counted(loss.nodes, 'node')} ({loss.gpus:,} GPUs) {'is' if loss.nodes == 1 else 'are'} cut off: "
        f"{holds_words(loss, spares)}."
    )


def step_words(loss: SwitchLoss) -> str:
    """Return how long a step is after a loss, beside a usual one.

    >>> from twin.plant.tables import SwitchRole
    >>> step_words(SwitchLoss("f", SwitchRole.SPINE, "s", 4, step=1.161))
    '16.1 % longer'
    """
    if loss.job_nodes:
        return "stops"
    if loss.step is None:
        return ""
    longer = loss.step - 1.0
    return _AS_USUAL if longer < _AS_LONG else f"{percent(longer)} longer"


def holds_words(loss: SwitchLoss, spares: SpareHistory | None = None) -> str:
    """Return whether the job goes on after a loss, and what would let it."""
    if loss.job_nodes > loss.spares:
        lacks = loss.job_nodes - loss.spares
        instead = (
            f"no node is spare for the {loss.job_nodes:,} of the job"
            if not loss.spares
            else (f"{counted(loss.spares, 'spare node')} for the {loss.job_nodes:,} of the job")
        )
        return (
            f"the job stops, {instead}; to hold: NICs on two leaves (homes: 2), or {counted(lacks, 'more spare node')}"
            " behind other leaves"
        )
    if loss.job_nodes:
        return (
            f"the job stops{restarts_words(loss, spares)}; with NICs on two leaves (homes: 2) it would go on, these "
            "at half their bandwidth"
        )
    if loss.step is None:
        return "no node of a job is among them" if loss.gpus else "nobody is cut off"
    less = (
        ""
        if loss.busiest is None or loss.busiest <= 1.0
        else f"{percent(1.0 - 1.0 / loss.busiest, 0)} less bandwidth, "
    )
    slower = f"{less}a step takes {step_words(loss)}"
    if loss.step <= HOLDS:
        return f"the job goes on: {slower}"
    more = f"; to hold: {counted(loss.more, f'more {loss.role.words}')} beside it" if loss.more else ""
    return f"{slower}{more}"


def restarts_words(loss: SwitchLoss, spares: SpareHistory | None) -> str:
    """Return whether a job that lost nodes restarts on spares that were free, for which part of the run, else when.

    With fewer it waits for the switch, or until so many are free, what comes first.
    """
    of_all = f"{loss.job_nodes:,} of {counted(loss.spares, 'spare node')}"
    if spares is None:
        return f" and restarts on {of_all}, if they are free"
    if spares.least >= loss.job_nodes:
        return f" and restarts on {of_all}: {spares.least:,} or more were free all the time"
    share, (wait_s, open_end) = spares.share(loss.job_nodes), spares.wait_s(loss.job_nodes)
    repair, wait = (length(round(seconds / 60.0) * 60.0) for seconds in (spares.switch_repair_s, wait_s))
    return (
        f" and needs {of_all}: so many were free in {percent(share, 0)} of the time ({spares.median:,} in the median, "
        f"{spares.least:,} at least). Then it restarts; else it waits for the {loss.role.words} (a technician on site "
        f"takes {length(spares.switch_hands_s)}, its repair without one {repair} in the median) or for spares "
        f"({'at least ' if open_end else ''}{wait} in the mean)"
    )


def network_table(found: NetworkLimits | None, spares: SpareHistory | None = None) -> Markup | None:
    """Return the limits of the network with one switch lost as a table; None: there is no switch."""
    if found is None or not found.losses:
        return None
    rows: list[tuple[Child, ...]] = []
    if found.busiest is not None:
        rows.append(("No switch", "none", _share(found.busiest), _share(found.mean), "as usual", ""))
    rows += [
        (
            f"{capitalised(loss.role.words)} {loss.switch}, one of {loss.alike:,}",
            cut_words(loss),
            _share(loss.busiest),
            _share(loss.mean),
            step_words(loss),
            capitalised(holds_words(loss, spares)),
        )
        for loss in found.losses
    ]
    heads = ("lost", "cut off", "busiest link", "in the mean", "a step", "what holds")
    of_job = f" on job {found.job}" if found.job else ""
    return joined(
        [
            table(
                heads, rows, right=2, left=2, caption=f"Limits of the network with one switch lost{of_job}"
            ),
            tag("p", _OF_SWITCHES, class_="note"),
        ]
    )


def cut_words(loss: SwitchLoss) -> str:
    """Return which GPUs a loss cuts off.

    >>> from twin.plant.tables import SwitchRole
    >>> cut_words(SwitchLoss("f", SwitchRole.LEAF, "s", 4, nodes=8, gpus=64, racks=("a/0", "a/1")))
    '64 GPUs of 8 nodes in 2 racks, a/0 to a/1'
    """
    if not loss.gpus:
        return "none"
    first, last = loss.racks[0], loss.racks[-1]
    where = f"rack {first}" if len(loss.racks) == 1 else f"{len(loss.racks):,} racks, {first} to {last}"
    return f"{loss.gpus:,} GPUs of {counted(loss.nodes, 'node')} in {where}"


def _share(share: float | None) -> Child:
    return "" if share is None else number(share, percent(share, 0))
