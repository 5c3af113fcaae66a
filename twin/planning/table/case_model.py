"""Which model and which hardware a row of a case table means by the names people write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from twin.physics.training_inputs import AttentionWindow, Experts, Latent, Model, SoftwareStack, StateSpace
from twin.planning.job.llm import refuse_uneven_heads
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.models import ModelPreset, model_presets
from twin.planning.profile.profiles import (
    CalibratedProfile,
    load_calibrated,
    profile_for_gpu,
    profile_names,
    variant_for_software,
)
from twin.planning.table.case_cells import CellError

DEFAULT_VOCAB = 51200
"""Vocabulary of GPT-2 as Megatron-LM pads it."""


@cache
def preset_named(name: str) -> ModelPreset | None:
    """Return the preset a model name means: by key or title, however it is spelled.

    Examples
    --------
    >>> preset_named("llama3.1-70B").name, preset_named("gpt3-175B").name, preset_named("33B")
    ('llama3-70b', 'gpt3-175b', None)
    """
    wanted = _letters(name.rpartition("/")[2])
    for preset in model_presets().values():
        if wanted in (_letters(preset.name), _letters(preset.title)):
            return preset
    return None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def has_deferred_head(name: str, model: Model) -> bool:
    """Return whether published stacks take the embedding gradient of a model out of the pipeline.

    By its name, or because it is a preset that has it but for the number of layers and key-value heads, which
    differ where a slice of a model stands for the whole.
    """
    preset = preset_named(name)
    if preset is not None:
        return preset.deferred_head
    return any(
        known.deferred_head
        and (known.model.hidden, known.model.ffn, known.model.heads, known.model.vocab, known.model.gated)
        == (model.hidden, model.ffn, model.heads, model.vocab, model.gated)
        for known in model_presets().values()
    )


def model_of(values: Mapping[str, Any]) -> Model:
    """Return the model shape of a row; a named preset fills the fields the row leaves open.

    Raises
    ------
    CellError, PlanError
        When the row does not say enough, or no software runs such a model.
    """
    preset = preset_named(values.get("model", ""))
    known = None if preset is None else preset.model
    if known is not None and any(
        values.get(key, getattr(known, key)) != getattr(known, key) for key in ("hidden", "heads")
    ):
        known = None  # another model under the name of a preset
    if known is None:
        missing = [key for key in ("layers", "hidden", "heads", "seq") if key not in values]
        if missing:
            name = values.get("model", "")
            problem = (
                f"model {name!r} is no preset ({', '.join(sorted(model_presets()))})"
                if name
                else "no model is named"
            )
            raise CellError(f"{problem}, so the row must give {', '.join(missing)}")
    hidden = values.get("hidden", known.hidden if known else 0)
    heads = values.get("heads", known.heads if known else 0)
    model = Model(
        layers=values.get("layers", known.layers if known else 0),
        hidden=hidden,
        ffn=values.get("ffn", known.ffn if known else 4 * hidden),
        heads=heads,
        kv_heads=values.get("kv_heads", known.kv_heads if known else heads),
        vocab=values.get("vocab", known.vocab if known else DEFAULT_VOCAB),
        gated=values.get("gated", known.gated if known else False),
        seq=values.get("seq", known.seq if known else 0),
        experts=_experts(values, known, hidden),
        latent=_latent(values, known),
        head_size=values.get("head_size", known.head_size if known else None),
        window=_window(values, known),
        predicted=values.get("predicted", known.predicted if known else 0),
        state_space=_state_space(values, known),
    )
    _refuse_mixers(model)
    refuse_uneven_heads(model)
    return model


def _experts(values: Mapping[str, Any], known: Model | None, hidden: int) -> Experts | None:
    base = known.experts if known else None
    count = values.get("experts", base.count if base else 0)
    if not count:
        return None
    per_token = values.get("topk", base.per_token if base else 0)
    if not per_token:
        raise CellError(f"{count} experts, but column 'topk' does not say how many of them see a token")
    if per_token > count:
        raise CellError(f"{per_token} experts for each token are more than the {count} there are")
    return Experts(
        count=count,
        per_token=per_token,
        ffn=values.get("expert_ffn") or (base.ffn if base else values.get("ffn", 4 * hidden)),
        shared=values.get("shared_experts", base.shared if base else 0),
        dense_layers=values.get("dense_layers", base.dense_layers if base else 0),
        most_nodes=values.get("most_nodes", base.most_nodes if base else 0),
    )


def _latent(values: Mapping[str, Any], known: Model | None) -> Latent | None:
    given = {key: values[key] for key in _LATENT if key in values}
    if not given:
        return known.latent if known else None
    missing = [key for key in _LATENT if key not in given]
    if missing:
        raise CellError(f"latent attention also needs {', '.join(missing)}; it has {', '.join(given)}")
    return Latent(**given)


def _window(values: Mapping[str, Any], known: Model | None) -> AttentionWindow | None:
    base = known.window if known else None
    tokens = values.get("window", base.tokens if base else 0)
    if not tokens:
        if values.get("full_every"):
            raise CellError("column 'full_every' needs the tokens of a window; fill column 'window'")
        return None
    return AttentionWindow(tokens, values.get("full_every", base.full_every if base else 0))


def _state_space(values: Mapping[str, Any], known: Model | None) -> StateSpace | None:
    base = known.state_space if known else None
    layers = values.get("ssm_layers", base.layers if base else 0)
    if not layers:
        return None
    shape = {
        "feed_forward": ("ffn_layers", base.feed_forward if base else None),
        "heads": ("ssm_heads", base.heads if base else None),
        "head": ("ssm_head", base.head if base else 64),
        "state": ("ssm_state", base.state if base else 128),
        "groups": ("ssm_groups", base.groups if base else 8),
    }
    found = {field: values.get(column, default) for field, (column, default) in shape.items()}
    missing = [column for field, (column, _) in shape.items() if found[field] is None]
    if missing:
        raise CellError(f"{layers} state-space layers, but the row does not give {', '.join(missing)}")
    return StateSpace(layers=layers, **found)


def _refuse_mixers(model: Model) -> None:
    if model.state_space is not None and model.attention_share < 0:
        raise CellError(
            f"{model.state_space.layers} state-space and {model.state_space.feed_forward} feed-forward layers are "
            f"more than the {model.layers:g} layers there are; 'layers' counts each of them and of attention"
        )


_LATENT = ("query_rank", "kv_rank", "head_plain", "head_rotary", "head_value")


def stack_of_release(values: Mapping[str, Any], model: Model, calibrated: CalibratedProfile) -> SoftwareStack:
    """Return what a release of Megatron-Bridge does with experts on a GPU, where the row does not say it itself.

    By its performance recipes (scripts/performance/configs, v0.2.0 to v0.6.0): routers are forced to balance; before
    26.02 GPUs of eight to a node exchange tokens by collectives, all others and later ones by fused kernels; from 26.06
    on GPUs of more than 80 GB replay whole steps in 8 or 4 bits from graphs, with fused experts and the exchange behind
    other work. Other software keeps the stack of its profile.
    """
    stack, release = calibrated.stack, values.get("release")
    if model.experts is None or release is None:
        return stack
    small = calibrated.profile.hbm_bytes < _SMALL_BYTES
    whole = release >= (26, 6, 0) and values.get("precision", "bf16") != "bf16" and not small
    apart = release < (26, 2, 0) and calibrated.profile.domain_gpus <= _GPUS_OF_A_NODE
    return replace(
        stack,
        balanced=True,
        ep_overlap=whole,
        fused_experts=whole,
        graphs=whole,
        dispatcher="collective" if apart else "fused",
        even_stages=model.predicted > 0,
    )


_SMALL_BYTES = 100e9
_GPUS_OF_A_NODE = 8


def profile_of_row(values: Mapping[str, Any]) -> CalibratedProfile:
    """Return the profile that a row means: by its own name, else by GPU and by the software that ran on it.

    The software is what columns software, framework or stack say, else what the source of the figures names.

    Raises
    ------
    CellError, ProfileError
        When the row names neither, or nothing serves what it names.
    """
    if "profile" in values:
        return load_calibrated(values["profile"])
    if "gpu" not in values:
        raise CellError("the row names no GPU; fill column 'gpu' (such as H100-80GB) or give --profile")
    software = [values[key] for key in ("software", "framework", "stack") if key in values]
    return variant_for_software(profile_of_gpu(values["gpu"]), " ".join(software) or values.get("source", ""))


def profile_of_gpu(gpu: str) -> CalibratedProfile:
    """Return the profile of a GPU as people and tables write it: "H100-80GB", "NVIDIA A100-SXM4-80GB", "GB200".

    Raises
    ------
    CellError
        When no profile serves it.
    """
    try:
        return profile_for_gpu(gpu)
    except ProfileError:
        pass
    words = re.split(r"[^a-z0-9]+", gpu.lower())
    served = _served()
    generations = {name.split("-")[0] for name in served}
    meant = {generation for generation in generations if any(_names(word, generation) for word in words)}
    same = [name for name in served if name.split("-")[0] in meant]
    if "pcie" in words or ("nvl" in words and not any(name.startswith("g") for name in same)):
        same = [name for name in same if "sxm" not in name]  # another card of the same generation
    if len(meant) != 1 or not same:
        raise CellError(
            f"no profile serves GPU {gpu!r}; served are {', '.join(sorted(served.values()))}; or give --profile"
        )
    sized = [name for name in same if name.split("-")[-1] in {word.removesuffix("gb") for word in words}]
    found = [profile_for_gpu(name) for name in sized or same]
    return max(found, key=lambda found_profile: found_profile.profile.hbm_bytes)


def _served() -> dict[str, str]:
    """Return the GPUs that profiles serve, in lower case -> as the catalogue writes them."""
    return {gpu.lower(): gpu for name in profile_names() for gpu in load_calibrated(name).gpus}


def _names(word: str, generation: str) -> bool:
    """Return whether a word means a GPU generation: itself, or with form and memory written on ("h100sxm5")."""
    rest = word.removeprefix(generation)
    return rest != word and re.fullmatch(r"(sxm\d*|nvl\d*|hgx|dgx|gpu|oam)?(\d+gb)?", rest) is not None
