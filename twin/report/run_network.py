"""Limits of the network: how full the busiest link is with all switches and with one lost, and whom that cuts off."""

from __future__ import annotations

from twin.language import counted
from twin.planning.network.switch_loss import HOLDS, NetworkLimits, SwitchLoss
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import percent
from twin.shown_text import capitalised

_AS_LONG = 5e-4
"""A step that is longer by less than this part of it is told as as long [-]."""
_SAME = "as long"
_NOTE = (
    "Of each tier the switch whose loss is worst, by the routes of the model. Busiest link: its load while the job "
    "communicates as fast as with all switches, over what the technology of the fabric lets through; above 100 % it "
    "communicates that much slower. Not among them: two switches lost at once, and a switch lost with its power."
)


def network_words(found: NetworkLimits | None, link_load: float | None) -> str:
    """Return how near the network is to its limit, with all switches and with one lost; "": nothing is known.

    Parameters
    ----------
    link_load
        Highest load of a link in the run, as the mean over a step [-]; None: none carried anything.
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
        said += [_loss_words(loss, found) for loss in found.losses]
    return " ".join(said)


def _loss_words(loss: SwitchLoss, found: NetworkLimits) -> str:
    """Return what comes of the loss of a switch and what would hold, in a sentence."""
    lost = f"With a {loss.role.words} lost"
    if not loss.gpus:
        full = "" if loss.busiest is None else f" it is asked for {percent(loss.busiest, 0)}"
        return f"{lost}{full}: {holds_words(loss)}."
    return (
        f"{lost} {counted(loss.nodes, 'node')} ({loss.gpus:,} GPUs) {'is' if loss.nodes == 1 else 'are'} cut off: "
        f"{holds_words(loss)}."
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
    return _SAME if longer < _AS_LONG else f"{percent(longer)} longer"


def holds_words(loss: SwitchLoss) -> str:
    """Return whether the job goes on after a loss, and what would let it."""
    if loss.job_nodes > loss.spares:
        lacks = loss.job_nodes - loss.spares
        instead = (
            f"no node is spare for the {loss.job_nodes:,} of the job"
            if not loss.spares
            else (f"{counted(loss.spares, 'spare node')} for the {loss.job_nodes:,} of the job")
        )
        return (
            f"the job stops, {instead}; to hold: cards on two leaves (homes: 2), or {counted(lacks, 'more spare node')}"
            " behind others"
        )
    if loss.job_nodes:
        return (
            f"the job stops and restarts on {loss.job_nodes:,} of {counted(loss.spares, 'spare node')}; with cards on "
            "two leaves (homes: 2) it would go on, these at half their bandwidth"
        )
    if loss.step is None:
        return "no node of a job is among them" if loss.gpus else "nobody is cut off"
    less = (
        ""
        if loss.busiest is None or loss.busiest <= 1.0
        else f"{percent(1.0 - 1.0 / loss.busiest, 0)} less bandwidth, "
    )
    slower = f"{less}a step {'takes as long' if step_words(loss) == _SAME else step_words(loss)}"
    if loss.step <= HOLDS:
        return f"it holds: {slower}"
    more = f"; to hold: {counted(loss.more, f'more {loss.role.words}')} beside it" if loss.more else ""
    return f"{slower}{more}"


def network_table(found: NetworkLimits | None) -> Markup | None:
    """Return the limits of the network with one switch lost as a table; None: there is no switch."""
    if found is None or not found.losses:
        return None
    rows: list[tuple[Child, ...]] = []
    if found.busiest is not None:
        rows.append(("None", "", _share(found.busiest), _share(found.mean), "usual", ""))
    rows += [
        (
            f"{capitalised(loss.role.words)} {loss.switch}, one of {loss.alike:,}",
            cut_words(loss),
            _share(loss.busiest),
            _share(loss.mean),
            step_words(loss),
            capitalised(holds_words(loss)),
        )
        for loss in found.losses
    ]
    heads = ("lost", "cut off", "busiest link", "mean of a step", "step", "what holds")
    of_job = f" on job {found.job}" if found.job else ""
    return joined(
        [
            table(
                heads, rows, right=2, left=2, caption=f"Limits of the network with one switch lost{of_job}"
            ),
            tag("p", _NOTE, class_="note"),
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
