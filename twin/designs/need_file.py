"""A need file to a `SiteNeed`: bounded, nothing in it executed, errors with file, line and key; and its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from twin import resources
from twin.catalog import Catalog
from twin.catalog.config_json import ConfigError, shape_in_file
from twin.catalog.own_texts import Holds
from twin.designs.need import FORMAT, MOST_GPUS, SUFFIX, VERSION, LanguageWork, SiteNeed, Stage
from twin.designs.trace_need import TraceAsked, trace_asked
from twin.physics.training_inputs import Model
from twin.planning.profile.models import ModelPreset, model_of, presets_of
from twin.scenario.formats import climates, own_files, sibling_files
from twin.scenario.formats.sibling_files import Origin
from twin.scenario.formats.trace_file import LIMIT, table_of
from twin.scenario.reading.extend import read
from twin.scenario.reading.validate import nearest, problems_of
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.schema.own_files import OwnFile, catalog_with
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.schema.schema import schema_of
from twin.scenario.schema.streams import TraceMap
from twin.scenario.text.parse import Tree, locate, parse
from twin.scenario.text.problem import Problem, ScenarioError, shown

FILE_NAME = f"twin-need-{VERSION}.schema.json"
"""Of the JSON Schema, in assets/schema."""
ROOT = FieldSpot(models=(SiteNeed,))
FIRST_MONTH = "2027-01"
"""Of a site that its trace sizes, where the need says no month."""


@dataclass(frozen=True)
class NeedFile:
    """A need as it was read.

    Attributes
    ----------
    name
        Of the file.
    need
        What it says.
    models
        The model of each workload; None where it is trained sample by sample.
    trace
        What the jobs of its trace ask for; None: it has none.
    own_files
        What the files of own parts and models beside it say.
    """

    name: str
    need: SiteNeed
    models: tuple[Model | None, ...]
    trace: TraceAsked | None = None
    own_files: tuple[OwnFile, ...] = ()

    @property
    def catalog(self) -> Catalog:
        """Return the catalogue of the need: shipped parts and its own, always the same for the same files."""
        return catalog_with(self.own_files)


def load_need(path: Path | str) -> NeedFile:
    """Return the need of a file, or of the name of a shipped one.

    Raises
    ------
    ScenarioError
        With every key that is wrong, in the order of the file.
    """
    place = Path(path)
    if not place.is_file() and str(path) in (known := shipped_needs()):
        place = known[str(path)]
    source = read(place, str(path))
    return _need(source.text, str(path), source.tree, place.parent)


def need_from(text: str, name: str = "need", folder: Path | None = None) -> NeedFile:
    """Return the need of a text; raises as `load_need`."""
    return _need(text, name, parse(text, name), folder)


def shipped_needs() -> dict[str, Path]:
    """Return the needs that come with the program, by name."""
    folder = Path(str(resources.folder("scenes"))) / "needs"
    return {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft-07) of one whole file."""
    return schema_of(SiteNeed, "gpu-twin need", "What a site is wanted for, from which designs are made.")


def _need(text: str, name: str, tree: Tree, folder: Path | None) -> NeedFile:
    if not isinstance(tree.value, dict):
        problem = Problem(
            name, tree.mark.line, "", "", "is not a need: it has no keys", f"begin with format: {FORMAT}"
        )
        raise ScenarioError([problem])
    try:
        need = SiteNeed.model_validate_json(
            json.dumps(tree.plain()), strict=True, by_alias=True, by_name=False, context=FROM_FILE
        )
    except ValidationError as wrong:
        errors = wrong.errors(include_url=False, include_input=False)
        raise ScenarioError(problems_of(tree, errors, ROOT)) from None
    own = _own_files(need, name, tree, folder)
    catalog = catalog_with(own)
    presets, gpus = presets_of(catalog), catalog.ids("gpu")
    models: list[Model | None] = []
    problems = []
    if need.climate not in climates.names():
        entry = tree.value["climate"]
        near = nearest(need.climate, climates.names())
        hint = f"did you mean {near}?" if near else f"known: {', '.join(climates.names())}"
        problems.append(
            Problem(name, entry.mark.line, "climate", shown(need.climate), "is no place that is known", hint)
        )
    for place, wanted in enumerate(need.gpus):
        if any(gpu.startswith(wanted) for gpu in gpus):
            continue
        near = nearest(wanted, gpus)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(gpus)}"
        line = locate(tree, ("gpus", place)).line
        reason = "names no GPU of the catalogue or of the parts beside the need"
        problems.append(Problem(name, line, f"gpus[{place}]", shown(wanted), reason, hint))
    for place, work in enumerate(need.workloads):
        try:
            models.append(_model_of(work, folder, presets) if isinstance(work, LanguageWork) else None)
        except _Wrong as wrong:
            entries: Any = tree.value["workloads"].tree.value
            entry = entries[place].value[wrong.key]
            problems.append(
                Problem(
                    name,
                    entry.mark.line,
                    f"workloads[{place}].{wrong.key}",
                    shown(entry.tree.value),
                    wrong.reason,
                    wrong.hint,
                )
            )
    if problems:
        raise ScenarioError(problems)
    return _with_trace(NeedFile(name, need, tuple(models), own_files=own), tree, folder)


def _own_files(need: SiteNeed, name: str, tree: Tree, folder: Path | None) -> tuple[OwnFile, ...]:
    """Return own parts and models: those that a need names, else those of the folders beside it."""
    found: list[OwnFile] = []
    holds: Holds
    for holds in ("parts", "models"):
        named = need.parts if holds == "parts" else need.models
        if named is None:
            if folder is not None and (folder / holds).is_dir():
                found += own_files.read(holds, holds, folder, Problem(name, 0, holds, "", ""))
            continue
        for place, path in enumerate(named):
            mark = locate(tree, (holds, place))
            found += own_files.read(
                path, holds, folder, Problem(name, mark.line, f"{holds}[{place}]", "", "")
            )
    return own_files.joined(found)


def _with_trace(file: NeedFile, tree: Tree, folder: Path | None) -> NeedFile:
    """Return a need with what its trace asks for: its last stage has as many GPUs at least."""
    need = file.need
    if need.trace is None:
        return file
    line = tree.value["trace"].mark.line
    place = Problem(file.name, line, "trace.file", "", "")
    origin = sibling_files.found(need.trace.file, folder, place, LIMIT)
    asked = _asked(origin, need.trace.map, need.trace.utilisation)
    if asked.gpus > MOST_GPUS:
        reason = f"asks for {asked.gpus:,} GPUs; a site has {MOST_GPUS:,} at most"
        raise ScenarioError(
            [replace(place, value=shown(need.trace.file), reason=reason, hint="map.size scales it")]
        )
    last = need.stages[-1] if need.stages else Stage(date=FIRST_MONTH, gpus=asked.gpus)
    stage = last.model_copy(update={"gpus": max(last.gpus, asked.gpus)})
    return replace(file, need=need.model_copy(update={"stages": (*need.stages[:-1], stage)}), trace=asked)


@lru_cache(maxsize=4)  # the form asks after every edit, and a trace may be large
def _asked(origin: Origin, rules: TraceMap, utilisation: float) -> TraceAsked:
    table = table_of(sibling_files.text_of(origin, LIMIT), origin.name, None, rules)
    return trace_asked(table, rules, utilisation)


class _Wrong(ValueError):
    def __init__(self, key: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.key, self.reason, self.hint = key, reason, hint


def _model_of(work: LanguageWork, folder: Path | None, presets: Mapping[str, ModelPreset]) -> Model:
    if work.shape is not None:
        shape = work.shape
        heads = shape.kv_heads or shape.heads
        if shape.heads % heads:
            raise _Wrong("shape", f"{heads} key-value heads do not divide {shape.heads} heads")
        assert work.sequence is not None
        return Model(
            shape.layers,
            shape.hidden,
            shape.ffn,
            shape.heads,
            heads,
            shape.vocab,
            shape.gated,
            work.sequence,
            head_size=shape.head_size,
        )
    if work.config is not None:
        try:
            model = model_of(shape_in_file(work.config, folder))
        except ConfigError as wrong:
            raise _Wrong("config", str(wrong)) from None
        return model if work.sequence is None else replace(model, seq=work.sequence)
    if work.model not in presets:
        near = nearest(str(work.model), presets)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(sorted(presets))}"
        raise _Wrong("model", "is no model that is known", hint)
    model = presets[str(work.model)].model
    return model if work.sequence is None else replace(model, seq=work.sequence)


def main() -> None:
    """Write the schema where it is committed: ``python -m twin.designs.need_file``."""
    path = Path(str(resources.folder("assets"))) / "schema" / FILE_NAME
    path.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
