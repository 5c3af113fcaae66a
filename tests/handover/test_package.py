"""A scene that is handed over is the same where it is opened; packages of strangers stay bounded."""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
from pathlib import Path

import pytest

from tests import own_scene
from twin.handover import unpack
from twin.handover.package import PAGE, package_bytes
from twin.handover.unpack import PackageError, unpacked_scene
from twin.record.inputs import inputs_hash
from twin.scenario import load


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """Return a scene that extends one beside it, which extends a shipped one."""
    home = tmp_path / "home"
    (home / "common").mkdir(parents=True)
    head = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\n'
    (home / "common" / "grid.csv").write_text("price [USD/MWh],carbon [g/kWh]\n" + "50,300\n" * 8760)
    (home / "common" / "base.twin.yaml").write_text(
        f"{head}extends: builtin:lab-16\ntitle: Base\nsite: {{grid: {{file: grid.csv}}}}\n"
    )
    (home / "parts").mkdir()
    (home / "parts" / "toys.yaml").write_text(own_scene.gpu_text())
    path = home / "mine.twin.yaml"
    path.write_text(f"{head}extends: common/base.twin.yaml\ntitle: Mine <b>\n")
    return path


def test_what_is_handed_over_opens_elsewhere_as_the_same_scene(scene: Path, tmp_path: Path) -> None:
    document = load(scene)
    data = package_bytes(document)
    (there := tmp_path / "there").mkdir()
    (there / "mine.zip").write_bytes(data)
    opened = unpacked_scene(there / "mine.zip")
    assert opened == there / "mine" / "scene" / "mine.twin.yaml"
    assert inputs_hash(load(opened).scenario) == inputs_hash(document.scenario)
    assert unpacked_scene(there / "mine.zip") == opened  # a second time: what is there is what is in it
    with zipfile.ZipFile(there / "mine.zip") as packed:
        names = packed.namelist()
        text = packed.read(PAGE).decode()
        report = packed.read("report.pdf")
    assert names[0] == PAGE
    assert {
        "report.html",
        "report.pdf",
        "drawings.pdf",
        "hall.glb",
        "lists/bom.csv",
        "lists/addresses.csv",
        "scene/common/base.twin.yaml",
    } <= set(names)
    assert "Mine &lt;b&gt;" in text
    assert f"Revision {inputs_hash(document.scenario)[:8]} of the scene" in text
    assert re.search(
        r"Drawings, A3: P1 Plan of [^;]+; E1 Elevations of [^;]+; L1 One-line diagram; H1 Piping; N1", text
    )
    (rows,) = re.findall(r"Rack loads, (\d+) rows", text)
    with zipfile.ZipFile(there / "mine.zip") as packed:
        assert len(packed.read("lists/racks.csv").decode().splitlines()) == int(rows) + 1
    assert all(name in text for name in names[1:])
    assert report.startswith(b"%PDF-")
    assert hashlib.sha256(report).hexdigest() in text
    opened.write_text("mine now")
    with pytest.raises(PackageError, match="exists and holds something else"):
        unpacked_scene(there / "mine.zip")
    assert opened.read_text() == "mine now"


def made(folder: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(folder / "p.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return folder / "p.zip"


SCENE = ("scene/a.twin.yaml", b"title: A")


@pytest.mark.parametrize(
    "name",
    ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:out.txt", "a\\..\\out.txt", "scene/A.twin.yaml"],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    (inner := tmp_path / "inner").mkdir()
    with pytest.raises(PackageError, match="leads out of the package"):
        unpacked_scene(made(inner, SCENE, (name, b"x")))
    assert [path.name for path in tmp_path.rglob("*")] == ["inner", "p.zip"]


def test_links_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("scene/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(PackageError, match="leads out"):
        unpacked_scene(made(tmp_path, SCENE, (link, b"/etc/passwd")))


def test_bombs_are_refused_before_they_are_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(unpack, "MOST_TOTAL", 1_500_000)
    monkeypatch.setattr(unpack, "MOST_ENTRIES", 5)
    with pytest.raises(PackageError, match=r"big would hold 2 MB; at most 1 MB"):
        unpacked_scene(made(tmp_path, SCENE, ("big", bytes(2_000_000))))
    with pytest.raises(PackageError, match=r"would hold 2 MB; at most 1 MB"):
        unpacked_scene(made(tmp_path, SCENE, ("one", bytes(900_000)), ("two", bytes(900_000))))
    with pytest.raises(PackageError, match=r"has 7 files; a package has at most 5"):
        unpacked_scene(made(tmp_path, SCENE, *((f"f{place}", b"") for place in range(6))))
    assert [path.name for path in tmp_path.iterdir()] == ["p.zip"]


def test_a_file_that_holds_more_than_it_says_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, SCENE, ("big", bytes(100_000)))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")  # of the directory: the size of the last file
    data[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(PackageError):
        unpacked_scene(path)
    assert [path.name for path in tmp_path.iterdir()] == ["p.zip"]


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damaged_data_is_told(tmp_path: Path, kind: int) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w", kind) as packed:
        packed.writestr("scene/a.twin.yaml", bytes(range(256)) * 40)
        start = packed.infolist()[0].header_offset + 30 + len("scene/a.twin.yaml")
    data = bytearray((tmp_path / "p.zip").read_bytes())
    data[start : start + 60] = b"\xff" * 60
    (tmp_path / "p.zip").write_bytes(bytes(data))
    with pytest.raises(PackageError, match="is no zip file that can be read"):
        unpacked_scene(tmp_path / "p.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["p.zip"]


def test_a_file_that_is_a_folder_too_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="scene/b is a file and a folder"):
        unpacked_scene(made(tmp_path, SCENE, ("scene/b", b""), ("scene/b/c", b"")))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", b"title: A"])
def test_what_is_no_zip_file_is_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    (path := tmp_path / "p.zip").write_bytes(data)
    with pytest.raises(PackageError, match="is no zip file"):
        unpacked_scene(path)


def test_a_zip_file_without_a_scene_is_no_package(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="has no scene; twin handover"):
        unpacked_scene(made(tmp_path, ("other/a.twin.yaml", b"")))
