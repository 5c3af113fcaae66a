"""Rules behind a run with its own figures, for who teaches: goodput to productive time, failures, checkpoints."""

from __future__ import annotations

from collections.abc import Sequence

from twin.analysis.account_words import account_title
from twin.analysis.figures import RepairTime, repair_time
from twin.language import counted
from twin.planning.risk.risk import JobRisk
from twin.record.accounts import RESTING
from twin.report.loss_groups import WITHIN_STEPS, time_shares
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.run_data import RunFacts
from twin.report.run_rules import rules_of_run, sizes_words
from twin.report.run_summary import interval
from twin.report.words import length, parts_in, percent, rounded
from twin.units import spoken

_EXPOSED = "exposed_"
_SAME = 5e-4
"""Goodput and the share of kept steps are told as one below this difference."""
_SHORT = 0.9
"""Below this share of the nodes in repair in the long run a run is told to be too short for them."""
YOUNG = "interval = \N{SQUARE ROOT}(2 w M)"
DALY = "interval = \N{SQUARE ROOT}(2 w M) (1 + \N{SQUARE ROOT}(w / 2M) / 3 + w / 18M) \N{MINUS SIGN} w"
FIRST_ORDER = "share = w / interval + interval / 2M"


def time_words(facts: RunFacts) -> str:
    """Return how the share of kept steps becomes that of productive time, term by term, in one line."""
    shares = time_shares(facts.ledger_gpu_s)
    if shares is None:
        return "No job held GPUs."
    kept, goodput = shares.kept / shares.held, facts.figure("goodput")
    same = ", goodput"
    if goodput is None or abs(goodput - kept) >= _SAME:
        same = (
            "" if goodput is None else f"; goodput, over an ideal run of the jobs, is {percent(goodput, 2)}"
        )
    stops = [loss for loss in facts.losses if loss not in RESTING and loss not in WITHIN_STEPS]
    idle = [loss for loss in facts.losses if loss in RESTING]
    waits = [loss for loss in facts.losses if loss in WITHIN_STEPS]
    return (
        f"Installed 100 %{_less(facts, idle, 1.0, shares.held)} = {percent(shares.held, 2)} held by jobs"
        f"{_less(facts, stops, shares.held, shares.kept)} = {percent(shares.kept, 2)} in kept steps "
        f"({percent(kept, 2)} of the held time{same}){_less(facts, waits, shares.kept, shares.productive)} = "
        f"{percent(shares.productive, 2)} productive."
    )


def _less(facts: RunFacts, losses: Sequence[str], before: float, after: float) -> str:
    """Return what is taken off a share of the installed GPU time, term by term in percent: as printed it adds up."""
    terms: dict[str, float] = {}
    for account in losses:
        title = "exposed communication" if account.startswith(_EXPOSED) else account_title(account)
        terms[title] = terms.get(title, 0.0) + facts.share(account)
    whole = round(100.0 * before, 2) - round(100.0 * after, 2)
    told = parts_in(whole, [100.0 * share for share in terms.values()], 2)
    return "".join(
        f" \N{MINUS SIGN} {amount} {title}"
        for title, amount in zip(terms, told, strict=True)
        if float(amount)
    )


def theory(facts: RunFacts) -> Markup:
    """Return the rules behind a run, each with its formula and what it comes to in this run."""
    failures, checkpoints = _failures(facts), _checkpoints(facts) if facts.exposure is not None else []
    rows = [*rules_of_run(facts), *failures, *checkpoints]
    if not rows:
        return tag("p", "Nothing worked, failed or was saved: there is nothing to hold against a rule.")
    note = "w: pause of a job while a checkpoint is written; M: mean time between stops of the job that undo work."
    heads = ("rule", "formula", "in this run")
    return joined(
        [table(heads, rows, class_="sources"), tag("p", note, class_="note") if checkpoints else None]
    )


def _failures(facts: RunFacts) -> list[tuple[Child, ...]]:
    rows: list[tuple[Child, ...]] = []
    between_s = interval(facts)
    count = round(facts.figure("interruptions") or 0)
    seen = (
        f"Seen: {counted(count, 'unexpected interruption')} in {length(facts.end_s)}, one every {length(between_s)}"
        if between_s is not None
        else ""
    )
    model = facts.exposure.model if facts.exposure is not None else None
    if model is not None and model.unexpected_rate_s:
        gpus, nodes = facts.summary.get("gpus"), facts.summary.get("nodes")
        each = round(gpus / nodes) if gpus and nodes else 0
        node_s = 1.0 / model.unexpected_rate_s
        sizes = f": {sizes_words(node_s, model.nodes, each)}" if each else ""
        rows.append(
            (
                "Time between unexpected stops",
                "that of one node / N nodes",
                f"By the rates one stop a node in {length(node_s)}{sizes}. {seen}",
            )
        )
    elif seen:
        rows.append(("Time between unexpected stops", "time / stops", seen))
    if (time := repair_time(facts.summary)) is not None and time.at_least_s:
        rows.append(
            ("Nodes in repair (Little)", "repairs begun a day x mean repair time", _repair(facts, time))
        )
    return rows


def _repair(facts: RunFacts, time: RepairTime) -> str:
    """Return the nodes in repair that the rates come to in the long run and within the time of the run."""
    model = facts.exposure.model if facts.exposure is not None else None
    seen = f"{rounded(time.nodes, 3)} in this run"
    if model is None or not model.in_repair:
        return seen
    begun = model.fleet * model.repair_rate_s
    within = model.in_repair_within(facts.end_s)
    why = (
        f"; {rounded(within, 3)} in the mean of many runs of {length(facts.end_s)}, which begin with none and end "
        "before the longest repairs do"
        if within < _SHORT * model.in_repair
        else ""
    )
    return (
        f"By the rates {rounded(begun * 86400.0, 3)} x {length(model.in_repair / begun)} = "
        f"{rounded(model.in_repair, 3)} in the long run{why}; {seen}"
    )


def _checkpoints(facts: RunFacts) -> list[tuple[Child, ...]]:
    exposure = facts.exposure
    assert exposure is not None
    best = best_intervals(exposure)
    if best is None:
        return []
    young_s, daly_s = best
    between_s = exposure.model.mean_between_losses_s
    saves = f"saves every {length(exposure.interval_s)}" if exposure.saves else "never saves"
    rows: list[tuple[Child, ...]] = [
        (
            "Young's rule",
            YOUNG,
            f"w = {spoken(exposure.pause_s)}, M = {length(round(between_s / 60.0) * 60.0)} by the rates of all stops "
            f"that undo work, planned ones too: {length(round(young_s))}",
        ),
        ("Daly's rule", DALY, f"{length(round(daly_s))}; the job {saves}, in whole steps"),
    ]
    if exposure.saves:
        held = time_shares(facts.ledger_gpu_s)
        seen = (
            f"; of the time held the ledger has {percent(facts.share('checkpoint_stall') / held.held, 2)} checkpoint "
            f"stall and {percent(facts.share('lost_work') / held.held, 2)} lost work"
            if held is not None and len(facts.summary.get("jobs", ())) == 1
            else ""
        )
        rows.append(("Cost of checkpoints", FIRST_ORDER, f"{first_order_words(exposure)}{seen}"))
    return rows


def best_intervals(exposure: JobRisk) -> tuple[float, float] | None:
    """Return the intervals by Young's and by Daly's rule [s]; None: nothing stops the job, or a write costs nothing."""
    return exposure.rule_intervals


def first_order(exposure: JobRisk) -> float:
    """Return the share that checkpoints and lost work take at the interval of a job, to the first order."""
    return exposure.loss_at(exposure.interval_s).whole


def first_order_words(exposure: JobRisk) -> str:
    """Return what checkpoints and lost work take at the interval of a job, to the first order."""
    loss = exposure.loss_at(exposure.interval_s)
    whole = round(loss.writes, 4) + round(loss.lost, 4)
    return f"{percent(loss.writes, 2)} + {percent(loss.lost, 2)} = {percent(whole, 2)}"
