"""Edits rewrite only the lines they must, and undo gives back every byte."""

import difflib
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from twin.scenario import ScenarioError, load, loads
from twin.scenario.file.patch_text import apply, edit
from twin.scenario.file.save import save
from twin.scenario.reading.extend import builtin_names
from twin.scenario.text.patch import Change, Patch

SCENES = {name: load(f"builtin:{name}") for name in builtin_names()}
WHOLE = sorted(name for name, one in SCENES.items() if not one.scenario.extends)


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def one(path: str, value: str | None) -> Patch:
    return Patch((Change(path, value),))


@pytest.mark.parametrize("name", builtin_names())
def test_saving_an_unchanged_scene_gives_back_its_bytes(name: str, tmp_path: Path) -> None:
    document = SCENES[name]
    assert document.path is not None
    saved = save(document, tmp_path / "copy.twin.yaml")
    assert saved.path is not None
    assert saved.path.read_bytes() == document.path.read_bytes()
    assert load(saved.path).scenario == document.scenario
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.twin.yaml"]


def test_a_value_in_brackets_changes_its_line_only() -> None:
    document = SCENES["llama3-16k"]
    after, inverse = edit(document, one("jobs[llama3-405b].checkpoint.pause", "20 s"))
    assert after.scenario.jobs[0].checkpoint.pause_s == 20.0
    assert len(changed_lines(document.text, after.text)) == 2
    assert apply(after, inverse).text == document.text


def test_comments_stay_when_a_value_changes() -> None:
    after = apply(SCENES["lab-16"], one("jobs[llama3].workload.global_batch", "256"))
    assert "global_batch: 256 # sequences of one step" in after.text


def test_a_new_key_goes_where_the_schema_has_it() -> None:
    document = SCENES["lab-16"]
    after = apply(document, one("jobs[llama3].submit", "5 min"))
    lines = after.text.splitlines()
    assert lines.index("    submit: 5 min") == lines.index("    tenant: chair") + 1
    assert after.scenario.jobs[0].submit_s == 300.0


def test_keys_missing_on_the_way_are_made() -> None:
    document = SCENES["superpod-h100"]
    after, inverse = edit(document, one("halls[su].overrides[gpu/0/3/1].drained", "true"))
    assert after.scenario.halls[0].overrides["gpu/0/3/1"].drained
    assert changed_lines(document.text, after.text) == ["+     overrides: {gpu/0/3/1: {drained: true}}"]
    assert apply(after, inverse).text == document.text


def test_a_job_written_as_a_block_is_appended_as_a_block() -> None:
    document = SCENES["superpod-h100"]
    job = "id: small\nnodes: 2\nworkload:\n  kind: llm\n  model: llama3-8b # the small one\n  global_batch: 64\n"
    after, inverse = edit(document, one("jobs[small]", job))
    assert [job.id for job in after.scenario.jobs] == ["llama3", "small"]
    assert "  - id: small\n    nodes: 2\n    workload:\n      kind: llm\n" in after.text
    assert "# the small one" in after.text
    assert apply(after, inverse).text == document.text


def test_an_item_written_as_a_block_is_replaced_by_another() -> None:
    document = SCENES["nvl72-row"]
    row = "id: net\nlabel: OTHER\nat: {y: 3 m}\nfacing: north\nracks:\n  count: 2\n  role: network\n"
    after, inverse = edit(document, one("halls[hall].rows[net]", row))
    assert "      - id: net\n        label: OTHER\n" in after.text
    assert after.scenario.halls[0].rows[1].racks.count == 2
    assert apply(after, inverse).scenario == document.scenario


def test_items_are_found_by_id_and_taken_away_whole() -> None:
    document = SCENES["llama3-16k"]
    after, inverse = edit(document, one("failures.causes[ssd]", None))
    assert changed_lines(document.text, after.text) == [
        "-     - {id: ssd, rate: 3 per 110592 node-day, repair: motherboard}"
    ]
    assert apply(after, inverse).text == document.text


def test_taking_away_the_only_key_leaves_an_empty_group() -> None:
    document = SCENES["video-ingest"]
    after, inverse = edit(document, one("halls[hall].overrides[gpu/1/7/3]", None))
    assert after.scenario.halls[0].overrides == {}
    assert apply(after, inverse).text == document.text


def test_a_block_text_is_replaced() -> None:
    document = SCENES["lab-16"]
    after, inverse = edit(document, one("notes", "Short: now."))
    assert after.scenario.notes == "Short: now."
    assert 'notes: "Short: now."\nsources:' in after.text
    assert apply(after, inverse).text == document.text


def test_the_inverse_also_acts_on_another_text_by_meaning() -> None:
    document = SCENES["lab-16"]
    after, inverse = edit(document, one("jobs[llama3].checkpoint.pause", "1 min"))
    other = loads(after.text + "# a comment that came later\n", "lab-16.twin.yaml")
    undone = apply(other, inverse)
    assert undone.scenario == document.scenario
    assert undone.text == document.text + "# a comment that came later\n"


def test_several_changes_are_one_step() -> None:
    document = SCENES["lab-16"]
    patch = Patch(
        (
            Change("tenants[guest]", "{id: guest}"),
            Change("jobs[llama3].tenant", "guest"),
            Change("tenants[chair]", None),
        ),
        "Give the job away",
    )
    after, inverse = edit(document, patch)
    assert after.scenario.jobs[0].tenant == "guest"
    assert [tenant.id for tenant in after.scenario.tenants] == ["guest"]
    again, redo = edit(after, inverse)
    assert again.text == document.text
    assert apply(again, redo).text == after.text
    assert inverse.title == "Give the job away"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("jobs[llama3].checkpoint.pauze", "1 s", "did you mean 'pause'"),
        ("jobs[lama3].nodes", "1", "did you mean 'llama3'"),
        ("jobs[llama3].nodes", "-1", "at least 1"),
        ("jobs[llama3].nodes", "two", "whole number"),
        ("jobs[llama3].tenant", "nobody", "unknown tenant"),
        ("jobs[llama3].recovery.swap", None, "not in the file"),
        ("jobs[llama3]..nodes", "1", "not a path"),
        ("jobs[other]", "{id: third, nodes: 1}", "id: other"),
        ("sources", "[a, b", "not YAML"),
    ],
)
def test_edits_that_cannot_be_are_refused_with_a_reason(path: str, value: str | None, said: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)):
        apply(SCENES["lab-16"], one(path, value))


def test_an_inherited_value_is_overridden_in_the_child(tmp_path: Path) -> None:
    child = tmp_path / "child.twin.yaml"
    child.write_text('format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\n')
    document = load(child)
    after, inverse = edit(document, one("jobs[llama3].checkpoint.pause", "1 min"))
    assert after.text == document.text + "jobs:\n  - {id: llama3, checkpoint: {pause: 1 min}}\n"
    assert after.scenario.jobs[0].checkpoint.pause_s == 60.0
    assert after.scenario.jobs[0].nodes == 2
    assert apply(after, inverse).text == document.text
    with pytest.raises(ScenarioError, match="inherited"):
        apply(document, one("jobs[llama3].storage", None))


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    text = SCENES["lab-16"].text.replace("\n", "\r\n")
    after = apply(loads(text), one("jobs[llama3].submit", "5 min"))
    assert after.text.count("\n") == after.text.count("\r\n") == text.count("\r\n") + 1


def test_a_failed_save_leaves_the_old_file(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be saved"):
        save(SCENES["lab-16"], tmp_path / "no" / "such" / "folder.twin.yaml")
    with pytest.raises(ScenarioError, match="has no file yet"):
        save(loads(SCENES["lab-16"].text))


EDITS = {
    "title": ["A shorter title", '"quoted: one"'],
    "duration": ["1 h", "3 day"],
    "seed": ["7"],
    "start": ["2027-03-04T05:06Z"],
    "site.name": ["Elsewhere", '"a, b"'],
    "site.climate": ["{dry_bulb: 1 degC, wet_bulb: 0 degC}", None],
    "site.climate.swing": ["3 K", None],
    "notes": ["|\n  Two\n  lines.\n", None, "one line"],
    "sources": ["[a, b]", "- a\n- b # with a comment\n", None],
    "failures": ["{enabled: false}", None],
    "failures.lemons": ["true", None],
    "cooling.loops[crah].supply": ["20 degC", None],
    "cooling.loops[crah].units": ["7", None],
    "interventions": ["[]", None],
    "tenants[extra]": ["{id: extra, title: x}", "id: extra\ntitle: x\n"],
    "power[extra]": ["{id: extra, kind: ups}", "id: extra\nkind: ups\n"],
    "power[utility].capacity": ["9 MW", None],
}


@st.composite
def scenes_and_patches(draw: st.DrawFn) -> tuple[str, Patch]:
    name = draw(st.sampled_from(WHOLE))
    paths = draw(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=4, unique=True))
    return name, Patch(tuple(Change(path, draw(st.sampled_from(EDITS[path]))) for path in paths))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scenes_and_patches())
def test_patch_then_inverse_is_the_original_text(case: tuple[str, Patch]) -> None:
    name, patch = case
    document = SCENES[name]
    try:
        after, inverse = edit(document, patch)
    except ScenarioError as refused:
        # Only what the file does not have, or another change of the patch took away, cannot be changed or taken away.
        if all(re.search("not in the file|unknown id", problem.reason) for problem in refused.problems):
            reject()
        raise
    assert after.scenario == loads(after.text).scenario
    assert apply(after, inverse).text == document.text
    comments = [line for line in document.text.splitlines() if line.startswith("#")]
    assert [line for line in after.text.splitlines() if line.startswith("#")] == comments
