"""Design rules: named checks of a scene and its plant, each with a limit and its source.

>>> from twin.catalog import load_catalog
>>> from twin.plant.build import build
>>> from twin.scenario import load
>>> scenario = load("builtin:lab-16").scenario
>>> check(scenario, build(scenario), load_catalog()).failed
False
"""

from twin.rules.after_edits import after_edits
from twin.rules.check import check, check_steps, unbuilt
from twin.rules.finding import SEVERITIES, Finding, Found, Measure, Severity
from twin.rules.report import Report
from twin.rules.rule import Rule
from twin.rules.table import BY_ID, RULES

__all__ = [
    "BY_ID",
    "RULES",
    "SEVERITIES",
    "Finding",
    "Found",
    "Measure",
    "Report",
    "Rule",
    "Severity",
    "after_edits",
    "check",
    "check_steps",
    "unbuilt",
]
