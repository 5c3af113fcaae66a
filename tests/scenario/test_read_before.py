"""Rows and overrides that are not read again after an edit are those that reading the whole file gives."""

import random
from collections.abc import Iterator

import pytest
from usual_cases import usually

from twin.catalog import load_catalog
from twin.scenario import Document, ScenarioError, load, loads
from twin.scenario.file.load import document_from
from twin.scenario.file.patch_text import edit
from twin.scenario.generators.expand import node_counts
from twin.scenario.reading.extend import SceneSource
from twin.scenario.text.parse import parse
from twin.scenario.text.patch import Change, Patch

CATALOG = load_catalog()
NEW = "{id: far, at: {x: 0 m, y: 99 m}, racks: {count: 2, role: network}}"


def changes_of(document: Document, draw: random.Random) -> Iterator[Change]:
    """Yield one change of each kind: right ones, and wrong ones that only their types tell from right ones."""
    hall = draw.choice(document.scenario.halls)
    rows = draw.choice(hall.rows)
    at = f"halls[{hall.id}]"
    rack = f"{rows.id}/{draw.randrange(rows.count)}/{draw.randrange(rows.racks.count)}"
    yield Change("title", f"Another {draw.randrange(99)}")
    yield Change(f"{at}.rows[far]", NEW)
    yield Change(f"{at}.rows[far]", None)
    yield Change(f"{at}.rows[{rows.id}].at", f"{{x: {draw.randrange(99)} m, y: {draw.randrange(99)} m}}")
    yield Change(f"{at}.rows[{rows.id}].count", draw.choice((str(rows.count), "1.0", "true", "0")))
    yield Change(f"{at}.rows[{rows.id}].label", draw.choice(("ROW", "HALL", "7")))
    yield Change(f"{at}.overrides[{rack}]", draw.choice(("{absent: true}", "{absent: 1}", "{absent: false}")))
    yield Change(f"{at}.overrides[{rack}/0]", draw.choice(("{drained: true}", "{u: 1}", "{u: 1.0}")))
    yield Change(f"{at}.overrides[{rack}]", None)
    yield Change(f"{at}.overrides", None)
    yield Change(f"{at}.dew_point", f"{draw.randrange(5, 15)} degC")


@pytest.mark.parametrize("name", usually(["llama3-16k", "nvl72-row", "superpod-h100", "lab-16"], ("lab-16",)))
def test_edits_one_after_the_other_are_as_if_all_were_read_anew(name: str) -> None:
    draw, document = random.Random(name), load(f"builtin:{name}")
    done, refused = 0, 0
    for _ in range(60):
        change = draw.choice(list(changes_of(document, draw)))
        try:
            after = edit(document, Patch((change,)))[0]
        except ScenarioError:
            refused += 1
            continue
        anew = document_from(after.files).scenario
        assert after.scenario == anew
        assert after.scenario.model_dump(exclude_unset=True) == anew.model_dump(exclude_unset=True)
        assert node_counts(after.scenario, CATALOG) == node_counts(anew, CATALOG)
        before = {rows.id: rows for hall in document.scenario.halls for rows in hall.rows}
        changed = [
            rows for hall in after.scenario.halls for rows in hall.rows if rows is not before.get(rows.id)
        ]
        assert len(changed) <= 1
        document, done = after, done + 1
    assert done > 15
    assert refused > 5


@pytest.mark.parametrize("wrong", ["count: 24.0", "count: true", "count: 0", "counts: 24", "count: many"])
def test_what_is_wrong_is_told_where_it_stands_in_the_whole_file(wrong: str) -> None:
    document = load("builtin:llama3-16k")
    text = document.text.replace("count: 24", wrong, 1)
    changed = SceneSource(document.name, document.path, text, parse(text, document.name))
    with pytest.raises(ScenarioError) as after_another:
        document_from((changed,), document)
    with pytest.raises(ScenarioError) as alone:
        loads(text, document.name)
    assert after_another.value.problems == alone.value.problems
    assert (
        after_another.value.problems[0].line
        == document.text[: document.text.index("count: 24")].count("\n") + 1
    )
