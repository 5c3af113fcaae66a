"""Own parts and models added to the shipped catalogue: what is taken, and what is refused with its place."""

from __future__ import annotations

import json

import pytest

from tests import own_scene
from twin.catalog import CatalogError, check_rows, load_catalog
from twin.catalog.catalog import Catalog, with_own
from twin.catalog.own_texts import MOST_BYTES, OwnText
from twin.catalog.part_text import copy_of

HEAD = "format: twin/catalog\nversion: 1\n"


def own(*texts: tuple[str, str, str]) -> Catalog:
    return with_own(
        tuple(OwnText(file, "models" if holds == "models" else "parts", text) for file, holds, text in texts)
    )


def toys() -> Catalog:
    return own(
        ("parts/gpu.yaml", "parts", own_scene.gpu_text()),
        ("parts/node.yaml", "parts", own_scene.parts_text()),
        ("models/toy.yaml", "models", own_scene.MODEL_TEXT),
        ("models/Toy-Llama/config.json", "models", json.dumps(own_scene.CONFIG)),
    )


def test_own_parts_stand_beside_the_shipped_ones_which_stay_as_they_are() -> None:
    catalog, shipped = toys(), load_catalog()
    assert catalog.own_parts == (own_scene.GPU, own_scene.NODE)
    assert catalog.node(own_scene.NODE).gpu == own_scene.GPU
    assert catalog.place(own_scene.GPU) == "parts/gpu.yaml:6"
    assert catalog.provenance(own_scene.NODE, "max_w").citation == "made up for tests"
    assert len(catalog) == len(shipped) + 2
    assert own_scene.GPU not in shipped
    assert load_catalog() is shipped
    assert toys() is catalog  # the same texts are read once
    assert catalog.version == shipped.version
    assert catalog.digest != shipped.digest
    assert [row for row in check_rows(catalog) if row["part"] in catalog.own_parts] == []


def test_a_copy_of_any_shipped_part_says_the_same_under_its_own_name() -> None:
    shipped = load_catalog()
    for part in shipped:
        if part.KIND in ("causes", "machines", "prices", "shapes"):
            continue
        copy = own(("a.yaml", "parts", copy_of(shipped, part.id, "MINE"))).part("MINE")
        names = [name for name in part.__dataclass_fields__ if name not in ("id", "title")]
        assert [getattr(copy, name) for name in names] == [getattr(part, name) for name in names], part.id


def test_models_are_read_from_presets_and_from_a_config() -> None:
    preset, published = toys().own_models["toy-1b"], toys().own_models["toy-llama"]
    counts = {
        key: preset.shape[key] for key in ("layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq")
    }
    assert {key: published.shape[key] for key in counts} == counts
    assert (preset.status, preset.place) == ("estimated", "models/toy.yaml:2")
    assert (published.status, published.title) == ("published", "Toy-Llama")


def wrong(*texts: tuple[str, str, str]) -> str:
    with pytest.raises(CatalogError) as refused:
        own(*texts)
    return str(refused.value)


def test_an_id_that_is_taken_is_refused_with_both_places() -> None:
    text = own_scene.gpu_text().replace(own_scene.GPU + ":", "H100-SXM:")
    where = load_catalog().place("H100-SXM")
    assert wrong(("parts/g.yaml", "parts", text)) == (
        f"parts/g.yaml:6: H100-SXM: is already at {where}; choose another id"
    )
    twice = (("a.yaml", "parts", own_scene.gpu_text()), ("b.yaml", "parts", own_scene.gpu_text()))
    assert "b.yaml:6: TOY-GPU: is already at a.yaml:6" in wrong(*twice)
    model = own_scene.MODEL_TEXT.replace("toy-1b", "llama3-8b")
    said = wrong(("m.yaml", "models", model))
    assert said.startswith("m.yaml:2: llama3-8b: is already at assets/profiles/models.yaml:")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("tdp: {value: 600 W", "tdp: {value: -600 W"), "TOY-GPU.tdp.value: '-600 W' is not above zero"),
        (("tdp: {value: 600 W", "tdp: {value: 600 kg"), "parts/g.yaml:14: TOY-GPU.tdp.value"),
        (("memory: {value", "memroy: {value"), "TOY-GPU.memroy: is no key of a gpu; did you mean 'memory'?"),
        (("source: smi_h100, status: published", "source: nobody, status: published"), "'nobody' is not in the table"),
        (("status: recalled", "status: certain"), "must be one of published, derived, recalled, estimated, unverified"),
        (("gpu:\n", "prices:\n"), "prices: holds no own parts; write prices in the scene"),
        (("gpu:\n", "causes:\n"), "write failures.causes in the scene"),
        (("version: 1\n", 'version: 1\nedition: "2030.01"\n'), "only the shipped catalogue has one"),
        (("version: 1\n", "version: 2\n"), "a catalogue has 'version: 1'"),
        (("  TOY-GPU:", '  "../x":'), "is no name: letters, digits"),
    ],
)  # fmt: skip
def test_a_wrong_part_is_refused_with_file_line_and_key(change: tuple[str, str], said: str) -> None:
    text = own_scene.gpu_text()
    assert change[0] in text
    assert said in wrong(("parts/g.yaml", "parts", text.replace(*change, 1)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("layers: 16", "layers: 0"), "models/m.yaml:4: toy-1b.layers: is '0'; it must be a whole number"),
        (("layers: 16", "layers: 99999999999"), "toy-1b.layers"),
        (("kv_heads: 8", "kv_heads: 5"), "5 do not divide 32 attention heads"),
        (("gated: true", "gated: maybe"), "it must be true or false"),
        (("    gated: true\n", ""), "toy-1b.gated: is missing; a model needs it"),
        (("status: estimated", "status: sure"), "it must be one of"),
        (("hidden: 2048", "hiden: 2048"), "is no key of a model; did you mean 'hidden'?"),
        (("models:", "model:"), "models: is missing; a file of models begins with 'models:'"),
        (("seq: 4096", "seq: 4096\n    experts: {count: 2, per_token: 4, ffn: 8}"), "are 4 of 2 experts"),
        (("seq: 4096", "seq: 4096\n    experts: {count: 2, per_token: 1}"), "experts.ffn: is missing"),
        (("toy-1b:", '"toy 1b":'), "is no name"),
    ],
)  # fmt: skip
def test_a_wrong_model_is_refused_with_file_line_and_key(change: tuple[str, str], said: str) -> None:
    assert change[0] in own_scene.MODEL_TEXT
    assert said in wrong(("models/m.yaml", "models", own_scene.MODEL_TEXT.replace(*change, 1)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it cannot be read"),
        ("[" * 100_000, "it cannot be read"),
        ("[]", "it is no mapping"),
        ('{"architectures": ["Mamba"]}', "its architectures are Mamba; known are LlamaForCausalLM"),
    ],
)
def test_a_wrong_config_is_refused(text: str, said: str) -> None:
    assert said in wrong(("models/x/config.json", "models", text))


def test_the_size_of_a_file_is_bounded() -> None:
    assert "is larger than 500 kB" in wrong(("a.yaml", "parts", HEAD + "#" * MOST_BYTES))
