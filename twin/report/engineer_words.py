"""What GPU time, power, cooling and repairs come to in sentences, for who builds and runs the site."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.figures import repair_time
from twin.arrays import Floats
from twin.language import counted
from twin.record.accounts import RESTING
from twin.record.site_year import SiteYear
from twin.report.limits.load_limits import limits_words, utility_words
from twin.report.limits.switch_limits import network_words
from twin.report.markup import Markup, joined, tag
from twin.report.run_data import RunFacts
from twin.report.run_facts import PEAK_OF
from twin.report.run_summary import interval
from twin.report.training_progress import under_way
from twin.report.words import amount, length, percent, rounded
from twin.scenario.schema.document import Scenario
from twin.shown_text import inner

_MANY = 10
"""From so many restarts on their 90 % quantile is not the longest one."""
_CAUSES = 4
"""So many causes are told, the dearest ones."""
_STANDS = 10.0
"""A count that scatters by no more than this stands for a longer time [%]."""
_GROW = 1.05
"""Nodes in repair of a whole job over those of a part of it from which on they are told to grow [-]."""


def utility_w(scenario: Scenario) -> float:
    """Return what the utility may give [W]; 0: not said."""
    stages = [stage for stage in scenario.power if stage.kind == "utility"]
    return sum((stage.capacity_w or 0.0) * stage.count * stage.units for stage in stages)


def year_peak_words(year: SiteYear, supply_w: float) -> str:
    """Return the peak of the typical year beside what the utility may give, in a sentence."""
    peak_w = float(year.grid_w.max())
    when = (
        f"No place is set: in the hottest hour of a mean day ({float(np.max(year.air.dry_c)):.1f} °C outside: no hot "
        "day was tested)"
        if year.mean_day
        else "In the hottest hour of a typical year"
    )
    asked = f"{when}, racks at {percent(year.load, 0)} of design power, the site asks the grid for"
    if not supply_w:
        return f"{asked} {amount(peak_w, 'power')}."
    over = ", more than the utility may give" if peak_w > supply_w else ""
    return f"{asked} {amount(peak_w, 'power')} of {amount(supply_w, 'power')}{over}."


def limit_answer(facts: RunFacts) -> tuple[Markup, ...]:
    """Return whether power, cooling and network hold, a paragraph each, and with a feed or unit lost."""
    it_max_w = facts.summary.get("power", {}).get("it_max_w")
    said = {
        "Power": power_words(facts),
        "Cooling": cooling_words(facts),
        "With a feed or unit lost": " ".join(
            words for words in (limits_words(facts.limits, it_max_w), utility_words(facts.limits)) if words
        ),
        "Network": network_words(facts.network, facts.link_load, facts.free_spares),
    }
    return tuple(joined([tag("b", f"{subject}:"), " ", words]) for subject, words in said.items() if words)


def power_words(facts: RunFacts) -> str:
    """Return what the site drew beside what the utility may give."""
    supply_w = utility_w(facts.scenario)
    beside_w = facts.limits.beside_w if facts.limits is not None else 0.0
    beside = f" and {amount(beside_w, 'power')} of sources on site" if beside_w else ""
    of = f" of {amount(supply_w, 'power')} at the utility{beside}" if supply_w else ""
    momentary_w, drop_w = momentary_peak_w(facts), checkpoint_drop_w(facts)
    swings = (
        f"; for moments of a training step about {amount(momentary_w, 'power', 3)}" if momentary_w else ""
    )
    said = [
        f"The site drew {facts.words('power_max_w')} at most{of} ({PEAK_OF}{swings}), with a PUE of "
        f"{facts.words('pue')}."
    ]
    exposure = facts.exposure
    if drop_w and exposure is not None:
        often = f" checkpoint (every {length(exposure.interval_s)}) and" if exposure.saves else ""
        said.append(f"At each{often} stop about {amount(drop_w, 'power', 2)} of IT power falls off.")
    if facts.year is not None:
        said.append(year_peak_words(facts.year, supply_w))
    return " ".join(said)


def cooling_words(facts: RunFacts) -> str:
    """Return how near GPUs came to their limit, whether heat slowed them, and the water it took."""
    throttled = facts.figure("throttle_gpu_s") or 0.0
    hot = (
        f"heat slowed GPUs for {amount(throttled / 3600.0, 'gpu_hours')}"
        if throttled > 0.0
        else "heat slowed none"
    )
    limit = f"clocks fall above {facts.clock_limit_c:g} °C, and " if facts.clock_limit_c else ""
    wue = facts.summary.get("wue_l_kwh")
    water = f" ({rounded(wue, 3)} L/kWh)" if isinstance(wue, float) and wue else ""
    took = f"{facts.words('water_l')} of water{water}" if facts.figure("water_l") else "no water"
    return f"The hottest GPU was at {facts.words('gpu_max_c')}; {limit}{hot}. Cooling took {took}."


def momentary_peak_w(facts: RunFacts) -> float | None:
    """Return the power at the top of a training step: mean and the part of the swing above it [W]; None: unknown."""
    swing_w = facts.summary.get("facility", {}).get("swing", {}).get("site_w")
    mean_w = facts.figure("power_max_w")
    if not swing_w or mean_w is None or facts.step is None:
        return None
    return mean_w + float(swing_w) * (1.0 - facts.step.wave.duty)


def checkpoint_drop_w(facts: RunFacts) -> float | None:
    """Return by how much the nodes of the job fall from the mean of a step while they wait [W]; None: unknown."""
    return None if facts.step is None else facts.step.step_w - facts.step.idle_w


def losses_words(facts: RunFacts) -> str:
    """Return where the GPU time went, what of their time jobs kept, and what stops took."""
    if not sum(facts.ledger_gpu_s.values()):
        return "Nothing is booked yet."
    most = facts.losses[:4]
    named = ", ".join(f"{account_title(loss)} ({percent(facts.share(loss))})" for loss in most)
    said = f"{percent(facts.share('productive'))} was productive. The largest losses: {named}."
    stops, planned = (facts.figure(key) or 0.0 for key in ("interruptions", "planned"))
    if stops + planned and (ettr := facts.figure("ettr")) is not None:
        share = facts.stops_share
        took = "" if share is None else f", took {percent(share, 2)} of all GPU time"
        said += (
            f" Jobs kept {percent(ettr)} of their time (ETTR); {counted(round(stops + planned), 'stop')}, "
            f"{planned:,.0f} of them planned{took}."
        )
    return said


# --- repairs


def repairs_words(repairs: Mapping[str, Any]) -> str:
    """Return which repairs a mean is of: the longest are those that have not ended."""
    done = counted(int(repairs.get("done") or 0), "repair")
    still = int(repairs.get("open") or 0)
    return f"over {done} that ended; {still:,} still open" if still else f"over {done}"


def held_nodes(facts: RunFacts) -> float:
    """Return how many nodes jobs held in the mean: those whose failures interrupt one."""
    gpus, nodes = facts.summary.get("gpus"), facts.summary.get("nodes")
    if not gpus or not nodes or facts.end_s <= 0.0:
        return 0.0
    held_gpu_s = sum(gpu_s for account, gpu_s in facts.ledger_gpu_s.items() if account not in RESTING)
    return held_gpu_s / facts.end_s * float(nodes) / float(gpus)


def spare_nodes(facts: RunFacts) -> int:
    """Return how many nodes no job of the scene asks for; 0: none, or unknown."""
    return facts.exposure.model.spares if facts.exposure is not None else 0


def reliability_words(facts: RunFacts) -> str:
    """Return how reliable the run was."""
    between_s = interval(facts)
    if between_s is None:
        return "No job was interrupted unexpectedly."
    count = facts.figure("interruptions") or 0.0
    often = f" every {length(between_s)}, {count:,.0f} in all" if count > 1 else ""
    said = [f"One unexpected interruption{often}.", restart_words(facts)]
    repairs, down = facts.summary.get("repairs", {}), facts.summary.get("failures", {}).get("down", {})
    if (time := repair_time(facts.summary)) is not None and time.at_least_s:
        ended_s = repairs.get("mean_down_s")
        known = (
            f"; the {repairs['done']:,} that ended took {length(ended_s)}" if time.open and ended_s else ""
        )
        still = (
            f", {time.open:,} of {time.begun:,} still open and counted up to the end{known}"
            if time.open
            else f" over {counted(time.begun, 'repair')}"
        )
        spares = spare_nodes(facts)
        beside = f", beside {counted(spares, 'spare node')}" if spares else ""
        said.append(
            f"A repair took {length(time.at_least_s)} in the mean{still}. {rounded(time.nodes, 3)} nodes were out in "
            f"the mean and {int(down.get('most', 0)):,} at most{beside}."
        )
    dearest = facts.incidents.by_cause[:_CAUSES]
    installed = facts.incidents.installed_gpu_s
    if dearest and facts.incidents.priced and installed:
        named = ", ".join(
            f"{inner(total.title)} ({total.count:,}, {percent(total.gpu_s / installed, 2)})"
            for total in dearest
        )
        said.append(f"Dearest causes (incidents, part of all GPU time): {named}.")
    said.append(standing_words(facts))
    return " ".join(part for part in said if part)


def standing_words(facts: RunFacts) -> str:
    """Return whether a run that is shorter than its job stands for the whole of it; "": it is not, or nothing fails.

    The number of stops is Poisson: it scatters by one over its root. Nodes in repair grow while repairs outlast a run.
    """
    going, expected = under_way(facts), facts.expected
    if going is None or not expected:
        return ""
    _, progress = going
    ran_s = progress.end_s - progress.begin_s
    here, over_all = (100.0 / math.sqrt(expected * times) for times in (1.0, progress.whole_s / ran_s))
    verdict = "stand for" if here <= _STANDS else "say little of"
    said = (
        f"For stops these {length(ran_s)} {verdict} the {rounded(progress.whole_s / 86400.0, 3)} days of the job: "
        f"their number scatters by {here:.0f} % ({over_all:.0f} % over all of it)"
    )
    model = facts.exposure.model if facts.exposure is not None else None
    if model is None or not model.in_repair:
        return f"{said}."
    now, later = (model.in_repair_within(seconds) for seconds in (ran_s, progress.whole_s))
    if later <= _GROW * now:
        return f"{said}; nodes in repair do not grow."
    time = repair_time(facts.summary)
    seen = f" ({rounded(time.nodes, 3)} in this one)" if time is not None and time.at_least_s else ""
    grow = f"from {rounded(now, 3)}{seen} to {rounded(later, 3)}"
    return f"{said}; in the mean of many runs nodes in repair grow {grow}."


def restart_words(facts: RunFacts) -> str:
    """Return how long it took from a stop to the next step: mean, P90 of many, and longest; "": nothing stopped."""
    lasted_s = facts.restarts_s
    if not len(lasted_s):
        return ""
    mean, p90, most = (
        length(round(float(seconds)))
        for seconds in (lasted_s.mean(), np.quantile(lasted_s, 0.9), lasted_s.max())
    )
    if len(lasted_s) == 1:
        return f"From the stop to the next step it took {mean}."
    of_many = f"P90 {p90}, " if len(lasted_s) >= _MANY else ""
    return f"From a stop to the next step it took {mean} in the mean, {of_many}{most} at most{raised_words(lasted_s)}."


def raised_words(lasted_s: Floats) -> str:
    """Return, where the mean of many restarts is above their P90, which raise it, after a colon; "": it is not.

    >>> raised_words(np.array([60.0] * 19 + [900.0])), raised_words(np.array([60.0] * 20))
    (': the longest raises the mean', '')
    """
    p90_s = float(np.quantile(lasted_s, 0.9))
    if len(lasted_s) < _MANY or float(lasted_s.mean()) <= p90_s:
        return ""
    longest_s = lasted_s[lasted_s > p90_s]
    if len(longest_s) == 1:
        return ": the longest raises the mean"
    return f": the {len(longest_s):,} longest, {length(round(float(longest_s.mean())))} in the mean, raise the mean"
