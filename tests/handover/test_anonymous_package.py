"""No name of a person, customer, host or file is anywhere in an anonymous package, and its scene is the same hall."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path

import pytest

from tests import own_scene
from twin.handover.anonymous_scene import anonymous_scene
from twin.handover.package import PAGE, package_bytes
from twin.handover.unpack import unpacked_scene
from twin.plant.build import build
from twin.scenario import Scenario, load

SECRET = (
    "secretcorp", "hushbank", "alicezeta", "bobomega", "ghostrow", "quietjob", "murkystream", "dimstore", "vaulthall",
    "veiledpart", "cloakgroup", "shroudrent", "mistwindow", "hiddenvlan", "whisper", "obscura", "secretfile",
    "quietbus", "923456.78", "731.37", "confidential",
)  # fmt: skip
MORE = """
notes: "confidential: built for secretcorp"
sources: ["https://whisper.example"]
prices: {TOY-NODE: 923456.78 USD}
site:
  name: obscura
  climate: {file: secretfile.csv}
  grid: {price: 731.37 USD/kWh}
"""


def scene(folder: Path) -> Path:
    """Write a scene in which everything that can have a name has a telling one."""
    path = own_scene.write(folder, more=MORE)
    text = path.read_text().replace("title: A hall of toys", "title: A hall of whisper for secretcorp")
    text = text.replace("id: gpu", "id: ghostrow, label: GHOSTROW".replace(", ", "\n        "))
    text = text.replace("water", "bobomega-water")
    text = text.replace("[gpu]", "[ghostrow]").replace("{id: disk,", "{id: dimstore, network: hiddenvlan,")
    text = text.replace("storage: disk", "storage: dimstore").replace("- id: hall", "- id: vaulthall")
    owner = "title: whisper\n    tenant: secretcorp\n    user: alicezeta"
    text = text.replace("- id: train", f"- id: quietjob\n    {owner}")
    text += """
tenants:
  - {id: secretcorp, title: whisper, users: [alicezeta, bobomega]}
  - {id: hushbank}
partitions: [{id: veiledpart, rows: [ghostrow], network: hiddenvlan}]
groups: [{id: cloakgroup, title: whisper, members: [ghostrow/0/0]}]
reservations: [{id: mistwindow, at: 1 h, for: 10 min, nodes: 1, jobs: [quietjob]}]
rentals: [{id: shroudrent, members: [ghostrow/0/1], price: 731.37 USD/h}]
interventions:
  - {id: quietbus, at: 10 min, kind: fail, target: ghostrow/0/0/0/1}
  - {id: whisper-2, at: 20 min, kind: set, target: "jobs[quietjob].checkpoint.interval", value: 30 min}
exclusions: [{id: obscura-x, rule: no-spares, target: quietjob, comment: whisper}]
chapters: [{title: whisper, at: 5 min, text: "secretcorp **waits**", select: [ghostrow/0/0]}]
"""
    hours = "".join(f"{hour},20,10\n" for hour in range(8760))
    (folder / "secretfile.csv").write_text("hour,dry_bulb [degC],wet_bulb [degC]\n" + hours)
    secret = folder / "secretfile.twin.yaml"
    secret.write_text(text)
    path.unlink()
    return secret


def all_bytes(package: bytes) -> list[tuple[str, bytes]]:
    """Return the names and contents of all files, those within workbooks too, and PDF with its streams unpacked."""
    found = []
    with zipfile.ZipFile(io.BytesIO(package)) as packed:
        for name in packed.namelist():
            data = packed.read(name)
            found.append((name, data + name.encode()))
            if name.endswith(".xlsx"):
                found += [(f"{name}/{inner}", text) for inner, text in all_bytes(data)]
            for stream in (
                re.findall(rb"stream\r?\n(.*?)endstream", data, re.S) if name.endswith(".pdf") else ()
            ):
                try:
                    found.append((name, zlib.decompress(stream)))
                except zlib.error:
                    continue
    return found


def test_no_file_of_the_package_has_an_original_name(tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    document = load(scene(home))
    package = package_bytes(document, anonymous=True)
    assert _told(package) == set()
    open_names = {name for _, name in _told(package_bytes(document))}
    assert {"secretcorp", "alicezeta", "ghostrow", "quietjob", "secretfile"} <= open_names
    (tmp_path / "other.zip").write_bytes(package)
    opened = load(unpacked_scene(tmp_path / "other.zip")).scenario
    assert opened.jobs[0].tenant == "tenant-1"
    assert opened.jobs[0].user == "user-1"
    assert opened.interventions[0].target == "host-1/0/0/0/1"
    assert opened.interventions[1].target == "jobs[job-1].checkpoint.interval"
    assert opened.reservations[0].jobs == ("job-1",)
    assert opened.rentals == ()  # without a price and a shape it would have none
    assert opened.storage[0].network == opened.partitions[0].network == "vlan-1"
    assert opened.site.climate.hours == document.scenario.site.climate.hours
    _same_hall(document.scenario, opened)
    with zipfile.ZipFile(io.BytesIO(package)) as packed:
        page = packed.read(PAGE).decode()
    assert "prices of the scene: those of the catalogue take their place" in page
    assert "rentals, which need what is left out" in page
    assert "accepted findings with their comments" in page
    assert "ids of power, cooling and networks" in page
    assert (opened.fabrics[0].id, opened.cooling.loops[0].plant, opened.cooling.plants[0].id) == (
        "ib",
        "water-1",
        "water-1",
    )


EVERYWHERE = """
site:
  name: zqsite
  power_purchases: [{id: zqwind, kind: wind, power: 1 MW}]
  heat_sales: [{id: zqheat, demand: 10 kW, temperature: 20 degC}]
tenants: [{id: t1, title: Zqcustomer, users: [bob]}]
power:
  - {id: utility, kind: utility, capacity: 9 MW}
  - {id: pdu-zqrow, kind: pdu, capacity: 1 MW, from: utility, feeds: [zqrow]}
  - {id: zqcustomer-ups, kind: ups, capacity: 1 MW, from: utility}
failures:
  causes: [{id: gpu, rate: 1 per 100 node-day, repair: gpu, source: zqratesource}]
"""
BUILDING = """
    building:
      walls: {width: 20 m, depth: 20 m}
      doors: [{id: zqdoor, at: {x: 2 m}}]
      columns: [{id: zqcolumn, at: {x: 15 m, y: 15 m}}]
      underlay: {file: zqplan.svg, width: 20 m}
"""
WORK = {
    "vision": "{kind: vision, model: zqmodel, sample_flop: 3.0e+13, parameters: 1.2e+9, sample: 1 MB, batch_per_gpu: 8,"
    " dataset: 1 TB}",
    "llm": "{kind: llm, model: toy-1b, global_batch: 64, parallelism: {tensor: 1}, calibration: {title: zqprofile,"
    " extends: h100, notes: zqnotes}}",
}


@pytest.mark.parametrize("kind", WORK)
def test_names_in_places_where_few_look_for_them_are_replaced_too(kind: str, tmp_path: Path) -> None:
    path = own_scene.write(tmp_path, more=EVERYWHERE)
    text = re.sub("workload: .*", f"workload: {WORK[kind]}", path.read_text())
    text = text.replace("- id: hall\n", f"- id: zqhall{BUILDING}").replace("id: gpu\n", "id: zqrow\n")
    path.write_text(text.replace("[gpu]", "[zqrow]"))
    (tmp_path / "zqplan.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    parts, models = tmp_path / "parts/node.yaml", tmp_path / "models/toy.yaml"
    parts.write_text(
        parts.read_text()
        .replace('toy: "made up for tests"', 'zqquote: "Quote of zqseller"')
        .replace("source: toy", "source: zqquote")
    )
    models.write_text(models.read_text().replace("made up for tests", "design of zqauthor"))
    texts = "".join(file.read_text() for file in (path, parts, models))
    written = set(re.findall(r"zq[a-z]{3,}", texts.lower()))
    assert len(written) > 10
    package = package_bytes(load(path), anonymous=True)
    told = {
        (file, name) for file, data in all_bytes(package) for name in written if name.encode() in data.lower()
    }
    assert told == set()
    (tmp_path / "other.zip").write_bytes(package)
    opened = load(unpacked_scene(tmp_path / "other.zip")).scenario
    assert [stage.id for stage in opened.power] == ["utility", "supply-1", "supply-2"]
    assert opened.site.power_purchases[0].id == "contract-1"
    with zipfile.ZipFile(io.BytesIO(package)) as packed:
        assert "the drawing on the floor" in packed.read(PAGE).decode()


def _told(package: bytes) -> set[tuple[str, str]]:
    """Return which files have which original names."""
    return {
        (file, name) for file, data in all_bytes(package) for name in SECRET if name.encode() in data.lower()
    }


@pytest.mark.parametrize("name", ["shared-cluster", "mixed-workloads", "hybrid-burst"])
def test_names_are_the_same_every_time_and_the_hall_too(name: str, tmp_path: Path) -> None:
    document = load(f"builtin:{name}")
    made = []
    for turn in ("one", "two"):
        (folder := tmp_path / turn).mkdir()
        made.append(anonymous_scene(document, folder))
    assert made[0].document.text == made[1].document.text
    assert made[0].names == made[1].names
    _same_hall(document.scenario, made[0].document.scenario)


def _same_hall(before: Scenario, after: Scenario) -> None:
    old, new = build(before), build(after)
    assert old.nodes.gpu_count.tolist() == new.nodes.gpu_count.tolist()
    assert old.racks.x_m.tolist() == new.racks.x_m.tolist()
    assert old.bundles.length_m.tolist() == new.bundles.length_m.tolist()
    assert [job.nodes for job in before.jobs] == [job.nodes for job in after.jobs]
