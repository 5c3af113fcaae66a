"""What is known of a run that the parts of its report tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from twin.analysis.figures import FIGURES, Summary
from twin.analysis.incidents import RunIncidents
from twin.analysis.spare_history import SpareHistory
from twin.arrays import Floats
from twin.economics.ledger_usd import LedgerUsd
from twin.planning.network.switch_loss import NetworkLimits
from twin.planning.risk.risk import JobRisk
from twin.record.site_year import SiteYear
from twin.report.job_step import JobStep
from twin.report.limits.load_limits import LoadLimits
from twin.report.markup import Markup
from twin.report.published import PublishedFigure
from twin.report.run_facts import figure_cell, ledger_rows
from twin.report.run_incidents import restarts_s
from twin.report.run_money import RunMoney
from twin.report.words import figure_text, figure_title
from twin.scenario.schema.document import Scenario
from twin.studies.bands import SeedBands

_BY_KEY = {figure.key: figure for figure in FIGURES}


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run that its parts tell: scene, figures, ledger [GPU s], incidents, money, published figures.

    `over` is False of a run that has not finished: its figures are those so far. `expected` are the unexpected
    interruptions that the rates give in the mean, `exposure` what failures the largest job is exposed to,
    `clock_limit_c` the temperature above which clocks of GPUs fall [degC], `whole_tokens` those of the published
    training of the model, `step` the one of the only training, `limits` those of power and cooling,
    `slow_nodes` the share of the time lost to stragglers that slow nodes took, `link_load` the highest load of a link
    of the fabrics, as the mean over a step [-], `network` that of the network with one switch lost,
    `free_spares` the spare nodes that were free.
    """

    scenario: Scenario
    summary: Summary
    over: bool
    end_s: float
    ledger_gpu_s: Mapping[str, float]
    incidents: RunIncidents
    money: RunMoney | str
    published: tuple[PublishedFigure, ...]
    bands: SeedBands | None = None
    year: SiteYear | None = None
    expected: float | None = None
    exposure: JobRisk | None = None
    clock_limit_c: float | None = None
    whole_tokens: float | None = None
    step: JobStep | None = None
    limits: LoadLimits | None = None
    slow_nodes: float | None = None
    link_load: float | None = None
    network: NetworkLimits | None = None
    free_spares: SpareHistory | None = None

    def figure(self, key: str) -> float | None:
        """Return a figure of comparisons; None: unknown."""
        return _BY_KEY[key].of(self.summary)

    def words(self, key: str) -> str:
        """Return a figure of comparisons as reports write it."""
        value = self.figure(key)
        return "unknown" if value is None else figure_text(_BY_KEY[key], value)

    def cell(self, key: str) -> Markup:
        """Return a figure of comparisons as a cell of a table or card."""
        return figure_cell(_BY_KEY[key], self.figure(key))

    @staticmethod
    def title(key: str) -> str:
        """Return the title of a figure of comparisons."""
        return figure_title(_BY_KEY[key])

    def share(self, account: str) -> float:
        """Return the part of all GPU time that an account has."""
        total = sum(self.ledger_gpu_s.values())
        return self.ledger_gpu_s.get(account, 0.0) / total if total else 0.0

    @property
    def stops_share(self) -> float | None:
        """Return the part of all GPU time from stops of jobs, with the work that they undo, to the next steps.

        It is what incidents cost; None: nothing failed, or the program that made the run kept no costs.
        """
        found = self.incidents
        if not found.all or not found.priced or not found.installed_gpu_s:
            return None
        return sum(total.gpu_s for total in found.by_cause) / found.installed_gpu_s

    @cached_property
    def restarts_s(self) -> Floats:
        """Return how long jobs took from each stop to the next step [s], shape (restarts,)."""
        return restarts_s(self.incidents)

    @property
    def ledger_usd(self) -> LedgerUsd | None:
        """Return the ledger in USD; None: unknown."""
        return self.money.ledger if isinstance(self.money, RunMoney) else None

    @property
    def losses(self) -> list[str]:
        """Return the accounts of lost GPU time, the largest first."""
        return [account for account, *_ in ledger_rows(self.ledger_gpu_s) if account != "productive"]
