"""The scenario: the document that says what exists and what happens, its file, and edits of it."""

from twin.scenario.document import FORMAT, VERSION, Scenario
from twin.scenario.injection import parse_injection
from twin.scenario.load import Document, load, loads
from twin.scenario.patch import Change, Patch
from twin.scenario.problem import NewerVersion, Problem, ScenarioError
from twin.scenario.setting import set_text, set_value

__all__ = [
    "FORMAT",
    "VERSION",
    "Change",
    "Document",
    "NewerVersion",
    "Patch",
    "Problem",
    "Scenario",
    "ScenarioError",
    "load",
    "loads",
    "parse_injection",
    "set_text",
    "set_value",
]
