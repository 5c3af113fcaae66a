"""Rules behind a run with its own figures, for who teaches: goodput to productive time, failures, checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twin.analysis.account_words import account_title
from twin.analysis.figures import RepairTime, repair_time
from twin.language import counted
from twin.planning.risk.risk import JobRisk
from twin.record.accounts import RESTING
from twin.report.loss_groups import WITHIN_STEPS, hundredths, in_percent, time_shares
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.run_data import RunFacts
from twin.report.run_rules import kept_step_s, rules_of_run, sizes_words
from twin.report.run_summary import interval
from twin.report.step_computation import computation_table
from twin.report.words import length, percent, rounded
from twin.units import spoken

_EXPOSED = "exposed_"
_SAME = 5e-4
"""Goodput and the share of kept steps are told as one below this difference."""
_SHORT = 0.9
"""Below this share of the nodes in repair in the long run a run is told to be too short for them."""
YOUNG = "interval = \N{SQUARE ROOT}(2 w M)"
DALY = "interval = \N{SQUARE ROOT}(2 w M) (1 + \N{SQUARE ROOT}(w / 2M) / 3 + w / 18M) \N{MINUS SIGN} w"
FIRST_ORDER = "share = w / interval + interval / 2M"

BETWEEN = "Unexpected stops (MTBF)"
SOURCES: Mapping[str, str] = {
    "Pipeline bubble": "Narayanan et al. 2021, SC '21, section 2.2",
    "MFU": "Chowdhery et al. 2022, arXiv 2204.02311, appendix B",
    "PUE, WUE": "ISO/IEC 30134-2:2016, 30134-9:2022",
    "Nodes in repair (Little)": "Little 1961, Operations Research 9, p. 383",
    "Young's rule": "Young 1974, CACM 17, p. 530",
    "Daly's rule": "Daly 2006, FGCS 22, p. 303",
}
"""Where rules were published, by their title."""


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
    told = hundredths(facts.ledger_gpu_s)
    losses = [account for account in facts.losses if account in told]
    idle = [account for account in losses if account in RESTING]
    waits = [account for account in losses if account in WITHIN_STEPS]
    stops = [account for account in losses if account not in RESTING and account not in WITHIN_STEPS]
    held = 10_000 - sum(told[account] for account in idle)
    in_steps = held - sum(told[account] for account in stops)
    productive = in_steps - sum(told[account] for account in waits)
    return (
        f"Installed 100 %{_less(told, idle)} = {in_percent(held)} held by jobs{_less(told, stops)} = "
        f"{in_percent(in_steps)} in kept steps ({percent(kept, 2)} of the held time{same}){_less(told, waits)} = "
        f"{in_percent(productive)} productive."
    )


def _less(told: Mapping[str, int], losses: Sequence[str]) -> str:
    """Return what accounts take off, one after the other, in percent as the ledger has it; communication in one."""
    terms: dict[str, int] = {}
    for account in losses:
        title = "exposed communication" if account.startswith(_EXPOSED) else account_title(account)
        terms[title] = terms.get(title, 0) + told[account]
    return "".join(f" \N{MINUS SIGN} {share / 100.0:.2f} {title}" for title, share in terms.items() if share)


def theory(facts: RunFacts) -> Markup:
    """Return the rules behind a run, each with its formula and what it comes to in this run."""
    failures, checkpoints = (
        failure_rules(facts),
        checkpoint_rules(facts) if facts.exposure is not None else [],
    )
    rows = [*rules_of_run(facts), *failures, *checkpoints]
    if not rows:
        return tag("p", "Nothing worked, failed or was saved: there is nothing to hold against a rule.")
    computation = facts.step.computation if facts.step is not None else None
    step_s = kept_step_s(facts)
    note = "w: pause of a job while a checkpoint is written; M: mean time between stops of the job that undo work."
    heads = ("rule", "formula", "in this run")
    return joined(
        [
            table(heads, rows),
            tag("p", note, class_="note") if checkpoints else None,
            tag("p", sources, class_="note")
            if (sources := sources_words([str(title) for title, *_ in rows]))
            else None,
            computation_table(computation, step_s["productive"] if step_s is not None else None)
            if computation is not None
            else None,
        ]
    )


def sources_words(rules: Sequence[str]) -> str:
    """Return where rules were published, by their titles: author, year and place; "": none was."""
    said = [f"{SOURCES[rule]} ({rule})" for rule in rules if rule in SOURCES]
    return f"Sources: {'; '.join(said)}." if said else ""


def failure_rules(facts: RunFacts) -> list[tuple[Child, ...]]:
    """Return the rows of the rules of stops and repairs: MTBF of many nodes, and Little's law."""
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
                BETWEEN,
                "that of one node / N nodes",
                f"By the rates one stop a node in {length(node_s)}{sizes}. {seen}",
            )
        )
    elif seen:
        rows.append((BETWEEN, "time / stops", seen))
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


def checkpoint_rules(facts: RunFacts) -> list[tuple[Child, ...]]:
    """Return the rows of the rules of checkpoints, none where nothing stops the job or a write costs nothing."""
    exposure = facts.exposure
    best = best_intervals(exposure) if exposure is not None else None
    if exposure is None or best is None:
        return []
    young_s, daly_s = best
    between_s = exposure.model.mean_between_losses_s
    saves = f"saves every {length(exposure.interval_s)}" if exposure.saves else "never saves"
    rows: list[tuple[Child, ...]] = [
        (
            "Young's rule",
            YOUNG,
            f"w = {spoken(exposure.pause_s)}, M = {length(round(between_s / 60.0) * 60.0)} by the rates of all stops "
            f"that undo work, planned ones too ({facts.end_s / between_s:,.0f} in {length(facts.end_s)}"
            f"{_seen_words(facts, exposure)}): {length(round(young_s))}",
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


def _seen_words(facts: RunFacts, exposure: JobRisk) -> str:
    """Return how many stops undid work in the run, and one in which time; "": jobs share them, or some save first."""
    stops = sum(facts.figure(key) or 0.0 for key in ("interruptions", "planned"))
    if facts.incidents.priced:
        found = [stop for incident in facts.incidents.all for stop in incident.stops]
        stops = sum(stop.gpu_s.get("lost_work", 0.0) > 0.0 for stop in found)
    saved = any(cause.saves for cause in exposure.model.causes)
    if not stops or saved or len(facts.summary.get("jobs", ())) != 1:
        return ""
    return f"; seen: {stops:,.0f}, one every {length(round(facts.end_s / stops / 60.0) * 60.0)}"


def best_intervals(exposure: JobRisk) -> tuple[float, float] | None:
    """Return the intervals by Young's and by Daly's rule [s]; None: nothing stops the job, or a write costs nothing."""
    return exposure.rule_intervals


def first_order_words(exposure: JobRisk) -> str:
    """Return what checkpoints and lost work take at the interval of a job, to the first order."""
    loss = exposure.loss_at(exposure.interval_s)
    whole = round(loss.writes, 4) + round(loss.lost, 4)
    return f"{percent(loss.writes, 2)} + {percent(loss.lost, 2)} = {percent(whole, 2)}"
