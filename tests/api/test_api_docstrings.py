"""The example in each docstring of the public interface runs, and says what it says there."""

from __future__ import annotations

import doctest
from importlib import import_module
from inspect import getdoc, isfunction

import pytest

import twin

MODULES = (
    "twin",
    *(
        f"twin.api.{name}"
        for name in ("compare", "compare_designs", "estimate", "plan", "risk", "run", "scene", "validate")
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_run(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert (failed, tried > 0) == (0, True)


def test_every_public_function_has_parameters_errors_and_an_example() -> None:
    functions = [getattr(twin, name) for name in twin.__all__ if isfunction(getattr(twin, name))]
    assert {function.__name__ for function in functions} == {
        *(
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
        )
    }
    for function in functions:
        said = getdoc(function) or ""
        for part in ("Parameters\n---", "Raises\n---", "Examples\n---"):
            assert part in said, f"{function.__name__}: {part}"
