"""The scenario: the document of equipment, work and events, its file, and edits of it."""

from twin.scenario.file.load import Document, load, loads
from twin.scenario.file.set_option import set_text, set_value
from twin.scenario.reading.inject_option import parse_injection
from twin.scenario.schema.document import FORMAT, VERSION, Scenario
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.problem import NewerVersion, Problem, ScenarioError

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
