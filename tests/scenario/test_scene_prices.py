"""Prices of a scene: what may be said, and that each mistake names line, key, reason and what would be right."""

from __future__ import annotations

import pytest

from twin.scenario import ScenarioError, loads

HEAD = """extends: builtin:lab-16
format: twin/scenario
version: 3
catalog: "2026.11"
title: priced
prices:
"""


def test_a_figure_is_certain_and_a_range_may_lack_an_end() -> None:
    text = HEAD + "  H100-SXM: 30000 USD\n  interest: 9 %\n  life-it: 4\n"
    text += "  QM9700: {likely: 40_000, high: 6e4, currency: USD}\n"
    prices = loads(text).scenario.prices
    assert (prices["H100-SXM"].likely, prices["H100-SXM"].low, prices["H100-SXM"].currency) == (
        30_000,
        None,
        "USD",
    )
    assert prices["interest"].likely == pytest.approx(0.09)
    assert prices["life-it"].likely == 4
    assert (prices["QM9700"].likely, prices["QM9700"].high) == (40_000, 60_000)


@pytest.mark.parametrize(
    ("line", "key", "reason"),
    [
        ("H100-SX: 30000 USD", "prices[H100-SX]", "did you mean 'H100-SXM'?"),
        ("faulty_gpu: 30000 USD", "prices.faulty_gpu", "is no part and no price of the catalogue"),
        ("H100-SXM: 30000", "prices[H100-SXM]", "has no currency; write currency: USD"),
        ("H100-SXM: -3 USD", "prices[H100-SXM]", "must be at least 0"),
        ("H100-SXM: {likely: -3, currency: USD}", "prices[H100-SXM].likely", "must be at least 0"),
        ("H100-SXM: .inf", "prices[H100-SXM]", "is not a finite number"),
        ("H100-SXM: 30000 EUR", "prices[H100-SXM]", "is in EUR; prices are in USD"),
        ("H100-SXM: {likely: 3, currency: EUR}", "prices[H100-SXM].currency", "must be USD"),
        ("H100-SXM: {low: 5, likely: 3, currency: USD}", "prices[H100-SXM]", "does not rise"),
        ("H100-SXM: {low: 5, currency: USD}", "prices[H100-SXM]", "likely"),
        ("H100-SXM: dear", "prices[H100-SXM]", "is no price; write it like 250000 USD"),
        ("H100-SXM: true", "prices[H100-SXM]", ""),
        ("interest: {likely: 8 %, currency: USD}", "prices.interest.currency", "interest is a share"),
        ("interest: 200 %", "prices.interest", "is out of range: 200 %"),
        ("residual-it: 120 %", "prices[residual-it]", "is above the capital: 120 % of it"),
        ("life-it: 0", "prices[life-it]", "is no number of years"),
        (
            "DGX-H100: 100000 USD",
            "prices[DGX-H100]",
            "less than what is in it costs, 259,800 USD; a price of DGX-H100",
        ),
        (
            "DGX-H100: 300000 USD\n  H100-SXM: 40000 USD",
            "prices[DGX-H100]",
            "what is in it costs, 355,800 USD",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_key_and_reason(line: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as told:
        loads(HEAD + f"  {line}\n")
    (problem,) = told.value.problems
    assert problem.line == 7
    assert problem.key == key
    assert reason in f"{problem.reason}; {problem.hint}"
