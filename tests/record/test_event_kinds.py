"""Every kind of event that the engine logs has one entry, and that entry is consistent with the others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from house_code import modules_with

import twin.sim
from twin.record.accounts import ACCOUNTS
from twin.record.event_kinds import KINDS, EventKind, ended_by, kind_of, register, with_kinds
from twin.sim.core.log import Log

ENGINE = Path(twin.sim.__file__).parent


def test_what_a_kind_ends_opens_and_closes_is_there() -> None:
    for kind in KINDS.values():
        assert set(kind.ends) <= set(KINDS), kind.id
        assert {*kind.opens, *kind.closes} <= set(ACCOUNTS), kind.id
        assert kind.id not in kind.ends
        assert not kind.opens or kind.verb != "lasted", f"{kind.id} has no verb for what it opens"


def test_every_stretch_of_an_account_that_a_kind_opens_can_end() -> None:
    closed = {account for kind in KINDS.values() for account in kind.closes}
    assert {account for kind in KINDS.values() for account in kind.opens} == closed


def test_an_entry_can_be_added_for_a_while_and_only_once() -> None:
    with with_kinds(EventKind("toy_on"), EventKind("toy_off", ends=("toy_on",))):
        assert ended_by("toy_on") == ("toy_off",)
        assert kind_of("toy_on").title == "toy on"
    assert ended_by("toy_on") == ()
    assert "toy_on" not in KINDS
    with pytest.raises(ValueError, match="exists already"):
        register(EventKind("failure"))


def named_in(expression: ast.AST, inside: ast.AST) -> set[str]:
    """Return the strings that an argument may be: its own, or those given to its name anywhere in a function."""
    if isinstance(expression, ast.Name):
        given = [
            node.value
            for node in ast.walk(inside)
            if isinstance(node, ast.Assign)
            and any(
                expression.id in {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
                for target in node.targets
            )
        ]
        return {word for value in given for word in named_in(value, inside)}
    words = (node.value for node in ast.walk(expression) if isinstance(node, ast.Constant))
    return {word for word in words if isinstance(word, str) and word.isidentifier()}


def test_each_kind_that_the_engine_names_where_it_logs_is_registered() -> None:
    named: dict[str, str] = {}
    for file, tree in modules_with(ENGINE, "log.add", "self._say", "Change("):
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for call in ast.walk(function):
                if not isinstance(call, ast.Call):
                    continue
                where = ast.unparse(call.func)
                given = call.args[1:2] if where.endswith("log.add") else ()
                given = call.args[:2] if where == "self._say" else given
                given = call.args[:1] if where == "Change" else given
                for argument in given:
                    for kind in named_in(argument, function):
                        named.setdefault(kind, f"{file.name}:{call.lineno}")
    assert len(named) > 60
    assert {kind: place for kind, place in named.items() if kind not in KINDS} == {}


def test_the_engine_logs_no_kind_without_an_entry() -> None:
    log = Log()
    with pytest.raises(KeyError, match="nobody_knows"):
        log.add(0.0, "nobody_knows", "gpu/0", "happens")
    assert log.rows == 0
    log.add(0.0, "failure", "gpu/0", "happens")
    assert log.events[0].severity == KINDS["failure"].severity
