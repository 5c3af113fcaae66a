"""Preemption: which running jobs give way to the first waiting one."""

from __future__ import annotations

import numpy as np

from twin.scenario.schema.scheduling import Preemption
from twin.schedule.queue import NOBODY, Holding, SiteView
from twin.schedule.trial import Trial


def victims(job: int, trial: Trial, site: SiteView, rules: Preemption) -> tuple[list[int], float]:
    """Return the jobs that give way to `job`, and when one may that has not run for long enough yet [s].

    Those of lower priority that are preemptible give way, and of tenants above their quota, if `job` is within its
    own, preemptible or not, whatever was borrowed. A job that would have to borrow takes by priority from its own
    tenant and from those who borrow alone: else the two rules could take the same nodes back and forth for ever.
    Borrowed nodes go first, then the lowest priority, then whoever began last. No more give way than have to; where
    even all would not do, nobody does. Nodes of those who are leaving already count as free.
    """
    requests, now_s = trial.rules.requests, site.now_s
    running = site.holdings()
    leaving = [holding for holding in running if holding.leaving]
    if _room_without(job, trial, leaving):
        return [], np.inf
    willing: list[tuple[bool, float, float, int, Holding]] = []
    ready_s = np.inf
    over = trial.rules.quotas.borrowed(trial.stock.used)  # GPUs each tenant holds above its quota
    within = (
        bool(trial.rules.quotas.within(np.array([job]), requests, trial.stock.used)[0]) or not rules.reclaim
    )
    borrowed = over.copy() if rules.reclaim and within else np.zeros(len(trial.stock.used))

    def lower(holding: Holding) -> bool:
        """Whether it may be made to give way whatever its tenant holds."""
        preemptible = requests.rows[holding.job].preemptible
        if not preemptible or requests.priority[holding.job] >= requests.priority[job]:
            return False
        return (
            within
            or requests.tenant[holding.job] == requests.tenant[job]
            or bool(over[requests.tenant[holding.job]] > 0)
        )

    for holding in running:
        above = bool(borrowed[requests.tenant[holding.job]] > 0)
        if holding.leaving or not (lower(holding) or above):
            continue
        if now_s < holding.start_s + rules.minimum_s:
            ready_s = min(ready_s, holding.start_s + rules.minimum_s)
            continue
        willing.append(
            (not above, float(requests.priority[holding.job]), -holding.start_s, -holding.job, holding)
        )
    willing.sort(key=lambda row: row[:4])
    chosen: list[Holding] = []
    for *_, holding in willing:
        tenant = int(requests.tenant[holding.job])
        if borrowed[tenant] <= 0 and not lower(holding):
            continue  # its tenant has given back what it borrowed
        chosen.append(holding)
        borrowed[tenant] -= requests.gpus[holding.job]
        if _room_without(job, trial, leaving + chosen):
            break
    else:
        return [], ready_s
    for holding in list(chosen):  # an early one may not be needed any more
        fewer = [kept for kept in chosen if kept is not holding]
        if _room_without(job, trial, leaving + fewer):
            chosen = fewer
    return [holding.job for holding in chosen], np.inf


def _room_without(job: int, trial: Trial, gone: list[Holding]) -> bool:
    """Return whether `job` fits once these jobs have gone."""
    rules = trial.rules
    requests = rules.requests
    stock = trial.stock
    free, free_gpus, holder = stock.free.copy(), stock.free_gpus.copy(), stock.holder.copy()
    fit = trial.site.end_s < np.inf
    for holding in gone:
        row, nodes = requests.rows[holding.job], np.asarray(holding.nodes, np.intp)
        whole = nodes[: len(nodes) - bool(row.rest or row.slices)]
        free[whole] = fit[whole]
        free_gpus[whole] = np.where(fit[whole], trial.site.gpus[whole], 0)
        holder[whole] = NOBODY
        if row.rest and len(nodes):
            last = int(nodes[-1])
            free_gpus[last] += row.rest
            if free_gpus[last] >= trial.site.gpus[last]:
                free[last], holder[last] = fit[last], NOBODY
    barred = trial.barred(job, holder=holder) if rules.windows or rules.isolation is not None else None
    row = requests.rows[job]
    whole_needed = int(requests.whole[job])
    for group in rules.places[row.place]:
        usable = group if barred is None else group & ~barred
        count = int(np.count_nonzero(free & usable))
        if count < whole_needed:
            continue
        if not requests.partial[job] or count > whole_needed:
            return True
        if bool((free_gpus[usable & ~free] >= max(1, row.rest)).any()):
            return True
    return False
