"""An interactive digital twin of a GPU data centre.

>>> import twin
>>> run = twin.load("lab-16").run(until="6 h", seed=3)
>>> run.series("site", "site.it_w").shape[1]
2

`load` and `open_run` give scenes and runs; `ask`, `compare`, `cost`, `design`, `risk`, `plan`, `estimate`, `validate`
answer what the commands of the same names do. Nothing is imported before it is asked for, and Qt only for
`Run.picture`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.analysis.designs_comparison import DesignsCompared
    from twin.analysis.incident import Incident
    from twin.analysis.incidents import RunIncidents
    from twin.api.ask import ask
    from twin.api.availability import availability
    from twin.api.compare import DesignComparison, compare
    from twin.api.compare_designs import compare_designs
    from twin.api.cost import cost
    from twin.api.design import design
    from twin.api.errors import BadInput, NoDisplay
    from twin.api.estimate import EstimateReport, estimate
    from twin.api.picture import HallPicture
    from twin.api.plan import ParallelPlan, PlanReport, plan
    from twin.api.risk import RiskReport, risk
    from twin.api.run import ChannelSeries, Run, open_run
    from twin.api.scene import Scene, load
    from twin.api.training import TrainingReport
    from twin.api.validate import Validation, validate
    from twin.catalog import CatalogError, UnknownPart
    from twin.designs.answer import Designs
    from twin.economics.books import SiteBooks
    from twin.economics.cash_flow import Plan
    from twin.economics.price_book import PriceError
    from twin.planning.job.result import PlanError
    from twin.planning.profile.figures import ProfileError
    from twin.planning.risk.availability_figures import HallAvailability
    from twin.plant.error import PlantError
    from twin.questions.answer import TradeAnswer
    from twin.record.events import Event, Severity
    from twin.record.frame import Frame
    from twin.record.ledger_reading import LedgerRange
    from twin.record.runfile import RunFileError
    from twin.record.site_year import DesignDay, SiteYear
    from twin.rules.finding import Finding, Found
    from twin.rules.rule import Rule
    from twin.rules.rule_context import RuleContext
    from twin.scenario.text.problem import ScenarioError
    from twin.sim.jobs.plan import UnplaceableJob
    from twin.sim.thermal.part_models import UncooledNode
    from twin.units import UnitError

__all__ = [
    "BadInput",
    "CatalogError",
    "ChannelSeries",
    "DesignComparison",
    "DesignDay",
    "Designs",
    "DesignsCompared",
    "EstimateReport",
    "Event",
    "Finding",
    "Found",
    "Frame",
    "HallAvailability",
    "HallPicture",
    "Incident",
    "LedgerRange",
    "NoDisplay",
    "ParallelPlan",
    "Plan",
    "PlanError",
    "PlanReport",
    "PlantError",
    "PriceError",
    "ProfileError",
    "RiskReport",
    "Rule",
    "RuleContext",
    "Run",
    "RunFileError",
    "RunIncidents",
    "ScenarioError",
    "Scene",
    "Severity",
    "SiteBooks",
    "SiteYear",
    "TradeAnswer",
    "TrainingReport",
    "UncooledNode",
    "UnitError",
    "UnknownPart",
    "UnplaceableJob",
    "Validation",
    "ask",
    "availability",
    "compare",
    "compare_designs",
    "cost",
    "design",
    "estimate",
    "load",
    "open_run",
    "plan",
    "risk",
    "validate",
]

_MODULES = {
    "twin.analysis.designs_comparison": ("DesignsCompared",),
    "twin.analysis.incident": ("Incident",),
    "twin.api.ask": ("ask",),
    "twin.api.availability": ("availability",),
    "twin.record.site_year": ("DesignDay", "SiteYear"),
    "twin.analysis.incidents": ("RunIncidents",),
    "twin.api.compare": ("DesignComparison", "compare"),
    "twin.api.compare_designs": ("compare_designs",),
    "twin.api.cost": ("cost",),
    "twin.api.design": ("design",),
    "twin.api.errors": ("BadInput", "NoDisplay"),
    "twin.api.estimate": ("EstimateReport", "estimate"),
    "twin.api.picture": ("HallPicture",),
    "twin.api.plan": ("ParallelPlan", "PlanReport", "plan"),
    "twin.api.risk": ("RiskReport", "risk"),
    "twin.api.run": ("ChannelSeries", "Run", "open_run"),
    "twin.api.scene": ("Scene", "load"),
    "twin.api.training": ("TrainingReport",),
    "twin.api.validate": ("Validation", "validate"),
    "twin.catalog": ("CatalogError", "UnknownPart"),
    "twin.designs.answer": ("Designs",),
    "twin.economics.books": ("SiteBooks",),
    "twin.economics.cash_flow": ("Plan",),
    "twin.economics.price_book": ("PriceError",),
    "twin.planning.job.result": ("PlanError",),
    "twin.planning.profile.figures": ("ProfileError",),
    "twin.planning.risk.availability_figures": ("HallAvailability",),
    "twin.plant.error": ("PlantError",),
    "twin.questions.answer": ("TradeAnswer",),
    "twin.record.events": ("Event", "Severity"),
    "twin.record.frame": ("Frame",),
    "twin.record.ledger_reading": ("LedgerRange",),
    "twin.record.runfile": ("RunFileError",),
    "twin.rules.finding": ("Finding", "Found"),
    "twin.rules.rule": ("Rule",),
    "twin.rules.rule_context": ("RuleContext",),
    "twin.scenario.text.problem": ("ScenarioError",),
    "twin.sim.jobs.plan": ("UnplaceableJob",),
    "twin.sim.thermal.part_models": ("UncooledNode",),
    "twin.units": ("UnitError",),
}
"""Where each public name is; the imports above say the same to type checkers."""


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(module), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
