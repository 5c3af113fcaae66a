"""A new design rule takes one entry: `twin check`, its list, exclusions, the dock Checks and the help follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from test_docs import help_pages
from test_rules_alone import CLEAN
from typer.testing import CliRunner

from twin.app.monitor.checks_model import RULE as RULE_COLUMN
from twin.app.monitor.checks_model import RulesModel, whole
from twin.app.toolkit.look import Look
from twin.catalog import load_catalog
from twin.cli.app import app
from twin.plant.build import build
from twin.rules import BY_ID, RULES, Finding, Found, Report, Rule, check
from twin.rules.rule_context import RuleContext
from twin.scenario import loads


def find(case: RuleContext) -> Iterator[Found]:
    for place, hall in enumerate(case.scenario.halls):
        if not hall.title:
            yield Found(at=("halls", place), reason="has no name to call it by", fix="give it a title")


RULE = Rule(
    "toy-name", "Nameless hall", "data", "notice", "Whether each hall has a name.", "the scene itself", find
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the entry."""
    monkeypatch.setitem(BY_ID, RULE.id, RULE)


def findings(text: str) -> list[Finding]:
    scenario = loads(text, "mine").scenario
    return [one for one in check(scenario, build(scenario), load_catalog()).findings if one.rule == RULE.id]


def test_it_is_checked_after_the_others() -> None:
    (found,) = findings(CLEAN)
    assert (found.severity, found.ids, found.sentence) == (
        "notice",
        ("hall",),
        "hall has no name to call it by",
    )
    assert findings(CLEAN.replace("  - id: hall\n", "  - id: hall\n    title: The hall\n")) == []
    assert [rule.id for rule in RULES][-1] == RULE.id


def test_it_can_be_excluded() -> None:
    entry = "  - {id: toy, rule: toy-name, target: hall, comment: it needs none}\n"
    (found,) = findings(CLEAN + entry)
    assert (found.excluded, found.comment) == (True, "it needs none")


def test_the_command_tells_and_lists_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.twin.yaml"
    path.write_text(CLEAN, encoding="utf-8")
    told = json.loads(CliRunner().invoke(app, ["check", str(path), "--json"]).stdout)
    assert [one["rule"] for one in told["findings"] if one["rule"] == RULE.id] == [RULE.id]
    listed = json.loads(CliRunner().invoke(app, ["check", "--rules", "--json"]).stdout)
    assert listed["rules"][-1]["title"] == "Nameless hall"
    assert RULE.id in CliRunner().invoke(app, ["check", "--rules"]).stdout


def test_the_dock_and_the_help_have_it(qapp: QApplication) -> None:
    found = findings(CLEAN)
    look = Look(qapp, "dark")
    model = RulesModel(look)
    model.show_report(Report(tuple(found)))
    assert [model.data(model.index(row, RULE_COLUMN)) for row in range(model.rowCount())] == ["Nameless hall"]
    assert "Source: the scene itself" in whole(found[0])
    look.close()
    assert "`toy-name`" in help_pages.rules()
