"""`twin diff`: what differs, in domain words, and what it adds up to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from twin.analysis.difference_words import sentence
from twin.cli.app import app
from twin.drawings.paper import Sheet
from twin.record.inputs import inputs_hash
from twin.scenario import Change, Patch, load, loads
from twin.scenario.file.diff import differences
from twin.scenario.file.patch_text import edit

LAB = (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "path", "kind", "words"),
    [
        (
            Change("halls[lab].rows[gpu].racks.count", "3"),
            "halls[lab].rows[gpu].racks.count",
            "changed",
            "2 → 3",
        ),
        (Change("tenants[red]", "{id: red}"), "tenants[red]", "added", "Tenant red added"),
        (
            Change("jobs[llama3].checkpoint.pause", "90 s"),
            "jobs[llama3].checkpoint.pause",
            "changed",
            "20 s → 90 s",
        ),
    ],
)
def test_one_change_is_one_difference_in_words(change: Change, path: str, kind: str, words: str) -> None:
    lab = loads(LAB)
    after = edit(lab, Patch((change,)))[0].scenario
    (found,) = differences(lab.scenario, after)
    assert (found.path, found.kind) == (path, kind)
    assert words in sentence(found)
    (back,) = differences(after, lab.scenario)
    assert (back.before, back.after) == (found.after, found.before)


def test_comments_layout_and_order_of_keys_count_for_nothing() -> None:
    assert not differences(
        loads(LAB).scenario, loads("# mine\n" + LAB.replace("count: 2\n", "count: 2 # two\n")).scenario
    )


def test_the_command_sums_up_and_its_exit_code_tells(tmp_path: Path) -> None:
    other = tmp_path / "other.twin.yaml"
    other.write_text(LAB.replace("          count: 2\n", "          count: 3\n", 1))
    runner = CliRunner()
    same = runner.invoke(app, ["diff", "lab-16", "lab-16"])
    assert (same.exit_code, same.stdout.strip()) == (0, "They mean the same.")
    told = runner.invoke(app, ["diff", "lab-16", str(other)])
    assert told.exit_code == 1
    assert "Row gpu, racks count: 2 → 3" in told.stdout
    assert re.search(r"Cost, where prices are known +[0-9,]+ USD +[0-9,]+ USD", told.stdout)
    made = json.loads(runner.invoke(app, ["diff", "lab-16", str(other), "--json"]).stdout)
    assert made["sums"]["gpus"] == {"before": 16.0, "after": 24.0}
    assert [one["path"] for one in made["differences"]] == ["halls[lab].rows[gpu].racks.count"]
    assert runner.invoke(app, ["diff", "lab-16", str(tmp_path / "none.twin.yaml")]).exit_code == 2


def test_the_drawing_says_from_which_revision_and_what_it_adds_up_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.twin.yaml"
    other.write_text(LAB.replace("          count: 2\n", "          count: 3\n", 1))
    drawn: list[Sheet] = []
    monkeypatch.setattr(
        "twin.drawings.render.pdf_bytes", lambda sheets, title: drawn.extend(sheets) or b"%PDF"
    )
    told = CliRunner().invoke(app, ["diff", "lab-16", str(other), "-o", str(tmp_path / "changes.pdf")])
    assert told.exit_code == 1, told.output
    words = [words.text for sheet in drawn for words in sheet.words]
    before, after = (inputs_hash(load(name).scenario)[:8] for name in ("builtin:lab-16", str(other)))
    assert f"Changes from revision {before} to {after}." in words
    nodes = re.search(r"^Nodes +(\d+) +(\d+)", told.stdout, re.MULTILINE)
    assert nodes is not None
    assert f"\N{EN DASH} In sum, nodes: {nodes[1]} \N{RIGHTWARDS ARROW} {nodes[2]}" in words
