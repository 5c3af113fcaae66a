"""The scenario: the document that says what exists and what happens, its file, and edits of it."""

from twin.scenario.action import parse_injection
from twin.scenario.document import FORMAT, VERSION, Scenario
from twin.scenario.load import Document, load, loads
from twin.scenario.problem import NewerVersion, Problem, ScenarioError

__all__ = [
    "FORMAT",
    "VERSION",
    "Document",
    "NewerVersion",
    "Problem",
    "Scenario",
    "ScenarioError",
    "load",
    "loads",
    "parse_injection",
]
