"""A need as it is being written: its text, of which only the lines of what changes are rewritten. No widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from twin.app.needs.need_fields import new_work, source_of
from twin.catalog import Catalog, load_catalog
from twin.designs.need import SUFFIX
from twin.designs.need_file import ROOT, NeedFile, need_from
from twin.language import tr
from twin.scenario.reading.extend import SceneSource, read
from twin.scenario.reading.key_edit import TextEdit
from twin.scenario.text.emit import flow, item_lines
from twin.scenario.text.parse import child, parse
from twin.scenario.text.patch import Change
from twin.scenario.text.path import resolve, split
from twin.scenario.text.problem import Problem, ScenarioError

NEW = """format: twin/need
version: 1
title: A cluster of our own

workloads:
  - kind: llm
    model: llama3-8b
    tokens: 1.0e+12
    global_batch: 512
    sequence: 8192
    precision: bf16
    deadline: 30 day

gpus: [H100]
limits:
  power: 2 MW
climate: frankfurt
carbon: 380 g/kWh
price: 0.12 USD/kWh
"""
"""A need to begin with."""
MOST_ITEMS = 8


@dataclass(frozen=True)
class NeedDraft:
    """A need that is being written.

    Attributes
    ----------
    source
        Its text, and where it is saved; no path: nowhere yet.
    saved
        The text as it lies there.
    folder
        In which a `config.json` is looked for; None: none was chosen yet.
    """

    source: SceneSource
    saved: str = ""
    folder: Path | None = None

    @classmethod
    def of(cls, text: str, name: str) -> NeedDraft:
        """Return a draft of a text that is saved nowhere; raises `ScenarioError` where it is no YAML."""
        return cls(SceneSource(name, None, text, parse(text, name)), text)

    @classmethod
    def opened(cls, path: Path, *, shipped: bool = False) -> NeedDraft:
        """Return the draft of a file; one that comes with the program is saved elsewhere. Raises `ScenarioError`."""
        source = read(path, path.name)
        if not isinstance(source.tree.value, dict):
            need_from(source.text, path.name)  # which tells why it is no need
        if shipped:
            source = replace(source, path=None)
        return cls(source, source.text, path.parent)

    @property
    def dirty(self) -> bool:
        """Return whether something is not saved."""
        return self.source.text != self.saved

    @property
    def plain(self) -> dict[str, Any]:
        """Return what the file says."""
        found = self.source.tree.plain()
        return found if isinstance(found, dict) else {}

    @property
    def title(self) -> str:
        """Return what the need is called."""
        return str(self.plain.get("title") or self.source.name.removesuffix(SUFFIX))

    def value(self, path: str) -> Any:
        """Return what stands at a path; None where nothing does."""
        place, rest = resolve(split(path), self.source.tree)
        if rest:
            return None
        at = self.source.tree
        for step in place:
            at = child(at, step) or at
        return at.plain()

    def changed(self, path: str, text: str | None) -> NeedDraft:
        """Return the draft with other text at a path; None takes it away, and a group that is empty then.

        Raises
        ------
        ScenarioError
            When the file cannot be changed there.
        """
        if text is None and self.value(path) is None:
            return self
        after = TextEdit(self.source, None, Change(path, text), ROOT).text()
        made = replace(self, source=replace(self.source, text=after, tree=parse(after, self.source.name)))
        above = path.rpartition(".")[0]
        if text is None and above and made.value(above) in ({}, []):
            return made.changed(above, None)
        return made

    def with_all(self, values: Mapping[str, str]) -> NeedDraft:
        """Return the draft with other text at several paths."""
        made = self
        for path, text in values.items():
            made = made.changed(path, text)
        return made

    def with_source(self, key: str, source: str) -> NeedDraft:
        """Return the draft with the model of a workload known by another source."""
        before = self.value(key)
        if source == source_of(before):
            return self
        made = self.changed(key, flow(new_work(source, before if isinstance(before, dict) else None)))
        if source == "vision" and not made.value("dataset.size"):
            made = made.changed("dataset.size", "1 PB")
        return made

    def with_item(self, key: str) -> NeedDraft:
        """Return the draft with one more workload or stage."""
        items = self.value(key) or []
        if key == "workloads":
            more: dict[str, Any] = new_work("preset")
        else:
            last: dict[str, Any] = items[-1] if items else {"date": "2026-01", "gpus": 8}
            year, month = str(last["date"]).split("-")
            more = {"date": f"{int(year) + 1}-{month}", "gpus": 2 * int(last["gpus"])}
        return self._with_items(key, [*items, more])

    def without_item(self, key: str, place: int) -> NeedDraft:
        """Return the draft without one of its workloads or stages."""
        items = list(self.value(key) or [])
        del items[place]
        return self._with_items(key, items) if items else self.changed(key, None)

    def _with_items(self, key: str, items: list[Any]) -> NeedDraft:
        lines = [line for item in items for line in item_lines(item)]
        return self.changed(key, "\n".join(lines) + "\n")

    def judged(self) -> NeedFile | tuple[Problem, ...]:
        """Return the need, or all that is wrong with it."""
        try:
            return need_from(self.source.text, self.source.name, self.folder)
        except ScenarioError as wrong:
            return wrong.problems

    @property
    def catalog(self) -> Catalog:
        """Return shipped parts and models and those beside the need; shipped ones alone while it is none."""
        judged = self.judged()
        return judged.catalog if isinstance(judged, NeedFile) else load_catalog()

    def saved_at(self, path: Path) -> NeedDraft:
        """Write the need to a file; return the draft of it. Raises `OSError`."""
        from twin.whole_file import write_whole

        write_whole(path, self.source.text.encode())
        return NeedDraft(replace(self.source, path=path, name=path.name), self.source.text, path.parent)


def problem_words(problem: Problem) -> str:
    """Return what is wrong at a place, and what would be right."""
    return f"{problem.reason}; {problem.hint}" if problem.hint else problem.reason


def general_words(problem: Problem) -> str:
    """Return the same with its place, where no field is of it."""
    words = problem_words(problem)
    return tr("{key}: {words}", key=problem.key, words=words) if problem.key else words


def problem_line(problem: Problem) -> str:
    """Return what is wrong in a file that the need names, with the line and the column of that."""
    words = general_words(problem)
    return tr("Line {line}: {words}", line=f"{problem.line:,}", words=words) if problem.line else words
