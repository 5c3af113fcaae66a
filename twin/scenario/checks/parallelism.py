"""Checks of the parallelism layout of a job: degrees that do not divide, unknown presets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from twin import resources
from twin.catalog import Catalog
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.work import Inference, Job, LlmTraining, Load, Parallelism, Reinforcement

Found = tuple[str, str, str]
"""Key below the job to blame (of names: below its workload), reason, hint."""

_TO = "workload.parallelism"
_PROFILES = "assets/profiles"
_MODELS = f"{_PROFILES}/models.yaml"


def names(job: Job, catalog: Catalog) -> Iterator[Found]:
    """Yield the presets that a workload names and that do not exist, among own models neither."""
    workload = job.workload
    if isinstance(workload, LlmTraining | Reinforcement | Inference):
        known = sorted({*catalog.own_models, *_models()})
        if workload.model not in known:
            yield "model", "is not a model preset", _choice(workload.model, known)
    if isinstance(workload, Load):
        return
    named = workload.profile
    if named is not None and named not in _profiles():
        yield "profile", "is not a calibration profile", _choice(named, sorted(_profiles()))
    own = workload.calibration if isinstance(workload, LlmTraining) else None
    if own is not None and named is not None:
        yield "calibration", "conflicts with profile: a job has one", "remove one of them"
    if own is not None and own.extends not in _profiles():
        yield "calibration.extends", "is not a shipped profile", _choice(own.extends, sorted(_profiles()))


def wrong(job: Job, node_gpus: int, gpu: str, nameless: bool, catalog: Catalog) -> Iterator[Found]:
    """Yield why a workload has no parallelism layout on its GPUs.

    Parameters
    ----------
    job
        As the scenario has it.
    node_gpus, gpu
        GPUs of a node it runs on, and their part.
    nameless
        Whether its model is unknown, so that nothing can be said about shapes.
    catalog
        With own parts, which borrow a profile, and own models.
    """
    workload = job.workload
    if isinstance(workload, Load):
        return  # runs on any GPU: no model, no profile
    own = isinstance(workload, LlmTraining) and workload.calibration is not None
    if (
        workload.profile is None
        and not own
        and gpu not in catalog.own_parts
        and gpu.lower() not in {served.lower() for gpus_of in _profiles().values() for served in gpus_of}
    ):
        hint = f"name one: {', '.join(sorted(_profiles()))}"
        yield "workload.profile", f"is required: no calibration profile is for {gpu}", hint
    if isinstance(workload, LlmTraining):
        shape = None if nameless else _model(workload.model, catalog)
        tokens = None if shape is None else workload.sequence or int(shape["seq"])
        batch = (workload.global_batch, "workload.global_batch")
        yield from _cut(
            _Cut(workload.parallelism, workload.model, job.nodes, node_gpus, *batch, tokens, shape)
        )
    elif isinstance(workload, Reinforcement):
        shape = None if nameless else _model(workload.model, catalog)
        yield from _reinforcement(job, workload, node_gpus, shape)
    elif isinstance(workload, Inference):
        shape = None if nameless else _model(workload.model, catalog)
        yield from _inference(job, workload, node_gpus, shape)


@dataclass(frozen=True)
class _Cut:
    """A model that learns on nodes; `tokens` of a sequence and `shape` are None where the model is unknown."""

    cut: Parallelism
    model: str
    nodes: int
    node_gpus: int
    batch: int
    batch_key: str
    tokens: int | None
    shape: Mapping[str, Any] | None


def _cut(layout: _Cut) -> Iterator[Found]:
    cut = layout.cut
    degrees = {"tensor": cut.tensor, "pipeline": cut.pipeline, "context": cut.context}
    gpus, group = layout.nodes * layout.node_gpus, math.prod(degrees.values())
    if gpus % group:
        product = " x ".join(f"{key} {value}" for key, value in degrees.items())
        alone = [key for key, value in degrees.items() if gpus % value]
        step = group // math.gcd(group, layout.node_gpus)
        near = [count for count in (layout.nodes // step * step, (layout.nodes // step + 1) * step) if count]
        hint = f"{' or '.join(f'{count:,}' for count in near)} nodes would do"
        if alone:
            hint = f"{max(d for d in range(1, degrees[alone[0]]) if gpus % d == 0)} would divide them"
        reason = f"does not divide the GPUs: {layout.nodes:,} nodes have {gpus:,}, no multiple of {product} = {group:,}"
        yield f"{_TO}.{alone[0]}" if alone else _TO, reason, hint
        return
    replicas = gpus // group
    share = replicas * cut.microbatch
    if layout.batch % share:
        below = layout.batch // share * share
        hint = f"{' or '.join(f'{batch:,}' for batch in (below, below + share) if batch)} would do"
        reason = f"is no multiple of data parallel {replicas:,} x microbatch {cut.microbatch} = {share:,}"
        yield layout.batch_key, reason, hint
    each = cut.tensor if cut.expert_tensor is None else cut.expert_tensor
    if cut.tensor % each:
        yield f"{_TO}.expert_tensor", f"does not divide tensor {cut.tensor}", "1 keeps each expert on one GPU"
    elif cut.tensor * cut.context * replicas % (cut.expert * each):
        product = f"tensor {cut.tensor} x context {cut.context} x data parallel {replicas:,}"
        reason = f"x {each} GPUs for each expert does not divide {product}"
        yield f"{_TO}.expert", reason, "experts are spread inside the GPUs of one pipeline stage"
    if layout.tokens is not None and layout.shape is not None:
        yield from _shape(layout, layout.tokens, layout.shape)


def _shape(layout: _Cut, tokens: int, model: Mapping[str, Any]) -> Iterator[Found]:
    cut = layout.cut
    heads, layers = int(model["heads"]), int(model["layers"])
    experts = int((model.get("experts") or {}).get("count", 1))
    if heads % cut.tensor:
        yield f"{_TO}.tensor", f"does not divide the {heads} attention heads of {layout.model}", ""
    if experts == 1 and cut.expert_tensor is not None:
        yield f"{_TO}.expert_tensor", f"does not apply to {layout.model}, which has no experts", "remove it"
    if experts % cut.expert:
        noun = (
            f"the {experts} experts of {layout.model}"
            if experts > 1
            else f"{layout.model}, which has no experts"
        )
        yield f"{_TO}.expert", f"does not divide {noun}", ""
    if cut.pipeline > layers:
        yield f"{_TO}.pipeline", f"makes more stages than {layout.model} has layers: {layers}", ""
    elif cut.pipeline * cut.interleave > layers:
        stages = f"{cut.pipeline} x {cut.interleave} = {cut.pipeline * cut.interleave}"
        reason = f"makes more stages than {layout.model} has layers: {stages} of {layers}"
        yield f"{_TO}.interleave", reason, f"at most {layers // cut.pipeline}"
    if tokens % cut.context:
        yield f"{_TO}.context", f"does not divide the sequence of {tokens:,} tokens", ""


def _reinforcement(
    job: Job, workload: Reinforcement, node_gpus: int, shape: Mapping[str, Any] | None
) -> Iterator[Found]:
    generating = workload.rollout_nodes or 0
    if generating >= job.nodes:
        reason = f"leaves no node for training: the job has {job.nodes:,}"
        yield "workload.rollout_nodes", reason, f"at most {job.nodes - 1:,}"
        return
    gpus = (generating or job.nodes) * node_gpus
    if gpus % workload.rollout_tensor:
        reason = f"does not divide the {gpus:,} GPUs that generate"
        yield "workload.rollout_tensor", reason, ""
    yield from _heads("workload.rollout_tensor", workload.model, workload.rollout_tensor, shape)
    tokens = None if shape is None else workload.prompt_tokens + workload.output_tokens
    answers = workload.prompts * workload.samples
    learning = job.nodes - generating
    key = "workload.prompts"
    layout = _Cut(workload.parallelism, workload.model, learning, node_gpus, answers, key, tokens, shape)
    for found in _cut(layout):
        if found[0] == key:
            yield key, f"x samples = {answers:,} {found[1]}", f"{found[2]} as answers of a step"
        else:
            yield found


def _inference(
    job: Job, workload: Inference, node_gpus: int, shape: Mapping[str, Any] | None
) -> Iterator[Found]:
    gpus = job.nodes * node_gpus
    if gpus % workload.tensor:
        yield "workload.tensor", f"does not divide the {gpus:,} GPUs of the job", ""
    yield from _heads("workload.tensor", workload.model, workload.tensor, shape)


def _heads(key: str, model: str, tensor: int, shape: Mapping[str, Any] | None) -> Iterator[Found]:
    if shape is not None and int(shape["heads"]) % tensor:
        yield key, f"does not divide the {shape['heads']} attention heads of {model}", ""


def _choice(word: str, known: list[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"


@cache
def _models() -> Mapping[str, Any]:
    """Return the model presets that are shipped; `planning` reads and checks all of them."""
    return resources.group_in(resources.shipped_mapping(_MODELS), _MODELS, "models")


def _model(name: str, catalog: Catalog) -> Mapping[str, Any]:
    own = catalog.own_models.get(name)
    return _preset(name) if own is None else own.shape


@cache
def _preset(name: str) -> Mapping[str, Any]:
    found = resources.group_in(_models(), _MODELS, name)
    for key in ("heads", "layers", "seq"):
        if type(found.get(key)) is not int:
            raise resources.ResourceError(_MODELS, f"models.{name}.{key}", "must be a whole number")
    return found


@cache
def _profiles() -> Mapping[str, tuple[str, ...]]:
    """Return the shipped calibration profiles, each with the GPUs it serves."""
    entries = (entry.name for entry in (resources.folder("assets") / "profiles").iterdir())
    files = {
        name: f"{_PROFILES}/{name}" for name in entries if name.endswith(".yaml") and name != "models.yaml"
    }
    return {
        name.removesuffix(".yaml"): tuple(resources.shipped_mapping(path).get("gpus", ()))
        for name, path in files.items()
    }
