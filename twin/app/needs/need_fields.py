"""The fields of a need: which under which heading, and what the schema does not say of them. No widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.app.form.typed import file_value, names_in, text_of, typed_value
from twin.catalog import Catalog
from twin.commands.edit.command import CommandError
from twin.designs.hall_part import hall_parts
from twin.designs.need import (
    DataSet,
    JobTraceNeed,
    LanguageWork,
    LeadTimes,
    Limits,
    ModelShape,
    SiteNeed,
    Stage,
    VisionWork,
)
from twin.language import tr
from twin.planning.profile.models import presets_of
from twin.scenario.schema.streams import TraceMap
from twin.scenario.text.emit import flow, scalar

_BIG = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_NUMBER = re.compile(r"([0-9][0-9,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*([kMBGT%]?)")
SOURCES = ("preset", "shape", "config", "vision")
"""What a workload's model is known by."""
SOURCE_TITLES = (
    tr("Published model"),
    tr("Shape of your own"),
    tr("Its config.json"),
    tr("Vision model"),
)


_LANGUAGE: dict[str, Any] = {"tokens": 1e12, "global_batch": 512, "sequence": 8192, "precision": "bf16"}
_NEW: dict[str, dict[str, Any]] = {
    "preset": {"kind": "llm", "model": "llama3-8b"},
    "config": {"kind": "llm", "config": "config.json"},
    "shape": {
        "kind": "llm",
        "shape": {"layers": 32, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8, "vocab": 128256},
    },
    "vision": {
        "kind": "vision",
        "model": "vision model",
        "sample_flop": 3e13,
        "parameters": 1.2e9,
        "sample": "160 MB",
        "epochs": 100,
    },
}
"""What a workload begins with, by where its model is from."""


@dataclass(frozen=True)
class NeedSection:
    """Fields with one heading.

    Attributes
    ----------
    key
        Of its part of the file: "workloads[0]", "limits".
    item
        Whether it is one of a list, that can be taken away.
    """

    key: str
    heading: str
    fields: tuple[Field, ...]
    item: bool = False


def sections(value: dict[str, Any], catalog: Catalog) -> Iterator[NeedSection]:
    """Yield the sections of a need as its file has it, with the parts and models there are."""
    yield NeedSection("", tr("Need"), (_of(SiteNeed, "", "title", tr("Title")),))
    for place, work in enumerate(_items(value, "workloads")):
        key = f"workloads[{place}]"
        yield NeedSection(
            key, tr("Workload {number}", number=place + 1), tuple(_work(key, work, catalog)), item=True
        )
    yield NeedSection("dataset", tr("Data set"), _dataset())
    for place, _ in enumerate(_items(value, "stages")):
        key = f"stages[{place}]"
        yield NeedSection(key, tr("Stage {number}", number=place + 1), _stage(key), item=True)
    yield NeedSection("trace", tr("Job trace"), tuple(_trace(value)))
    yield NeedSection("gpus", tr("GPUs to choose from"), (_gpus(catalog),))
    yield NeedSection("limits", tr("Limits"), _limits())
    yield NeedSection("site", tr("Site"), _site())
    yield NeedSection("lead", tr("Lead times"), _lead())


def source_of(work: Any) -> str:
    """Return by which of `SOURCES` the model of a workload is known."""
    if not isinstance(work, dict):
        return "preset"
    if work.get("kind") == "vision":
        return "vision"
    return next((source for source in ("shape", "config") if source in work), "preset")


def new_work(source: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a workload with its model known by another source; what both have stays."""
    known, made = before or {}, dict(_NEW[source])
    if source != "vision":
        made |= {key: known.get(key, value) for key, value in _LANGUAGE.items()}
    when = {key: value for key, value in known.items() if key in ("deadline", "stage")}
    return made | (when or {"deadline": "30 day"})


def value_text(of: Field, words: str) -> str:
    """Return what was typed into a field as text of YAML; raises `CommandError` for what is no such value."""
    words = words.strip()
    if of.kind == "number":
        if _NUMBER.fullmatch(words.removeprefix("-")) is None:
            raise CommandError(
                tr("{words!r} is not a number", words=words), tr("write it like 2500, 15.6T, 25M or 99.5 %")
            )
        words = plain_number(words)
    if of.kind == "names" and not of.choices:
        return flow(names_in(words))  # names that the need itself gives, as of its tenants
    value = typed_value(of, words)
    if of.kind == "quantity":
        return scalar(file_value(of, words))
    return flow(value)


def shown_text(of: Field, value: Any) -> str:
    """Return a value of the file as it stands in a field."""
    if isinstance(value, list):
        return text_of(of, tuple(map(str, value)))
    if of.kind == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        return big_text(float(value))
    return text_of(of, value)


def plain_number(words: str) -> str:
    """Return a number with its letter or per cent sign written out; what is none comes back as it is.

    >>> plain_number("15.6T"), plain_number("2,500"), plain_number("99.9 %"), plain_number("25 M")
    ('1.56e+13', '2500.0', '0.999', '25000000')
    """
    found = _NUMBER.fullmatch(words.strip())
    if found is None:
        return words
    number, letter = float(found[1].replace(",", "")), found[2]
    factor = 0.01 if letter == "%" else 1e9 if letter == "G" else _BIG.get(letter, 1.0)
    return f"{number * factor:.12g}" if factor != 1.0 else repr(number)


def big_text(value: float) -> str:
    """Return a number as people write it, large ones with a letter.

    >>> big_text(15.6e12), big_text(25e6), big_text(0.35), big_text(400.0)
    ('15.6T', '25M', '0.35', '400')
    """
    for letter, size in reversed(_BIG.items()):
        if letter != "k" and abs(value) >= size:
            return f"{value / size:.10g}{letter}"
    return f"{value:.10g}"


def default_text(of: Field) -> str:
    """Return what holds where a field is left empty; "" for nothing."""
    model, attribute = _owner(of.key)
    if model is None or attribute == "title" or model.model_fields[attribute].is_required():
        return ""
    default = model.model_fields[attribute].get_default(call_default_factory=True)
    if default is None:
        return ""
    return shown_text(of, list(default) if isinstance(default, tuple) else default)


@lru_cache(maxsize=4)
def gpu_names(catalog: Catalog) -> tuple[str, ...]:
    """Return the GPUs of which halls can be made, and the beginnings of their names."""
    found = sorted({part.gpu for part in hall_parts(catalog, ("",))})
    return (*dict.fromkeys(name.partition("-")[0] for name in found), *found)


def _items(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _of(model: type[BaseModel], group: str, key: str, title: str, unit: str = "", **said: Any) -> Field:
    made = field_of(model, key, Field, title=title, unit=unit, **said)
    assert made is not None
    tip = (
        f"{made.tip} \N{MIDDLE DOT} 15.6T, 25M, 2e9"
        if made.kind == "number" and (made.high or 0) > 1e6
        else made.tip
    )
    return replace(made, key=f"{group}.{key}" if group else key, tip=tip)


def _work(key: str, work: Any, catalog: Catalog) -> Iterator[Field]:
    source = source_of(work)
    yield Field(
        f"{key}.kind",
        tr("Model from"),
        tr("What the model is known by"),
        kind="choice",
        choices=SOURCES,
        titles=SOURCE_TITLES,
    )
    if source == "vision":
        yield from _vision(key)
        return
    presets = presets_of(catalog)
    if source == "preset":
        yield _of(
            LanguageWork,
            key,
            "model",
            tr("Model"),
            kind="choice",
            choices=tuple(presets),
            titles=tuple(preset.title for preset in presets.values()),
            optional=False,
        )
    elif source == "config":
        yield _of(LanguageWork, key, "config", "config.json", optional=False)
    else:
        for name, title in (
            ("layers", tr("Layers")),
            ("hidden", tr("Hidden size")),
            ("ffn", tr("Feed-forward size")),
            ("heads", tr("Attention heads")),
            ("kv_heads", tr("Key-value heads")),
            ("vocab", tr("Vocabulary")),
            ("head_size", tr("Head size")),
            ("gated", tr("Gated feed-forward")),
        ):
            yield _of(ModelShape, f"{key}.shape", name, title)
    yield _of(LanguageWork, key, "tokens", tr("Tokens"), tr("tokens"))
    yield _of(LanguageWork, key, "global_batch", tr("Global batch"), tr("sequences"))
    yield _of(LanguageWork, key, "sequence", tr("Sequence"), tr("tokens"))
    yield _of(LanguageWork, key, "precision", tr("Precision"))
    yield from _when(LanguageWork, key)


def _vision(key: str) -> Iterator[Field]:
    yield _of(VisionWork, key, "model", tr("Name of the model"))
    yield _of(VisionWork, key, "sample_flop", tr("FLOP per sample"), "FLOP")
    yield _of(VisionWork, key, "parameters", tr("Parameters"))
    yield _of(VisionWork, key, "sample", tr("Bytes per sample"))
    yield _of(VisionWork, key, "batch_per_gpu", tr("Batch per GPU"), tr("samples"))
    yield _of(VisionWork, key, "efficiency", tr("Share of 16-bit peak"))
    yield _of(VisionWork, key, "epochs", tr("Epochs"))
    yield _of(VisionWork, key, "node_cache", tr("Cache per node"))
    yield from _when(VisionWork, key)


def _when(model: type[BaseModel], key: str) -> Iterator[Field]:
    yield _of(model, key, "deadline", tr("Deadline"))
    titles = tr("the first stage"), tr("the last stage")
    yield _of(model, key, "stage", tr("Done by"), titles=titles)


def _dataset() -> tuple[Field, ...]:
    return (
        _of(DataSet, "dataset", "size", tr("Size"), optional=True),
        _of(DataSet, "dataset", "read", tr("Read bandwidth"), optional=True),
    )


def _stage(key: str) -> tuple[Field, ...]:
    return (_of(Stage, key, "date", tr("From")), _of(Stage, key, "gpus", "GPUs", "GPUs"))


def _trace(value: dict[str, Any]) -> Iterator[Field]:
    """Yield the file of a job trace, and once there is one how its jobs are taken."""
    tip = tr("Jobs that the last stage must take; without stages they say its GPUs")
    yield _of(JobTraceNeed, "trace", "file", tr("File"), optional=True, tip=tip)
    if value.get("trace") is None:
        return
    yield _of(JobTraceNeed, "trace", "utilisation", tr("Share of the GPU time"))
    for key, title, unit in (
        ("first", tr("Jobs taken"), tr("jobs")),
        ("skip", tr("Jobs left out before"), tr("jobs")),
        ("size", tr("Factor on GPUs"), ""),
        ("time", tr("Factor on run times"), ""),
        ("gaps", tr("Factor on gaps"), ""),
        ("gpus_per_processor", tr("GPUs per processor"), ""),
        ("throughput", tr("Steps a second"), ""),
    ):
        yield _of(TraceMap, "trace.map", key, title, unit)


def _gpus(catalog: Catalog) -> Field:
    tip = tr("GPUs that may be chosen, or how their names begin")
    return _of(SiteNeed, "", "gpus", "GPUs", choices=gpu_names(catalog), tip=tip)


def _limits() -> tuple[Field, ...]:
    rows = (
        ("budget_usd", tr("Budget"), "USD"),
        ("yearly_usd", tr("Cost of a year"), "USD"),
        ("power", tr("Site power"), ""),
        ("area_m2", tr("Floor of the hall"), "m2"),
        ("carbon_t", tr("Carbon of a year"), "t"),
        ("availability", tr("Availability"), ""),
        ("ready", tr("Ready in"), ""),
    )
    return tuple(_of(Limits, "limits", key, title, unit) for key, title, unit in rows)


def _site() -> tuple[Field, ...]:
    isolated = tr("shared nodes"), tr("whole racks"), tr("whole leaf switches")
    return (
        _of(SiteNeed, "", "redundancy", tr("Redundancy")),
        _of(SiteNeed, "", "climate", tr("Climate"), kind="place", optional=True),
        _of(SiteNeed, "", "carbon", tr("Carbon intensity")),
        _of(SiteNeed, "", "price", tr("Price of electricity")),
        _of(SiteNeed, "", "tenants", tr("Tenants")),
        _of(SiteNeed, "", "isolation", tr("Isolation"), titles=isolated),
    )


def _lead() -> tuple[Field, ...]:
    rows = (
        ("gpus", "GPUs"),
        ("switches", tr("Switches")),
        ("transformer", tr("Power transformer")),
        ("switchgear", tr("Switchgear")),
        ("generator", tr("Generators")),
        ("chiller", tr("Chillers")),
    )
    return tuple(_of(LeadTimes, "lead", key, title) for key, title in rows)


def _owner(key: str) -> tuple[type[BaseModel] | None, str]:
    """Return the group of keys that a field is of, and its attribute there."""
    group, _, name = key.rpartition(".")
    models: dict[str, type[BaseModel]] = {
        "": SiteNeed,
        "limits": Limits,
        "lead": LeadTimes,
        "dataset": DataSet,
        "trace": JobTraceNeed,
        "trace.map": TraceMap,
    }
    model = models.get(group)
    if model is None and group.startswith("workloads"):
        model = ModelShape if group.endswith(".shape") else LanguageWork
    if model is None:
        return None, name
    for attribute, info in model.model_fields.items():
        if name in (info.alias, attribute):
            return model, attribute
    return (VisionWork, name) if name in VisionWork.model_fields else (None, name)
